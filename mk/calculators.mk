# Calculators, in build/: how many blocks an SM holds, and what layers of networks cost.

CALCULATOR_SOURCES := $(wildcard calculators/*.c)
CALCULATOR_PARTS := $(filter-out %/occupancy.o %/layers.o,$(CALCULATOR_SOURCES:%.c=$(BUILD)/%.o))
PROFILE_PARTS := $(patsubst %,$(BUILD)/sim/%.o,model/profile model/profile_rates model/occupancy text/plain_name)
OBJECTS += $(CALCULATOR_SOURCES:%.c=$(BUILD)/%.o)

$(BUILD)/calculators/%.o: calculators/%.c $(BUILD)/stamp/c
	$(call compile_c)
CALCULATORS := $(BUILD)/occupancy $(BUILD)/layers
$(CALCULATORS): $(BUILD)/%: $(BUILD)/calculators/%.o $(CALCULATOR_PARTS) $(PROFILE_PARTS) $(BUILD)/stamp/link
	$(call link,$(CC),-lm)

#: layers         build/layers: what layers of networks cost, and how blocks fill a GPU; build/layers --help
.PHONY: layers
layers: $(BUILD)/layers
	$(nothing)

# ---- occupancyNN: the kernels of a lab --------------------------------------------------------------------------

OCCUPANCIES := $(LABS:lab%=occupancy%)
ifneq ($(words x$(value DEVICE)x)$(call special_in,$(value DEVICE)),1)
  $(error DEVICE=$(value DEVICE): the name of a GPU, such as h100 or rtx4090)
endif
occupancy_lab = $(@:occupancy%=lab%)
occupancy_file = $(if $(filter src-%,$(KIND)),$(BUILD)/src/$(KIND)/student.cu,$(call folder_of,$(occupancy_lab))/$(KIND).cu)

#: occupancyNN    registers, shared memory and block size of labNN's kernels, and which of them limits how many
#:                  blocks an SM holds; DEVICE=rtx4090 another GPU, ARGS="--block 256", SOLUTION=1, SRC=, REAL=double
.PHONY: $(OCCUPANCIES)
$(OCCUPANCIES): $(BUILD)/occupancy $(BUILD)/toolkit.mk
	mkdir -p $(BUILD)/$(occupancy_lab)
	code=$$($< $(if $(DEVICE),--device $(DEVICE)) --code) && report=$(BUILD)/$(occupancy_lab)/ptxas.$$$$ && \
	{ "$(NVCC)" -cubin -arch=sm_$$code -O3 -std=c++17 -I. -I$(call folder_of,$(occupancy_lab)) $(REAL_FLAGS_$(REAL)) \
	    -Xptxas -v -o $$report.cubin $(occupancy_file) >$$report 2>&1 || { cat $$report >&2; rm -f $$report; exit 2; }; } && \
	$< $(if $(DEVICE),--device $(DEVICE)) $(ARGS) $$report; status=$$?; rm -f $$report $$report.cubin; exit $$status
occupancy%: export GOAL = $@
occupancy%:
	@echo "There is no $$GOAL; there are: $(OCCUPANCIES)." >&2; exit 2

# The unit tests have their parts.
$(BUILD)/tests/unit/unit: $(CALCULATOR_PARTS)
