#ifndef STANDIN_H
#define STANDIN_H

/* What each function of the stand-in library answers. */
#define MARKER 0x5717

#endif
