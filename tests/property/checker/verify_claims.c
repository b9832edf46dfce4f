// A planned claim, whatever is launched for it: its pool, its types and each of its pods.
#include "checker/verify.h"

#define NAME(world, symbol) SLICE_ARG(judge_text((world), (symbol)))

static void judge_pool(World *world, const Claim *claim) {
    if (!claim->pool)
        judge_report(world, "unknown-pool", claim->name, "the input has no NodePool %.*s",
                     NAME(world, claim->pool_name));
    else if (claim->pool->is_static)
        judge_report(world, "static-pool", claim->name, "NodePool %.*s is static", NAME(world, claim->pool_name));
    else if (!claim->pool->is_ready)
        judge_report(world, "pool-not-ready", claim->name, "NodePool %.*s is not ready", NAME(world, claim->pool_name));
    if (claim->pods.count == 0)
        judge_report(world, "empty-claim", claim->name, "nobody is planned on it");
    if (claim->type_names.count == 0)
        judge_report(world, "no-offering", claim->name, "it lists no instance type");
}

static bool is_launchable(World *world, const Claim *claim, const Type *type) {
    for (vec_each(Offering, offering, &type->offerings)) {
        if (judge_offering_is_launchable(world, &claim->states, offering))
            return true;
    }
    return false;
}

static void judge_types(Scene *scene, const Bin *bin) {
    World *world = scene->world;

    for (uint32_t i = 0; i < bin->claim->types.count; i++) {
        const Type *type = bin->claim->types.items[i];
        Shape shape = {&bin->claim->states, &type->states, NULL};

        if (is_launchable(world, bin->claim, type))
            continue;
        if (!judge_shape_is_possible(world, &shape))
            judge_report(world, "requirements", bin->name, "type %.*s does not meet the claim's requirements",
                         NAME(world, type->name));
        else
            judge_report(world, "no-offering", bin->name, "type %.*s has no available offering for it",
                         NAME(world, type->name));
    }
}

// The claim's labels must be allowed by the pool.
static void judge_pool_requirements(Scene *scene, const Bin *bin) {
    World *world = scene->world;
    const Pool *pool = bin->claim->pool;

    for (uint32_t i = 0; pool && i < pool->requirements.count; i++) {
        const Expression *expression = &pool->requirements.items[i];

        for (vec_each(Candidate, candidate, &scene->launches.items[bin->launch].candidates)) {
            Shape shape = {&bin->claim->states, &candidate->offering->states, NULL};
            LabelStates states = judge_shape_get(world, &shape, expression->key);

            if (judge_states_are_within(&world->symbols, &states, &expression->states))
                continue;
            judge_report(world, "requirements", bin->name, "%.*s may get a label %.*s that NodePool %.*s excludes",
                         NAME(world, candidate->type->name), NAME(world, expression->key), NAME(world, pool->name));
            break;
        }
    }
}

static bool volumes_hold(Scene *scene, const Bin *bin, const Pod *pod) {
    if (pod->volumes.count == 0)
        return true;
    if (bin->node) {
        Shape shape = {&bin->node->states, NULL, NULL};

        return judge_volumes_hold_on(scene->world, &pod->volumes, &shape);
    }
    for (vec_each(Candidate, candidate, &scene->launches.items[bin->launch].candidates)) {
        Shape shape = {&bin->claim->states, &candidate->offering->states, NULL};

        if (!judge_volumes_hold_on(scene->world, &pod->volumes, &shape))
            return false;
    }
    return true;
}

// Checks one pod and its bin, without room and other pods.
static void judge_pod(Scene *scene, uint32_t index, uint32_t pod_index) {
    World *world = scene->world;
    const Bin *bin = &scene->bins.items[index];
    const Pod *pod = &world->pods.items[pod_index];
    const PodClass *class = judge_class(world, pod);
    const Taint *taint = judge_taint_in_the_way(world, class, judge_bin_taints(bin));

    if (taint)
        judge_report(world, "taints", pod->name, "it does not tolerate taint %.*s of %.*s", NAME(world, taint->key),
                     NAME(world, bin->name));
    if (!judge_scene_class_holds(scene, pod->class_index, index))
        judge_report(world, "node-affinity", pod->name, "its node selector or affinity does not hold on %.*s",
                     NAME(world, bin->name));
    if (!volumes_hold(scene, bin, pod))
        judge_report(world, "volumes", pod->name, "its volumes cannot be attached on %.*s", NAME(world, bin->name));
    if (judge_ports_taken(scene, index, class, pod_index))
        judge_report(world, "host-ports", pod->name, "its host ports are taken on %.*s", NAME(world, bin->name));
}

static void judge_daemon_ports(Scene *scene, const Bin *bin) {
    World *world = scene->world;

    if (!bin->claim->pool)
        return;
    for (vec_each(DaemonSet, daemon_set, &world->daemon_sets)) {
        const PodClass *daemon = &world->classes.items[daemon_set->class_index];

        if (daemon->ports.count == 0)
            continue;
        for (vec_each(Candidate, candidate, &scene->launches.items[bin->launch].candidates)) {
            Shape shape = {&bin->claim->states, &candidate->offering->states, NULL};

            if (!judge_daemon_runs_on_new(world, daemon_set, bin->claim->pool, &shape))
                continue;
            for (uint32_t i = 0; i < bin->claim->pods.count; i++) {
                const Pod *pod = &world->pods.items[bin->claim->pods.items[i]];

                if (judge_ports_conflict(world, &daemon->ports, &judge_class(world, pod)->ports))
                    judge_report(world, "host-ports", pod->name, "daemon %.*s has its host port on %.*s",
                                 NAME(world, daemon_set->name), NAME(world, bin->name));
            }
            break;
        }
    }
}

