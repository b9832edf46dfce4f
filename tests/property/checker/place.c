// Tries one more pod on a new node, beside the pods of a claim, and on an existing node.
#include "checker/place.h"
#include "checker/topology.h"

// An offering that fits. For minValues, types count together if rules between pods allow them in one claim.
typedef struct {
    const Type *type;
    const Offering *offering;
} Fit;
typedef Vec(Fit) FitVec;

static bool has_room(const Amounts *requests, const Amounts *room) {
    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        if (room->of[i] < 0 || requests->of[i] > room->of[i])
            return false;
    }
    return true;
}

static bool is_within_limits(const Amounts *left, const Amounts *capacity) {
    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        if (amounts_has(left, i) && (i == RESOURCE_NODES ? left->of[i] < 1 : capacity->of[i] > left->of[i]))
            return false;
    }
    return true;
}

static bool daemons_take_ports(Scene *scene, const PodClass *class, const Pool *pool, const Type *type) {
    World *world = scene->world;

    for (uint32_t i = 0; class->ports.count && i < world->daemon_sets.count; i++) {
        const DaemonSet *daemon_set = &world->daemon_sets.items[i];

        if (judge_ports_conflict(world, &class->ports, &world->classes.items[daemon_set->class_index].ports) &&
            judge_daemon_may_run_on(world, daemon_set, pool, type))
            return true;
    }
    return false;
}

static Symbol reservation_of(const Offering *offering) {
    return offering->reservation_capacity >= 0 ? offering->reservation : 0;
}

// Whether two fits may be of one claim: reserved offerings only of one reservation and not with others, and when rules
// between pods force a domain, of one zone and capacity type.
static bool may_share_claim(const Fit *one, const Fit *other, bool split) {
    if (reservation_of(one->offering) != reservation_of(other->offering))
        return false;
    return !split || (one->offering->zone == other->offering->zone &&
                      one->offering->capacity_type == other->offering->capacity_type);
}

// Distinct values of a key over the fits that may share a claim with `like`.
static uint32_t distinct_values(Scene *scene, const FitVec *fits, const Fit *like, bool split, Symbol key) {
    World *world = scene->world;
    U32Vec values = {0};

    for (vec_each(const Fit, fit, fits)) {
        const LabelStates *states = judge_table_get(&fit->offering->states, key);

        if (!may_share_claim(like, fit, split))
            continue;
        for (uint32_t i = 0; states && !states->others && i < states->values.count; i++) {
            if (!judge_symbols_contain(&values, states->values.items[i]))
                vec_push(world->arena, &values, states->values.items[i]);
        }
    }
    return values.count;
}

// Whether some of the fits together have enough values; rules between pods may force one zone and capacity type.
static bool fits_have_values(Scene *scene, const FitVec *fits, const ExpressionVec *requirements, bool split) {
    for (vec_each(const Fit, fit, fits)) {
        bool enough = true;

        for (vec_each(const Expression, expression, requirements))
            enough = enough && (expression->min_values == 0 ||
                                distinct_values(scene, fits, fit, split, expression->key) >= expression->min_values);
        if (enough)
            return true;
    }
    return false;
}

static bool wants_values(const ExpressionVec *requirements) {
    for (vec_each(const Expression, expression, requirements)) {
        if (expression->min_values > 0)
            return true;
    }
    return false;
}

// ---- a new node

typedef struct {
    Scene *scene;
    const Pod *pod;
    const PodClass *class;
    const Pool *pool;
    Amounts limits_left;
    FitVec fits;
    bool deferred; // a used-up reservation would have been sufficient
} PoolTrial;

static void try_offering(PoolTrial *trial, const Type *type, const Offering *offering) {
    World *world = trial->scene->world;
    Shape shape = {&trial->pool->states, &offering->states, NULL};
    Place place = {trial->scene, trial->pod, trial->class, &shape, INDEX_NONE};
    StateTable narrowed = {0};

    if (!is_within_limits(&trial->limits_left, &offering->capacity) ||
        !judge_offering_is_launchable(world, &trial->pool->states, offering) ||
        !judge_class_can_hold_on(world, trial->class, &trial->pod->volumes, &shape, false, &narrowed) ||
        !judge_place_meets_topology(&place, &narrowed) ||
        !judge_spreads_bear_node(trial->scene, &shape, &trial->pool->taints, trial->class))
        return;
    if (offering->reservation_capacity >= 0 && judge_reservation_left(trial->scene, offering->reservation) <= 0)
        trial->deferred = true;
    else
        vec_push(world->arena, &trial->fits, (Fit){type, offering});
}

