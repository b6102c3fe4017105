# Benchmarks, in build/bench/: the sums of labs 01 to 06 side by side and against CUB, the steps of labs 07 and 08,
# lab 09 against cuBLAS, and the simulator's own speed.

HAVE_CUB := $(if $(HAVE_CUDART),$(wildcard $(CUDA_INCLUDE)/cub/cub.cuh $(CUDA_INCLUDE)/cccl/cub/cub.cuh))

# bench_objects: bench/*.c and bench/*.cu, for the `real` of the loop.
define bench_objects
$(BUILD)/bench/$(real)/%.o: bench/%.c $(BUILD)/stamp/c
	$$(call compile_c,$(REAL_FLAGS_$(real)))
$(BUILD)/bench/$(real)/%.o: bench/%.cu $(BUILD)/stamp/nvcc
	$$(call compile_cu,$(REAL_FLAGS_$(real)))
endef
$(foreach real,$(REALS),$(eval $(bench_objects)))
OBJECTS += $(foreach real,$(REALS),$(patsubst bench/%,$(BUILD)/bench/$(real)/%.o,\
    $(basename $(wildcard bench/*.c bench/*.cu))))

# ---- labs 01 to 06: one table of sums, and against CUB -------------------------------------------------------

BENCH_LABS := $(filter lab01 lab02 lab03 lab04 lab05 lab06,$(LABS))
# The ladder on a GPU has a row for CUB, where the toolkit has it.
define sums
$(BUILD)/bench/$(real)/ladder-cub.o: bench/ladder.c $(BUILD)/stamp/c
	$$(call compile_c,$(REAL_FLAGS_$(real)) -DLADDER_CUB, (with CUB))
$(BUILD)/bench/$(real)/ladder-sim: $(BUILD)/bench/$(real)/ladder.o \
    $(BENCH_LABS:%=$(BUILD)/%/$(real)/solution/student.o) $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$$(call link,$$(CXX),$$(SIM_LIBRARIES))
$(BUILD)/bench/$(real)/ladder-gpu: \
    $(addprefix $(BUILD)/bench/$(real)/,$(if $(HAVE_CUB),ladder-cub.o cub_sum.o,ladder.o)) \
    $(BENCH_LABS:%=$(BUILD)/%/$(real)/solution/student.o) $(BUILD)/stamp/link
	$$(call link,$$(CXX),$$(GPU_LIBRARIES))
$(BUILD)/bench/$(real)/against-cub: $(BUILD)/bench/$(real)/against_cub.o \
    $(BUILD)/lab04/$(real)/solution/student.o $(BUILD)/lab06/$(real)/solution/student.o $(BUILD)/stamp/link
	$$(call link,$$(CXX),$$(GPU_LIBRARIES))
endef
$(foreach real,$(REALS),$(eval $(sums)))
OBJECTS += $(REALS:%=$(BUILD)/bench/%/ladder-cub.o)

#: ladder         every sum of labs 01 to 06 beside the others: measured on a GPU, else modeled
.PHONY: ladder
ladder: $(foreach real,$(REALS),$(addprefix $(BUILD)/bench/$(real)/,ladder-sim $(if $(FOR_GPU),ladder-gpu)))
	@bench/ladder $(BUILD)/bench

#: bench-gpu      labs 04 and 06 against CUB, in float and in double; needs a GPU and a toolkit with CUB
.PHONY: bench-gpu
bench-gpu: $(REALS:%=$(BUILD)/bench/%/against-cub)
	@$(BUILD)/bench/float/against-cub && $(BUILD)/bench/double/against-cub

# ---- labs 07 and 08: every step in one program ---------------------------------------------------------------

# A step's name is lab08_step05_double_buffer: its lab and its file. Step 05 of lab 08 is also there with one block
# per SM, and with one buffer: lab08_step05_double_buffer-one_block. In C, '_' stands for the '-'.
CONV_STEPS := $(foreach lab,lab07 lab08,\
    $(patsubst %.cu,$(lab)_%,$(notdir $(sort $(wildcard $(call folder_of,$(lab))/steps/*.cu)))))
CONV_VARIANTS := $(addprefix lab08_step05_double_buffer-,one_buffer one_block one_block_one_buffer)
CONV_FLAGS_one_buffer = -DDOUBLE_BUFFER=0
CONV_FLAGS_one_block = -DBLOCKS_PER_SM=1
CONV_FLAGS_one_block_one_buffer = -DBLOCKS_PER_SM=1 -DDOUBLE_BUFFER=0

# Of the step of the loop: its lab, file, variant and name in C.
conv_lab = $(firstword $(subst _, ,$(step)))
conv_file = $(call folder_of,$(conv_lab))/steps/$(patsubst $(conv_lab)_%,%,$(firstword $(subst -, ,$(step)))).cu
conv_variant = $(word 2,$(subst -, ,$(step)))
conv_c_name = $(subst -,_,$(step))

# Each step is compiled with names of its own.
define conv_step
$(BUILD)/bench/$(real)/conv-$(step).o: $(conv_file) $(BUILD)/stamp/nvcc
	$$(call compile_cu,$(REAL_FLAGS_$(real)) -I$(call folder_of,$(conv_lab)) $(CONV_FLAGS_$(conv_variant)) \
	    -D$(conv_lab)_convolve=$(conv_c_name) -Dconvolve=kernel_$(conv_c_name), ($(step), $(real)))
endef
$(foreach real,$(REALS),$(foreach step,$(CONV_STEPS) $(CONV_VARIANTS),$(eval $(conv_step))))
conv_objects = $(patsubst %,$(BUILD)/bench/$(real)/conv-%.o,$(CONV_STEPS) $(CONV_VARIANTS))
OBJECTS += $(foreach real,$(REALS),$(conv_objects))

# The list of the steps, for bench/conv.cu and tests/gpu/traffic.c.
stamp_conv = $(CONV_STEPS) $(CONV_VARIANTS)
$(eval $(call stamp,conv))
$(BUILD)/bench/conv_steps.h: $(BUILD)/stamp/conv
	mkdir -p $(@D)
	printf 'STEP(%s)\n' $(foreach step,$(CONV_STEPS) $(CONV_VARIANTS),$(conv_c_name)) >$@

define conv_program
$(BUILD)/bench/$(real)/conv.o: bench/conv.cu $(BUILD)/bench/conv_steps.h $(BUILD)/stamp/nvcc
	$$(call compile_cu,$(REAL_FLAGS_$(real)) -I$(BUILD)/bench)
$(BUILD)/bench/$(real)/conv: $(BUILD)/bench/$(real)/conv.o $(conv_objects) $(BUILD)/stamp/link
	$$(call link,$$(CXX),$$(GPU_LIBRARIES))
endef
$(foreach real,$(REALS),$(eval $(conv_program)))

#: bench-conv     every step of labs 07 and 08 against cudaMemcpy and the FP32 or FP64 rate; needs a GPU
.PHONY: bench-conv
bench-conv: $(REALS:%=$(BUILD)/bench/%/conv)
	@$(BUILD)/bench/float/conv && $(BUILD)/bench/double/conv

# ---- lab 09: the solution and every step in one program, where the toolkit has cuBLAS --------------------------

MATMUL_FILES := lab09_matmul_tiled/solution.cu $(sort $(wildcard lab09_matmul_tiled/steps/*.cu))
MATMUL_NAMES := $(basename $(notdir $(MATMUL_FILES)))
# What bench/*.cu and tests/gpu/traffic.c make their tables from.
CONTESTANTS := '-DCONTESTANTS=$(foreach name,$(MATMUL_NAMES),CONTESTANT($(name)))'
stamp_matmul = $(MATMUL_NAMES)
$(eval $(call stamp,matmul))

# All files define lab09_matmul: each gets a name of its own, and keeps everything else to itself (but for a
# symbol of the C++ runtime that the linker wants to share).
matmul_name = $(basename $(notdir $(file)))
define matmul_step
$(BUILD)/bench/matmul/$(real)/$(matmul_name).o: $(file) $(BUILD)/stamp/nvcc
	$$(call compile_cu,$(REAL_FLAGS_$(real)) -Ilab09_matmul_tiled, ($(real), for bench-matmul))
	$$(call tool,objcopy) --redefine-sym lab09_matmul=$(matmul_name) --keep-global-symbol=$(matmul_name) \
	    --keep-global-symbol=DW.ref.__gxx_personality_v0 $$@
endef
$(foreach real,$(REALS),$(foreach file,$(MATMUL_FILES),$(eval $(matmul_step))))
matmul_objects = $(MATMUL_NAMES:%=$(BUILD)/bench/matmul/$(real)/%.o)
OBJECTS += $(foreach real,$(REALS),$(matmul_objects))

# The programs that call them all.
define matmul_program
$(BUILD)/bench/matmul/$(real)/$(program).o: bench/$(program).cu $(BUILD)/stamp/nvcc $(BUILD)/stamp/matmul
	$$(call compile_cu,$(REAL_FLAGS_$(real)) $$(CONTESTANTS), ($(real)))
$(BUILD)/bench/matmul/$(real)/$(program): $(BUILD)/bench/matmul/$(real)/$(program).o $(matmul_objects) \
    $(BUILD)/stamp/link
	$$(call link,$$(CXX),$$(LIBRARIES_$(program)) $$(GPU_LIBRARIES))
endef
$(foreach program,matmul_shapes,$(foreach real,$(REALS),$(eval $(matmul_program))))
$(foreach program,against_cublas,$(foreach real,float,$(eval $(matmul_program))))
MATMUL_BENCHES := $(addprefix $(BUILD)/bench/matmul/,float/matmul_shapes double/matmul_shapes float/against_cublas)
OBJECTS += $(MATMUL_BENCHES:=.o)

CUBLAS := $(wildcard $(CUDA_LIB)/libcublas.so) $(wildcard /usr/lib/x86_64-linux-gnu/libcublas.so)
HAVE_CUBLAS := $(if $(HAVE_CUDART),$(if $(wildcard $(CUDA_INCLUDE)/cublas_v2.h),$(firstword $(CUBLAS))))
LIBRARIES_against_cublas := -L"$(dir $(HAVE_CUBLAS))" -Wl,-rpath,"$(dir $(HAVE_CUBLAS))" -lcublas

#: bench-matmul   lab 09's solution and steps: right at awkward shapes, and against cuBLAS; needs a GPU and
#:                  a toolkit with cuBLAS
.PHONY: bench-matmul
ifdef HAVE_CUBLAS
bench-matmul: $(MATMUL_BENCHES)
	@for program in $(MATMUL_BENCHES); do $$program || exit; done
else
bench-matmul:
	@echo "bench-matmul: this toolkit has no cuBLAS (cublas_v2.h, libcublas.so)" >&2; exit 2
endif

# ---- single questions about a GPU, for the model of time ---------------------------------------------------------

$(BUILD)/bench/stores $(BUILD)/bench/constants $(BUILD)/bench/atomics: $(BUILD)/bench/%: $(BUILD)/bench/float/%.o $(BUILD)/stamp/link
	$(call link,$(CXX),$(GPU_LIBRARIES))

#: bench-stores   what stores cost that fill sectors in part; needs a GPU
#: bench-constants  what loads of constants cost, by the bytes that are read again and again; needs a GPU
#: bench-atomics  what atomics cost beside loads and stores, by the size of the array; needs a GPU
.PHONY: bench-stores bench-constants bench-atomics
bench-stores bench-constants bench-atomics: bench-%: $(BUILD)/bench/%
	@$<

#: measure        every figure that the texts quote, on this machine's GPU, into docs/evidence/data/; minutes. Needs CUB and cuBLAS
.PHONY: measure
measure: $(BUILD)/calibrate $(foreach lab,$(LABS),$(foreach real,$(REALS),$(BUILD)/$(lab)/$(real)/solution/build.info)) \
    $(REALS:%=$(BUILD)/bench/%/conv) $(REALS:%=$(BUILD)/bench/%/ladder-gpu) $(REALS:%=$(BUILD)/bench/%/against-cub) \
    $(BUILD)/bench/matmul/float/against_cublas
	@bench/measure $(BUILD)

#: bench-programs all of these programs, built but not run (developers)
.PHONY: bench-programs
bench-programs: $(BUILD)/bench/sim $(REALS:%=$(BUILD)/bench/%/ladder-sim) $(if $(HAVE_CUDART),$(BUILD)/bench/stores $(BUILD)/bench/constants $(BUILD)/bench/atomics \
    $(REALS:%=$(BUILD)/bench/%/conv) $(REALS:%=$(BUILD)/bench/%/ladder-gpu) \
    $(if $(HAVE_CUB),$(REALS:%=$(BUILD)/bench/%/against-cub)) $(if $(HAVE_CUBLAS),$(MATMUL_BENCHES)))
	$(nothing)

# ---- the simulator's own speed ---------------------------------------------------------------------------------

$(BUILD)/bench/sim: $(BUILD)/bench/float/sim.o $(BUILD)/bench/float/sim_kernels.o $(BUILD)/sim/libsim.a \
    $(BUILD)/stamp/link
	$(call link,$(CXX),$(SIM_LIBRARIES))

#: bench-sim      how fast the simulator is on this machine
.PHONY: bench-sim
bench-sim: $(BUILD)/bench/sim
	@$<
