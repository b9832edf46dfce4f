// Who owns which fields: metadata.managedFields of an object as a list of managers, and the rules of taking over.
#include "sim/api/apply/managed.h"

#include "sim/api/apply/fields.h"
#include "sim/api/meta_validate.h"
#include "sim/api/request.h"

#include <stdlib.h>

// One entry of managedFields. Its identity is everything but the fields and the time.
typedef struct {
    Slice name, api_version, subresource;
    bool applied; // operation Apply, else Update
    Slice time;
    FieldPath fields;
} Manager;
typedef Vec(Manager) ManagerVec;

static const char FIRST_APPLY[] = "before-first-apply"; // who owns what was there before anybody kept account

// What nobody owns: the server's own members.
static void strip(FieldPath *set) {
    static const char *const steps[] = {"f:name",
                                        "f:namespace",
                                        "f:creationTimestamp",
                                        "f:selfLink",
                                        "f:uid",
                                        "f:generation",
                                        "f:managedFields",
                                        "f:resourceVersion",
                                        "f:deletionTimestamp",
                                        "f:deletionGracePeriodSeconds"};

    fields_remove_step(set, SLICE("f:apiVersion"));
    fields_remove_step(set, SLICE("f:kind"));
    for (vec_each(FieldPath, child, &set->children)) {
        if (!slice_eq_text(child->step, "f:metadata"))
            continue;
        child->member = false;
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
            fields_remove_step(child, slice_of(steps[i]));
        if (fields_are_empty(child))
            fields_remove_step(set, SLICE("f:metadata"));
        return;
    }
}

static ManagerVec read_managers(Arena *arena, const Value *object) {
    const Value *list = value_at(object, "metadata", "managedFields", NULL);
    ManagerVec managers = {0};

    for (uint32_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        const Value *entry = &list->list.items[i];

        vec_push(arena, &managers,
                 (Manager){.name = kube_text(entry, "manager", NULL),
                           .api_version = kube_text(entry, "apiVersion", NULL),
                           .subresource = kube_text(entry, "subresource", NULL),
                           .applied = slice_eq_text(kube_text(entry, "operation", NULL), "Apply"),
                           .time = kube_text(entry, "time", NULL),
                           .fields = fields_read(arena, value_get_text(entry, "fieldsV1"))});
    }
    return managers;
}

static Value print_manager(Arena *arena, const Manager *manager) {
    Value entry = value_map();

    value_put(arena, &entry, SLICE("manager"), value_string(manager->name));
    value_put(arena, &entry, SLICE("operation"), value_string(manager->applied ? SLICE("Apply") : SLICE("Update")));
    value_put(arena, &entry, SLICE("apiVersion"), value_string(manager->api_version));
    value_put(arena, &entry, SLICE("time"), value_string(manager->time));
    value_put(arena, &entry, SLICE("fieldsType"), value_string(SLICE("FieldsV1")));
    value_put(arena, &entry, SLICE("fieldsV1"), fields_print(arena, &manager->fields));
    if (manager->subresource.len)
        value_put(arena, &entry, SLICE("subresource"), value_string(manager->subresource));
    return entry;
}

static bool same_identity(const Manager *a, const Manager *b) {
    return a->applied == b->applied && slice_eq(a->name, b->name) && slice_eq(a->api_version, b->api_version) &&
           slice_eq(a->subresource, b->subresource);
}

static Manager *find_manager(const ManagerVec *managers, const Manager *wanted) {
    for (vec_each(Manager, manager, managers)) {
        if (same_identity(manager, wanted))
            return manager;
    }
    return NULL;
}

// Those who apply come first; then by time, name and subresource.
static int manager_order(const void *a, const void *b) {
    const Manager *one = a, *other = b;
    int order = (int)other->applied - (int)one->applied;

    if (order == 0)
        order = slice_cmp(one->time, other->time);
    if (order == 0)
        order = slice_cmp(one->name, other->name);
    return order ? order : slice_cmp(one->subresource, other->subresource);
}

// Writes the managers into the object. Whoever owns what they owned before keeps their time.
static void write_managers(const Request *request, Value *object, ManagerVec managers, const ManagerVec *before) {
    Value list = value_list();

    for (vec_each(Manager, manager, &managers)) {
        const Manager *old = find_manager(before, manager);

        manager->time = old && fields_eq(&old->fields, &manager->fields) ? old->time : request_now(request);
    }
    if (managers.count)
        qsort(managers.items, managers.count, sizeof *managers.items, manager_order);
    for (vec_each(const Manager, manager, &managers)) {
        if (!fields_are_empty(&manager->fields))
            value_append(request->arena, &list, print_manager(request->arena, manager));
    }
    if (list.list.count)
        value_put(request->arena, meta_of(request->arena, object), SLICE("managedFields"), list);
    else
        value_remove_text(meta_of(request->arena, object), "managedFields");
}

