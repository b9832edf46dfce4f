// A world with a cloud in it.
#include "sim/support/cloudlet.h"

#include <stdio.h>
#include <stdlib.h>

// Puts an object into the program's State, as its watch does.
static Handle read_object(Cloudlet *cloudlet, KubeKind kind, const char *name) {
    Arena arena = {0};
    StateUpdate *update;
    StateChange change;
    Value object;
    Err err = {0};

    assert_int_equal(kube_get(world_kube(cloudlet->world), &arena, (KubeRef){kind, {0}, slice_of(name)}, &object, NULL),
                     OK);
    if (state_decode(state_symbols(cloudlet->state), kind, &object, &update, &err) != OK)
        fail_msg("%s", err.text);
    state_apply(cloudlet->state, update, false, &change);
    arena_free(&arena);
    return state_find(cloudlet->state, kind, NAME_EMPTY, cloudlet_symbol(cloudlet, name));
}

Cloudlet *cloudlet_new(uint64_t seed, SimCloudConfig config) {
    Cloudlet *cloudlet = calloc(1, sizeof *cloudlet);
    Err err = {0};

    assert_non_null(cloudlet);
    if (config.boot.most_ns == 0)
        config.boot = (SimSpan){SECONDS(10), SECONDS(10)};
    if (config.shutdown.most_ns == 0)
        config.shutdown = (SimSpan){SECONDS(30), SECONDS(30)};
    if (config.consistency.most_ns == 0)
        config.is_consistent = true;
    cloudlet->world = world_new(&(WorldConfig){.seed = seed});
    if (sim_cloud_new(cloudlet->world, &config, &cloudlet->cloud, &err) != OK)
        fail_msg("%s", err.text);
    cluster_create(cloudlet->world, "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, "
                                    "spec: {amiSelectorTerms: [{alias: al2023@latest}], role: r, subnetSelectorTerms: "
                                    "[{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}}");
    cluster_create(cloudlet->world, "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: general}, spec: "
                                    "{template: {spec: {requirements: [], nodeClassRef: {group: karpenter.k8s.aws, "
                                    "kind: EC2NodeClass, name: default}}}}}");
    world_settle(cloudlet->world);
    cloudlet->state = state_new();
    cloudlet->view = sim_view_new(cloudlet->cloud, NULL);
    sim_view_set_symbols(cloudlet->view, state_symbols(cloudlet->state));
    cloudlet->table = sim_view_cloud(cloudlet->view);
    return cloudlet;
}

void cloudlet_free(Cloudlet *cloudlet) {
    sim_view_free(cloudlet->view);
    state_free(cloudlet->state);
    world_free(cloudlet->world);
    arena_free(&cloudlet->arena);
    free(cloudlet);
}

const NodeClaim *cloudlet_claim(Cloudlet *cloudlet, const char *requirements, const char *cpu) {
    char name[16];

    snprintf(name, sizeof name, "general-%u", cloudlet->claims++);
    cluster_create(
        cloudlet->world,
        "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: %s, labels: {karpenter.sh/nodepool: "
        "general}}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, "
        "resources: {requests: {cpu: '%s'}}, requirements: [%s]}}",
        name, cpu, requirements);
    return state_node_claim(cloudlet->state, read_object(cloudlet, KUBE_NODE_CLAIM, name));
}

ErrCode cloudlet_launch(Cloudlet *cloudlet, const NodeClaim *claim, CloudInstance *ret_instance, CloudError *error) {
    Symbols *symbols = state_symbols(cloudlet->state);
    CloudLaunch launch = {.claim = claim};

    for (vec_each(const Expression, expression, &claim->spec.requirements)) {
        Requirement requirement = requirement_make(&cloudlet->arena, symbols, expression);

        requirements_add(&cloudlet->arena, symbols, &launch.requirements, &requirement);
    }
    return cloud_launch(cloudlet->table, &cloudlet->arena, &launch, ret_instance, error);
}

uint32_t cloudlet_one(Cloudlet *cloudlet, const char *requirements) {
    CloudInstance instance;
    CloudError error = {0};

    if (cloudlet_launch(cloudlet, cloudlet_claim(cloudlet, requirements, "100m"), &instance, &error) != OK)
        fail_msg("%s", error.err.text);
    return sim_cloud_instance_count(cloudlet->cloud) - 1;
}

const InstanceTypeVec *cloudlet_types(Cloudlet *cloudlet) {
    const InstanceTypeVec *types = NULL;
    Handle pool = read_object(cloudlet, KUBE_NODE_POOL, "general");

    cloud_instance_types(cloudlet->table, state_node_pool(cloudlet->state, pool), &types, NULL);
    return types;
}

const Offering *cloudlet_offering(Cloudlet *cloudlet, const char *type, const char *zone, const char *capacity_type) {
    for (vec_each(const InstanceType, found, cloudlet_types(cloudlet))) {
        if (found->name != cloudlet_symbol(cloudlet, type))
            continue;
        for (vec_each(const Offering, offering, &found->offerings)) {
            if (offering->zone == cloudlet_symbol(cloudlet, zone) &&
                offering->capacity_type == cloudlet_symbol(cloudlet, capacity_type))
                return offering;
        }
    }
    return NULL;
}

const SimInstance *cloudlet_instance(const Cloudlet *cloudlet, uint32_t number) {
    const SimInstance *instance = sim_cloud_instance(cloudlet->cloud, number);

    assert_non_null(instance);
    return instance;
}

Symbol cloudlet_symbol(const Cloudlet *cloudlet, const char *text) {
    return symbol_intern(state_symbols(cloudlet->state), slice_of(text));
}

void assert_symbol(const Symbols *symbols, Symbol symbol, const char *text) {
    Slice found = symbol_text(symbols, symbol);

    if (!slice_eq_text(found, text))
        fail_msg("expected \"%s\", got \"%.*s\"", text, SLICE_ARG(found));
}
