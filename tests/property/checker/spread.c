// Topology spread with DoNotSchedule at the end state.
//
// When the last owner of a constraint landed in a domain, all earlier owners of that domain and all bound pods were
// there, and no domain had more pods than it has at the end: existing + owners − minimum at the end ≤ maxSkew is what
// every order needs. Domains are those of eligible nodes and planned claims, as kube-scheduler sees them. A claim that
// may be launched in one of several brings one of them, whichever: the skew must hold for each.
#include "checker/topology.h"

typedef struct {
    Symbol value;
    bool is_decided;          // some eligible bin is in it for certain
    int64_t existing, owners; // matching pods: bound; planned ones that have the constraint
    int64_t total, possible;  // all matching pods at the end; those that may end here
} DomainCount;
typedef Vec(Domain) DomainVec;

typedef struct {
    Scene *scene;
    uint32_t class_index; // one of the owners
    const Spread *spread;
    U32Vec owner_classes;
    Vec(DomainCount) domains;
    IndexMap index;
    DomainVec open; // of eligible bins that may come to be in several
} Tally;

static DomainCount *tally_domain(Tally *tally, Symbol value) {
    uint32_t index = u64_map_get(&tally->index, value);

    if (index == INDEX_NONE) {
        index = tally->domains.count;
        u64_map_put(tally->scene->world->arena, &tally->index, value, index);
        vec_push(tally->scene->world->arena, &tally->domains, (DomainCount){.value = value});
    }
    return &tally->domains.items[index];
}

static void find_owners(Tally *tally) {
    World *world = tally->scene->world;

    for (uint32_t i = 0; i < world->classes.count; i++) {
        for (vec_each(Spread, spread, &world->classes.items[i].spreads)) {
            if (spread->identity == tally->spread->identity && !judge_symbols_contain(&tally->owner_classes, i))
                vec_push(world->arena, &tally->owner_classes, i);
        }
    }
}

static void tally_bins(Tally *tally) {
    for (uint32_t bin = 0; bin < tally->scene->bins.count; bin++) {
        const Node *node = tally->scene->bins.items[bin].node;
        Domain domain;

        // A deleting node counts only for the pods that are on it.
        if ((node && node->is_deleting) ||
            !judge_spread_counts_bin(tally->scene, tally->class_index, tally->spread, bin))
            continue;
        domain = judge_scene_domain(tally->scene, bin, tally->spread->key);
        for (uint32_t i = 0; i < domain.values.count; i++) {
            DomainCount *count = tally_domain(tally, domain.values.items[i]);

            count->is_decided |= judge_domain_only(&domain) != INDEX_NONE;
        }
        if (judge_domain_only(&domain) == INDEX_NONE)
            vec_push(tally->scene->world->arena, &tally->open, domain);
    }
}

static void tally_group(Tally *tally, const Group *group) {
    Domain domain = judge_scene_domain(tally->scene, group->bin, tally->spread->key);
    Symbol only = judge_domain_only(&domain);

    for (uint32_t i = 0; only == INDEX_NONE && i < domain.values.count; i++)
        tally_domain(tally, domain.values.items[i])->possible += group->count;
    if (only == INDEX_NONE)
        return;
    DomainCount *count = tally_domain(tally, only);

    count->is_decided = true;
    count->total += group->count;
    if (!group->is_new)
        count->existing += group->count;
    else if (judge_symbols_contain(&tally->owner_classes, group->class_index))
        count->owners += group->count;
}

static void tally_groups(Tally *tally) {
    World *world = tally->scene->world;
    const PodClass *owner = &world->classes.items[tally->class_index];

    for (vec_each(Group, group, &tally->scene->groups)) {
        if (!group->is_terminating &&
            judge_spread_matches(world, tally->spread, owner, &world->classes.items[group->class_index]) &&
            judge_spread_counts_bin(tally->scene, tally->class_index, tally->spread, group->bin))
            tally_group(tally, group);
    }
}

static bool has_decided(Tally *tally, const Domain *domain) {
    for (vec_each(const Symbol, value, &domain->values)) {
        if (tally_domain(tally, *value)->is_decided)
            return true;
    }
    return false;
}

// The least number of domains.
static int64_t tally_least_domains(Tally *tally) {
    int64_t decided = 0;
    bool more = false;

    for (vec_each(const DomainCount, count, &tally->domains))
        decided += count->is_decided;
    for (vec_each(const Domain, domain, &tally->open))
        more |= !has_decided(tally, domain);
    return decided + more;
}

// The highest possible value of kube-scheduler's minimum.
static int64_t tally_minimum(Tally *tally) {
    int64_t minimum = INT64_MAX;

    if (tally_least_domains(tally) < tally->spread->min_domains)
        return 0;
    for (vec_each(DomainCount, count, &tally->domains)) {
        if (count->total + count->possible < minimum)
            minimum = count->total + count->possible;
    }
    return minimum == INT64_MAX ? 0 : minimum;
}

