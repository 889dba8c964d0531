/// A contradiction in the description of a fabric, before the place in the user's file is known.
#pragma once

#include <string>
#include <vector>

namespace clusterwright {

struct FabricError {
  std::string code;
  std::string message;
  std::vector<std::string> pointers;  ///< JSON pointers relative to the cluster; the first is underlined
  std::string underline;
  std::string help;
};

}  // namespace clusterwright
