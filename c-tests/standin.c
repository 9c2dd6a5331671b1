/*
 * Stands for another libpfring.so.8: every function exists and answers the same odd number, so that
 * it shows which library a call went to.
 */
#include "functions.h"
#include "standin.h"

#define DEFINE(name)   \
    long name(void);   \
    long name(void)    \
    {                  \
        return MARKER; \
    }
FUNCTIONS(DEFINE)
