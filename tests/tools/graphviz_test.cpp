// SPDX-License-Identifier: Apache-2.0
// Networks as Graphviz text, read back by a small parser of the language's undirected subset.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "support/ids.hpp"
#include "support/program_room.hpp"
#include "support/shipped_clusters.hpp"
#include "tools/output/network_picture.hpp"
#include "tools/output/topology_facts.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

struct DotEdge {
  std::string from, to;
  std::map<std::string, std::string> attributes;
};

struct Dot {
  std::string title;
  std::map<std::string, std::map<std::string, std::string>> vertices;
  std::vector<DotEdge> edges;
  int frames = 0;
};

/// Reads graph, subgraph, attribute and edge statements. Anything else is a failed test, and so is a name that was not
/// declared with attributes before it is used.
class DotParser {
 public:
  explicit DotParser(const std::string& text) : text_(text) {}

  Dot parse() {
    expect("graph");
    dot_.title = word();
    block();
    CHECK(peek().empty());
    return dot_;
  }

 private:
  std::string peek() {
    const std::size_t at = at_;
    std::string next = token();
    at_ = at;
    return next;
  }

  /// A quoted text keeps its opening quote, so that it differs from a bare word.
  std::string token() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (at_ == text_.size()) return {};
    if (text_[at_] == '"') return quoted();
    if (text_.compare(at_, 2, "--") == 0) return text_.substr(std::exchange(at_, at_ + 2), 2);
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  std::string("._").find(text_[at_]) != std::string::npos))
      ++at_;
    if (at_ == begin) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string quoted() {
    std::string out = "\"";
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') out += text_[at_++];
      REQUIRE(text_[at_] != '\n');
      out += text_[at_];
    }
    REQUIRE(at_ < text_.size());
    ++at_;
    return out;
  }

  void expect(const std::string& wanted) { REQUIRE(token() == wanted); }

  std::string word() {
    std::string next = token();
    REQUIRE_FALSE(next.empty());
    return next[0] == '"' ? next.substr(1) : next;
  }

  std::map<std::string, std::string> attributes() {
    std::map<std::string, std::string> out;
    if (peek() != "[") return out;
    expect("[");
    while (peek() != "]") {
      const std::string key = word();
      expect("=");
      out[key] = word();
      if (peek() == ",") token();
    }
    expect("]");
    return out;
  }

  void block() {
    expect("{");
    while (peek() != "}") statement();
    expect("}");
    if (peek() == ";") token();
  }

  void statement() {
    const std::string next = peek();
    if (next == "{") return block();
    if (next == "subgraph") {
      token();
      CHECK(word().starts_with("cluster"));
      ++dot_.frames;
      return block();
    }
    const std::string first = word();
    if (peek() == "=") {
      token();
      word();
    } else if (next[0] != '"') {
      REQUIRE((first == "graph" || first == "node"));
      attributes();
    } else if (peek() == "--") {
      token();
      const std::string second = word();
      CHECK(dot_.vertices.count(first) == 1);
      CHECK(dot_.vertices.count(second) == 1);
      dot_.edges.push_back({first, second, attributes()});
    } else if (const auto found = attributes(); found.empty()) {
      CHECK(dot_.vertices.count(first) == 1);
    } else {
      CHECK(dot_.vertices.emplace(first, found).second);  // declared once
    }
    expect(";");
  }

  const std::string& text_;
  std::size_t at_ = 0;
  Dot dot_;
};

Dot read_dot(const std::string& text) {
  return DotParser(text).parse();
}

Dot drawn(const Cluster& cluster, const std::optional<Network>& network) {
  return read_dot(graphviz_text(network_picture(cluster, network ? &network->graph : nullptr)));
}

Dot drawn(const std::string& name) {
  const Cluster cluster = shipped_cluster(name);
  return drawn(cluster, network_of(cluster));
}

/// The number before a word: 8 in "rails 0-7\n8 x 400G", 1 where none stands there.
long long number_before(std::string label, const std::string& word) {
  label.erase(std::remove(label.begin(), label.end(), ','), label.end());
  const std::size_t at = label.find(word);
  if (at == std::string::npos) return 1;
  std::size_t begin = at;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(label[begin - 1]))) --begin;
  return std::stoll(label.substr(begin, at - begin));
}

long long cables(const Dot& dot) {
  long long sum = 0;
  for (const DotEdge& edge : dot.edges) sum += number_before(edge.attributes.at("label"), " x ");
  for (const auto& [name, attributes] : dot.vertices)
    if (has(attributes.at("label"), " cables inside")) sum += number_before(attributes.at("label"), " cables inside");
  return sum;
}

std::string label_between(const Dot& dot, const std::string& a, const std::string& b) {
  for (const DotEdge& edge : dot.edges)
    if (edge.from == a && edge.to == b) return edge.attributes.at("label");
  FAIL("no line from " << a << " to " << b);
  return {};
}

}  // namespace

TEST_CASE("text is quoted so that it stays text", "[graphviz]") {
  CHECK(graphviz_quoted("leaf 0") == "\"leaf 0\"");
  CHECK(graphviz_quoted("a \"b\" \\c") == "\"a \\\"b\\\" \\\\c\"");
  CHECK(graphviz_quoted("two\nlines") == "\"two\\nlines\"");
  CHECK(graphviz_quoted("") == "\"\"");
  Picture picture;
  picture.title = "} evil \"graph\" \\";
  picture.vertices = {{"a\"]; b", "x\ny", 0}, {"\\", "z", 1}};
  picture.edges = {{0, 1, "\"", false}};
  const Dot dot = read_dot(graphviz_text(picture));
  CHECK(dot.vertices.size() == 2);
  CHECK(dot.edges.size() == 1);
}

