// Nodes under an audit, and what a tenon would write on them. For tests of its rules about disruption.
#pragma once

#include "sim/support/cloudlet.h"
#include "sim/support/violations.h"

enum { WORKERS = 3 };

// A condition in flow style.
#define CONDITION(type, status, reason)                                                                                \
    "{type: " type ", status: '" status "', reason: " reason ", message: '', lastTransitionTime: "                     \
    "'2026-01-05T00:00:00Z'}"

typedef struct {
    Cloudlet *cloudlet;
    World *world;
    Audit *audit;
    Kube kube;
    const Symbols *symbols;
    uint32_t workers;
} Fleet;

// A cluster without nodes; freed with cloudlet_free(fleet->cloudlet).
void fleet_open(Fleet *fleet);

// "node-2". Valid until the fourth call after it.
const char *fleet_name(const char *what, uint32_t worker);

// Of an object without namespace; one that begins with "{status:" is about the status.
__attribute__((format(printf, 4, 5))) void fleet_patch(Fleet *fleet, KubeKind kind, const char *name,
                                                       const char *format, ...);

// A NodeClaim with an instance of that type that runs, and its Node, neither of them initialized. Its number.
uint32_t fleet_join(Fleet *fleet, const char *type);
void fleet_initialize(Fleet *fleet, uint32_t worker);
void fleet_make_consolidatable(Fleet *fleet, uint32_t worker, bool is_it);
void fleet_set_budgets(Fleet *fleet, const char *budgets); // in flow style, without brackets
// WORKERS nodes that may be consolidated, and have been for a while.
void fleet_open_workers(Fleet *fleet);
void fleet_make_pod(Fleet *fleet, uint32_t worker, const char *annotations);
void fleet_make_pod_budget(Fleet *fleet, const char *name, int allowed);

// --- what tenon writes

void fleet_mark(Fleet *fleet, uint32_t worker, const char *command, uint32_t awaited); // record and taint
void fleet_unmark(Fleet *fleet, uint32_t worker);
void fleet_tell(Fleet *fleet, uint32_t worker, const char *reason);
void fleet_disrupt(Fleet *fleet, uint32_t worker, const char *reason); // both, without replacements
uint32_t fleet_launch_replacement(Fleet *fleet, const char *command, const char *type);
void fleet_remove_claim(Fleet *fleet, uint32_t worker);
void fleet_evict(Fleet *fleet); // pod-0

// Violations of that rule in the history; the test fails if another rule is violated.
uint32_t fleet_violations(AuditRule rule, void (*history)(Fleet *fleet));
