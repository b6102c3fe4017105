# Builds labs, graders and the simulator; everything goes under build/. `make help` lists the targets.
#
# For one file to grade, in D = build/lab03/float/skeleton (or .../solution, or .../src-<sum of its path>):
#   student.o            the student's file as nvcc compiles it, and the same object for both workers:
#   worker-sim           student.o + binding.o + harness + libsim.a: runs on the simulator
#   worker-gpu           student.o + binding.o + harness + CUDA runtime: runs on a GPU
#   grader, build.info   the lab's grader, and what was built (key=value lines); ./grader starts it

BUILD ?= build
REAL ?= float
CC = gcc
CXX = g++
CFLAGS ?= -O2 -g
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
# As many jobs as there are processors, unless -j says otherwise: the first build is a hundred files.
ifeq ($(filter -j% --jobserver%,$(MAKEFLAGS)),)
  MAKEFLAGS += -j$(shell nproc)
endif
Q := $(if $(V),,@)

# ---- what there is -----------------------------------------------------------------------------------

LAB_FOLDERS := $(sort $(wildcard lab[0-9][0-9]_*))
LABS := $(foreach folder,$(LAB_FOLDERS),$(firstword $(subst _, ,$(folder))))
folder_of = $(filter $(1)_%,$(LAB_FOLDERS))

