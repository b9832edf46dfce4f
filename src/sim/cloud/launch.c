// Launching: which offering an instance is made of. Karpenter's choice of what to ask for (aws.md 3.2), and EC2's of
// what to give (CreateFleet of type "instant" with one target).
//
// EC2's part. On-demand, `lowest-price`: the cheapest capacity pool that has an instance left; equal prices in a drawn
// order of zones. Spot, `price-capacity-optimized`: AWS says that it looks at the pools with the most capacity first
// and takes the cheapest of those; here a pool's capacity is scored as a placement score from 1 to 10 (ten instances
// left and more each time), and the cheapest within two points of the best is taken. Reserved: the reservation, the one
// with more left first among equals. What was tried before in vain is in the reply's errors.
#include "sim/cloud/cloud_parts.h"

#include <stdio.h>
#include <stdlib.h>

enum { TYPES_MAX = 60, ERRORS_TOLD = 3, SCORE_SLACK = 2 };

typedef struct {
    uint32_t type, offering, pool;
    double price;
    uint32_t score; // spot: 1 … 10
    uint32_t tie;   // drawn order of zones
} Candidate;
typedef Vec(Candidate) CandidateVec;

typedef struct {
    SimView *view;
    Arena *arena;
    const CloudLaunch *launch;
    ViewClass *class;
    const ClassEntry *entry;
    const InstanceTypeVec *types;
    CandidateVec candidates; // in the order of types and offerings
    SimCapacityType kind;
    bool has_min_values;
} Launching;

// --- what may be asked for

static bool allows(const Launching *launching, Symbol key, Symbol value) {
    const Requirement *requirement = requirements_get(&launching->launch->requirements, key);

    return !requirement || requirement_has(&launching->view->symbols, requirement, value);
}

static SimCapacityType kind_of(const Offering *offering) {
    return offering->capacity_type == NAME_RESERVED ? SIM_RESERVED
           : offering->capacity_type == NAME_SPOT   ? SIM_SPOT
                                                    : SIM_ON_DEMAND;
}

static void add_candidates(Launching *launching, uint32_t at) {
    const InstanceType *type = &launching->types->items[at];
    const CloudLaunch *launch = launching->launch;
    const Symbols *symbols = &launching->view->symbols;

    if (!allows(launching, NAME_INSTANCE_TYPE, type->name) ||
        !resources_fit(&launch->claim->requests, &launching->class->allocatable[at]) ||
        !requirements_intersect(symbols, &type->requirements, &launch->requirements, NULL))
        return;
    for (uint32_t i = 0; i < type->offerings.count; i++) {
        const Offering *offering = &type->offerings.items[i];

        if (offering->available && launching->class->pools[at][i] != INDEX_NONE &&
            requirements_intersect(symbols, &offering->requirements, &launch->requirements, NULL))
            vec_push(launching->arena, &launching->candidates,
                     (Candidate){.type = at,
                                 .offering = i,
                                 .pool = launching->class->pools[at][i],
                                 .price = offering->price_per_hour});
    }
}

static SimCapacityType kind_at(const Launching *launching, const Candidate *candidate) {
    return kind_of(&launching->types->items[candidate->type].offerings.items[candidate->offering]);
}

// The candidates of one kind that `keep` lets stay.
static void filter(Launching *launching, bool (*keep)(const Launching *launching, const Candidate *candidate)) {
    uint32_t kept = 0;

    for (uint32_t i = 0; i < launching->candidates.count; i++) {
        if (keep(launching, &launching->candidates.items[i]))
            launching->candidates.items[kept++] = launching->candidates.items[i];
    }
    launching->candidates.count = kept;
}

static bool is_of_kind(const Launching *launching, const Candidate *candidate) {
    return kind_at(launching, candidate) == launching->kind;
}

static bool is_plain(const Launching *launching, const Candidate *candidate) {
    static const char *const exotic[] = {"nvidia.com/gpu", "amd.com/gpu", "aws.amazon.com/neuron",
                                         "aws.amazon.com/neuroncore", "habana.ai/gaudi"};
    const InstanceType *type = &launching->types->items[candidate->type];
    const Symbols *symbols = &launching->view->symbols;

    if (slice_contains(symbol_text(symbols, type->name), SLICE("metal")))
        return false;
    for (size_t i = 0; i < sizeof exotic / sizeof *exotic; i++) {
        Symbol resource = symbol_find(symbols, slice_of(exotic[i]));

        if (resource != INDEX_NONE && resources_get(&type->capacity, resource) != 0)
            return false;
    }
    return true;
}

