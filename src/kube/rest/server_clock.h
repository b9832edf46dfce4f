// ServerClock: the API server's wall time, estimated from the Date headers of its answers.
//
// Date is truncated to the second, and an answer takes a while, so each answer gives bounds: the server's clock was not
// before the Date when the answer was seen, and before the end of that second when the request was sent. The estimate
// is kept as long as the answers do not contradict it, and is moved only as far as they demand. The first estimate is
// this machine's clock, so a clock that is right to a second is left as it is, and each answer brings the estimate
// closer to the truth. It is stored as an offset from the monotonic clock, so a step of this machine's wall clock does
// not move it. A slow answer gives wide bounds and does no harm.
#pragma once

#include "base/time.h"

#include <pthread.h>

typedef struct {
    pthread_mutex_t lock;
    int64_t offset_ns; // server's wall time minus monotonic time
    bool told;
} ServerClock;

// `wall_ns`: first estimate, this machine's wall time at `now`.
void server_clock_init(ServerClock *clock, int64_t wall_ns, Mono now);
void server_clock_destroy(ServerClock *clock);

// Takes in an answer: its Date, when the request was sent, and when the answer was seen. Any thread.
void server_clock_tell(ServerClock *clock, int64_t date_ns, Mono sent, Mono seen);
// The server's wall time. False: there was no answer yet. Any thread.
bool server_clock_read(ServerClock *clock, Mono now, int64_t *ret_wall_ns);
