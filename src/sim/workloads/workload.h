// What the controllers of all workloads share: one record per workload, a queue of those to be looked at, and the
// writing of pods and statuses.
//
// A record holds the newest version of its object, of the watch or of an own write, whichever is newer: so a controller
// always sees what it wrote itself. Pods come from the mirror and are counted per controlling owner.
#pragma once

#include "sim/workloads/build.h"
#include "sim/workloads/workloads.h"

typedef struct SimWorkloads SimWorkloads;
typedef struct SimWorkload SimWorkload;

enum { SLOT_NONE = INDEX_NONE };

// Pods by their controlling owner. `active`: neither ended nor going away; `ready` are active ones.
typedef struct {
    uint32_t active, ready, terminating, succeeded, failed;
} PodCounts;

typedef struct {
    int64_t replicas, max_surge, max_unavailable, history_limit, min_ready_s, collisions, revision;
    bool recreate, paused;
    int64_t template_generation; // that `set` was looked up for
    U32Vec sets;                 // slots of its ReplicaSets, oldest first
    uint32_t set;                // slot of the one with the present template; SLOT_NONE: none
} DeploymentPart;

typedef struct {
    int64_t replicas, min_ready_s;
    int64_t desired, most, revision; // annotations that its Deployment gave it; -1: none
    Alarm available;                 // when the next pod has been ready for long enough
} ReplicaSetPart;

typedef struct {
    int64_t replicas, first, min_ready_s;
    bool parallel, on_delete;
    Slice revision;         // of the template: "web-5d8f7c"
    Slice current_revision; // that all pods had when they were last equal
    Alarm available;
} StatefulSetPart;

// What a DaemonSet has on one node. The places of a set are an array by the slots of nodes.
typedef struct {
    Handle node;          // generation 0: nothing known of this slot
    Handle pod;           // HANDLE_NONE: none, or not seen yet
    Symbol awaited;       // uid of a pod that was created and is not seen yet
    bool wanted, allowed; // a pod shall run there; one that runs may stay
    bool ready, going, old;
} DaemonPlace;

typedef struct {
    DaemonPlace *places;
    uint32_t capacity;
    U32Vec due;    // nodes' slots to be looked at
    U32Vec flying; // those whose pod was created and is not seen yet
    Slice revision;
    uint32_t wanted, present, misplaced, ready, updated, old;
    uint32_t cursor;    // where the search for old pods goes on
    int64_t generation; // that the places were judged for
    bool on_delete;
    bool sweep; // old pods that are not ready are still to be looked for
} DaemonSetPart;

typedef struct {
    int64_t completions, parallelism, backoff_limit, ttl_s, deadline_s; // -1: not set
    bool indexed, suspended, finished, failing, complete;
    const char *reason;         // why it failed
    uint32_t succeeded, failed; // pods that are over
    uint32_t own_deletes;       // of running pods that the Job did away with itself: no failures
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

// What one kind of workload does.
typedef struct {
    KubeKind kind;
    void (*read)(SimWorkload *workload); // takes from a new version what it needs
    void (*sync)(SimWorkload *workload); // brings the cluster nearer to what is wanted
    // What the status should be, member by member; null takes a member out.
    void (*status)(SimWorkload *workload, Arena *arena, Value *status);
    void (*pod)(SimWorkload *workload, const StateChange *change); // a pod of it changed; may be NULL
    void (*free)(SimWorkload *workload);                           // may be NULL
} SimWorkloadKind;

enum { WORKLOAD_KINDS = 5 };

// Owners first, so that a watch that begins tells them before what they own.
extern const SimWorkloadKind *const workload_kinds[WORKLOAD_KINDS];
extern const SimWorkloadKind deployment_kind, replica_set_kind, stateful_set_kind, daemon_set_kind, job_kind;

// What is remembered of a pod, by its slot.
typedef struct {
    int64_t ready_ns; // since when; whole seconds, as its condition says
    bool asked;       // its workload has deleted it
    uint32_t place;   // of a DaemonSet's pod: slot of its node; SLOT_NONE
} PodNote;

typedef struct {
    SimWorkloads *workloads;
    const SimWorkloadKind *kind;
    KubeWatch *watch;
    KubeRevision told;
    bool ended, gone; // gone: what it missed is forgotten
} WorkloadWatch;

struct SimWorkloads {
    World *world;
    const State *state;
    Symbols *symbols;
    Kube kube;
    Arena arena;   // of the tables
    Arena scratch; // of one sync
    IndexMap by_uid;
    Vec(SimWorkload *) slots; // NULL: gone
    U32Vec daemon_sets;       // slots
    U32Vec ownerless_sets;    // slots of ReplicaSets whose Deployment has not been seen
    U32Vec due, working;
    PodNote *notes;
    uint32_t note_capacity;
    WorkloadWatch watches[WORKLOAD_KINDS];
};