static uint32_t count_if(const Launching *launching,
                         bool (*keep)(const Launching *launching, const Candidate *candidate)) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < launching->candidates.count; i++)
        count += keep(launching, &launching->candidates.items[i]);
    return count;
}

// Spot that costs more than the cheapest on-demand offering is not worth its risk.
static void drop_dear_spot(Launching *launching) {
    double cheapest = -1;
    uint32_t kept = 0;

    for (vec_each(const Candidate, candidate, &launching->candidates)) {
        if (kind_at(launching, candidate) == SIM_ON_DEMAND && (cheapest < 0 || candidate->price < cheapest))
            cheapest = candidate->price;
    }
    for (uint32_t i = 0; i < launching->candidates.count && cheapest >= 0; i++) {
        const Candidate *candidate = &launching->candidates.items[i];

        if (kind_at(launching, candidate) != SIM_SPOT || candidate->price <= cheapest)
            launching->candidates.items[kept++] = *candidate;
    }
    if (cheapest >= 0)
        launching->candidates.count = kept;
}

// Reserved before spot before on-demand, of what there is.
static void choose_kind(Launching *launching) {
    static const SimCapacityType order[] = {SIM_RESERVED, SIM_SPOT, SIM_ON_DEMAND};

    for (uint32_t i = 0; i < SIM_CAPACITY_TYPES; i++) {
        launching->kind = order[i];
        if (count_if(launching, is_of_kind))
            break;
    }
    filter(launching, is_of_kind);
}

// --- the order in which EC2 tries

static int by_price(const void *a, const void *b) {
    const Candidate *x = a, *y = b;

    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    if (x->tie != y->tie)
        return x->tie < y->tie ? -1 : 1;
    return x->type != y->type ? (x->type < y->type ? -1 : 1)
                              : (x->offering > y->offering) - (x->offering < y->offering);
}

// The 60 types whose cheapest offering is cheapest.
static void keep_cheapest_types(Launching *launching) {
    bool *kept_types = arena_array(launching->arena, bool, launching->types->count);
    uint32_t types = 0, kept = 0;

    for (uint32_t i = 0; i < launching->candidates.count; i++) {
        const Candidate candidate = launching->candidates.items[i];

        if (!kept_types[candidate.type] && types < TYPES_MAX) {
            kept_types[candidate.type] = true;
            types++;
        }
        if (kept_types[candidate.type])
            launching->candidates.items[kept++] = candidate;
    }
    launching->candidates.count = kept;
}

static uint32_t left_of(const Launching *launching, const Candidate *candidate) {
    const SimCloud *cloud = launching->view->cloud;

    return pool_left(cloud, &cloud->pools.items[candidate->pool]);
}

static void score(Launching *launching) {
    SimCloud *cloud = launching->view->cloud;
    uint32_t drawn = (uint32_t)random_u64(&cloud->launches);

    for (vec_each(Candidate, candidate, &launching->candidates)) {
        const CapacityPool *pool = &cloud->pools.items[candidate->pool];
        uint32_t left = left_of(launching, candidate);

        candidate->score = left == 0 ? 0 : left / 10 >= 9 ? 10 : 1 + left / 10;
        candidate->tie = (uint32_t)hash_u64((uint64_t)drawn << 32 | pool->zone);
        if (launching->kind == SIM_RESERVED)
            candidate->tie = UINT32_MAX - left;
    }
    qsort(launching->candidates.items, launching->candidates.count, sizeof *launching->candidates.items, by_price);
}

// The next to be tried, or NULL; what was tried has no score any more.
static Candidate *next_try(Launching *launching) {
    uint32_t best = 0;

    for (vec_each(const Candidate, candidate, &launching->candidates)) {
        if (candidate->score > best)
            best = candidate->score;
    }
    for (vec_each(Candidate, candidate, &launching->candidates)) {
        if (launching->kind != SIM_SPOT ? candidate->score != UINT32_MAX
                                        : best && candidate->score + SCORE_SLACK >= best && candidate->score)
            return candidate;
    }
    return NULL;
}

// --- making the instance

static void add_single_values(const Launching *launching, const Requirements *set, Labels *labels) {
    SimCloud *cloud = launching->view->cloud;

    for (vec_each(const Requirement, requirement, set)) {
        if (requirement->complement || requirement->values.count != 1)
            continue;
        labels_set(&cloud->arena, labels, symbol_translate(&launching->view->symbols, cloud->symbols, requirement->key),
                   symbol_translate(&launching->view->symbols, cloud->symbols, requirement->values.items[0]));
    }
}

