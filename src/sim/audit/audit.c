// Making an audit, and its list of instances.
#include "base/alloc.h"
#include "ctl/settings.h"
#include "model/names.h"
#include "sim/audit/audit_change.h"
#include "sim/audit/audit_time.h"
#include "text/duration.h"

#include <stdlib.h>

static void note_instance(void *context, const SimInstanceChange *change) {
    Audit *audit = context;

    while (audit->orphaned_ns.count <= change->number) { // instances are numbered in the order of launching
        vec_push(&audit->arena, &audit->living, audit->orphaned_ns.count);
        vec_push(&audit->arena, &audit->orphaned_ns, 0);
    }
}

static void audit_free(void *self) {
    Audit *audit = self;

    symbol_holder_free(&audit->symbols);
    arena_free(&audit->arena);
    free(audit);
}

Audit *audit_new(World *world, SimCloud *cloud) {
    const Settings settings = settings_default();
    static const ComponentTable table = {.name = "audit", .observe = audit_observe, .free = audit_free};
    Audit *audit = NEW(Audit);

    audit->world = world;
    audit->cloud = cloud;
    audit->excused_ns = world_now_ns(world);
    audit->symbols.table = world_symbols(world)->table;
    audit_set_expiration(audit, settings.expiration_jitter_percent, settings.expiration_lead_ns);
    sim_cloud_on_change(cloud, note_instance, audit);
    world_add(world, &table, audit);
    audit_look_every_minute(audit);
    return audit;
}

void audit_excuse(Audit *audit) {
    audit->excused_ns = world_now_ns(audit->world);
}

const ViolationVec *audit_violations(const Audit *audit) {
    return &audit->violations;
}

uint64_t audit_violation_count(const Audit *audit) {
    return audit->violation_count;
}
