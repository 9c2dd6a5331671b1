# Builds libpfring into build/, laid out as an installation prefix.
#
#   make            the library, headers and tools into build/
#   make demo       count packets: a capture file, then live traffic in every wait mode
#   make test       every test; cases of real bug reports in their short form
#   make test-full  the same cases in their full form
#   make bench      figures against libpcap
#   make headers    write include/ again from src/abi and src/capi
#   make install    DESTDIR= PREFIX=/usr/local LIBDIR=$(PREFIX)/lib

VERSION  := 8.9.0
SONAME   := libpfring.so.8
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
CARGO    ?= cargo
BUILD    := build
TARGET   := target/release

.PHONY: all lib tools headers demo test test-full bench install clean FORCE

all: lib tools

lib: $(BUILD)/lib/libpfring.so.$(VERSION)
	@:

# cargo knows best what is out of date.
$(BUILD)/lib/libpfring.so.$(VERSION): FORCE
	$(CARGO) build --release --lib --locked
	@mkdir -p $(BUILD)/lib $(BUILD)/include/linux $(BUILD)/bin
	@install -m 755 $(TARGET)/libpfring.so $(BUILD)/lib/libpfring.so.$(VERSION)
	@install -m 644 $(TARGET)/libpfring.a $(BUILD)/lib/libpfring.a
	@ln -sfn libpfring.so.$(VERSION) $(BUILD)/lib/$(SONAME)
	@ln -sfn $(SONAME) $(BUILD)/lib/libpfring.so
	@install -m 644 include/pfring.h $(BUILD)/include/pfring.h
	@install -m 644 include/linux/pf_ring.h $(BUILD)/include/linux/pf_ring.h

tools: lib
	$(MAKE) -C examples-c

clean:
	rm -rf $(BUILD)
	$(CARGO) clean

FORCE:
