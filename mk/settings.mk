# What may be set by hand, checked: REAL=, SRC=, SOLUTION=.

ifeq ($(filter float double,$(REAL)),)
  $(error REAL=$(REAL): there are float and double)
endif
ifneq ($(SRC),)
  ifeq ($(shell test -r '$(SRC)' && echo yes),)
    $(error SRC=$(SRC): there is no such file)
  endif
endif
empty :=
space := $(empty) $(empty)

# Which file is graded: the last part of its folder in build/.
KIND := $(if $(SRC),src-$(firstword $(shell printf '%s' '$(SRC)' | cksum)),$(if $(SOLUTION),solution,skeleton))
