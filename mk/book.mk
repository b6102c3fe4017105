# The programs of book/, and what is put into the texts: make book-streams, make glossary.
#
#   build/book/streams/play-sim     book/streams.cu + the simulator
#   build/book/streams/play-gpu     book/streams.cu + the CUDA runtime: only where there is a GPU
#   build/book/streams/play         runs one of them

BOOK_PROGRAMS := $(basename $(notdir $(wildcard book/*.cu)))
OBJECTS += $(BOOK_PROGRAMS:%=$(BUILD)/book/%/program.o)

#: book-NAME      build and run book/NAME.cu, on a GPU or on the simulator; ARGS="1000000": its sizes
.PHONY: $(BOOK_PROGRAMS:%=book-%)
$(BOOK_PROGRAMS:%=book-%): book-%: $(BUILD)/book/%/play
	$(call say,run,$< $(ARGS))
	@$< $(ARGS)
book-%: export GOAL = $@
book-%:
	@echo "There is no $$GOAL; there are: $(BOOK_PROGRAMS:%=book-%)." >&2; exit 2

$(BOOK_PROGRAMS:%=$(BUILD)/book/%/program.o): $(BUILD)/book/%/program.o: book/%.cu $(BUILD)/stamp/nvcc
	$(call compile_cu)
$(BOOK_PROGRAMS:%=$(BUILD)/book/%/play-sim): $(BUILD)/book/%/play-sim: $(BUILD)/book/%/program.o $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$(call link,$(CXX),$(SIM_LIBRARIES))
$(BOOK_PROGRAMS:%=$(BUILD)/book/%/play-gpu): $(BUILD)/book/%/play-gpu: $(BUILD)/book/%/program.o $(BUILD)/stamp/link
	$(call link,$(CXX),$(GPU_LIBRARIES))
$(BOOK_PROGRAMS:%=$(BUILD)/book/%/play): $(BUILD)/book/%/play: mk/play $(BUILD)/book/%/play-sim \
    $(if $(FOR_GPU),$(BUILD)/book/%/play-gpu)
	$(if $(FOR_GPU),,rm -f $(@D)/play-gpu)
	cp $< $@

#: numbers        puts the figures of docs/evidence/data/ into the texts where these mark them (developers)
#: glossary       puts links to and from book/glossary.md into the texts, and makes book/index.md (developers)
.PHONY: numbers glossary
numbers:
	@book/tools/numbers put
glossary:
	@book/tools/glossary put

#: pictures       draws the notes' pictures of runs in the simulator: labNN_.../pictures, as picture/notes lists them
.PHONY: pictures
pictures:
	@BUILD=$(BUILD) picture/draw

# Lab 02's transpose under Nsight Compute and on the simulator (book/profiling.md).
#: profile-transpose  lab 02's transpose: the simulator's counters, and Nsight Compute's beside them where there is a GPU;
#:                  ARGS=2048: rows and columns
.PHONY: profile-transpose
profile-transpose: $(BUILD)/profile/transpose-sim $(if $(FOR_GPU),$(BUILD)/profile/transpose-gpu)
	$(if $(FOR_GPU),,rm -f $(BUILD)/profile/transpose-gpu)
	@bench/profile_transpose $(BUILD) $(ARGS)
OBJECTS += $(BUILD)/profile/transpose-sim.o $(BUILD)/profile/transpose-gpu.o
$(BUILD)/profile/transpose-sim.o $(BUILD)/profile/transpose-gpu.o: $(BUILD)/profile/transpose-%.o: bench/transpose.c $(BUILD)/stamp/c
	$(call compile_c,$(if $(filter sim,$*),-DON_SIMULATOR))
$(BUILD)/profile/transpose-sim: $(BUILD)/profile/transpose-sim.o $(BUILD)/lab02/float/solution/student.o \
    $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$(call link,$(CXX),$(SIM_LIBRARIES))
$(BUILD)/profile/transpose-gpu: $(BUILD)/profile/transpose-gpu.o $(BUILD)/lab02/float/solution/student.o $(BUILD)/stamp/link
	$(call link,$(CXX),$(GPU_LIBRARIES))

# The book as pages: book/site/README.md.
#
#   build/site/venv        Sphinx and its neighbors, as book/requirements.txt pins them
#   build/site/recorded    the runs that the front page replays, and the frames of pictures with sliders
#   build/site/frames      draws them
#   build/site/source      the texts, as Sphinx takes them
#   build/book             the pages: index.html
SITE := $(BUILD)/site
SITE_PYTHON = $(SITE)/venv/bin/python
SITE_SOURCES := $(wildcard book/site/* book/site/static/*)
SITE_TEXTS := $(wildcard *.md lab[0-9][0-9]_*/*.md lab[0-9][0-9]_*/*/*.md lab[0-9][0-9]_*/*.cu book/*.md book/*/*.md \
    docs/*.md docs/*/*.md lab[0-9][0-9]_*/pictures/*.svg)

#: book           all notes and chapters as pages, build/book/index.html: needs python3 with venv, and the network once
#: book-pdf       the same as one file, build/book/cuda-labs.pdf; needs Pango's library
.PHONY: book book-pdf
book: $(BUILD)/book/index.html
	@echo "  built    $<"
book-pdf: $(BUILD)/book/cuda-labs.pdf
	@echo "  built    $<"
$(SITE)/venv/installed: book/requirements.txt
	$(call say,install,$(@D))
	python3 -m venv $(@D)
	$(SITE_PYTHON) -m pip install -q --disable-pip-version-check -r $<
	touch $@
$(SITE)/recorded/recorded.js: book/site/record.py book/site/sums.cu picture/cut.awk lab02_shared_memory/solution.cu \
    $(SITE)/venv/installed
	$(call say,record,$@)
	env -u SOLUTION -u SRC -u REAL -u MAKEFLAGS $(SITE_PYTHON) $< $(BUILD) $(@D)
# Pictures with sliders: book/site/frames.c draws each of a run.
OBJECTS += $(SITE)/frames.o $(SITE)/frame_kernels.o
$(SITE)/frames.o: book/site/frames.c $(BUILD)/stamp/c
	$(call compile_c)
$(SITE)/frame_kernels.o: book/site/frame_kernels.cu $(BUILD)/stamp/nvcc
	$(call compile_cu)
$(SITE)/frames: $(SITE)/frames.o $(SITE)/frame_kernels.o $(BUILD)/lab01/float/solution/student.o $(PICTURE_OBJECTS) \
    $(BUILD)/sim/libsim.a $(BUILD)/stamp/link
	$(call link,$(CXX),$(SIM_LIBRARIES))
$(SITE)/recorded/frames.js: book/site/frames.py $(SITE)/frames picture/cut.awk
	$(call say,draw,$@)
	python3 $< $(SITE)/frames $(@D)
$(BUILD)/book/index.html: $(SITE)/recorded/recorded.js $(SITE)/recorded/frames.js $(SITE_SOURCES) $(SITE_TEXTS)
	$(call say,pages,$@)
	$(SITE_PYTHON) book/site/stage.py $(SITE)/source
	BOOK_MADE=$(abspath $(SITE)/recorded) $(SITE_PYTHON) -m sphinx -q -b html -c book/site -d $(SITE)/doctrees \
	    $(SITE)/source $(SITE)/pages
	$(SITE_PYTHON) book/site/links.py $(SITE)/pages
	mkdir -p $(@D)
	cp -R $(SITE)/pages/. $(@D)
	touch $@
$(BUILD)/book/cuda-labs.pdf: $(BUILD)/book/index.html book/site/pdf.py
	$(call say,pages,$@)
	$(SITE_PYTHON) book/site/pdf.py $(SITE)/pages $@
