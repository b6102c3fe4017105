# Each lab's play.cu, a program of the student's own that times what stands in the lab's file: make play03.
#
#   build/lab03/float/play.o                 play.cu
#   build/lab03/float/skeleton/play-sim      play.o + student.o + the simulator
#   build/lab03/float/skeleton/play-gpu      play.o + student.o + the CUDA runtime: only where there is a GPU
#   build/play03                             runs one of them

PLAYS := $(LABS:lab%=play%)

ifneq ($(call special_in,$(subst ~,,$(value ARGS))),)
  $(error ARGS=$(value ARGS): numbers and words without special characters)
endif

#: playNN         build and run labNN's play.cu, which times your functions; it is yours to change
#:                  ARGS="1000000 256"  its sizes; SOLUTION=1, SRC=, REAL=double, GPU=1 as for labNN
.PHONY: $(PLAYS)
$(PLAYS): play%: $(BUILD)/lab%/$(REAL)/$(KIND)/play
	ln -sfn $(<:$(BUILD)/%=%) $(BUILD)/$@
	$(call say,run,$(BUILD)/$@ $(ARGS))
	@$< $(ARGS) || test $$? = 1
play%: export GOAL = $@
play%:
	@echo "There is no $$GOAL; there are: $(PLAYS)." >&2; exit 2

define play_object
$(BUILD)/$(lab)/$(real)/play.o: $(call folder_of,$(lab))/play.cu $(BUILD)/stamp/nvcc
	$$(call compile_cu,$(REAL_FLAGS_$(real)) -I$(call folder_of,$(lab)))
endef
define play_program
$(D)/play-sim: $(BUILD)/$(lab)/$(real)/play.o $(D)/student.o $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$$(call link,$$(CXX),$$(SIM_LIBRARIES))
$(D)/play-gpu: $(BUILD)/$(lab)/$(real)/play.o $(D)/student.o $(BUILD)/stamp/link
	$$(call link,$$(CXX),$$(GPU_LIBRARIES))
# With the rest of the variant: a file that was compiled anew here can be graded at once.
$(D)/play: mk/play $(D)/play-sim $(if $(FOR_GPU),$(D)/play-gpu) $(D)/build.info
	$(if $(FOR_GPU),,rm -f $$(@D)/play-gpu)
	cp $$< $$@
endef
$(foreach lab,$(LABS),$(foreach real,$(REALS),$(eval $(play_object))))
$(foreach lab,$(LABS),$(foreach real,$(REALS),$(foreach kind,$(KINDS),$(eval $(play_program)))))
OBJECTS += $(foreach lab,$(LABS),$(foreach real,$(REALS),$(BUILD)/$(lab)/$(real)/play.o))

# ---- find the bug ------------------------------------------------------------------------------------------------

#: bugNN-K        show and build labNN's finished file with one mistake, 1 to 5: labNN_.../bugs/README.md
BUGS := $(foreach number,1 2 3 4 5,$(LABS:lab%=bug%-$(number)))
.PHONY: $(BUGS)
$(BUGS):
	mk/bug $@ $(BUILD)
	MAKEFLAGS= $(MAKE) --no-print-directory $(if $(call flag,s),-s) BUILD=$(BUILD) REAL=$(REAL) NVCC='$(NVCC)' $(patsubst bug%,lab%,$(firstword $(subst -, ,$@))) SRC=$(BUILD)/bugs/$@.cu

# ---- at each save; how far; again from the start ------------------------------------------------------------------

#: watchNN        builds and grades labNN at each save of your file, until Ctrl-C
#: resetNN        puts labNN's skeleton back as it was, and keeps yours beside it
#: progress       which labs, tasks and points you have, your best speeds, and what comes next
.PHONY: $(LABS:lab%=watch%) $(LABS:lab%=reset%) progress
$(LABS:lab%=watch%): watch%:
	@env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL ./grader lab$* --watch
$(LABS:lab%=reset%): reset%:
	@mk/reset $(call folder_of,lab$*)
progress:
	@mk/progress
$(BUILD)/saved: $(BUILD)/mk/saved.o $(BUILD)/stamp/link
	$(call link,$(CC))
$(BUILD)/mk/saved.o: mk/saved.c $(BUILD)/stamp/c
	$(call compile_c)
OBJECTS += $(BUILD)/mk/saved.o
