// Checks of all pods of a bin together: ports, volumes, room.
#include "checker/verify.h"

// All pods of a bin: bound ones that stay, and planned ones.
typedef struct {
    Scene *scene;
    uint32_t bin;
    U32Vec pods;
} Tenants;

static void add_pods(Tenants *tenants, const U32Vec *pods) {
    const World *world = tenants->scene->world;

    for (uint32_t i = 0; i < pods->count; i++) {
        if (!world->pods.items[pods->items[i]].is_moved || pods != &tenants->scene->bins.items[tenants->bin].node->pods)
            vec_push(world->arena, &tenants->pods, pods->items[i]);
    }
}

static U32Vec tenants_of(Scene *scene, uint32_t bin) {
    Tenants tenants = {scene, bin, {0}};
    const Bin *at = &scene->bins.items[bin];

    if (at->claim)
        return at->claim->pods;
    add_pods(&tenants, &at->node->pods);
    for (vec_each(NodePlan, plan, &scene->world->node_plans)) {
        if (plan->node == at->node)
            add_pods(&tenants, &plan->pods);
    }
    return tenants.pods;
}

bool judge_ports_taken(Scene *scene, uint32_t bin, const PodClass *class, uint32_t skip) {
    U32Vec pods;

    if (class->ports.count == 0)
        return false;
    pods = tenants_of(scene, bin);
    for (uint32_t i = 0; i < pods.count; i++) {
        if (pods.items[i] != skip &&
            judge_ports_conflict(scene->world, &class->ports,
                                 &judge_class(scene->world, &scene->world->pods.items[pods.items[i]])->ports))
            return true;
    }
    return false;
}

static void add_volumes(World *world, const Pod *pod, Symbol driver, U32Vec *claims) {
    for (vec_each(const PodVolume, volume, &pod->volumes)) {
        if (volume->driver == driver && !judge_symbols_contain(claims, volume->claim))
            vec_push(world->arena, claims, volume->claim);
    }
}

// kube-scheduler checks only volumes of new pods; there may be more than the limit already.
static bool brings_volumes(World *world, const Node *node, const U32Vec *pods, Symbol driver) {
    U32Vec bound = {0}, all;

    for (uint32_t i = 0; i < node->pods.count; i++) {
        if (!world->pods.items[node->pods.items[i]].is_moved)
            add_volumes(world, &world->pods.items[node->pods.items[i]], driver, &bound);
    }
    all = bound;
    for (uint32_t i = 0; i < pods->count; i++)
        add_volumes(world, &world->pods.items[pods->items[i]], driver, &all);
    return all.count > bound.count;
}

bool judge_volumes_exceed(Scene *scene, uint32_t bin, const VolumeLimitVec *limits, const Pod *extra, bool cautious,
                          Symbol *ret_driver) {
    World *world = scene->world;
    const Node *node = bin == INDEX_NONE ? NULL : scene->bins.items[bin].node;
    U32Vec pods;

    if (limits->count == 0)
        return false;
    pods = bin == INDEX_NONE ? (U32Vec){0} : tenants_of(scene, bin);
    for (vec_each(const VolumeLimit, limit, limits)) {
        // A driver without a count: limit 0 for Karpenter, no limit for kube-scheduler.
        int64_t count = limit->count == INT64_MAX && cautious && node ? 0 : limit->count;
        U32Vec claims = {0};

        for (uint32_t i = 0; i < pods.count; i++)
            add_volumes(world, &world->pods.items[pods.items[i]], limit->driver, &claims);
        if (extra)
            add_volumes(world, extra, limit->driver, &claims);
        if ((int64_t)claims.count <= count || (!cautious && node && !brings_volumes(world, node, &pods, limit->driver)))
            continue;
        *ret_driver = limit->driver;
        return true;
    }
    return false;
}

// Takes the room of a daemon that runs on a node: what it wants beyond what its own pods have there; nothing if it does
// not fit.
static void take_daemon(const World *world, const Node *node, const DaemonSet *daemon_set, bool cautious,
                        Amounts *room) {
    Amounts wanted = world->classes.items[daemon_set->class_index].requests;

    for (uint32_t i = 0; i < node->pods.count; i++) {
        const Pod *pod = &world->pods.items[node->pods.items[i]];

        if (pod->daemon_set != daemon_set->name)
            continue;
        if (!cautious)
            return;
        judge_amounts_subtract(&wanted, &judge_class(world, pod)->requests);
    }
    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        if (wanted.of[i] < 0)
            wanted.of[i] = 0;
    }
    if (judge_resource_short(&wanted, room) == RESOURCE_MAX)
        judge_amounts_subtract(room, &wanted);
}

Amounts judge_node_room(Scene *scene, const Node *node, bool cautious) {
    World *world = scene->world;
    Shape shape = {&node->states, NULL, NULL};
    Amounts room = node->allocatable;

    for (uint32_t i = 0; i < node->pods.count; i++)
        judge_amounts_subtract(&room, &judge_class(world, &world->pods.items[node->pods.items[i]])->requests);
    for (vec_each(DaemonSet, daemon_set, &world->daemon_sets)) {
        if (judge_daemon_runs_on(world, daemon_set, &node->taints, &shape))
            take_daemon(world, node, daemon_set, cautious, &room);
    }
    return room;
}

Amounts judge_claim_pod_requests(const World *world, const Claim *claim) {
    Amounts sum = {0};

    for (uint32_t i = 0; i < claim->pods.count; i++)
        judge_amounts_add(&sum, &judge_class(world, &world->pods.items[claim->pods.items[i]])->requests);
    return sum;
}

Amounts judge_candidate_daemons(Scene *scene, const Claim *claim, const Candidate *candidate) {
    World *world = scene->world;
    Shape shape = {&claim->states, &candidate->offering->states, NULL};
    Amounts sum = {0};

    for (vec_each(DaemonSet, daemon_set, &world->daemon_sets)) {
        if (claim->pool && judge_daemon_runs_on_new(world, daemon_set, claim->pool, &shape))
            judge_amounts_add(&sum, &world->classes.items[daemon_set->class_index].requests);
    }
    return sum;
}

Amounts judge_type_daemons(Scene *scene, const Pool *pool, const Type *type) {
    World *world = scene->world;
    Amounts sum = {0};

    for (vec_each(DaemonSet, daemon_set, &world->daemon_sets)) {
        if (judge_daemon_may_run_on(world, daemon_set, pool, type))
            judge_amounts_add(&sum, &world->classes.items[daemon_set->class_index].requests);
    }
    return sum;
}
