// A ballot: processes that want the same Lease, on the embedded API server, in virtual time, with clocks that differ
// and calls that take time, do not arrive, or whose answers are lost.
//
// Alone (a test calls lease_try) a call that takes time moves the clock. In a campaign each candidate is a thread, and
// exactly one runs at a time: who sleeps until the earliest moment. So calls of several candidates overlap as they
// would, and equal seeds still give equal histories.
#pragma once

#include "base/random.h"
#include "durations.h"
#include "engine/lease/lease.h"
#include "harness/test.h"
#include "sim/api/api.h"

#include <pthread.h>

enum { CANDIDATES_MAX = 16 };

typedef enum { CALL_ARRIVES, CALL_IS_NOT_SENT, CALL_LOSES_ANSWER } CallFate;

typedef struct Ballot Ballot;

typedef struct {
    Ballot *ballot;
    uint32_t number;
    char identity[32];
    Lease *lease;
    KubeTable table;
    Random random;
    int64_t wall_offset_ns, monotonic_offset_ns;
    CallFate fate;             // of the next calls
    int64_t there_ns, back_ns; // how long they take to the server, and back
    uint32_t calls;            // that reached the server
    // A campaign:
    pthread_t thread;
    int64_t wakes_ns, dies_ns; // INT64_MAX: not at all
    bool gone, over;           // dead, or lost its lease; its thread is at its end
} Candidate;

struct Ballot {
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

Ballot *ballot_new(uint64_t seed);
Ballot *ballot_setup(void); // of seed 1
void ballot_free(Ballot *ballot);
FIXTURE(Ballot, ballot_setup, ballot_free);
// A process comes. Its clocks are off by that much.
Candidate *ballot_join(Ballot *ballot, int64_t wall_offset_ns, int64_t monotonic_offset_ns);

LeaseTry ballot_try(Candidate *candidate);
// Moves time on; every candidate of `who` (bits) that is due tries.
void ballot_run(Ballot *ballot, int64_t for_ns, uint32_t who);
uint32_t ballot_leaders(const Ballot *ballot);
// A text of the Lease's spec; a number as text; "(none)".
const char *ballot_spec(Ballot *ballot, const char *field);

// `count` candidates, each replaced when it dies or has lost, through all faults until `calms_ns`, and on to `ends_ns`.
void ballot_campaign(Ballot *ballot, uint32_t count, int64_t calms_ns, int64_t ends_ns);
