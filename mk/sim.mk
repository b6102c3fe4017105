# The simulator: build/sim/libsim.a, which takes the place of the CUDA runtime library; build/sim/simcc; and for tests
# of its parts build/sim/libsim-internals.a.

SIM_SOURCES := $(sort $(wildcard sim/*/*.c))
SIM_FLAGS = $(C_FLAGS) -ffp-contract=off -fno-math-errno

# The loops over lanes are compiled a second time for AVX2; which ones run is decided when a program starts. Where this
# machine has AVX2, the others are there for one that has not, and for tests.
AVX2 := $(filter x86_64,$(shell uname -m))
HAVE_AVX2 := $(if $(AVX2),$(shell grep -qw avx2 /proc/cpuinfo 2>/dev/null && echo 1))
SIM_AVX2 = -mavx2 -mfma -mf16c -mbmi2 -DSIM_ISA=avx2
SIM_OBJECTS := $(SIM_SOURCES:%.c=$(BUILD)/%.o) \
    $(if $(AVX2),$(patsubst %.c,$(BUILD)/%.avx2.o,$(filter sim/machine/exec_simd%,$(SIM_SOURCES))))
OBJECTS += $(SIM_OBJECTS)

# What is done once per program or per launch, and what is done per instruction, per access and per lane.
COLD_FOLDERS := api decode device ptx stream text
$(foreach folder,$(COLD_FOLDERS),$(eval $(BUILD)/sim/$(folder)/%.o: private OPTIMIZE = $(COLD)))
$(BUILD)/sim/machine/%.o: private OPTIMIZE = $(LOOPS)
$(BUILD)/sim/machine/exec_simd_%.o: private OPTIMIZE = $(if $(HAVE_AVX2),$(COLD),$(LOOPS))
$(BUILD)/sim/machine/exec_simd_%.avx2.o: private OPTIMIZE = $(LOOPS)
# No lab computes in half precision.
$(BUILD)/sim/machine/exec_simd_half.avx2.o: private OPTIMIZE = -O1

# Shared libraries with kernels need the simulator as well (-fPIC). What only the simulator calls is hidden, and is
# compiled as for a program.
HIDDEN = -fPIC -fvisibility=hidden
$(patsubst %.c,$(BUILD)/%.o,$(wildcard sim/api/*.c)): HIDDEN = -fPIC

stamp_sim = -fPIC -fvisibility=hidden $(CC) $(CC_VERSION) $(SIM_FLAGS) $(COLD) $(HOT) $(LOOPS) $(SIM_AVX2) $(NVCC_VERSION)
stamp_sim_sources = $(SIM_SOURCES)
$(foreach name,sim sim_sources,$(eval $(call stamp,$(name))))

# compile_sim(flags, remark); with sanitizers, only the loops over lanes that this machine does not run are not optimized
define compile_sim
$(call say,cc,$<$(2))
mkdir -p $(@D)
$(CC) $(SIM_FLAGS) $(HIDDEN) $(if $(SANITIZE),$(if $(filter $(COLD)/sim/machine,$(OPTIMIZE)/$(<D)),$(COLD),-O1),$(OPTIMIZE)) $(1) $(to_object)
endef
$(BUILD)/sim/%.o: sim/%.c $(BUILD)/stamp/sim
	$(call compile_sim)
# The time model has the toolkit's assembler make machine code.
$(BUILD)/sim/model/assemble.o: sim/model/assemble.c $(BUILD)/stamp/sim
	$(call compile_sim,-DSIM_PTXAS='"$(PTXAS)"')
$(BUILD)/sim/%.avx2.o: sim/%.c $(BUILD)/stamp/sim
	$(call compile_sim,$(SIM_AVX2), (AVX2))

#: sim            build/sim/libsim.a, the simulator, which replaces the CUDA runtime library; and
#:                  build/sim/simcc: nvcc for programs that run on it
.PHONY: sim
sim: $(BUILD)/sim/libsim.a $(BUILD)/sim/simcc
	$(nothing)

# A program that is linked with libsim.a may call its own functions arena_create or api: the library gives away no
# other names than cuda*, __cuda* and sim_*. So all objects are joined into one, in which every other name is made
# local.
$(BUILD)/sim/libsim.o: $(SIM_OBJECTS) $(BUILD)/stamp/sim_sources
	$(call joined,cuda* __cuda* sim_*)
$(BUILD)/sim/libsim.a: $(BUILD)/sim/libsim.o
	$(archive)

# With all its names, for the tests of its parts.
$(BUILD)/sim/libsim-internals.a: $(SIM_OBJECTS) $(BUILD)/stamp/sim_sources
	$(archive)

# Shared libraries with kernels share one simulator: that of the program that loads them, or this one.
$(BUILD)/sim/runtime/libcudart.so: $(BUILD)/sim/libsim.o
	mkdir -p $(@D)
	$(CC) $(SANITIZER) -shared -Wl,-soname,libcudart.so -Wl,-z,nodelete -o $@ $< -lm -lpthread

# For nvcc's link: libsim.a as it calls the runtime library, the names by which shared libraries find the simulator of
# the program that loads them, and for toolkits without one a libcudadevrt.a with nothing in it.
$(BUILD)/sim/simcc: mk/simcc mk/simcc.cmake $(BUILD)/toolkit.mk $(BUILD)/sim/runtime/libcudart.so
	mkdir -p $(@D)/runtime/none
	ln -sf ../libsim.a $(@D)/runtime/libcudart_static.a
	echo '{ cuda*; __cuda*; };' >$(@D)/runtime/names
	printf '!<arch>\n' >$(@D)/runtime/none/libcudadevrt.a
	cp mk/simcc.cmake $(@D)
	sed 's|@NVCC@|"$(NVCC)"|; s|@TOOLKIT@|$(NVCC_VERSION)|' $< >$@ && chmod +x $@

#: install        simcc, its library, headers and manual page under PREFIX (/usr/local); DESTDIR= before it as usual
#: uninstall      removes them
PREFIX ?= /usr/local
install uninstall: export INSTALLED = $(DESTDIR)$(PREFIX)
prefix = "$$INSTALLED"
remove_installed = rm -rf $(addprefix $(prefix)/,lib/simcc include/simcc bin/simcc share/man/man1/simcc.1)
.PHONY: install uninstall
install: sim
	$(remove_installed)
	mkdir -p $(prefix)/bin $(prefix)/lib/simcc $(prefix)/include/simcc $(prefix)/share/man/man1
	cp -RP $(addprefix $(BUILD)/sim/,libsim.a simcc simcc.cmake runtime) $(prefix)/lib/simcc
	ln -s ../lib/simcc/simcc $(prefix)/bin/simcc
	tar -cf - $(filter %.h,$(shell $(CC) -MM -I. sim/device/sim.h)) | tar -xf - -C $(prefix)/include/simcc
	cp mk/simcc.1 $(prefix)/share/man/man1
uninstall:
	$(remove_installed)