static Manager self(const Request *request, KubePart part, bool applied) {
    return (Manager){.name = request->manager.len ? request->manager : SLICE("unknown"),
                     .api_version = request->info->api_version,
                     .subresource = part == KUBE_STATUS ? SLICE("status") : SLICE(""),
                     .applied = applied};
}

// Go's structs are always there: for built-in kinds nobody adds a spec, only what is in it.
static Value with_structs(const Request *request, const Value *object) {
    static const char *const structs[] = {"metadata", "spec", "status"};
    Value copy = object ? value_copy_tree(request->arena, object) : value_map();

    for (size_t i = 0; !request->info->custom && i < sizeof structs / sizeof *structs; i++)
        value_make(request->arena, &copy, structs[i], NULL);
    if (value_at(&copy, "spec", "template", NULL)) {
        value_make(request->arena, &copy, "spec", "template", "metadata", NULL);
        value_make(request->arena, &copy, "spec", "template", "spec", NULL);
    }
    return copy;
}

static FieldsChanged changes(const Request *request, const Value *old, const Value *next) {
    Value before = with_structs(request, old), after = with_structs(request, next);
    FieldsChanged changed = fields_compare(request->arena, &before, &after, request->info->custom);

    strip(&changed.set);
    strip(&changed.removed);
    return changed;
}

// Creation and updates.

void managed_note_creation(const Request *request, Value *object) {
    ManagerVec managers = {0}, none = {0};
    Manager creator = self(request, KUBE_OBJECT, false);

    if (!request->server->config.managed_fields || request->applying)
        return;
    creator.fields = changes(request, NULL, object).set;
    creator.fields.member = false;
    vec_push(request->arena, &managers, creator);
    write_managers(request, object, managers, &none);
}

// The others lose what was set and what is gone. Values that are equal on both sides change no owner.
static void take_over(Arena *arena, ManagerVec *managers, const Manager *taker, const FieldsChanged *changed) {
    for (vec_each(Manager, manager, managers)) {
        if (!same_identity(manager, taker))
            manager->fields = fields_difference(arena, &manager->fields, &changed->set);
        manager->fields = fields_difference(arena, &manager->fields, &changed->removed);
    }
}

void managed_note_update(const Request *request, KubePart part, const Value *old, Value *next) {
    Arena *arena = request->arena;
    ManagerVec before = read_managers(arena, old), managers = read_managers(arena, next);
    Manager writer = self(request, part, false), *known;
    FieldsChanged changed;

    if (managers.count == 0)
        return; // nobody keeps account of this object
    changed = changes(request, old, next);
    take_over(arena, &managers, &writer, &changed);
    known = find_manager(&managers, &writer);
    if (!known) {
        known = vec_add(arena, &managers);
        *known = writer;
    }
    known->fields = fields_union(arena, &known->fields, &changed.set);
    write_managers(request, next, managers, &before);
}

// Apply.

static Slice manager_text(Arena *arena, const Manager *manager) {
    Slice with = manager->subresource.len
                     ? arena_printf(arena, " with subresource \"%.*s\"", SLICE_ARG(manager->subresource))
                     : SLICE("");

    if (manager->applied)
        return arena_printf(arena, "\"%.*s\"%.*s", SLICE_ARG(manager->name), SLICE_ARG(with));
    return arena_printf(arena, "\"%.*s\"%.*s using %.*s", SLICE_ARG(manager->name), SLICE_ARG(with),
                        SLICE_ARG(manager->api_version));
}

static int conflict_order(const void *a, const void *b) {
    const Manager *one = a, *other = b;
    int order = slice_cmp(one->name, other->name);

    if (order == 0)
        order = (int)other->applied - (int)one->applied;
    return order ? order : (other->subresource.len > 0) - (one->subresource.len > 0);
}

// "Apply failed with 1 conflict: conflict with "x" using apps/v1: .spec.replicas"
static ErrCode fail_conflicts(const Request *request, const ManagerVec *owners) {
    Arena *arena = request->arena;
    Slice text = SLICE("");
    uint32_t count = 0;

    for (vec_each(const Manager, owner, owners)) {
        SliceVec paths = {0};
        Slice who = manager_text(arena, owner);

        fields_list_paths(arena, &owner->fields, &paths);
        if (owners->count == 1 && paths.count == 1)
            return kube_fail(request->error, KUBE_REASON_CONFLICT,
                             "Apply failed with 1 conflict: conflict with %.*s: %.*s", SLICE_ARG(who),
                             SLICE_ARG(paths.items[0]));
        text = arena_printf(arena, "%.*s%sconflicts with %.*s:", SLICE_ARG(text), text.len ? "\n" : "", SLICE_ARG(who));
        for (vec_each(const Slice, path, &paths))
            text = arena_printf(arena, "%.*s\n- %.*s", SLICE_ARG(text), SLICE_ARG(*path));
        count += paths.count;
    }
    return kube_fail(request->error, KUBE_REASON_CONFLICT, "Apply failed with %u conflicts: %.*s", count,
                     SLICE_ARG(text));
}

