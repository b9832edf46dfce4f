// Internals of the provisioner, shared by its files: triggers and turns (provision/provisioner.c), pending pods
// (provision/pending.c, provision/aside.c), pools and their instance types (provision/pools.c), carrying out a plan
// (provision/apply.c, provision/create.c), answers to the creates of its NodeClaims (provision/answers.c), pods bound
// elsewhere than planned (provision/stray.c), events and log lines (provision/report.c, provision/given_up.c).
#pragma once

#include "ctl/provision/batch.h"
#include "ctl/provision/claim.h"
#include "ctl/provision/index.h"
#include "ctl/provision/provisioner.h"

enum {
    PROVISION_LOOK_S = 10,       // how often pending pods are checked (Karpenter's trigger period)
    PROVISION_RETRY_MAX_S = 120, // longest back-off of plans for pods that cannot be placed, while nothing changes
    PROVISION_STIRRED_S = 30,    // the same while pods come and go elsewhere, which may change topology
    PROVISION_BIND_S = 10,       // how long a pod keeps its place on an existing node without being bound
    PROVISION_DRAIN_S = 120,     // how long a pod keeps its place while its node is being drained
    PROVISION_GONE_S = 60,       // how long a claim that is gone is remembered for reports that come late
    PROVISION_BURST_S = 30,      // plans that follow each other sooner than this search for less long
    PROVISION_ASIDE_S = 30,      // when pods that take too long to plan are tried alone; each time twice as long after
    PROVISION_ASIDE_MAX_S = 600, // at most
};

// Instance types that a pool had when the last plan was requested.
typedef struct {
    Symbol pool;
    const InstanceTypeVec *types;
} SeenTypes;
typedef Vec(SeenTypes) SeenTypesVec;

// A NodeClaim whose creation was requested from the API server.
typedef struct {
    uint32_t claim; // its number in the index
    uint32_t order;
    Symbol pool;
    Slice requests, types; // for the log
} RequestedClaim;

typedef struct {
    ProvisionBatch batch;
    ProvisionIndex index;
    LaunchBudgets budgets;
    bool started;
    // The plan under way.
    bool solving;
    Arena round; // of `asked`; until all creates are answered
    Vec(RequestedClaim) asked;
    uint32_t answers_left; // creates without an answer yet
    uint32_t nominations;  // Nominated events published so far
    bool doubtful;         // a create was not answered: no plan before the NodeClaims were read from the API server
    bool reading;          // that read is under way
    Mono read_at;          // of doubtful: when to read
    // Pods that no plan could place.
    bool changed;           // an object that plans read changed since the last plan was requested
    bool stirred;           // a pod was bound or deleted since then
    Mono asked_at;          // when the last plan was requested
    uint32_t waiting;       // pending pods at that time, including those that have a place
    bool held_by_window;    // claims were held back by a launch window: the answer to a launch makes room
    Mono look_at;           // when to check pending pods; MONO_END: there are none
    Mono retry_at;          // when to plan although nothing changed
    int64_t retry_after_ns; // the back-off that led to it
    Mono alone;             // pods with this moment are tried alone by the plan under way; {0}: none
    bool alone_next;        // they have waited for a plan of the others
    Mono reopen_at;         // when the first closed launch budget opens; MONO_END: none is closed
    Arena types_arena;
    SeenTypesVec types;
} Provisioner;

// --- provision/pending.c

// Whether the pod has a place that it can still get: a claim on its way, or a node on which it is to be bound. Takes
// the place away when it cannot.
bool provision_has_place(Provisioner *provisioner, const Turn *turn, uint32_t pod, bool bound);
// Requests a plan when one can help a pending pod, and sets when to check again.
void provision_look(Provisioner *provisioner, Turn *turn);
// Whether any pending pod has no place. O(pending pods + nodes).
bool provision_needs_plan(Provisioner *provisioner, Turn *turn);
// Sets when to plan again for pods that could not be placed: soon after a plan that placed some (`progress`), with
// growing back-off otherwise.
void provision_set_retry(Provisioner *provisioner, const Turn *turn, bool progress);
// Moves the next check of pending pods to that time at the latest, if there are any.
void provision_look_by(Provisioner *provisioner, Mono at);
// Takes in a claim's state: launched, initialized, or gone. The pods of one that is gone are planned again.
void provision_see_claim(Provisioner *provisioner, Turn *turn, uint32_t claim);

