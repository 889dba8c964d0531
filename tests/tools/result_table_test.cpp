// SPDX-License-Identifier: Apache-2.0
#include "tools/output/result_table.hpp"

#include "support/catch.hpp"
#include "tools/output/output_text.hpp"

using namespace clusterwright;

namespace {

ResultTable two_sizes() {
  return {"Power",
          {{"name", "Name", "", 1, -1, Alignment::left}, {"gpus", "GPUs", ""}, {"power_w", "Power", "MW", 1e-6, 2}},
          {{"first", 8, 9876.0}, {"second", 16384, {}}}};
}

}  // namespace

TEST_CASE("a text table lines up numbers at their right and scales them", "[tools]") {
  CHECK(render_text(two_sizes()) ==
        "Power\n"
        "Name      GPUs  Power\n"
        "                   MW\n"
        "------  ------  -----\n"
        "first        8   0.01\n"
        "second  16,384      \xe2\x80\x93\n");
}

TEST_CASE("CSV keeps full precision, unit in the key, and leaves the unknown empty", "[tools]") {
  CHECK(render_csv(two_sizes()) == "name,gpus,power_w\r\nfirst,8,9876\r\nsecond,16384,\r\n");
}

TEST_CASE("Markdown aligns by column and escapes what would be markup", "[tools]") {
  ResultTable table = two_sizes();
  table.rows = {{"a|b<c>*", 8, 1e6}};
  CHECK(render_markdown(table) ==
        "### Power\n\n| Name | GPUs | Power (MW) |\n| --- | ---: | ---: |\n| a\\|b&lt;c\\>\\* | 8 | 1.00 |\n");
}

TEST_CASE("HTML cells carry the exact number beside the rounded one", "[tools]") {
  const std::string html = render_html(two_sizes());
  CHECK(html.find("<td class=\"num\" data-value=\"9876\" data-label=\"Power (MW)\">0.01</td>") != std::string::npos);
  CHECK(html.find("<th scope=\"row\">first</th>") != std::string::npos);
}

TEST_CASE("long texts continue on the next line of their column", "[tools]") {
  const std::string words(20, 'w');
  const ResultTable table{"",
                          {{"a", "A", ""}, {"b", "B", "", 1, -1, Alignment::left}},
                          {{1, words + " " + words + " " + words + " " + words}}};
  // 3 x 20 + 2 blanks = 62 fit into 64 columns, the fourth does not
  CHECK(render_text(table).find("\n   " + words + "\n") != std::string::npos);
}

TEST_CASE("an empty table is its head alone", "[tools]") {
  const ResultTable table{"", {{"gpus", "GPUs", ""}}, {}};
  CHECK(render_text(table) == "GPUs\n----\n");
  CHECK(render_csv(table) == "gpus\r\n");
}

TEST_CASE("wide characters, marks and invalid bytes keep the columns straight", "[tools]") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("\xe9\x9b\xbb\xe5\x8a\x9b") == 4);  // two CJK characters
  CHECK(display_width("e\xcc\x81") == 1);                 // e and a combining acute accent
  CHECK(display_width("\xc2\xb5s") == 2);                 // micro sign
  CHECK(display_width("\xff") == 1);
}

TEST_CASE("control characters never leave: escape sequences, line breaks, bidirectional overrides", "[tools]") {
  CHECK(printable("a\033[31mred\007b") == "a[31mredb");
  CHECK(printable("one\ntwo\tthree\r") == "one two three ");
  CHECK(printable("x\xe2\x80\xaey") == "xy");  // right-to-left override
  CHECK(printable("\xc2\x9b"
                  "31m") == "31m");                                            // CSI as one character
  CHECK(printable("\xc0\xaf") == "\xef\xbf\xbd\xef\xbf\xbd");                  // overlong form
  CHECK(printable("\xed\xa0\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // surrogate
}

TEST_CASE("CSV fields: quotes are doubled, formulas become text, numbers stay", "[tools]") {
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"hi\"") == "\"say \"\"hi\"\"\"");
  CHECK(csv_field("=1+1") == "'=1+1");
  CHECK(csv_field("=HYPERLINK(\"x\",1)") == "\"'=HYPERLINK(\"\"x\"\",1)\"");
  CHECK(csv_field("@sum") == "'@sum");
  CHECK(csv_field("-cmd") == "'-cmd");
  CHECK(csv_field("-1.5e-3") == "-1.5e-3");
  CHECK(csv_field("+7") == "+7");
  CHECK(csv_field("-") == "'-");
  CHECK(csv_field("") == "");
}

TEST_CASE("HTML text cannot leave its element or attribute", "[tools]") {
  CHECK(html_text("<script>alert('1')</script>") == "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;");
  CHECK(html_text("\" onload=\"x & y") == "&quot; onload=&quot;x &amp; y");
}

TEST_CASE("numbers for people: significant digits, thousands, no powers of ten, no minus zero", "[tools]") {
  CHECK(significant_text(0.00312345) == "0.003123");
  CHECK(significant_text(4.5678) == "4.568");
  CHECK(significant_text(1234567.8) == "1,234,568");
  CHECK(significant_text(0) == "0");
  CHECK(fixed_text(-0.001, 2) == "0.00");
  CHECK(fixed_text(-1234.5, 1) == "-1,234.5");
  CHECK(count_text(999) == "999");
  CHECK(count_text(100000) == "100,000");
  CHECK(percent_text(0.1234) == "12.3 %");
  CHECK(exact_text(0.1) == "0.1");
}
