// SPDX-License-Identifier: Apache-2.0
/// Ids that do not mix, and arrays that are indexed by one kind of id only.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// Id that comes `further` numbers after another.
template <class Tag>
constexpr Id<Tag> operator+(Id<Tag> id, long long further) {
  return Id<Tag>(static_cast<std::size_t>(id.value + further));
}
/// How many numbers one id comes after another.
template <class Tag>
constexpr int operator-(Id<Tag> id, Id<Tag> first) {
  return static_cast<int>(static_cast<long long>(id.value) - first.value);
}

/// Consecutive ids from `first` up to, not including, `end`; every `step`-th of them.
template <class IdType, std::uint32_t step = 1>
class IdRange {
 public:
  class Iterator {
   public:
    using value_type = IdType;
    using difference_type = std::ptrdiff_t;

    constexpr Iterator() = default;
    constexpr explicit Iterator(std::uint32_t at) : at_(at) {}
    constexpr IdType operator*() const { return IdType(at_); }
    constexpr Iterator& operator++() {
      at_ += step;
      return *this;
    }
    constexpr Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    std::uint32_t at_ = 0;
  };

  /// @pre  the ids from first to end are a multiple of `step`
  constexpr IdRange(std::size_t first, std::size_t end)
      : first_(static_cast<std::uint32_t>(first)), end_(static_cast<std::uint32_t>(end)) {}
  constexpr Iterator begin() const { return Iterator(first_); }
  constexpr Iterator end() const { return Iterator(end_); }
  constexpr std::size_t size() const { return (end_ - first_) / step; }

 private:
  std::uint32_t first_;
  std::uint32_t end_;
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
  IdRange<IdType> ids() const { return {0, items_.size()}; }
  bool operator==(const IndexedVector&) const = default;

 private:
  std::vector<T> items_;
};

}  // namespace clusterwright

template <class Tag>
struct std::hash<clusterwright::Id<Tag>> {
  std::size_t operator()(clusterwright::Id<Tag> id) const noexcept { return id.value; }
};
