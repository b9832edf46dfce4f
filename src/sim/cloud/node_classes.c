// NodeClasses: the cloud's copies, and the status that a provider's controllers would write.
//
// The mirror belongs to the world's thread and calls come from any thread, hence copies.
#include "sim/cloud/node_classes.h"

#include "model/instance_type.h"
#include "sim/cloud/translate.h"

#include <stdio.h>
#include <time.h>

static ClassEntry *find(SimCloud *cloud, KubeKind kind, Symbol name) {
    for (vec_each(ClassEntry, entry, &cloud->classes)) {
        if (entry->kind == kind && entry->name == name)
            return entry;
    }
    return NULL;
}

ClassEntry *cloud_classes_find(SimCloud *cloud, KubeKind kind, Symbol name) {
    ClassEntry *entry = find(cloud, kind, name);

    return entry && entry->exists ? entry : NULL;
}

// Readiness by lifecycle.md 2.3, aws.md 3.1. Without conditions an EC2NodeClass waits for its controllers; KWOK's has
// none (lifecycle.md 8).
static ClassReadiness read_readiness(const SimCloud *cloud, const ClassEntry *entry, const ConditionVec *conditions,
                                     int64_t generation) {
    const Condition *ready = condition_get(conditions, cloud->symbols, SLICE("Ready"));
    Slice status;

    if (!ready)
        return entry->kind == KUBE_KWOK_NODE_CLASS ? CLASS_READY : CLASS_UNKNOWN;
    status = symbol_text(cloud->symbols, ready->status);
    if (slice_eq(status, SLICE("Unknown")))
        return CLASS_UNKNOWN;
    return slice_eq(status, SLICE("True")) &&
                   (ready->observed_generation == 0 || ready->observed_generation == generation)
               ? CLASS_READY
               : CLASS_NOT_READY;
}

static bool same_status(const EC2NodeClass *a, const EC2NodeClass *b) {
    if (a->subnets.count != b->subnets.count || a->reservations.count != b->reservations.count)
        return false;
    for (uint32_t i = 0; i < a->subnets.count; i++) {
        if (a->subnets.items[i].zone != b->subnets.items[i].zone ||
            a->subnets.items[i].zone_id != b->subnets.items[i].zone_id)
            return false;
    }
    for (uint32_t i = 0; i < a->reservations.count; i++) {
        if (a->reservations.items[i].id != b->reservations.items[i].id ||
            a->reservations.items[i].state != b->reservations.items[i].state ||
            a->reservations.items[i].instance_type != b->reservations.items[i].instance_type ||
            a->reservations.items[i].type != b->reservations.items[i].type ||
            a->reservations.items[i].interruptible != b->reservations.items[i].interruptible ||
            a->reservations.items[i].zone != b->reservations.items[i].zone)
            return false;
    }
    return true;
}

static const char REFUSED[] = "NodeClassRefused";

static bool says_refused(const SimCloud *cloud, const ConditionVec *conditions) {
    const Condition *validation = condition_get(conditions, cloud->symbols, SLICE("ValidationSucceeded"));

    return validation && slice_eq_text(symbol_text(cloud->symbols, validation->reason), REFUSED);
}

// Whether the cloud should write the status: it has none, says that an earlier generation was ready, or does not say
// whether the class is refused. Any other status that is not ready was set by others, and stays.
static bool wants_status(const SimCloud *cloud, const ClassEntry *entry, const ConditionVec *conditions,
                         int64_t generation) {
    const Condition *ready = condition_get(conditions, cloud->symbols, SLICE("Ready"));

    return !cloud->config.leaves_node_classes &&
           (!ready || says_refused(cloud, conditions) != (entry->refused != INDEX_NONE) ||
            (slice_eq(symbol_text(cloud->symbols, ready->status), SLICE("True")) && ready->observed_generation &&
             ready->observed_generation != generation));
}

// Copies the state. A NodeClass that is being deleted counts as gone (aws.md 3.1).
static void keep_state(const SimCloud *cloud, ClassEntry *entry, const ObjectMeta *meta,
                       const ConditionVec *conditions) {
    entry->readiness = read_readiness(cloud, entry, conditions, meta->generation);
    entry->refused = labels_get(&meta->annotations, NAME_REFUSED);
    entry->wants_status = !meta->deleting && wants_status(cloud, entry, conditions, meta->generation);
    entry->exists = !meta->deleting;
}

static void keep_ec2(SimCloud *cloud, ClassEntry *entry, const EC2NodeClass *class) {
    Arena arena = {0};
    EC2NodeClass copy = cloud_class_translate(&arena, cloud->symbols, cloud->symbols, class);
    bool same = entry->exists && entry->generation == class->meta.generation && same_status(&copy, &entry->ec2);

    keep_state(cloud, entry, &class->meta, &class->conditions);
    if (same) {
        arena_free(&arena);
        return;
    }
    arena_free(&entry->arena);
    entry->arena = arena;
    entry->ec2 = copy;
    entry->generation = class->meta.generation;
    entry->version++;
}

