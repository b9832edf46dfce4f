// Makes the end state: bins, possible launches of claims, and pods.
#include "checker/scene.h"

// A launch does not use offerings with less room than the claim requests if others of the type have enough.
static bool lacks_room(const Launch *launch, const Offering *offering) {
    return judge_resource_short(&launch->claim->requests, &offering->allocatable) < RESOURCE_MAX;
}

static void add_candidates_of(World *world, Launch *launch, const Type *type, bool also_small) {
    for (vec_each(const Offering, offering, &type->offerings)) {
        if (judge_offering_is_launchable(world, &launch->claim->states, offering) &&
            (also_small || !lacks_room(launch, offering)))
            vec_push(world->arena, &launch->candidates, (Candidate){type, offering});
    }
}

// Reports a type that cannot be launched; the rest is checked as if it could.
static void add_unavailable(World *world, Launch *launch, const Type *type) {
    for (vec_each(const Offering, offering, &type->offerings)) {
        Shape shape = {&launch->claim->states, &offering->states, NULL};

        if (judge_shape_is_possible(world, &shape))
            vec_push(world->arena, &launch->candidates, (Candidate){type, offering});
    }
}

static void add_candidates(World *world, Launch *launch) {
    for (uint32_t i = 0; i < launch->claim->types.count; i++) {
        uint32_t before = launch->candidates.count;

        add_candidates_of(world, launch, launch->claim->types.items[i], !world->has_overrides);
        if (launch->candidates.count == before)
            add_candidates_of(world, launch, launch->claim->types.items[i], true);
        if (launch->candidates.count == before)
            add_unavailable(world, launch, launch->claim->types.items[i]);
    }
}

static uint32_t find_launch(Scene *scene, const Claim *claim) {
    uint32_t index = u64_map_get(&scene->launch_index, claim->identity);

    if (index != INDEX_NONE)
        return index;
    u64_map_put(scene->world->arena, &scene->launch_index, claim->identity, scene->launches.count);
    vec_push(scene->world->arena, &scene->launches, (Launch){claim->identity, claim, {0}});
    add_candidates(scene->world, vec_last(&scene->launches));
    return scene->launches.count - 1;
}

static void add_bins(Scene *scene) {
    World *world = scene->world;

    for (vec_each(Node, node, &world->nodes)) {
        Bin bin = {.node = node, .name = node->name, .launch = INDEX_NONE};

        bin.hostname = judge_states_only_value(judge_table_get(&node->states, scene->hostname_key));
        vec_push(world->arena, &scene->bins, bin);
    }
    for (vec_each(Claim, claim, &world->claims)) {
        uint32_t number = (uint32_t)(claim - world->claims.items);
        Bin bin = {.claim = claim, .name = claim->name, .launch = find_launch(scene, claim)};

        bin.hostname = symbol_intern(&world->symbols, arena_printf(world->arena, "(claim %u)", number));
        vec_push(world->arena, &scene->bins, bin);
    }
}

// Adds a pod to its bin, to one of the last groups if possible: in most plans pods of a class are adjacent.
static void add_pod(Scene *scene, uint32_t bin, uint32_t pod_index, bool is_new, uint32_t first_group) {
    const Pod *pod = &scene->world->pods.items[pod_index];
    bool is_terminating = !is_new && pod->is_deleting;

    for (uint32_t i = first_group; i < scene->groups.count; i++) {
        Group *group = &scene->groups.items[i];

        if (group->class_index == pod->class_index && group->is_new == is_new &&
            group->is_terminating == is_terminating) {
            group->count++;
            return;
        }
    }
    vec_push(scene->world->arena, &scene->groups, (Group){pod->class_index, bin, 1, is_new, is_terminating, pod->name});
}

static void add_groups(Scene *scene) {
    World *world = scene->world;

    for (vec_each(Node, node, &world->nodes)) {
        uint32_t bin = (uint32_t)(node - world->nodes.items), first = scene->groups.count;

        for (uint32_t i = 0; i < node->pods.count; i++) {
            if (!world->pods.items[node->pods.items[i]].is_moved)
                add_pod(scene, bin, node->pods.items[i], false, first);
        }
    }
    for (vec_each(NodePlan, plan, &world->node_plans)) {
        uint32_t first = scene->groups.count;

        for (uint32_t i = 0; plan->node && i < plan->pods.count; i++)
            add_pod(scene, (uint32_t)(plan->node - world->nodes.items), plan->pods.items[i], true, first);
    }
    for (vec_each(Claim, claim, &world->claims)) {
        uint32_t bin = world->nodes.count + (uint32_t)(claim - world->claims.items), first = scene->groups.count;

        for (uint32_t i = 0; i < claim->pods.count; i++)
            add_pod(scene, bin, claim->pods.items[i], true, first);
    }
}

