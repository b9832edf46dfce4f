// Random histories of a small cluster: events for a State, and the facts that hold after them.
//
// The facts come from the history alone, not from the State. Equal seeds give equal histories.
#pragma once

#include "base/random.h"
#include "state/support/mirror.h"

enum { NAMES = 14, NODES = 5, POOLS = 3, OWNERS = 4, NAMESPACES = 3, GRAVES = 3 };

typedef enum {
    HISTORY_POD,
    HISTORY_NODE,
    HISTORY_CLAIM,
    HISTORY_ATTACHMENT,
    HISTORY_BUDGET,
    HISTORY_VOLUME_CLAIM,
    HISTORY_KINDS
} HistoryKind;

// The facts about the object of one name.
typedef struct {
    bool alive;
    Handle handle;
    uint32_t uid, revision, arrival;                      // arrival: a number that grows
    int node, owner, second_owner, pool, phase, provider; // -1: none
    bool deleting, daemon, stateful, terminating, managed, initialised, typed, unschedulable, marked;
    bool huge; // so much memory that two of them are more than 63 bits
    int cpu, claim_cpu, version;
    int64_t nominated_until;
} Fact;

// An object that is gone, as it was last.
typedef struct {
    Fact fact;       // revision 0: none
    uint32_t buried; // the revision at which its removal was known
} Grave;

typedef struct {
    Mirror *mirror;
    Random random;
    uint32_t revision, uid, arrivals;
    Fact facts[HISTORY_KINDS][NAMES];
    Grave graves[HISTORY_KINDS][NAMES][GRAVES];      // some of those that had the name before
    uint32_t forgotten;                              // state_forget_removed was told so
    uint32_t replaced, late, relisted_away, relists; // how often that happened
} History;

void history_init(History *history, uint64_t seed);

// One event, or a new list of one kind; sometimes followed by an old event, which must change nothing.
void history_step(History *history);

KubeKind history_kube(HistoryKind kind);
// "pod" and so on; names are that, '-', and a number.
const char *history_word(HistoryKind kind);
// "<what>-<number>" as a symbol.
Symbol history_symbol(History *history, const char *what, int number);
Symbol history_ns(History *history, HistoryKind kind, int at); // NAME_EMPTY: none
bool history_chance(History *history, uint32_t percent);