static void keep_kwok(SimCloud *cloud, ClassEntry *entry, const KWOKNodeClass *class) {
    keep_state(cloud, entry, &class->meta, &class->conditions);
    entry->generation = class->meta.generation;
}

void cloud_classes_observe(SimCloud *cloud, const StateChange *change) {
    ClassEntry *entry = find(cloud, change->kind, change->name);

    if (!change->after) {
        if (entry)
            entry->exists = entry->wants_status = false;
        return;
    }
    if (!entry) {
        entry = vec_add(&cloud->arena, &cloud->classes);
        entry->kind = change->kind;
        entry->name = symbol_intern(cloud->symbols, symbol_text(cloud->symbols, change->name)); // permanent
    }
    if (change->kind == KUBE_EC2_NODE_CLASS)
        keep_ec2(cloud, entry, change->after);
    else
        keep_kwok(cloud, entry, change->after);
}

// --- the status that is written

static Slice time_text(Arena *arena, int64_t at_ns) {
    time_t seconds = (time_t)(at_ns / NS_PER_S);
    struct tm parts;
    char text[32];

    gmtime_r(&seconds, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return arena_slice(arena, slice_of(text));
}

// `refused`: why it is not true; empty: it is.
static void add_condition(Arena *arena, Value *conditions, const char *type, const ClassEntry *entry, Slice refused,
                          Slice time) {
    Value *condition = value_append(arena, conditions, value_map());

    value_put(arena, condition, SLICE("type"), value_string(slice_of(type)));
    value_put(arena, condition, SLICE("status"), value_string(refused.len ? SLICE("False") : SLICE("True")));
    value_put(arena, condition, SLICE("reason"), value_string(slice_of(refused.len ? REFUSED : type)));
    value_put(arena, condition, SLICE("message"), value_string(refused));
    value_put(arena, condition, SLICE("lastTransitionTime"), value_string(time));
    value_put(arena, condition, SLICE("observedGeneration"), value_int(arena, entry->generation));
}

static Value subnets_of(const SimCloud *cloud, Arena *arena) {
    const Ec2Region *region = ec2_catalogue_region(&cloud->catalogue, cloud->config.region);
    Value subnets = value_list();

    for (uint32_t i = 0; i < region->zone_count; i++) {
        Value *subnet = value_append(arena, &subnets, value_map());

        value_put(arena, subnet, SLICE("id"), value_string(arena_printf(arena, "subnet-%017u", i + 1)));
        value_put(arena, subnet, SLICE("zone"), value_string(region->zones[i].name));
        value_put(arena, subnet, SLICE("zoneID"), value_string(region->zones[i].id));
    }
    return subnets;
}

static void write_status(SimCloud *cloud, const ClassEntry *entry) {
    static const char *const ec2_conditions[] = {"AMIsReady",
                                                 "InstanceProfileReady",
                                                 "PlacementGroupReady",
                                                 "SecurityGroupsReady",
                                                 "SubnetsReady",
                                                 "ValidationSucceeded",
                                                 "Ready"};
    Arena arena = {0};
    Value body = value_map(), *status = value_put(&arena, &body, SLICE("status"), value_map());
    Value *conditions = value_put(&arena, status, SLICE("conditions"), value_list());
    Slice time = time_text(&arena, cloud_now(cloud));

    if (entry->refused != INDEX_NONE) {
        Slice why = symbol_text(cloud->symbols, entry->refused);

        add_condition(&arena, conditions, "ValidationSucceeded", entry, why, time);
        add_condition(&arena, conditions, "Ready", entry, why, time);
    } else if (entry->kind == KUBE_EC2_NODE_CLASS) {
        for (size_t i = 0; i < sizeof ec2_conditions / sizeof *ec2_conditions; i++)
            add_condition(&arena, conditions, ec2_conditions[i], entry, SLICE(""), time);
        if (entry->ec2.subnets.count == 0)
            value_put(&arena, status, SLICE("subnets"), subnets_of(cloud, &arena));
    } else {
        add_condition(&arena, conditions, "Ready", entry, SLICE(""), time);
    }
    world_patch(cloud->world, "cloud", entry->kind, (Slice){0}, symbol_text(cloud->symbols, entry->name), KUBE_STATUS,
                &body);
    arena_free(&arena);
}

bool cloud_classes_write_status(SimCloud *cloud) {
    bool active = false;

    for (uint32_t i = 0; i < cloud->classes.count; i++) {
        ClassEntry *entry = &cloud->classes.items[i];

        if (!entry->wants_status)
            continue;
        entry->wants_status = false; // its event shows whether it was written
        write_status(cloud, entry);
        active = true;
    }
    return active;
}
