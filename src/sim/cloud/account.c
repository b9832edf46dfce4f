// The account: launches, and instances by number.
#include "sim/cloud/account.h"

#include "sim/cloud/launch_give.h"
#include "sim/cloud/launch_make.h"
#include "sim/cloud/limits.h"
#include "sim/cloud/machines.h"
#include "sim/cloud/market.h"
#include "sim/cloud/view_classes.h"

ErrCode sim_account_call(SimCloud *cloud, SimApi api) {
    ErrCode code;

    pthread_mutex_lock(&cloud->lock);
    code = cloud_limit_call(cloud, api, 0, NULL);
    pthread_mutex_unlock(&cloud->lock);
    return code;
}

// --- the market

const Ec2Catalogue *sim_account_catalogue(const SimCloud *cloud) {
    return &cloud->catalogue;
}

const Ec2Region *sim_account_region(const SimCloud *cloud) {
    return ec2_catalogue_region(&cloud->catalogue, cloud->config.region);
}

double sim_account_spot_price(SimCloud *cloud, const Ec2Type *type, uint32_t zone) {
    Symbol name = symbol_find(cloud->symbols, type->name),
           zone_name = symbol_find(cloud->symbols, sim_account_region(cloud)->zones[zone].name);
    int64_t nano = 0;
    uint32_t number;

    pthread_mutex_lock(&cloud->lock);
    number = cloud_market_find_pool(cloud, name, zone_name, NAME_SPOT);
    if (number != INDEX_NONE)
        nano = cloud->pools.items[number].known_nano = cloud->pools.items[number].price_nano;
    pthread_mutex_unlock(&cloud->lock);
    return (double)nano / 1e9;
}

Slice sim_account_image(const SimCloud *cloud) {
    return symbol_text(cloud->symbols, cloud->image_id);
}

// --- launches

static uint32_t pool_of(const SimCloud *cloud, const SimWanted *wanted) {
    Symbol type = symbol_find(cloud->symbols, wanted->type), zone = symbol_find(cloud->symbols, wanted->zone);

    if (type == INDEX_NONE || zone == INDEX_NONE)
        return INDEX_NONE;
    return cloud_market_find_pool(cloud, type, zone, wanted->kind == SIM_SPOT ? NAME_SPOT : NAME_ON_DEMAND);
}

static LaunchCandidates candidates_of(const SimCloud *cloud, Arena *arena, const SimOrder *order,
                                      SimDelivered *delivered) {
    LaunchCandidates candidates = {0};

    for (uint32_t i = 0; i < order->wanted.count; i++) {
        uint32_t pool = pool_of(cloud, &order->wanted.items[i]);

        if (pool == INDEX_NONE)
            vec_push(arena, &delivered->empty, i);
        else
            vec_push(arena, &candidates,
                     (LaunchCandidate){.offering = i,
                                       .pool = pool,
                                       .kind = order->wanted.items[i].kind,
                                       .price = (double)cloud->pools.items[pool].price_nano});
    }
    return candidates;
}

// The types as the NodeClass makes them: settings of its kubelet and its disks change what a Node has. Without the
// class: as the market has them.
static const InstanceTypeVec *types_of(SimView *view, Slice node_class) {
    SimCloud *cloud = view->cloud;
    NodeClassRef ref = {.group = symbol_intern(&view->symbols, SLICE("karpenter.k8s.aws")),
                        .kind = symbol_intern(&view->symbols, SLICE("EC2NodeClass")),
                        .name = symbol_intern(&view->symbols, node_class)};
    ClassEntry *entry;
    ViewClass *class;

    return cloud_view_class(view, &ref, &class, &entry, NULL) == OK ? &class->base : &cloud->markets[MARKET_EC2].types;
}

static void label_of_type(SimCloud *cloud, const InstanceType *type, Labels *labels) {
    static const char *const keys[] = {"kubernetes.io/arch", "kubernetes.io/os", "node.kubernetes.io/instance-type",
                                       "topology.kubernetes.io/region"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        Symbol key = symbol_intern(cloud->symbols, slice_of(keys[i]));
        const Requirement *requirement = requirements_get(&type->requirements, key);

        if (requirement && !requirement->complement && requirement->values.count == 1)
            labels_set(&cloud->arena, labels, key, requirement->values.items[0]);
    }
}

