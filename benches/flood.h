/* Frames made by the kernel itself, as if RX_NAME had received them: several million a second from one
 * CPU, where a sender of sockets makes one million. For root on Linux 5.18 or newer. */
#ifndef FLOOD_H
#define FLOOD_H

/* A descriptor for flood(), or -1 with errno. */
int open_flood(void);
/* Puts COUNT copies of a frame of FRAME_LEN bytes through RX_NAME; -1 with errno. Takes some 100 us
 * besides, so that few calls with many frames reach the highest rate. */
int flood(int program, const unsigned char *frame, unsigned count);

#endif