static void judge_group(Tally *tally, const Group *group, int64_t minimum) {
    World *world = tally->scene->world;
    Slice key = judge_text(world, tally->spread->key);
    Domain domain = judge_scene_domain(tally->scene, group->bin, tally->spread->key);
    Symbol only = judge_domain_only(&domain);
    const DomainCount *count;

    if (domain.missing || (!domain.open && domain.values.count == 0)) {
        judge_report(world, "spread", group->pod, "its node has no label %.*s to spread over", SLICE_ARG(key));
        return;
    }
    if (only == INDEX_NONE) {
        judge_report(world, "undecided-domain", group->pod, "it spreads over %.*s, which %.*s leaves open",
                     SLICE_ARG(key), SLICE_ARG(judge_text(world, tally->scene->bins.items[group->bin].name)));
        return;
    }
    count = tally_domain(tally, only);
    if (count->existing + count->owners - minimum > tally->spread->max_skew)
        judge_report(world, "spread", group->pod, "%.*s=%.*s has %lld matching pods, the least has %lld, max skew %lld",
                     SLICE_ARG(key), SLICE_ARG(judge_text(world, only)), (long long)(count->existing + count->owners),
                     (long long)minimum, (long long)tally->spread->max_skew);
}

static Tally tally_constraint(Scene *scene, uint32_t class_index, const Spread *spread) {
    Tally tally = {.scene = scene, .class_index = class_index, .spread = spread};

    find_owners(&tally);
    tally_bins(&tally);
    tally_groups(&tally);
    return tally;
}

static void verify_constraint(Scene *scene, uint32_t class_index, const Spread *spread) {
    Tally tally = tally_constraint(scene, class_index, spread);
    int64_t minimum = tally_minimum(&tally);

    for (vec_each(Group, group, &scene->groups)) {
        if (group->is_new && judge_symbols_contain(&tally.owner_classes, group->class_index))
            judge_group(&tally, group, minimum);
    }
}

// A spread constraint of a pod that the plan placed, and a class that has it.
typedef struct {
    uint32_t class_index;
    const Spread *spread;
} Constraint;
typedef Vec(Constraint) ConstraintVec;

static ConstraintVec placed_constraints(Scene *scene) {
    World *world = scene->world;
    U32Vec done = {0};
    ConstraintVec constraints = {0};

    for (vec_each(Group, group, &scene->groups)) {
        const PodClass *class = &world->classes.items[group->class_index];

        for (uint32_t i = 0; group->is_new && i < class->spreads.count; i++) {
            const Spread *spread = &class->spreads.items[i];

            if (judge_symbols_contain(&done, spread->identity))
                continue;
            vec_push(world->arena, &done, spread->identity);
            vec_push(world->arena, &constraints, (Constraint){group->class_index, spread});
        }
    }
    return constraints;
}

void judge_verify_spread(Scene *scene) {
    ConstraintVec constraints = placed_constraints(scene);

    for (vec_each(Constraint, constraint, &constraints))
        verify_constraint(scene, constraint->class_index, constraint->spread);
}

// ---- one more node

// Whether the node policies of the constraint count the node.
static bool counts_node(World *world, const Constraint *constraint, const Shape *shape, const TaintVec *taints) {
    const PodClass *owner = &world->classes.items[constraint->class_index];

    if (constraint->spread->honor_taints && judge_taint_in_the_way(world, owner, taints))
        return false;
    return !constraint->spread->honor_affinity || judge_class_can_hold_on(world, owner, NULL, shape, true, NULL);
}

static bool bears_domain(Tally *tally, int64_t minimum) {
    for (vec_each(const DomainCount, count, &tally->domains)) {
        if (count->owners && count->existing + count->owners - minimum > tally->spread->max_skew)
            return false;
    }
    return true;
}

bool judge_spreads_bear_node(Scene *scene, const Shape *shape, const TaintVec *taints, const PodClass *class) {
    World *world = scene->world;
    ConstraintVec constraints = placed_constraints(scene);

    for (vec_each(Constraint, constraint, &constraints)) {
        LabelStates states = judge_shape_get(world, shape, constraint->spread->key);
        Symbol value = judge_states_only_value(&states);
        int64_t there =
            judge_spread_matches(world, constraint->spread, &world->classes.items[constraint->class_index], class);
        Tally tally;

        if (value == INDEX_NONE || constraint->spread->key == scene->hostname_key ||
            !counts_node(world, constraint, shape, taints))
            continue;
        tally = tally_constraint(scene, constraint->class_index, constraint->spread);
        if (u64_map_get(&tally.index, value) == INDEX_NONE &&
            !bears_domain(&tally, there < tally_minimum(&tally) ? there : tally_minimum(&tally)))
            return false;
    }
    return true;
}