SIM_SOURCES := $(wildcard sim/*/*.c)
SIM_SIMD := $(filter sim/machine/exec_simd%,$(SIM_SOURCES))
# grader_*.c is the grader's, worker_*.c the worker's (worker_sim.c, worker_gpu.c: of one backend only);
# the rest of harness/ is shared.
HARNESS_SOURCES := $(wildcard harness/*.c)
GRADER_SOURCES := $(filter-out harness/worker_%,$(HARNESS_SOURCES))
WORKER_SOURCES := $(filter-out harness/grader_%,$(HARNESS_SOURCES))
WORKER_SIM_SOURCES := $(filter-out harness/worker_gpu.c,$(WORKER_SOURCES))
WORKER_GPU_SOURCES := $(filter-out harness/worker_sim.c,$(WORKER_SOURCES))

# ---- the CUDA toolkit --------------------------------------------------------------------------------

# Goals that do not need it; everything else does.
WITHOUT_CUDA := help clean format
ifneq ($(filter-out $(WITHOUT_CUDA),$(MAKECMDGOALS)),)
  TOOLKIT_ERROR := $(shell NVCC='$(NVCC)' GPU_CODE='$(GPU_CODE)' mk/toolkit write $(BUILD)/toolkit.mk 2>&1)
  ifneq ($(TOOLKIT_ERROR),)
    $(error $(TOOLKIT_ERROR))
  endif
endif
-include $(BUILD)/toolkit.mk
HAVE_CUDART := $(wildcard $(CUDA_LIB)/libcudart_static.a $(CUDA_LIB)/libcudart.so)
CUDART := $(if $(wildcard $(CUDA_LIB)/libcudart_static.a),\
    "$(CUDA_LIB)/libcudart_static.a" -ldl -lrt -lpthread,-L"$(CUDA_LIB)" -Wl,-rpath,"$(CUDA_LIB)" -lcudart -lpthread)

# ---- flags -------------------------------------------------------------------------------------------

# SANITIZE=1 is for the tests, and wants a BUILD= of its own.
comma := ,
SANITIZER := $(if $(SANITIZE),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
# WERROR= helps where a newer compiler has a new warning. Sanitizers make gcc's flow analysis warn wrongly.
WERROR ?= -Werror
C_FLAGS = -std=gnu11 -Wall -Wextra -Wformat-security $(WERROR) $(if $(SANITIZE),-Wno-format-truncation -Wno-maybe-uninitialized) \
    -I. -MMD -MP $(SANITIZER)
SIM_FLAGS = $(C_FLAGS) $(if $(SANITIZE),-O1,-O3) -g -I"$(CUDA_INCLUDE)" -ffp-contract=off -fno-math-errno
LINK_FLAGS = $(SANITIZER) $(LDFLAGS)
# worker_gpu.c sees the launches of the student's file.
WRAP_LAUNCHES = $(patsubst %,-Wl$(comma)--wrap=%,cudaLaunchKernel __cudaLaunchKernel cudaLaunchCooperativeKernel)
SIM_AVX2 = -mavx2 -mfma -mf16c -mbmi2 -DSIM_ISA=avx2
REAL_FLAGS_float =
REAL_FLAGS_double = -DREAL_DOUBLE
# PTX for compute_80, uncompressed, is what the simulator reads; machine code for the GPUs of this machine.
CUDA_TARGETS = -gencode arch=compute_80,code=compute_80 \
    $(foreach cc,$(GPU_CODE),-gencode arch=compute_$(cc),code=sm_$(cc))
NVCC_FLAGS = -O3 -std=c++17 -lineinfo -no-compress $(CUDA_TARGETS) -Xcompiler -Wall,-Wextra,-g \
    -I. -I"$(CUDA_INCLUDE)" $(NVCCFLAGS)
CC_VERSION := $(shell $(CC) --version 2>&1 | head -n 1)

# A stamp holds a command, or the names of sources, and changes only with them: what depends on it is built
# again then.
stamp_text_c = $(CC) $(CC_VERSION) $(C_FLAGS) $(CFLAGS) $(CUDA_INCLUDE) $(NVCC_VERSION)
stamp_text_sim = $(CC) $(CC_VERSION) $(SIM_FLAGS) $(SIM_AVX2) $(NVCC_VERSION)
stamp_text_nvcc = $(NVCC) $(NVCC_VERSION) $(NVCC_FLAGS)
stamp_text_link = $(CXX) $(LINK_FLAGS) $(WRAP_LAUNCHES) $(CUDART)
stamp_text_sources = $(SIM_SOURCES) $(HARNESS_SOURCES)
stamp_text_conv = $(CONV_STEPS) $(CONV_VARIANTS)
STAMPS := $(patsubst %,$(BUILD)/stamp/%,c sim nvcc link sources conv)
$(STAMPS): $(BUILD)/stamp/%: FORCE
	@mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(stamp_text_$*))' >$@.$$$$; \
	if cmp -s $@.$$$$ $@; then rm -f $@.$$$$; else mv -f $@.$$$$ $@; fi
.PHONY: FORCE

say = @$(if $(findstring s,$(firstword -$(MAKEFLAGS))),:,printf '  %-8s %s\n' '$(1)' '$(2)')

# ---- the simulator -----------------------------------------------------------------------------------

#: sim            build/sim/libsim.a, the simulator, in the place of the CUDA runtime library; and
#:                  build/sim/simcc: nvcc for programs that run on it
sim: $(BUILD)/sim/libsim.a $(BUILD)/sim/simcc

$(BUILD)/sim/simcc: mk/simcc $(BUILD)/toolkit.mk
	$(Q)mkdir -p $(@D) && sed 's|@NVCC@|$(NVCC)|; s|@TOOLKIT@|$(NVCC_VERSION)|' $< >$@ && chmod +x $@

AVX2 := $(filter x86_64,$(shell uname -m))
SIM_OBJECTS := $(SIM_SOURCES:%.c=$(BUILD)/%.o) $(if $(AVX2),$(SIM_SIMD:%.c=$(BUILD)/%.avx2.o))
$(BUILD)/sim/libsim.a: $(SIM_OBJECTS) $(BUILD)/stamp/sources
	$(call say,ar,$@)
	$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)
$(BUILD)/sim/%.o: sim/%.c $(BUILD)/stamp/sim
	$(call say,cc,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(SIM_FLAGS) -c $< -o $@
$(BUILD)/sim/%.avx2.o: sim/%.c $(BUILD)/stamp/sim
	$(call say,cc,$< (AVX2))
	$(Q)mkdir -p $(@D) && $(CC) $(SIM_FLAGS) $(SIM_AVX2) -c $< -o $@
-include $(SIM_OBJECTS:.o=.d)

ifeq ($(filter float double,$(REAL)),)
  $(error REAL=$(REAL): there are float and double)
endif
ifneq ($(SRC),)
  ifeq ($(shell test -r '$(SRC)' && echo yes),)
    $(error SRC=$(SRC): there is no such file)
  endif
endif

# ---- one lab: rules for each `real` and each file to grade -------------------------------------------

KIND := $(if $(SRC),src-$(firstword $(shell printf '%s' '$(SRC)' | cksum)),$(if $(SOLUTION),solution,skeleton))
empty :=
space := $(empty) $(empty)
escape = $(subst $(space),\ ,$(1))

# harness(real): the harness's objects.
define harness
$(BUILD)/harness/$(1)/%.o: harness/%.c $(BUILD)/stamp/c
	$$(call say,cc,$$<)
	$(Q)mkdir -p $$(@D) && $$(CC) $$(C_FLAGS) $$(CFLAGS) $(REAL_FLAGS_$(1)) -I"$(CUDA_INCLUDE)" -c $$< -o $$@
-include $(HARNESS_SOURCES:harness/%.c=$(BUILD)/harness/$(1)/%.d)
endef

# lab_objects(lab, folder, real): grader.o and binding.o, the same for every file to grade.
define lab_objects
$(BUILD)/$(1)/$(3)/%.o: $(2)/%.c $(BUILD)/stamp/c
	$$(call say,cc,$$<)
	$(Q)mkdir -p $$(@D) && $$(CC) $$(C_FLAGS) $$(CFLAGS) $(REAL_FLAGS_$(3)) -I$(2) -I"$(CUDA_INCLUDE)" -c $$< -o $$@
-include $(BUILD)/$(1)/$(3)/grader.d $(BUILD)/$(1)/$(3)/binding.d
endef

# variant(lab, folder, real, kind, file): everything for one file to grade.
define variant
$(BUILD)/$(1)/$(3)/$(4): $(BUILD)/$(1)/$(3)/$(4)/build.info
.PHONY: $(BUILD)/$(1)/$(3)/$(4)
$(BUILD)/$(1)/$(3)/$(4)/student.o: $(call escape,$(5)) $(BUILD)/stamp/nvcc
	$$(call say,nvcc,$(5))
	$(Q)mkdir -p $$(@D) && rm -f $$(@D)/build.info && "$$(NVCC)" -c $$(NVCC_FLAGS) $(REAL_FLAGS_$(3)) -I$(2) \
	    -MMD -MP -MF $$(@:.o=.d) "$(5)" -o $$@
$(BUILD)/$(1)/$(3)/$(4)/worker-sim: $(BUILD)/$(1)/$(3)/$(4)/student.o $(BUILD)/$(1)/$(3)/binding.o \
    $(WORKER_SIM_SOURCES:harness/%.c=$(BUILD)/harness/$(3)/%.o) $(BUILD)/sim/libsim.a $(BUILD)/stamp/link $(BUILD)/stamp/sources
	$$(call say,link,$$@)
	$(Q)$$(CXX) $$(LINK_FLAGS) -o $$@ $$(filter %.o %.a,$$^) -lm -lpthread
$(BUILD)/$(1)/$(3)/$(4)/worker-gpu: $(BUILD)/$(1)/$(3)/$(4)/student.o $(BUILD)/$(1)/$(3)/binding.o \
    $(WORKER_GPU_SOURCES:harness/%.c=$(BUILD)/harness/$(3)/%.o) $(BUILD)/stamp/link $(BUILD)/stamp/sources
	$$(call say,link,$$@)
	$(Q)$$(CXX) $$(LINK_FLAGS) $(WRAP_LAUNCHES) -o $$@ $$(filter %.o,$$^) $$(CUDART) -lm
$(BUILD)/$(1)/$(3)/$(4)/grader: $(BUILD)/$(1)/$(3)/grader.o \
    $(GRADER_SOURCES:harness/%.c=$(BUILD)/harness/$(3)/%.o) $(BUILD)/stamp/link $(BUILD)/stamp/sources
	$$(call say,link,$$@)
	$(Q)mkdir -p $$(@D) && $$(CC) $$(LINK_FLAGS) -o $$@ $$(filter %.o,$$^) -lm -lpthread
$(BUILD)/$(1)/$(3)/$(4)/build.info: $(addprefix $(BUILD)/$(1)/$(3)/$(4)/,\
    grader worker-sim $(if $(HAVE_CUDART),worker-gpu)) $(if $(HAVE_CUDART),$(BUILD)/calibrate)
	@printf '%s\n' 'lab=$(1)' 'root=$(CURDIR)' 'folder=$(2)' 'real=$(3)' 'source=$(5)' 'nvcc=$(NVCC)' \
	    'toolkit=$(NVCC_VERSION)' 'gpu_code=$(GPU_CODE)' \
	    'note=$(if $(HAVE_CUDART),,no CUDA runtime library in the toolkit: nothing was built for a GPU)' >$$@
-include $(BUILD)/$(1)/$(3)/$(4)/student.d
endef

# The link comes first: if the build stops with an error, ./grader must not grade what was built before.
define lab
.PHONY: $(1) $(2) current-$(1)
$(2): $(1)
$(1): $(if $(filter $(1),$(LAST_LAB)),current-$(1)) $(BUILD)/$(1)/$(REAL)/$(KIND)
	@:
current-$(1):
	@mkdir -p $(BUILD) && ln -sfn $(1)/$(REAL)/$(KIND) $(BUILD)/current
$(foreach real,float double,$(call lab_objects,$(1),$(2),$(real))
$(call variant,$(1),$(2),$(real),skeleton,$(2)/skeleton.cu)
$(call variant,$(1),$(2),$(real),solution,$(2)/solution.cu)
$(if $(SRC),$(call variant,$(1),$(2),$(real),$(KIND),$(SRC)))
)
endef

#: labNN          build one lab, to be graded by ./grader (also: make lab03_dynamic_shared)
#:                  SOLUTION=1    grade the solution
#:                  SRC=FILE.cu   grade this file in the skeleton's place
#:                  REAL=double   double precision instead of float
LAST_LAB := $(firstword $(subst _, ,$(lastword $(filter lab%,$(MAKECMDGOALS)))))
$(foreach real,float double,$(eval $(call harness,$(real))))
$(foreach name,$(LABS),$(eval $(call lab,$(name),$(call folder_of,$(name)))))
lab%:
	@echo "There is no $@; the labs are: $(LABS)." >&2; exit 2

where-%:
	@echo $(BUILD)/$*/$(REAL)/$(KIND)

#: calibrate      build/calibrate: measures a GPU's copy bandwidth and arithmetic rate
calibrate: $(BUILD)/calibrate
$(BUILD)/calibrate: calibrate/calibrate.cu $(BUILD)/stamp/nvcc $(BUILD)/stamp/link
	$(call say,nvcc,$<)
	$(Q)"$(NVCC)" $(NVCC_FLAGS) -MMD -MP -MF $@.d -c $< -o $@.o && $(CXX) $(LINK_FLAGS) -o $@ $@.o $(CUDART)
-include $(BUILD)/calibrate.d

# ---- bench/: the sums of all labs side by side, and against CUB where the toolkit has it -----------------

BENCH_LABS := $(filter lab01 lab02 lab03 lab04 lab05 lab06,$(LABS))
HAVE_CUB := $(if $(HAVE_CUDART),$(wildcard $(CUDA_INCLUDE)/cub/cub.cuh $(CUDA_INCLUDE)/cccl/cub/cub.cuh))

# bench(real)
define bench
$(BUILD)/bench/$(1)/%.o: bench/%.c $(BUILD)/stamp/c
	$$(call say,cc,$$<)
	$(Q)mkdir -p $$(@D) && $$(CC) $$(C_FLAGS) $$(CFLAGS) $(REAL_FLAGS_$(1)) -I"$(CUDA_INCLUDE)" -c $$< -o $$@
$(BUILD)/bench/$(1)/ladder-cub.o: bench/ladder.c $(BUILD)/stamp/c
	$$(call say,cc,$$< (with CUB))
	$(Q)mkdir -p $$(@D) && $$(CC) $$(C_FLAGS) $$(CFLAGS) $(REAL_FLAGS_$(1)) -DLADDER_CUB -I"$(CUDA_INCLUDE)" \
	    -c $$< -o $$@
$(BUILD)/bench/$(1)/%.o: bench/%.cu $(BUILD)/stamp/nvcc
	$$(call say,nvcc,$$<)
	$(Q)mkdir -p $$(@D) && "$$(NVCC)" -c $$(NVCC_FLAGS) $(REAL_FLAGS_$(1)) -MMD -MP -MF $$(@:.o=.d) $$< -o $$@
$(BUILD)/bench/$(1)/ladder-sim: $(BUILD)/bench/$(1)/ladder.o \
    $(BENCH_LABS:%=$(BUILD)/%/$(1)/solution/student.o) $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$$(call say,link,$$@)
	$(Q)$$(CXX) $$(LINK_FLAGS) -o $$@ $$(filter %.o %.a,$$^) -lm -lpthread
$(BUILD)/bench/$(1)/ladder-gpu: $(BUILD)/bench/$(1)/$(if $(HAVE_CUB),ladder-cub.o $(BUILD)/bench/$(1)/cub_sum.o,ladder.o) \
    $(BENCH_LABS:%=$(BUILD)/%/$(1)/solution/student.o) $(BUILD)/stamp/link
	$$(call say,link,$$@)
	$(Q)$$(CXX) $$(LINK_FLAGS) -o $$@ $$(filter %.o,$$^) $$(CUDART) -lm
$(BUILD)/bench/$(1)/against-cub: $(BUILD)/bench/$(1)/against_cub.o \
    $(BUILD)/lab04/$(1)/solution/student.o $(BUILD)/lab06/$(1)/solution/student.o $(BUILD)/stamp/link
	$$(call say,link,$$@)
	$(Q)$$(CXX) $$(LINK_FLAGS) -o $$@ $$(filter %.o,$$^) $$(CUDART) -lm
-include $(addprefix $(BUILD)/bench/$(1)/,ladder.d ladder-cub.d cub_sum.d against_cub.d)
endef
$(foreach real,float double,$(eval $(call bench,$(real))))

# The steps of labs 07 and 08 side by side: each file compiled with names of its own, and a list of them. Step 05 of
# lab 08 also with one block an SM, and with one buffer.
CONV_STEPS := $(foreach lab,lab07 lab08,$(foreach file,$(sort $(wildcard $(call folder_of,$(lab))/steps/*.cu)),\
    $(lab)_$(basename $(notdir $(file)))))
CONV_VARIANTS := $(foreach variant,one_buffer one_block one_block_one_buffer,lab08_step05_double_buffer-$(variant))
CONV_FLAGS_one_buffer = -DDOUBLE_BUFFER=0
CONV_FLAGS_one_block = -DBLOCKS_PER_SM=1
CONV_FLAGS_one_block_one_buffer = -DBLOCKS_PER_SM=1 -DDOUBLE_BUFFER=0
# A name LAB_STEP-VARIANT, with '_' for '-' in C.
conv_c_name = $(subst -,_,$(1))
# conv_step(step, real)
define conv_step
$(BUILD)/bench/$(2)/conv-$(1).o: $(call folder_of,$(firstword $(subst _, ,$(1))))/steps/$(patsubst $(firstword $(subst _, ,$(1)))_%,%,$(firstword $(subst -, ,$(1)))).cu $(BUILD)/stamp/nvcc
	$$(call say,nvcc,$$< ($(1), $(2)))
	$(Q)mkdir -p $$(@D) && "$$(NVCC)" -c $$(NVCC_FLAGS) $(REAL_FLAGS_$(2)) -I$(call folder_of,$(firstword $(subst _, ,$(1)))) \
	    -D$(firstword $(subst _, ,$(1)))_convolve=$(call conv_c_name,$(1)) -Dconvolve=kernel_$(call conv_c_name,$(1)) \
	    $(CONV_FLAGS_$(word 2,$(subst -, ,$(1)))) -MMD -MP -MF $$(@:.o=.d) $$< -o $$@
endef
conv_objects = $(patsubst %,$(BUILD)/bench/$(1)/conv-%.o,$(CONV_STEPS) $(CONV_VARIANTS))
CONV_OBJECTS := $(call conv_objects,float)
$(BUILD)/bench/conv_steps.h: $(BUILD)/stamp/conv
	@mkdir -p $(@D) && printf 'STEP(%s)\n' $(call conv_c_name,$(CONV_STEPS) $(CONV_VARIANTS)) >$@
# bench_conv(real)
define bench_conv
$(BUILD)/bench/$(1)/conv.o: private NVCCFLAGS += -I$(BUILD)/bench
$(BUILD)/bench/$(1)/conv.o: $(BUILD)/bench/conv_steps.h
$(BUILD)/bench/$(1)/conv: $(BUILD)/bench/$(1)/conv.o $(call conv_objects,$(1)) $(BUILD)/stamp/link
	$$(call say,link,$$@)
	$(Q)$$(CXX) $$(LINK_FLAGS) -o $$@ $$(filter %.o,$$^) $$(CUDART) -lm
-include $(patsubst %.o,%.d,$(call conv_objects,$(1))) $(BUILD)/bench/$(1)/conv.d
endef
$(foreach real,float double,$(foreach step,$(CONV_STEPS) $(CONV_VARIANTS),$(eval $(call conv_step,$(step),$(real))))\
    $(eval $(call bench_conv,$(real))))

#: bench-conv     every step of labs 07 and 08 against cudaMemcpy and the FP32 or FP64 rate; needs a GPU
.PHONY: bench-conv
bench-conv: $(foreach real,float double,$(BUILD)/bench/$(real)/conv)
	@$(BUILD)/bench/float/conv && $(BUILD)/bench/double/conv

#: ladder         every sum of labs 01 to 06 beside the others: measured on a GPU, else modelled
.PHONY: ladder bench-gpu
ladder: $(foreach real,float double,$(addprefix $(BUILD)/bench/$(real)/,ladder-sim $(if $(HAVE_CUDART),ladder-gpu)))
	@bench/ladder $(BUILD)/bench

#: bench-gpu      labs 04 and 06 against CUB, in float and in double; needs a GPU and a toolkit with CUB
bench-gpu: $(foreach real,float double,$(BUILD)/bench/$(real)/against-cub)
	@$(BUILD)/bench/float/against-cub && $(BUILD)/bench/double/against-cub

#: bench-sim      how fast the simulator is on this machine
.PHONY: bench-sim
$(BUILD)/bench/sim: $(BUILD)/bench/float/sim.o $(BUILD)/bench/float/sim_kernels.o $(BUILD)/sim/libsim.a \
    $(BUILD)/stamp/link
	$(call say,link,$@)
	$(Q)$(CXX) $(LINK_FLAGS) -o $@ $(filter %.o %.a,$^) -lm -lpthread
bench-sim: $(BUILD)/bench/sim
	@$<

# ---- bench/against_cublas.cu: lab 09's solution and steps against cuBLAS, where the toolkit has it ------------

MATMUL_STEPS := $(sort $(wildcard lab09_matmul_tiled/steps/*.cu))
MATMUL_NAMES := solution $(notdir $(MATMUL_STEPS:.cu=))
CUBLAS := $(wildcard $(CUDA_LIB)/libcublas.so) $(wildcard /usr/lib/x86_64-linux-gnu/libcublas.so)
HAVE_CUBLAS := $(if $(HAVE_CUDART),$(if $(wildcard $(CUDA_INCLUDE)/cublas_v2.h),$(firstword $(CUBLAS))))

# All of them define lab09_matmul: each gets a name of its own, and keeps everything else to itself (but for a
# symbol of the C++ runtime that the linker wants to share). matmul_object(name, file, real)
define matmul_object
$(BUILD)/bench/matmul/$(3)/$(1).o: $(2) lab09_matmul_tiled/lab09.h $(BUILD)/stamp/nvcc
	$$(call say,nvcc,$(2) ($(3), for bench-matmul))
	$(Q)mkdir -p $$(@D) && "$$(NVCC)" -c $$(NVCC_FLAGS) $(REAL_FLAGS_$(3)) -Ilab09_matmul_tiled $(2) -o $$@ && \
	    objcopy --redefine-sym lab09_matmul=$(1) --keep-global-symbol=$(1) \
	    --keep-global-symbol=DW.ref.__gxx_personality_v0 $$@
endef
# matmul_bench(real, program, libraries): a program that calls them all.
define matmul_bench
$(BUILD)/bench/matmul/$(1)/$(2).o: bench/$(2).cu $(BUILD)/stamp/nvcc $(MATMUL_STEPS)
	$$(call say,nvcc,$$< ($(1)))
	$(Q)mkdir -p $$(@D) && "$$(NVCC)" -c $$(NVCC_FLAGS) $(REAL_FLAGS_$(1)) \
	    '-DCONTESTANTS=$(foreach name,$(MATMUL_NAMES),CONTESTANT($(name)))' $$< -o $$@
$(BUILD)/bench/matmul/$(1)/$(2): $(MATMUL_NAMES:%=$(BUILD)/bench/matmul/$(1)/%.o) $(BUILD)/bench/matmul/$(1)/$(2).o \
    $(BUILD)/stamp/link
	$$(call say,link,$$@)
	$(Q)$$(CXX) $$(LINK_FLAGS) -o $$@ $$(filter %.o,$$^) $(3) $$(CUDART) -lm
endef
$(foreach real,float double,$(foreach file,lab09_matmul_tiled/solution.cu $(MATMUL_STEPS),$(eval $(call \
    matmul_object,$(notdir $(file:.cu=)),$(file),$(real))))$(eval $(call matmul_bench,$(real),matmul_shapes)))
$(eval $(call matmul_bench,float,against_cublas,-L"$(dir $(HAVE_CUBLAS))" -Wl$(comma)-rpath$(comma)"$(dir $(HAVE_CUBLAS))" -lcublas))

#: bench-matmul   lab 09's solution and steps: right at awkward shapes, and against cuBLAS; needs a GPU and
#:                  a toolkit with cuBLAS
.PHONY: bench-matmul
MATMUL_BENCHES := $(patsubst %,$(BUILD)/bench/matmul/%,float/matmul_shapes double/matmul_shapes float/against_cublas)
bench-matmul: $(if $(HAVE_CUBLAS),$(MATMUL_BENCHES))
	@$(if $(HAVE_CUBLAS),for program in $(MATMUL_BENCHES); do $$program || exit; done,echo "bench-matmul: this toolkit has no cuBLAS (cublas_v2.h, libcublas.so)" >&2; exit 2)

# ---- unit tests: tests/unit/test_*.c, each a cmocka program; other files there help all of them -------

UNIT_SOURCES := $(wildcard tests/unit/test_*.c)
UNIT_HELPERS := $(filter-out $(UNIT_SOURCES),$(wildcard tests/unit/*.c))
UNIT_TESTS := $(UNIT_SOURCES:%.c=$(BUILD)/%)
unit-tests: $(UNIT_TESTS)
$(UNIT_TESTS): $(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(UNIT_HELPERS:%.c=$(BUILD)/%.o) \
    $(BUILD)/tests/fuzz/ptx_survival.o \
    $(BUILD)/harness/float/libharness.a $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$(call say,link,$@)
	$(Q)$(CC) $(LINK_FLAGS) -o $@ $(filter %.o %.a,$^) -lcmocka -lm -lpthread
$(BUILD)/tests/unit/%.o: tests/unit/%.c $(BUILD)/stamp/c
	$(call say,cc,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(C_FLAGS) $(CFLAGS) -I"$(CUDA_INCLUDE)" -c $< -o $@
$(BUILD)/harness/float/libharness.a: $(HARNESS_SOURCES:harness/%.c=$(BUILD)/harness/float/%.o) $(BUILD)/stamp/sources
	$(call say,ar,$@)
	$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)
-include $(UNIT_TESTS:=.d) $(UNIT_HELPERS:%.c=$(BUILD)/%.d)

# ---- tests/fuzz/: the readers of PTX and of fat binaries, given anything ---------------------------------

# replay-X gives files to the target fuzz_X.c; fuzz-X, built by clang only, looks for files that crash it.
FUZZ_TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_PARTS = $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/ptx_survival.o $(BUILD)/sim/libsim.a
$(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/replay-%): $(BUILD)/tests/fuzz/replay-%: $(FUZZ_PARTS) \
    $(BUILD)/tests/fuzz/replay.o $(BUILD)/stamp/link
	$(call say,link,$@)
	$(Q)$(CC) $(LINK_FLAGS) -o $@ $(BUILD)/tests/fuzz/replay.o $(filter %.o %.a,$(filter-out %replay.o,$^)) -lm -lpthread
$(BUILD)/tests/fuzz/fuzz-ptx $(BUILD)/tests/fuzz/fuzz-run: $(BUILD)/tests/fuzz/mutate_ptx.o
$(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/fuzz-%): $(BUILD)/tests/fuzz/fuzz-%: $(FUZZ_PARTS) $(BUILD)/stamp/link
	$(call say,link,$@)
	$(Q)$(CC) $(LINK_FLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(filter %.a,$^) -lm -lpthread
$(BUILD)/tests/fuzz/%.o: tests/fuzz/%.c $(BUILD)/stamp/c
	$(call say,cc,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(C_FLAGS) $(CFLAGS) -I"$(CUDA_INCLUDE)" -c $< -o $@
-include $(wildcard $(BUILD)/tests/fuzz/*.d)
fuzz-replays: $(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/replay-%)
fuzz-targets: $(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/fuzz-%) fuzz-replays

# ---- CUDA programs of tests/api/, on the simulator -----------------------------------------------------

API_TESTS := $(patsubst %.cu,$(BUILD)/%,$(wildcard tests/api/*.cu))
$(API_TESTS): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$(call say,link,$@)
	$(Q)$(CXX) $(LINK_FLAGS) -o $@ $(filter %.o %.a,$^) -lm -lpthread
$(BUILD)/tests/api/%.o: tests/api/%.cu $(BUILD)/stamp/nvcc
	$(call say,nvcc,$<)
	$(Q)mkdir -p $(@D) && "$(NVCC)" -c $(NVCC_FLAGS) -MMD -MP -MF $(@:.o=.d) $< -o $@
-include $(API_TESTS:=.d)

# ---- tests/hazards/: kernels whose hazards are known ---------------------------------------------------

HAZARDS := $(patsubst %,$(BUILD)/tests/hazards/%.o,wrong right)
$(BUILD)/tests/hazards/suite $(BUILD)/tests/hazards/threads: $(BUILD)/tests/hazards/%: $(BUILD)/tests/hazards/%.o \
    $(HAZARDS) $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$(call say,link,$@)
	$(Q)$(CXX) $(LINK_FLAGS) -o $@ $(filter %.o %.a,$^) -lm -lpthread
$(BUILD)/tests/hazards/%.o: tests/hazards/%.c $(BUILD)/stamp/c
	$(call say,cc,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(C_FLAGS) $(CFLAGS) -I"$(CUDA_INCLUDE)" -c $< -o $@
$(BUILD)/tests/hazards/%.o: tests/hazards/%.cu $(BUILD)/stamp/nvcc
	$(call say,nvcc,$<)
	$(Q)mkdir -p $(@D) && "$(NVCC)" -c $(NVCC_FLAGS) -Xcompiler -Wno-unused-parameter -MMD -MP -MF $(@:.o=.d) $< -o $@
-include $(HAZARDS:.o=.d) $(BUILD)/tests/hazards/suite.d $(BUILD)/tests/hazards/threads.d

# ---- traffic of the labs' kernels, on the simulator and under Nsight Compute (tests/gpu/traffic) ---------

TRAFFIC_LABS = $(foreach lab,lab01 lab02 lab03 lab04 lab05 lab06,$(BUILD)/$(lab)/float/solution/student.o) \
    $(CONV_OBJECTS) $(MATMUL_NAMES:%=$(BUILD)/bench/matmul/float/%.o) $(BUILD)/tests/gpu/traffic_offset.o
$(BUILD)/tests/gpu/traffic_offset.o: tests/gpu/traffic_offset.cu $(BUILD)/stamp/nvcc
	$(call say,nvcc,$<)
	$(Q)mkdir -p $(@D) && "$(NVCC)" -c $(NVCC_FLAGS) $< -o $@
traffic: $(BUILD)/tests/gpu/traffic-sim $(if $(HAVE_CUDART),$(BUILD)/tests/gpu/traffic-gpu)
$(BUILD)/tests/gpu/traffic-sim.o: private TRAFFIC_FLAGS = -DON_SIMULATOR
$(BUILD)/tests/gpu/traffic-%.o: tests/gpu/traffic.c $(BUILD)/bench/conv_steps.h $(BUILD)/stamp/c $(MATMUL_STEPS)
	$(call say,cc,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(C_FLAGS) $(CFLAGS) $(TRAFFIC_FLAGS) -I$(BUILD)/bench -I"$(CUDA_INCLUDE)" \
	    '-DCONTESTANTS=$(foreach name,$(MATMUL_NAMES),CONTESTANT($(name)))' -c $< -o $@
$(BUILD)/tests/gpu/traffic-sim: $(BUILD)/tests/gpu/traffic-sim.o $(TRAFFIC_LABS) $(BUILD)/sim/libsim.a
	$(call say,link,$@)
	$(Q)$(CXX) $(LINK_FLAGS) -o $@ $^ -lm -lpthread
$(BUILD)/tests/gpu/traffic-gpu: $(BUILD)/tests/gpu/traffic-gpu.o $(TRAFFIC_LABS)
	$(call say,link,$@)
	$(Q)$(CXX) $(LINK_FLAGS) -o $@ $^ $(CUDART) -lm
-include $(wildcard $(BUILD)/tests/gpu/*.d)

# ---- tests/gpu/: the same objects linked with the simulator and with the CUDA runtime --------------------

# on_both(program, objects): build/tests/gpu/PROGRAM-sim, and PROGRAM-gpu where there is a runtime library.
define on_both
$(BUILD)/tests/gpu/$(1)-sim: $(2) $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$$(call say,link,$$@)
	$(Q)mkdir -p $$(@D) && $$(CXX) $$(LINK_FLAGS) -o $$@ $$(filter %.o %.a,$$^) -lm -lpthread
$(BUILD)/tests/gpu/$(1)-gpu: $(2) $(BUILD)/stamp/link
	$$(call say,link,$$@)
	$(Q)mkdir -p $$(@D) && $$(CXX) $$(LINK_FLAGS) -o $$@ $$(filter %.o,$$^) $$(CUDART) -lm
endef

# Instructions of compute capability 9.0 too.
OPCODES := $(BUILD)/tests/gpu/opcodes
$(OPCODES)/%.o: private CUDA_TARGETS = -gencode arch=compute_90,code=compute_90 \
    $(foreach cc,$(filter-out 5% 6% 7% 8%,$(GPU_CODE)),-gencode arch=compute_$(cc),code=sm_$(cc))
$(OPCODES)/rows.cu: tests/gpu/opcodes/table tests/gpu/opcodes/generate
	$(Q)mkdir -p $(@D) && tests/gpu/opcodes/generate $< >$@
$(OPCODES)/rows.o: $(OPCODES)/rows.cu tests/gpu/opcodes/opcodes.h $(BUILD)/stamp/nvcc
	$(call say,nvcc,$<)
	$(Q)"$(NVCC)" -c $(NVCC_FLAGS) $< -o $@
$(OPCODES)/%.o: tests/gpu/opcodes/%.cu tests/gpu/opcodes/opcodes.h $(BUILD)/stamp/nvcc
	$(call say,nvcc,$<)
	$(Q)mkdir -p $(@D) && "$(NVCC)" -c $(NVCC_FLAGS) $< -o $@
$(OPCODES)/opcodes.o: tests/gpu/opcodes/opcodes.c tests/gpu/opcodes/opcodes.h $(BUILD)/stamp/c
	$(call say,cc,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(C_FLAGS) $(CFLAGS) -I"$(CUDA_INCLUDE)" -c $< -o $@
$(eval $(call on_both,opcodes,$(addprefix $(OPCODES)/,opcodes.o rows.o warp.o)))
$(eval $(call on_both,approximations,$(OPCODES)/approximations.o))

$(BUILD)/tests/gpu/hazard.o: tests/gpu/hazard.c tests/hazards/suite.h $(BUILD)/stamp/c
	$(call say,cc,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(C_FLAGS) $(CFLAGS) -I"$(CUDA_INCLUDE)" -c $< -o $@
$(eval $(call on_both,hazard,$(BUILD)/tests/gpu/hazard.o $(addprefix $(BUILD)/tests/hazards/,wrong.o right.o)))

API_ON_GPU := $(patsubst tests/api/%.cu,api/%,$(wildcard tests/api/*.cu))
$(foreach name,$(API_ON_GPU),$(eval $(call on_both,$(name),$(BUILD)/tests/$(name).o)))

.PHONY: gpu-programs
gpu-programs: $(foreach name,opcodes approximations hazard,$(BUILD)/tests/gpu/$(name)-sim) $(if $(HAVE_CUDART),\
    $(foreach name,opcodes approximations hazard $(API_ON_GPU),$(BUILD)/tests/gpu/$(name)-gpu))

# ---- grading and testing -----------------------------------------------------------------------------

.PHONY: help sim calibrate traffic solutions skeletons unit-tests test mutants test-gpu format clean
.PHONY: fuzz fuzz-replays fuzz-targets


#: solutions      build and grade every solution: one table; fails if any of them does
#: skeletons      build and grade every skeleton: each must compile, fail, and name its first open TODO
solutions skeletons: %s: $(foreach name,$(LABS),$(BUILD)/$(name)/$(REAL)/%)
	@mk/grade-all $* $^

#: test           all tests (developers; unit tests need cmocka)
test:
	@tests/run

#: mutants        delete each barrier, fence, guard and index term in turn: is it noticed? (developers; an hour)
mutants:
	@tests/mutants

#: fuzz           look for input that crashes what reads PTX and fat binaries, or runs them (developers; needs clang)
#:                  FUZZ_SECONDS=1200  for how long
FUZZ_SECONDS ?= 1200
fuzz:
	@FUZZ_SECONDS=$(FUZZ_SECONDS) BUILD=$(BUILD) tests/fuzz/run

#: test-gpu       solutions and skeletons on this machine's GPU, ten times each, with logs in build/gpu-logs
test-gpu:
	@tests/gpu/run

#: format         clang-format every C and CUDA file (developers)
format:
	$(Q)clang-format -i $$(find sim harness common tests calibrate bench lab[0-9][0-9]_* \
	    -name samples -prune -o -name '*.[ch]' -print -o -name '*.cu' -print)

#: clean          remove build/
clean:
	$(Q)rm -rf $(BUILD)

#: help           this list; V=1 shows the commands, NVCC= names another compiler, BUILD= another folder
help:
	@echo "First, on a fresh machine: ./setup. Then, for example: make lab01 && ./grader"; \
	sed -n 's/^#: /  make /p' Makefile | sed 's/make   /       /'; echo "Labs: $(LABS)"
