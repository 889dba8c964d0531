/// Ids that do not mix, and arrays that are indexed by one kind of id only.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace clusterwright {

/// Index of a `Tag`; the default is "none".
template <class Tag>
struct Id {
  static constexpr std::uint32_t none_value = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value = none_value;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}
  constexpr bool exists() const { return value != none_value; }
  constexpr auto operator<=>(const Id&) const = default;
};

/// Vector whose index is an id of one kind.
template <class IdType, class T>
class IndexedVector {
 public:
  IndexedVector() = default;
  explicit IndexedVector(std::size_t size, T value = T()) : items_(size, std::move(value)) {}

  T& operator[](IdType id) { return items_[id.value]; }
  const T& operator[](IdType id) const { return items_[id.value]; }

  /// Appends and returns the new id.
  IdType push_back(T value) {
    items_.push_back(std::move(value));
    return IdType(items_.size() - 1);
  }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void resize(std::size_t size) { items_.resize(size); }
  void assign(std::size_t size, const T& value) { items_.assign(size, value); }
  void reserve(std::size_t size) { items_.reserve(size); }
  void clear() { items_.clear(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  const std::vector<T>& items() const { return items_; }
  bool operator==(const IndexedVector&) const = default;

 private:
  std::vector<T> items_;
};

}  // namespace clusterwright
