// SPDX-License-Identifier: Apache-2.0
/// What `run` answers beside the step itself, where it is asked for: the same step under the usual parameters,
/// unfolded, drawn again, beside another job, and with parts that fail.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/prediction/folding_check.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/scenario_session.hpp"
#include "tools/output/beside_tables.hpp"
#include "tools/output/blast_tables.hpp"
#include "tools/output/parameter_difference.hpp"
#include "tools/output/sample_tables.hpp"

namespace clusterwright {

struct WhatIfs {
  std::optional<AgainstUsual> against;
  std::optional<UnfoldedCheck> unfolded;
  std::optional<SampledSteps> samples;
  std::optional<BesideAnswer> beside;
  std::optional<FailureCosts> blast;
};

class WhatIfQuestions {
 public:
  /// Checks the options before the step is predicted. With --beside the job gets its nodes of the machine of both.
  /// @throws ConfigError E0339 for draws that change nothing, and for options that exclude each other
  WhatIfQuestions(const RunRequest& request, ScenarioSession& session);

  WhatIfs answer(const StepPrediction& step) const;

 private:
  std::optional<UnfoldedCheck> unfolded(const Plan& plan) const;
  std::optional<SampledSteps> samples(const Plan& plan) const;
  std::optional<BesideAnswer> beside(const Plan& plan) const;
  std::optional<FailureCosts> blast(const StepPrediction& step) const;

  const RunRequest& request_;
  const ScenarioSession& session_;
  std::optional<Scenario> other_;  ///< job of --beside, on the machine of both
  int samples_ = 0;                ///< seeds to draw
};

/// Part of the text of an answer: a table, a sentence, or both.
struct Addition {
  std::optional<ResultTable> table;
  std::string sentence;
};
/// In the order in which they are read.
std::vector<Addition> additions(const WhatIfs& what_ifs);

/// Sets a field for each question, empty where it was not asked.
void add_to(JsonValue& document, const WhatIfs& what_ifs);

}  // namespace clusterwright
