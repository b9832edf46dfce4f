// Time: units, wall time, monotonic time (Mono), and the system's clocks.
//
// Wall time is an int64_t of nanoseconds since 1970, negative before (names say wall_ns, or a member of an object:
// created_ns, transition_ns): it is what objects contain and what is shown. It may be set, and differs between
// machines. Durations are measured in Mono, which is another type, so that the compiler refuses to mix the two.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_US   INT64_C(1000)
#define NS_PER_MS   INT64_C(1000000)
#define NS_PER_S    INT64_C(1000000000)
#define NS_PER_MIN  INT64_C(60000000000)
#define NS_PER_HOUR INT64_C(3600000000000)
#define NS_PER_DAY  INT64_C(86400000000000)

// a + b, saturated.
static inline int64_t ns_add(int64_t a, int64_t b) {
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return b > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

static inline double ns_to_s(int64_t ns) {
    return (double)ns / 1e9;
}

static inline int64_t ns_of_timespec(struct timespec time) {
    return time.tv_sec * NS_PER_S + time.tv_nsec;
}

// `ns` is not negative.
static inline struct timespec timespec_of_ns(int64_t ns) {
    return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

// A point in monotonic time. {0} means never: it lies infinitely long ago, so any interval since then is over. MONO_END
// means at no time in the future.
typedef struct {
    int64_t ns; // since the clock's own start; always more than 0 for a time that was read
} Mono;

#define MONO_END ((Mono){INT64_MAX})

static inline bool mono_is_set(Mono moment) {
    return moment.ns != 0;
}

// `ns` after the moment; MONO_END stays MONO_END.
static inline Mono mono_after(Mono moment, int64_t ns) {
    return (Mono){moment.ns == INT64_MAX ? INT64_MAX : ns_add(moment.ns, ns)};
}

// Time since then; INT64_MAX: never.
static inline int64_t mono_since(Mono now, Mono then) {
    return mono_is_set(then) ? now.ns - then.ns : INT64_MAX;
}

// Time until then; 0: it is reached; INT64_MAX: it never is.
static inline int64_t mono_left(Mono now, Mono until) {
    if (until.ns == INT64_MAX)
        return INT64_MAX;
    return until.ns > now.ns ? until.ns - now.ns : 0;
}

static inline bool mono_reached(Mono now, Mono moment) {
    return now.ns >= moment.ns && moment.ns != INT64_MAX;
}

static inline Mono mono_first(Mono a, Mono b) {
    return a.ns < b.ns ? a : b;
}

static inline Mono mono_last(Mono a, Mono b) {
    return a.ns > b.ns ? a : b;
}

// The system's clocks. Pure rooms (law 1) do not read them.
int64_t clock_system_wall_ns(void);
Mono clock_system_mono(void);  // stops while the machine sleeps; the clock of pthread_cond_timedwait
Mono clock_system_awake(void); // goes on while the machine sleeps

// A point in time by both clocks.
typedef struct {
    Mono now;
    int64_t wall_ns;
} Moment;