static void try_type(PoolTrial *trial, const Type *type) {
    Scene *scene = trial->scene;
    Shape shape = {&trial->pool->states, &type->states, NULL};
    Amounts requests;
    Symbol driver;

    if (!judge_shape_is_possible(scene->world, &shape) ||
        judge_volumes_exceed(scene, INDEX_NONE, &type->volume_limits, trial->pod, true, &driver) ||
        daemons_take_ports(scene, trial->class, trial->pool, type))
        return;
    requests = judge_type_daemons(scene, trial->pool, type);
    judge_amounts_add(&requests, &trial->class->requests);
    for (vec_each(const Offering, offering, &type->offerings)) {
        if (has_room(&requests, &offering->allocatable))
            try_offering(trial, type, offering);
    }
}

// Whether several OR-ed terms leave different types: a claim follows one of them, which is not distinguished here.
static bool terms_blur_values(const World *world, const PodClass *class, const Pool *pool) {
    return !world->best_effort_min_values && class->terms.count > 1 && wants_values(&pool->requirements);
}

PlaceAnswer judge_place_on_pool(Scene *scene, const Pod *pod, const Pool *pool, Slice *ret_where) {
    World *world = scene->world;
    PoolTrial trial = {.scene = scene, .pod = pod, .class = judge_class(world, pod), .pool = pool};
    // Offerings with different capacity restrict a claim to one of them, as rules between pods do.
    bool split = judge_place_has_topology(scene, trial.class) || world->has_overrides;

    if (pool->is_static || !pool->is_ready || judge_taint_in_the_way(world, trial.class, &pool->taints))
        return PLACE_NO;
    trial.limits_left = judge_pool_limits_left(scene, pool);
    for (vec_each(Type, type, &world->types))
        try_type(&trial, type);
    if (trial.deferred)
        return PLACE_DEFERRED;
    if (trial.fits.count == 0)
        return PLACE_NO;
    if (!world->best_effort_min_values && !fits_have_values(scene, &trial.fits, &pool->requirements, split))
        return PLACE_NO;
    if (terms_blur_values(world, trial.class, pool))
        return PLACE_NO;
    if (ret_where)
        *ret_where = arena_printf(world->arena, "a new %.*s in %.*s (%.*s) of NodePool %.*s",
                                  SLICE_ARG(judge_text(world, trial.fits.items[0].type->name)),
                                  SLICE_ARG(judge_text(world, trial.fits.items[0].offering->zone)),
                                  SLICE_ARG(judge_text(world, trial.fits.items[0].offering->capacity_type)),
                                  SLICE_ARG(judge_text(world, pool->name)));
    return PLACE_YES;
}

// ---- bins of the plan

