// How many label keys and values the pods of one namespace may name.
//
// Each label state of a plan has a word for every label key that some pod names and a bit for every value, and the
// labels of each pod are looked up for every key of a selector. What one pod may name is bounded (model/pod_bounds.h),
// but whoever may create pods may create thousands, which name different things: some hundreds that name 500 keys each
// took gigabytes in a cluster of some thousand nodes. So of the pods of one namespace so much is read as no honest ones
// name.
#pragma once

#include "sched/input/pod_order.h"

enum {
    WORD_LIMIT_KEYS = 1024,      // if no values are named
    WORD_LIMIT_VALUES_A_KEY = 64 // values that count as a key
};

#define WORD_LIMIT_TEXT                                                                                                \
    "the pods of its namespace name more label keys and values than are planned for (1024 keys, 64 values count as "   \
    "one): let them name fewer, or move some to another namespace"

typedef enum {
    NAMED_ANYWHERE,
    NAMED_OF_NODES,    // in node selectors and node affinity
    NAMED_BY_REPULSION // in the selectors of required pod anti-affinity that are read of a pod with a node
} NamedWhere;

// {.arena}: nothing is named yet.
typedef struct {
    Arena *arena;
    IndexMap named; // namespaces and what they name
    IndexMap used;  // per namespace, in values
} WordLimit;

// Adds what a spec names to that of its namespace; words that it names already are free. False: there would be too
// many, and nothing is added. O(words).
bool word_limit_take(WordLimit *limit, Symbol ns, const PodSpec *spec, NamedWhere where);

// Ignores pods, the last ones of each namespace in the order in which they are served, until the others of each
// namespace name little enough. O(pods + words of their specs); if there are such pods, also their sorting.
void word_limit_pending(const Cluster *cluster, PendingPodVec *pods);
