// Audit: observes a simulated tenon and reports which of its promises it breaks.
//
// It sees tenon's calls (by tables around tenon's Kube and Cloud), changes of the cluster (the world's mirror) and the
// cloud's instances. It shares no code with tenon's controllers: each rule is implemented a second time, from its own
// sentence. Sources: reference lifecycle.md 11; beyond it limits, orphans, lost pods, finalizers, costs, marks of
// disruption.
#pragma once

#include "kube/kube.h"
#include "sim/cloud/cloud_sim.h"
#include "sim/world.h"

// X(NAME, "name in reports", "what is promised")
#define AUDIT_RULES(X)                                                                                                 \
    X(FINALIZER_FIRST, "finalizer-first", "an instance is launched only for a NodeClaim that has its finalizer")       \
    X(ONE_INSTANCE, "one-instance", "a NodeClaim gets one instance, however often its launch is tried")                \
    X(LIMITS, "limits", "the nodes of a NodePool stay within its limits, beside those that they replace")              \
    X(ONE_NODE, "one-node", "a NodeClaim is registered only when exactly one Node has its provider id")                \
    X(SYNCED_FIRST, "synced-first", "taints and labels are on the Node before it is registered")                       \
    X(EVICT_FIRST, "evict-first", "a pod is evicted; it is deleted only when the deadline leaves no time for it")      \
    X(GRACE, "grace", "a pod that must go gets at least a second")                                                     \
    X(UID, "uid", "evictions and deletions name the uid of what they mean")                                            \
    X(DRAIN_FIRST, "drain-first", "an instance ends when its pods and volumes are gone, or its deadline has passed")   \
    X(GONE_FIRST, "gone-first", "a finalizer goes only when the cloud has confirmed that the instance is gone")        \
    X(NO_ORPHAN, "no-orphan", "no instance lives on without its NodeClaim")                                            \
    X(NO_STUCK, "no-stuck", "what is going away is gone at the end")                                                   \
    X(MONEY, "money", "the bill is the sum of its instances")                                                          \
    X(BUDGET, "budget", "no more nodes of a NodePool are disrupted at once than its budgets allow")                    \
    X(PROTECTED, "protected", "nodes and pods that may not be disrupted are not")                                      \
    X(REPLACED_FIRST, "replaced-first", "a node goes when all replacements of its command are initialized")            \
    X(NEVER_DEARER, "never-dearer", "consolidation launches what costs less than what it removes")                     \
    X(PROVED, "proved", "a node is consolidated when it has been consolidatable for 15 seconds")                       \
    X(TAINTED_FIRST, "tainted-first", "a node is marked and tainted before it goes or a pod is evicted from it")       \
    X(UNTAINTED_AFTER, "untainted-after", "no mark of disruption stays without a command")                             \
    X(ONE_COMMAND, "one-command", "a node is in one command at a time")                                                \
    X(EXPIRED, "expired", "a NodeClaim does not outlive its expireAfter")                                              \
    X(NOT_EARLY, "not-early", "a NodeClaim expires no earlier than jitter and lead of its replacement say")            \
    X(SICK, "sick", "a node is repaired when it has been sick for as long as its policy tolerates")                    \
    X(DO_NOT_REPAIR, "do-not-repair", "a node that may not be repaired is not")                                        \
    X(BREAKER, "breaker", "no node is repaired while too many of its NodePool, zone or image are sick")                \
    X(PACE, "pace", "repairs in a zone and of an image keep their pace, through restarts, too")                        \
    X(RECORDED, "recorded", "a repair stands in the history of its NodePool before its node is marked")                \
    X(REBOOTED, "rebooted", "a node is rebooted when it is sick and drained, and twice a day at most")                 \
    X(SURGED, "surged", "a pod that another one was started for is not evicted within its time")                       \
    X(USERS_COST, "users-cost", "a pod deletion cost that somebody else wrote is never changed")                       \
    X(PREFERRED, "preferred", "a node that is planned to go says since when, and keeps no pod away")

typedef enum {
#define X(name, ...) AUDIT_##name,
    AUDIT_RULES(X)
#undef X
        AUDIT_RULE_COUNT
} AuditRule;

const char *audit_rule_name(AuditRule rule);
const char *audit_rule_text(AuditRule rule);

typedef struct {
    AuditRule rule;
    int64_t at_ns;
    Slice text; // the object, and what was wrong
} Violation;
typedef Vec(Violation) ViolationVec;

typedef struct Audit Audit;

// Makes an audit and adds it to the world, which owns it.
Audit *audit_new(World *world, SimCloud *cloud);

// The Kube to give tenon instead of `inner`. Valid as long as the audit; each life of tenon gets its own.
Kube audit_kube(Audit *audit, Kube inner);
// `symbols`: of the State that the provider ids in the calls belong to; see sim_view_new.
Cloud audit_cloud(Audit *audit, Cloud inner, const Symbols *const *symbols);

// What tenon's settings say of expiration; otherwise their defaults count.
void audit_set_expiration(Audit *audit, uint32_t jitter_percent, int64_t lead_ns);

// Reports that tenon could not act until now (killed, or cut off from the network): rules about delays count from now
// on. A wrong clock of tenon's does not count as such.
void audit_excuse(Audit *audit);

// Checks rules that only the end of the run can decide.
void audit_end(Audit *audit);

// At most 1,000 are kept; all are counted.
const ViolationVec *audit_violations(const Audit *audit);
uint64_t audit_violation_count(const Audit *audit);
