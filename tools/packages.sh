# SPDX-License-Identifier: Apache-2.0
# Debian and Ubuntu packages, and how to get them. Read by tools/quickstart and tools/test: `source tools/packages.sh`.

build_packages=(cmake ninja-build g++ ccache libfmt-dev nlohmann-json3-dev libcli11-dev libboost-graph-dev libeigen3-dev
  libtbb-dev libpugixml-dev libssl-dev)
test_packages=(catch2 librapidcheck-dev libbenchmark-dev libsimgrid-dev python3 universal-ctags clang-format-14)
# Only for looking at reports in a real browser; tests that need them skip themselves without.
browser_packages=(nodejs npm chromium)

say() { printf '\n== %s\n' "$*"; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "these packages need root, and sudo is missing: $*" >&2
    return 1
  fi
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# missing PACKAGE...: prints those that are not installed.
missing() {
  local package
  for package in "$@"; do
    installed "$package" || printf '%s\n' "$package"
  done
}

# Ubuntu's chromium is an empty package that fetches a snap: no use here.
is_snap() { apt-cache show "$1" 2>/dev/null | grep -qi 'snap'; }

update_lists() {
  [ -n "${lists_updated:-}" ] && return
  as_root apt-get update -qq
  lists_updated=1
}

apt_install() { as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }

# ensure_packages PACKAGE...: installs what is missing; touches no network where nothing is.
ensure_packages() {
  local wanted
  mapfile -t wanted < <(missing "$@")
  if [ ${#wanted[@]} -eq 0 ]; then
    echo "packages: all there"
    return
  fi
  if ! command -v apt-get >/dev/null; then
    echo "this is no Debian or Ubuntu; install what corresponds to: ${wanted[*]}" >&2
    return 1
  fi
  echo "packages: installing ${wanted[*]}"
  update_lists
  apt_install "${wanted[@]}"
}

# ensure_optional PACKAGE...: the same one by one; what cannot be had is named and left out.
ensure_optional() {
  local package wanted
  mapfile -t wanted < <(missing "$@")
  for package in "${wanted[@]}"; do
    if ! command -v apt-get >/dev/null || ! update_lists; then
      echo "packages: $package is left out"
    elif is_snap "$package"; then
      echo "packages: $package is left out (only a snap here)"
    elif apt_install "$package"; then
      echo "packages: installed $package"
    else
      echo "packages: $package is left out (could not be installed)"
    fi
  done
}
