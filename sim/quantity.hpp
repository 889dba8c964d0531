// SPDX-License-Identifier: Apache-2.0
/// Quantities that know their unit: enter by naming a unit, leave by naming a unit.
///
///   const Seconds wire = 64 * mebibyte / (400 * gigabit_per_second);
///   fmt::print("{} us\n", wire.in(microsecond));
///
/// A wrong combination does not compile. What a type cannot say (per rank? one direction?) the declaration says.
#pragma once

#include <compare>

namespace clusterwright {

/// Exponents of the base dimensions.
struct Dimension {
  int time = 0;
  int energy = 0;
  int data = 0;
  int work = 0;  // floating-point operations
  int money = 0;
  int length = 0;
  int mass = 0;

  constexpr bool operator==(const Dimension&) const = default;
};

constexpr Dimension product(Dimension a, Dimension b) {
  return {a.time + b.time,   a.energy + b.energy, a.data + b.data, a.work + b.work,
          a.money + b.money, a.length + b.length, a.mass + b.mass};
}

constexpr Dimension quotient(Dimension a, Dimension b) {
  return {a.time - b.time,   a.energy - b.energy, a.data - b.data, a.work - b.work,
          a.money - b.money, a.length - b.length, a.mass - b.mass};
}

/// A double in base units (s, J, byte, FLOP, USD, m, kg) that can leave only through `in`.
template <Dimension D>
class Quantity {
 public:
  constexpr Quantity() = default;

  /// The number of `unit`s in this quantity.
  constexpr double in(Quantity unit) const { return base_ / unit.base_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator-() const { return of(-base_); }
  constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
  constexpr Quantity& operator-=(Quantity other) { return *this = *this - other; }
  constexpr Quantity& operator*=(double factor) { return *this = *this * factor; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return of(a.base_ + b.base_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return of(a.base_ - b.base_); }
  friend constexpr Quantity operator*(Quantity a, double factor) { return of(a.base_ * factor); }
  friend constexpr Quantity operator*(double factor, Quantity a) { return of(factor * a.base_); }
  friend constexpr Quantity operator/(Quantity a, double divisor) { return of(a.base_ / divisor); }

  /// For unit definitions and the product rules below only; `base` is in base units.
  static constexpr Quantity of(double base) {
    Quantity q;
    q.base_ = base;
    return q;
  }
  constexpr double base() const { return base_; }

 private:
  double base_ = 0;
};

/// Products keep track of the dimension; a dimensionless result is a plain double.
template <Dimension A, Dimension B>
constexpr auto operator*(Quantity<A> a, Quantity<B> b) {
  constexpr Dimension d = product(A, B);
  if constexpr (d == Dimension{}) {
    return a.base() * b.base();
  } else {
    return Quantity<d>::of(a.base() * b.base());
  }
}

template <Dimension A, Dimension B>
constexpr auto operator/(Quantity<A> a, Quantity<B> b) {
  constexpr Dimension d = quotient(A, B);
  if constexpr (d == Dimension{}) {
    return a.base() / b.base();
  } else {
    return Quantity<d>::of(a.base() / b.base());
  }
}

using Seconds = Quantity<Dimension{.time = 1}>;
using Joules = Quantity<Dimension{.energy = 1}>;
using Watts = Quantity<Dimension{.time = -1, .energy = 1}>;
using Bytes = Quantity<Dimension{.data = 1}>;
using BytesPerSecond = Quantity<Dimension{.time = -1, .data = 1}>;
using Flops = Quantity<Dimension{.work = 1}>;  // a count of operations, not a rate
using FlopsPerSecond = Quantity<Dimension{.time = -1, .work = 1}>;
using Hertz = Quantity<Dimension{.time = -1}>;
using Dollars = Quantity<Dimension{.money = 1}>;
using Meters = Quantity<Dimension{.length = 1}>;
using Kilograms = Quantity<Dimension{.mass = 1}>;

inline constexpr Seconds second = Seconds::of(1);
inline constexpr Seconds millisecond = 1e-3 * second;
inline constexpr Seconds microsecond = 1e-6 * second;
inline constexpr Seconds nanosecond = 1e-9 * second;
inline constexpr Seconds minute = 60 * second;
inline constexpr Seconds hour = 3600 * second;
inline constexpr Seconds day = 24 * hour;

inline constexpr Bytes byte = Bytes::of(1);
inline constexpr Bytes kilobyte = 1e3 * byte;
inline constexpr Bytes megabyte = 1e6 * byte;
inline constexpr Bytes gigabyte = 1e9 * byte;
inline constexpr Bytes terabyte = 1e12 * byte;
inline constexpr Bytes kibibyte = 1024 * byte;
inline constexpr Bytes mebibyte = 1024 * kibibyte;
inline constexpr Bytes gibibyte = 1024 * mebibyte;

inline constexpr BytesPerSecond byte_per_second = byte / second;
inline constexpr BytesPerSecond gigabyte_per_second = gigabyte / second;
inline constexpr BytesPerSecond terabyte_per_second = terabyte / second;
inline constexpr BytesPerSecond gigabit_per_second = gigabyte_per_second / 8;

inline constexpr Flops flop = Flops::of(1);
inline constexpr FlopsPerSecond teraflop_per_second = 1e12 * flop / second;

inline constexpr Joules joule = Joules::of(1);
inline constexpr Joules kilowatt_hour = 3.6e6 * joule;
inline constexpr Watts watt = joule / second;
inline constexpr Watts kilowatt = 1e3 * watt;
inline constexpr Watts megawatt = 1e6 * watt;

inline constexpr Hertz megahertz = Hertz::of(1e6);
inline constexpr Dollars dollar = Dollars::of(1);
inline constexpr Meters meter = Meters::of(1);
inline constexpr Kilograms kilogram = Kilograms::of(1);

}  // namespace clusterwright
