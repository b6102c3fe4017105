# What everything is built with: the CUDA toolkit, the compilers and their flags; how one file is compiled and a
# program linked; and stamps, by which make notices that a command has changed.

CC = gcc
CXX = g++
comma := ,
empty :=
space := $(empty) $(empty)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
# As many jobs as there are processors, unless -j says otherwise: the first build is a hundred files.
ifeq ($(filter -j% --jobserver%,$(MAKEFLAGS)),)
  MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif
# V=1 shows the commands; otherwise there is only what `say` prints.
ifndef V
  .SILENT:
endif
flag = $(findstring $(1),$(filter-out --%,$(firstword -$(MAKEFLAGS))))

# say(step, file): that a step begins, unless make -s asks for silence. Where a lab is built, with the number of the step
# and of all steps: on a terminal in one line that is written anew each time (the cursor waits at its beginning, so that
# a message takes its place), elsewhere in at most ten. With DEV=1 or V=1 each step has a line.
say = @$(if $(call flag,s),:,$(if $(STEPS),$(eval STEP += x)$(call say_number,$(1),$(2),$(words $(STEP))),\
    printf '  %-8s %s\n' '$(1)' '$(2)'))
say_number = $(if $(MAKE_TERMOUT),printf '  %s of $(STEPS)  %-5s%.40s\033[K\r' '$(3)' '$(1)' '$(2)',\
    [ $$(($(3) * 10 / $(STEPS))) = $$((($(3) - 1) * 10 / $(STEPS))) ] || printf '  %s of $(STEPS)  %s %s\n' '$(3)' '$(1)' '$(2)')
# In the recipe of a lab, which ends the build.
say_built = $(if $(and $(STEP),$(MAKE_TERMOUT)),@printf '  %s of $(STEPS)\033[K\n' '$(words $(STEP))')

# STEPS: how many lines make -n would say. It gets the variables of this make's command line in a file, so that no shell
# reads them. In that make, each step says only that it is one.
ifdef COUNT_STEPS
  say = : one step
else ifeq ($(DEV)$(V)$(call flag,s)$(call flag,n)$(call flag,q),)
  COUNTED_GOALS := $(filter $(LABS) $(LAB_FOLDERS),$(MAKECMDGOALS))
endif
ifneq ($(COUNTED_GOALS),)
  STEPS_FLAGS := $(shell mktemp)
  $(file >$(STEPS_FLAGS),$(call flag,B) -- $(MAKEOVERRIDES))
  STEPS := $(filter-out 0,$(shell flags=$$(cat $(STEPS_FLAGS)); rm -f $(STEPS_FLAGS); COUNT_STEPS=1 MAKEFLAGS="$$flags" \
      $(MAKE) -n $(COUNTED_GOALS) 2>/dev/null | grep -cx ': one step'))
endif

# The recipe of a goal that only names others. A goal without a recipe makes make say "Nothing to be done"; with one,
# make -q would say that there is something to do.
nothing = $(if $(findstring q,$(firstword -$(MAKEFLAGS))),,@:)

# ---- the CUDA toolkit ------------------------------------------------------------------------------------

# mk/toolkit looks for it and writes what it found: NVCC, NVCC_VERSION, PTXAS, CUDA_INCLUDE, CUDA_LIB, GPU_CODE, GPU_FOUND.
WITHOUT_CUDA := help clean format glossary handout gradescope uninstall
ifneq ($(filter-out $(WITHOUT_CUDA),$(MAKECMDGOALS)),)
  TOOLKIT_ERROR := $(shell NVCC='$(NVCC)' GPU_CODE='$(GPU_CODE)' CC='$(CC)' CXX='$(CXX)' mk/toolkit write $(BUILD)/toolkit.mk 2>&1)
  ifneq ($(TOOLKIT_ERROR),)
    $(error $(TOOLKIT_ERROR))
  endif
endif
-include $(BUILD)/toolkit.mk
# The CUDA runtime library. What runs on a GPU is built where one was found, or GPU=1 asks for it.
HAVE_CUDART := $(foreach library,libcudart_static.a libcudart.so,$(wildcard $(subst $(space),\ ,$(CUDA_LIB))/$(library)))
CUDART := $(if $(findstring libcudart_static.a,$(HAVE_CUDART)),\
    "$(CUDA_LIB)/libcudart_static.a" -ldl -lrt -lpthread,-L"$(CUDA_LIB)" -Wl,-rpath,"$(CUDA_LIB)" -lcudart -lpthread)