static void judge_room(Scene *scene, const Bin *bin) {
    World *world = scene->world;
    Amounts pods = judge_claim_pod_requests(world, bin->claim);

    for (vec_each(Candidate, candidate, &scene->launches.items[bin->launch].candidates)) {
        Amounts requests = judge_candidate_daemons(scene, bin->claim, candidate);
        uint32_t resource;

        judge_amounts_add(&requests, &pods);
        resource = judge_resource_short(&requests, &candidate->offering->allocatable);
        if (resource == RESOURCE_MAX)
            continue;
        judge_report(world, "resources", bin->name, "%.*s in %.*s has %lld of %.*s, its pods and daemons want %lld",
                     NAME(world, candidate->type->name), NAME(world, candidate->offering->zone),
                     (long long)candidate->offering->allocatable.of[resource],
                     NAME(world, world->resources.items[resource]), (long long)requests.of[resource]);
        return;
    }
}

static void judge_volume_limits(Scene *scene, uint32_t index) {
    World *world = scene->world;
    const Bin *bin = &scene->bins.items[index];

    for (uint32_t i = 0; i < bin->claim->types.count; i++) {
        const Type *type = bin->claim->types.items[i];
        Symbol driver;

        if (!judge_volumes_exceed(scene, index, &type->volume_limits, NULL, false, &driver))
            continue;
        judge_report(world, "volume-limits", bin->name, "%.*s attaches fewer volumes of %.*s", NAME(world, type->name),
                     NAME(world, driver));
        return;
    }
}

// Strict: the listed types have at least that many distinct values of the key.
static void judge_min_values(Scene *scene, const Bin *bin) {
    World *world = scene->world;

    for (uint32_t i = 0; bin->claim->pool && i < bin->claim->pool->requirements.count; i++) {
        const Expression *expression = &bin->claim->pool->requirements.items[i];
        U32Vec values = {0};

        for (uint32_t k = 0; expression->min_values > 0 && k < bin->claim->types.count; k++) {
            const LabelStates *states = judge_table_get(&bin->claim->types.items[k]->states, expression->key);

            for (uint32_t v = 0; states && !states->others && v < states->values.count; v++) {
                if (!judge_symbols_contain(&values, states->values.items[v]))
                    vec_push(world->arena, &values, states->values.items[v]);
            }
        }
        if (values.count < expression->min_values)
            judge_report(world, "min-values", bin->name, "its types have %u values of %.*s, %lld are wanted",
                         values.count, NAME(world, expression->key), (long long)expression->min_values);
    }
}

void judge_verify_claims(Scene *scene) {
    for (uint32_t index = scene->world->nodes.count; index < scene->bins.count; index++) {
        const Bin *bin = &scene->bins.items[index];

        judge_pool(scene->world, bin->claim);
        judge_types(scene, bin);
        judge_pool_requirements(scene, bin);
        judge_room(scene, bin);
        judge_daemon_ports(scene, bin);
        judge_volume_limits(scene, index);
        if (!scene->world->best_effort_min_values)
            judge_min_values(scene, bin);
        for (uint32_t i = 0; i < bin->claim->pods.count; i++)
            judge_pod(scene, index, bin->claim->pods.items[i]);
    }
}

static void judge_node(Scene *scene, const NodePlan *plan, uint32_t index) {
    World *world = scene->world;
    Amounts room = judge_node_room(scene, plan->node, false), requests = {0};
    uint32_t resource;
    Symbol driver;

    if (plan->node->is_deleting)
        judge_report(world, "deleting-node", plan->name, "it is being deleted");
    for (uint32_t i = 0; i < plan->pods.count; i++)
        judge_amounts_add(&requests, &judge_class(world, &world->pods.items[plan->pods.items[i]])->requests);
    resource = judge_resource_short(&requests, &room);
    if (resource < RESOURCE_MAX && !plan->node->is_unlaunched)
        judge_report(world, "resources", plan->name, "it has %lld of %.*s left, its new pods want %lld",
                     (long long)room.of[resource], NAME(world, world->resources.items[resource]),
                     (long long)requests.of[resource]);
    if (judge_volumes_exceed(scene, index, &plan->node->volume_limits, NULL, false, &driver))
        judge_report(world, "volume-limits", plan->name, "more volumes of %.*s than it attaches", NAME(world, driver));
}

void judge_verify_nodes(Scene *scene) {
    for (vec_each(NodePlan, plan, &scene->world->node_plans)) {
        uint32_t index = plan->node ? (uint32_t)(plan->node - scene->world->nodes.items) : INDEX_NONE;

        if (!plan->node)
            continue;
        judge_node(scene, plan, index);
        for (uint32_t i = 0; i < plan->pods.count; i++)
            judge_pod(scene, index, plan->pods.items[i]);
    }
}
