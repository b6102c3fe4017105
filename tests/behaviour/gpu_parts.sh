#!/bin/bash
# Without a GPU nothing is built for one, and ./grader --backend gpu says what to do; GPU=1 builds it all the same, and
# so does make alone when the machine has got a GPU.
. "$(dirname "$0")/lib"
grep -q 'CUDA_LIB := .' build/test/toolkit.mk || { echo "the toolkit has no CUDA runtime library" && exit 77; }
in_copy
export BUILD=build/test NO_COLOR=1 SOLUTION=1
unset GPU GPU_CODE
d=$BUILD/lab02/float/solution
# A machine without a GPU: no driver's files, no nvidia-smi.
mkdir bin
printf '#!/bin/sh\nexit 9\n' >bin/nvidia-smi
chmod +x bin/nvidia-smi
export PATH=$PWD/bin:$PATH GPU_FILES=$PWD/nvidia0

rm -rf $d $BUILD/calibrate $BUILD/harness/roof $BUILD/harness/worker/gpu.o
expect 0 "" make lab02
for part in $d/worker-gpu $BUILD/calibrate $BUILD/harness/worker/gpu.o; do
    [ ! -e "$part" ] || fail "$part was built, without a GPU"
done
expect 2 "make lab02 GPU=1" ./grader --backend gpu
expect 0 "(simulated)" ./grader --only 'transpose: a tile'

# Asked for.
expect 0 "worker-gpu" make lab02 GPU=1
for part in $d/worker-gpu $BUILD/calibrate; do
    [ -x "$part" ] || fail "GPU=1 did not build $part"
done
output=$(./grader --backend gpu 2>&1)
expect_not "GPU=1"
expect 0 "" make -q lab02 GPU=1
expect 0 "" make -q lab02
# An old one does not stay beside a new student.o.
touch lab02_shared_memory/solution.cu
expect 0 "worker-sim" make lab02
[ ! -e $d/worker-gpu ] || fail "worker-gpu is older than student.o"

short_ends_here
# A GPU appears.
: >nvidia0
expect 0 "worker-gpu" make lab02
expect 0 "" make -q lab02
expect 0 "" make lab02 GPU=0
rm nvidia0

# Every lab can be linked with the CUDA runtime.
# shellcheck disable=SC2046 # several targets
expect 0 "" make $(for lab in lab[0-9][0-9]_*; do echo "$BUILD/${lab%%_*}"/{float,double}/solution/worker-gpu; done)