static uint32_t make_instance(SimView *view, const SimOrder *order, const LaunchCandidate *candidate) {
    SimCloud *cloud = view->cloud;
    const CapacityPool *pool = &cloud->pools.items[candidate->pool];
    const InstanceType *type = &types_of(view, order->node_class)->items[pool->type];
    const SimWanted *wanted = &order->wanted.items[candidate->offering];
    uint32_t number;
    SimInstance shown = {
        .pool = symbol_intern(cloud->symbols, order->pool),
        .node_class = symbol_intern(cloud->symbols, order->node_class),
        .instance_type = pool->type_name,
        .zone = pool->zone,
        .capacity_type = pool->capacity_type,
        .image_id = symbol_intern(cloud->symbols, wanted->image),
        .taints = wanted->user_data->taints,
    };

    for (vec_each(const Label, label, &wanted->user_data->labels))
        labels_set(&cloud->arena, &shown.labels, label->key, label->value);
    label_of_type(cloud, type, &shown.labels);
    cloud_instance_size(view, type, NULL, &shown);
    number = cloud_machine_launch(cloud, candidate->pool, &shown);
    cloud->machines.items[number].shown.will_join &= wanted->user_data->joins;
    return number;
}

// Whether there was a pool left that has an instance; notes how far down the order EC2 had to go.
static bool give_one(SimView *view, Arena *arena, const SimOrder *order, const LaunchCandidates *candidates,
                     uint32_t best, uint32_t *reached, SimDelivered *delivered) {
    for (uint32_t i = 0; i < candidates->count; i++) {
        const LaunchCandidate *candidate = &candidates->items[i];

        *reached = i + 1 > *reached ? i + 1 : *reached;
        if (cloud_score_is_tried(candidate, best) && cloud_candidate_left(view->cloud, candidate) > 0) {
            vec_push(arena, &delivered->given, (SimGiven){candidate->offering, make_instance(view, order, candidate)});
            return true;
        }
    }
    return false;
}

void sim_account_launch(SimView *view, Arena *arena, const SimOrder *order, SimDelivered *ret_delivered) {
    SimCloud *cloud = view->cloud;
    SimDelivered delivered = {0};
    LaunchCandidates candidates;
    uint32_t best, reached = 0;

    pthread_mutex_lock(&cloud->lock);
    candidates = candidates_of(cloud, arena, order, &delivered);
    best = cloud_rank(cloud, &candidates);
    while (delivered.given.count < order->count &&
           give_one(view, arena, order, &candidates, best, &reached, &delivered))
        continue;
    for (uint32_t i = 0; i < reached; i++) {
        const LaunchCandidate *candidate = &candidates.items[i];

        if (cloud_score_is_tried(candidate, best) && cloud_candidate_left(cloud, candidate) == 0)
            vec_push(arena, &delivered.empty, candidate->offering);
    }
    pthread_mutex_unlock(&cloud->lock);
    *ret_delivered = delivered;
}

// --- instances

SimInstanceState sim_account_described(SimCloud *cloud, uint32_t number) {
    SimInstanceState state;

    pthread_mutex_lock(&cloud->lock);
    state = cloud_machine_described(cloud, &cloud->machines.items[number]);
    pthread_mutex_unlock(&cloud->lock);
    return state;
}

bool sim_account_is_listed(SimCloud *cloud, uint32_t number) {
    bool is_listed;

    pthread_mutex_lock(&cloud->lock);
    is_listed = cloud_machine_is_listed(cloud, &cloud->machines.items[number]);
    pthread_mutex_unlock(&cloud->lock);
    return is_listed;
}

void sim_account_terminate(SimCloud *cloud, uint32_t number) {
    pthread_mutex_lock(&cloud->lock);
    cloud_machine_end(cloud, number);
    pthread_mutex_unlock(&cloud->lock);
}

bool sim_account_reboot(SimCloud *cloud, uint32_t number) {
    bool is_allowed;

    pthread_mutex_lock(&cloud->lock);
    is_allowed = !cloud->no_reboots;
    if (is_allowed) {
        cloud->machines.items[number].shown.reboots++;
        cloud_machine_note(cloud, number, cloud->machines.items[number].shown.state);
    }
    pthread_mutex_unlock(&cloud->lock);
    return is_allowed;
}
