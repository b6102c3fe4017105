#!/bin/bash
# Which compiler simcc runs, and where its parts are: never itself; through links, scripts, blanks in names, and packages
# that lie apart.
. "$(dirname "$0")/lib"
export BUILD=build/test
make -s sim BUILD=$BUILD || exit 1
root=$(pwd)
simcc=$root/$BUILD/sim/simcc
nvcc=$(sed -n 's/^NVCC := //p' $BUILD/toolkit.mk)
export NVCC=
cd "$scratch" || exit 1
cat >one.cu <<'END'
#include <cstdio>
__global__ void kernel(int *x) { *x = 7; }
int main()
{
    int *x;
    cudaMallocManaged(&x, 4);
    kernel<<<1, 1>>>(x);
    cudaDeviceSynchronize();
    printf("%d\n", *x);
}
END

# runs COMMAND...: compiles one.cu, with and without relocatable code, and runs it.
runs() {
    expect 0 "" "$@" one.cu -o one
    expect 0 7 ./one
    expect 0 "" "$@" -rdc=true one.cu -o one
    expect 0 7 ./one
}

# Itself: by its path, through PATH, links, scripts and a copy. That is how a Makefile is told to use simcc, and make hands
# the variable on. A build of simcc refuses it.
mkdir -p bin 'a folder'
ln -s "$simcc" bin/nvcc
ln -s ../bin/nvcc 'a folder/link'
printf '#!/bin/sh\nexec "%s" "$@"\n' "$simcc" >script
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(pwd)/script" >script2
chmod +x script script2
cp -a "$root/$BUILD/sim" copy
for itself in "$simcc" "$(pwd)/bin/nvcc" "$(pwd)/a folder/link" "$(pwd)/script" "$(pwd)/script2" "$(pwd)/copy/simcc"; do
    expect 0 "Cuda compilation tools" timeout 60 env NVCC="$itself" "$simcc" --version
done
expect 0 "" timeout 60 env PATH="$(pwd)/bin:$PATH" NVCC=nvcc "$simcc" -c one.cu
# shellcheck disable=SC2016 # for make
printf 'NVCC = nvcc\none: one.cu\n\t$(NVCC) -arch=sm_70 $< -o $@ -lcudart\n' >Makefile
expect 0 "" make NVCC="$(pwd)/script2"
expect 0 7 ./one
# A Makefile that links with g++.
# shellcheck disable=SC2016 # for make
printf 'LDFLAGS = -L/usr/local/cuda/lib64 -lcudart\ntwo: one.cu\n\t$(NVCC) -c $< -o one.o\n\tg++ -o $@ one.o $(LDFLAGS)\n' >Makefile
runtime=${simcc%/*}/runtime
expect 0 "" make NVCC="$simcc" LDFLAGS="-L$runtime -Wl,-rpath,$runtime -lcudart"
expect 0 7 ./two
# Where it would have to run itself, it says so.
sed "s|^built_with=.*|built_with=/no/where/nvcc|" "$simcc" >copy/simcc
expect 2 "/no/where/nvcc, the CUDA compiler, is not there" timeout 60 env PATH="$(pwd)/bin:/usr/bin:/bin" NVCC= copy/simcc one.cu
sed "s|^built_with=.*|built_with='$(pwd)/script'|" "$simcc" >copy/simcc
expect 2 "it cannot run itself" timeout 60 copy/simcc one.cu
for itself in "$simcc" "$(pwd)/script2"; do
    expect 2 "NVCC=$itself is simcc, or calls it" timeout 60 make -C "$root" -s BUILD=build/test/itself NVCC="$itself" sim
done
# On PATH by the name of nvcc it is passed over, where there is another one.
expect 0 "$nvcc" env PATH="$(pwd)/bin:/usr/bin:/bin" CUDA_HOME="$(dirname "$(dirname "$nvcc")")" "$root/mk/toolkit" find

# The compiler: through links and scripts, and with nothing else of it on PATH.
[ -e "$(dirname "$nvcc")/nvcc.profile" ] || exit 0 # a script of a distribution
ln -s "$nvcc" 'a folder/nvcc'
ln -s 'a folder/nvcc' second
printf '#!/bin/sh\nexec "%s" "$@"\n' "$nvcc" >script
runs env PATH=/usr/bin:/bin NVCC="$(pwd)/second" "$simcc"
expect 0 "$nvcc" env PATH=/usr/bin:/bin NVCC="$(pwd)/second" "$root/mk/toolkit" find
runs env NVCC="$(pwd)/script" "$simcc"

# As pip installs it, and with the headers in another package, or where CUDA_HOME says.
toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
parts=$(pwd)/'site packages/nvidia'
mkdir -p "$parts/cu13"
for part in bin nvvm include; do
    [ ! -d "$toolkit/$part" ] || cp -rs "$toolkit/$part" "$parts/cu13/"
done
cp --remove-destination "$toolkit/bin/nvcc" "$parts/cu13/bin/nvcc"
[ -e "$parts/cu13/include/cuda_runtime.h" ] || exit 0 # headers of a distribution
runs env NVCC="$parts/cu13/bin/nvcc" "$simcc"
# Where there is no library for kernels that launch kernels, others do without.
[ ! -e "$parts/cu13/lib/libcudadevrt.a" ] || fail "the copy was to have no libraries"
mkdir "$parts/cuda_runtime" "$parts/home"
mv "$parts/cu13/include" "$parts/cuda_runtime/"
runs env NVCC="$parts/cu13/bin/nvcc" "$simcc"
mv "$parts/cuda_runtime/include" "$parts/home/"
runs env NVCC="$parts/cu13/bin/nvcc" CUDA_HOME="$parts/home" "$simcc"