static Resources without_zeros(const Launching *launching, Resources list) {
    SimCloud *cloud = launching->view->cloud;
    Resources some = {0};

    for (vec_each(const ResourceAmount, amount, &list)) {
        if (amount->amount != 0)
            resources_set(&cloud->arena, &some,
                          symbol_translate(&launching->view->symbols, cloud->symbols, amount->resource),
                          amount->amount);
    }
    return some;
}

// aws.md 3.7; lifecycle.md 8 for KWOK, which adds the claim's own labels.
static Labels labels_of(const Launching *launching, const InstanceType *type, const Offering *offering) {
    SimCloud *cloud = launching->view->cloud;
    Labels labels = {0};
    Symbol pool;

    add_single_values(launching, &type->requirements, &labels);
    add_single_values(launching, &offering->requirements, &labels);
    if (launching->entry->kind == KUBE_KWOK_NODE_CLASS)
        add_single_values(launching, &launching->launch->requirements, &labels);
    labels_set(&cloud->arena, &labels, NAME_CAPACITY_TYPE, offering->capacity_type);
    pool = labels_get(&launching->launch->claim->meta.labels, NAME_NODEPOOL);
    if (pool != INDEX_NONE)
        labels_set(&cloud->arena, &labels, NAME_NODEPOOL,
                   symbol_translate(&launching->view->symbols, cloud->symbols, pool));
    return labels;
}

static uint32_t make(const Launching *launching, const Candidate *candidate) {
    SimCloud *cloud = launching->view->cloud;
    const Symbols *from = &launching->view->symbols;
    const InstanceType *type = &launching->types->items[candidate->type];
    const Offering *offering = &type->offerings.items[candidate->offering];
    const NodeClaim *claim = launching->launch->claim;
    Labels labels = labels_of(launching, type, offering);
    Symbol pool = labels_get(&labels, NAME_NODEPOOL);
    SimInstance shown = {
        .claim_name = symbol_translate(from, cloud->symbols, claim->meta.name),
        .claim_uid = symbol_translate(from, cloud->symbols, claim->meta.uid),
        .pool = pool == INDEX_NONE ? NAME_EMPTY : pool,
        .node_class = symbol_translate(from, cloud->symbols, claim->spec.node_class.name),
        .is_kwok = launching->entry->kind == KUBE_KWOK_NODE_CLASS,
        .instance_type = symbol_translate(from, cloud->symbols, type->name),
        .zone = symbol_translate(from, cloud->symbols, offering->zone),
        .capacity_type = offering->capacity_type,
        .image_id = launching->entry->kind == KUBE_KWOK_NODE_CLASS ? NAME_EMPTY : cloud->image_id,
        .reservation_id = symbol_translate(from, cloud->symbols, offering->reservation_id),
        .labels = labels,
        .capacity = without_zeros(launching, instance_type_capacity(launching->arena, type, offering)),
        .allocatable = without_zeros(launching, instance_type_allocatable(launching->arena, from, type, offering)),
        .generation = launching->entry->generation,
    };

    return machine_launch(cloud, candidate->pool, &shown);
}

// --- the call

static ErrCode check_class(const Launching *launching, CloudError *error) {
    Slice name = symbol_text(&launching->view->symbols, launching->launch->claim->spec.node_class.name);

    if (launching->entry->readiness == CLASS_NOT_READY) {
        if (error)
            error->class_not_ready = true;
        return cloud_fail(error, ERR_DENIED, "NodeClass %.*s is not ready: its condition Ready is not True",
                          SLICE_ARG(name));
    }
    if (launching->entry->readiness == CLASS_UNKNOWN) {
        if (error)
            memcpy(error->reason, "NodeClassReadinessUnknown", sizeof "NodeClassReadinessUnknown");
        return cloud_fail(error, ERR_IO, "NodeClass readiness is unknown: %.*s", SLICE_ARG(name));
    }
    return OK;
}

static void collect(Launching *launching) {
    for (uint32_t i = 0; i < launching->launch->requirements.count; i++)
        launching->has_min_values |= launching->launch->requirements.items[i].min_values > 0;
    for (uint32_t i = 0; i < launching->types->count; i++)
        add_candidates(launching, i);
    if (!launching->has_min_values && launching->entry->kind == KUBE_EC2_NODE_CLASS) {
        if (count_if(launching, is_plain))
            filter(launching, is_plain);
        drop_dear_spot(launching);
    }
    choose_kind(launching);
    score(launching);
    keep_cheapest_types(launching);
}

