// SPDX-License-Identifier: Apache-2.0
#include "tools/output/topology_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

std::string rate_text(BytesPerSecond rate) {
  return significant_text(rate.in(gigabyte_per_second)) + " GB/s, one direction";
}

std::string plural(int count, const std::string& one, const std::string& several) {
  return count_text(count) + " " + (count == 1 ? one : several);
}

std::string nodes_text(const NodeGroup& group, int nodes) {
  const std::string nics = group.nics == 0 ? "no NIC" : plural(group.nics, "NIC", "NICs");
  return fmt::format("{} of {} and {}", count_text(nodes), plural(group.node_accelerators, "GPU", "GPUs"), nics);
}

std::string gpus_text(const Cluster& cluster) {
  std::vector<std::string> kinds;
  for (const NodeGroup& group : cluster.groups)
    kinds.push_back(fmt::format("{} x {}", count_text(group.accelerators()), group.accelerator.id));
  const int idle = cluster.blocks.idle();
  return fmt::format("{}{}", fmt::join(kinds, " + "),
                     idle > 0 ? fmt::format(", {} of them idle", count_text(idle)) : std::string());
}

int domains_of(const NodeGroup& group) {
  return (group.accelerators() + group.domain - 1) / group.domain;
}

ResultTable machine_table(const Cluster& cluster) {
  ResultTable table{"", {words_column("what", ""), words_column("value", "")}, {}};
  const NodeGroup& main = cluster.groups.front();
  table.rows = {{"GPUs", gpus_text(cluster)}, {"Nodes", nodes_text(main, cluster.nodes())}};
  if (cluster.file_servers() > 0)
    table.rows.push_back({"File servers", fmt::format("{}, each with the {} NICs of a node",
                                                      count_text(cluster.file_servers()), main.nics)});
  for (const std::string& remark : cluster.remarks) table.rows.push_back({"Warning", remark});
  if (cluster.mixed()) return table;
  if (main.domain != main.node_accelerators)
    table.rows.push_back({"Scale-up domains", fmt::format("{} of {} GPUs", count_text(domains_of(main)), main.domain)});
  table.rows.push_back({"Scale-up per GPU", rate_text(main.scale_up_bandwidth)});
  table.rows.push_back({"Network per GPU", rate_text(cluster.network_per_accelerator())});
  return table;
}

ResultTable kinds_table(const Cluster& cluster) {
  ResultTable table{"Nodes by kind",
                    {words_column("accelerator", "GPU"),
                     {"gpus", "GPUs", ""},
                     {"nodes", "Nodes", ""},
                     {"domain", "Domain", "GPUs"},
                     {"scale_up_gb_per_s", "Scale-up per GPU", "GB/s"},
                     {"network_gb_per_s_per_gpu", "Network per GPU", "GB/s"}},
                    {}};
  for (const NodeGroup& group : cluster.groups)
    table.rows.push_back({group.accelerator.id, group.accelerators(), group.nodes, group.domain,
                          group.scale_up_bandwidth.in(gigabyte_per_second),
                          (group.nic_bandwidth * group.nics / group.node_accelerators).in(gigabyte_per_second)});
  return table;
}

std::size_t working_cables(const TopologyFacts& facts) {
  std::size_t sum = 0;
  for (const auto& cables : facts.cables) sum += cables.count;
  return sum;
}

std::string diameter_text(const TopologyFacts& facts) {
  return (facts.diameter.exact ? "" : "at least ") + plural(facts.diameter.switches, "switch", "switches");
}

std::string bisection_text(const TopologyFacts& facts) {
  return rate_text(facts.bisection) +
         (facts.bisection_by == BisectionBy::max_flow ? " (maximum flow)" : " (bound from the groups, no failures)");
}

std::string cut_off_text(const TopologyFacts& facts) {
  if (facts.cut_off.empty()) return "none";
  std::map<int, std::set<int>> nodes_of_rail;
  for (const auto& nic : facts.cut_off) nodes_of_rail[nic.rail].insert(nic.node);
  std::map<std::set<int>, std::set<int>> rails_of_nodes;
  for (const auto& [rail, nodes] : nodes_of_rail) rails_of_nodes[nodes].insert(rail);
  std::vector<std::string> texts;
  for (const auto& [nodes, rails] : rails_of_nodes)
    texts.push_back(fmt::format("{} {} of {} {}", rails.size() == 1 ? "nic" : "nics", ranges_text(rails),
                                nodes.size() == 1 ? "node" : "nodes", ranges_text(nodes)));
  return fmt::format("{}: {}", count_text(static_cast<long long>(facts.cut_off.size())), fmt::join(texts, "; "));
}

std::string sites_text(const SitesSpec& sites) {
  return fmt::format("{}, any two joined by {} Gbit/s and {} ms", sites.count,
                     significant_text(sites.rate.in(gigabit_per_second)),
                     significant_text(sites.latency.value.in(millisecond)));
}

