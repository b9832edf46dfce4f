// SimWorkload: record of a workload, shared by the controllers of all kinds; a queue of due ones; and the writing of
// pods and statuses.
//
// A record has the newest version of its object, from the watch or from an own write, whichever is newer, so a
// controller always sees its own writes. Pods come from the mirror and are counted per controlling owner.
#pragma once

#include "sim/workloads/build.h"
#include "sim/workloads/workloads.h"

typedef struct SimWorkloads SimWorkloads;
typedef struct SimWorkload SimWorkload;

enum { SLOT_NONE = INDEX_NONE };

// Numbers of pods by controlling owner. `active`: neither terminal nor terminating; `ready` ones are active.
typedef struct {
    uint32_t active, ready, terminating, succeeded, failed;
} PodCounts;

typedef struct {
    int64_t replicas, max_surge, max_unavailable, history_limit, min_ready_s, collisions, revision;
    bool recreate, paused;
    int64_t template_generation; // for which `set` was looked up
    U32Vec sets;                 // slots of its ReplicaSets, oldest first
    uint32_t set;                // slot of the one with the present template; SLOT_NONE: none
} DeploymentPart;

typedef struct {
    int64_t replicas, min_ready_s;
    int64_t desired, most, revision; // annotations set by its Deployment; -1: none
    Alarm available;                 // when the next pod has been ready for long enough
} ReplicaSetPart;

typedef struct {
    int64_t replicas, first, min_ready_s;
    bool parallel, on_delete;
    Slice revision;         // of the template: "web-5d8f7c"
    Slice current_revision; // of all pods when they were last equal
    Alarm available;
} StatefulSetPart;

// State of a DaemonSet on one node; a set has an array of them by node slot.
typedef struct {
    Handle node;          // generation 0: this slot is unknown
    Handle pod;           // HANDLE_NONE: none, or not seen yet
    Symbol awaited;       // uid of a pod that was created and not seen yet
    bool wanted, allowed; // a pod should run there; a running one may stay
    bool ready, going, old;
} DaemonPlace;

typedef struct {
    DaemonPlace *places;
    uint32_t capacity;
    U32Vec due;    // node slots that are due
    U32Vec flying; // slots whose pod was created and not seen yet
    Slice revision;
    uint32_t wanted, present, misplaced, ready, updated, old;
    uint32_t cursor;    // position of the search for old pods
    int64_t generation; // of the set for which the places were evaluated
    bool on_delete;
    bool sweep; // unready old pods are still to be searched for
} DaemonSetPart;

typedef struct {
    int64_t completions, parallelism, backoff_limit, ttl_s, deadline_s; // -1: not set
    bool indexed, suspended, finished, failing, complete;
    const char *reason;         // why it failed
    uint32_t succeeded, failed; // numbers of terminal pods
    uint32_t own_deletes;       // running pods that the Job deleted itself: not failures
    uint32_t failures_in_row;
    int64_t last_failure_ns, started_ns, finished_ns;
    Alarm timer, deadline, ttl;
    uint64_t *done; // indexed: one bit for each index
    size_t done_words;
} JobPart;

struct SimWorkload {
    SimWorkloads *workloads;
    uint32_t slot;
    KubeKind kind;
    Symbol ns, name, uid, owner; // owner: uid of the controlling owner
    Arena arena;                 // of the object
    Value object;
    KubeRevision revision;
    int64_t generation, created_ns;
    bool deleting, due;
    PodCounts pods;
    uint32_t expected_adds, expected_deletes;
    uint32_t failures;
    Alarm retry, status_alarm;
    int64_t status_ns; // when the status may be written again
    union {
        DeploymentPart deployment;
        ReplicaSetPart replica_set;
        StatefulSetPart stateful_set;
        DaemonSetPart daemon_set;
        JobPart job;
    };
};

// The controller of one kind of workload.
typedef struct {
    KubeKind kind;
    void (*read)(SimWorkload *workload); // reads the members it needs from a new version
    void (*sync)(SimWorkload *workload); // a step towards the desired state
    // Fills the desired status, member by member; null removes a member.
    void (*status)(SimWorkload *workload, Arena *arena, Value *status);
    void (*pod)(SimWorkload *workload, const StateChange *change); // handles a change of one of its pods; may be NULL
    void (*free)(SimWorkload *workload);                           // may be NULL
} SimWorkloadKind;

enum { WORKLOAD_KINDS = 5 };

// Owners first, so that initial events of owners come before those of their dependents.
extern const SimWorkloadKind *const workload_kinds[WORKLOAD_KINDS];
extern const SimWorkloadKind deployment_kind, replica_set_kind, stateful_set_kind, daemon_set_kind, job_kind;

// Note about a pod, by its slot.
typedef struct {
    int64_t ready_ns; // since when it is ready, in whole seconds as in its condition
    bool asked;       // its workload has deleted it
    uint32_t place;   // of a DaemonSet's pod: slot of its node; SLOT_NONE
} PodNote;

typedef struct {
    SimWorkloads *workloads;
    const SimWorkloadKind *kind;
    KubeWatch *watch;
    KubeRevision told;
    bool ended, gone; // gone: missed events were dropped from the history
} WorkloadWatch;

struct SimWorkloads {
    World *world;
    const State *state;
    Symbols *symbols;
    Kube kube;
    Arena arena;   // of the tables
    Arena scratch; // freed with each sync
    IndexMap by_uid;
    Vec(SimWorkload *) slots; // NULL: gone
    U32Vec daemon_sets;       // slots
    U32Vec ownerless_sets;    // slots of ReplicaSets whose Deployment was not seen yet
    U32Vec due, working;
    PodNote *notes;
    uint32_t note_capacity;
    WorkloadWatch watches[WORKLOAD_KINDS];
};