FOR_GPU := $(and $(HAVE_CUDART),$(filter-out 0,$(or $(GPU),$(GPU_FOUND))))
# For build.info, and from there for a message of the grader: why there is no worker-gpu. NO_GPU(lab)
ifndef HAVE_CUDART
  NO_GPU = nothing was built for one: the toolkit has no CUDA runtime library
else ifndef FOR_GPU
  NO_GPU = nothing was built for one, since $(if $(GPU),GPU=0 was set,make found none); to do so: make $(1) GPU=1
endif

# ---- flags -----------------------------------------------------------------------------------------------

# What a first build takes is nearly all the compiler's optimizing. COLD: what runs for milliseconds. HOT: what a
# grading spends its time in. LOOPS: the simulator's loops over lanes. Each rule says which it is; CFLAGS comes after.
# Some warnings, and FORTIFY, want -O1. With sanitizers -O1 compiles in two thirds of the time.
COLD = $(if $(FORTIFY),-O1,-O0)
HOT := $(if $(SANITIZE),-O1,-O2)
LOOPS := $(if $(SANITIZE),-O1,-O3)
OPTIMIZE = $(HOT)
# Line numbers of our own code cost a fifth of the time, and nothing but a debugger or a sanitizer reads them: DEBUG=1.
DEBUG_INFO = $(if $(DEBUG),-g,$(if $(SANITIZE),-g1))

# SANITIZE=1 is for the tests, and wants a BUILD= of its own. Sanitizers make gcc's flow analysis warn wrongly.
ifdef SANITIZE
  SANITIZER := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif
