#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails where clang-format would change a source; with --fix it changes them. Version 14, as versions differ in taste.
# Exit: 0 all is formatted, 1 it is not, 77 no clang-format 14 here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for name in clang-format-14 clang-format; do
  if command -v "$name" >/dev/null && "$name" --version | grep -q 'version 14\.'; then
    formatter=$name
    break
  fi
done
if [ -z "${formatter:-}" ]; then
  echo "format: no clang-format 14 here; skipped"
  exit 77
fi

action=(--dry-run -Werror)
[ "${1:-}" != --fix ] || action=(-i)
find sim topology models calibration tools tests examples \( -name node_modules -prune \) -o -type f \
  \( -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.h' \) -print0 2>/dev/null |
  xargs -0 -P2 -n64 "$formatter" "${action[@]}" || { echo "format: tests/house/format.sh --fix formats these"; exit 1; }
