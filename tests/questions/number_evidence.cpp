// SPDX-License-Identifier: Apache-2.0
#include "questions/number_evidence.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <sstream>

namespace clusterwright::testing {

namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// One behind the last character of the number that begins at `first`.
std::size_t end_of_number(const std::string& text, std::size_t first) {
  std::size_t end = first;
  while (end < text.size()) {
    const bool inside = (text[end] == ',' || text[end] == '.') && end + 1 < text.size() && is_digit(text[end + 1]);
    if (!is_digit(text[end]) && !inside) break;
    ++end;
  }
  return end;
}

/// Half of the last place that is written; "498,000" may stand for 498,252, "200" only for itself.
double rounding_of(const std::string& plain) {
  const std::size_t point = plain.find('.');
  if (point != std::string::npos) return 0.5 * std::pow(10, -static_cast<double>(plain.size() - point - 1));
  const std::size_t last = plain.find_last_not_of('0');
  const std::size_t zeros = last == std::string::npos ? 0 : plain.size() - last - 1;
  return 0.5 * (plain.size() >= 4 && plain.size() - zeros >= 2 ? std::pow(10, static_cast<double>(zeros)) : 1);
}

WrittenNumber written(const std::string& text) {
  std::string plain = text;
  plain.erase(std::remove(plain.begin(), plain.end(), ','), plain.end());
  return {text, std::stod(plain), rounding_of(plain)};
}

bool near(double evidence, const WrittenNumber& number) {
  constexpr double last_bit = 1e-9;
  return std::abs(evidence - number.value) <= number.rounding * (1 + last_bit);
}

double computed(double a, char sign, double b) {
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      return a / b;
  }
}

}  // namespace

std::vector<WrittenNumber> numbers_in(const std::string& text) {
  std::vector<WrittenNumber> out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at])) continue;
    const bool begins_word = at == 0 || !is_name(text[at - 1]);
    const std::size_t end = end_of_number(text, at);
    const bool ends_word = end == text.size() || !is_name(text[end]);
    if (begins_word && ends_word) out.push_back(written(text.substr(at, end - at)));
    at = end;
    while (!ends_word && at < text.size() && is_name(text[at])) ++at;
  }
  return out;
}

void NumberEvidence::add(const std::string& text, bool scaled) {
  for (const WrittenNumber& number : numbers_in(text)) (scaled ? scaled_ : exact_).push_back(number.value);
}

bool NumberEvidence::add_entry(const std::string& entry) {
  std::istringstream in(entry);
  std::string word;
  in >> word;
  const auto first = numbers_in(word);
  if (first.size() != 1) return false;
  double value = first[0].value;
  for (std::string sign; in >> sign;) {
    word.clear();
    in >> word;
    const auto operand = numbers_in(word);
    const bool known = sign.size() == 1 && std::string("+-*/").find(sign) != std::string::npos;
    if (!known || operand.size() != 1 || !bears_out(first[0]) || !bears_out(operand[0])) return false;
    value = computed(value, sign[0], operand[0].value);
  }
  exact_.push_back(value);
  return true;
}

bool NumberEvidence::bears_out(const WrittenNumber& number) const {
  constexpr std::array scales = {1.0, 1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9};
  const auto as_is = [&](double value) { return near(value, number); };
  const auto at_any_scale = [&](double value) {
    return std::any_of(scales.begin(), scales.end(), [&](double scale) { return as_is(value * scale); });
  };
  return std::any_of(exact_.begin(), exact_.end(), as_is) || std::any_of(scaled_.begin(), scaled_.end(), at_any_scale);
}

}  // namespace clusterwright::testing
