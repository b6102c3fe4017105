# What may be set by hand, on make's command line or in the environment, is checked here, before a shell sees it:
# REAL=, BUILD=, GPU=, NVCC=, GPU_CODE=, and SRC=, a file of any name.

# Where commands would not take a value as it is written, it is refused. $(value) is the text as it was given: $(...)
# in it is not carried out.
quote := '
special := $(quote) " ` $$ \ ; & | < > ( ) { } [ ] * ? ! \# % : ~
special_in = $(strip $(foreach character,$(special),$(findstring $(character),$(1))))
ifneq ($(words x$(value BUILD)x)$(call special_in,$(value BUILD)),1)
  $(error BUILD=$(value BUILD): the folder's name may have letters, digits and _ . / + - = @ , only)
endif
ifneq ($(filter-out float double,$(value REAL))$(words $(value REAL)),1)
  $(error REAL=$(value REAL): there are float and double)
endif
ifneq ($(filter-out 0 1,$(value GPU))$(word 2,$(value GPU)),)
  $(error GPU=$(value GPU): 1 builds for a GPU, 0 does not; without it the machine decides)
endif
ifneq ($(call special_in,$(value GPU_CODE)),)
  $(error GPU_CODE=$(value GPU_CODE): compute capabilities without the point, as in 90, or none)
endif
ifneq ($(strip $(foreach character,$(quote) " ` $$ \,$(findstring $(character),$(value NVCC)))),)
  $(error NVCC=$(value NVCC): quotes, $$ and \ are not possible in its name)
endif

# SRC is never part of a command, or of a rule: recipes find it in the environment, and its folder in build/ is named
# after a checksum of it. mk/source, which makes that folder, gets the name in a file: make hands its own environment
# to $(shell), in which what stands on its command line is missing.
ifneq ($(origin SRC),undefined)
  ifeq ($(origin SRC)-$(value SRC),command line-)
    $(error SRC= names no file)
  endif
  override SRC := $(value SRC)
  export SRC
endif
ifdef SRC
  SRC_NAME := $(shell mktemp)
  $(file >$(SRC_NAME),$(SRC))
  KIND := $(shell mk/source prepare "$(SRC_NAME)" $(BUILD))
  ifneq ($(KIND),$(filter src-%,$(KIND)))
    $(error $(KIND))
  endif
  # A lab's steps have the functions of its last stage only, and are graded for these. STEP=1: so is a changed copy of one.
  STEP_OBJECTS := $(if $(STEP)$(wildcard $(BUILD)/src/$(KIND)/step),-steps)
else
  KIND := $(if $(SOLUTION),solution,skeleton)
endif

# compile_src(flags, remark, by): like compile_cu, for the file that SRC names; its warnings are no errors. (In recipes '"$$SRC"'
# ends the text in quotes, has the shell insert the name, and begins the text again.)
define compile_src
$(call say,nvcc,'"$$(printf '%s\n' "$$SRC" | mk/clean)"')
mkdir -p $(@D)
$(3) $(BUILD)/confine "$(PTXAS)" $(@D) $(<D) $(call folder_of,$(lab)) \
    mk/source compile $< $(@:.o=.d) "$(NVCC)" -c $(subst $(comma)-Werror,,$(NVCC_FLAGS)) $(call fast,$<) $(1) -o $@.$$$$
endef
