#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles and links gpu_probe, unoptimized, and runs it where there is no GPU to be found.
#   tests/probes_link.sh [ARCH...]     default: sm_80 sm_90 sm_100
# Exit: 0 all is well, 1 it is not, 77 no nvcc here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

PATH=$PATH:/usr/local/cuda/bin
if ! nvcc=$(command -v nvcc); then
  echo "probes_link: no nvcc in PATH or /usr/local/cuda/bin; skipped"
  exit 77
fi

if [ ! -e "$(dirname "$(readlink -f "$nvcc")")/../include/cublasLt.h" ]; then
  echo "probes_link: nvcc is here, the headers of cuBLASLt are not; skipped"
  exit 77
fi

[ $# -gt 0 ] || set -- sm_80 sm_90 sm_100
architectures=$(printf '%s\n' "${@#sm_}" | sort -n | sed 's/^/sm_/' | paste -sd,)
oldest=${architectures%%,*}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export NVCC=$nvcc FOLDER=$folder
export FLAGS="-std=c++17 -Xcicc -O0 -Xptxas -O0 -Xcompiler -Wall,-Wextra"  # fast to compile; nothing is measured here

compile() {  # one object per file name on standard input, two at a time, with the options $1
  OPTIONS=$1 xargs -P2 -I{} bash -c '"$NVCC" $FLAGS $OPTIONS -c "$1" -o "$FOLDER/$(basename "$1" .cu).o"' _ {}
}
# One pass of the front end for all architectures, and none for files that hold nothing for the GPU: a third of the time.
grep -lE '__global__|__device__' calibration/probes/*.cu | compile "-gencode=arch=compute_${oldest#sm_},code=[$architectures]" || exit 1
grep -LE '__global__|__device__' calibration/probes/*.cu | compile "-x c++" || exit 1
"$nvcc" -arch="$oldest" "$folder"/*.o -lcublasLt -ldl -o "$folder/gpu_probe"
echo "probes_link: $(ls "$folder"/*.o | wc -l) files for $architectures linked by $("$nvcc" --version | grep release)"

# An empty list hides every GPU, so that the answer is the same on a machine that has one.
status=0
libraries=$(dirname "$nvcc")/../lib64
CUDA_VISIBLE_DEVICES='' LD_LIBRARY_PATH=$libraries:${LD_LIBRARY_PATH:-} "$folder/gpu_probe" >"$folder/document.json" 2>"$folder/messages" || status=$?
if [ "$status" -ne 5 ]; then
  echo "probes_link: without a GPU the exit code must be 5, not $status"
  cat "$folder/messages"
  exit 1
fi
python3 -m json.tool "$folder/document.json" >/dev/null
echo "probes_link: without a GPU it exits with 5 and a document; it said: $(cat "$folder/messages")"
