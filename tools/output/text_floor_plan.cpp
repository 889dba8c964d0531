#include "tools/output/text_floor_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tools/output/number_text.hpp"
#include "tools/output/size_sentences.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t most_lines = 40;
constexpr std::size_t longest_line = 100;

std::vector<std::string> rows_of(const FloorPlan& floor) {
  std::vector<std::string> rows(static_cast<std::size_t>(std::max(0, floor.rows)));
  for (const PlacedRack& rack : floor.racks) {
    const auto row = static_cast<std::size_t>(rack.row), place = static_cast<std::size_t>(rack.place);
    if (row >= rows.size()) rows.resize(row + 1);
    if (place >= rows[row].size()) rows[row].resize(place + 1, '.');
    rows[row][place] = rack_letter(rack.role);
  }
  return rows;
}

/// "24C 1N 24C".
std::string counted(const std::string& row) {
  std::string text;
  for (std::size_t begin = 0; begin < row.size();) {
    const std::size_t end = std::min(row.find_first_not_of(row[begin], begin), row.size());
    text += fmt::format("{}{}{}", begin ? " " : "", end - begin, row[begin]);
    begin = end;
  }
  return text;
}

/// Rows from `first` to before `last`, which look alike.
struct Band {
  std::size_t first, last;
};

std::vector<Band> bands_of(const std::vector<std::string>& rows, bool merge) {
  std::vector<Band> bands;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (merge && !bands.empty() && rows[bands.back().first] == rows[row]) {
      bands.back().last = row + 1;
    } else {
      bands.push_back({row, row + 1});
    }
  }
  return bands;
}

std::string band_name(const Band& band) {
  return band.last - band.first == 1 ? fmt::format("{}", band.first + 1)
                                     : fmt::format("{}-{}", band.first + 1, band.last);
}

std::string legend(const FloorPlan& floor) {
  const auto counts = racks_by_role(floor);
  std::string text;
  for (std::size_t role = 0; role < counts.size(); ++role)
    if (counts[role] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", rack_letter(static_cast<RackRole>(role)),
                          rack_role_names[role]);
  return text;
}

}  // namespace

char rack_letter(RackRole role) {
  constexpr std::string_view letters = "CNXSD";
  return letters[static_cast<std::size_t>(role)];
}

std::string text_floor_plan(const FloorPlan& floor) {
  const std::vector<std::string> rows = rows_of(floor);
  const bool count = std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.size() > longest_line; });
  const std::vector<Band> bands = bands_of(rows, count || rows.size() > most_lines);
  const std::size_t shown = bands.size() > most_lines ? most_lines - 1 : bands.size();
  std::string text = fmt::format("Floor plan ({})\n", legend(floor));
  for (std::size_t i = 0; i < shown; ++i)
    text +=
        fmt::format("{:>7}  {}\n", band_name(bands[i]), count ? counted(rows[bands[i].first]) : rows[bands[i].first]);
  if (shown < bands.size())
    text += fmt::format("    ...  and {} more rows\n",
                        count_text(static_cast<long long>(rows.size() - bands[shown].first)));
  return text;
}

}  // namespace clusterwright
