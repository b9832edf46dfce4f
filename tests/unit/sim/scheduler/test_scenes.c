// The scenes of tests/scenes with the embedded scheduler: the nodes where each pod may go, and where it goes.
#include "sim/scheduler_env.h"

#include "scenes/scenes.h"
#include "text/value_edit.h"

typedef struct {
    uint32_t scenes, probes, verdicts;
} Tally;

static Tally tally;

// --- setting up

static KubeKind kind_of(const Value *object) {
    KubeKind kind = kube_kind_find(kube_text(object, "apiVersion", NULL), kube_text(object, "kind", NULL));

    assert_int_not_equal(kind, KUBE_KIND_COUNT);
    return kind;
}

static Slice namespace_of(const Value *object) {
    Slice ns = kube_namespace(object);

    if (!kube_kind(kind_of(object))->namespaced)
        return (Slice){0};
    return ns.len ? ns : SLICE("default");
}

static void create(World *world, const Scene *scene, const Value *object) {
    Arena arena = {0};
    KubeError error = {0};
    Value copy = value_copy(&arena, object);

    if (kube_create(world_kube(world), NULL, SLICE("test"), kind_of(object), &copy, NULL, &error) != OK)
        fail_msg("%s: %s: %s", scene->file, scene->name, error.err.text);
    arena_free(&arena);
}

static void patch(World *world, const Value *object, KubePart part, const char *key, const char *inner, Value value) {
    Arena arena = {0};
    Value body = value_map(), *outer = value_make(&arena, &body, key, NULL);

    if (inner)
        value_put(&arena, outer, slice_of(inner), value);
    else
        *outer = value;
    assert_int_equal(world_patch(world, "test", kind_of(object), namespace_of(object), kube_name(object), part, &body),
                     OK);
    arena_free(&arena);
}

static void set_up_object(World *world, const Scene *scene, const Value *object) {
    const Value *status = value_get_text(object, "status"), *taints = value_at(object, "spec", "taints", NULL);

    create(world, scene, object);
    if (kind_of(object) == KUBE_NODE)
        patch(world, object, KUBE_OBJECT, "spec", "taints", taints ? *taints : value_null());
    else if (status)
        patch(world, object, KUBE_STATUS, "status", NULL, *status);
}

// `only`: the one node that has room for another pod; empty: all as they are.
static World *set_up(const Scene *scene, Slice only) {
    World *world = world_new(&(WorldConfig){.seed = 3});

    sim_scheduler_add(world, NULL);
    for (vec_each(const Value, object, &scene->objects->list)) {
        set_up_object(world, scene, object);
        if (only.len && kind_of(object) == KUBE_NODE && !slice_eq(kube_name(object), only)) {
            Arena arena = {0};
            Value pods = value_map();

            value_put(&arena, &pods, SLICE("pods"), value_string(SLICE("0")));
            patch(world, object, KUBE_STATUS, "status", "allocatable", pods);
            arena_free(&arena);
        }
    }
    world_settle(world);
    return world;
}

// --- looking

static Slice selected_node(World *world, const Pod *pod) {
    const State *state = world_state(world);
    Symbol key = symbol_intern(world_symbols(world), SLICE("volume.kubernetes.io/selected-node"));

    for (vec_each(const PodVolume, volume, &pod->spec->volumes)) {
        const PersistentVolumeClaim *claim = state_persistent_volume_claim(
            state, state_find(state, KUBE_PERSISTENT_VOLUME_CLAIM, pod->ns, volume->claim_name));
        Symbol node = claim ? labels_get(&claim->meta.annotations, key) : INDEX_NONE;

        if (node != INDEX_NONE)
            return symbol_text(world_symbols(world), node);
    }
    return (Slice){0};
}

static const Pod *find_pod(World *world, const Value *object) {
    const Pod *pod = state_pod(world_state(world), state_find(world_state(world), KUBE_POD,
                                                              symbol_intern(world_symbols(world), namespace_of(object)),
                                                              symbol_intern(world_symbols(world), kube_name(object))));

    assert_non_null(pod);
    return pod;
}

// Creates the pod and says where it was placed; empty: nowhere.
static Slice try_pod(World *world, const Scene *scene, const Value *object) {
    const Pod *pod;

    create(world, scene, object);
    cluster_run(world, SECONDS(2));
    pod = find_pod(world, object);
    if (pod->node_name != NAME_EMPTY)
        return symbol_text(world_symbols(world), pod->node_name);
    return selected_node(world, pod);
}

