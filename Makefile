# Builds libpfring into build/, laid out as an installation prefix.
#
#   make            the library, headers and tools into build/
#   make demo       count packets: a capture file, then live traffic in every wait mode
#   make test       every test; cases of real bug reports in their short form
#   make test-full  the same cases in their full form
#   make bench      figures against libpcap
#   make packages   install the Debian packages that the tests need
#   make headers    write include/ again from src/abi and src/capi
#   make deb        Debian packages, in build/deb
#   make install    DESTDIR= PREFIX=/usr/local LIBDIR=$(PREFIX)/lib

VERSION  := 8.9.0
SONAME   := libpfring.so.8
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
MANDIR   ?= $(PREFIX)/share/man
CARGO    ?= cargo
BUILD    := build
TARGET   := target/release

.PHONY: all lib tools headers demo packages test test-packages test-targets test-full bench install deb clean FORCE

all: lib tools

lib: $(BUILD)/lib/libpfring.so.$(VERSION)
	@:

# Fills a template in: prefix, folder of libraries.
fill = sed -e 's|@PREFIX@|$(1)|; s|@LIBDIR@|$(2)|; s|@VERSION@|$(VERSION)|'

# cargo knows best what is out of date. Without the rlib beside them, as link-time optimisation needs it.
$(BUILD)/lib/libpfring.so.$(VERSION): FORCE
	$(CARGO) rustc --release --lib --locked --crate-type cdylib,staticlib
	@mkdir -p $(BUILD)/lib $(BUILD)/include/linux $(BUILD)/bin
	@install -m 755 $(TARGET)/libpfring.so $(BUILD)/lib/libpfring.so.$(VERSION)
	@packaging/archive.sh $(TARGET)/libpfring.a abi/symbols.txt $(BUILD)/lib/libpfring.a
	@ln -sfn libpfring.so.$(VERSION) $(BUILD)/lib/$(SONAME)
	@ln -sfn $(SONAME) $(BUILD)/lib/libpfring.so
	@install -m 644 include/pfring.h $(BUILD)/include/pfring.h
	@install -m 644 include/pfring_wait.h $(BUILD)/include/pfring_wait.h
	@install -m 644 include/linux/pf_ring.h $(BUILD)/include/linux/pf_ring.h
	@mkdir -p $(BUILD)/lib/pkgconfig
	@$(call fill,$(abspath $(BUILD)),$(abspath $(BUILD))/lib) packaging/libpfring.pc.in > $(BUILD)/lib/pkgconfig/libpfring.pc
	@$(call fill,,) packaging/pfring_config.in > $(BUILD)/bin/pfring_config
	@chmod 755 $(BUILD)/bin/pfring_config

tools: lib
	$(MAKE) -C examples-c

# Tools that only tests and the demo use: a sender of numbered frames, C tests in three forms.
$(BUILD)/c-tests/blast: lib
	$(MAKE) -C c-tests ../build/c-tests/blast

demo: all $(BUILD)/c-tests/blast
	scripts/demo.sh

# The Debian packages that the tests need, beyond what a plain build does.
packages:
	scripts/packages.sh install

# Live tests need the right to make network namespaces; without it they say so and are skipped.
test: all
	$(CARGO) test --locked
	$(CARGO) test --locked --manifest-path tools/headers/Cargo.toml
	$(CARGO) test --locked --manifest-path fuzz/Cargo.toml
	$(MAKE) -C c-tests check
	PREFIX_DIR=$(abspath $(BUILD)) prove --exec '' c-tests/consume.sh
	$(MAKE) test-packages
	$(MAKE) test-targets
	$(MAKE) -C c-tests check TESTS="$(MEMCHECK_TESTS)" VALGRIND="$(MEMCHECK)"

# A program that was linked with another libpfring, in a root that has the run-time package only.
test-packages: deb $(BUILD)/c-tests/blast
	$(MAKE) -C c-tests ../build/c-tests/standin/libpfring.so.8
	$(CC) -O1 -Wall -Wextra -Werror -Iinclude -o $(BUILD)/deb/capture packaging/capture.c $(BUILD)/c-tests/standin/libpfring.so.8
	DEBS=$(BUILD)/deb BLAST=$(abspath $(BUILD))/c-tests/blast PROGRAM=$(BUILD)/deb/capture prove --exec '' packaging/test.sh

# The library for musl, its unit tests on aarch64; each skipped with a line where its Rust target cannot be had.
test-targets: $(BUILD)/c-tests/blast
	BLAST=$(abspath $(BUILD))/c-tests/blast prove --exec '' packaging/targets.sh

# One form of each C program under valgrind, but for those that measure time.
MEMCHECK := valgrind -q --suppressions=$(CURDIR)/c-tests/valgrind.supp --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite
MEMCHECK_TESTS := $(addprefix so/,null_args bad_args open_errors file_recv file_rules parse_print reentrant signal_break live_recv live_filter live_send live_device)

test-full: all
	$(CARGO) test --locked --no-fail-fast -- --ignored full
	$(MAKE) -C c-tests check VALGRIND="$(MEMCHECK)"

# As root, with libpcap's headers and Python (scripts/packages.sh); see benches/README.md. BENCH= gives
# goals.py arguments.
bench: lib
	$(MAKE) -C benches
	benches/goals.py $(BENCH)

headers:
	$(CARGO) run --locked --manifest-path tools/headers/Cargo.toml

TOOLS := pfcount pfsleep pfsend pfbridge pfdump pfmerge preflect alldevs

install: all
	install -d $(DESTDIR)$(LIBDIR) $(DESTDIR)$(PREFIX)/include/linux $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BUILD)/lib/libpfring.so.$(VERSION) $(DESTDIR)$(LIBDIR)/
	install -m 644 $(BUILD)/lib/libpfring.a $(DESTDIR)$(LIBDIR)/
	ln -sfn libpfring.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sfn $(SONAME) $(DESTDIR)$(LIBDIR)/libpfring.so
	install -m 644 include/pfring.h include/pfring_wait.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 include/linux/pf_ring.h $(DESTDIR)$(PREFIX)/include/linux/
	install -m 755 $(addprefix $(BUILD)/bin/,$(TOOLS) pfring_config) $(DESTDIR)$(PREFIX)/bin/
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	$(call fill,$(PREFIX),$(LIBDIR)) packaging/libpfring.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/libpfring.pc
	install -d $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man7
	install -m 644 man/*.1 $(DESTDIR)$(MANDIR)/man1/
	install -m 644 man/*.7 $(DESTDIR)$(MANDIR)/man7/

# Stripped, and without what only a build from source needs: see packaging/deb.sh.
deb: all
	rm -rf $(BUILD)/deb
	$(MAKE) install DESTDIR=$(abspath $(BUILD))/deb/stage PREFIX=/usr LIBDIR=/usr/lib/$(shell $(CC) -print-multiarch)
	packaging/deb.sh $(abspath $(BUILD))/deb/stage $(abspath $(BUILD))/deb $(VERSION)

clean:
	rm -rf $(BUILD)
	$(CARGO) clean

FORCE:
