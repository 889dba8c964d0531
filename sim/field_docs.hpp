// SPDX-License-Identifier: Apache-2.0
/// What people read about fields: one at a time, or all of them on a page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/field_spec.hpp"

namespace clusterwright {

/// What the field at a dotted path means ("job.parallel.tensor"), or the record itself for an empty path.
/// @throws ConfigError for an unknown path, with a suggestion
std::string explain_field(const RecordSpec& root, std::string_view path);

/// Reference of every field in Markdown: a section for each kind of file, then one for each type that they hold, in the
/// order of the alphabet, with links between them.
std::string reference_docs(const std::vector<FileKind>& kinds);

}  // namespace clusterwright
