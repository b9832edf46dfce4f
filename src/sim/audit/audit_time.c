// Rules about delays: orphans, marks without a command, claims that should have expired, deletions that never end, the
// bill.
#include "sim/audit/audit_time.h"

#include "model/names.h"
#include "sim/audit/audit_expire.h"
#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_left.h"
#include "sim/audit/audit_outlook.h"
#include "sim/audit/audit_rules.h"
#include "sim/audit/audit_surplus.h"

#include <inttypes.h>

// Garbage collection looks every two minutes at instances older than one minute, and retries after failures.
enum { ORPHAN_MINUTES = 6, STUCK_MINUTES = 60 };

static void look_at(Audit *audit, const SimInstance *instance) {
    int64_t *since = &audit->orphaned_ns.items[instance->number], now = world_now_ns(audit->world), from;

    if (instance->state == SIM_INSTANCE_SHUTTING_DOWN || audit_claim_of_instance(audit, instance)) {
        *since = 0;
        return;
    }
    if (!*since)
        *since = now;
    from = *since > audit->excused_ns ? *since : audit->excused_ns;
    if (now - from > ORPHAN_MINUTES * NS_PER_MIN) {
        audit_violate(audit, AUDIT_NO_ORPHAN, "instance %.*s has had no NodeClaim for %" PRId64 " minutes",
                      SLICE_ARG(symbol_text(world_symbols(audit->world), instance->provider_id)),
                      (now - *since) / NS_PER_MIN);
        *since = INT64_MAX / 2; // reported once
    }
}

// Called every minute. O(living instances).
void audit_look_every_minute(void *self) {
    Audit *audit = self;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < audit->living.count; i++) {
        const SimInstance *instance = sim_cloud_instance(audit->cloud, audit->living.items[i]);

        if (instance->state == SIM_INSTANCE_TERMINATED)
            continue;
        look_at(audit, instance);
        audit->living.items[kept++] = audit->living.items[i];
    }
    audit->living.count = kept;
    audit_check_left(audit);
    audit_check_preferred(audit);
    audit_check_expired(audit);
    world_alarm(audit->world, world_now_ns(audit->world) + NS_PER_MIN, audit_look_every_minute, audit);
}

// --- the end

// Whether the node's deletion may wait: one with protected pods may wait forever, one without pods may not.
static bool is_held(const Audit *audit, const Node *node) {
    const State *state = world_state(audit->world);

    for (vec_each(const Handle, pod, state_pods_on_node(state, node->meta.name))) {
        if (audit_holds_drain(audit, state_pod(state, *pod)))
            return true;
    }
    return state_attachments_on_node(state, node->meta.name)->count > 0;
}

static bool claim_is_held(const Audit *audit, const NodeClaim *claim) {
    const State *state = world_state(audit->world);

    for (vec_each(const Handle, handle, state_nodes_with_provider_id(state, claim->provider_id))) {
        if (is_held(audit, state_node(state, *handle)))
            return true;
    }
    return false;
}

static bool goes_too_long(const Audit *audit, const ObjectMeta *meta) {
    int64_t since = meta->deleted_ns > audit->excused_ns ? meta->deleted_ns : audit->excused_ns;

    return meta->deleted_ns && world_now_ns(audit->world) - since > STUCK_MINUTES * NS_PER_MIN;
}

static void say_stuck(Audit *audit, const char *kind, const ObjectMeta *meta) {
    audit_violate(audit, AUDIT_NO_STUCK, "%s %.*s has been going away for %" PRId64 " minutes", kind,
                  SLICE_ARG(symbol_text(world_symbols(audit->world), meta->name)),
                  (world_now_ns(audit->world) - meta->deleted_ns) / NS_PER_MIN);
}

static void check_stuck(Audit *audit) {
    const State *state = world_state(audit->world);

    for (Handle handle = state_next(state, KUBE_NODE_CLAIM, HANDLE_NONE); handle.generation;
         handle = state_next(state, KUBE_NODE_CLAIM, handle)) {
        const NodeClaim *claim = state_node_claim(state, handle);

        if (goes_too_long(audit, &claim->meta) && !claim_is_held(audit, claim))
            say_stuck(audit, "NodeClaim", &claim->meta);
    }
    for (Handle handle = state_next(state, KUBE_NODE, HANDLE_NONE); handle.generation;
         handle = state_next(state, KUBE_NODE, handle)) {
        const Node *node = state_node(state, handle);

        if (goes_too_long(audit, &node->meta) && !is_held(audit, node))
            say_stuck(audit, "Node", &node->meta);
    }
}

// Each figure is truncated to a whole nano-dollar.
void audit_balance(Audit *audit, const SimBill *bill, int64_t instances_nano_dollars, uint32_t instances) {
    int64_t types = 0;

    for (size_t i = 0; i < SIM_CAPACITY_TYPES; i++)
        types += bill->by_type[i].nano_dollars;
    if (bill->nano_dollars - instances_nano_dollars > instances || instances_nano_dollars > bill->nano_dollars ||
        bill->nano_dollars - types > SIM_CAPACITY_TYPES || types > bill->nano_dollars)
        audit_violate(audit, AUDIT_MONEY,
                      "the bill says %" PRId64 " nano-dollars, its instances %" PRId64 ", its capacity types %" PRId64,
                      bill->nano_dollars, instances_nano_dollars, types);
}

static void check_money(Audit *audit) {
    SimBill bill = sim_cloud_bill(audit->cloud);
    uint32_t count = sim_cloud_instance_count(audit->cloud);
    int64_t instances = 0;

    for (uint32_t i = 0; i < count; i++)
        instances += sim_cloud_instance_cost(audit->cloud, i);
    audit_balance(audit, &bill, instances, count);
}

void audit_end(Audit *audit) {
    check_stuck(audit);
    check_money(audit);
    audit_check_surplus(audit);
}
