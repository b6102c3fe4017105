# Programs of the tests, in build/tests/; tests/run builds and runs them. For developers.

OBJECTS += $(patsubst %,$(BUILD)/%.o,$(basename $(wildcard $(foreach folder,unit fuzz api hazards litmus gpu,\
    tests/$(folder)/*.c tests/$(folder)/*.cu))))

# C and CUDA files of tests/ are compiled alike, but for what follows further down.
$(BUILD)/tests/%.o: private OPTIMIZE = $(COLD)
# These two run for longer than it takes to optimize them.
$(BUILD)/tests/unit/test_hazard_random.o $(BUILD)/tests/fuzz/fuzz_mailbox.o: private OPTIMIZE = -O1
# Reports name the lines of what allocates, in programs of C, too.
$(BUILD)/tests/%.o: private DEBUG_INFO = -g1
$(BUILD)/tests/%.o: private OPTIMIZE_HOST = -O0
$(BUILD)/tests/%.o: tests/%.c $(BUILD)/stamp/c
	$(call compile_c)
$(BUILD)/tests/%.o: tests/%.cu $(BUILD)/stamp/nvcc
	$(call compile_cu)

# ---- tests/unit/: the cmocka tests, one program: it would take longer to link 85 than to run them ----------------

# Each test_*.c has its main, which is called test_..._main in the program (tests/unit/unit.c); the other files help all of them.
UNIT_TESTS := $(sort $(basename $(notdir $(wildcard tests/unit/test_*.c))))
UNIT_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/unit/unit.c,$(wildcard tests/unit/*.c)))
.PHONY: unit-tests
unit-tests: $(BUILD)/tests/unit/unit
	$(nothing)
$(UNIT_TESTS:%=$(BUILD)/tests/unit/%.o): $(BUILD)/tests/unit/%.o: tests/unit/%.c $(BUILD)/stamp/c
	$(call compile_c,-Dmain=$*_main -Dthe_lab=$*_lab)
stamp_unit = $(UNIT_TESTS)
$(eval $(call stamp,unit))
$(BUILD)/tests/unit/unit.o: tests/unit/unit.c $(BUILD)/stamp/c $(BUILD)/stamp/unit
	$(call compile_c,-DUNIT_TESTS='$(foreach name,$(UNIT_TESTS),X($(name)))')
$(BUILD)/tests/unit/unit: $(BUILD)/tests/unit/unit.o $(UNIT_OBJECTS) $(BUILD)/tests/fuzz/ptx_survival.o \
    $(BUILD)/harness/float/libharness.a $(BUILD)/sim/libsim-internals.a $(BUILD)/stamp/link
	$(call link,$(CC),-lcmocka $(SIM_LIBRARIES))
$(BUILD)/harness/float/libharness.a: $(foreach real,float,$(call harness_objects,$(HARNESS_SOURCES))) $(PICTURE_OBJECTS) \
    $(BUILD)/stamp/harness_sources
	$(archive)

# ---- tests/fuzz/: what reads PTX, fat binaries, mailboxes and records, given anything -------------------------

# replay-X gives files to the target fuzz_X.c; fuzz-X, built by clang only, looks for files that crash it.
FUZZ_TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_REPLAYS := $(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/replay-%)
FUZZ_PROGRAMS := $(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/fuzz-%)
FUZZ_PARTS := $(BUILD)/tests/fuzz/ptx_survival.o $(BUILD)/harness/float/libharness.a $(BUILD)/sim/libsim-internals.a \
    $(BUILD)/stamp/link
.PHONY: fuzz-replays fuzz-targets
fuzz-replays: $(FUZZ_REPLAYS)
	$(nothing)
fuzz-targets: $(FUZZ_PROGRAMS) $(FUZZ_REPLAYS)
	$(nothing)
$(FUZZ_REPLAYS): $(BUILD)/tests/fuzz/replay-%: $(BUILD)/tests/fuzz/replay.o $(BUILD)/tests/fuzz/fuzz_%.o $(FUZZ_PARTS)
	$(call link,$(CC),$(SIM_LIBRARIES))
$(FUZZ_PROGRAMS): $(BUILD)/tests/fuzz/fuzz-%: $(BUILD)/tests/fuzz/fuzz_%.o $(FUZZ_PARTS)
	$(call link,$(CC),-fsanitize=fuzzer $(SIM_LIBRARIES))
$(BUILD)/tests/fuzz/fuzz-ptx $(BUILD)/tests/fuzz/fuzz-run: $(BUILD)/tests/fuzz/mutate_ptx.o

# ---- tests/differential/: random kernels, on the simulator and on a scalar interpreter --------------------------

DIFFERENTIAL := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/differential/*.c))
OBJECTS += $(DIFFERENTIAL)
$(BUILD)/tests/differential/differential: $(DIFFERENTIAL) $(BUILD)/sim/libsim-internals.a $(BUILD)/stamp/link
	$(call link,$(CC),$(SIM_LIBRARIES))

# ---- tests/api/ and tests/hazards/: CUDA programs on the simulator ---------------------------------------------

API_TESTS := $(patsubst %.cu,$(BUILD)/%,$(wildcard tests/api/*.cu))
$(API_TESTS): %: %.o $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$(call link,$(CXX),$(SIM_LIBRARIES))

# Files of kernels are compiled several at once, since most of a file's time goes to headers, and libcu++ takes four times that; kernels.h
# with its short names comes after all of them. Of the plain ones there is code without optimization, too: as a debugger wants it, and with all variables in local memory.
HAZARD_PLAIN := $(patsubst %,tests/hazards/%.cu,wrong wrong_global wrong_barriers wrong_undefined right right_global right_undefined)
HAZARD_RIGHT := $(filter-out $(HAZARD_PLAIN),$(wildcard tests/hazards/right*.cu))
HAZARD_WRONG := $(filter-out $(HAZARD_PLAIN),$(wildcard tests/hazards/wrong*.cu))
HAZARDS := $(patsubst %,$(BUILD)/tests/hazards/%.o,plain more_right more_wrong)
HAZARDS_UNOPTIMISED := $(patsubst %,$(BUILD)/tests/hazards/plain-%.o,debug O0)
OBJECTS += $(HAZARDS) $(HAZARDS_UNOPTIMISED)
$(BUILD)/tests/hazards/plain.cu: $(HAZARD_PLAIN)
$(BUILD)/tests/hazards/more_right.cu: $(HAZARD_RIGHT)
$(BUILD)/tests/hazards/more_wrong.cu: $(HAZARD_WRONG)
$(HAZARDS:.o=.cu):
	mkdir -p $(@D)
	{ grep -h '^#include' $^ | grep -v kernels.h | sort -u; printf '#include "%s"\n' $^; } >$@
$(HAZARDS): %.o: %.cu $(BUILD)/stamp/nvcc
	$(call compile_cu,-Xcompiler -Wno-unused-parameter)
$(HAZARDS_UNOPTIMISED): $(BUILD)/tests/hazards/plain-%.o: $(BUILD)/tests/hazards/plain.cu $(BUILD)/stamp/nvcc
	$(call compile_cu,$(if $(filter debug,$*),-G,-Xcicc -O0) -Xcompiler -Wno-unused-parameter)
$(BUILD)/tests/hazards/suite $(BUILD)/tests/hazards/threads: %: %.o $(HAZARDS) $(BUILD)/tests/hazards/pending.o \
    $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$(call link,$(CXX),$(SIM_LIBRARIES))
$(BUILD)/tests/hazards/suite-debug $(BUILD)/tests/hazards/suite-O0: $(BUILD)/tests/hazards/suite-%: $(BUILD)/tests/hazards/suite.o \
    $(BUILD)/tests/hazards/plain-%.o $(filter-out %/plain.o,$(HAZARDS)) $(BUILD)/tests/hazards/pending.o $(BUILD)/sim/libsim.a \
    $(BUILD)/stamp/link
	$(call link,$(CXX),$(SIM_LIBRARIES))
LABELLED := $(patsubst %.cu,$(BUILD)/%.o,$(wildcard tests/hazards/scor/*.cu tests/hazards/indigo/*.cu))
OBJECTS += $(LABELLED)
$(BUILD)/tests/hazards/table: %: %.o $(LABELLED) $(BUILD)/tests/hazards/pending.o $(BUILD)/sim/libsim.a \
    $(BUILD)/stamp/link
	$(call link,$(CXX),$(SIM_LIBRARIES))

# ---- tests/litmus/: the memory model, and the simulator beside it ------------------------------------------------

LITMUS := $(BUILD)/tests/litmus
LITMUS_TESTS := $(sort $(wildcard tests/litmus/*.litmus))
LITMUS_MODEL := $(patsubst %,$(LITMUS)/%.o,read read_op events execution enumerate interleave)
OBJECTS += $(LITMUS)/kernels.o
$(LITMUS)/oracle $(LITMUS)/generate: %: %.o $(LITMUS_MODEL) $(BUILD)/stamp/link
	$(call link,$(CC))
$(LITMUS)/kernels.cu: $(LITMUS)/generate $(LITMUS_TESTS)
	$< $(LITMUS_TESTS) >$@
$(LITMUS)/kernels.o: $(LITMUS)/kernels.cu $(BUILD)/stamp/nvcc
	$(call compile_cu)
$(LITMUS)/simulate: $(addprefix $(LITMUS)/,simulate.o launch.o kernels.o) $(LITMUS_MODEL) $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$(call link,$(CXX),$(SIM_LIBRARIES))

# ---- tests/gpu/: the same objects linked with the simulator and with the CUDA runtime --------------------------

# on_both: build/tests/gpu/$(program)-sim and -gpu, from $(objects).
define on_both
$(BUILD)/tests/gpu/$(program)-sim: $(objects) $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$$(call link,$$(CXX),$$(SIM_LIBRARIES))
$(BUILD)/tests/gpu/$(program)-gpu: $(objects) $(BUILD)/stamp/link
	$$(call link,$$(CXX),$$(GPU_LIBRARIES))
endef

# Every instruction of PTX that the simulator has, those of compute capability 9.0 too.
OPCODES := $(BUILD)/tests/gpu/opcodes
OBJECTS += $(addprefix $(OPCODES)/,opcodes.o rows.o warp.o approximations.o)
$(OPCODES)/%.o: private CUDA_TARGETS = -gencode arch=compute_90,code=compute_90 \
    $(foreach cc,$(filter-out 5% 6% 7% 8%,$(GPU_CODE)),-gencode arch=compute_$(cc),code=sm_$(cc))
$(OPCODES)/rows.cu: tests/gpu/opcodes/table tests/gpu/opcodes/generate
	mkdir -p $(@D)
	tests/gpu/opcodes/generate $< >$@
$(OPCODES)/rows.o: $(OPCODES)/rows.cu $(BUILD)/stamp/nvcc
	$(call compile_cu)
program := opcodes
objects := $(addprefix $(OPCODES)/,opcodes.o rows.o warp.o)
$(eval $(on_both))
program := approximations
objects := $(OPCODES)/approximations.o
$(eval $(on_both))
program := hazard
objects := $(BUILD)/tests/gpu/hazard.o $(HAZARDS)
$(eval $(on_both))
program := litmus
objects := $(BUILD)/tests/gpu/litmus.o $(addprefix $(LITMUS)/,launch.o kernels.o) $(LITMUS_MODEL)
$(eval $(on_both))
API_PROGRAMS := $(patsubst tests/%.cu,%,$(wildcard tests/api/*.cu))
$(foreach program,$(API_PROGRAMS),$(foreach objects,$(BUILD)/tests/$(program).o,$(eval $(on_both))))

# Something else that uses the GPU, for tests/gpu/busy.
$(BUILD)/tests/gpu/hog: $(BUILD)/tests/gpu/hog.o $(BUILD)/stamp/link
	$(call link,$(CXX),$(GPU_LIBRARIES))

.PHONY: gpu-programs
gpu-programs: $(patsubst %,$(BUILD)/tests/gpu/%-sim,opcodes approximations hazard litmus) \
    $(if $(FOR_GPU),$(patsubst %,$(BUILD)/tests/gpu/%-gpu,opcodes approximations hazard litmus $(API_PROGRAMS)))
	$(nothing)

# Memory traffic of the labs' kernels, on the simulator and under Nsight Compute (tests/gpu/traffic).
TRAFFIC_KERNELS := $(BENCH_LABS:%=$(BUILD)/%/float/solution/student.o) \
    $(foreach real,float,$(conv_objects) $(matmul_objects)) $(BUILD)/tests/gpu/traffic_offset.o
TRAFFIC_FLAGS = -I$(BUILD)/bench $(CONTESTANTS)
OBJECTS += $(BUILD)/tests/gpu/traffic-sim.o $(BUILD)/tests/gpu/traffic-gpu.o
.PHONY: traffic
traffic: $(BUILD)/tests/gpu/traffic-sim $(if $(FOR_GPU),$(BUILD)/tests/gpu/traffic-gpu)
	$(nothing)
$(BUILD)/tests/gpu/traffic-sim.o $(BUILD)/tests/gpu/traffic-gpu.o: $(BUILD)/tests/gpu/traffic-%.o: tests/gpu/traffic.c \
    $(BUILD)/bench/conv_steps.h $(BUILD)/stamp/c $(BUILD)/stamp/matmul
	$(call compile_c,$(TRAFFIC_FLAGS) $(if $(filter sim,$*),-DON_SIMULATOR))
$(BUILD)/tests/gpu/traffic-sim: $(BUILD)/tests/gpu/traffic-sim.o $(TRAFFIC_KERNELS) $(BUILD)/sim/libsim.a \
    $(BUILD)/stamp/link
	$(call link,$(CXX),$(SIM_LIBRARIES))
$(BUILD)/tests/gpu/traffic-gpu: $(BUILD)/tests/gpu/traffic-gpu.o $(TRAFFIC_KERNELS) $(BUILD)/stamp/link
	$(call link,$(CXX),$(GPU_LIBRARIES))

# Times of kernels of all kinds, and of the labs' kernels, on the simulator and on a GPU (tests/gpu/model). The
# simulator reads the same objects, with machine code for an H100 beside the PTX.
MODEL_TABLES := $(patsubst %.cu,$(BUILD)/%.o,$(sort $(wildcard tests/gpu/kernels/*.cu)))
MODEL_KERNELS := $(MODEL_TABLES) $(BENCH_LABS:%=$(BUILD)/%/float/solution/student.o) \
    $(foreach real,float,$(conv_objects) $(matmul_objects))
OBJECTS += $(MODEL_TABLES) $(foreach file,model labs,$(foreach on,sim gpu,$(BUILD)/tests/gpu/kernels/$(file)-$(on).o))
.PHONY: model
model: $(BUILD)/tests/gpu/model-sim $(if $(FOR_GPU),$(BUILD)/tests/gpu/model-gpu)
	$(nothing)
$(BUILD)/tests/gpu/kernels/%-sim.o: tests/gpu/kernels/%.c $(BUILD)/bench/conv_steps.h $(BUILD)/stamp/c $(BUILD)/stamp/matmul
	$(call compile_c,$(TRAFFIC_FLAGS) -DON_SIMULATOR)
$(BUILD)/tests/gpu/kernels/%-gpu.o: tests/gpu/kernels/%.c $(BUILD)/bench/conv_steps.h $(BUILD)/stamp/c $(BUILD)/stamp/matmul
	$(call compile_c,$(TRAFFIC_FLAGS))
$(BUILD)/tests/gpu/model-sim: $(BUILD)/tests/gpu/kernels/model-sim.o $(BUILD)/tests/gpu/kernels/labs-sim.o \
    $(MODEL_KERNELS) $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$(call link,$(CXX),$(SIM_LIBRARIES))
$(BUILD)/tests/gpu/model-gpu: $(BUILD)/tests/gpu/kernels/model-gpu.o $(BUILD)/tests/gpu/kernels/labs-gpu.o \
    $(MODEL_KERNELS) $(BUILD)/stamp/link
	$(call link,$(CXX),$(GPU_LIBRARIES))

# ---- tests that take long, or need a GPU; clang-format ---------------------------------------------------------

.PHONY: mutants fuzz test-gpu format
#: mutants        delete each barrier, fence, guard and index term in turn: is it noticed? (developers; an hour)
mutants:
	@tests/mutants

#: fuzz           look for input that crashes what reads PTX, fat binaries and other processes (developers; needs clang)
#:                  FUZZ_SECONDS=1200  for how long
FUZZ_SECONDS ?= 1200
fuzz:
	@FUZZ_SECONDS=$(FUZZ_SECONDS) BUILD=$(BUILD) tests/fuzz/run

#: test-gpu       solutions and skeletons on this machine's GPU, ten times each, with logs in build/gpu-logs
test-gpu:
	@tests/gpu/run

#: format         clang-format every C and CUDA file (developers)
format:
	$$(mk/toolkit clang-format || echo clang-format-14) -i $$(find sim harness class common calculators book mk tests bench lab[0-9][0-9]_* \
	    -name samples -prune -o -name '*.[ch]' -print -o -name '*.cu' -print)
