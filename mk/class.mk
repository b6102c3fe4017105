# For instructors: ./grade, a class in one command (class/README.md); the tree that students get; an autograder for Gradescope.

CLASS_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard class/*.c))
OBJECTS += $(CLASS_OBJECTS)
$(CLASS_OBJECTS): private OPTIMIZE = $(COLD)
$(CLASS_OBJECTS): $(BUILD)/class/%.o: class/%.c $(BUILD)/stamp/c
	$(call compile_c)
$(BUILD)/class/grade: $(CLASS_OBJECTS) $(patsubst %,$(BUILD)/harness/%.o,base/json base/clean base/clock base/tree source/token) $(BUILD)/stamp/link
	$(call link,$(CC))

#: handout        the tree that students get, without solutions, steps and tests: in build/handout, or HANDOUT=FOLDER
.PHONY: handout
handout: export HANDOUT ?= $(BUILD)/handout
handout:
	@mk/handout "$$HANDOUT" && echo "  $$HANDOUT"

#: gradescope     LAB=lab03: an autograder for Gradescope, build/gradescope-lab03.zip; SETTINGS=FILE: of ./grade
.PHONY: gradescope
gradescope: export GRADESCOPE_LAB = $(LAB)
gradescope: export GRADESCOPE_SETTINGS = $(SETTINGS)
gradescope:
	@mk/gradescope "$$GRADESCOPE_LAB" "$(BUILD)/gradescope-$$GRADESCOPE_LAB.zip" "$$GRADESCOPE_SETTINGS" && \
	    echo "  $(BUILD)/gradescope-$$GRADESCOPE_LAB.zip"