static bool place_on_claim(Scene *scene, const Pod *pod, uint32_t index) {
    World *world = scene->world;
    const Bin *bin = &scene->bins.items[index];
    const Claim *claim = bin->claim;
    const PodClass *class = judge_class(world, pod);
    Amounts pods = judge_claim_pod_requests(world, claim);
    bool has_reserved = false;
    FitVec fits = {0};

    if (!claim->pool || judge_taint_in_the_way(world, class, &claim->pool->taints) ||
        judge_ports_taken(scene, index, class, INDEX_NONE))
        return false;
    judge_amounts_add(&pods, &class->requests);
    for (vec_each(Candidate, candidate, &scene->launches.items[bin->launch].candidates))
        has_reserved |= candidate->offering->reservation_capacity >= 0;
    for (vec_each(Candidate, candidate, &scene->launches.items[bin->launch].candidates)) {
        Shape shape = {&claim->states, &candidate->offering->states, NULL};
        Place place = {scene, pod, class, &shape, index};
        Amounts requests = pods, daemons;
        StateTable narrowed = {0};
        Symbol driver;

        if (!has_room(&requests, &candidate->offering->allocatable) ||
            (has_reserved && candidate->offering->reservation_capacity < 0))
            continue;
        daemons = judge_type_daemons(scene, claim->pool, candidate->type);
        judge_amounts_add(&requests, &daemons);
        if (has_room(&requests, &candidate->offering->allocatable) &&
            !daemons_take_ports(scene, class, claim->pool, candidate->type) &&
            !judge_volumes_exceed(scene, index, &candidate->type->volume_limits, pod, false, &driver) &&
            judge_class_can_hold_on(world, class, &pod->volumes, &shape, false, &narrowed) &&
            judge_place_meets_topology(&place, &narrowed))
            vec_push(world->arena, &fits, (Fit){candidate->type, candidate->offering});
    }
    if (fits.count == 0 || terms_blur_values(world, class, claim->pool))
        return false;
    return fits_have_values(scene, &fits,
                            world->best_effort_min_values ? &claim->requirements : &claim->pool->requirements,
                            judge_place_has_topology(scene, class));
}

static bool daemons_take_node_ports(Scene *scene, const PodClass *class, const Node *node) {
    World *world = scene->world;
    Shape shape = {&node->states, NULL, NULL};

    for (uint32_t i = 0; class->ports.count && i < world->daemon_sets.count; i++) {
        const DaemonSet *daemon_set = &world->daemon_sets.items[i];

        if (judge_ports_conflict(world, &class->ports, &world->classes.items[daemon_set->class_index].ports) &&
            judge_daemon_runs_on(world, daemon_set, &node->taints, &shape))
            return true;
    }
    return false;
}

VolumeLimitVec judge_expected_limits(World *world, const Node *node) {
    Symbol name = judge_label_get(&node->labels, judge_symbol(world, "node.kubernetes.io/instance-type"));
    const Type *type = name == INDEX_NONE ? NULL : judge_find_type(world, name);
    VolumeLimitVec limits = {0};

    for (vec_each(const VolumeLimit, limit, &node->volume_limits))
        vec_push(world->arena, &limits, *limit);
    for (uint32_t i = 0; type && i < type->volume_limits.count; i++) {
        bool known = false;

        for (vec_each(const VolumeLimit, limit, &node->volume_limits))
            known |= limit->driver == type->volume_limits.items[i].driver;
        if (!known)
            vec_push(world->arena, &limits, type->volume_limits.items[i]);
    }
    return limits;
}

static bool place_on_node(Scene *scene, const Pod *pod, uint32_t index) {
    World *world = scene->world;
    const Node *node = scene->bins.items[index].node;
    const PodClass *class = judge_class(world, pod);
    Shape shape = {&node->states, NULL, NULL};
    Place place = {scene, pod, class, &shape, index};
    StateTable narrowed = {0};
    VolumeLimitVec limits = judge_expected_limits(world, node);
    Amounts room;
    Symbol driver;

    if (node->is_deleting || node->is_unlaunched || judge_taint_in_the_way(world, class, &node->taints) ||
        !judge_class_holds_on(world, class, &shape) || !judge_volumes_hold_on(world, &pod->volumes, &shape))
        return false;
    room = judge_node_room(scene, node, true);
    for (vec_each(NodePlan, plan, &world->node_plans)) {
        for (uint32_t i = 0; plan->node == node && i < plan->pods.count; i++)
            judge_amounts_subtract(&room, &judge_class(world, &world->pods.items[plan->pods.items[i]])->requests);
    }
    return has_room(&class->requests, &room) && !judge_ports_taken(scene, index, class, INDEX_NONE) &&
           !daemons_take_node_ports(scene, class, node) &&
           !judge_volumes_exceed(scene, index, &limits, pod, true, &driver) &&
           judge_place_meets_topology(&place, &narrowed);
}

bool judge_place_on_bin(Scene *scene, const Pod *pod, uint32_t bin) {
    return scene->bins.items[bin].node ? place_on_node(scene, pod, bin) : place_on_claim(scene, pod, bin);
}
