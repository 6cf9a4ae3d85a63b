#!/bin/sh
# Generates the driver bindings from cuda.h and cudaProfiler.h 13.0 into src/generated/java, and the table of symbol versions.
#
#   jextract/generate.sh [CUDA_HOME]
#
# Needs jextract (with libclang 14) on the PATH, and the headers that come with nvcc. See README.md for what is replaced
# in the output and why.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cuda=${1:-${CUDA_HOME:-/usr/local/cuda-13.0}}
header=$cuda/include/cuda.h
package=dev.reprise.bindings.cuda
generated=$here/src/generated/java
folder=$generated/dev/reprise/bindings/cuda

command -v jextract >/dev/null || { echo "generate.sh: put jextract on the PATH" >&2; exit 1; }
[ -f "$header" ] || { echo "generate.sh: no $header; give the CUDA folder as the argument" >&2; exit 1; }
grep -q '^#define CUDA_VERSION 13000$' "$header" || { echo "generate.sh: $header is not of CUDA 13.0" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# One header, so that both come out as one class.
printf '#include <cuda.h>\n#include <cudaProfiler.h>\n' >"$work/driver.h"
grep '^--include' "$here/symbols.txt" >"$work/args"

rm -rf "$folder"
# The define makes cuda.h declare the ABI versions that 12.0 drivers have beside the newest ones.
jextract -D __CUDA_API_VERSION_INTERNAL -I "$cuda/include" --target-package "$package" --header-class-name cuda_h \
  --output "$generated" "@$work/args" "$work/driver.h"

# 1. Symbols come from DriverLibrary, which chooses the library and reports what is missing.
sed -i -z -E 's/SymbolLookup SYMBOL_LOOKUP = [^;]*;/SymbolLookup SYMBOL_LOOKUP = dev.reprise.bindings.DriverLibrary.symbols();/' \
  "$folder"/cuda_h*.java
# 2. A function that the driver lacks becomes a handle that throws MissingEntryPointException when it is called.
sed -i -E 's/Linker\.nativeLinker\(\)\.downcallHandle\(ADDR, DESC\)/dev.reprise.bindings.DriverLibrary.downcall(ADDR, DESC)/' \
  "$folder"/cuda_h*.java
# 3. size_t is 64 bits wide on every platform that has CUDA; C long is not.
sed -i -E '/ C_LONG = /d; s/\bC_LONG\b/C_LONG_LONG/g' "$folder"/*.java
grep -l 'libraryLookup\|loaderLookup' "$folder"/*.java && { echo "generate.sh: a symbol lookup was left in place" >&2; exit 1; }

# The n-th variant of a function (cuMemAlloc, cuMemAlloc_v2 …) belongs to the n-th version that the typedefs name.
grep -ohE 'PFN_cu[A-Za-z0-9]+_v[0-9]+\)' "$cuda/include/cudaTypedefs.h" "$cuda/include/cudaProfilerTypedefs.h" \
  | sed -E 's/PFN_(cu[A-Za-z0-9]+)_v([0-9]+)\)/\1 \2/' | sort -u -k1,1 -k2,2n >"$work/versions"
jextract -D __CUDA_API_VERSION_INTERNAL -I "$cuda/include" --dump-includes "$work/all" "$work/driver.h" 2>/dev/null
grep 'include-function cu' "$work/all" | grep -v '_pt[sd][sz]' | awk '{print $2}' | sort -u >"$work/functions"
awk '
  NR == FNR { version[$1, ++count[$1]] = $2; next }
  { base = $1; number = 1
    if (match(base, /_v[0-9]+$/)) { number = substr(base, RSTART + 2) + 0; base = substr(base, 1, RSTART - 1) }
    print base, number, $1 }
' "$work/versions" "$work/functions" | sort -k1,1 -k2,2n >"$work/ranked"
awk '
  FILENAME ~ /versions$/ { version[$1, ++count[$1]] = $2; next }
  FILENAME ~ /args$/ { wanted[$2] = 1; next }
  { rank = ++seen[$1]
    if (!(($1, rank) in version)) { print "generate.sh: no version for " $3 > "/dev/stderr"; bad = 1; next }
    if ($3 in wanted) print $3, $1, version[$1, rank] }
  END { exit bad }
' "$work/versions" "$work/args" "$work/ranked" | sort >"$work/table"
target=$here/src/main/resources/dev/reprise/bindings/driver-symbols.txt
mkdir -p "$(dirname "$target")"
{ echo "# exported symbol, name for cuGetProcAddress, CUDA version that introduced this ABI"; cat "$work/table"; } >"$target"
echo "$(ls "$folder" | wc -l) classes, $(wc -l <"$work/table") functions"
