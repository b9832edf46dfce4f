// Bounds of the server's clock from answers, and the estimate within them.
#include "kube/rest/server_clock.h"

void server_clock_init(ServerClock *clock, int64_t wall_ns, Mono now) {
    *clock = (ServerClock){.offset_ns = wall_ns - now.ns};
    pthread_mutex_init(&clock->lock, NULL);
}

void server_clock_destroy(ServerClock *clock) {
    pthread_mutex_destroy(&clock->lock);
}

void server_clock_tell(ServerClock *clock, int64_t date_ns, Mono sent, Mono seen) {
    int64_t least_ns = date_ns - seen.ns, most_ns = date_ns + NS_PER_S - 1 - sent.ns;

    pthread_mutex_lock(&clock->lock);
    if (clock->offset_ns < least_ns)
        clock->offset_ns = least_ns;
    else if (clock->offset_ns > most_ns)
        clock->offset_ns = most_ns;
    clock->told = true;
    pthread_mutex_unlock(&clock->lock);
}

bool server_clock_read(ServerClock *clock, Mono now, int64_t *ret_wall_ns) {
    bool told;

    pthread_mutex_lock(&clock->lock);
    told = clock->told;
    if (told)
        *ret_wall_ns = now.ns + clock->offset_ns;
    pthread_mutex_unlock(&clock->lock);
    return told;
}