TEST_CASE("every shipped cluster is a readable picture in which no cable is lost", "[graphviz]") {
  for (const std::string& name : shipped_cluster_names()) {
    INFO(name);
    const Cluster cluster = shipped_cluster(name);
    const std::optional<Network> network = network_of(cluster);
    const Dot dot = drawn(cluster, network);
    CHECK(dot.title == cluster.spec.name);
    CHECK_FALSE(dot.vertices.empty());
    CHECK(dot.vertices.size() <= most_picture_vertices);
    CHECK(dot.edges.size() <= most_picture_lines);
    CHECK(cables(dot) == (network ? static_cast<long long>(network->graph.cables()) : 0));
  }
}

TEST_CASE("a small network is drawn node by node, rails at its lines", "[graphviz]") {
  const Cluster few = resized(shipped_cluster("h100-superpod"), 32);
  const Dot dot = drawn(few, network_of(few));
  CHECK(dot.vertices.size() == 4 + 8 + 4);  // 8 leaves x 32 cables up / 64 ports: 4 spines
  CHECK(has(dot.vertices.at("node 0").at("label"), "8 x H100-SXM"));
  std::set<std::string> labels;
  for (const DotEdge& edge : dot.edges)
    if (edge.from == "node 0") labels.insert(edge.attributes.at("label"));
  CHECK(labels.size() == 8);
  CHECK(labels.count("rail 3\\n400G") == 1);
}

TEST_CASE("parallel cables are one line", "[graphviz]") {
  CHECK(label_between(drawn("mi300x-64"), "node 0", "leaf 0") == "8 x 400G");
  const Dot pcie = drawn("a100-pcie");
  CHECK(pcie.edges.size() == 4);
  CHECK(label_between(pcie, "node 0", "leaf 0") == "2 x 200G");
}

TEST_CASE("a tree of 16,384 GPUs is folded by its groups", "[graphviz]") {
  const Dot dot = drawn("h100-3tier");
  CHECK(dot.vertices.size() == 8 + 8 + 8 + 1);  // nodes, leaves and spines of 8 groups, cores
  const std::string label = dot.vertices.at("node 256-511").at("label");
  CHECK(has(label, "256 nodes"));
  CHECK(has(label, "2,048 x H100-SXM"));
  CHECK(label_between(dot, "node 0-255", "leaf 0 and 63 more") == "2,048 x 400G");
}

TEST_CASE("cables between switches of one box are counted in it", "[graphviz]") {
  const Dot dot = drawn("frontier");  // in halves of 37 groups
  CHECK(dot.vertices.size() == 2 + 2);
  // 37 x (32 x 31 / 2) local, and what is left of half of the 10,804 global ones: (10,804 - 37 x 37 x 4) / 2.
  CHECK(has(dot.vertices.at("switch 0 and 1183 more").at("label"), "21,016 cables inside"));
  CHECK(label_between(dot, "switch 0 and 1183 more", "switch 1184 and 1183 more") == "5,476 x 200G");
}

TEST_CASE("what failed is drawn as failed", "[graphviz]") {
  const Cluster cluster = shipped_cluster("a100-pcie");
  std::optional<Network> network = network_of(cluster);
  network->graph.fail_link(network->graph.leaving(network->graph.endpoint(2_node, 1)).front());
  const Dot dot = drawn(cluster, network);
  REQUIRE(dot.edges.size() == 5);
  const auto failed = std::find_if(dot.edges.begin(), dot.edges.end(),
                                   [](const DotEdge& edge) { return edge.attributes.count("style") == 1; });
  REQUIRE(failed != dot.edges.end());
  CHECK(failed->from == "node 2");
  CHECK(failed->attributes.at("label") == "rail 1\\nfailed");
  CHECK(failed->attributes.at("style") == "dashed");
}

TEST_CASE("a rack that acts as one is framed, and one node is one box", "[graphviz]") {
  CHECK(drawn("gb200-nvl72").frames == 1);
  CHECK(drawn("gb200-nvl72-9racks").frames == 0);  // folded: a box holds whole racks
  const Dot alone = drawn("h100-single-node");
  CHECK(alone.vertices.size() == 1);
  CHECK(alone.edges.empty());
  CHECK(alone.frames == 0);
}

TEST_CASE("show writes a picture by format and by suffix", "[cli][graphviz]") {
  const ProgramRoom room;
  const std::string file = "'" CLUSTERWRIGHT_CONFIGS "/clusters/a100-pcie.json' ";
  const Outcome outcome = room.run("show " + file + "--format dot --fail leaf:0");
  REQUIRE(outcome.code == 0);
  const Dot dot = read_dot(outcome.out);
  CHECK(dot.vertices.size() == 5);
  for (const DotEdge& edge : dot.edges) CHECK(edge.attributes.at("label") == "2 failed");
  REQUIRE(room.run("show " + file + "-o a.dot -o a.gv -o a.json").code == 0);
  CHECK(has(room.run("check a.dot").err, "error"));  // it is there, and no configuration
  const std::string scenario = "'" CLUSTERWRIGHT_CONFIGS "/scenarios/llama3-405b-h100.json' ";
  CHECK_FALSE(read_dot(room.run("show " + scenario + "--format dot").out).vertices.empty());
}
