// SPDX-License-Identifier: Apache-2.0
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/doctor/doctor_report.hpp"

namespace clusterwright {

ExitCode doctor(const DoctorRequest& request) {
  const auto targets =
      output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::markdown});
  const DoctorFacts facts = examine(this_machine(), find_program_files());
  deliver(targets, request.output.quiet, [&](OutputFormat format) {
    if (format == OutputFormat::json) return write_json(doctor_json(facts)) + "\n";
    return format == OutputFormat::markdown ? doctor_markdown(facts) : doctor_text(facts);
  });
  return ExitCode::ok;
}

}  // namespace clusterwright
