// Checks plans of random worlds.
#include "sched/support/plan_check.h"

#include "harness/test.h"
#include "sched/support/trial.h"
#include "sched/support/world_parts.h"

#include <math.h>
#include <stdio.h>

// An existing or planned node, and one pod on it.
typedef struct {
    const PlannedClaim *claim; // or
    const NodeView *node;
} Place;

typedef struct {
    const Pod *pod;
    Place place;
    bool planned; // by this plan
} Placed;

typedef struct {
    World *world;
    const Plan *plan;
    const Symbols *symbols;
    Arena arena;
    Vec(Placed) placed;
} Checker;

__attribute__((format(printf, 2, 3))) static void refuse(Checker *checker, const char *format, ...) {
    char text[256];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fputs(plan_text(checker->world, checker->plan), stderr);
    arena_free(&checker->arena);
    fail_msg("%s", text);
}

static const char *name_of(const Checker *checker, Symbol symbol) {
    return symbol_text(checker->symbols, symbol).ptr;
}

// --- places of pods

static void add_planned(Checker *checker, const U32Vec *pods, Place place) {
    for (vec_each(uint32_t, pod, pods)) {
        Placed placed = {checker->world->input.pending.items[*pod].pod, place, true};

        vec_push(&checker->arena, &checker->placed, placed);
    }
}

static void add_bound(Checker *checker, const NodeView *node) {
    for (vec_each(Pod, pod, &checker->world->input.cluster->pods)) {
        if (pod->node_name == node->name)
            vec_push(&checker->arena, &checker->placed, (Placed){pod, {NULL, node}, false});
    }
}

static void find_placed(Checker *checker) {
    for (vec_each(NodeView, node, &checker->world->input.nodes))
        add_bound(checker, node);
    for (vec_each(PlannedNode, node, &checker->plan->nodes))
        add_planned(checker, &node->pods, (Place){NULL, node->node});
    for (vec_each(PlannedClaim, claim, &checker->plan->claims))
        add_planned(checker, &claim->pods, (Place){claim, NULL});
}

static void check_each_pod_is_there_once(Checker *checker) {
    uint32_t count = checker->world->input.pending.count;
    uint8_t *seen = arena_array(&checker->arena, uint8_t, count);

    for (vec_each(PlannedNode, node, &checker->plan->nodes)) {
        for (vec_each(uint32_t, pod, &node->pods))
            seen[*pod]++;
    }
    for (vec_each(PlannedClaim, claim, &checker->plan->claims)) {
        if (!claim->pods.count)
            refuse(checker, "claim %.*s has no pods", SLICE_ARG(claim->name));
        for (vec_each(uint32_t, pod, &claim->pods))
            seen[*pod]++;
    }
    for (vec_each(UnplacedPod, pod, &checker->plan->unplaced))
        seen[pod->pod]++;
    for (uint32_t i = 0; i < count; i++) {
        if (seen[i] != 1)
            refuse(checker, "pod %u is in the plan %u times", i, seen[i]);
    }
}

// --- room

static bool same_place(Place a, Place b) {
    return a.claim == b.claim && a.node == b.node;
}

static Resources requests_at(Checker *checker, Place place) {
    Resources sum = {0};

    for (vec_each(Placed, placed, &checker->placed)) {
        if (same_place(placed->place, place))
            resources_add(&checker->arena, &sum, &placed->pod->spec->requests);
    }
    return sum;
}

static void check_room(Checker *checker) {
    for (vec_each(PlannedClaim, claim, &checker->plan->claims)) {
        Resources sum = requests_at(checker, (Place){claim, NULL});

        for (vec_each(const InstanceType *, type, &claim->types)) {
            Resources room = instance_type_allocatable(&checker->arena, checker->symbols, *type, NULL);

            if (!resources_fit(&sum, &room))
                refuse(checker, "%.*s is too much for %s", SLICE_ARG(claim->name), name_of(checker, (*type)->name));
        }
    }
    for (vec_each(PlannedNode, node, &checker->plan->nodes)) {
        Resources sum = requests_at(checker, (Place){NULL, node->node});

        if (!resources_fit(&sum, &node->node->allocatable))
            refuse(checker, "node %s is overfull", name_of(checker, node->node->name));
    }
}