/// One column, or two where something has failed.
ResultTable network_table(const TopologyReport& report) {
  ResultTable table{"Network", {words_column("what", ""), words_column("whole", report.after ? "Whole" : "")}, {}};
  if (report.after) {
    table.title += fmt::format("; failed: {}", fmt::join(report.failures, ", "));
    table.columns.push_back(words_column("after", "After"));
  }
  const auto row = [&](const char* what, const auto& text) {
    table.rows.push_back({what, text(*report.whole)});
    if (report.after) table.rows.back().push_back(text(*report.after));
  };
  row("Farthest two NICs", [](const TopologyFacts& facts) {
    return fmt::format("{}, {} us", diameter_text(facts), significant_text(facts.farthest.in(microsecond), 3));
  });
  row("Bisection", bisection_text);
  row("Share of NIC bandwidth", [](const TopologyFacts& facts) { return percent_text(facts.bisection_share); });
  row("Working cables",
      [](const TopologyFacts& facts) { return count_text(static_cast<long long>(working_cables(facts))); });
  if (report.after || !report.whole->cut_off.empty()) row("NICs cut off from their rail", cut_off_text);
  if (const auto& sites = report.cluster.spec.fabric.sites)
    row("Sites", [&](const TopologyFacts&) { return sites_text(*sites); });
  return table;
}

/// A fat tree whose parts are not named has one switch for each rail of a group: docs/fabrics.md, "Switch not known".
ResultTable switch_table(const TopologyFacts& facts, const FabricSpec& fabric) {
  const bool stand_in = std::any_of(fabric.tiers.begin(), fabric.tiers.end(),
                                    [](const TierSpec& tier) { return tier.switch_part.empty(); });
  ResultTable table{stand_in ? "Switches; a switch without a named part stands for as many as needed" : "Switches",
                    {words_column("tier", "Tier"),
                     {"count", "Switches", ""},
                     {"ports_used_max", "Ports used", "at most"},
                     {"ports", "Ports", ""}},
                    {}};
  for (const auto& row : facts.switches)
    table.rows.push_back({row.tier, static_cast<std::int64_t>(row.count), static_cast<std::int64_t>(row.ports_used_max),
                          row.ports > 0 ? Cell(row.ports) : Cell()});
  return table;
}

/// Rate in Gbit/s. Rates of slowed cables are single-precision shares; further digits have no meaning.
double gigabits(BytesPerSecond rate) {
  return std::stod(fmt::format("{:.7g}", rate.in(gigabit_per_second)));
}

ResultTable cable_table(const TopologyFacts& facts, std::string title) {
  ResultTable table{std::move(title),
                    {words_column("kind", "Kind"), {"count", "Cables", ""}, {"gbit_per_s", "Each way", "Gbit/s"}},
                    {}};
  for (const auto& row : facts.cables)
    table.rows.push_back({row.kind, static_cast<std::int64_t>(row.count), gigabits(row.rate)});
  return table;
}

int groups_of(const Cluster& cluster, const FabricTiers::Tier& tier) {
  return (cluster.spec.accelerators + tier.accelerators - 1) / tier.accelerators;
}

/// Bandwidth of a group's accelerators over that of its uplinks; nothing at the top.
std::optional<double> taper_of(const Cluster& cluster, const FabricTiers::Tier& tier) {
  if (tier.uplink_capacity == BytesPerSecond{}) return std::nullopt;
  return tier.accelerators * cluster.network_per_accelerator() / tier.uplink_capacity;
}

ResultTable tier_table(const Cluster& cluster) {
  ResultTable table{"Groups of the fabric, nearest to the nodes first",
                    {words_column("tier", "Tier"),
                     {"gpus_below", "GPUs below", ""},
                     {"groups", "Groups", ""},
                     {"uplink_gb_per_s", "Uplinks of a group, one direction", "GB/s"},
                     {"taper", "Taper", "", 1, 2}},
                    {}};
  for (const FabricTiers::Tier& tier : cluster.fabric.tiers()) {
    const auto taper = taper_of(cluster, tier);
    table.rows.push_back({tier.name, tier.accelerators, groups_of(cluster, tier),
                          taper ? Cell(tier.uplink_capacity.in(gigabyte_per_second)) : Cell(),
                          taper ? Cell(*taper) : Cell()});
  }
  return table;
}

JsonValue tiers_json(const Cluster& cluster) {
  JsonValue tiers = JsonValue::list();
  for (const FabricTiers::Tier& tier : cluster.fabric.tiers()) {
    const auto taper = taper_of(cluster, tier);
    tiers.push_back(JsonValue::object({{"name", tier.name},
                                       {"gpus_below", tier.accelerators},
                                       {"groups", groups_of(cluster, tier)},
                                       {"uplink_gb_per_s", tier.uplink_capacity.in(gigabyte_per_second)},
                                       {"tapered", tier.tapered},
                                       {"taper", taper ? JsonValue(*taper) : JsonValue()}}));
  }
  return tiers;
}

