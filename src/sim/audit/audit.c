// The list of violations, and what several rules ask.
#include "sim/audit/audit_parts.h"

#include "base/alloc.h"
#include "model/names.h"
#include "text/duration.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *name, *text;
} rules[] = {
#define X(rule, name, text) {name, text},
    AUDIT_RULES(X)
#undef X
};

const char *audit_rule_name(AuditRule rule) {
    return rules[rule].name;
}

const char *audit_rule_text(AuditRule rule) {
    return rules[rule].text;
}

void audit_violate(Audit *audit, AuditRule rule, const char *format, ...) {
    char text[512];
    va_list args;

    audit->violation_count++;
    if (audit->violations.count == VIOLATIONS_MAX)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    vec_push(&audit->arena, &audit->violations,
             (Violation){rule, world_now_ns(audit->world), arena_slice(&audit->arena, slice_of(text))});
}

// --- what rules ask

int64_t audit_deadline(const Audit *audit, const NodeClaim *claim) {
    const Symbols *symbols = world_symbols(audit->world);
    Symbol key = symbol_find(symbols, SLICE("karpenter.sh/nodeclaim-termination-timestamp"));
    Symbol value = claim && key != INDEX_NONE ? labels_get(&claim->meta.annotations, key) : INDEX_NONE;
    int64_t deadline;

    if (value == INDEX_NONE || time_parse(symbol_text(symbols, value), &deadline, NULL) != OK)
        return INT64_MAX;
    return deadline;
}

const NodeClaim *audit_claim_of_node(const Audit *audit, Symbol node_name) {
    const State *state = world_state(audit->world);
    Handle node = state_find(state, KUBE_NODE, SYMBOL_EMPTY, node_name);

    return node.generation ? state_node_claim(state, state_claim_of_node(state, node)) : NULL;
}

static bool is_mirror(const Audit *audit, const Pod *pod) {
    return pod_is_owned_by(pod, world_symbols(audit->world), SLICE("v1"), SLICE("Node"));
}

bool audit_holds_drain(const Audit *audit, const Pod *pod) {
    const Symbols *symbols = world_symbols(audit->world);
    const Taint disrupted = {.key = NAME_DISRUPTED, .effect = EFFECT_NO_SCHEDULE};

    if (pod_is_terminal(pod) || is_mirror(audit, pod) ||
        taint_is_tolerated(symbols, &disrupted, &pod->spec->tolerations))
        return false;
    return !(pod->deleted_ns && world_now_ns(audit->world) - pod->deleted_ns > MINUTE - audit->skew_ns);
}

Symbol audit_volume_of(const Audit *audit, const Pod *pod, const PodVolume *used) {
    const State *state = world_state(audit->world);
    const PersistentVolumeClaim *claim = state_persistent_volume_claim(
        state, state_find(state, KUBE_PERSISTENT_VOLUME_CLAIM, pod->ns, used->claim_name));

    return claim ? claim->volume_name : SYMBOL_EMPTY;
}

// --- life

static void note_instance(void *context, const SimInstanceChange *change) {
    Audit *audit = context;

    while (audit->orphaned_ns.count <= change->number) { // numbered in the order of launching
        vec_push(&audit->arena, &audit->living, audit->orphaned_ns.count);
        vec_push(&audit->arena, &audit->orphaned_ns, 0);
    }
}

static void audit_free(void *self) {
    Audit *audit = self;

    arena_free(&audit->arena);
    free(audit);
}

Audit *audit_new(World *world, SimCloud *cloud) {
    static const ComponentTable table = {.name = "audit", .observe = audit_observe, .free = audit_free};
    Audit *audit = NEW(Audit);

    audit->world = world;
    audit->cloud = cloud;
    audit->excused_ns = world_now_ns(world);
    sim_cloud_on_change(cloud, note_instance, audit);
    world_add(world, &table, audit);
    audit_look_every_minute(audit);
    return audit;
}

void audit_excuse(Audit *audit) {
    audit->excused_ns = world_now_ns(audit->world);
}

void audit_clock_skew(Audit *audit, int64_t ns) {
    int64_t skew = ns < 0 ? -ns : ns;

    if (skew > audit->skew_ns)
        audit->skew_ns = skew; // what was decided by the wrong clock may show later
}

const ViolationVec *audit_violations(const Audit *audit) {
    return &audit->violations;
}

uint64_t audit_violation_count(const Audit *audit) {
    return audit->violation_count;
}
