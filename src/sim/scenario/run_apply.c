// Step `apply`: a merge patch of the existing object, like `kubectl apply`.
//
// Members that the last apply of an object had and this one lacks are removed; the scenario keeps the last
// configurations itself, where kubectl keeps them in an annotation. Lists are replaced as a whole.
#include "sim/scenario/run_apply.h"

#include "sim/scenario/run_note.h"
#include "text/value_edit.h"

static const Slice MANAGER = SLICE_INIT("kubectl");

static uint64_t hash_of(KubeRef ref) {
    return hash_combine(hash_combine(ref.kind, slice_hash(ref.ns)), slice_hash(ref.name));
}

static Applied *find_applied(const Run *run, KubeRef ref) {
    uint64_t hash = hash_of(ref);
    uint32_t cursor = 0, at;

    while ((at = index_map_next(&run->applied_index, hash, &cursor)) != INDEX_NONE) {
        Applied *applied = &run->applied.items[at];

        if (applied->ref.kind == ref.kind && slice_eq(applied->ref.ns, ref.ns) && slice_eq(applied->ref.name, ref.name))
            return applied;
    }
    return NULL;
}

static void remember(Run *run, KubeRef ref, const Value *config) {
    Applied *applied = find_applied(run, ref);

    if (!applied) {
        index_map_add(&run->arena, &run->applied_index, hash_of(ref), run->applied.count);
        applied = vec_add(&run->arena, &run->applied);
        applied->ref = ref;
    }
    applied->config = config;
}

// Sets to null all members that `last` has and `patch` lacks.
static void take_back(Arena *arena, Value *patch, const Value *last) {
    for (vec_each(const ValueMember, member, &last->map)) {
        Value *still = value_find(patch, member->key);

        if (!still)
            value_put(arena, patch, member->key, value_null());
        else if (still->kind == VALUE_MAP && member->value.kind == VALUE_MAP)
            take_back(arena, still, &member->value);
    }
}

static ErrCode patch_or_create(Run *run, KubeRef ref, const Value *config, KubeError *error) {
    const Applied *last = find_applied(run, ref);
    Kube kube = world_kube(run->world);
    Arena arena = {0};
    Value body = value_copy_tree(&arena, config);
    KubePatch patch = {.type = KUBE_PATCH_MERGE, .body = &body};
    ErrCode code;

    if (ref.ns.len) // else one of them may say "default" and the other nothing
        value_put(&arena, value_make(&arena, &body, "metadata", NULL), SLICE("namespace"), value_string(ref.ns));
    if (last)
        take_back(&arena, &body, last->config);
    code = kube_patch(kube, NULL, MANAGER, ref, KUBE_OBJECT, &patch, NULL, error);
    if (code == ERR_NOT_FOUND)
        code = kube_create(kube, NULL, MANAGER, ref.kind, config, NULL, error);
    arena_free(&arena);
    return code;
}

// Returns whether the API server accepted it.
static bool apply(Run *run, const ScenarioStep *step, const Value *config, KubeRef *ret_ref) {
    KubeKind kind = kube_kind_find(kube_text(config, "apiVersion", NULL), kube_text(config, "kind", NULL));
    KubeError error;

    *ret_ref = (KubeRef){.kind = kind, .ns = kube_namespace(config), .name = kube_name(config)};
    if (kube_kind(kind)->namespaced && !ret_ref->ns.len)
        ret_ref->ns = SLICE("default");
    if (patch_or_create(run, *ret_ref, config, &error) != OK) {
        run_refuse(run, step, "apply", *ret_ref, &error);
        return false;
    }
    remember(run, *ret_ref, config);
    return true;
}

void run_apply(Run *run, const ScenarioStep *step) {
    Arena arena = {0};
    Slice what = SLICE("apply");

    for (vec_each(const Value, object, &step->objects)) {
        KubeRef ref;

        if (apply(run, step, object, &ref))
            what = arena_printf(&arena, "%.*s%s %.*s", SLICE_ARG(what), object == step->objects.items ? "" : ",",
                                SLICE_ARG(run_describe(&arena, ref)));
    }
    run_note(run, RUN_STEP, step->line, "%.*s", SLICE_ARG(what));
    arena_free(&arena);
}
