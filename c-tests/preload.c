/*
 * Ways in which a program meets the library without being linked with it: LD_PRELOAD over another
 * libpfring.so.8, LD_PRELOAD into a program that knows nothing of it, dlopen by its plain name.
 *
 * The environment names the files: PFRING_SO (the library), STANDIN_DIR (a folder with the other
 * libpfring.so.8), PRELOAD_APP (a program linked with that one).
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/wait.h>

#include <pfring.h>

#include "functions.h"
#include "netns.h"

/* Runs command; what it writes to stdout and stderr goes to text. Its exit status, or -1. */
static int run(const char *command, char *text, size_t size)
{
    char line[4096];
    FILE *in;
    size_t n;
    int status;

    snprintf(line, sizeof(line), "{ %s ; } 2>&1", command);
    in = popen(line, "r");
    if (in == NULL)
        return -1;
    n = fread(text, 1, size - 1, in);
    text[n] = '\0';
    status = pclose(in);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void takes_over(const char *library, const char *other, const char *app)
{
    char command[3000], text[1024], want[128];
    int count = 0;

#define COUNT(name) count++;
    FUNCTIONS(COUNT)
#undef COUNT
    snprintf(command, sizeof(command), "LD_LIBRARY_PATH='%s' '%s'", other, app);
    is_int(run(command, text, sizeof(text)), 0, "a program linked with another library runs");
    is_str(text, "standin\n", "and calls that one");

    snprintf(command, sizeof(command), "LD_PRELOAD='%s' LD_LIBRARY_PATH='%s' '%s'", library, other,
             app);
    is_int(run(command, text, sizeof(text)), 0, "it runs with the library loaded before");
    snprintf(want, sizeof(want), "pfring 0x%06x, %d of %d functions from one file\n",
             RING_VERSION_NUM, count, count);
    is_str(text, want, "and then calls the library, with every function");
}

static void is_harmless(const char *library)
{
    char command[3000], text[1024];
    double best = 1e9;
    int i, right = 0;

    snprintf(command, sizeof(command), "LD_PRELOAD='%s' /bin/true", library);
    for (i = 0; i < 5; i++) {
        double start = clock_ms(), took;

        right += run(command, text, sizeof(text)) == 0 && text[0] == '\0';
        took = clock_ms() - start;
        if (took < best)
            best = took;
    }
    is_int(right, 5, "loaded into a program that has no use for it, it does nothing");
    ok(best < 100, "and takes no time");
    diag("the quickest of 5 runs took %.1f ms", best);
}

/* What the library's file asks the loader for: nothing but the C library and its companions. */
static void needs_little(void *handle)
{
    static const char *const allowed[] = {"libc.so", "libm.so", "libgcc_s.so", "ld-linux",
                                          "libpthread.so", "libdl.so", "librt.so"};
    struct link_map *map = (struct link_map *)handle;
    const ElfW(Dyn) * entry;
    const char *strings = NULL;
    int strange = 0;

    for (entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB)
            strings = (const char *)entry->d_un.d_ptr;
    for (entry = map->l_ld; strings != NULL && entry->d_tag != DT_NULL; entry++) {
        const char *needed = strings + entry->d_un.d_val;
        size_t i, known = 0;

        if (entry->d_tag == DT_SONAME)
            is_str(needed, "libpfring.so.8", "its soname");
        if (entry->d_tag != DT_NEEDED)
            continue;
        for (i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
            known += strncmp(needed, allowed[i], strlen(allowed[i])) == 0;
        if (known == 0) {
            diag("it needs %s", needed);
            strange++;
        }
    }
    ok(strings != NULL && strange == 0, "it needs the C library and nothing else");
}

/* What masscan does: all nine functions or none. */
static void loads_by_name(void)
{
    static const char *const wanted[] = {
        "pfring_open",    "pfring_close",         "pfring_enable_ring",
        "pfring_send",    "pfring_recv",          "pfring_poll",
        "pfring_version", "pfring_set_direction", "pfring_set_application_name"};
    void *handle = dlopen("libpfring.so", RTLD_LAZY);
    u_int32_t version = 0;
    void *function;
    size_t i, found = 0;

    if (!ok(handle != NULL, "the library is loaded as libpfring.so")) {
        diag("%s", dlerror());
        return;
    }
    for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        found += dlsym(handle, wanted[i]) != NULL;
    is_int((long long)found, 9, "the nine functions that a scanner asks for are there");
    function = dlsym(handle, "pfring_version_noring");
    if (ok(function != NULL, "its version can be asked"))
        ((void (*)(u_int32_t *))function)(&version);
    is_int(version, RING_VERSION_NUM, "and is the header's");
    needs_little(handle);
    is_int(dlclose(handle), 0, "it is unloaded");
}

int main(void)
{
    const char *library = getenv("PFRING_SO"), *other = getenv("STANDIN_DIR"),
               *app = getenv("PRELOAD_APP");

    if (library == NULL || other == NULL || app == NULL)
        skip_all("PFRING_SO, STANDIN_DIR and PRELOAD_APP name nothing");
    watch_stdout();
    alarm(60);
    takes_over(library, other, app);
    is_harmless(library);
    loads_by_name();
    return done();
}