static int64_t largest_of(Checker *checker, const PlannedClaim *claim, Symbol resource) {
    int64_t largest = 0;

    if (resource == NAME_NODES)
        return 1;
    for (vec_each(const InstanceType *, type, &claim->types)) {
        Resources capacity = instance_type_capacity(&checker->arena, *type, NULL);

        if (resources_get(&capacity, resource) > largest)
            largest = resources_get(&capacity, resource);
    }
    return largest;
}

static void check_limits(Checker *checker) {
    for (vec_each(PlanPool, pool, &checker->world->input.pools)) {
        for (uint32_t i = 0; i < pool->pool->limits.count; i++) {
            ResourceAmount limit = pool->pool->limits.items[i];
            int64_t there = 0, planned = 0;

            for (vec_each(NodeView, node, &checker->world->input.nodes)) {
                if (node->pool == pool->pool->meta.name)
                    there += resources_get(&node->capacity, limit.resource);
            }
            for (vec_each(PlannedClaim, claim, &checker->plan->claims)) {
                if (claim->pool == pool->pool)
                    planned += largest_of(checker, claim, limit.resource);
            }
            if (planned && there + planned > limit.amount)
                refuse(checker, "%s: %s may come to %lld of %lld", name_of(checker, pool->pool->meta.name),
                       name_of(checker, limit.resource), (long long)(there + planned), (long long)limit.amount);
        }
    }
}

// --- labels and taints

// The one value that the node will have, or INDEX_NONE.
static Symbol label_at(Place place, Symbol key) {
    const Requirement *requirement;

    if (place.node)
        return key == NAME_HOSTNAME ? place.node->name : labels_get(&place.node->labels, key);
    requirement = requirements_get(&place.claim->requirements, key);
    if (requirement && !requirement->complement && requirement->values.count == 1)
        return requirement->values.items[0];
    return labels_get(&place.claim->labels, key);
}

static bool is_selected(const Placed *owner, Place place) {
    const Labels *selector = &owner->pod->spec->node_selector;

    for (uint32_t i = 0; i < selector->count; i++) {
        if (label_at(place, selector->items[i].key) != selector->items[i].value)
            return false;
    }
    return true;
}

static void check_node_rules(Checker *checker, const Placed *placed) {
    const PodSpec *spec = placed->pod->spec;
    const TaintVec *taints =
        placed->place.node ? &placed->place.node->taints : &placed->place.claim->pool->template_spec.taints;

    if (!is_selected(placed, placed->place))
        refuse(checker, "%s is on a node that it did not select", name_of(checker, placed->pod->name));
    if (!taints_are_tolerated(checker->symbols, taints, &spec->tolerations, true))
        refuse(checker, "%s does not tolerate its node", name_of(checker, placed->pod->name));
}

static void check_ports(Checker *checker, const Placed *a, const Placed *b) {
    for (vec_each(HostPort, port, &a->pod->spec->host_ports)) {
        for (vec_each(HostPort, other, &b->pod->spec->host_ports)) {
            if (same_place(a->place, b->place) && port->port == other->port)
                refuse(checker, "two pods want port %u", port->port);
        }
    }
}

// --- rules between pods

// Whether both are in one domain of the key. The test fails if the domain of a rule is undecided.
static bool share_domain(Checker *checker, Symbol key, const Placed *a, const Placed *b) {
    if (key == NAME_HOSTNAME)
        return same_place(a->place, b->place);
    if (label_at(a->place, key) == INDEX_NONE)
        refuse(checker, "the domain of %s is open", name_of(checker, a->pod->name));
    return label_at(a->place, key) == label_at(b->place, key);
}

static void check_anti_affinity(Checker *checker, const Placed *owner) {
    for (vec_each(PodAffinityTerm, term, &owner->pod->spec->anti_affinity.required)) {
        for (vec_each(Placed, other, &checker->placed)) {
            if (other->pod != owner->pod && selector_matches(term->selector, &other->pod->labels) &&
                share_domain(checker, term->topology_key, owner, other))
                refuse(checker, "%s and %s must be apart", name_of(checker, owner->pod->name),
                       name_of(checker, other->pod->name));
        }
    }
}