// Equal requests close together are one call (aws.md 2.2).
static uint64_t content(const Launching *launching) {
    uint64_t key = hash_u64(launching->entry->kind + 1);

    for (vec_each(const Candidate, candidate, &launching->candidates))
        key += hash_u64(candidate->pool + 1); // without order: it is drawn
    return key ? key : 1;
}

static ErrCode fail_for_capacity(const Launching *launching, const Candidate *failed, uint32_t count,
                                 CloudError *error) {
    const SimCloud *cloud = launching->view->cloud;
    char text[ERR_TEXT_MAX] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < count && i < ERRORS_TOLD && used < sizeof text; i++) {
        const CapacityPool *pool = &cloud->pools.items[failed[i].pool];

        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%sInsufficientInstanceCapacity: no %.*s capacity for %.*s in %.*s", i ? "; " : "",
                                 SLICE_ARG(symbol_text(cloud->symbols, pool->capacity_type)),
                                 SLICE_ARG(symbol_text(cloud->symbols, pool->type_name)),
                                 SLICE_ARG(symbol_text(cloud->symbols, pool->zone)));
    }
    if (count > ERRORS_TOLD && used < sizeof text)
        snprintf(text + used, sizeof text - used, "; and %u more", count - ERRORS_TOLD);
    return cloud_fail(error, ERR_CAPACITY, "with fleet error(s), %s", text);
}

static ErrCode give(Launching *launching, uint32_t *ret_number, CloudError *error) {
    Candidate *failed = arena_array(launching->arena, Candidate, launching->candidates.count), *candidate;
    uint32_t failures = 0;

    while ((candidate = next_try(launching))) {
        if (left_of(launching, candidate) > 0) {
            *ret_number = make(launching, candidate);
            return OK;
        }
        failed[failures++] = *candidate;
        view_mark_unavailable(launching->view, candidate->pool);
        candidate->score = launching->kind == SIM_SPOT ? 0 : UINT32_MAX;
    }
    // Spot looks at the pools that have something; when there are none, all of them are in the errors.
    for (uint32_t i = 0; launching->kind == SIM_SPOT && i < launching->candidates.count; i++) {
        failed[failures++] = launching->candidates.items[i];
        view_mark_unavailable(launching->view, launching->candidates.items[i].pool);
    }
    return fail_for_capacity(launching, failed, failures, error);
}

static uint32_t find_launched(const SimCloud *cloud, Symbol claim_uid) {
    uint32_t cursor = 0, number;

    while ((number = index_map_next(&cloud->by_claim_uid, hash_u64(claim_uid), &cursor)) != INDEX_NONE) {
        if (cloud->machines.items[number].shown.claim_uid == claim_uid)
            break;
    }
    return number;
}

static ErrCode launch_new(Launching *launching, uint32_t *ret_number, CloudError *error) {
    NodeClassRef ref = launching->launch->claim->spec.node_class;
    SimView *view = launching->view;
    ClassEntry *entry;
    ErrCode code = view_class(view, &ref, &launching->class, &entry, error);

    if (code != OK) // aws.md 3.1: a NodeClass that is gone counts as no capacity
        return code == ERR_NOT_FOUND && error ? (error->err.code = ERR_CAPACITY)
                                              : (code == ERR_NOT_FOUND ? ERR_CAPACITY : code);
    launching->entry = entry;
    TRY(check_class(launching, error));
    launching->types = view_types(view, launching->class);
    collect(launching);
    if (launching->candidates.count == 0)
        return cloud_fail(error, ERR_CAPACITY, "all requested instance types were unavailable during launch");
    TRY(limit_call(view->cloud, SIM_API_CREATE_FLEET, content(launching), error));
    return give(launching, ret_number, error);
}

ErrCode view_launch(SimView *view, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                    CloudError *error) {
    Launching launching = {.view = view, .arena = arena, .launch = launch};
    Symbol uid = symbol_translate(&view->symbols, view->cloud->symbols, launch->claim->meta.uid);
    uint32_t number = find_launched(view->cloud, uid);

    CHECK(uid != NAME_EMPTY, "a launch for a NodeClaim without uid");
    if (number != INDEX_NONE)
        TRY(limit_call(view->cloud, SIM_API_CREATE_FLEET, 0, error));
    else
        TRY(launch_new(&launching, &number, error));
    *ret_instance = *view_instance(view, number);
    return OK;
}
