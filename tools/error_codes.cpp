#include "tools/error_codes.hpp"

#include <fmt/format.h>

namespace clusterwright {

namespace {

constexpr ErrorCode codes[] = {
    // Syntax and keys.
    {"E0101", "The text is not valid JSON.",
     "Mend the text at the place named; comments with // and /* */ are allowed."},
    {"E0102", "The key is not known there.",
     "Use one of the allowed keys; `clusterwright explain PATH` describes them."},
    {"E0103", "The key is given twice in one object.", "Keep one of the two."},
    {"E0104", "A key that has no default is missing.", "Add it; `clusterwright explain PATH` says what it means."},
    {"E0105", "The kind of the file cannot be told.",
     "Add \"$schema\" with the name of the kind, such as \"scenario.schema.json\"."},
    // Values.
    {"E0201", "The value has the wrong type.", "Give the type named in the message."},
    {"E0202", "The number is out of range, not finite, or too large to be represented.",
     "Give a number in the range named."},
    {"E0203", "The word is none of those that are allowed, or names no part of the catalog.",
     "Use one of the words; `clusterwright catalog` lists parts."},
    {"E0204", "The id is taken by another entry of the catalog.", "Choose another id."},
    {"E0205", "The source of a fact is not listed under \"sources\".", "List it, or correct its id."},
    // Values that contradict each other.
    {"E0301", "The accelerators are no multiple of those of a node.", "Change one of the two numbers."},
    {"E0302", "The cluster is larger than what its top tier joins.", "Enlarge the top tier, or add one."},
    {"E0303", "The tiers of the fabric do not nest.", "Make each tier a multiple of the one below it."},
    {"E0304", "Several nodes have no network between them.", "Give the node NICs, a rate and a transport."},
    {"E0310", "A degree of parallelism does not divide what it splits.",
     "Choose a degree that divides both numbers named."},
    {"E0311", "The degrees of parallelism do not multiply to the number of accelerators.",
     "Change a degree or the size; \"data\": \"auto\" takes what is left."},
    {"E0312", "The batch does not divide as the plan needs it.",
     "Change the global batch, the micro-batch or the plan."},
    {"E0313", "The value is understood and not modelled yet.", "Use the value named in the message."},
    {"E0314", "The fitted parameters lack what the job needs.",
     "Choose other parameters, another precision or another stack."},
    {"E0315", "No fitted parameters are known for this accelerator.", "Give a file with --parameters."},
    // Files and usage.
    {"E0401", "A file or directory is missing or cannot be read.",
     "Check the path; paths in a file count from that file."},
    {"E0402", "The path names no field.",
     "Use a path that `clusterwright explain` knows, such as job.parallel.tensor."},
    {"E0403", "A quantity on the command line cannot be read, or is out of range.",
     "Write 8, 16k, 8GiB, 20MW, 90d, 8..64, 8..16384x2, 8..64+8 or 8,16,32."},
    {"E0404", "An option, a command or one of their values is unknown or missing.",
     "Use what the message proposes; `clusterwright COMMAND --help` lists options."},
    {"E0405", "A file cannot be written.", "Check that its directory exists and that you may write there."},
    {"E0406", "The option is planned and not there yet.", "Leave it out."},
    // Limits.
    {"E0501", "The input is larger or deeper than a cap allows.",
     "Make it smaller; the caps guard against hostile files."},
    {"E0502", "The step is too large or too long to be simulated.",
     "Choose a smaller batch per replica, a larger micro-batch, a shorter sequence or faster links."},
};

}  // namespace

std::span<const ErrorCode> error_codes() {
  return codes;
}

std::string error_codes_document() {
  std::string text =
      "# Error codes\n\nEvery error has one shape: code, message, place, and what would be right. A code has one "
      "meaning:\n"
      "E01xx syntax and keys, E02xx values, E03xx values that contradict each other, E04xx files and usage, E05xx "
      "limits.\n"
      "`clusterwright explain E0203` prints one entry, `clusterwright explain errors` this page.\n\n"
      "| code | what is wrong | what to do |\n| --- | --- | --- |\n";
  for (const ErrorCode& error : error_codes())
    text += fmt::format("| {} | {} | {} |\n", error.code, error.meaning, error.remedy);
  return text;
}

}  // namespace clusterwright
