#!/bin/bash
# make install: simcc works where it was put when the repository is gone; make uninstall leaves nothing.
. "$(dirname "$0")/lib"
export BUILD=build/test
place="$PWD/$scratch/a place"
expect 0 "" make -s install PREFIX="/usr" DESTDIR="$place"
repository=$PWD
mkdir "$scratch/elsewhere"
cp -r tests/api/vector_add.cu common "$scratch/elsewhere"
cd "$scratch/elsewhere" || exit 1

# Nothing of what was installed names the repository, but for the compiler and ptxas, which may lie in its toolkit/.
! grep -rlF "$repository/" "$place/usr/lib/simcc/simcc" "$place/usr/bin" "$place/usr/include" |
    xargs -r grep -F "$repository/" | grep -vF "$repository/toolkit" || fail "it names the repository"
[ -z "$(find "$place" -type l -lname '/*')" ] || fail "a link leads out of it"
expect 0 "" "$place/usr/bin/simcc" -I. vector_add.cu -o vector_add
expect 0 "0 of 100003 are wrong" ./vector_add
expect 0 "" "$place/usr/bin/simcc" -shared -Xcompiler -fPIC -I. vector_add.cu -o libadd.so
# With the toolkit that built it gone, the nvcc of PATH.
sed -i 's|^built_with=.*|built_with=/no/where/nvcc|' "$place/usr/lib/simcc/simcc"
nvcc=$(sed -n 's/^NVCC := //p' "$repository/$BUILD/toolkit.mk")
expect 0 "" env PATH="$(dirname "$nvcc"):$PATH" "$place/usr/bin/simcc" -c -I. vector_add.cu -o add.o

# Headers that a C program can use.
echo '#include "sim/device/sim.h"' >use.c
echo 'int main(void) { return sim_profile_find("h100") == 0; }' >>use.c
expect 0 "" gcc -std=gnu11 -I"$place/usr/include/simcc" use.c "$place/usr/lib/simcc/libsim.a" -lm -lpthread -o use
expect 0 "" ./use
expect 0 "SIMCC_SUMMARY" cat "$place/usr/share/man/man1/simcc.1"

cd "$repository" || exit 1
expect 0 "" make -s uninstall PREFIX="/usr" DESTDIR="$place"
[ -z "$(find "$place" ! -type d)" ] || fail "left: $(find "$place" ! -type d)"

# The manual page and docs/simulator.md name every setting that the simulator and simcc read.
for name in $(grep -rhoE '"(LABS_SIM|SIMCC)_[A-Z_]+"' sim/api sim/model | tr -d '"' | sort -u) SIMCC_ARCH; do
    for page in mk/simcc.1 docs/simulator.md; do
        grep -q "\b$name\b" $page || fail "$page does not name $name"
    done
done
