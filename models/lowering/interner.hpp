// SPDX-License-Identifier: Apache-2.0
/// Numbers for keys, from 0 on in order of first appearance.
#pragma once

#include <map>

namespace clusterwright {

/// Equal keys get equal numbers.
template <class Key>
class Interner {
 public:
  int number(const Key& key) { return numbers_.try_emplace(key, static_cast<int>(numbers_.size())).first->second; }

 private:
  std::map<Key, int> numbers_;
};

}  // namespace clusterwright