// --- checking

#define COMPLAIN(format, ...) fail_msg("%s: %s, line %u: " format, scene->file, scene->name, probe->line, __VA_ARGS__)

static void check_message(World *world, const Scene *scene, const Value *probe, const Value *object) {
    const Value *message = value_get_text(probe, "message");
    Arena arena = {0};
    Value pod;
    const Value *conditions;
    bool found = false;

    assert_int_equal(
        kube_get(world_kube(world), &arena, (KubeRef){KUBE_POD, namespace_of(object), kube_name(object)}, &pod, NULL),
        OK);
    conditions = value_at(&pod, "status", "conditions", NULL);
    for (uint32_t i = 0; conditions && i < conditions->list.count; i++) {
        const Value *condition = &conditions->list.items[i];

        if (!slice_eq_text(kube_text(condition, "type", NULL), "PodScheduled"))
            continue;
        found = slice_eq_text(kube_text(condition, "status", NULL), "False");
        if (message && !slice_eq(message->text, kube_text(condition, "message", NULL)))
            COMPLAIN("expected\n  %.*s, got\n  %.*s", SLICE_ARG(message->text),
                     SLICE_ARG(kube_text(condition, "message", NULL)));
    }
    if (!found)
        COMPLAIN("%s", "the pod has no condition PodScheduled that is False");
    arena_free(&arena);
}

static void check_victims(World *world, const Scene *scene, const Value *probe, const Value *object) {
    const Value *victims = value_get_text(probe, "victims");
    const State *state = world_state(world);
    const Pod *pod = find_pod(world, object);
    Slice nominated = symbol_text(world_symbols(world), pod->nominated_node_name);
    Slice expected = kube_text(probe, "nominated", NULL), waits_for = selected_node(world, pod);
    uint32_t count = 0;

    for (Handle at = state_next(state, KUBE_POD, HANDLE_NONE); at.generation; at = state_next(state, KUBE_POD, at)) {
        Slice name = symbol_text(world_symbols(world), state_pod(state, at)->name);

        if (!state_pod(state, at)->deleting)
            continue;
        count++;
        if (!scene_lists(victims, name))
            COMPLAIN("%.*s is deleted", SLICE_ARG(name));
    }
    if (count != (victims ? victims->list.count : 0))
        COMPLAIN("%u pods are deleted, expected %u", count, victims->list.count);
    if (pod->node_name == NAME_EMPTY && waits_for.len)
        expected = waits_for;
    if (!slice_eq(nominated, expected))
        COMPLAIN("nominated for \"%.*s\"", SLICE_ARG(nominated));
}

static void check_placement(const Scene *scene, const Value *probe, const Value *object) {
    const Value *feasible = value_get_text(probe, "feasible");
    World *world = set_up(scene, (Slice){0});
    Slice node = try_pod(world, scene, object);

    if (node.len && !scene_lists(feasible, node))
        COMPLAIN("placed on %.*s", SLICE_ARG(node));
    if (!node.len && feasible->list.count)
        COMPLAIN("%s", "placed nowhere");
    if (!feasible->list.count)
        check_message(world, scene, probe, object);
    check_victims(world, scene, probe, object);
    world_free(world);
}

static void check_feasibility(const Scene *scene, const Value *probe, const Value *object) {
    const Value *feasible = value_get_text(probe, "feasible");
    uint32_t expected = 0;

    for (uint32_t i = 0; i < scene->node_count; i++) {
        World *world = set_up(scene, scene->nodes[i]);
        bool fits = slice_eq(try_pod(world, scene, object), scene->nodes[i]);

        if (fits != scene_lists(feasible, scene->nodes[i]))
            COMPLAIN("%.*s is %sfeasible", SLICE_ARG(scene->nodes[i]), fits ? "" : "not ");
        expected += fits;
        tally.verdicts++;
        world_free(world);
    }
    if (expected != feasible->list.count)
        COMPLAIN("%s", "names a node that the scene does not have");
}

TEST_EACH(Scene, scene, plays_as_written, scenes_list) {
    for (vec_each(const Value, probe, &scene->pods->list)) {
        const Value *object = value_get_text(probe, "pod");

        check_placement(scene, probe, object);
        check_feasibility(scene, probe, object);
        tally.probes++;
    }
    tally.scenes++;
}

static void print_tally(void) {
    print_message("%u scenes, %u pods, %u verdicts\n", tally.scenes, tally.probes, tally.verdicts);
}

AFTER_ALL(print_tally);
