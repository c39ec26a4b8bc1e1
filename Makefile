# Glovebox. Start with `make try`; `make help` lists the rest.
MODE ?= release
# make V=1 shows whole commands.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' $1 $2)
BUILD := build$(if $(filter-out release,$(MODE)),-$(MODE))
CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
PREFIX ?= /usr/local
VERSION := 0.1.0

WARN := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wwrite-strings -Wpointer-arith -Wundef -Wvla -Wformat=2 \
	-Wimplicit-fallthrough -Wswitch-enum $(if $(WERROR),-Werror)
HARDEN := -fstack-protector-strong -fstack-clash-protection \
	$(if $(filter x86_64,$(shell uname -m)),-fcf-protection)
FLAGS_release := -O2 -g -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 $(HARDEN)
FLAGS_debug := -O0 -g
FLAGS_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_tsan := -O1 -g -fsanitize=thread -fno-omit-frame-pointer
FLAGS_cov := -O0 -g --coverage
FLAGS_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
# The floors of src, from the ground up. A file sees its own floor and those below it, so the compiler itself refuses
# an include that goes up; tools/check-layers looks at the rest.
FLOORS := base reading wall backends runs models doors
SEES := $(FLOORS:%=-Isrc/%)
CPPFLAGS = -D_GNU_SOURCE $(SEES) -Iinclude -I$(BUILD)/gen -DGLOVEBOX_VERSION='"$(VERSION)"' \
	-DGLOVEBOX_LIBEXEC='"$(PREFIX)/lib/glovebox"'
define floor_sees
below := $(below) -Isrc/$1
$(foreach made,$(BUILD) $(BUILD)/helper $(BUILD)/zygote,$(made)/src/$1/%.o): SEES := $(below) -Isrc/$1
endef
$(foreach floor,$(FLOORS),$(eval $(call floor_sees,$(floor))))
# The sources of these rooms, whatever their floor.
rooms = $(wildcard $(patsubst %,src/*/%/*.c,$1))
# Some files of one room.
files = $(patsubst %,src/$1/%.c,$2)
CFLAGS := -std=c17 $(WARN) -fno-common -fvisibility=hidden -fPIC $(FLAGS_$(MODE))
LDHARD := -Wl,-z,relro,-z,now,-z,noexecstack
LDFLAGS := $(filter -fsanitize% --coverage,$(FLAGS_$(MODE)))
# musl, where it is, starts the helper 0.3 ms sooner than glibc (which asks the processor for its features
# some thirty times, each a trap in a virtual machine) and makes it six times smaller.
MUSL := $(shell command -v musl-gcc 2>/dev/null)
JAIL_CC := $(CC)
ifneq ($(and $(MUSL),$(filter gcc,$(CC))),)
JAIL_CC := $(MUSL) -idirafter /usr/include -idirafter /usr/include/$(shell $(CC) -dumpmachine)
endif
# The helper and the programs that run inside the wall are never built with sanitizers: those want
# /proc and huge mappings, which the wall takes away. Its logic is unit-tested with them.
JAIL_CFLAGS := -std=c17 $(WARN) -fno-common $(FLAGS_$(if $(filter asan tsan cov,$(MODE)),debug,$(MODE)))

ZYGOTE_CFLAGS := $(JAIL_CFLAGS) -fPIC -fvisibility=hidden

# Of the network, the library has what reaches a model or a container engine.
LIB_NET := $(call files,base/net,child fetch fetch_wire url http_client http_chunks http_text http_head stream_piece)
# Of the room network, the library has the rules and its end of the line; the rest is glovebox-net.
NET_SHARED := $(call files,wall/network,address rules rows)
NET_DECODERS := $(call files,wall/network,dns hello names proxy_head)
NET_OWN := $(filter-out $(NET_SHARED) src/wall/network/network.c,$(call rooms,network))
LIB_SRC := $(filter-out $(NET_OWN) $(call rooms,net terminal fetch inside helper zygote hosting),$(wildcard \
	$(patsubst %,src/%/*/*.c,$(filter-out doors,$(FLOORS))))) $(call rooms,api) $(LIB_NET)
