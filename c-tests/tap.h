/*
 * A tiny producer of TAP (testanything.org, version 12): one "ok" or "not ok" line per check, the
 * plan at the end. Names of checks carry no measured values, so that two libraries that behave
 * alike print the same. Plain C that is also C++; for one source file per program, one thread.
 */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int tap_count, tap_failures;
static FILE *tap_out;   /* where TAP goes; NULL is stdout */
static FILE *tap_stray; /* what anyone else writes to stdout, once watched */

#define TAP_UNUSED __attribute__((unused))

static FILE *tap_stream(void)
{
    return tap_out != NULL ? tap_out : stdout;
}

/* From here on only TAP goes to the real stdout, and done() checks that nobody else wrote to it. */
TAP_UNUSED static void watch_stdout(void)
{
    fflush(stdout);
    tap_out = fdopen(dup(STDOUT_FILENO), "w");
    tap_stray = tmpfile();
    if (tap_out == NULL || tap_stray == NULL || dup2(fileno(tap_stray), STDOUT_FILENO) < 0) {
        perror("watch_stdout");
        exit(1);
    }
}

/* A comment for people; on stderr, since it may carry measured values. */
TAP_UNUSED __attribute__((format(printf, 1, 2))) static void diag(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("# ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

/* One check. Returns whether it holds. */
TAP_UNUSED __attribute__((format(printf, 2, 3))) static int ok(int holds, const char *format, ...)
{
    va_list args;

    fprintf(tap_stream(), "%sok %d - ", holds ? "" : "not ", ++tap_count);
    va_start(args, format);
    vfprintf(tap_stream(), format, args);
    va_end(args);
    fputc('\n', tap_stream());
    fflush(tap_stream());
    if (!holds)
        tap_failures++;
    return holds;
}

/* Checks got == want and shows both when they differ. */
TAP_UNUSED static int is_int(long long got, long long want, const char *name)
{
    int holds = ok(got == want, "%s", name);

    if (!holds)
        diag("%s: got %lld, want %lld", name, got, want);
    return holds;
}

TAP_UNUSED static int is_negative(long long got, const char *name)
{
    int holds = ok(got < 0, "%s", name);

    if (!holds)
        diag("%s: got %lld, want a negative value", name, got);
    return holds;
}

TAP_UNUSED static int is_str(const char *got, const char *want, const char *name)
{
    int holds = ok(got != NULL && strcmp(got, want) == 0, "%s", name);

    if (!holds)
        diag("%s:\n#  got '%s'\n# want '%s'", name, got != NULL ? got : "(null)", want);
    return holds;
}

/* A check that cannot be made here, and why. */
TAP_UNUSED static void skip(const char *name, const char *why)
{
    fprintf(tap_stream(), "ok %d - %s # SKIP %s\n", ++tap_count, name, why);
    fflush(tap_stream());
}

/* Ends a program none of whose checks can be made here. */
TAP_UNUSED __attribute__((noreturn)) static void skip_all(const char *why)
{
    fprintf(tap_stream(), "1..0 # SKIP %s\n", why);
    exit(0);
}

/* Ends a program whose further checks make no sense. */
TAP_UNUSED __attribute__((noreturn)) static void bail_out(const char *why)
{
    fprintf(tap_stream(), "Bail out! %s\n", why);
    exit(1);
}

/* Prints the plan; the value for main to return. */
TAP_UNUSED static int done(void)
{
    if (tap_stray != NULL) {
        fflush(stdout);
        ok(lseek(fileno(tap_stray), 0, SEEK_END) == 0, "nothing else was written to stdout");
    }
    fprintf(tap_stream(), "1..%d\n", tap_count);
    fflush(tap_stream());
    return tap_failures == 0 ? 0 : 1;
}

#endif
