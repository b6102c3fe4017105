# What all labs share: the harness's objects, most of them for float and double alike, and build/calibrate.

# grader_*.c is the grader's, worker_*.c the worker's (worker_sim*.c and worker_origin*.c, worker_gpu.c: of one backend only);
# the rest of harness/ is shared.
HARNESS_SOURCES := $(wildcard harness/*.c)
GRADER_SOURCES := $(filter-out harness/worker_%,$(HARNESS_SOURCES))
WORKER_SOURCES := $(filter-out harness/grader_%,$(HARNESS_SOURCES))
# Sources that include harness/real.h by themselves depend on `real`, and are compiled for each: build/harness/float/X.o.
# All others are compiled once, build/harness/X.o, with REAL_EITHER, so that the compiler refuses what depends on it.
REAL_SOURCES := $(shell grep -l '^\#include "harness/real\.h"' $(HARNESS_SOURCES))
EITHER_SOURCES := $(filter-out $(REAL_SOURCES),$(HARNESS_SOURCES))
# Objects of sources, for the `real` of the loop in which they are used.
harness_objects = $(patsubst harness/%.c,$(BUILD)/harness/$(real)/%.o,$(filter $(REAL_SOURCES),$(1))) \
    $(patsubst harness/%.c,$(BUILD)/harness/%.o,$(filter-out $(REAL_SOURCES),$(1)))
HARNESS_OBJECTS := $(sort $(foreach real,$(REALS),$(call harness_objects,$(HARNESS_SOURCES))))
# The grader knows the devices that the simulator models.
PROFILES := sim/model/profile.c sim/model/profile_rates.c sim/model/band.c
# It also looks for changes of a student's source.
REPAIR_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard repair/*.c))
grader_objects = $(call harness_objects,$(GRADER_SOURCES)) $(PROFILES:%.c=$(BUILD)/%.o) $(REPAIR_OBJECTS)
# A worker names the line of a crash, and says why a launch is impossible.
SOURCE_LINE := $(patsubst %,$(BUILD)/sim/text/%.o,source_line line_process line_memory)
LAUNCH_WORDS := $(BUILD)/sim/text/launch_words.o
worker_sim_objects = $(call harness_objects,$(filter-out %/worker_gpu.c,$(WORKER_SOURCES))) $(SOURCE_LINE)
worker_gpu_objects = $(call harness_objects,$(filter-out harness/worker_sim% harness/worker_origin%,$(WORKER_SOURCES))) $(SOURCE_LINE) $(LAUNCH_WORDS)
OBJECTS += $(HARNESS_OBJECTS) $(REPAIR_OBJECTS)

stamp_harness_sources = $(HARNESS_SOURCES) $(REAL_SOURCES)
$(eval $(call stamp,harness_sources))

# Inputs, references and comparisons take a grading's time, and reading the student's file that of a search for a cause.
HOT_HARNESS := $(patsubst %,harness/%.c,inputs products task_parts tolerance grader_compare grader_pattern grader_source worker_heap)
$(HARNESS_OBJECTS) $(REPAIR_OBJECTS): private OPTIMIZE = $(COLD)
$(foreach real,$(REALS),$(call harness_objects,$(HOT_HARNESS))): private OPTIMIZE = $(HOT)

$(BUILD)/harness/float/%.o: harness/%.c $(BUILD)/stamp/c
	$(call compile_c,$(REAL_FLAGS_float))
$(BUILD)/harness/double/%.o: harness/%.c $(BUILD)/stamp/c
	$(call compile_c,$(REAL_FLAGS_double))
$(EITHER_SOURCES:%.c=$(BUILD)/%.o): $(BUILD)/%.o: %.c $(BUILD)/stamp/c
	$(call compile_c,-DREAL_EITHER)

$(BUILD)/repair/%.o: repair/%.c $(BUILD)/stamp/c
	$(call compile_c)

# worker_gpu.c sees the launches of the student's file.
WRAP_LAUNCHES := $(patsubst %,-Wl$(comma)--wrap=%,cudaLaunchKernel __cudaLaunchKernel cudaLaunchCooperativeKernel \
    __cudaPushCallConfiguration)

# worker_heap.c sees what the student's file allocates on the host: malloc, and new and delete of C++.
WRAP_HEAP := $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc free _Znwm _Znam _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm)

CALIBRATE_OBJECTS := $(patsubst harness/%.cu,$(BUILD)/%.o,$(wildcard harness/calibrate*.cu))
OBJECTS += $(CALIBRATE_OBJECTS)

#: calibrate      build/calibrate: measures what a GPU can do: memory, arithmetic, starting blocks, atomics, latencies
.PHONY: calibrate
calibrate: $(BUILD)/calibrate
	$(nothing)
$(CALIBRATE_OBJECTS): $(BUILD)/%.o: harness/%.cu $(BUILD)/stamp/nvcc
	$(call compile_cu)
$(BUILD)/calibrate: $(CALIBRATE_OBJECTS) $(BUILD)/stamp/link
	$(call link,$(CXX),$(GPU_LIBRARIES))