# DEV=1 is for developers: our own files are compiled with warnings, which are errors in all files but a student's (SRC=).
WERROR ?= $(if $(DEV),-Werror)
WARNINGS = $(if $(DEV),-Wall -Wextra -Wformat-security $(WERROR) $(if $(SANITIZE),-Wno-format-truncation -Wno-maybe-uninitialized))
# Ubuntu's compilers have this on, and glibc's headers then warn of results that are ignored: so we have it, too.
FORTIFY = $(if $(DEV),$(if $(SANITIZE),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
C_FLAGS = -std=gnu11 $(WARNINGS) $(FORTIFY) $(DEBUG_INFO) -I. -I"$(CUDA_INCLUDE)" -MMD -MP $(SANITIZER)
LINK_FLAGS = $(SANITIZER) $(LDFLAGS)
REAL_FLAGS_float =
REAL_FLAGS_double = -DREAL_DOUBLE

# PTX for compute_80, uncompressed, is what the simulator reads; machine code for the GPUs of this machine.
CUDA_TARGETS = -gencode arch=compute_80,code=compute_80 \
    $(foreach cc,$(GPU_CODE),-gencode arch=compute_$(cc),code=sm_$(cc))
# The host's part holds no device code: clang (-ccbin clang++) calls functions that only kernels use unused.
HOST_FLAGS = $(subst $(space),$(comma),$(strip -Wall -Wextra -g $(filter -Werror,$(WERROR)) \
    $(if $(findstring clang,$(NVCC_PREPEND_FLAGS) $(NVCCFLAGS)),-Wno-unused-function)))
# PTX and machine code at the same time. And <cooperative_groups.h> without the whole of libcu++, which no part of it
# needs: lab 06 then compiles in a third of the time, to the same PTX.
NVCC_FAST = $(if $(strip $(GPU_CODE)),--threads 2) -D_CG_LIMIT_INCLUDED_DEPENDENCIES
# fast(file): -D..., with which a file that names nothing of C++'s library compiles in three quarters of the time: <cmath>, which every file
# includes, then leaves out C++17's special functions and the headers that these need. A file with other headers than these may need them.
fast = $(if $(shell grep -vE 'include *("(common/(check|lab|play|real|timer)|lab[0-9]+|tensor)\.h"|<[a-z_]+\.h>)' $(1) | \
    grep -E 'include *["<A-Z]|\<std\>'),,-D_GLIBCXX_BITS_SPECFUN_H)
# The host's part; what runs on the device is optimized all the same. With -O1 a crash on a full stack has no line.
OPTIMIZE_HOST = -O2
NVCC_FLAGS = $(OPTIMIZE_HOST) -std=c++17 -lineinfo -no-compress $(CUDA_TARGETS) $(NVCC_FAST) -Xcompiler $(HOST_FLAGS) \
    -I. -I"$(CUDA_INCLUDE)" $(NVCCFLAGS)

# ---- recipes ---------------------------------------------------------------------------------------------

# compile_c(flags, remark), compile_cu(flags, remark, by): $<, the first prerequisite, to the object $@. The headers that
# it includes are written to a .d file beside the object, which the end of the Makefile reads. `by` starts the compiler. What a
# second make may make at the same time, as for two files of students, is made beside its place and moved there.
to_object = -MF $(@:.o=.d) -MT $@ -c $< -o $@.$$$$ && mv -f $@.$$$$ $@
define compile_c
$(call say,cc,$<$(2))
mkdir -p $(@D)
$(CC) $(C_FLAGS) $(OPTIMIZE) $(CFLAGS) $(1) $(to_object)
endef
define compile_cu
$(call say,nvcc,$<$(2))
mkdir -p $(@D)
$(3) "$(NVCC)" -c $(NVCC_FLAGS) $(call fast,$<) $(1) -MMD -MP -MF $(@:.o=.d) -MT $@ $< -o $@.$$$$$(if $(3),, && mv -f $@.$$$$ $@)
endef

# link(compiler, libraries): the objects and archives among the prerequisites.
define link
$(call say,link,$@)
mkdir -p $(@D)
$(1) $(LINK_FLAGS) -o $@.$$$$ $(filter %.o %.a,$^) $(2) && mv -f $@.$$$$ $@
endef
SIM_LIBRARIES = -lm -lpthread
GPU_LIBRARIES = $(CUDART) -lm

# The objects among the prerequisites, in an archive.
define archive
$(call say,ar,$@)
$(call tool,ar) rcs $@.$$$$ $(filter %.o,$^) && mv -f $@.$$$$ $@
endef
# joined(names): the objects among the prerequisites as one, in which every other name is made local.
joined = $(CC) -r -nostdlib -o $@.$$$$ $(filter %.o,$^) && \
    $(call tool,objcopy) --wildcard $(patsubst %,--keep-global-symbol='%',$(1)) $@.$$$$ && mv -f $@.$$$$ $@
# A program that belongs to the compiler, which may be one for another machine: $(call tool,objcopy).
tool = $(shell $(CC) -print-prog-name=$(1))

# ---- stamps ----------------------------------------------------------------------------------------------

# A stamp is a file that holds a command, or names of sources; what depends on it is built again when that text has
# changed. $(eval $(call stamp,NAME)) makes build/stamp/NAME from the variable stamp_NAME. It depends on FORCE, which
# is always newer, only where its text is another one now: otherwise it is a file without prerequisites, up to date.
# (No newline at its end: make 4.3 does not take it away from a long file as it should.)
differ = $(if $(and $(findstring x$(1)x,x$(2)x),$(findstring x$(2)x,x$(1)x)),,FORCE)
define stamp
$(BUILD)/stamp/$(1): $(call differ,$(file <$(BUILD)/stamp/$(1)),$(stamp_$(1)))
endef
$(BUILD)/stamp/%:
	mkdir -p $(@D)
	printf '%s' '$(subst ','\'',$(stamp_$*))' >$@.$$$$ && mv -f $@.$$$$ $@
.PHONY: FORCE
FORCE:

CC_VERSION := $(shell $(CC) --version 2>&1 | head -n 1)
stamp_c = $(CC) $(CC_VERSION) $(C_FLAGS) $(COLD) $(HOT) $(CFLAGS) $(NVCC_VERSION)
stamp_nvcc = $(NVCC) $(NVCC_VERSION) $(NVCC_FLAGS)
stamp_link = $(CXX) $(LINK_FLAGS) $(CUDART)
$(foreach name,c nvcc link,$(eval $(call stamp,$(name))))
