#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gate finds families that got worse and are not named in the change log, and nothing else."""
import sys
import unittest

sys.dont_write_bytecode = True
import family_gate
import page_tables


def table(**medians):
    return {name: {"n": 3, "coverage": 1, "median": median, "p90": 2 * median, "in_interval": 1} for name, median in medians.items()}


def log(text):
    return f"# Changelog\n\n## Unreleased\n\n### Results that change\n{text}\n\n### Commands\n- new\n\n## 0.1\n- first, with kept\n"


class FamilyGate(unittest.TestCase):
    def found(self, now, before, text="- nothing"):
        return family_gate.findings(now, before, log(text))

    def test_equal_and_better_families_pass(self):
        self.assertEqual(self.found(table(a=0.05, b=0.02), table(a=0.05, b=0.08)), [])

    def test_a_tenth_is_tolerated(self):
        self.assertEqual(self.found(table(a=0.055), table(a=0.05)), [])

    def test_rounding_is_tolerated(self):
        self.assertEqual(self.found(table(a=0.002), table(a=0.001)), [])

    def test_a_worse_family_is_found(self):
        result = self.found(table(a=0.06, b=0.01), table(a=0.05, b=0.01))
        self.assertEqual(len(result), 1)
        self.assertIn("a: median error 5.0 -> 6.0 %", result[0])

    def test_a_named_family_passes(self):
        self.assertEqual(self.found(table(a=0.06), table(a=0.05), "- `a` 5 -> 6 %: its clock is modelled"), [])

    def test_a_longer_name_names_no_other_family(self):
        self.assertEqual(len(self.found(table(**{"nemo": 0.06}), table(**{"nemo": 0.05}), "- nemo-longctx 5 -> 6 %")), 1)

    def test_older_releases_name_nothing(self):
        self.assertEqual(len(self.found(table(kept=0.06), table(kept=0.05))), 1)

    def test_older_entries_name_nothing(self):
        text = "# Changelog\n\n## Unreleased\n\n### New\n- **Results that change**: `b` 1 -> 2 %\n\n### Old\n- **Results that change**: `a` 5 -> 6 %\n"
        self.assertEqual(len(family_gate.findings(table(a=0.06), table(a=0.05), text)), 1)
        self.assertEqual(family_gate.findings(table(b=0.06), table(b=0.05), text), [])

    def test_lost_predictions_are_found(self):
        now = table(a=0.05)
        now["a"]["coverage"] = 0.5
        self.assertIn("fewer cases", self.found(now, table(a=0.05), "- a")[0])

    def test_a_figure_that_a_page_states_otherwise_is_found(self):
        overall = {"median_abs_log": 0.055, "p90_abs_log": 0.183, "in_interval": 0.93, "median_half_width": 0.158}
        readme = "a median of 5.5 % and a 90th\npercentile of 18.3 %, and 93 % of the measured values lie inside it"
        page = "The error is\n5.5 / 18.3. It contains 93 % of the measured values. The half-width of the interval is 15.8 %."
        self.assertEqual(family_gate.unstated(overall, readme, page), [])
        stale = family_gate.unstated(overall, readme.replace("18.3", "18.5"), page.replace("15.8", "18.7"))
        self.assertEqual(len(stale), 2)
        self.assertIn("README.md does not say '90th percentile of 18.3 %'", stale)

    def test_a_row_that_a_page_states_otherwise_is_found(self):
        family = {"name": "a", "n": 2, "coverage": 1.0, "median_abs_log": 0.055, "p90_abs_log": 0.183, "bias": 0.01}
        family |= {"within_10_percent": 0.5, "in_interval": 1.0, "median_half_width": 0.158}
        validation = {"families": [family], "overall": family | {"name": "all"}, "kinds": []}
        row = "| a | 2 | 100.0 | 5.5 | 18.3 | 1.0 | 50.0 | 100.0 | 15.8 |"
        page = f"{row}\n| another | 3 | 1.0 | 1 | 1 | 1 | 1 | 1 | 1 |"
        self.assertEqual(page_tables.stale(page, validation), [])
        old = page.replace("5.5", "5.2")
        self.assertEqual(len(page_tables.stale(old, validation)), 1)
        self.assertEqual(page_tables.renew(old, validation), page)

    def test_new_and_gone_families_are_found(self):
        self.assertEqual(len(self.found(table(a=0.05), table(b=0.05))), 2)


if __name__ == "__main__":
    unittest.main()