// A pod that the rule matches is in the domain; the pod itself counts only if there is no other anywhere.
static void check_affinity(Checker *checker, const Placed *owner) {
    for (vec_each(PodAffinityTerm, term, &owner->pod->spec->affinity.required)) {
        bool near = false, anywhere = false;

        for (vec_each(Placed, other, &checker->placed)) {
            if (other->pod == owner->pod || !selector_matches(term->selector, &other->pod->labels))
                continue;
            anywhere = true;
            near |= share_domain(checker, term->topology_key, owner, other);
        }
        if (!near && (anywhere || !selector_matches(term->selector, &owner->pod->labels)))
            refuse(checker, "%s has no company", name_of(checker, owner->pod->name));
    }
}

static int count_in_domain(Checker *checker, const TopologySpread *spread, const Placed *where) {
    int count = 0;

    for (vec_each(Placed, other, &checker->placed)) {
        if (selector_matches(spread->selector, &other->pod->labels))
            count += share_domain(checker, spread->topology_key, where, other);
    }
    return count;
}

// The skew between the pod's domain and the others that have a pod and that the pod could select: zones without any
// node do not count.
static void check_spread(Checker *checker, const Placed *owner) {
    for (vec_each(TopologySpread, spread, &owner->pod->spec->spreads)) {
        int mine = count_in_domain(checker, spread, owner);

        if (spread->topology_key == NAME_HOSTNAME && mine > spread->max_skew)
            refuse(checker, "%s: %d on one node", name_of(checker, owner->pod->name), mine);
        for (vec_each(Placed, other, &checker->placed)) {
            if (spread->topology_key != NAME_HOSTNAME && is_selected(owner, other->place) &&
                label_at(other->place, spread->topology_key) != INDEX_NONE &&
                mine - count_in_domain(checker, spread, other) > spread->max_skew)
                refuse(checker, "%s breaks its spread", name_of(checker, owner->pod->name));
        }
    }
}

// --- choices

static int rank_of(const Offering *offering) {
    return offering->capacity_type == NAME_RESERVED ? 0 : offering->capacity_type == NAME_SPOT ? 1 : 2;
}

static bool may_launch(const PlannedClaim *claim, const Offering *offering) {
    const Requirement *zones = requirements_get(&claim->requirements, NAME_ZONE);
    const Requirement *kinds = requirements_get(&claim->requirements, NAME_CAPACITY_TYPE);
    bool zone = !zones || zones->complement, kind = false;

    for (uint32_t i = 0; zones && i < zones->values.count; i++)
        zone |= zones->values.items[i] == offering->zone;
    for (uint32_t i = 0; i < kinds->values.count; i++)
        kind |= kinds->values.items[i] == offering->capacity_type;
    return zone && kind && offering->available;
}

// No listed type has a better offering; of reservations, only the claim's own counts.
static void check_choice(Checker *checker, const PlannedClaim *claim) {
    for (vec_each(const InstanceType *, type, &claim->types)) {
        for (vec_each(Offering, offering, &(*type)->offerings)) {
            if (!may_launch(claim, offering) || rank_of(offering) > rank_of(claim->offering) ||
                (rank_of(offering) == 0 && offering->reservation_id != claim->offering->reservation_id))
                continue;
            if (rank_of(offering) < rank_of(claim->offering) ||
                offering->price_per_hour < claim->offering->price_per_hour)
                refuse(checker, "%.*s would rather become %s", SLICE_ARG(claim->name), name_of(checker, (*type)->name));
        }
    }
}

static void check_choices(Checker *checker) {
    double price = 0;

    for (vec_each(PlannedClaim, claim, &checker->plan->claims)) {
        check_choice(checker, claim);
        price += claim->offering->price_per_hour;
    }
    if (fabs(price - checker->plan->price_per_hour) > 1e-6)
        refuse(checker, "the choices cost %g", price);
}

void assert_plan_holds(World *world, const Plan *plan) {
    Checker checker = {.world = world, .plan = plan, .symbols = &world->input.cluster->symbols};

    find_placed(&checker);
    check_each_pod_is_there_once(&checker);
    check_room(&checker);
    check_limits(&checker);
    check_choices(&checker);
    for (vec_each(Placed, placed, &checker.placed)) {
        if (!placed->planned)
            continue;
        check_node_rules(&checker, placed);
        check_anti_affinity(&checker, placed);
        check_affinity(&checker, placed);
        check_spread(&checker, placed);
        for (vec_each(Placed, other, &checker.placed)) {
            if (other->pod != placed->pod)
                check_ports(&checker, placed, other);
        }
    }
    arena_free(&checker.arena);
}
