// The scenes of tests/scenes with the planner: a pod is never planned onto a node where kube-scheduler refuses it.
//
// Each pod is planned with the scene as it is, and once per node with room on that node alone; there are no NodePools.
// Pods that kube-scheduler places must be placed too. The exceptions of both kinds are listed.
#include "harness/test.h"
#include "model/manifest/manifest.h"
#include "scenes/scenes.h"
#include "sched/plan.h"
#include "text/value_edit.h"

typedef struct {
    uint32_t scenes, pods, verdicts, planned, stricter, ahead;
} Tally;

static Tally tally;

// A scene in which the planner differs from kube-scheduler, and why.
typedef struct {
    const char *scene, *why;
} Exception;

// The planner does not place pods that kube-scheduler places.
static const Exception stricter[] = {
    {"every label of a nodeSelector must be there", "hostnames may not be selected, as with Karpenter"},
    {"a node by its name", "matchFields are not planned for, as with Karpenter"},
    {"a node by its name leaves one domain to spread over", "matchFields"},
    {"pods on nodes that lack a key of another constraint do not count",
     "the least of all hosts is 0: a new one can always be opened"},
    {"a cordoned host counts, unless the policy honors its taint", "the least of all hosts"},
    {NULL, NULL},
};

// The planner places pods that kube-scheduler places only after controllers have made further objects.
static const Exception ahead[] = {
    {"an ephemeral volume waits for its claim", "the claims of ephemeral volumes"},
    {NULL, NULL},
};

static bool is_excepted(const Exception *exceptions, const Scene *scene) {
    for (; exceptions->scene; exceptions++) {
        if (strcmp(exceptions->scene, scene->name) == 0)
            return true;
    }
    return false;
}

// --- the cluster of a scene

static void read_object(Cluster *cluster, const Scene *scene, Value object) {
    Document document = {.file = slice_of(scene->file), .root = object};
    Err err = {0};

    if (manifest_read(cluster, &document, &err) != OK)
        fail_msg("%s", err.text);
}

// `only`: the one node that has room for another pod; empty: all as they are. As an API server does, a node's
// allocatable is its capacity where it says nothing else.
static Value node_of(Arena *arena, const Value *object, Slice only) {
    Value node = value_copy(arena, object), *status = value_make(arena, &node, "status", NULL);
    const Value *capacity = value_get_text(status, "capacity");
    Value *room;

    if (!value_get_text(status, "allocatable") && capacity)
        value_put(arena, status, SLICE("allocatable"), value_copy(arena, capacity));
    if (only.len && !slice_eq(scene_name_of(object), only)) {
        room = value_make(arena, &node, "status", "allocatable", NULL);
        value_remove_text(room, "pods");
        value_put(arena, room, SLICE("pods"), value_string(SLICE("0")));
    }
    return node;
}

static void read_scene(Cluster *cluster, const Scene *scene, const Value *probe, Slice only) {
    Err err = {0};

    for (vec_each(const Value, object, &scene->objects->list))
        read_object(cluster, scene,
                    scene_is(object, "Node") ? node_of(&cluster->arena, object, only)
                                             : value_copy(&cluster->arena, object));
    read_object(cluster, scene, value_copy(&cluster->arena, value_get_text(probe, "pod")));
    if (manifest_finish(cluster, &err) != OK)
        fail_msg("%s", err.text);
}

// --- where the probe is planned

static uint32_t find_probe(const PlanInput *input) {
    for (uint32_t i = 0; i < input->pending.count; i++) {
        if (slice_eq_text(symbol_text(&input->cluster->symbols, input->pending.items[i].pod->name), "probe"))
            return i;
    }
    return INDEX_NONE;
}

// The node that the plan gives it; empty: none.
static Slice planned_on(const PlanInput *input, const Plan *plan, uint32_t probe) {
    for (vec_each(const PlannedNode, node, &plan->nodes)) {
        for (vec_each(const uint32_t, pod, &node->pods)) {
            if (*pod == probe)
                return symbol_text(&input->cluster->symbols, node->node->name);
        }
    }
    return (Slice){0};
}

static Slice plan(Cluster *cluster, const Scene *scene, const Value *probe, Slice only) {
    PlanInput input = {.cluster = cluster, .search = {.skip_floor = true}};
    Plan made = {0};

    cluster_init(cluster);
    read_scene(cluster, scene, probe, only);
    input.nodes = node_views_make(&cluster->arena, cluster, NULL, 0);
    input.pending = pending_select(&cluster->arena, cluster, &input.nodes, 0);
    plan_solve(&cluster->arena, &input, &made);
    return planned_on(&input, &made, find_probe(&input));
}

static void check(const Scene *scene, const Value *probe, Slice only) {
    const Value *feasible = value_get_text(probe, "feasible");
    Cluster cluster;
    Slice node = plan(&cluster, scene, probe, only);
    bool expected = only.len ? scene_lists(feasible, only) : feasible->list.count > 0;

    bool is_ahead = node.len && !scene_lists(feasible, node), is_stricter = !node.len && expected;

    if (is_ahead && !is_excepted(ahead, scene))
        fail_msg("%s: %s, line %u: planned onto %.*s, where kube-scheduler refuses it", scene->file, scene->name,
                 probe->line, SLICE_ARG(node));
    if (is_stricter && !is_excepted(stricter, scene))
        fail_msg("%s: %s, line %u: not planned%s%.*s, where kube-scheduler takes it", scene->file, scene->name,
                 probe->line, only.len ? " onto " : "", SLICE_ARG(only));
    tally.ahead += is_ahead;
    tally.stricter += is_stricter;
    tally.planned += node.len > 0;
    tally.verdicts++;
    cluster_free(&cluster);
}

TEST_EACH(Scene, scene, plans_where_kube_scheduler_places, scenes_list) {
    Tally before = tally;

    for (vec_each(const Value, probe, &scene->pods->list)) {
        check(scene, probe, (Slice){0});
        for (uint32_t i = 0; i < scene->node_count; i++)
            check(scene, probe, scene->nodes[i]);
        tally.pods++;
    }
    tally.scenes++;
    // An exception that no longer occurs must be removed from the list.
    assert_int_equal(tally.stricter > before.stricter, is_excepted(stricter, scene));
    assert_int_equal(tally.ahead > before.ahead, is_excepted(ahead, scene));
}

static void print_tally(void) {
    print_message("%u scenes, %u pods, %u verdicts: %u planned (%u ahead), %u not although they could be\n",
                  tally.scenes, tally.pods, tally.verdicts, tally.planned, tally.ahead, tally.stricter);
}

AFTER_ALL(print_tally);
