// Election: processes that compete for one Lease, on the embedded API server, in virtual time, with clocks that differ
// and calls that take time, do not arrive, or whose answers are lost.
//
// When a test calls lease_try itself, a call that takes time moves the clock. In a campaign each candidate is a thread,
// and exactly one runs at a time: the one that sleeps until the earliest moment. So calls of several candidates overlap
// as in reality, and equal seeds still give equal histories.
#pragma once

#include "base/random.h"
#include "durations.h"
#include "engine/lease/lease.h"
#include "harness/test.h"
#include "sim/api/api.h"

#include <pthread.h>

enum { CANDIDATES_MAX = 16 };

typedef enum { CALL_ARRIVES, CALL_IS_NOT_SENT, CALL_LOSES_ANSWER } CallFate;

typedef struct Election Election;

typedef struct {
    Election *election;
    uint32_t number;
    char identity[32];
    Lease *lease;
    KubeTable table;
    Random random;
    int64_t wall_offset_ns, monotonic_offset_ns;
    CallFate fate;             // of the next calls
    int64_t there_ns, back_ns; // duration to the server, and back
    uint32_t calls;            // that reached the server
    // A campaign:
    pthread_t thread;
    int64_t wakes_ns, dies_ns; // INT64_MAX: not at all
    bool gone, over;           // dead, or lost its lease; its thread has ended
} Candidate;

struct Election {
    ApiServer *server;
    Random random;
    int64_t now_ns;
    Candidate candidates[CANDIDATES_MAX];
    uint32_t count, born;
    uint32_t most_leaders;                        // at any moment
    int64_t leaderless_ns, longest_leaderless_ns; // since when (-1: there is one); the longest such time so far
    uint32_t successions;
    // A campaign:
    bool threaded, harsh;
    int64_t ends_ns, calms_ns; // calms: no faults from then on
    pthread_mutex_t lock;
    pthread_cond_t turned;
    uint32_t running; // the candidate whose turn it is
};

Election *election_new(uint64_t seed);
Election *election_setup(void); // of seed 1
void election_free(Election *election);
FIXTURE(Election, election_setup, election_free);
// Adds a process, with clocks that are off by that much.
Candidate *election_join(Election *election, int64_t wall_offset_ns, int64_t monotonic_offset_ns);

LeaseTry election_try(Candidate *candidate);
// Advances time; every candidate of `who` (bits) that is due calls lease_try.
void election_run(Election *election, int64_t for_ns, uint32_t who);
uint32_t election_leaders(const Election *election);
// A member of the Lease's spec as text; "(none)" when absent.
const char *election_spec(Election *election, const char *field);

// `count` candidates, each replaced when it dies or loses the Lease, with faults until `calms_ns`, and on to `ends_ns`.
void election_campaign(Election *election, uint32_t count, int64_t calms_ns, int64_t ends_ns);
