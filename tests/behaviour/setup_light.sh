#!/bin/bash
# The light toolkit: ./setup gets it with pip, here a script that needs no network, and make finds it.
. "$(dirname "$0")/lib"
bin=$PWD/$scratch/bin
toolkit=$PWD/$scratch/toolkit
# shellcheck disable=SC2086,SC2154 # several names; from lib
tools_only "$bin" $basic_tools make gcc g++ as ld

# script NAME: a program of that name in bin, read from standard input.
script() {
    { echo '#!/bin/sh' && cat; } >"$bin/$1"
    chmod +x "$bin/$1"
}
export PIP_DOES=install
# pip, which brings scripts instead of the packages.
script python3 <<'SCRIPT'
case "$*" in
"-m pip --version") [ "$PIP_DOES" != missing ] && echo "pip 23" && exit ;;
"-c import ensurepip, venv") [ "$PIP_DOES" = missing ] && [ -n "$VENV" ] && exit ;;
"-m venv "*)
    mkdir -p "$3/bin" && ln -s "$0" "$3/bin/python"
    exit
    ;;
esac
case "$*" in "-m pip install "*--require-hashes*" -r mk/setup/packages.txt") ;; *) exit 1 ;; esac
while [ "$1" != --target ]; do shift; done
top=$2/nvidia/cu13
mkdir -p "$top/bin" "$top/lib" "$top/nvvm/bin" "$2/clang_format/data/bin" "$2/nvidia_nvvm.dist-info"
for program in bin/nvcc bin/ptxas bin/fatbinary bin/cudafe++ nvvm/bin/cicc ../../clang_format/data/bin/clang-format; do
    printf '#!/bin/sh\necho "release 13.0, V13.0.88, version 14.0"\n' >"$top/$program"
done
chmod -R +x "$top" "$2/clang_format"
case $PIP_DOES in
no-network) echo "ERROR: Could not find a version" >&2 && exit 1 ;;
broken) rm "$top/nvvm/bin/cicc" ;;
interrupted) kill -INT "$PPID" && sleep 1 ;;
killed) kill -KILL "$PPID" ;;
esac
exit 0
SCRIPT
script id <<<'echo 1000'
printf 'ID=debian\nVERSION_CODENAME=bookworm\n' >"$scratch/os-release"
bare() {
    env -i CUDA_PLACES= CUDA_LABS_TOOLKIT="$toolkit" PATH="$bin" OS_RELEASE="$scratch/os-release" DRIVER="$scratch/none" \
        PIP_DOES="$PIP_DOES" VENV="$VENV" BUILD="$scratch/build" "$@"
}
# No toolkit, and nothing else that was not there before.
nothing_left() {
    [ ! -e "$toolkit" ] || fail "$PIP_DOES: there is a toolkit"
    [ -n "$1" ] || [ ! -e "$toolkit.new" ] || fail "$PIP_DOES: something is left of it"
    expect 2 "run ./setup" bare mk/toolkit find
}

# Without root, and without a word of a password. What goes wrong leaves no toolkit; the next try begins anew.
expect 0 "mk/setup/light install $toolkit" bare ./setup --dry-run
nothing_left
for PIP_DOES in no-network broken interrupted killed; do
    bare ./setup >"$scratch/said" 2>&1 && fail "$PIP_DOES: ./setup succeeds" "$(cat "$scratch/said")"
    nothing_left "${PIP_DOES%%[!k]*}"
    ! grep -q Ready "$scratch/said" || fail "$PIP_DOES: ./setup is ready"
done
PIP_DOES=no-network
expect 2 "needs a network" bare ./setup
PIP_DOES=broken
expect 2 "does not run on this machine" bare ./setup
PIP_DOES=install
expect 0 "Ready." bare ./setup
[ ! -e "$toolkit.new" ] || fail "the killed try's files are still there"

# make finds it, and so does what looks for clang-format; a second ./setup has nothing to do; make clean leaves it.
expect 0 "$toolkit/bin/nvcc" bare mk/toolkit find
expect 0 "$toolkit/bin/clang-format" bare mk/toolkit clang-format
PIP_DOES=no-network
expect 0 "Ready." bare ./setup
expect_not "To be done"
expect 0 "" bare make clean
expect 0 "Ready." bare ./setup --light
expect_not "To be done"

# Another toolkit on PATH, or where CUDA_HOME says, goes first; one that is too old does not.
mkdir -p "$scratch/cuda/bin" "$scratch/old"
printf '#!/bin/sh\necho "release 11.5, V11.5.119"\n' >"$scratch/old/nvcc"
printf '#!/bin/sh\necho "release 12.9, V12.9.86"\n' >"$scratch/cuda/bin/nvcc"
chmod +x "$scratch/old/nvcc" "$scratch/cuda/bin/nvcc"
expect 0 "$scratch/cuda/bin/nvcc" bare env CUDA_HOME="$PWD/$scratch/cuda" mk/toolkit find
expect 0 "$toolkit/bin/nvcc" bare env PATH="$PWD/$scratch/old:$bin" mk/toolkit find

# One that is not whole, or not the one that is asked for, is fetched anew.
rm "$toolkit/bin/ptxas"
expect 2 "needs a network" bare ./setup
PIP_DOES=install
expect 0 "Ready." bare ./setup
echo "# another" >>"$toolkit/packages.txt"
expect 0 "To be done" bare ./setup

# No pip, but what makes one; then neither: the commands.
rm -r "$toolkit"
PIP_DOES=missing VENV=yes
expect 0 "Ready." bare ./setup
rm -r "$toolkit"
VENV=
expect 2 "As root, or with sudo:  ./setup" bare ./setup
nothing_left

# A folder that cannot be written.
PIP_DOES=install toolkit=/proc/toolkit
expect 2 "cannot be written to /proc" bare ./setup
