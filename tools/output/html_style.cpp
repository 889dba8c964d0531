#include "tools/output/html_style.hpp"

namespace clusterwright {

namespace {

// Colours of causes follow Okabe and Ito (distinct for every common kind of colour blindness), in four families:
// computing is blue, communication warm, waiting green, the host and the power limit grey.
constexpr std::string_view sheet = R"css(
:root {
  color-scheme: light dark;
  --page: #f5f6f8; --surface: #ffffff; --ink: #171b21; --muted: #57606c; --rule: #e1e5ea; --faint: #f0f2f5;
  --accent: #0065a4; --band: #0072b226; --warn: #b3401a; --good: #00704f; --halo: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101318; --surface: #181c22; --ink: #e9ecf0; --muted: #a2abb7; --rule: #2c333c; --faint: #20252c;
    --accent: #62b5ee; --band: #62b5ee2b; --warn: #ff9a6b; --good: #4fcf9f; --halo: #181c22;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.55 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  -webkit-text-size-adjust: 100%;
}
main, footer { max-width: 1088px; margin: 0 auto; padding: 0 24px; }
header { padding: 56px 0 8px; }
.kind { margin: 0 0 8px; color: var(--accent); font-size: 13px; font-weight: 600; letter-spacing: .06em; text-transform: uppercase; }
h1 { margin: 0; font-size: clamp(26px, 4.4vw, 38px); line-height: 1.15; letter-spacing: -.02em; font-weight: 650; overflow-wrap: anywhere; }
.job { margin: 12px 0 0; color: var(--muted); overflow-wrap: anywhere; }
.verdict { margin: 28px 0 0; padding: 0; list-style: none; font-size: 18px; line-height: 1.5; }
.verdict li { margin: 0 0 6px; max-width: 74ch; overflow-wrap: anywhere; }
.verdict li:first-child { font-weight: 600; }
.verdict li:last-child { margin-top: 14px; padding-left: 14px; border-left: 3px solid var(--accent); }
.verdict.no li:first-child { color: var(--warn); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 28px 0 0; padding: 0; }
.tile { background: var(--surface); border: 1px solid var(--rule); border-radius: 12px; padding: 14px 16px 12px; }
.tile dt { color: var(--muted); font-size: 13px; }
.tile .figure { margin: 2px 0 0; font-size: 25px; line-height: 1.25; font-weight: 620; letter-spacing: -.01em; font-variant-numeric: tabular-nums; }
.tile small { font-size: 14px; font-weight: 500; color: var(--muted); letter-spacing: 0; }
.tile .below { margin: 3px 0 0; color: var(--muted); font-size: 13px; font-weight: 400; letter-spacing: 0; line-height: 1.4; }
section { margin: 48px 0 0; }
h2 { margin: 0 0 12px; font-size: 21px; letter-spacing: -.01em; font-weight: 640; }
.lead { margin: -8px 0 14px; color: var(--muted); max-width: 74ch; }
figure, .scroll, details { margin: 0; background: var(--surface); border: 1px solid var(--rule); border-radius: 12px; }
figure { padding: 18px 18px 14px; }
figcaption { margin-top: 8px; color: var(--muted); font-size: 14px; max-width: 84ch; }
.chart { display: block; width: 100%; height: auto; }
.chart.narrow { display: none; }
.scroll { overflow-x: auto; margin-top: 14px; }
.compact { width: fit-content; max-width: 100%; }
.compact table { min-width: min(460px, 100%); }
.scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 8px 11px; text-align: left; vertical-align: top; white-space: nowrap; }
thead th { white-space: normal; color: var(--muted); font-weight: 560; border-bottom: 1px solid var(--rule); vertical-align: bottom; line-height: 1.3; }
thead .unit { display: block; font-weight: 400; font-size: 12.5px; }
tbody th { font-weight: 600; }
tbody tr + tr > * { border-top: 1px solid var(--faint); }
td.num, th.num { text-align: right; }
td:last-child:not(.num) { white-space: normal; min-width: 190px; }
.wrap td, .wrap th { white-space: normal; }
.wrap table { min-width: 720px; }
.wrap th:first-child, .wrap td:nth-child(2) { width: 19%; }
.files td, .files tbody th { font: 13px/1.6 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
.legend { display: flex; flex-wrap: wrap; gap: 6px 18px; margin: 0 0 14px; padding: 0; list-style: none; font-size: 14px; }
.legend svg { width: 12px; height: 12px; margin-right: 7px; vertical-align: -1px; }
details { margin-top: 14px; padding: 0 16px; }
summary { padding: 12px 0; cursor: pointer; font-weight: 560; }
pre { margin: 0 0 16px; padding: 14px; overflow-x: auto; background: var(--faint); border-radius: 8px; font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
code { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; overflow-wrap: anywhere; }
footer { padding-top: 40px; padding-bottom: 56px; color: var(--muted); font-size: 14px; }
footer p { margin: 0 0 4px; }
svg text { font: 13px ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; font-variant-numeric: tabular-nums; fill: var(--muted); }
svg .strong { fill: var(--ink); font-weight: 600; }
svg .value, svg .note { fill: var(--ink); font-weight: 600; paint-order: stroke; stroke: var(--halo); stroke-width: 4px; stroke-linejoin: round; }
svg .note { font-weight: 500; }
svg .impossible { fill: var(--warn); font-size: 17px; }
svg .grid { stroke: var(--rule); }
svg .ideal { stroke: var(--muted); stroke-dasharray: 5 4; }
svg .base { stroke: var(--muted); }
svg .knee { stroke: var(--muted); stroke-dasharray: 2 3; }
svg .band { fill: var(--band); }
svg .curve { fill: none; stroke: var(--accent); stroke-width: 2.5; stroke-linejoin: round; }
svg .dot { fill: var(--accent); stroke: var(--halo); stroke-width: 1.5; }
svg .share { font-size: 12px; font-weight: 600; fill: #fff; }
.k-compute_gemm { fill: #0072b2; } .k-compute_attention { fill: #56b4e9; } .k-compute_other { fill: #9fc9e6; }
.k-optimizer { fill: #3f4fa3; } .k-recompute { fill: #8f86d1; }
.k-tp_exposed { fill: #d55e00; } .k-cp_exposed { fill: #8c4a1a; } .k-ep_exposed { fill: #f0c419; }
.k-pp_exposed { fill: #e69f00; } .k-dp_exposed { fill: #cc79a7; }
.k-bubble { fill: #009e73; } .k-imbalance { fill: #78c9a9; } .k-input_wait { fill: #b5cf6b; }
.k-launch { fill: #7f8894; } .k-throttle { fill: #a9543f; } .k-jitter { fill: #b3bac4; }
svg .k-compute_attention-ink, svg .k-compute_other-ink, svg .k-ep_exposed-ink, svg .k-pp_exposed-ink, svg .k-dp_exposed-ink,
svg .k-imbalance-ink, svg .k-input_wait-ink, svg .k-jitter-ink, svg .k-recompute-ink { fill: #101318; }
@media (max-width: 620px) {
  main, footer { padding: 0 14px; }
  header { padding-top: 32px; }
  .verdict { font-size: 17px; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .tile { padding: 12px; }
  .tile .figure { font-size: 21px; }
  figure { padding: 14px 10px 12px; }
  th, td { padding: 7px 10px; }
  .chart.wide { display: none; }
  .chart.narrow { display: block; }
}
@media print {
  :root {
    color-scheme: light;
    --page: #fff; --surface: #fff; --ink: #000; --muted: #444; --rule: #bbb; --faint: #ddd;
    --accent: #0065a4; --band: #0072b226; --warn: #a03000; --good: #005c40; --halo: #fff;
  }
  @page { margin: 16mm 14mm; }
  body { font-size: 11pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  main, footer { max-width: none; padding: 0; }
  header { padding-top: 0; }
  section { margin-top: 26px; }
  figure, .tile, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .tiles { grid-template-columns: repeat(4, 1fr); }
  .scroll { overflow: visible; border: 0; }
  table { font-size: 7.5pt; }
  th, td { padding: 3px 4px; white-space: normal; }
  thead th { font-size: 6.8pt; overflow-wrap: anywhere; }
  td:last-child:not(.num) { min-width: 0; }
  .wrap table { min-width: 0; }
  .files td { overflow-wrap: anywhere; font-size: 7.5pt; }
  .chart.narrow, details { display: none; }
  .chart.wide { display: block; }
}
)css";

}  // namespace

std::string_view html_style() {
  return sheet;
}

}  // namespace clusterwright