// --- provision/aside.c

// The pods that are set aside and whose turn comes first.
typedef struct {
    Mono due; // {0}: there are none
    Symbol uid;
} AsideLook;

// Takes a pod that is set aside into account.
void provision_aside_look(AsideLook *look, const KnownPod *known);
// Decides whom the next plan is for; false: there is nothing to plan. `others`: somebody else waits for a place.
bool provision_aside_choose(Provisioner *provisioner, const Turn *turn, const AsideLook *look, bool others);
// Says who is left out of the plan.
void provision_aside_intend(Provisioner *provisioner, Turn *turn, SolveIntent *solve);
// Sets aside whom the plan found to take too long.
void provision_aside_apply(Provisioner *provisioner, Turn *turn, const Solved *solved);

// --- provision/stray.c

// Handles a pod that was just bound, before the index forgets it. Returns the uid of a pod that lost its place to it
// and must be planned again; NAME_EMPTY: none. O(pods of the claim whose node it is bound to).
Symbol provision_see_bound(Provisioner *provisioner, const Turn *turn, const Pod *pod);

// --- provision/pools.c

// Whether the usable pools or their instance types differ from those that were remembered.
bool provision_pools_changed(Provisioner *provisioner, Turn *turn);
// Remembers the usable pools and their instance types, and logs the pools that get no nodes for pods, and why.
void provision_pools_remember(Provisioner *provisioner, Turn *turn);

// --- provision/apply.c

// Carries out the plan of a completed INTENT_SOLVE (provision/apply.h).
void provision_apply(Provisioner *provisioner, Turn *turn, const Completion *completion);

// --- provision/answers.c

// Handles the answer to the creation of one of the plan's NodeClaims.
void provision_created(Provisioner *provisioner, Turn *turn, const Completion *completion);

// --- provision/report.c

// Publishes an event about a pod, with the default deduplication unless the caller sets another.
EventIntent *provision_pod_event(Turn *turn, const Pod *pod, bool warning, const char *reason, Slice message);
// Logs the pending pods that were found.
void provision_report_found(Turn *turn, const PlanInput *input, int64_t took_ns);
// Logs pods whose preferences may keep their nodes from consolidation, each once while it is pending.
void provision_report_preferences(Provisioner *provisioner, Turn *turn, const PlanInput *input);
// What a plan made and filled: NodeClaims, those of Provisioners apart, and nodes that are not ready yet; the pods of
// each.
typedef struct {
    uint32_t claims, claim_pods, machines, machine_pods, nodes, node_pods;
} ComputedCounts;
void provision_report_computed(Turn *turn, const ComputedCounts *computed);
// Publishes and logs that pods cannot be scheduled: each pod at most once in five minutes, and not too many at once.
void provision_report_unplaced(Provisioner *provisioner, Turn *turn, const Solved *solved);
// DaemonSets that fit on no instance type of a pool get the Warning event DaemonSetTooLarge.
void provision_report_daemons(Turn *turn, const Plan *plan);
// Tells bound pods of whose rules not all are read.
void provision_report_read_in_part(Turn *turn, const Plan *plan);
// Logs that a NodeClaim could not be created.
void provision_report_error(Turn *turn, Slice pool, Slice error);
// Publishes Nominated for a pod. claim, node: either may be empty.
void provision_report_nominated(Provisioner *provisioner, Turn *turn, const Pod *pod, Slice claim, Slice node);
void provision_report_no_capacity(Turn *turn, const Pod *pod, Slice claim, Slice error);
// Formats names: "a, b, c, d, e and 3 other(s)".
Slice provision_first_five(Arena *arena, const SliceVec *names);
