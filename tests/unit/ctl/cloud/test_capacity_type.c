// capacityreservation.capacitytype: reference aws.md 7.6. Upstream's area: capacity reservations, capacity type.
#include "ctl/class/class_env.h"
#include "ctl/cloud/controllers.h"

#define RESERVED                                                                                                       \
    "labels: {karpenter.sh/capacity-type: reserved, karpenter.k8s.aws/capacity-reservation-id: cr-1, "                 \
    "karpenter.k8s.aws/capacity-reservation-type: default, karpenter.k8s.aws/capacity-reservation-interruptible: 'f'"

static void put_claim(TestEnv *env, const char *labels, const char *conditions) {
    env_add_instance(env, "kwok://a");
    env_put(env,
            "{kind: NodeClaim, metadata: {name: a, %s}}, spec: {" EC2_REF "}, status: {providerID: 'kwok://a', "
            "nodeName: node-a, conditions: [%s]}}",
            labels, conditions);
}

static void put_node(TestEnv *env, const char *labels) {
    env_put(env, "{kind: Node, metadata: {name: node-a, %s}}, spec: {providerID: 'kwok://a'}}", labels);
}

static const char *labels_of(TestEnv *env, KubeKind kind, const char *name) {
    return env_part(env, kind, name, "metadata.labels");
}

TEST(what_outlived_its_reservation_is_labelled_on_demand) {
    TestEnv *env = class_env(&capacity_type_controller);

    put_claim(env, RESERVED, "Launched, Registered");
    put_node(env, RESERVED ", karpenter.sh/registered: 'true'");
    env_cloud(env)->capacity_type = "on-demand";
    env_run(env, "0s");
    assert_string_equal(labels_of(env, KUBE_NODE_CLAIM, "a"),
                        "{\"karpenter.sh/capacity-type\":\"on-demand\","
                        "\"karpenter.k8s.aws/capacity-reservation-interruptible\":\"f\"}");
    assert_says(labels_of(env, KUBE_NODE, "node-a"), "\"karpenter.sh/capacity-type\":\"on-demand\"");
    assert_does_not_say(labels_of(env, KUBE_NODE, "node-a"), "reservation-id");
    assert_does_not_say(labels_of(env, KUBE_NODE, "node-a"), "reservation-type");
    env_free(env);
}

typedef struct {
    const char *name, *label, *conditions, *instance;
    bool is_deleting, was_left;
} LeftRow;

static const LeftRow rows[] = {
    {"capacity type: reserved, now on-demand", "reserved", "Registered", "on-demand", false, true},
    {"capacity type: reserved still", "reserved", "Registered", "reserved", false, false},
    {"capacity type: on-demand, now reserved", "on-demand", "Registered", "reserved", false, false},
    {"capacity type: on-demand still", "on-demand", "Registered", "on-demand", false, false},
    {"capacity type: spot stays spot", "spot", "Registered", "on-demand", false, false},
    {"capacity type: not registered", "reserved", "Launched", "on-demand", false, false},
    {"capacity type: being deleted", "reserved", "Registered", "on-demand", true, false},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const LeftRow, row, an_instance_outlives_its_reservation, list_rows) {
    TestEnv *env = class_env(&capacity_type_controller);
    char labels[160];

    snprintf(labels, sizeof labels, "finalizers: [karpenter.sh/termination], labels: {karpenter.sh/capacity-type: %s",
             row->label);
    put_claim(env, labels, row->conditions);
    if (row->is_deleting)
        env_delete(env, KUBE_NODE_CLAIM, "a");
    env_cloud(env)->capacity_type = row->instance;
    assert_int_equal(env_times(env_run(env, "90s"), "patch nodeclaim/a"), row->was_left);
    env_free(env);
}

TEST(a_node_that_is_not_registered_is_left_alone) {
    TestEnv *env = class_env(&capacity_type_controller);

    put_claim(env, RESERVED, "Registered");
    put_node(env, RESERVED);
    assert_does_not_say(env_run(env, "0s"), "patch node/");
    env_free(env);
}

TEST(killed_between_claim_and_node_the_node_follows) {
    TestEnv *env = class_env(&capacity_type_controller);

    put_claim(env, "labels: {karpenter.sh/capacity-type: on-demand", "Registered");
    put_node(env, RESERVED ", karpenter.sh/registered: 'true'");
    assert_says(env_run(env, "0s"), "patch node/node-a");
    assert_says(labels_of(env, KUBE_NODE, "node-a"), "\"karpenter.sh/capacity-type\":\"on-demand\"");
    env_free(env);
}

TEST(instances_are_listed_every_minute_if_any_is_reserved) {
    TestEnv *env = class_env(&capacity_type_controller);

    env_run(env, "5m");
    assert_int_equal(env_cloud(env)->lists, 0);
    env_cloud(env)->capacity_type = "reserved";
    put_claim(env, RESERVED, "Registered");
    env_run(env, "5m");
    assert_int_equal(env_cloud(env)->lists, 5);
    env_free(env);
}

TEST(a_write_that_fails_is_repeated_in_the_next_round) {
    TestEnv *env = class_env(&capacity_type_controller);

    put_claim(env, RESERVED, "Registered");
    env_break(env, INTENT_PATCH, 1, ERR_IO, "the API server is away");
    assert_int_equal(env_times(env_run(env, "1m"), "patch nodeclaim/a"), 2);
    assert_says(labels_of(env, KUBE_NODE_CLAIM, "a"), "on-demand");
    env_free(env);
}

TEST(a_list_that_fails_is_repeated_soon) {
    TestEnv *env = class_env(&capacity_type_controller);

    put_claim(env, RESERVED, "Registered");
    env_break(env, INTENT_LIST_INSTANCES, 2, ERR_THROTTLED, "slow down");
    assert_int_equal(env_times(env_run(env, "10s"), "error=slow down"), 2);
    assert_says(labels_of(env, KUBE_NODE_CLAIM, "a"), "on-demand");
    env_free(env);
}

TEST(without_the_gate_nobody_looks) {
    Settings settings = class_settings();
    TestEnv *env;

    settings.gate_reserved_capacity = false;
    env = env_new(&capacity_type_controller, &settings);
    put_claim(env, RESERVED, "Registered");
    assert_string_equal(env_run(env, "5m"), "");
    env_free(env);
}
