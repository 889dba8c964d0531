// SPDX-License-Identifier: Apache-2.0
#include "tools/error_codes.hpp"

#include <fmt/format.h>

namespace clusterwright {

namespace {

constexpr ErrorCode codes[] = {
    // Syntax and keys.
    {"E0101", "The text is not valid JSON, or not in the format to import.",
     "Correct the text at the named place; comments with // and /* */ are allowed."},
    {"E0102", "The key is not known in this place.",
     "Use one of the allowed keys; `clusterwright explain PATH` describes them."},
    {"E0103", "The key is given twice in one object.", "Keep one of the two."},
    {"E0104", "A key that has no default is missing.", "Add it; `clusterwright explain PATH` says what it means."},
    {"E0105", "The kind of the file is not known, or another than the place needs.",
     "Add \"$schema\" with the name of the kind, such as \"scenario.schema.json\"."},
    // Values.
    {"E0201", "The value has the wrong type.", "Give a value of the type that the message names."},
    {"E0202", "The number or date is out of range, not finite, or too large to be represented.",
     "Give a value in the range that the message names."},
    {"E0203", "The word is not one of the allowed words, or the catalog has no part of this name.",
     "Use one of the allowed words; `clusterwright catalog` lists parts."},
    {"E0204", "The id is taken by another entry of the catalog.", "Choose another id."},
    {"E0205", "The source of a fact is not listed under \"sources\".", "List it, or correct its id."},
    // Values that contradict each other.
    {"E0301", "The accelerators do not fill every node or scale-up domain with equally many, in whole groups.",
     "Use one of the numbers that the message names, or say with job.accelerators_per_domain how many to use of each."},
    {"E0302", "The cluster is larger than the group that its top tier joins.", "Enlarge the top tier, or add one."},
    {"E0303", "The tiers of the fabric do not nest.", "Make each tier a multiple of the one below it."},
    {"E0304", "The cluster has several nodes and no network between them.",
     "Give the node NICs, a rate and a transport."},
    {"E0306", "A switch has fewer ports than the fabric needs.",
     "Take a larger switch, make groups smaller, or add a tier."},
    {"E0307", "The groups of a dragonfly cannot all be joined.",
     "Take fewer groups or more global links: there may be one group more than a group has global links."},
    {"E0308", "The sizes of the fabric do not agree with each other or with the nodes.",
     "Make the product of the torus sides equal to the nodes of a site; the number of sites must divide the nodes."},
    {"E0309", "The block with the sizes of the fabric is missing, or belongs to another kind of fabric.",
     "Give the block that has the name of the kind, and no other."},
    {"E0310",
     "A degree of parallelism does not divide what it splits, or does not suit the layers or the schedule; or "
     "dimensions "
     "of the transformer contradict each other.",
     "Choose numbers that divide each other as the message says; the layers of all stages must add up to those of the "
     "model."},
    {"E0311", "The product of the degrees of parallelism is not the number of accelerators.",
     "Change a degree or the number of accelerators; \"data\": \"auto\" uses all remaining ones."},
    {"E0312",
     "The global batch cannot be divided into the micro-batches of the plan, or exceeds max_global_batch_tokens.",
     "Change the global batch, the micro-batch or the plan."},
    {"E0313", "The value is valid, but not modelled yet.", "Use the value that the message names."},
    {"E0314", "The fitted parameters have no entry that the job needs.",
     "Choose other parameters, another precision or another stack."},
    {"E0315", "No fitted parameters are known for this accelerator.", "Give a file with --parameters."},
    {"E0316", "The fabric has fewer ports for NICs than the nodes have NICs.",
     "Add groups or switches, or take fewer accelerators."},
    {"E0317", "The size of a tier is not known.", "Give its number of accelerators, or its switch."},
    {"E0318", "A switch below the top tier has too few ports for links down and up.", "Take a larger switch."},
    {"E0319", "Rail planes are given, but a node has only one NIC.", "Use \"joined\" rails."},
    {"E0320", "Two endpoints have no working path between them.",
     "Remove a fault, or place the job on nodes that the network still joins."},
    {"E0321",
     "A fault cannot be read, or names a part that the fabric does not have or a device that the job does not use.",
     "Write spine:2, leaf:0-spine:1, leaf:0-spine:1#0 or node:5.3, each with =0.5 for half the rate; for run also "
     "node:5 or gpu:40."},
    {"E0322", "The node contradicts the catalog entry that it names.", "Leave out one of the two named fields."},
    {"E0323", "The groups of a mixed cluster contradict each other or the size of the cluster.",
     "Let `accelerators` count those of `also` and of at least one further node, all with equally many accelerators "
     "and NICs."},
    {"E0324", "The command, or a field of the job, is not modelled for nodes of several kinds yet.",
     "Ask `run`, whose kinds have equal scale-up domains and fill them; or describe one kind and leave `also` out."},
    {"E0325", "The scale-up domain does not fit the node or its torus.",
     "Let a domain hold whole nodes, or a node whole domains; the product of the torus sides must be the domain."},
    {"E0326", "The rate of a link inside the node is not known.",
     "Give scale_up_gb_per_s, or pcie with link_gb_per_s."},
    {"E0327", "The size of the data that a job reads is missing, or given twice.",
     "Give bytes_per_token or bytes_per_sample."},
    {"E0328", "A job needs a property of its hosts or its cluster that is not known.",
     "Give the named number under `node.host`, `storage` or `job.input`, or choose a node of the catalog that has it."},
    {"E0329", "A job asks for more accelerators or cores of each scale-up domain or node than one has.",
     "Reduce job.accelerators_per_domain or job.input.cores_per_accelerator, or leave it out: the job then uses as "
     "many "
     "as its groups fill, and its share of the cores."},
    {"E0330", "A group of a collective operation has fewer than two ranks.", "Use at least two ranks."},
    {"E0331", "The list of nodes cannot be read.", "Write names that end in numbers, such as gpu[001-004,7],gpu12."},
    {"E0332", "The algorithm cannot run this operation on these nodes.",
     "Choose another algorithm, or leave out the option."},
    {"E0333", "The groups need more accelerators than the cluster has.", "Reduce the ranks, the groups or the stride."},
    {"E0334", "The stride does not fit the nodes.", "Choose a divisor or a multiple of the accelerators of a node."},
    {"E0335", "A node of a list or placement does not exist, is named twice, or is missing.",
     "Name each node once; nodes are numbered from 0."},
    {"E0336", "A straggler is not in the cluster, is listed twice, or has no clock.",
     "List each accelerator once; accelerators are numbered from 0, node by node."},
    {"E0337", "The cables between two groups of a dragonfly exceed the ports of a group.",
     "Reduce links_per_group_pair or the groups, or give the switches more global links."},
    {"E0338", "File servers are on a network that has no places for them.",
     "Let hosts reach the file system over links of its own, or use a network of switches at one site."},
    {"E0339", "A value given on the command line changes nothing in this command or for this job.",
     "Leave it out, or change what the message names."},
    {"E0340", "A measurement contradicts itself or the request, or parameters were fitted for another accelerator.",
     "Measure again, correct the named number, or name the device that the file belongs to."},
    {"E0341", "There are no samples, or too few for the request.",
     "Take more with `clusterwright calibrate run`, or name other files."},
    {"E0342", "The family of a Hugging Face config.json is not known, or the model has an encoder.",
     "Use one of the named families, or write a transformer file; `clusterwright explain transformer` lists its "
     "fields."},
    {"E0343", "The numbers of a Hugging Face config.json contradict each other.", "Correct one of the named numbers."},
    {"E0346",
     "The NICs do not suit the node: too many, unevenly many, of another rate, or ports of another accelerator.",
     "Correct one of the two named fields; `clusterwright explain rules` lists what is checked."},
    {"E0347", "A NIC, a switch and the transport of the network speak different protocols.",
     "Name parts of one protocol; `clusterwright catalog nics` and `catalog switches` show theirs."},
    {"E0348", "Two values of one part contradict each other.", "Correct one of the two named values."},
    {"E0349", "A power limit is below what the machine needs, is given twice, or is no limit.",
     "Raise it, or leave one of the two out; `--cap` takes 80% or 560W."},
    // Buildings and money.
    {"E0350", "A node or switch cannot be placed in a rack: its height, mass or power is not known.",
     "Describe it under \"parts\" of the cluster, with height_u, mass_kg and max_power_kw or max_power_w."},
    {"E0351", "A facility lacks a value that planning needs.",
     "Give the value, or name a complete facility under \"like\"."},
    {"E0352", "A price list gives no price of the building, or several.",
     "Give one of these: a price of the building by power, a price by node, or a rent of space."},
    {"E0353", "The power of a server is less than that of its parts, or its own powers contradict each other.",
     "Reduce the accelerators, or give the power of a server that holds them."},
    {"E0354", "Parts of a facility contradict themselves or each other, or cannot do their work.",
     "Correct one of the two named values; `clusterwright explain rules` lists what is checked."},
    {"E0355", "The length of a training run is given twice.",
     "Give job.tokens or job.steps; a blueprint may give training_tokens instead."},
    {"E0356", "A range is upside down: low is above the value, or high below it.",
     "Write low <= value <= high, or leave out an end that is not known."},
    {"E0357", "A cluster of several sites is planned as one.", "Leave out its sites, and plan each by itself."},
    {"E0358", "A rack stands where a node is asked for, or a tray names a rack that does not exist or does not divide.",
     "Name the tray as the node's part; a tray of your own needs its rack under \"parts\" and names it as "
     "\"machine\"."},
    {"E0359", "A grid connection feeds no replica of the job.",
     "Give more power, or a layout with fewer accelerators to a replica."},
    {"E0360", "The value of a claim does not suit the kind of the claim.",
     "Write numbers as numbers, shares from 0 to 1, and scale_up, layout, fits and cooling in words."},
    {"E0361", "A blueprint makes the same claim twice.", "Keep one; audit the other one in a separate file."},
    {"E0362", "One replica of a blueprint's layout needs more accelerators than the cluster has.",
     "Describe a smaller layout or a larger cluster."},
    {"E0363", "The layout that a blueprint claims differs from the layout of its job.",
     "Give the degrees of the claim under job.parallel."},
    {"E0366", "A blueprint without a job makes a claim about a job, or states what only a prediction of one reads.",
     "Describe a transformer and a job; or leave both out and claim only what a machine has."},
    {"E0367",
     "The power over time of the job is not modelled: its groups train apart, or its nodes are of several kinds.",
     "Set job.local_steps to 1, or name one kind of nodes."},
    {"E0368", "The power budget of a rack, a row, the hall or the grid does not feed its nodes at their lowest limit.",
     "Raise the budget, or place fewer nodes there."},
    {"E0369", "No machine can be planned for a purchase.",
     "Name machines that hold the model with --on, or give the scenario a stack and a format that they run."},
    // Files and usage.
    {"E0401", "A file or directory is missing or cannot be read.",
     "Check the path; paths in a file count from that file, paths in options from the working directory."},
    {"E0402", "There is no field with this path.",
     "Use a path that `clusterwright explain` knows, for example job.parallel.tensor."},
    {"E0403", "A quantity on the command line cannot be read, or is out of range.",
     "Write 8, 16k, 8GiB, 20MW, 90d, 8..64, 8..16384x2, 8..64+8 or 8,16,32."},
    {"E0404", "An option, a command or one of their values is unknown or missing.",
     "Follow the message; `clusterwright COMMAND --help` lists options."},
    {"E0405", "A file cannot be written, is an input of the command, or is the target of two outputs.",
     "Check that its directory exists and that you may write there; give each output a file of its own."},
    // Limits.
    {"E0501", "The input is larger or more deeply nested than allowed.",
     "Make it smaller; the limits protect against hostile files."},
    {"E0502", "The step is too large or too long to simulate.",
     "Choose a smaller batch per replica, a larger micro-batch, a shorter sequence or faster links."},
    {"E0503", "An unfolded step or a timeline takes more memory than there is.",
     "Leave --unfold out, or ask for fewer accelerators or micro-batches."},
    // Faults of the program.
    {"E0901", "A result breaks a law of physics or accounting although its input was accepted.",
     "Report it with the command and its inputs: this is a bug of clusterwright, and no number of the result counts."},
};

}  // namespace

std::span<const ErrorCode> error_codes() {
  return codes;
}

bool is_of_words(const ConfigError& error) {
  const std::string& code = error.diagnostics().front().code;
  return code.starts_with("E01") || code.starts_with("E02") || code.starts_with("E04");
}

std::string error_codes_document() {
  std::string text =
      "# Error codes\n\nEvery error has one shape: code, message, place, and what would be right. A code has one "
      "meaning:\n"
      "E01xx syntax and keys, E02xx values, E03xx values that contradict each other, E04xx files and usage, E05xx "
      "limits, E09xx faults of the program.\n"
      "`clusterwright explain E0203` prints one entry, `clusterwright explain errors` this page.\n\n"
      "| code | what is wrong | what to do |\n| --- | --- | --- |\n";
  for (const ErrorCode& error : error_codes())
    text += fmt::format("| {} | {} | {} |\n", error.code, error.meaning, error.remedy);
  return text;
}

}  // namespace clusterwright
