/*
 * pfring_wait.h - how a program waits for packets: an extension of this library.
 *
 * The wait mode is chosen from outside by the environment variable PFRING_WAIT; with these calls a
 * program may choose it itself, ring by ring, and see what it costs.
 *
 * Generated from src/abi/ and src/capi/ by "make headers": edit there, not here.
 */

#ifndef PFRING_WAIT_H
#define PFRING_WAIT_H

#include <stdint.h>
#include <pfring.h>

typedef struct pfring_wait_stats pfring_wait_stats;

/**
 * What waiting on a ring has cost since it was opened.
 */
struct pfring_wait_stats {
  /**
   * Calls that went to wait: pfring_poll() with a time, and receives that found no packet.
   */
  uint64_t calls;
  /**
   * Looks into the ring while spinning or yielding.
   */
  uint64_t spins;
  /**
   * Sleeps in poll(2).
   */
  uint64_t polls;
  /**
   * Naps of sleep mode.
   */
  uint64_t sleeps;
  /**
   * Ends of a sleep in poll(2) that found no packet.
   */
  uint64_t empty_wakeups;
  /**
   * Waits that pfring_breakloop() or pfring_shutdown() ended.
   */
  uint64_t breaks;
  /**
   * Time spent asleep, in nanoseconds.
   */
  uint64_t asleep_ns;
};

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Changes how calls on a ring wait, as PFRING_WAIT does at open. May be called at any time and from any
 * thread; a call that waits now takes the new mode over at once. A ring that began as one of blocks
 * (TPACKET_V3) turns into one of slots when the new mode is not passive; no packet is lost or comes
 * twice.
 *
 * @param ring  the ring
 * @param spec  "passive", "active", "adaptive", "adaptive:50us", "sleep", "sleep:1us",
 *              "sleep:1us,slack=1ns" or "yield"; times take ns, us, ms or s, and are us without
 * @return 0; PF_RING_ERROR_INVALID_ARGUMENT for NULL or an unknown mode
 */
int pfring_wait_set_mode(pfring *ring,
                         const char *spec);

/**
 * Reads what waiting on a ring has cost since it was opened. Safe from any thread.
 *
 * @param ring   the ring
 * @param stats  filled
 * @return 0; PF_RING_ERROR_INVALID_ARGUMENT for NULL
 */
int pfring_wait_get_stats(pfring *ring, struct pfring_wait_stats *stats);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* PFRING_WAIT_H */
