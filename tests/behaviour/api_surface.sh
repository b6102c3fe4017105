#!/bin/bash
# libsim.a defines every function that the toolkit's cuda_runtime_api.h declares, for both default streams,
# each once: carried out (a strong symbol) or named in sim/api/api_unsupported.def (a weak one).

cd "$(dirname "$0")/../.." || exit 2
build=${API_SURFACE_BUILD:-build/test} # tests/run has built it there
make -s BUILD="$build" sim || exit 1
include=$(sed -n 's/^CUDA_INCLUDE := //p' "$build/toolkit.mk")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for mode in "" -DCUDA_API_PER_THREAD_DEFAULT_STREAM; do
    printf '#include <cuda_runtime_api.h>\n#include <cuda_profiler_api.h>\n' |
        gcc -x c -I"$include" $mode -fsyntax-only -aux-info "$work/prototypes" - || exit 1
    grep -oE '\bcuda[A-Z][A-Za-z0-9_]* \(' "$work/prototypes" | tr -d ' ('
done | sort -u >"$work/declared"

nm --defined-only "$build/sim/libsim.a" 2>/dev/null >"$work/symbols"
awk '$2 == "T" && $3 ~ /^_*cuda/ { print $3 }' "$work/symbols" | sort -u >"$work/implemented"
sed -n 's/^UNSUPPORTED(\(.*\))$/\1/p' sim/api/api_unsupported.def | sort >"$work/unsupported"

failed=0
complain() { # complain TEXT FILE: a list that should be empty
    [ -s "$2" ] || return
    echo "$1: $(paste -sd ' ' "$2")"
    failed=1
}
sort -u "$work/implemented" "$work/unsupported" >"$work/defined"
comm -23 "$work/declared" "$work/defined" >"$work/missing"
comm -12 "$work/implemented" "$work/unsupported" >"$work/both"
uniq -d "$work/unsupported" >"$work/twice"
[ "$(wc -l <"$work/declared")" -gt 250 ] || { echo "only $(wc -l <"$work/declared") functions found in $include" && failed=1; }
complain "declared in cuda_runtime_api.h, but neither carried out nor in sim/api/api_unsupported.def" "$work/missing"
complain "carried out, and also in sim/api/api_unsupported.def" "$work/both"
complain "twice in sim/api/api_unsupported.def" "$work/twice"
exit $failed
