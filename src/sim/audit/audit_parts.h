// What the files of the audit share. Private to src/sim/audit.
#pragma once

#include "base/map.h"
#include "sim/audit/audit.h"

enum { VIOLATIONS_MAX = 1000 };

// A table of tenon's that the audit stands around.
typedef struct {
    Audit *audit;
    Kube kube;
    Cloud cloud;
    const Symbols *const *symbols;
} AuditedTables;

struct Audit {
    World *world;
    SimCloud *cloud;
    Arena arena; // as long as the audit
    ViolationVec violations;
    uint64_t violation_count;
    IndexMap launched;        // uid of a claim (world's symbols) to the number of its instance
    U32Vec living;            // numbers of instances that are not terminated
    Vec(int64_t) orphaned_ns; // per instance: since when it has no claim; 0: it has one
    IndexMap pool_changed;    // pool to its slot in pool_changed_ns
    Vec(int64_t) pool_changed_ns;
    IndexMap volume_left_s; // volume of a pod that no drain waits for, to when that pod went, s
    int64_t excused_ns;     // delays count from here
};

__attribute__((format(printf, 3, 4))) void audit_violate(Audit *audit, AuditRule rule, const char *format, ...);

// The deadline of a NodeClaim's drain (annotation karpenter.sh/nodeclaim-termination-timestamp); INT64_MAX: none.
int64_t audit_deadline(const Audit *audit, const NodeClaim *claim);
// The claim whose node it is; NULL: none, or not one.
const NodeClaim *audit_claim_of_node(const Audit *audit, Symbol node_name);

// Whether a drain has to wait for the pod (lifecycle.md 0.5).
bool audit_holds_drain(const Audit *audit, const Pod *pod);

// The volume's name; SYMBOL_EMPTY: its claim is not there, or has none.
Symbol audit_volume_of(const Audit *audit, const Pod *pod, const PodVolume *used);

// Whether a bill is the sum of what so many instances cost (audit_time.c).
void audit_balance(Audit *audit, const SimBill *bill, int64_t instances_nano_dollars, uint32_t instances);

// What only shows with time: sets an alarm each minute (audit_time.c).
void audit_look_every_minute(void *audit);

// A change of the mirror (audit_change.c).
void audit_observe(void *self, const StateChange *change);
