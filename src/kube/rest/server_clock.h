// What time it is for the API server, from the Date of its answers.
//
// Date is cut to the second, and an answer takes a while; so each answer gives bounds: the server's clock was no
// earlier than the Date when the answer was seen, and before the end of that second when the request was sent. What is
// known is kept as long as the answers do not contradict it, and moved only as far as they demand: the first guess is
// this machine's clock, so a clock that is right within a second is taken as it is, and with every answer the estimate
// comes closer to what is true. It is kept beside the monotonic clock, so a jump of this machine's clock does not move
// it. A slow answer bounds little and does no harm.
#pragma once

#include "base/time.h"

#include <pthread.h>

typedef struct {
    pthread_mutex_t lock;
    int64_t offset_ns; // of the server's clock from the monotonic one
    bool told;
} ServerClock;

// `wall_ns`: the first guess, by this machine's clock at `now`.
void server_clock_init(ServerClock *clock, int64_t wall_ns, Mono now);
void server_clock_destroy(ServerClock *clock);

// An answer to what was sent then, of that Date, was seen. Any thread.
void server_clock_tell(ServerClock *clock, int64_t date_ns, Mono sent, Mono seen);
// False: no answer has told yet. Any thread.
bool server_clock_read(ServerClock *clock, Mono now, int64_t *ret_wall_ns);
