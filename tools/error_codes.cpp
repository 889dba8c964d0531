// SPDX-License-Identifier: Apache-2.0
#include "tools/error_codes.hpp"

#include <fmt/format.h>

namespace clusterwright {

namespace {

constexpr ErrorCode codes[] = {
    // Syntax and keys.
    {"E0101", "The text is not valid JSON, or not of the format that is imported.",
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
    {"E0306", "A switch has fewer ports than the fabric asks of it.",
     "Take a larger switch, make groups smaller, or add a tier."},
    {"E0307", "The groups of a dragonfly cannot all be joined.",
     "At most one more than the global links of a group; take fewer groups or more links."},
    {"E0308", "The sizes of the fabric do not agree with each other or with the nodes.",
     "Sides of a torus multiply to the nodes of a site; sites divide the nodes."},
    {"E0309", "The numbers of the fabric's kind are missing, or belong to another kind.",
     "Give the block that is named like the kind, and no other."},
    {"E0310", "A degree of parallelism does not divide what it splits, or does not suit the layers or the schedule.",
     "Choose a degree that divides both numbers named; layers of stages add up to the model's."},
    {"E0311", "The degrees of parallelism do not multiply to the number of accelerators.",
     "Change a degree or the size; \"data\": \"auto\" takes what is left."},
    {"E0312", "The batch does not divide as the plan needs it.",
     "Change the global batch, the micro-batch or the plan."},
    {"E0313", "The value is understood and not modelled yet.", "Use the value named in the message."},
    {"E0314", "The fitted parameters lack what the job needs.",
     "Choose other parameters, another precision or another stack."},
    {"E0315", "No fitted parameters are known for this accelerator.", "Give a file with --parameters."},
    {"E0316", "The fabric has fewer ports for NICs than the nodes have NICs.",
     "Add groups or switches, or take fewer accelerators."},
    {"E0317", "The size of a tier cannot be told.", "Give its accelerators, or the switch whose ports say it."},
    {"E0318", "A switch below the top tier has no ports for both directions.", "Take a larger switch."},
    {"E0319", "Rail planes are asked for with a single NIC in a node.", "Use \"joined\" rails."},
    {"E0320", "Two endpoints have no path left between them.",
     "Take back a fault, or place the job where the network still joins its nodes."},
    {"E0321", "A fault cannot be read, or names what the fabric does not have.",
     "Write spine:2, leaf:0-spine:1, leaf:0-spine:1#0 or node:5.3, each with =0.5 for half the rate."},
    {"E0322", "The node contradicts the catalog's node that it names.", "Leave out one of the two fields named."},
    {"E0323", "The groups of a mixed cluster do not add up.",
     "`accelerators` counts those of `also` and at least one node more."},
    {"E0324", "Steps on nodes of several kinds are not modelled yet.", "Leave `also` out."},
    {"E0325", "The scale-up domain does not fit the node or its torus.",
     "Make nodes fill domains, or domains fill nodes; the sides of a torus multiply to the domain."},
    {"E0326", "The rate of a link inside the node is not known.",
     "Give scale_up_gb_per_s, or pcie with link_gb_per_s."},
    {"E0327", "What a job reads is not given, or given twice.", "Give bytes_per_token or bytes_per_sample."},
    {"E0328", "A job uses something of its hosts or its cluster that is not known.",
     "Give the number named under `node.host`, `storage` or `job.input`, or name a node of the catalog that has it."},
    {"E0330", "A group of a collective operation has fewer than two ranks.", "Ask for two ranks or more."},
    {"E0331", "The list of nodes cannot be read.", "Write names that end in numbers, such as gpu[001-004,7],gpu12."},
    {"E0332", "The algorithm cannot run this operation on these nodes.",
     "Choose another algorithm, or leave the choice open."},
    {"E0333", "The groups need more accelerators than there are.", "Lower the ranks, the groups or the stride."},
    {"E0334", "The stride does not fit the nodes.", "Choose one that divides a node's accelerators, or a multiple."},
    {"E0335", "A node of the list does not exist or is listed twice.", "Nodes are numbered from 0; list each once."},
    {"E0336", "A straggler is not in the cluster, or named twice.", "Accelerators are numbered from 0, node by node."},
    {"E0340", "What was measured contradicts itself, or what is asked of it.",
     "Measure again, correct the number named, or name what the file belongs to."},
    {"E0341", "There are no samples, or too few for what is asked.",
     "Take more with `clusterwright calibrate run`, or name other files."},
    {"E0342", "The family of a Hugging Face config.json is not known.",
     "Use one of the families named, or write a transformer of your own; `clusterwright explain transformer`."},
    {"E0343", "The numbers of a Hugging Face config.json contradict each other.", "Correct one of the numbers named."},
    // Buildings and money.
    {"E0350", "A node or switch cannot be placed in a rack: its height, mass or power is not known.",
     "Describe it under \"parts\" of the cluster, with height_u, mass_kg and max_power_kw or max_power_w."},
    {"E0351", "A facility leaves something open that planning needs.",
     "Give it, or name a complete facility under \"like\"."},
    {"E0352", "A price list does not say exactly once what the building costs.",
     "Give a price of the building by power or by node, or a rent of space."},
    {"E0360", "A claim of a blueprint is stated as its kind is not.",
     "State numbers as numbers, shares from 0 to 1, and scale_up, layout, fits and cooling in words."},
    {"E0361", "A blueprint makes a claim twice.", "Keep one; audit the other in a file of its own."},
    {"E0362", "One replica of a blueprint's layout takes more accelerators than there are.",
     "Describe a smaller layout or a larger cluster."},
    {"E0363", "The layout that a blueprint claims is not the one that its job describes.",
     "Write the degrees under job.parallel as the claim says them."},
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
