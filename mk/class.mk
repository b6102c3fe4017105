# ./grade: a class in one command (class/README.md).

CLASS_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard class/*.c))
OBJECTS += $(CLASS_OBJECTS)
$(CLASS_OBJECTS): private OPTIMIZE = $(COLD)
$(CLASS_OBJECTS): $(BUILD)/class/%.o: class/%.c $(BUILD)/stamp/c
	$(call compile_c)
$(BUILD)/class/grade: $(CLASS_OBJECTS) $(patsubst %,$(BUILD)/harness/%.o,base/json base/clock source/token) $(BUILD)/stamp/link
	$(call link,$(CC))