JsonValue kinds_json(const Cluster& cluster) {
  JsonValue kinds = JsonValue::list();
  for (const NodeGroup& group : cluster.groups)
    kinds.push_back(JsonValue::object({{"accelerator", group.accelerator.id},
                                       {"gpus", group.accelerators()},
                                       {"nodes", group.nodes},
                                       {"domain", group.domain},
                                       {"nics_per_node", group.nics},
                                       {"nic_gbit_per_s", group.nic_bandwidth.in(gigabit_per_second)},
                                       {"scale_up_gb_per_s", group.scale_up_bandwidth.in(gigabyte_per_second)}}));
  return kinds;
}

JsonValue switches_json(const TopologyFacts& facts) {
  JsonValue list = JsonValue::list();
  for (const auto& row : facts.switches)
    list.push_back(JsonValue::object({{"tier", row.tier},
                                      {"count", static_cast<std::int64_t>(row.count)},
                                      {"ports_used_max", static_cast<std::int64_t>(row.ports_used_max)},
                                      {"ports", row.ports > 0 ? JsonValue(row.ports) : JsonValue()}}));
  return list;
}

JsonValue cables_json(const TopologyFacts& facts) {
  JsonValue list = JsonValue::list();
  for (const auto& row : facts.cables)
    list.push_back(JsonValue::object(
        {{"kind", row.kind}, {"count", static_cast<std::int64_t>(row.count)}, {"gbit_per_s", gigabits(row.rate)}}));
  return list;
}

/// Counts of the network. Without one: empty lists, null instead of measures, and a bisection of zero.
void add_network(JsonValue& counts, const std::optional<TopologyFacts>& known) {
  const TopologyFacts facts = known.value_or(TopologyFacts{});
  const auto if_known = [&](const JsonValue& value) { return known ? value : JsonValue(); };
  counts.set("switches", switches_json(facts));
  counts.set("cables", cables_json(facts));
  counts.set("diameter_switches", if_known(facts.diameter.switches));
  counts.set("diameter_exact", if_known(facts.diameter.exact));
  counts.set("diameter_us", if_known(facts.farthest.in(microsecond)));
  counts.set("bisection_gb_per_s", facts.bisection.in(gigabyte_per_second));
  counts.set("bisection_share", if_known(facts.bisection_share));
  counts.set("bisection_by", if_known(facts.bisection_by == BisectionBy::max_flow ? "max_flow" : "tiers"));
  JsonValue names = JsonValue::list();
  for (const auto& nic : facts.cut_off) names.push_back(fmt::format("node {} nic {}", nic.node, nic.rail));
  counts.set("nics_cut_off", names);
}

JsonValue counts_json(const TopologyReport& report) {
  const Cluster& cluster = report.cluster;
  int domains = 0;
  for (const NodeGroup& group : cluster.groups) domains += domains_of(group);
  JsonValue counts =
      JsonValue::object({{"gpus", cluster.spec.accelerators},
                         {"nodes", cluster.nodes()},
                         {"domains", domains},
                         {"nics", cluster.nodes() * cluster.nics},
                         {"scale_up_gb_per_s", cluster.scale_up_bandwidth.in(gigabyte_per_second)},
                         {"network_gb_per_s_per_gpu", cluster.network_per_accelerator().in(gigabyte_per_second)},
                         {"kinds", kinds_json(cluster)}});
  add_network(counts, report.whole);
  counts.set("tiers", tiers_json(cluster));
  return counts;
}

}  // namespace

std::vector<ResultTable> topology_tables(const TopologyReport& report) {
  std::vector<ResultTable> tables{machine_table(report.cluster)};
  if (report.cluster.mixed()) tables.push_back(kinds_table(report.cluster));
  if (report.whole) {
    tables.push_back(network_table(report));
    tables.push_back(switch_table(*report.whole, report.cluster.spec.fabric));
    tables.push_back(cable_table(*report.whole, "Cables"));
  }
  if (report.after) tables.push_back(cable_table(*report.after, "Working cables after the failures"));
  tables.push_back(tier_table(report.cluster));
  return tables;
}

JsonValue topology_json(const TopologyReport& report) {
  JsonValue json = JsonValue::object({{"counts", counts_json(report)}});
  if (!report.after) return json;
  JsonValue after = JsonValue::object({});
  JsonValue failures = JsonValue::list();
  for (const std::string& failure : report.failures) failures.push_back(failure);
  after.set("failures", failures);
  add_network(after, report.after);
  json.set("after_failures", after);
  return json;
}

}  // namespace clusterwright
