#include "models/store_check.hpp"

#include <fmt/format.h>

namespace clusterwright {

namespace {

std::string cluster_name(const Scenario& s) {
  return s.cluster.spec.node.part.empty() ? "the nodes" : fmt::format("\"{}\"", s.cluster.spec.node.part);
}

void check_amount(const InputSpec& input, std::vector<Contradiction>& errors) {
  if (input.bytes_per_token.has_value() != input.bytes_per_sample.has_value()) return;
  const bool both = input.bytes_per_token.has_value();
  errors.push_back({"E0327",
                    both ? "bytes_per_token and bytes_per_sample say the same twice"
                         : "what is read is not given: neither bytes_per_token nor bytes_per_sample",
                    both ? std::vector<std::string>{"/job/input/bytes_per_token", "/job/input/bytes_per_sample"}
                         : std::vector<std::string>{"/job/input"},
                    both ? "leave out one of the two" : "tokenised data takes 2 or 4 bytes per token"});
}

void check_local(const Scenario& s, Store store, bool write, const std::string& pointer,
                 std::vector<Contradiction>& errors) {
  const HostSpec& host = s.cluster.spec.node.host;
  if (store != Store::local || (write ? host.nvme_write : host.nvme_read)) return;
  errors.push_back({"E0328",
                    fmt::format("no drives of {} are known to {}", cluster_name(s), write ? "write to" : "read from"),
                    {pointer, "/cluster/node"},
                    fmt::format("give node.host.nvme_{}_gb_per_s, or \"file_system\"", write ? "write" : "read")});
}

}  // namespace

std::vector<Contradiction> check_input(const Scenario& s) {
  std::vector<Contradiction> errors;
  if (!s.job.input) return errors;
  const InputSpec& input = *s.job.input;
  check_amount(input, errors);
  check_local(s, input.from, false, "/job/input/from", errors);
  if (input.checkpoint) check_local(s, input.checkpoint->to, true, "/job/input/checkpoint/to", errors);
  const bool cores = input.workers || input.cores_per_accelerator || s.cluster.spec.node.host.cores;
  if (input.tokens_per_core && !cores)
    errors.push_back({"E0328",
                      fmt::format("the cores of {} that prepare data are not known", cluster_name(s)),
                      {"/job/input/tokens_per_s_per_core", "/cluster/node"},
                      "give node.host.cores, cores_per_accelerator or workers"});
  return errors;
}

}  // namespace clusterwright
