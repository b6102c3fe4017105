# Builds the labs and their graders: make lab03 && ./grader. `make help` lists what else there is. All that is built
# goes under build/.
#
# One file to grade, in float or in double, has a folder D of its own: build/lab03/float/skeleton, or .../solution.
#   D/student.o     the student's file as nvcc compiles it; both workers hold this same object
#   D/student.log   what nvcc said; D/student.warnings: what of it the grader repeats
#   D/worker-sim    student.o + binding.o + harness + the simulator
#   D/worker-gpu    student.o + binding.o + harness + the CUDA runtime: only where there is a GPU
#   D/device        the simulator without the student's file: what happens there, the grader believes
#   D/grader        the lab's grader.o + harness, the same for every file; it starts the workers, and ./grader starts it
#   D/build.info    what was built, in lines key=value
#
# The labs are here; mk/ has the rest, as mk/README.md lists it.

BUILD ?= build
REAL ?= float
REALS := float double
# Before anything else: from make 4.4 on, $(shell) carries out what stands in the variables of make's command line.
include mk/settings.mk
# By name: a student may keep lab03_mine.cu, or a copy of a folder, beside them.
LAB_FOLDERS := $(shell cat mk/labs)
LABS := $(foreach folder,$(LAB_FOLDERS),$(firstword $(subst _, ,$(folder))))
# lab03 -> lab03_dynamic_shared
folder_of = $(filter $(1)_%,$(LAB_FOLDERS))

include mk/tools.mk mk/harness.mk mk/sim.mk mk/bench.mk mk/tests.mk mk/dev.mk

#: labNN          build one lab, to be graded by ./grader (also: make lab03_dynamic_shared)
#:                  SOLUTION=1    grade the solution
#:                  SRC=FILE.cu   grade this file in the skeleton's place
#:                  REAL=double   double precision instead of float
#:                  GPU=1         build for a GPU, too, though this machine has none
.PHONY: $(LABS) $(LAB_FOLDERS)
$(LABS): %: $(BUILD)/%/$(REAL)/$(KIND)
	$(or $(say_built),$(nothing))
$(LAB_FOLDERS):
	$(nothing)
$(foreach lab,$(LABS),$(eval $(call folder_of,$(lab)): $(lab)))
lab%: export GOAL = $@
lab%:
	@echo "There is no $$GOAL; the labs are: $(LABS)." >&2; exit 2

# A file is no goal: make lab03 mine.cu would build the skeleton, and find nothing to do for mine.cu.
ifneq ($(filter %.cu,$(MAKECMDGOALS)),)
  $(error To grade $(firstword $(filter %.cu,$(MAKECMDGOALS))): make $(or $(firstword $(filter $(LABS),$(MAKECMDGOALS))),lab01) SRC=$(firstword $(filter %.cu,$(MAKECMDGOALS))))
endif

# ./grader grades what build/current points at: the lab that was named last. The link is made first: if the build
# stops with an error, ./grader must not grade what was built before.
LAST_LAB := $(filter $(LABS),$(firstword $(subst _, ,$(lastword $(filter lab%,$(MAKECMDGOALS))))))
ifdef LAST_LAB
  CURRENT := $(LAST_LAB)/$(REAL)/$(KIND)
  $(LAST_LAB): $(BUILD)/current
  ifneq ($(shell readlink $(BUILD)/current),$(CURRENT))
    .PHONY: $(BUILD)/current
  endif
endif
# After make lab03 SRC=mine.cu, make lab03 builds the skeleton again: then this is said.
$(BUILD)/current:
	mkdir -p $(@D); was=$$(readlink $@); ln -sfn $(CURRENT) $@; \
	case "$$was $(CURRENT)" in \
	"$(LAST_LAB)/"*/src-*) $(if $(findstring s,$(firstword -$(MAKEFLAGS))),:,printf '  %-8s %s\n' graded \
	    $(if $(filter src-%,$(KIND)),"$$(printf '%s\n' "$$SRC" | mk/clean)",'$(call folder_of,$(LAST_LAB))/$(KIND).cu, since no SRC= is given')) ;; \
	esac

# For scripts: the folder in which `make lab03`, with the same settings, builds.
where-%:
	$(info $(BUILD)/$*/$(REAL)/$(KIND))
	$(nothing)

# ---- what is made of what ------------------------------------------------------------------------------------

