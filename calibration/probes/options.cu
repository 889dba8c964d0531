// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace clusterwright::probes {
namespace {

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::string name;
  for (const char c : text + ",") {
    if (c != ',') {
      name += c;
    } else if (!name.empty()) {
      names.push_back(name);
      name.clear();
    }
  }
  if (names.empty()) throw UsageError("--only: needs at least one probe name, e.g. --only gemm,power");
  return names;
}

double number(const std::string& option, const std::string& text, double least, double most) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool parsed = !text.empty() && end == text.c_str() + text.size();
  if (!parsed || !(value >= least && value <= most)) {
    char range[64];
    std::snprintf(range, sizeof range, "%g to %g", least, most);
    throw UsageError(option + ": must be a number from " + range + " (got \"" + text + "\")");
  }
  return value;
}

std::uint64_t whole(const std::string& option, const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const std::uint64_t value = std::strtoull(text.c_str(), &end, 10);
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || errno != 0) throw UsageError(option + ": must be a whole number >= 0 (got \"" + text + "\")");
  return value;
}

/// Beyond any node is refused where it is used.
int small_whole(const std::string& option, const std::string& text) {
  return static_cast<int>(std::min<std::uint64_t>(whole(option, text), 1 << 20));
}

bool parse_suite(const std::string& text) {
  if (text != "quick" && text != "full") throw UsageError("--suite: must be quick or full (got \"" + text + "\")");
  return text == "full";
}

void set_option(Options& options, const std::string& name, const std::string& value) {
  if (name == "--suite") {
    options.full = parse_suite(value);
  } else if (name == "--only") {
    options.only = split_names(value);
  } else if (name == "--minutes") {
    options.minutes = number(name, value, 0.1, 10000);
  } else if (name == "--device") {
    options.device = small_whole(name, value);
  } else if (name == "--rank") {
    options.rank = small_whole(name, value);
  } else if (name == "--ranks") {
    options.ranks = small_whole(name, value);
  } else if (name == "--seed") {
    options.seed = whole(name, value);
  } else if (name == "--out" && !value.empty()) {
    options.out = value;
  } else {
    throw UsageError("unknown option \"" + name + "\"; see --help");
  }
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name == "--list") {
      options.list = true;
    } else if (name == "--help" || name == "-h") {
      options.help = true;
    } else if (const auto equals = name.find('='); equals != std::string::npos) {
      set_option(options, name.substr(0, equals), name.substr(equals + 1));
    } else if (name.rfind("--", 0) == 0 && i + 1 < argc) {
      set_option(options, name, argv[++i]);
    } else {
      throw UsageError("unknown option or missing value at \"" + name + "\"; see --help");
    }
  }
  if (options.minutes == 0) options.minutes = options.full ? 60 : 10;
  return options;
}

const char* usage_text() {
  return "gpu_probe: microbenchmarks of one NVIDIA GPU, printed as one JSON document of raw samples.\n"
         "  --suite quick|full   how many shapes (default quick)\n"
         "  --only NAMES         probes to run, separated by commas (see --list)\n"
         "  --minutes LIMIT      overall time budget (default 10 for quick, 60 for full)\n"
         "  --device N           CUDA device index (default 0)\n"
         "  --seed N             seed of the random operands (default 1)\n"
         "  --out FILE           write there, and again after every probe (default: standard output, once)\n"
         "  --list               name the probes and stop\n"
         "Exit: 0 done, 1 device or output lost, 2 usage, 4 time limit, 5 no GPU or driver.\n"
         "It changes no clock, power limit or mode of the GPU.\n";
}

}  // namespace clusterwright::probes