// The others' fields that the apply changes.
static ManagerVec find_conflicts(Arena *arena, const ManagerVec *managers, const Manager *applier,
                                 const FieldPath *set) {
    ManagerVec conflicts = {0};

    for (vec_each(const Manager, manager, managers)) {
        Manager conflict = *manager;

        if (same_identity(manager, applier))
            continue;
        conflict.fields = fields_intersection(arena, &manager->fields, set);
        if (!fields_are_empty(&conflict.fields))
            vec_push(arena, &conflicts, conflict);
    }
    if (conflicts.count)
        qsort(conflicts.items, conflicts.count, sizeof *conflicts.items, conflict_order);
    return conflicts;
}

// What the applier owned and names no more, and nobody else owns either, goes.
static void prune_given_up(const Request *request, Value *next, const ManagerVec *managers, const Manager *before) {
    FieldPath lost = before->fields;

    for (vec_each(const Manager, manager, managers))
        lost = fields_difference(request->arena, &lost, &manager->fields);
    fields_remove_from(request->arena, next, &lost, request->info->custom);
}

static ErrCode check_config(const Request *request, const Value *config) {
    Slice name = kube_name(config);

    if (!slice_eq(kube_text(config, "apiVersion", NULL), request->info->api_version) ||
        !slice_eq(kube_text(config, "kind", NULL), request->info->kind))
        return kube_fail(request->error, KUBE_REASON_BAD_REQUEST,
                         "an applied object must give apiVersion \"%.*s\" and kind \"%.*s\"",
                         SLICE_ARG(request->info->api_version), SLICE_ARG(request->info->kind));
    if (name.len && !slice_eq(name, request->name))
        return kube_fail(request->error, KUBE_REASON_BAD_REQUEST,
                         "the name of the object (%.*s) does not match the name on the URL (%.*s)", SLICE_ARG(name),
                         SLICE_ARG(request->name));
    if (value_at(config, "metadata", "managedFields", NULL))
        return kube_fail(request->error, KUBE_REASON_BAD_REQUEST, "metadata.managedFields must be nil");
    if (request->manager.len == 0)
        return kube_fail(
            request->error, KUBE_REASON_INVALID,
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply "
            "patch");
    return OK;
}

// The part of the config that the call is about.
static Value part_of(const Request *request, KubePart part, const Value *config) {
    Value copy = value_copy_tree(request->arena, config);

    if (!request->info->has_status)
        return copy;
    for (uint32_t i = copy.map.count; i-- > 0;) {
        Slice key = copy.map.items[i].key;
        bool is_head = slice_eq_text(key, "apiVersion") || slice_eq_text(key, "kind") || slice_eq_text(key, "metadata");

        if (slice_eq_text(key, "status") ? part == KUBE_OBJECT : part == KUBE_STATUS && !is_head)
            value_remove(&copy, key);
    }
    return copy;
}

static ErrCode apply_to(const Request *request, Manager *applier, const Value *old, const Value *config, bool force,
                        Value *next) {
    Arena *arena = request->arena;
    ManagerVec before = read_managers(arena, old), managers = read_managers(arena, old), conflicts;
    Manager *known = find_manager(&managers, applier), last = {0};
    FieldsChanged changed;

    if (managers.count == 0 && kube_uid(old).len) {
        Manager first = {.name = slice_of(FIRST_APPLY), .api_version = request->info->api_version};

        first.fields = fields_of(arena, old, request->info->custom);
        strip(&first.fields);
        vec_push(arena, &managers, first);
    }
    fields_merge(arena, next, config, request->info->custom);
    if (known)
        last = *known, known->fields = applier->fields;
    else
        vec_push(arena, &managers, *applier);
    prune_given_up(request, next, &managers, &last);
    changed = changes(request, old, next);
    conflicts = find_conflicts(arena, &managers, applier, &changed.set);
    if (conflicts.count && !force)
        return fail_conflicts(request, &conflicts);
    take_over(arena, &managers, applier, &changed);
    write_managers(request, next, managers, &before);
    return OK;
}

ErrCode managed_apply(const Request *request, KubePart part, const Value *old, const Value *config, bool force,
                      Value *ret_next) {
    Manager applier = self(request, part, true);
    Value mine, next = value_map(), nothing = value_map(), *meta;

    TRY(check_config(request, config));
    TRY(meta_check_types(request, config));
    mine = part_of(request, part, config);
    applier.fields = fields_of(request->arena, &mine, request->info->custom);
    strip(&applier.fields);
    if (old)
        next = value_copy_tree(request->arena, old);
    TRY(apply_to(request, &applier, old ? old : &nothing, &mine, force, &next));
    meta = meta_of(request->arena, &next);
    value_put(request->arena, meta, SLICE("name"), value_string(request->name));
    if (request->info->namespaced)
        value_put(request->arena, meta, SLICE("namespace"), value_string(request->ns));
    *ret_next = next;
    return OK;
}