void judge_scene_make(World *world, Scene *ret_scene) {
    *ret_scene = (Scene){.world = world, .hostname_key = judge_symbol(world, "kubernetes.io/hostname")};
    add_bins(ret_scene);
    add_groups(ret_scene);
}

static void domain_add(Arena *arena, Domain *domain, const LabelStates *states) {
    domain->missing |= states->missing;
    domain->open |= states->others;
    for (uint32_t i = 0; !states->others && i < states->values.count; i++) {
        if (!judge_symbols_contain(&domain->values, states->values.items[i]))
            vec_push(arena, &domain->values, states->values.items[i]);
    }
}

static Domain find_domain(Scene *scene, const Bin *bin, Symbol key) {
    World *world = scene->world;
    Domain domain = {0};

    if (bin->node) {
        Shape shape = {&bin->node->states, NULL, NULL};
        LabelStates states = judge_shape_get(world, &shape, key);

        domain_add(world->arena, &domain, &states);
        return domain;
    }
    for (vec_each(Candidate, candidate, &scene->launches.items[bin->launch].candidates)) {
        Shape shape = {&bin->claim->states, &candidate->offering->states, NULL};
        LabelStates states = judge_shape_get(world, &shape, key);

        domain_add(world->arena, &domain, &states);
    }
    return domain;
}

// The key of cached answers about a bin: the node, or the launch.
static uint64_t bin_subject(const Scene *scene, uint32_t bin) {
    const Bin *at = &scene->bins.items[bin];

    return at->node ? bin : scene->world->nodes.count + at->launch;
}

Domain judge_scene_domain(Scene *scene, uint32_t bin, Symbol key) {
    uint64_t id = bin_subject(scene, bin) << 32 | key;
    uint32_t index;
    Domain domain = {0};

    if (key == scene->hostname_key)
        id = UINT64_C(1) << 63 | bin; // every bin has its own
    index = u64_map_get(&scene->domain_index, id);
    if (index != INDEX_NONE)
        return scene->domains.items[index];
    if (key == scene->hostname_key)
        vec_push(scene->world->arena, &domain.values, scene->bins.items[bin].hostname);
    else
        domain = find_domain(scene, &scene->bins.items[bin], key);
    u64_map_put(scene->world->arena, &scene->domain_index, id, scene->domains.count);
    vec_push(scene->world->arena, &scene->domains, domain);
    return domain;
}

Symbol judge_domain_only(const Domain *domain) {
    return !domain->missing && !domain->open && domain->values.count == 1 ? domain->values.items[0] : INDEX_NONE;
}

bool judge_domain_has(const Domain *domain, Symbol value) {
    return domain->open || judge_symbols_contain(&domain->values, value);
}

bool judge_domains_may_meet(const Domain *a, const Domain *b) {
    if (a->open || b->open)
        return (a->open || a->values.count) && (b->open || b->values.count);
    for (uint32_t i = 0; i < a->values.count; i++) {
        if (judge_symbols_contain(&b->values, a->values.items[i]))
            return true;
    }
    return false;
}

static bool class_holds(Scene *scene, const PodClass *class, const Bin *bin) {
    if (bin->node) {
        Shape shape = {&bin->node->states, NULL, NULL};

        return judge_class_holds_on(scene->world, class, &shape);
    }
    for (vec_each(Candidate, candidate, &scene->launches.items[bin->launch].candidates)) {
        Shape shape = {&bin->claim->states, &candidate->offering->states, NULL};

        if (!judge_class_holds_on(scene->world, class, &shape))
            return false;
    }
    return true;
}

bool judge_scene_class_holds(Scene *scene, uint32_t class_index, uint32_t bin) {
    uint64_t id = bin_subject(scene, bin) << 32 | class_index;
    uint32_t known = u64_map_get(&scene->holds_index, id);

    if (known == INDEX_NONE) {
        known = class_holds(scene, &scene->world->classes.items[class_index], &scene->bins.items[bin]);
        u64_map_put(scene->world->arena, &scene->holds_index, id, known);
    }
    return known;
}

const TaintVec *judge_bin_taints(const Bin *bin) {
    static const TaintVec none = {0};

    if (bin->node)
        return &bin->node->taints;
    return bin->claim->pool ? &bin->claim->pool->taints : &none;
}
