/*
 * Small things that the example tools share: clock, numbers, one CPU core.
 */
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#include <stdint.h>
#include <stddef.h>

/* What a process leaves behind when it could not do its work. */
#define EXIT_FAILED 255

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t now_ns(void);

/* Turns text into a number from min to max; anything else ends the program
 * with one line that names the flag, the text and the range. */
long long parse_number(char flag, const char *text, long long min, long long max);

/* Writes value into buf as pfring_format_numbers does. Values of more than 12
 * digits, which that function cuts, keep all of them (without separators). */
char *format_number(double value, char *buf, size_t size, int decimals);

/* Upper case hex with colons; buf holds at least 18 characters. */
char *format_mac(const unsigned char *mac, char *buf, size_t size);

/* Binds the calling thread to one core. 0, or -1 with errno. */
int bind_to_core(int core);

#endif
