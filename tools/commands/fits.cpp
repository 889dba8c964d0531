// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/job/configs_directory.hpp"
#include "models/job/node_cluster.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/memory/memory_levels.hpp"
#include "models/memory/memory_verdict.hpp"
#include "models/plan/resolve_plan.hpp"
#include "models/search/choose_plan.hpp"
#include "models/search/layout_search.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

/// A way to hold a model, and the fewest accelerators that do.
struct Fit {
  std::string stack;
  bool offload = false;          ///< tensors may be kept on the host
  int gpus = 0;                  ///< 0: none of the sizes that were tried
  int tried = 0;                 ///< largest size that was tried
  Layout layout;                 ///< the fastest of those that fit; without any, the leanest at `tried`
  MemoryUse memory;              ///< of its fullest rank
  MemoryRange range;             ///< 90 % interval of its total
  std::vector<LevelUse> levels;  ///< beyond the accelerator
  double least_gb = 0;           ///< memory of the leanest layout at `tried`
};

struct Question {
  const FitsRequest& request;
  Catalog catalog;
  const AcceleratorPart* part = nullptr;
  const NodePart* node = nullptr;  ///< nullptr: the catalog knows none with this accelerator
};

int node_ranks(const Question& q) {
  return q.node && q.node->accelerator_count ? q.node->accelerator_count->value : 1;
}

/// Servers of one kind, joined as their NICs are; a single server where the catalog knows none to join.
JsonValue cluster_of(const Question& q, int gpus) {
  JsonValue node = q.node ? JsonValue::object({{"part", q.node->id}})
                          : JsonValue::object({{"accelerator", q.part->id}, {"accelerators", 1}, {"nics", 0}});
  JsonValue cluster = JsonValue::object(
      {{"name", fmt::format("{} x {}", gpus, q.part->id)}, {"accelerators", gpus}, {"node", std::move(node)}});
  if (gpus <= node_ranks(q)) cluster.set("fabric", JsonValue::object({{"transport", "none"}}));
  return cluster;
}

int sequence_of(const FitsRequest& request, const std::filesystem::path& model) {
  if (!request.sequence.empty()) return parse_count({"--sequence", request.sequence});
  return sequence_for(read_json_file(model), 4096);
}

JsonValue job_of(const FitsRequest& request, const std::filesystem::path& model, const std::string& stack, int gpus) {
  const bool lora = request.task == "lora";
  JsonValue job =
      JsonValue::object({{"task", lora ? "lora" : "pretrain"},
                         {"sequence", sequence_of(request, model)},
                         {"global_batch", request.batch.empty() ? 4 * gpus : parse_count({"--batch", request.batch})},
                         {"precision", request.precision},
                         {"parallel", JsonValue::object({})},
                         {"stack", stack}});
  if (lora) job.set("lora_rank", parse_count({"--lora-rank", request.lora_rank}));
  return job;
}

Scenario scenario_of(const Question& q, const std::string& stack, int gpus) {
  const auto file = named_file(q.request.model, {"transformers"});
  return scenario_of_document(JsonValue::object({{"cluster", cluster_of(q, gpus)},
                                                 {"transformer", std::filesystem::absolute(file).string()},
                                                 {"job", job_of(q.request, file, stack, gpus)}}),
                              {});
}

/// Parts of a node, then numbers of nodes: each, further on every fourth part of a power of two.
std::vector<int> sizes_of(const Question& q, int most) {
  std::set<int> sizes;
  const int node = node_ranks(q);
  for (int ranks = 1; ranks <= std::min(node, most); ++ranks)
    if (node % ranks == 0) sizes.insert(ranks);
  if (q.node)
    for (int step = 1; step * node <= most; step *= 2)
      for (int quarter = 4; quarter < 8; ++quarter)
        if (step * quarter % 4 == 0 && step * quarter / 4 * node <= most) sizes.insert(step * quarter / 4 * node);
  return {sizes.begin(), sizes.end()};
}

LayoutLimits limits_for(bool offload) {
  LayoutLimits limits;
  limits.order.add(RankOrder::tensor_context_data_pipeline);
  limits.keep_offloads = offload;
  if (offload) return limits;
  for (auto* tensors : {&limits.offload_weights, &limits.offload_optimizer, &limits.offload_activations})
    tensors->add(MemoryLevel::device);
  return limits;
}

/// Whether a layout fits; the leanest one if none does.
bool try_size(const Question& q, int gpus, Fit& fit) {
  constexpr std::int64_t most_layouts = 200'000;
  const Scenario scenario = scenario_of(q, fit.stack, gpus);
  LayoutSpace space(scenario, limits_for(fit.offload));
  space.thin_out(static_cast<double>(most_layouts));
  SweepRequest request;
  request.memory_only = true;
  LayoutSweep sweep(space, request);
  sweep.run(interrupted);
  stop_if_interrupted();
  fit.tried = gpus;
  fit.layout = sweep.counts().leanest.layout;
  fit.least_gb = sweep.counts().least_memory / 1e9;
  return sweep.counts().feasible > 0;
}

