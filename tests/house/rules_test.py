#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule finds what it forbids in a small tree, and nothing in a tree that keeps the rules."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import rules
import source_text


LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


def findings(files, head=LICENCE):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            file = pathlib.Path(root, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text((head if path.endswith((".cpp", ".hpp")) else "") + text)
        return list(rules.findings(root))


class Rules(unittest.TestCase):
    def found(self, rule, *mentioned, **files):
        """Exactly one finding, of this rule, that mentions these words; _ stands for / and __ for . in a path."""
        result = findings({path.replace("__", ".").replace("_", "/"): text for path, text in files.items()})
        self.assertEqual([found for found, _ in result], [rule], result)
        for word in mentioned:
            self.assertIn(word, result[0][1])

    def test_upward_layer(self):
        self.found("upward", "sim/a.hpp includes models/job.hpp", sim_a__hpp='#include "models/job.hpp"\n')

    def test_upward_room(self):
        self.found("upward", "above models/job", models_job_a__hpp='#include "models/plan/b.hpp"\n', models_plan_b__hpp="")

    def test_library(self):
        self.found("library", "nlohmann/json.hpp", models_job_a__hpp="#include <nlohmann/json.hpp>\n")

    def test_power(self):
        self.found("power", "models/a.cpp", models_a__cpp='#include "models/a.hpp"\nauto t = fmt::format("{:.4g} kW are drawn", w);\n', models_a__hpp="")

    def test_folders(self):
        self.found("folders", "sim/x and sim/y", sim_x_a__hpp='#include "sim/y/b.hpp"\n', sim_y_b__hpp='#include "sim/x/c.hpp"\n', sim_x_c__hpp="")

    def test_type_elsewhere(self):
        self.found("name", "Plan is declared in sim/other.hpp", sim_plan__hpp="struct Draft {};\n", sim_other__hpp="namespace c {\nstruct Plan {\n  int a1 = 0;\n};\n}\n")

    def test_function_elsewhere(self):
        self.found("name", "plan is declared", sim_plan__hpp="", sim_other__hpp="namespace c {\nint plan(int size);\n}\n")

    def test_methods_and_forward_declarations_have_no_file(self):
        self.assertEqual(findings({"sim/plan.hpp": "struct Plan { int size() const; };\n", "sim/a.hpp": "struct Plan;\nstruct A {\n  int plan() const { return 1; }\n};\n"}), [])

    def test_source_without_header(self):
        self.found("header", "sim/a.cpp", sim_a__cpp="")

    def test_long_file(self):
        self.found("length", "sim/a.hpp", sim_a__hpp="\n" * 401)

    def test_equal_names_of_a_folder(self):
        text = "namespace {\nint size(const Plan& plan, int rank = 0) { return 1; }\n}\n"
        other = "namespace {\nint size(const Plan& other, int node) { return 2; }\n}\n"
        self.found("unity", "size", sim_a__cpp=text, sim_b__cpp=other, sim_a__hpp="", sim_b__hpp="")

    def test_overloads_may_share_a_name(self):
        text = "namespace {{\nint size(const {}& p) {{ return 1; }}\n}}\n"
        self.assertEqual(findings({"sim/a.cpp": text.format("Plan"), "sim/b.cpp": text.format("Job"), "sim/a.hpp": "", "sim/b.hpp": ""}), [])

    def test_type_of_two_headers(self):
        self.found("twice", "Plan", "sim/plan.hpp", "topology/plan.hpp", sim_plan__hpp="struct Plan {};\n", topology_plan__hpp="struct Plan {};\n")

    def test_licence(self):
        self.assertEqual([rule for rule, _ in findings({"sim/a.hpp": "struct A {};\n"}, head="")], ["licence"])

    def test_member_of_one_letter(self):
        self.found("member", "c_", sim_a__hpp="class A {\n public:\n  int size() const { return c_; }\n private:\n  int c_ = 0;\n  int count_{1};\n};\n")

    def test_header_without_a_standard_include(self):
        self.found("alone", "std::vector", sim_a__hpp='#include "sim/b.hpp"\nstd::vector<std::string> a1;\n', sim_b__hpp="#include <string>\n")

    def test_header_without_an_include_of_the_project(self):
        self.found("alone", "JobPlan", sim_a__hpp="int size_of(const JobPlan& plan);\n", sim_b__hpp="struct JobPlan {};\n")

    def test_includes_of_includes_count(self):
        self.assertEqual(findings({"sim/a.hpp": '#include "sim/b.hpp"\nJobPlan planned();\n', "sim/b.hpp": '#include "sim/c.hpp"\n', "sim/c.hpp": "struct JobPlan;\n"}), [])

    def test_page(self):
        self.found("page", "sim/gone.hpp", docs_a__md="`sim/{here,gone}.hpp` and `sim/here`\n", sim_here__hpp="")

    def test_link(self):
        self.found("page", "b.md", docs_a__md="[b](b.md) [web](https://example.org)\n")

    def test_declarations(self):
        code = source_text.blank('struct A final : B<int> {\n  std::map<K, V> names_; // c\n  A() : x_{1}, y_(2) {}\n  enum class E { one };\n  int x_ = f("};"), y_;\n};\nnamespace {\nconstexpr int limit = 3;\n}\n')
        self.assertEqual([(d.kind, d.name) for d in source_text.declarations(code)],
                         [("type", "A"), ("member", "names_"), ("method", "A"), ("member", "x_"), ("member", "y_"), ("variable", "limit")])


if __name__ == "__main__":
    unittest.main()
