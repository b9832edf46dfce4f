// Internals of the audit, shared by its files. Private to src/sim/audit.
#pragma once

#include "base/map.h"
#include "sim/audit/audit.h"

enum { VIOLATIONS_MAX = 1000 };

// The table of one life of tenon that the audit wraps.
typedef struct {
    Audit *audit;
    Kube kube;
    Cloud cloud;
    const Symbols *const *symbols;
} AuditedTables;

struct AuditClaim;
struct AuditCommand;

// What may make many nodes sick at once.
enum { AUDIT_WARD_POOL, AUDIT_WARD_ZONE, AUDIT_WARD_IMAGE, AUDIT_WARD_KINDS };

typedef struct {
    int64_t at_ns;
    Symbol wards[AUDIT_WARD_KINDS];
} AuditRepair;

typedef struct {
    Symbol claim;       // uid of the NodeClaim
    uint64_t operation; // its hash
    int64_t at_ns;      // when the cloud was first asked
} AuditReboot;

struct Audit {
    World *world;
    SimCloud *cloud;
    Arena arena; // as long as the audit
    ViolationVec violations;
    uint64_t violation_count;
    IndexMap launched;        // uid of a claim (world's symbols) to the number of its instance
    U32Vec living;            // numbers of instances that are not terminated
    Vec(int64_t) orphaned_ns; // per instance: since when it has no claim; 0: it has one
    IndexMap named;           // provider ids that a claim has, or had
    IndexMap unlaunched;      // NodePool to the number of its claims that went without an instance
    IndexMap pool_changed;    // pool to its slot in pool_changed_ns
    Vec(int64_t) pool_changed_ns;
    IndexMap volume_left_s; // volume of a pod that drains do not wait for, to when that pod went, in seconds
    int64_t excused_ns;     // delays count from this time on
    // Of disruption (audit_commands.h). They stay, and so do the symbols in them.
    SymbolHolder symbols;
    IndexMap claim_slots; // uid to its slot
    Vec(struct AuditClaim *) claims;
    IndexMap command_slots; // uuid to its slot
    Vec(struct AuditCommand *) commands;
    IndexMap pod_budgets;              // uid of a PodDisruptionBudget to its slot
    Vec(int64_t) pod_budget_closed_ns; // since when it allows no disruption; 0: it allows one
    uint32_t expiration_jitter_percent;
    int64_t expiration_lead_ns;
    Vec(AuditRepair) repairs; // all that have begun
    Vec(AuditReboot) reboots;
};
