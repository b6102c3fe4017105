# How a lab's programs are made, for one file to grade: the objects, workers and grader of the folder D (see the Makefile).

# In recipes they are parts of the target's name, build/lab03/float/skeleton/...
part = $(word $(1),$(subst /, ,$(@:$(BUILD)/%=%)))
lab = $(call part,1)
real = $(call part,2)
kind = $(call part,3)
VARIANTS := $(foreach lab,$(LABS),$(foreach real,$(REALS),$(foreach kind,$(KINDS),$(D))))
LAB_OBJECTS := $(foreach lab,$(LABS),$(foreach real,$(REALS),\
    $(BUILD)/$(lab)/$(real)/grader.o $(BUILD)/$(lab)/$(real)/binding.o))
STEP_LAB_OBJECTS := $(LAB_OBJECTS:.o=-steps.o)
GRADERS := $(foreach lab,$(LABS),$(foreach real,$(REALS),$(BUILD)/$(lab)/$(real)/grader $(BUILD)/$(lab)/$(real)/grader-steps))
OBJECTS += $(LAB_OBJECTS) $(STEP_LAB_OBJECTS) $(VARIANTS:%=%/student.o)

# What the compiler says about a student's file is told in plain words: its first error, or what its warnings mean.
explained = MADE=$@.$$$$ NM=$(call tool,nm) mk/explain/compile $@ $(binding) \
    $(call folder_of,$(lab))/$(lab).h $(if $(filter src-%,$(kind)),"$$SRC",$<)

# sh again PROGRAM FOLDER OPTIONS -c: a worker PROGRAM of changed copies of a student's file, PROGRAM.cu, whose headers lie in FOLDER.
# With -ptx: only what the device runs, as PTX in PROGRAM.o. The grader does that to find out what would make a program right, so it
# should be fast: no machine code, nothing optimized on the host. OPTIONS: further ones of nvcc.
again = cd "$(CURDIR)" && "$(NVCC)" $$4 -Xcudafe --error_limit=100000 \
    $(subst $(OPTIMIZE_HOST) ,-O0 ,$(subst $(CUDA_TARGETS),-gencode arch=compute_80$(comma)code=compute_80,$(subst $(HOST_FLAGS),-w,$(NVCC_FLAGS)))) \
    $(REAL_FLAGS_$(real)) -I$(call folder_of,$(lab)) -I"$$2" $$3 "$$1.cu" -o "$$1.o" && { [ "$$4" = -ptx ] || \
    $(CXX) $(LINK_FLAGS) -o "$$1" "$$1.o" $(binding) $(BUILD)/harness/$(real)/worker-sim.o $(WRAP_HEAP) $(SIM_LIBRARIES); }

$(LAB_OBJECTS):
	$(call compile_c,$(REAL_FLAGS_$(real)) -I$(call folder_of,$(lab)))
$(STEP_LAB_OBJECTS):
	$(call compile_c,$(REAL_FLAGS_$(real)) -I$(call folder_of,$(lab)) -DLAB_STEPS, (for its steps))
$(filter %/student.o,$(foreach v,$(VARIANTS),$(if $(findstring /src-,$v),$v/student.o))): | $(BUILD)/confine
$(VARIANTS:%=%/student.o):
	rm -f $(@D)/build.info
	$(call $(if $(filter src-%,$(kind)),compile_src,compile_cu),$(REAL_FLAGS_$(real)) -I$(call folder_of,$(lab)),,$(explained))
$(VARIANTS:%=%/worker-sim):
	$(call link,$(CXX),$(WRAP_HEAP) $(SIM_LIBRARIES))
$(VARIANTS:%=%/worker-gpu):
	$(call link,$(CXX),$(WRAP_HEAP) $(WRAP_LAUNCHES) $(GPU_LIBRARIES))
$(GRADERS): $(BUILD)/stamp/link $(BUILD)/stamp/harness_sources
	$(call link,$(CC),-lm -lpthread)
# One program, whatever file is graded; the grader looks for that where it was started. A file that another make replaces
# at this moment cannot be linked (link(2) says that there is none), and some file systems have no links.
$(VARIANTS:%=%/grader) $(VARIANTS:%=%/device):
	mkdir -p $(@D)
	ln -f $< $@ 2>/dev/null || { cp $< $@.$$$$ && mv -f $@.$$$$ $@; }
$(VARIANTS:%=%/build.info):
	printf '%s\n' '$(subst ','\'',$(again))' >$(@D)/again
	$(if $(FOR_GPU),,rm -f $(@D)/worker-gpu)
	printf '%s\n' 'lab=$(lab)' "root=$$(pwd)" 'folder=$(call folder_of,$(lab))' 'real=$(real)' \
	    'source=$(if $(filter src-%,$(kind)),'"$$SRC"',$(file_to_grade))' 'nvcc=$(NVCC)' 'ptxas=$(PTXAS)' \
	    'toolkit=$(NVCC_VERSION)' 'gpu_code=$(GPU_CODE)' 'no_gpu=$(call NO_GPU,$(lab))' >$@.$$$$ && mv -f $@.$$$$ $@