/// The fastest of the layouts that fit, with its memory. @return false if what it keeps on hosts does not fit there
bool choose_layout(const Question& q, Fit& fit) {
  SearchRequest request;
  request.sweep.most_layouts = 100'000;
  request.most_replays = 10;
  request.stop = interrupted;
  LayoutSearch search(scenario_of(q, fit.stack, fit.tried), limits_for(fit.offload), request);
  const SearchResult result = search.run();
  stop_if_interrupted();
  if (result.found.empty()) return false;
  const FoundLayout& best = result.found.front();
  const Scenario decided = search.scenario_of(best.candidate);
  fit.layout = best.candidate.layout;
  fit.memory = memory_under(decided, best.plan);
  fit.range = memory_range(fit.memory, memory_residual(decided.steps, decided.stack));
  fit.levels = level_uses(decided, best.plan);
  fit.gpus = fit.tried;
  return true;
}

/// @param known  the answer without offload: with it, only fewer accelerators are a better one; nullptr if not asked
/// yet
Fit smallest(const Question& q, const std::string& stack, const Fit* known) {
  Fit fit;
  fit.stack = stack;
  fit.offload = known != nullptr;
  for (const int gpus : sizes_of(q, parse_count({"--most", q.request.most}))) {
    if (known && known->gpus > 0 && gpus >= known->gpus) break;
    if (try_size(q, gpus, fit) && choose_layout(q, fit)) return fit;
  }
  if (known && known->gpus > 0) {
    fit = *known;
    fit.offload = true;
  }
  return fit;
}

std::string layout_words(const Layout& l) {
  std::string text = fmt::format("TP {} x PP {} x DP {}", l.tensor, l.pipeline, l.data);
  if (l.context > 1) text += fmt::format(", context {}", l.context);
  if (l.expert > 1) text += fmt::format(", experts over {}", l.expert);
  text += fmt::format(", micro-batch {}, {}", l.micro_batch, value_text(SearchedField::sharding, l));
  if (l.recompute != Recompute::none) text += ", recompute " + value_text(SearchedField::recompute, l);
  const std::string offload = value_text(SearchedField::offload, l);
  return offload == "none" ? text : text + ", on the host: " + offload;
}

double host_gb(const Fit& fit) {
  double sum = 0;
  for (const LevelUse& use : fit.levels) sum += use.bytes.total().in(gigabyte);
  return sum;
}

ResultTable table_of(const std::vector<Fit>& fits) {
  ResultTable table{"",
                    {words_column("stack", "Stack"),
                     words_column("offload", "Offload"),
                     {"gpus", "Fewest GPUs", ""},
                     {"weights_gb", "Weights", "GB", 1, 1},
                     {"gradients_gb", "Gradients", "GB", 1, 1},
                     {"optimizer_gb", "Optimizer", "GB", 1, 1},
                     {"activations_gb", "Activations", "GB", 1, 1},
                     {"other_gb", "Other", "GB", 1, 1},
                     {"total_gb", "Total", "GB", 1, 1},
                     {"total_low_gb", "Low", "GB", 1, 1},
                     {"total_high_gb", "High", "GB", 1, 1},
                     {"host_gb", "Host", "GB per node", 1, 1},
                     words_column("layout", "Layout")},
                    {}};
  for (const Fit& fit : fits) {
    if (fit.gpus == 0) {
      table.rows.push_back(
          {fit.stack, fit.offload ? "allowed" : "none", Cell(), Cell(), Cell(), Cell(), Cell(), Cell(), fit.least_gb,
           Cell(), Cell(), Cell(),
           fmt::format("does not fit on {}: leanest {}", count_text(fit.tried), layout_words(fit.layout))});
      continue;
    }
    const MemoryUse& m = fit.memory;
    const double known = (m.weights + m.gathered + m.gradients + m.optimizer + m.activations + m.working).in(gigabyte);
    table.rows.push_back({fit.stack, fit.offload ? "allowed" : "none", fit.gpus, (m.weights + m.gathered).in(gigabyte),
                          m.gradients.in(gigabyte), m.optimizer.in(gigabyte), (m.activations + m.working).in(gigabyte),
                          m.total().in(gigabyte)-known, m.total().in(gigabyte), fit.range.low.in(gigabyte),
                          fit.range.high.in(gigabyte), host_gb(fit), layout_words(fit.layout)});
  }
  return table;
}