# lab, real and kind are those of the loops at the end of this section, for example lab03, float and skeleton.
KINDS := $(sort skeleton solution $(KIND))
D = $(BUILD)/$(lab)/$(real)/$(kind)
# "-steps" where one of the lab's steps is graded: for its last stage only.
steps = $(if $(filter src-%,$(kind)),$(STEP_OBJECTS))
binding = $(BUILD)/$(lab)/$(real)/binding$(steps).o
file_to_grade = $(if $(filter src-%,$(kind)),$(BUILD)/src/$(kind)/student.cu,$(call folder_of,$(lab))/$(kind).cu)

define lab_objects
$(BUILD)/$(lab)/$(real)/grader.o: $(call folder_of,$(lab))/grader.c $(BUILD)/stamp/c
$(BUILD)/$(lab)/$(real)/binding.o: $(call folder_of,$(lab))/binding.c $(BUILD)/stamp/c
$(BUILD)/$(lab)/$(real)/grader-steps.o: $(call folder_of,$(lab))/grader.c $(BUILD)/stamp/c
$(BUILD)/$(lab)/$(real)/binding-steps.o: $(call folder_of,$(lab))/binding.c $(BUILD)/stamp/c
$(BUILD)/$(lab)/$(real)/grader: $(BUILD)/$(lab)/$(real)/grader.o $(grader_objects)
$(BUILD)/$(lab)/$(real)/grader-steps: $(BUILD)/$(lab)/$(real)/grader-steps.o $(grader_objects)
endef
define variant
.PHONY: $(D)
$(D): $(D)/build.info
$(D)/student.o: $(file_to_grade) $(BUILD)/stamp/nvcc | $(binding)
$(D)/worker-sim: $(D)/student.o $(binding) $(BUILD)/harness/$(real)/worker-sim.o
$(D)/worker-gpu: $(D)/student.o $(binding) $(BUILD)/harness/$(real)/worker-gpu.o
$(D)/grader: $(BUILD)/$(lab)/$(real)/grader$(steps)
$(D)/device: $(BUILD)/harness/$(real)/device
$(D)/worker-sim $(D)/worker-gpu: $(BUILD)/stamp/link $(BUILD)/stamp/harness_sources
$(D)/build.info: $(D)/grader $(D)/worker-sim $(D)/device $(if $(FOR_GPU),$(D)/worker-gpu $(BUILD)/calibrate)
endef
$(foreach lab,$(LABS),$(foreach real,$(REALS),$(eval $(lab_objects))))
$(foreach lab,$(LABS),$(foreach real,$(REALS),$(foreach kind,$(KINDS),$(eval $(variant)))))

include mk/play.mk mk/calculators.mk mk/book.mk mk/labs.mk mk/class.mk

# ---- grading all, testing, and the rest ------------------------------------------------------------------------

#: solutions      build and grade every solution: one table; fails if any of them does
#: skeletons      build and grade every skeleton: each must compile, fail, and name its first open TODO
.PHONY: solutions skeletons test test-all clean help
solutions skeletons: %s: $(foreach lab,$(LABS),$(BUILD)/$(lab)/$(REAL)/%)
	@mk/grade-all $* $^

#: test           at least one test of every kind (developers; unit tests need cmocka): minutes
#: test-all       all tests: every wrong kernel, double precision, many orders, the modeled times
test:
	@tests/run --short
test-all:
	@tests/run

# Students' trees have none (make handout).
ifneq ($(and $(filter 1,$(SOLUTION)),$(LAST_LAB)),)
  ifeq ($(wildcard $(call folder_of,$(LAST_LAB))/solution.cu),)
    $(error There is no solution of $(LAST_LAB) here)
  endif
endif

#: clean          remove build/
clean:
	rm -rf $(BUILD)

#: help           this list; V=1 shows the commands, NVCC= names another compiler, BUILD= another folder
help:
	@echo "First, on a fresh machine: ./setup. Then, for example: make lab01 && ./grader"; \
	sed -n 's/^#: /  make /p' $(filter Makefile mk/%.mk,$(MAKEFILE_LIST)) | sed 's/make   /       /'; echo "Labs: $(LABS)"

# The headers that each object includes, as the compilers wrote them down.
-include $(wildcard $(OBJECTS:.o=.d))
# What was read here is made by no rule: make -B would take mk/play.mk for a goal like play01.
$(MAKEFILE_LIST): ;
