#!/bin/sh
# Writes to stdout a C program (gnu11, C only) that holds the two headers to the golden tables:
# sizes, alignments, offsets, member types and constants at compile time, texts and macros when it
# runs. Its output is TAP; it needs no library.
set -eu
here=$(dirname "$0")

cat <<'C'
#include <linux/if_packet.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <pfring.h>

#define SAME_TYPE(expression, type) __builtin_types_compatible_p(__typeof__(expression), type)
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static int tests, failures;

static void check(int good, const char *what) {
  tests++;
  failures += !good;
  printf("%sok %d - %s\n", good ? "" : "not ", tests, what);
}

C

awk -F'\t' '
  /^#/ { next }
  function fact(condition, what) {
    printf "_Static_assert(%s, \"%s\");\n", condition, what
    facts++
  }
  $1 == "type" {
    fact("sizeof(" $2 ") == " $3, "size of " $2)
    fact("_Alignof(" $2 ") == " $4, "alignment of " $2)
  }
  $1 == "member" {
    what = $2 "." $3
    fact("offsetof(" $2 ", " $3 ") == " $4, "offset of " what)
    fact("sizeof(((" $2 " *)0)->" $3 ") == " $5, "size of " what)
    if ($6 !~ /^\(unnamed/)
      fact("SAME_TYPE(((" $2 " *)0)->" $3 ", " $6 ")", "type of " what)
  }
  $1 == "value" { fact($3 " == " $4, "value of " $3) }
  # Where a bit field lies shows when all its bits, and no others, are set.
  $1 == "bits" {
    run = run sprintf("  {\n    union { %s whole; uint32_t word; } u;\n" \
      "    memset(&u, 0, sizeof(u));\n    u.whole.%s = (1u << %d) - 1;\n" \
      "    check(u.word == (uint32_t)(((1ull << %d) - 1) << %d), \"bits of %s.%s\");\n  }\n", \
      $2, $3, $5, $5, $7, $2, $3)
  }
  END {
    printf "\nstatic void check_bits(void) {\n%s}\n\n", run
    printf "enum { layout_facts = %d };\n\n", facts
  }
' "$here/layout.tsv"

awk -F'\t' '
  BEGIN {
    ctype["i32"] = "int32_t"; ctype["u32"] = "uint32_t"; ctype["u16"] = "uint16_t"
    ctype["i64"] = "int64_t"; ctype["u64"] = "uint64_t"
  }
  /^#/ { next }
  $2 in ctype {
    suffix = $2 == "u64" ? "ull" : ""
    printf "_Static_assert((%s) == %s%s, \"value of %s\");\n", $1, $3, suffix, $1
    printf "_Static_assert(SAME_TYPE(%s, %s), \"type of %s\");\n", $1, ctype[$2], $1
    facts += 2
    next
  }
  $2 == "empty" {
    printf "#ifndef %s\n#error \"%s is not defined\"\n#endif\n", $1, $1
    printf "_Static_assert(sizeof(TEXT(%s)) == 1, \"%s is empty\");\n", $1, $1
    facts += 2
    next
  }
  $2 == "string" { run = run sprintf("  check(strcmp(%s, \"%s\") == 0, \"%s\");\n", $1, $3, $1); next }
  $2 == "member" || $2 == "name" {
    run = run sprintf("  check(strcmp(TEXT(%s), \"%s\") == 0, \"%s\");\n", $1, $3, $1); next
  }
  $2 == "macro" && ($1 == "min_val" || $1 == "max_val") {
    run = run sprintf("  check(%s(3, 5) == %d && %s(5, 3) == %d, \"%s\");\n", \
      $1, $1 == "min_val" ? 3 : 5, $1, $1 == "min_val" ? 3 : 5, $1); next
  }
  $2 == "macro" && $1 == "timespec_is_before" {
    run = run "  {\n    struct timespec a = {1, 5}, b = {2, 0}, c = {1, 6};\n" \
      "    check(timespec_is_before(&a, &b) == 1 && timespec_is_before(&b, &a) == 0 &&\n" \
      "          timespec_is_before(&a, &c) == 1 && timespec_is_before(&c, &a) == 0 &&\n" \
      "          timespec_is_before(&a, &a) == 0, \"timespec_is_before\");\n  }\n"; next
  }
  $2 == "initializer" && $1 == "IN6ADDR_ANY_INIT" {
    run = run "  {\n    struct in6_addr any = IN6ADDR_ANY_INIT;\n    static const unsigned char zero[16];\n" \
      "    check(memcmp(&any, zero, 16) == 0, \"IN6ADDR_ANY_INIT\");\n  }\n"; next
  }
  { printf "#error \"no check for a row of constants.tsv: %s\"\n", $1 }
  END {
    printf "\nstatic void check_names(void) {\n%s}\n\n", run
    printf "enum { constant_facts = %d };\n", facts
  }
' "$here/constants.tsv"

cat <<'C'

int main(void) {
  char text[80];

  snprintf(text, sizeof(text), "%d facts of layout, checked by the compiler", layout_facts);
  check(layout_facts > 2000, text);
  snprintf(text, sizeof(text), "%d facts of constants, checked by the compiler", constant_facts);
  check(constant_facts > 380, text);
  check_bits();
  check_names();
  printf("1..%d\n", tests);
  return failures != 0;
}
C