# The helper, what a zygote loads, and what both share with the library.
JAIL_SHARED := $(call files,base/base,err mem str buf wire num fd clock) src/wall/limits/layers.c \
	$(call files,wall/jail,spec filter landlock)
JAIL_SRC := $(call rooms,inside helper) $(call files,wall/jail,lay host_box caps contained_wire) \
	src/wall/limits/proc_stat.c $(JAIL_SHARED)
ZYGOTE_SRC := $(call rooms,zygote) $(call files,wall/inside,guest spaces) $(JAIL_SHARED)
CLI_SRC := $(filter-out $(LIB_NET),$(filter-out $(call rooms,api),$(wildcard src/doors/*/*.c)) \
	$(call rooms,net terminal hosting))
# The program that is linked with libcurl, and what it shares with the others.
FETCH_SRC := $(call rooms,fetch) $(call files,base/net,fetch_wire url) \
	$(call files,base/base,err mem str buf wire num fd clock utf8) src/base/formats/printable.c
FETCH_OBJ := $(FETCH_SRC:%.c=$(BUILD)/%.o)
# The program that carries a guest's network, and what it shares with the others.
NET_SRC := $(NET_OWN) $(NET_SHARED) $(call files,wall/jail,landlock caps) \
	$(call files,base/base,err mem str buf wire num fd clock suggestion)
NET_OBJ := $(NET_SRC:%.c=$(BUILD)/%.o)
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o) $(BUILD)/gen/guests.o $(BUILD)/gen/python_boot.o \
	$(BUILD)/gen/judge_code.o $(BUILD)/gen/cells_code.o $(BUILD)/gen/rich_code.o \
	$(BUILD)/gen/suite_tests_code.o $(BUILD)/gen/suite_candidate_code.o $(BUILD)/gen/prompts.o $(BUILD)/gen/prices.o
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o) $(BUILD)/gen/help_texts.o
# A zygote's part is for the host's own libc: the last steps into a jail.
ZYGOTE_OBJ := $(ZYGOTE_SRC:%.c=$(BUILD)/zygote/%.o)
JAIL_OBJ := $(JAIL_SRC:%.c=$(BUILD)/helper/%.o)

# The program carries everything inside: resolving shared libraries is a third of its start-up time. Sanitizers
# need a dynamic one.
PROGRAM_LINK := $(if $(filter release debug,$(MODE)),-static-pie,-pie)
PROGRAM_LIBS := -levent_extra -levent_pthreads -levent_core -lsqlite3 -ljansson -lutf8proc -lz -lm -ledit -ltinfo -lbsd -lmd
SHARED_LIBS := -lsqlite3 -ljansson -lutf8proc -lz -lm

# What test programs link: of an archive the linker reads only what they use.
TEST_LIB := $(BUILD)/tests/library.a

UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/%)

FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_REPLAY := $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/replay/%)

.PHONY: all help try setup check check-build check-tests check-v2 unit cli escape wall limits net soak python guard cells session warm http forks cheats llm mcp docker e2b replay \
	backends oom fuzz lint format stats bench install uninstall wheel schemas clean example

## make            build into build/ (other modes: make MODE=debug|asan|tsan|cov, into build-MODE/)
all: $(BUILD)/glovebox $(BUILD)/glovebox-jail $(BUILD)/glovebox-fetch $(BUILD)/glovebox-net $(BUILD)/glovebox-zygote.so $(BUILD)/libglovebox.so $(BUILD)/libglovebox.a

help:
	@sed -n 's/^## //p' $(firstword $(MAKEFILE_LIST))

## make try        set this machine up, build, and show the main job
try:
	@tools/setup build
	@$(MAKE) -j$$(nproc) all
	@tools/try

## make setup      install the system packages that building and testing need
setup:
	@tools/setup build test

## make check      set up, build and test everything that CI tests
check: setup
	@tools/check

## make lint       layers, style, formatting, clang-tidy
lint: $(addprefix $(BUILD)/gen/,filter_tables.h codec_tables.h unicode_tables.h grammar_tables.h)
	tools/check-layers
	tools/check-style
	tools/check-format
	tools/check-tidy

$(BUILD)/glovebox: $(CLI_OBJ) $(LIB_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(LDHARD) $(PROGRAM_LINK) -o $@ $^ $(PROGRAM_LIBS) 2>$@.said || \
		{ cat $@.said >&2; exit 1; }
	$(Q)! grep -viE 'statically linked applications|in function .*:$$' $@.said >&2

# It writes down what it parses, for tests/guard.
$(BUILD)/glovebox-parses: tests/guard/count_parses.c $(CLI_OBJ) $(LIB_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(LDHARD) -Wl,--wrap=python_parse -o $@ $^ $(PROGRAM_LIBS)

# It has what the conformance suite of MCP asks a server for, for tests/mcp.
FIXTURE_WRAPS := tool_find tools_list resources_read mcp_handle
$(BUILD)/glovebox-fixtures: $(wildcard tests/mcp/*.c) $(CLI_OBJ) $(LIB_OBJ) tests/mcp/fixtures.h
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) -Itests/mcp $(CFLAGS) $(LDFLAGS) $(LDHARD) $(FIXTURE_WRAPS:%=-Wl,--wrap=%) -o $@ $(filter-out %.h,$^) $(PROGRAM_LIBS)

$(BUILD)/glovebox-jail: $(JAIL_OBJ)
	$(call say,LD,$@)
	$(Q)$(JAIL_CC) $(JAIL_CFLAGS) $(LDHARD) -static -o $@ $^

$(BUILD)/glovebox-fetch: $(FETCH_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(LDHARD) -pie -o $@ $^ -lcurl

$(BUILD)/glovebox-net: $(NET_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(LDHARD) -pie -o $@ $^ -pthread

$(BUILD)/glovebox-zygote.so: $(ZYGOTE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ZYGOTE_CFLAGS) $(LDHARD) -shared -o $@ $^

$(BUILD)/libglovebox.so: $(LIB_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(LDHARD) -shared -Wl,-soname,libglovebox.so.0 -o $@ $^ $(SHARED_LIBS)
	ln -sf libglovebox.so $@.0

# One relocatable object whose internal names are local, so that they cannot collide with a host's.
$(BUILD)/libglovebox.a: $(LIB_OBJ)
	$(Q)ld -r -o $(BUILD)/libglovebox.o $^
	$(Q)objcopy --localize-hidden $(BUILD)/libglovebox.o
	$(Q)rm -f $@
	$(Q)ar rcs $@ $(BUILD)/libglovebox.o

$(BUILD)/%.o: %.c Makefile | $(BUILD)/gen/filter_tables.h
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/zygote/%.o: %.c Makefile | $(BUILD)/gen/filter_tables.h
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) $(ZYGOTE_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/helper/%.o: %.c Makefile | $(BUILD)/gen/filter_tables.h
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(JAIL_CC) $(CPPFLAGS) $(JAIL_CFLAGS) -MMD -MP -c -o $@ $<

# The system call filter: names become numbers here, once, by libseccomp; it is not needed at run time.
$(BUILD)/make-filter: tools/make-filter.c tools/filter-asking.h tools/filter-actions.h tools/bpf-builder.h src/wall/jail/syscalls.def src/wall/jail/filter.h Makefile
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARN) -O1 -o $@ $< -lseccomp

$(BUILD)/gen/filter_tables.h: $(BUILD)/make-filter
	@mkdir -p $(@D)
	$(Q)$(BUILD)/make-filter > $@.new
	$(Q)mv $@.new $@

# What Unicode says of characters, and the grammar that explains wrong programs, as tables.
UCD := /usr/share/unicode
$(BUILD)/make-unicode: tools/make-unicode.c src/reading/syntax/unicode_hash.h Makefile
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARN) -O1 -o $@ $<

$(BUILD)/gen/unicode_tables.h: $(BUILD)/make-unicode
	@mkdir -p $(@D)
	$(Q)$(BUILD)/make-unicode $(UCD) > $@.new
	$(Q)mv $@.new $@

$(BUILD)/make-grammar: tools/make-grammar.c tools/grammar-reader.h tools/grammar-data.h src/reading/syntax/tokens.def Makefile
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARN) -O1 -o $@ $<

$(BUILD)/gen/grammar_tables.h: $(BUILD)/make-grammar src/reading/python/grammar.peg
	@mkdir -p $(@D)
	$(Q)$(BUILD)/make-grammar src/reading/python/grammar.peg > $@.new
	$(Q)mv $@.new $@

$(BUILD)/gen/codec_tables.h: tools/make-codecs
	@mkdir -p $(@D)
	$(Q)tools/make-codecs > $@.new
	$(Q)mv $@.new $@

$(BUILD)/src/reading/syntax/unicode.o: $(BUILD)/gen/unicode_tables.h
$(BUILD)/src/reading/syntax/codec.o: $(BUILD)/gen/codec_tables.h
$(patsubst %.c,$(BUILD)/%.o,$(wildcard src/*/*/explain_*.c)): $(BUILD)/gen/grammar_tables.h

# The runner's text, in two files: others need the first as well.
RUNNER := $(BUILD)/gen/python_runner.py
$(RUNNER): src/wall/guests/packages.py src/wall/guests/python_runner.py
	@mkdir -p $(@D)
	$(Q)cat $^ > $@

GUESTS := $(filter-out %.h src/wall/guests/python_runner.py,$(wildcard src/wall/guests/*.*)) $(RUNNER)
$(BUILD)/gen/guests.c: tools/embed $(GUESTS)
	@mkdir -p $(@D)
	$(Q)tools/embed languages/guests.h guest $(GUESTS) > $@.new
	$(Q)mv $@.new $@

HELP_TEXTS := $(wildcard docs/help/*.txt)
$(BUILD)/gen/help_texts.c: tools/embed-help docs/help/ $(HELP_TEXTS)
	@mkdir -p $(@D)
	$(Q)tools/embed-help $(HELP_TEXTS) > $@.new
	$(Q)mv $@.new $@

# The prompts for models and their prices, as strings: prompt_generate_md, llm_prices_txt.
PROMPTS := $(wildcard prompts/*.md)
$(BUILD)/gen/prompts.c: tools/embed prompts/ $(PROMPTS)
	@mkdir -p $(@D)
	$(Q)tools/embed llm/prompts.h prompt $(PROMPTS) > $@.new
	$(Q)mv $@.new $@

$(BUILD)/gen/prices.c: tools/embed src/models/llm/prices.txt
	@mkdir -p $(@D)
	$(Q)tools/embed llm/prices.h llm src/models/llm/prices.txt > $@.new
	$(Q)mv $@.new $@

$(BUILD)/gen/python_boot.c: tools/embed-bytecode $(RUNNER)
	@mkdir -p $(@D)
	$(Q)tools/embed-bytecode $(RUNNER) > $@.new
	$(Q)mv $@.new $@

DRIVER := $(patsubst %,src/wall/guests/%.py,judge_codec packages judge_driver)
$(BUILD)/gen/judge_code.c: tools/embed-driver $(DRIVER)
	@mkdir -p $(@D)
	$(Q)tools/embed-driver $(DRIVER) > $@.new
	$(Q)mv $@.new $@

CELLS := $(patsubst %,src/wall/guests/%.py,judge_codec cells_charts cells_rich cells_hooks cells_values cells_frames \
	cells_decode cells_compile cells_tools packages cells_process cells_python)
$(BUILD)/gen/cells_code.c: tools/embed-driver $(CELLS)
	@mkdir -p $(@D)
	$(Q)tools/embed-driver $(CELLS) | sed 's/guest_judge_/guest_cells_/' > $@.new
	$(Q)mv $@.new $@

RICH := $(patsubst %,src/wall/guests/%.py,rich_begin cells_charts cells_rich cells_hooks rich_run)
$(BUILD)/gen/rich_code.c: tools/embed-rich $(RICH)
	@mkdir -p $(@D)
	$(Q)tools/embed-rich $(RICH) > $@.new
	$(Q)mv $@.new $@

SUITE := $(patsubst %,src/wall/guests/%.py,judge_codec suite_link suite_tables)
SUITE_TESTS := $(SUITE) $(patsubst %,src/wall/guests/suite_%.py,remote names checks forms tests)
SUITE_CANDIDATE := $(SUITE) src/wall/guests/suite_candidate.py
$(BUILD)/gen/suite_tests_code.c: $(SUITE_TESTS)
$(BUILD)/gen/suite_candidate_code.c: $(SUITE_CANDIDATE)
$(BUILD)/gen/suite_tests_code.c $(BUILD)/gen/suite_candidate_code.c: $(BUILD)/gen/suite_%_code.c: tools/embed-driver
	@mkdir -p $(@D)
	$(Q)tools/embed-driver $(filter %.py,$^) | sed 's/guest_judge_/guest_suite_$*_/' > $@.new
	$(Q)mv $@.new $@

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c
	$(call say,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# A thin one: a list of the objects.
$(TEST_LIB): $(LIB_OBJ) $(filter-out %/cli/main.o,$(CLI_OBJ)) $(NET_DECODERS:%.c=$(BUILD)/%.o)
	@mkdir -p $(@D)
	$(Q)rm -f $@
	$(Q)ar rcsT $@ $^

$(BUILD)/tests/%: tests/unit/%.c $(TEST_LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(TEST_LIB) $(SHARED_LIBS) -lseccomp -levent_core

# The front end as a service for tests/python, and timed for bench/run.
$(BUILD)/tests/feed: tests/python/feed.c $(TEST_LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(TEST_LIB) $(SHARED_LIBS)

# Sessions as a service for tests/session.
$(BUILD)/tests/session-feed: tests/session/feed.c $(TEST_LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(TEST_LIB) $(SHARED_LIBS)

# Warm runs as a service for tests/warm.
$(BUILD)/tests/warm-feed: tests/warm/feed.c $(TEST_LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(TEST_LIB) $(SHARED_LIBS)

# The library while its allocations fail, one at a time.
$(BUILD)/tests/oom: tests/oom/oom.c $(wildcard tests/oom/*.h) tests/tap.h $(TEST_LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -o $@ $< $(TEST_LIB) $(SHARED_LIBS)

# The contract of a backend, held against all of them and a fake one.
$(BUILD)/tests/backends: $(wildcard tests/backends/*.c) $(wildcard tests/backends/*.h) tests/tap.h $(TEST_LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.c,$^) $(TEST_LIB) $(SHARED_LIBS)

# Programs of the bench that need nothing of ours.
$(BUILD)/bench/interleave $(BUILD)/bench/clients: $(BUILD)/bench/%: bench/%.c
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -D_GNU_SOURCE -std=c17 $(WARN) -O2 -o $@ $<

$(BUILD)/bench/%: bench/%.c $(TEST_LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(TEST_LIB) $(SHARED_LIBS)

## make unit       the unit tests
unit: $(UNIT_BIN)
	@tests/run-tap $(UNIT_BIN)

## make cli escape wall limits net soak python guard cells session warm http forks cheats llm mcp docker e2b    tests of the program from outside
cli escape wall limits net soak python guard cells session warm http forks cheats llm mcp docker e2b: all example $(BUILD)/tests/feed \
		$(BUILD)/tests/session-feed $(BUILD)/tests/warm-feed $(BUILD)/tests/backends $(BUILD)/glovebox-parses
	@tests/run-outside $@

## make check-v2   the cgroup tests on a kernel with cgroup v2, in a virtual machine (minutes)
check-v2: all $(UNIT_BIN)
	tests/v2/run

## make example    the programs in examples/, against the shared library
example: $(BUILD)/example-run $(BUILD)/example-agent $(BUILD)/example-session
$(BUILD)/example-%: examples/%.c $(BUILD)/libglovebox.so
	$(call say,LD,$@)
	$(Q)$(CC) -Iinclude $(CFLAGS) $(LDFLAGS) -o $@ $< -L$(BUILD) -lglovebox -Wl,-rpath,'$$ORIGIN'

## make replay     every input that a fuzzer once found, through the decoders
replay: $(FUZZ_REPLAY)
	@tests/run-tap $(FUZZ_REPLAY)

$(BUILD)/replay/%: tests/fuzz/%.c tests/fuzz/replay.c $(TEST_LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -o $@ $< tests/fuzz/replay.c $(TEST_LIB) $(SHARED_LIBS)

## make backends   the contract of a backend, held against each of them and a fake one
backends: all $(BUILD)/tests/backends
	@tests/run-tap $(BUILD)/tests/backends

## make oom        the library's calls while allocations fail, one at a time (OOM=all for every one)
oom: all $(BUILD)/tests/oom
	@tests/run-tap $(BUILD)/tests/oom

## make fuzz       each fuzzer for FUZZ_SECONDS (60), with clang
fuzz:
	tests/fuzz/run $(or $(FUZZ_SECONDS),60)

$(BUILD)/fuzz/%: tests/fuzz/%.c $(TEST_LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -fsanitize=fuzzer -o $@ $< $(TEST_LIB) $(SHARED_LIBS)

## make bench      the budgets table, beside bare interpreters and other sandboxes where present (PARTS="warm cell" for some)
bench: all $(addprefix $(BUILD)/bench/,parse warm interleave clients) $(BUILD)/tests/session-feed
	@BUILD=$(BUILD) bench/run $(PARTS)

## make format     let clang-format rewrite the sources
format:
	@tools/check-format --fix

## make stats      how long functions and files are, beside what they should be
stats:
	@tools/stats

## make install    into PREFIX (/usr/local); DESTDIR is honoured
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/glovebox $(DESTDIR)$(PREFIX)/include \
		$(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d \
		$(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)$(PREFIX)/lib/systemd/user \
		$(DESTDIR)$(PREFIX)/share/glovebox $(DESTDIR)$(PREFIX)/share/doc/glovebox/docs/python \
		$(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 README.md SECURITY.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md LICENSE \
		$(DESTDIR)$(PREFIX)/share/doc/glovebox
	install -m 644 docs/*.md $(DESTDIR)$(PREFIX)/share/doc/glovebox/docs
	install -m 644 docs/python/*.md $(DESTDIR)$(PREFIX)/share/doc/glovebox/docs/python
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' packaging/glovebox.pc > \
		$(DESTDIR)$(PREFIX)/lib/pkgconfig/glovebox.pc
	install -m 644 packaging/docker-seccomp.json packaging/compose.yaml packaging/kubernetes.yaml \
		$(DESTDIR)$(PREFIX)/share/glovebox
	install $(BUILD)/glovebox $(DESTDIR)$(PREFIX)/bin/glovebox
	install $(BUILD)/glovebox-jail $(DESTDIR)$(PREFIX)/lib/glovebox/glovebox-jail
	install $(BUILD)/glovebox-fetch $(DESTDIR)$(PREFIX)/lib/glovebox/glovebox-fetch
	install $(BUILD)/glovebox-net $(DESTDIR)$(PREFIX)/lib/glovebox/glovebox-net
	install $(BUILD)/glovebox-zygote.so $(DESTDIR)$(PREFIX)/lib/glovebox/glovebox-zygote.so
	install -m 644 $(BUILD)/libglovebox.a $(DESTDIR)$(PREFIX)/lib/libglovebox.a
	install $(BUILD)/libglovebox.so $(DESTDIR)$(PREFIX)/lib/libglovebox.so.0
	ln -sf libglovebox.so.0 $(DESTDIR)$(PREFIX)/lib/libglovebox.so
	install -m 644 include/glovebox.h $(DESTDIR)$(PREFIX)/include/glovebox.h
	sed 's|@PREFIX@|$(PREFIX)|' packaging/glovebox.service > \
		$(DESTDIR)$(PREFIX)/lib/systemd/system/glovebox.service
	install -m 644 packaging/glovebox.socket $(DESTDIR)$(PREFIX)/lib/systemd/system/glovebox.socket
	sed 's|@PREFIX@|$(PREFIX)|' packaging/glovebox-user.service > \
		$(DESTDIR)$(PREFIX)/lib/systemd/user/glovebox.service
	install -m 644 packaging/glovebox-user.socket $(DESTDIR)$(PREFIX)/lib/systemd/user/glovebox.socket
	$(BUILD)/glovebox help --man > $(DESTDIR)$(PREFIX)/share/man/man1/glovebox.1
	for command in $$($(BUILD)/glovebox help --complete -- '' | cut -f1 | grep -v '^-'); do \
		$(BUILD)/glovebox help --man $$command > $(DESTDIR)$(PREFIX)/share/man/man1/glovebox-$$command.1; done
	$(BUILD)/glovebox help --completion > \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/glovebox
	$(BUILD)/glovebox help --completion zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_glovebox
	$(BUILD)/glovebox help --completion fish > \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/glovebox.fish

## make schemas    the options and the results of the Python package, from the rows of settings, verbs and results
schemas: $(BUILD)/glovebox
	sdk/python/make-schemas $<

## make wheel      the Python package with the programs and what they link, for pip, into build/wheel
wheel: all
	sdk/python/make-wheel $(BUILD)

## make uninstall  what install put there
uninstall:
	rm -rf $(DESTDIR)$(PREFIX)/lib/glovebox $(DESTDIR)$(PREFIX)/share/glovebox \
		$(DESTDIR)$(PREFIX)/share/doc/glovebox
	rm -f $(DESTDIR)$(PREFIX)/bin/glovebox $(DESTDIR)$(PREFIX)/lib/libglovebox.a \
		$(DESTDIR)$(PREFIX)/lib/libglovebox.so $(DESTDIR)$(PREFIX)/lib/libglovebox.so.0 \
		$(DESTDIR)$(PREFIX)/lib/pkgconfig/glovebox.pc \
		$(DESTDIR)$(PREFIX)/include/glovebox.h $(DESTDIR)$(PREFIX)/share/man/man1/glovebox.1 \
		$(DESTDIR)$(PREFIX)/share/man/man1/glovebox-*.1 \
		$(DESTDIR)$(PREFIX)/lib/systemd/system/glovebox.service \
		$(DESTDIR)$(PREFIX)/lib/systemd/system/glovebox.socket \
		$(DESTDIR)$(PREFIX)/lib/systemd/user/glovebox.service \
		$(DESTDIR)$(PREFIX)/lib/systemd/user/glovebox.socket \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/glovebox \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_glovebox \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/glovebox.fish

clean:
	rm -rf build build-*

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(JAIL_OBJ:.o=.d) $(FETCH_OBJ:.o=.d) $(ZYGOTE_OBJ:.o=.d) $(UNIT_BIN:=.d)