JsonValue json_of(const Fit& fit) {
  const MemoryUse& m = fit.memory;
  const auto gb = [&](Bytes bytes) { return fit.gpus > 0 ? JsonValue(bytes.in(gigabyte)) : JsonValue(); };
  const Layout& l = fit.layout;
  return JsonValue::object({{"stack", fit.stack},
                            {"offload_allowed", fit.offload},
                            {"fits", fit.gpus > 0},
                            {"gpus", fit.gpus > 0 ? JsonValue(fit.gpus) : JsonValue()},
                            {"largest_tried", fit.tried},
                            {"least_memory_gb", fit.least_gb},
                            {"layout", JsonValue::object({{"tensor", l.tensor},
                                                          {"pipeline", l.pipeline},
                                                          {"virtual_pipeline", l.virtual_pipeline},
                                                          {"context", l.context},
                                                          {"expert", l.expert},
                                                          {"expert_tensor", l.expert_tensor},
                                                          {"data", l.data},
                                                          {"micro_batch", l.micro_batch},
                                                          {"recompute", value_text(SearchedField::recompute, l)},
                                                          {"sharding", value_text(SearchedField::sharding, l)},
                                                          {"offload", value_text(SearchedField::offload, l)}})},
                            {"memory_gb", JsonValue::object({{"weights", gb(m.weights)},
                                                             {"gathered", gb(m.gathered)},
                                                             {"gradients", gb(m.gradients)},
                                                             {"optimizer", gb(m.optimizer)},
                                                             {"activations", gb(m.activations)},
                                                             {"working", gb(m.working)},
                                                             {"logits", gb(m.logits)},
                                                             {"buffers", gb(m.buffers)},
                                                             {"reserved", gb(m.reserved)},
                                                             {"total", gb(m.total())},
                                                             {"total_low", gb(fit.range.low)},
                                                             {"total_high", gb(fit.range.high)}})},
                            {"host_gb_per_node", fit.gpus > 0 ? JsonValue(host_gb(fit)) : JsonValue()}});
}

std::string heading_of(const Question& q, const Scenario& any) {
  return fmt::format("{}, {}, {} tokens per sequence, {} on {} with {} GB", any.transformer.name,
                     q.request.task == "lora" ? fmt::format("LoRA of rank {}", q.request.lora_rank) : "training",
                     count_text(any.job.sequence), q.request.precision, q.part->id,
                     significant_text(memory_capacity(any.cluster.accelerator).in(gigabyte)));
}

std::string assumptions_of(const Question& q) {
  return fmt::format(
      "Assumed: {} per step; {}; layouts that each stack can run, of those that fit the one with the "
      "shortest step. Sizes between those tried are not looked at. Low and high hold 90 % of the measured memory of "
      "such jobs (docs/models/memory.md): where high exceeds the capacity the job may not fit.",
      q.request.batch.empty() ? "four sequences for each GPU" : q.request.batch + " sequences",
      q.node ? "servers \"" + q.node->id + "\" behind one tier of switches"
             : std::string("single accelerators, as the catalog knows no server with them"));
}

std::string render_as(OutputFormat format, const Question& q, const std::vector<Fit>& fits, const Scenario& any) {
  switch (format) {
    case OutputFormat::json: {
      JsonValue document = result_header("fits", 0, any.inputs);
      document.set("model", any.transformer.name);
      document.set("accelerator", q.part->id);
      document.set("memory_capacity_gb", memory_capacity(any.cluster.accelerator).in(gigabyte));
      JsonValue list = JsonValue::list();
      for (const Fit& fit : fits) list.push_back(json_of(fit));
      document.set("fits", list);
      return write_json(document) + "\n";
    }
    case OutputFormat::csv:
      return render_csv(table_of(fits));
    case OutputFormat::markdown:
      return fmt::format("# {}\n\n{}\n{}\n", markdown_text(heading_of(q, any)), render_markdown(table_of(fits)),
                         markdown_text(assumptions_of(q)));
    default:
      return printable(heading_of(q, any)) + "\n\n" + render_text(table_of(fits)) + "\n" +
             printable(assumptions_of(q)) + "\n";
  }
}

Question question_of(const FitsRequest& request) {
  Question q{request, load_catalog(configs_directory() / "parts", FactCheck::none), nullptr, nullptr};
  std::vector<std::string> ids;
  for (const AcceleratorPart& part : q.catalog.accelerators) ids.push_back(part.id);
  q.part = &q.catalog.accelerators[parse_choice("--on", request.gpu, ids)];
  for (const NodePart& node : q.catalog.nodes)
    if (!q.node && node.accelerator_id == q.part->id && node.accelerator_count) q.node = &node;
  parse_choice("--task", request.task, {"train", "lora"});
  return q;
}

}  // namespace

ExitCode fits(const FitsRequest& request) {
  const auto targets = output_targets(
      request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown});
  const Question q = question_of(request);
  std::vector<std::string> stacks = {"megatron-2024", "torchtitan-2025"};
  if (!request.stack.empty()) stacks = {request.stack};
  std::vector<Fit> found;
  for (const std::string& stack : stacks) {
    const Fit without = smallest(q, stack, nullptr);
    found.push_back(without);
    found.push_back(smallest(q, stack, &without));
  }
  const Scenario any = scenario_of(q, stacks.front(), 1);
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, q, found, any); });
  const bool fits_somewhere = std::any_of(found.begin(), found.end(), [](const Fit& fit) { return fit.gpus > 0; });
  return fits_somewhere ? ExitCode::ok : ExitCode::impossible;
}

}  // namespace clusterwright
