// The onlooker from the inside: what its files share. onlooker.c sorts what it is told, look_<subject>.c count.
#pragma once

#include "obs/onlooker.h"
#include "obs/subject.h"
#include "state/table.h"

#include <pthread.h>

struct Onlooker {
    Registry *registry;
    Symbols symbols;
    Slice provider;
    PodMemory *pods;
    Table given_up; // name of a NodeClaim whose launch was given up, to a GiveUp
    int64_t unsynced_since_ns;
};

static inline Slice onlooker_text(const Onlooker *onlooker, Symbol symbol) {
    return symbol_text(&onlooker->symbols, symbol);
}

// The value of a label, empty when there is none.
static inline Slice onlooker_label(const Onlooker *onlooker, const Labels *labels, Symbol key) {
    Symbol value = labels_get(labels, key);

    return value == INDEX_NONE ? SLICE("") : onlooker_text(onlooker, value);
}

static inline double seconds_between(int64_t from_ns, int64_t to_ns) {
    return to_ns > from_ns ? (double)(to_ns - from_ns) / 1e9 : 0;
}

// One change, as the files below look at it.
typedef struct {
    const State *state;
    const StateChange *change;
    bool listing;
    int64_t now_ns;
} Sight;

void look_at_pod(Onlooker *onlooker, const Sight *sight);
void look_at_node(Onlooker *onlooker, const Sight *sight);
void look_at_claim(Onlooker *onlooker, const Sight *sight);
void look_at_pool(Onlooker *onlooker, const Sight *sight);
void look_at_conditions(Onlooker *onlooker, const Sight *sight);

// One intent that was carried out.
typedef struct {
    const State *state;
    const char *controller;
    const Intent *intent;
    const Completion *completion;
    int64_t now_ns;
} Answer;

void look_at_cloud_answer(Onlooker *onlooker, const Answer *answer);
void look_at_creation(Onlooker *onlooker, const Answer *answer);
void look_at_removal(Onlooker *onlooker, const Answer *answer);
void look_at_eviction(Onlooker *onlooker, const Answer *answer);
void look_at_solve(Onlooker *onlooker, const Answer *answer);

// What a launch was given up for, from the event that its controller says with it.
void look_at_event(Onlooker *onlooker, Key key, const EventIntent *event);
