# For developers: editors, checkers, coverage. Included by the Makefile.

# Every object there is: make says, without running it, how each would be compiled.
DEV_GOALS = sim unit-tests fuzz-targets traffic gpu-programs calibrate solutions skeletons bench-sim bench-gpu \
    bench-conv bench-matmul ladder $(API_TESTS) $(BUILD)/tests/hazards/suite $(BUILD)/tests/hazards/threads
DEV_SOURCES = $(sort $(wildcard sim/*/*.c picture/*.c harness/*.c harness/*/*.c harness/*/*.cu class/*.c bench/*.c bench/*.cu \
    lab[0-9][0-9]_*/*.c lab[0-9][0-9]_*/*.cu lab[0-9][0-9]_*/steps/*.cu) \
    $(filter-out tests/unit/samples/%,$(shell find tests -name '*.c' -o -name '*.cu')))

#: compile_commands  build/compile_commands.json, for clangd and other tools; .cu files as clang compiles them
.PHONY: compile_commands
compile_commands: $(BUILD)/bench/conv_steps.h
	MAKEFLAGS= $(MAKE) -n -B V=1 BUILD=$(BUILD) CC='$(CC)' CXX='$(CXX)' NVCC='$(NVCC)' $(DEV_GOALS) >$(BUILD)/commands.txt
	mk/compile_commands "$(CUDA_INCLUDE)" $(DEV_SOURCES) <$(BUILD)/commands.txt >$(BUILD)/compile_commands.json.new
	mv $(BUILD)/compile_commands.json.new $(BUILD)/compile_commands.json

#: lint           clang-tidy, cppcheck and shellcheck, whichever are installed: findings of any fail
.PHONY: lint
lint: compile_commands
	@BUILD=$(BUILD) mk/lint

#: coverage       which lines the tests run, per folder; about 20 minutes
.PHONY: coverage
coverage:
	@tests/coverage
