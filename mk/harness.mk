# What all labs share: the harness's objects, most of them for float and double alike, and build/calibrate.

# harness/ is in layers (harness/README.md). The grader has all of them but worker/ and roof/; a worker has worker/, what a lab's grader
# shares with it, and its end of the wire. worker/sim*.c and worker/origin*.c, worker/gpu.c are of one backend only.
# Sorted, as each list that a stamp holds: the order of wildcard is the locale's.
HARNESS_SOURCES := $(sort $(wildcard harness/*.c harness/*/*.c))
GRADER_SOURCES := $(filter-out harness/worker/%,$(HARNESS_SOURCES))
WORKER_SOURCES := $(filter-out %/device.c,$(wildcard harness/worker/*.c)) $(wildcard harness/lab/*.c) harness/wire/protocol.c harness/wire/clean.c harness/base/stats.c harness/base/clean.c
# Sources that include harness/lab/real.h by themselves depend on `real`, and are compiled for each: build/harness/float/X.o.
# All others are compiled once, build/harness/X.o, with REAL_EITHER, so that the compiler refuses what depends on it.
REAL_SOURCES := $(shell grep -l '^\#include "harness/lab/real\.h"' $(HARNESS_SOURCES))
EITHER_SOURCES := $(filter-out $(REAL_SOURCES),$(HARNESS_SOURCES))
# Objects of sources, for the `real` of the loop in which they are used.
harness_objects = $(patsubst harness/%.c,$(BUILD)/harness/$(real)/%.o,$(filter $(REAL_SOURCES),$(1))) \
    $(patsubst harness/%.c,$(BUILD)/harness/%.o,$(filter-out $(REAL_SOURCES),$(1)))
HARNESS_OBJECTS := $(sort $(foreach real,$(REALS),$(call harness_objects,$(HARNESS_SOURCES))))
# The grader knows the devices that the simulator models.
PROFILES := sim/model/profile.c sim/model/profile_rates.c sim/model/band.c sim/model/sm.c
grader_objects = $(call harness_objects,$(GRADER_SOURCES)) $(PROFILES:%.c=$(BUILD)/%.o) $(PICTURE_OBJECTS)
# Pictures of --html.
PICTURE_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard picture/*.c))
$(PICTURE_OBJECTS): private OPTIMIZE = $(COLD)
$(PICTURE_OBJECTS): $(BUILD)/%.o: %.c $(BUILD)/stamp/c
	$(call compile_c)
OBJECTS += $(PICTURE_OBJECTS)
# A worker names the line of a crash, and says why a launch is impossible.
SOURCE_LINE := $(patsubst %,$(BUILD)/sim/text/%.o,source_line line_process line_memory)
LAUNCH_WORDS := $(BUILD)/sim/text/launch_words.o
worker_sim_parts = $(call harness_objects,$(filter-out %/worker/gpu.c,$(WORKER_SOURCES))) $(SOURCE_LINE) $(BUILD)/sim/libsim.o
worker_gpu_parts = $(call harness_objects,$(filter-out harness/worker/sim% harness/worker/origin%,$(WORKER_SOURCES))) $(SOURCE_LINE) $(LAUNCH_WORDS)
OBJECTS += $(HARNESS_OBJECTS)

# The device apart from the student's code: one program for all labs.
device_parts = $(call harness_objects,$(filter-out harness/worker/main.c harness/worker/gpu.c %/sim_copies.c %/case.c %/model.c %/change.c \
    %/timing.c %/memory.c %/fault.c,$(wildcard harness/worker/*.c)) harness/wire/protocol.c harness/base/clean.c) \
    $(SOURCE_LINE) $(BUILD)/sim/libsim.o
define device_program
$(BUILD)/harness/$(real)/device: $(device_parts) $(BUILD)/stamp/link $(BUILD)/stamp/harness_sources
endef
$(foreach real,$(REALS),$(eval $(device_program)))
$(foreach real,$(REALS),$(BUILD)/harness/$(real)/device):
	$(call link,$(CC),-lm -lpthread)

# All of a worker but the student's file and the lab's binding is one object, which gives away no names but main, those of the
# CUDA runtime, and what the linker puts in the place of others (WRAP_...): a student's file can call nothing else in it, and
# what it defines takes the place of nothing there.
define worker_objects
$(BUILD)/harness/$(real)/worker-sim.o: $(worker_sim_parts)
$(BUILD)/harness/$(real)/worker-gpu.o: $(worker_gpu_parts)
endef
$(foreach real,$(REALS),$(eval $(worker_objects)))
$(foreach real,$(REALS),$(BUILD)/harness/$(real)/worker-sim.o $(BUILD)/harness/$(real)/worker-gpu.o): $(BUILD)/stamp/c $(BUILD)/stamp/harness_sources
	$(call say,ld,$@)
	mkdir -p $(@D)
	$(call joined,main cuda* __cuda* __wrap_*)

stamp_harness_sources = $(HARNESS_SOURCES) $(REAL_SOURCES)
$(eval $(call stamp,harness_sources))

# Inputs, references and comparisons take a grading's time, and reading the student's file that of a search for a cause.
HOT_HARNESS := $(patsubst %,harness/%.c,lab/inputs lab/products lab/task_parts lab/tolerance judge/compare judge/fingerprint judge/pattern \
    source/source source/token worker/heap)
$(HARNESS_OBJECTS): private OPTIMIZE = $(COLD)
$(foreach real,$(REALS),$(call harness_objects,$(HOT_HARNESS))): private OPTIMIZE = $(HOT)

$(BUILD)/harness/float/%.o: harness/%.c $(BUILD)/stamp/c
	$(call compile_c,$(REAL_FLAGS_float))
$(BUILD)/harness/double/%.o: harness/%.c $(BUILD)/stamp/c
	$(call compile_c,$(REAL_FLAGS_double))
$(EITHER_SOURCES:%.c=$(BUILD)/%.o): $(BUILD)/%.o: %.c $(BUILD)/stamp/c
	$(call compile_c,-DREAL_EITHER)

# worker/gpu.c sees the launches of the student's file.
WRAP_LAUNCHES := $(patsubst %,-Wl$(comma)--wrap=%,cudaLaunchKernel __cudaLaunchKernel cudaLaunchCooperativeKernel \
    __cudaPushCallConfiguration)

# worker/heap.c sees what the student's file allocates on the host: malloc, and new and delete of C++.
WRAP_HEAP := $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc free _Znwm _Znam _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm)

CALIBRATE_OBJECTS := $(patsubst %.cu,$(BUILD)/%.o,$(wildcard harness/roof/*.cu))
OBJECTS += $(CALIBRATE_OBJECTS)

# What compiles another's file in a sandbox.
CONFINE_OBJECTS := $(patsubst %,$(BUILD)/harness/%.o,base/text base/clean base/tree wire/sandbox wire/sandbox_landlock \
    wire/sandbox_seccomp wire/sandbox_limits)
$(BUILD)/mk/confine.o: mk/confine.c $(BUILD)/stamp/c
	$(call compile_c)
$(BUILD)/confine: $(BUILD)/mk/confine.o $(CONFINE_OBJECTS) $(BUILD)/stamp/link
	$(call link,$(CC))
OBJECTS += $(BUILD)/mk/confine.o

#: calibrate      build/calibrate: measures what a GPU can do: memory, arithmetic, starting blocks, atomics, latencies
.PHONY: calibrate
calibrate: $(BUILD)/calibrate
	$(nothing)
$(CALIBRATE_OBJECTS): $(BUILD)/%.o: %.cu $(BUILD)/stamp/nvcc
	$(call compile_cu)
$(BUILD)/calibrate: $(CALIBRATE_OBJECTS) $(BUILD)/stamp/link
	$(call link,$(CXX),$(GPU_LIBRARIES))
