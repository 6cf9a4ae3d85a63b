#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the kernels to PTX and writes their resource use.
#
#   native/build.sh           regenerates src/main/resources/dev/reprise/kernels
#   native/build.sh --check   regenerates into a temporary folder and compares; exit status 1 says what differs
#
# Needs nvcc and ptxas of CUDA 13.0 on the PATH; users of the jar need neither.
set -euo pipefail
cd "$(dirname "$0")"
export LC_ALL=C

committed=src/main/resources/dev/reprise/kernels
# compute_75 is the floor of CUDA 13 and runs on every later device.
virtual=75
# What ptxas reports for the PTX on these devices (Turing, Ampere, Hopper, Blackwell).
real="75 80 90 100"
# Nothing newer than PTX ISA 8.0 is used, so the text says so and loads on CUDA 12.0 drivers; ptxas checks the claim.
isa=8.0

case "${1:-}" in
  "") out=$committed ;;
  --check) out=$(mktemp -d); trap 'rm -rf "$out"' EXIT ;;
  *) echo "usage: native/build.sh [--check]" >&2; exit 2 ;;
esac
for tool in nvcc ptxas; do
  command -v "$tool" >/dev/null || { echo "native/build.sh: $tool is not on the PATH (CUDA Toolkit 13.0)" >&2; exit 3; }
done

mkdir -p "$out/compute_$virtual"
rm -f "$out/compute_$virtual"/*.ptx

compile() {
  local ptx="$out/compute_$virtual/$1.ptx"
  nvcc -ptx -arch="compute_$virtual" -O3 -std=c++17 -Werror all-warnings -o "$ptx.tmp" "src/main/cuda/$1.cu"
  sed "s/^\.version .*/.version $isa/" "$ptx.tmp" >"$ptx"
  rm "$ptx.tmp"
  for sm in $real; do ptxas -v -arch="sm_$sm" -o /dev/null "$ptx" 2>&1 | resources "$1" "$sm"; done >"$out/$1.use"
}

# One line a kernel from ptxas -v: module, kernel, device, registers, shared bytes, stack bytes, spill stores, spill loads.
resources() {
  awk -v module="$1" -v sm="sm_$2" -v OFS='\t' '
    function before(word,   i) { for (i = 2; i <= NF; i++) if ($i ~ "^" word) return $(i - 1); return 0 }
    /Compiling entry function/ { split($0, part, "\047"); name = part[2] }
    /bytes stack frame/ { stack = $1; stores = $5; loads = $9 }
    /Used [0-9]+ registers/ {
      shared = 0
      if (match($0, /[0-9]+ bytes smem/)) shared = substr($0, RSTART, RLENGTH) + 0
      print module, name, sm, before("registers"), shared, stack, stores, loads
    }
    /error/ { print > "/dev/stderr"; failed = 1 }
    END { exit failed }'
}

modules=$(cd src/main/cuda && ls ./*.cu | sed 's|^\./||; s|\.cu$||' | sort)
# Two at a time: most of the time goes to starting the compiler.
running=()
for module in $modules; do
  compile "$module" & running+=($!)
  if [ ${#running[@]} -eq 2 ]; then wait "${running[0]}"; running=("${running[1]}"); fi
done
for pid in "${running[@]}"; do wait "$pid"; done

# One hash for files, of their hashes and names: tells without the toolkit that the PTX was made from these sources.
hash() { (cd "$1" && sha256sum $2 | sha256sum | cut -d' ' -f1); }

{
  printf '# toolkit\t%s\n' "$(nvcc --version | sed -n 's/.*release .*, V//p')"
  printf '# sources\t%s\n' "$(hash . 'build.sh src/main/cuda/*')"
  printf '# ptx\t%s\n' "$(hash "$out" 'compute_*/*.ptx')"
  printf '# module\tkernel\tdevice\tregisters\tshared\tstack\tspill_stores\tspill_loads\n'
  for module in $modules; do sort "$out/$module.use"; rm "$out/$module.use"; done
} >"$out/resources.tsv"

if [ "$out" != "$committed" ]; then
  if diff -r -q "$committed" "$out"; then
    echo "native/build.sh: the committed PTX is what the sources give"
  else
    echo "native/build.sh: the committed PTX is stale; run native/build.sh and commit the result" >&2
    exit 1
  fi
fi
