/*
 * A program linked with a libpfring.so.8. Says which library it got: "standin", "pfring 0xVERSION
 * N of N functions from one file", or "mixed" when they come from different files.
 */
#include <dlfcn.h>

#include <pfring.h>

#include "functions.h"
#include "standin.h"
#include "tap.h"

static const char *const names[] = {
#define NAME(name) #name,
    FUNCTIONS(NAME)
#undef NAME
};

/* How many functions the program finds in the file that its own calls of pfring_poll go to. */
static size_t from_one_file(void)
{
    Dl_info first, info;
    size_t i, count = 0;

    if (dladdr(dlsym(RTLD_DEFAULT, "pfring_poll"), &first) == 0)
        return 0;
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *function = dlsym(RTLD_DEFAULT, names[i]);

        if (function != NULL && dladdr(function, &info) != 0 &&
            strcmp(info.dli_fname, first.dli_fname) == 0)
            count++;
        else
            diag("%s does not come from %s", names[i], first.dli_fname);
    }
    return count;
}

int main(void)
{
    size_t all = sizeof(names) / sizeof(names[0]), count = from_one_file();
    u_int32_t version = 0;

    if (count != all) {
        printf("mixed\n");
        return 1;
    }
    pfring_version_noring(&version);
    if (pfring_poll(NULL, 0) == MARKER && version == 0)
        printf("standin\n");
    else
        printf("pfring 0x%06x, %zu of %zu functions from one file\n", version, count, all);
    return 0;
}
