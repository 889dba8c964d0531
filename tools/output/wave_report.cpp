// SPDX-License-Identifier: Apache-2.0
#include "tools/output/wave_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/json_writer.hpp"
#include "tools/output/html_page.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/wave_charts.hpp"
#include "tools/output/wave_json.hpp"
#include "tools/output/wave_tables.hpp"

namespace clusterwright {

namespace {

std::string title_of(const WaveAnswer& answer) {
  return fmt::format("{} on {} x {} ({}): power over time", answer.context.transformer,
                     count_text(answer.step.accelerators), answer.context.accelerator, answer.context.cluster);
}

std::string as_text(const WaveAnswer& answer) {
  std::string text = printable(title_of(answer)) + "\n" + printable(answer.context.job) + "\n\n";
  for (const std::string& sentence : wave_sentences(answer.wave)) text += sentence + "\n";
  for (const ResultTable& table : wave_tables(answer.wave, answer.stabilization.interconnection))
    text += "\n" + render_text(table);
  text += warnings_text(wave_warnings(answer));
  return text + "\nNext: " + printable(wave_next_step(answer.wave)) +
         "\nDetails: -o wave.html for charts, -o wave.csv for every sample\n";
}

std::string as_markdown(const WaveAnswer& answer) {
  std::string text = fmt::format("# {}\n\n{}\n\n", markdown_text(title_of(answer)), markdown_text(answer.context.job));
  for (const std::string& sentence : wave_sentences(answer.wave)) text += markdown_text(sentence) + "\n";
  for (const ResultTable& table : wave_tables(answer.wave, answer.stabilization.interconnection))
    text += "\n" + render_markdown(table);
  text += warnings_markdown(wave_warnings(answer));
  return text + fmt::format("\n**Next:** {}\n", markdown_text(wave_next_step(answer.wave)));
}

/// Samples of every level, one line each.
std::string as_csv(const JobWave& wave) {
  const bool held = wave.variants.size() > 1;
  std::string text = "time_s";
  for (const std::string_view level : wave_level_names) text += fmt::format(",{}_w", level);
  text += held ? ",grid_as_drawn_w\r\n" : "\r\n";
  const LoadWave& shown = wave.held().wave;
  const std::vector<double>& drawn = wave.drawn().wave.at(WaveLevel::grid).watts;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    text += fmt::format("{:.3f}", static_cast<double>(i) * wave.every.in(second));
    for (const PowerSignal& level : shown.levels) text += fmt::format(",{:.1f}", level.watts[i]);
    if (held) text += fmt::format(",{:.1f}", drawn[i]);
    text += "\r\n";
  }
  return text;
}

/// Means over a fiftieth of a second, with times from the begin of the wave.
std::string as_prometheus(const JobWave& wave) {
  constexpr double interval = 0.02;
  const auto each = static_cast<std::size_t>(std::max(1.0, std::round(interval / wave.every.in(second))));
  std::string text =
      "# HELP clusterwright_power_watts predicted power, mean of 20 ms; time from the begin of the wave\n"
      "# TYPE clusterwright_power_watts gauge\n# UNIT clusterwright_power_watts watts\n";
  for (std::size_t level = 0; level < wave_level_count; ++level) {
    const std::vector<double>& watts = wave.held().wave.levels[level].watts;
    for (std::size_t i = 0; i + each <= watts.size(); i += each) {
      double sum = 0;
      for (std::size_t k = 0; k < each; ++k) sum += watts[i + k];
      text += fmt::format("clusterwright_power_watts{{level=\"{}\"}} {:.1f} {:.3f}\n", wave_level_names[level],
                          sum / static_cast<double>(each), static_cast<double>(i) * wave.every.in(second));
    }
  }
  return text + "# EOF\n";
}

std::string page_header(const WaveAnswer& answer) {
  std::vector<std::string> sentences = wave_sentences(answer.wave);
  sentences.push_back("Next: " + wave_next_step(answer.wave));
  return fmt::format(
      "<header>\n<p class=\"kind\">Power over time</p>\n<h1>{}</h1>\n<p class=\"job\">{}</p>\n{}</header>\n",
      html_text(title_of(answer)), html_text(answer.context.job), html_verdict(sentences, !holds(answer.wave)));
}

std::string as_page(const WaveAnswer& answer) {
  std::string body = page_header(answer) + wave_sections(answer.wave);
  for (const ResultTable& table : wave_tables(answer.wave, answer.stabilization.interconnection))
    body += html_section(table.title, "", styled_table({"", table.columns, table.rows}, "wrap"));
  body += warnings_section(wave_warnings(answer)) + inputs_section(answer.context);
  return html_page(title_of(answer), wave_chart_style(), body, repeat_footer(answer.context));
}

}  // namespace

std::string render_wave(OutputFormat format, const WaveAnswer& answer) {
  switch (format) {
    case OutputFormat::json:
      return write_json(wave_to_json(answer)) + "\n";
    case OutputFormat::csv:
      return as_csv(answer.wave);
    case OutputFormat::prometheus:
      return as_prometheus(answer.wave);
    case OutputFormat::markdown:
      return as_markdown(answer);
    case OutputFormat::html:
      return as_page(answer);
    default:
      return as_text(answer);
  }
}

Warnings wave_warnings(const WaveAnswer& answer) {
  Warnings own = answer.step.warnings;
  if (!answer.step.fits) own.push_back("the job does not fit its memory: " + answer.step.verdict);
  if (!answer.step.checkpoint)
    own.emplace_back("the job states no checkpoints, so the wave has no pauses but those of --stall");
  own.emplace_back(
      "all steps are equally long: real ones vary, which spreads the lines of the spectrum and lowers each");
  own.emplace_back("no wave of a large run was measured: swings are those of the replayed step and are not validated");
  return warnings_of(answer.context.warnings, own);
}

bool holds(const JobWave& wave) {
  return std::ranges::all_of(wave.held().verdicts, &LimitVerdict::holds);
}

}  // namespace clusterwright
