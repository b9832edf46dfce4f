// Subject: an object of a kind with condition metrics (operator_<kind>_…), and the metrics' labels. Private to src/obs.
#pragma once

#include "obs/metrics.h"
#include "state/state.h"

// The metrics of one kind, in the order of the list.
typedef enum {
    SUBJECT_COUNT,
    SUBJECT_SECONDS,
    SUBJECT_TRANSITIONS,
    SUBJECT_TRANSITION_SECONDS,
    SUBJECT_TERMINATION_NOW,
    SUBJECT_TERMINATION_SECONDS,
    SUBJECT_METRICS
} SubjectMetric;

enum { SUBJECT_MORE_MAX = 4 };

// An object of such a kind.
typedef struct {
    KubeKind kind;
    MetricId first;      // of the kind's metrics
    bool has_deprecated; // operator_status_condition_… as well: all but Node
    const ObjectMeta *meta;
    const ConditionVec *conditions;
    uint32_t more_count; // number of additional label values of the kind
    Slice more[SUBJECT_MORE_MAX];
} Subject;

// False: the kind has no such metrics. `body` is the struct of the kind's row in STATE_KINDS. O(labels).
bool subject_of(const Symbols *symbols, KubeKind kind, const void *body, Subject *ret_subject);
