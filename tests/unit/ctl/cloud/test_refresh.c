// Refreshes, and what they bring: reference aws.md 7, 3.6, 7.8, 7.9. Upstream's areas: providers, instance status,
// capacity reservations, zonal shift.
#include "ctl/class/class_env.h"
#include "ctl/cloud/refresh.h"

static const char *const DEADLINE = "metadata.annotations.'karpenter.sh/nodeclaim-termination-timestamp'";

static TestEnv *refresh_env(const Controller *controller, CloudRefresh what) {
    TestEnv *env = class_env(controller);

    env_cloud(env)->refresh_bits = 1u << what;
    return env;
}

static void put_claim(TestEnv *env, const char *name) {
    env_put(env,
            "{kind: NodeClaim, metadata: {name: %s, finalizers: [karpenter.sh/termination]}, spec: {" EC2_REF
            "}, status: {providerID: 'kwok://%s', nodeName: node-%s}}\n---\n"
            "{kind: Node, metadata: {name: node-%s}, spec: {providerID: 'kwok://%s'}}",
            name, name, name, name, name);
}

static bool is_deleting(TestEnv *env, const char *name) {
    return *env_part(env, KUBE_NODE_CLAIM, name, "metadata.deletionTimestamp") != '\0';
}

// --- when: providers

typedef struct {
    const char *name;
    const Controller *controller;
    CloudRefresh what;
    const char *period;
    int64_t period_s;
} PeriodRow;

static const PeriodRow period_rows[] = {
    {"providers.instancetype", &refresh_INSTANCE_TYPES_controller, CLOUD_REFRESH_INSTANCE_TYPES, "12h0m0s", 43200},
    {"providers.pricing", &refresh_PRICES_controller, CLOUD_REFRESH_PRICES, "12h0m0s", 43200},
    {"providers.ssm.invalidation", &refresh_IMAGES_controller, CLOUD_REFRESH_IMAGES, "30m0s", 1800},
    {"providers.version", &refresh_VERSION_controller, CLOUD_REFRESH_VERSION, "5m0s", 300},
    {"instanceprofile.garbagecollection", &refresh_PROFILES_controller, CLOUD_REFRESH_PROFILES, "30m0s", 1800},
    {"capacityreservation.expiration", &refresh_RESERVATIONS_controller, CLOUD_REFRESH_RESERVATIONS, "1m0s", 60},
    {"interruption.instancestatus", &refresh_HEALTH_controller, CLOUD_REFRESH_HEALTH, "1m0s", 60},
    {"zonalshift", &refresh_ZONES_controller, CLOUD_REFRESH_ZONES, "30s", 30},
};

static void list_period_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof period_rows / sizeof *period_rows; i++)
        test_case(cases, period_rows[i].name, (void *)(uintptr_t)&period_rows[i]);
}

TEST_EACH(const PeriodRow, row, it_asks_at_the_start_and_then_every_period, list_period_rows) {
    TestEnv *env = refresh_env(row->controller, row->what);
    char asked[80];

    assert_string_equal(row->controller->name, row->name);
    snprintf(asked, sizeof asked, "+0s refresh %s\n", row->name);
    assert_string_equal(env_run(env, "0s"), asked);
    assert_string_equal(env_due(env, ""), row->period);
    env_pass(env, row->period);
    assert_string_equal(env_run(env, "0s"), asked);
    assert_int_equal(env_cloud(env)->refreshes[row->what], 2);
    env_free(env);
}

TEST_EACH(const PeriodRow, row, what_the_cloud_does_not_have_is_not_asked_for, list_period_rows) {
    TestEnv *env = refresh_env(row->controller, (row->what + 1) % CLOUD_REFRESH_COUNT);

    assert_string_equal(env_run(env, "13h"), "");
    env_cloud(env)->is_plain = true;
    env_restart(env);
    assert_string_equal(env_run(env, "13h"), "");
    env_free(env);
}

TEST_EACH(const PeriodRow, row, a_failure_is_retried_after_a_second_to_a_tenth_of_the_period, list_period_rows) {
    TestEnv *env = refresh_env(row->controller, row->what);

    env_break(env, INTENT_REFRESH, 2, ERR_THROTTLED, "slow down");
    assert_says(env_run(env, "0s"), "log error Reconciler error error=slow down");
    assert_int_equal(row->controller->backoff_first_ns, NS_PER_S);
    assert_int_equal(row->controller->backoff_max_ns, row->period_s * NS_PER_S / 10);
    env_run(env, "10s");
    assert_int_equal(env_cloud(env)->refreshes[row->what], 3);
    assert_int_equal(env_retries(env, ""), 0);
    env_free(env);
}

TEST(a_right_that_is_missing_is_logged_once) {
    TestEnv *env = refresh_env(&refresh_HEALTH_controller, CLOUD_REFRESH_HEALTH);
    const char *said;

    env_break(env, INTENT_REFRESH, 10, ERR_DENIED, "DescribeInstanceStatus is not allowed");
    said = env_run(env, "9m");
    assert_int_equal(env_times(said, "refresh interruption.instancestatus"), 10);
    assert_int_equal(env_times(said, "DescribeInstanceStatus is not allowed"), 1);
    env_free(env);
}

TEST(a_process_that_dies_asks_again) {
    TestEnv *env = refresh_env(&refresh_PRICES_controller, CLOUD_REFRESH_PRICES);

    env_die_after(env, 1);
    env_run(env, "1s");
    assert_int_equal(env_cloud(env)->refreshes[CLOUD_REFRESH_PRICES], 2);
    env_free(env);
}

// --- what they bring: instance status, capacity reservations

typedef struct {
    const char *name;
    CloudMessageKind kind;
    const char *event; // of NodeClaim and Node
    bool deletes, forces;
} NewsRow;

static const NewsRow news_rows[] = {
    {"instance status: instance", CLOUD_MESSAGE_INSTANCE_IMPAIRED, "InstanceUnhealthy", true, true},
    {"instance status: system", CLOUD_MESSAGE_HOST_IMPAIRED, "InstanceUnhealthy", true, true},
    {"instance status: event", CLOUD_MESSAGE_EVENT_SCHEDULED, "InstanceUnhealthy", true, false},
    {"capacity reservations: ending", CLOUD_MESSAGE_RESERVATION_ENDING, NULL, true, false},
    {"recommendation", CLOUD_MESSAGE_REBALANCE, "SpotRebalanceRecommendation", false, false},
    {"nothing", CLOUD_MESSAGE_OTHER, NULL, false, false},
};

static void list_news_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof news_rows / sizeof *news_rows; i++)
        test_case(cases, news_rows[i].name, (void *)(uintptr_t)&news_rows[i]);
}

static uint32_t events_of(const char *said, const char *about, const char *event) {
    char text[120];

    snprintf(text, sizeof text, "%s %s", about, event ? event : "");
    return env_times(said, text);
}

TEST_EACH(const NewsRow, row, each_kind_does_what_the_table_says, list_news_rows) {
    TestEnv *env = refresh_env(&refresh_HEALTH_controller, CLOUD_REFRESH_HEALTH);
    const char *said;

    put_claim(env, "a");
    env_bring(env, row->kind, "kwok://a", "");
    said = env_run(env, "0s");
    assert_int_equal(is_deleting(env, "a"), row->deletes);
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", DEADLINE), row->forces ? "\"2026-01-05T00:00:00Z\"" : "");
    assert_int_equal(events_of(said, "nodeclaim/a", row->event), row->event ? 1 : 0);
    assert_int_equal(events_of(said, "node/node-a", row->event), row->event ? 1 : 0);
    assert_int_equal(env_times(said, "TerminatingOnInterruption"), row->event && row->deletes ? 2 : 0);
    assert_int_equal(env_times(said, "log info initiating delete"), row->deletes);
    env_free(env);
}

TEST(the_deadline_is_written_before_the_deletion) {
    TestEnv *env = refresh_env(&refresh_HEALTH_controller, CLOUD_REFRESH_HEALTH);
    const char *said;

    put_claim(env, "a");
    env_bring(env, CLOUD_MESSAGE_INSTANCE_IMPAIRED, "kwok://a", "");
    said = env_run(env, "0s");
    assert_true(strstr(said, "patch nodeclaim/a locked") < strstr(said, "delete nodeclaim/a"));
    env_free(env);
}

TEST(a_deadline_that_is_there_stands) {
    TestEnv *env = refresh_env(&refresh_HEALTH_controller, CLOUD_REFRESH_HEALTH);

    put_claim(env, "a");
    env_put(env, "{kind: NodeClaim, metadata: {name: a, annotations: {karpenter.sh/nodeclaim-termination-timestamp: "
                 "'2026-02-01T00:00:00Z'}}}");
    env_bring(env, CLOUD_MESSAGE_INSTANCE_IMPAIRED, "kwok://a", "");
    env_run(env, "0s");
    assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", DEADLINE), "\"2026-02-01T00:00:00Z\"");
    assert_true(is_deleting(env, "a"));
    env_free(env);
}

TEST(what_is_told_again_is_done_once) {
    TestEnv *env = refresh_env(&refresh_HEALTH_controller, CLOUD_REFRESH_HEALTH);
    const char *said;

    put_claim(env, "a");
    env_bring(env, CLOUD_MESSAGE_INSTANCE_IMPAIRED, "kwok://a", "");
    said = env_run(env, "10m");
    assert_int_equal(env_times(said, "delete nodeclaim/a"), 1);
    assert_int_equal(env_times(said, "nodeclaim/a InstanceUnhealthy"), 1);
    env_free(env);
}

// The cloud's message is a repeated one for a process that took over.
TEST(a_repeated_message_deletes_without_events) {
    TestEnv *env = refresh_env(&refresh_HEALTH_controller, CLOUD_REFRESH_HEALTH);
    const char *said;

    put_claim(env, "a");
    env_bring(env, CLOUD_MESSAGE_INSTANCE_IMPAIRED, "kwok://a", "");
    env_cloud(env)->news.items[0].is_repeated = true;
    said = env_run(env, "0s");
    assert_does_not_say(said, "event");
    assert_true(is_deleting(env, "a"));
    env_free(env);
}

TEST(of_two_messages_the_stronger_one_counts) {
    for (int first = 0; first < 2; first++) {
        TestEnv *env = refresh_env(&refresh_HEALTH_controller, CLOUD_REFRESH_HEALTH);

        put_claim(env, "a");
        env_bring(env, first ? CLOUD_MESSAGE_HOST_IMPAIRED : CLOUD_MESSAGE_EVENT_SCHEDULED, "kwok://a", "");
        env_bring(env, first ? CLOUD_MESSAGE_EVENT_SCHEDULED : CLOUD_MESSAGE_HOST_IMPAIRED, "kwok://a", "");
        assert_int_equal(env_times(env_run(env, "0s"), "delete nodeclaim/a"), 1);
        assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", DEADLINE), "\"2026-01-05T00:00:00Z\"");
        env_free(env);
    }
}

TEST(a_claim_that_cannot_be_deleted_holds_up_no_other) {
    TestEnv *env = refresh_env(&refresh_HEALTH_controller, CLOUD_REFRESH_HEALTH);
    const char *said;

    put_claim(env, "a");
    put_claim(env, "b");
    env_bring(env, CLOUD_MESSAGE_EVENT_SCHEDULED, "kwok://a", "");
    env_bring(env, CLOUD_MESSAGE_EVENT_SCHEDULED, "kwok://b", "");
    env_break(env, INTENT_REMOVE, 1, ERR_DENIED, "a webhook says no");
    said = env_run(env, "0s");
    assert_int_equal(is_deleting(env, "a") + is_deleting(env, "b"), 1);
    assert_says(said, "error=a webhook says no");
    said = env_run(env, "3s");
    assert_true(is_deleting(env, "a") && is_deleting(env, "b"));
    assert_does_not_say(said, "event Warning"); // they were told before
    env_free(env);
}

TEST(messages_about_strangers_are_passed_over) {
    TestEnv *env = refresh_env(&refresh_HEALTH_controller, CLOUD_REFRESH_HEALTH);

    env_put(env, "{kind: NodeClaim, metadata: {name: k}, status: {providerID: 'kwok://k'}}"); // of KWOK
    env_bring(env, CLOUD_MESSAGE_HOST_IMPAIRED, "kwok://k", "");
    env_bring(env, CLOUD_MESSAGE_HOST_IMPAIRED, "kwok://nobody", "");
    assert_string_equal(env_run(env, "0s"), "+0s refresh interruption.instancestatus\n");
    env_free(env);
}

TEST(a_claim_of_the_same_name_is_another_one) {
    TestEnv *env = refresh_env(&refresh_HEALTH_controller, CLOUD_REFRESH_HEALTH);

    put_claim(env, "a");
    env_bring(env, CLOUD_MESSAGE_EVENT_SCHEDULED, "kwok://a", "");
    env_break(env, INTENT_REMOVE, 1, ERR_IO, "no answer");
    env_run(env, "0s");
    env_remove(env, KUBE_NODE_CLAIM, "a");
    env_cloud(env)->news.count = 0;
    put_claim(env, "a");
    env_run(env, "10m");
    assert_false(is_deleting(env, "a"));
    env_free(env);
}

TEST(killed_between_any_two_intents_it_goes_on) {
    for (uint32_t after = 0; after < 4; after++) {
        TestEnv *env = refresh_env(&refresh_HEALTH_controller, CLOUD_REFRESH_HEALTH);

        put_claim(env, "a");
        env_bring(env, CLOUD_MESSAGE_HOST_IMPAIRED, "kwok://a", "");
        env_die_after(env, after);
        env_run(env, "10s");
        assert_true(is_deleting(env, "a"));
        assert_string_equal(env_part(env, KUBE_NODE_CLAIM, "a", DEADLINE), "\"2026-01-05T00:00:00Z\"");
        env_free(env);
    }
}

// --- zonal shift

typedef struct {
    Arena arena;
    InstanceTypeVec types;
} ZoneTypes;

// An environment whose cloud has one type, with an offering in test-zone-a (tz1) and one in test-zone-b (tz2).
static TestEnv *zones_env(ZoneTypes *made) {
    static const char *const zones[][2] = {{"test-zone-a", "tz1"}, {"test-zone-b", "tz2"}};
    TestEnv *env = refresh_env(&refresh_ZONES_controller, CLOUD_REFRESH_ZONES);
    InstanceType type = {.name = env_symbol(env, "t")};

    *made = (ZoneTypes){0};
    for (int i = 0; i < 2; i++) {
        Offering offering = {.zone = env_symbol(env, zones[i][0])};
        Requirement id = requirement_in(&made->arena, NAME_ZONE_ID, env_symbol(env, zones[i][1]));

        requirements_add(&made->arena, state_symbols(env_state(env)), &offering.requirements, &id);
        vec_push(&made->arena, &type.offerings, offering);
    }
    vec_push(&made->arena, &made->types, type);
    env_cloud(env)->types = &made->types;
    return env;
}

static void zones_free(TestEnv *env, ZoneTypes *made) {
    env_free(env);
    arena_free(&made->arena);
}

typedef struct {
    const char *name, *requirements;
    const char *zone; // that is left
    bool has_claim;   // in test-zone-a
    bool is_told;
} ZoneRow;

#define ZONES(op, zone) "[{key: topology.kubernetes.io/zone, operator: " op ", values: [" zone "]}]"

static const ZoneRow zone_rows[] = {
    {"zonal shift: no restriction", "[]", "test-zone-a", false, true},
    {"zonal shift: by its id", "[]", "tz1", false, true},
    {"zonal shift: restricted to it", ZONES("In", "test-zone-a"), "test-zone-a", false, true},
    {"zonal shift: restricted to others", ZONES("In", "test-zone-b"), "test-zone-a", false, false},
    {"zonal shift: by its id, restricted to others", ZONES("In", "test-zone-b"), "tz1", false, false},
    {"zonal shift: all but it", ZONES("NotIn", "test-zone-a"), "test-zone-a", false, false},
    {"zonal shift: restricted by ids", "[{key: topology.k8s.aws/zone-id, operator: In, values: [tz2]}]", "test-zone-a",
     false, false},
    {"zonal shift: a zone that the NodeClass does not have", "[]", "test-zone-z", false, false},
    {"zonal shift: a node is there still", ZONES("In", "test-zone-b"), "test-zone-a", true, true},
};

static void list_zone_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof zone_rows / sizeof *zone_rows; i++)
        test_case(cases, zone_rows[i].name, (void *)(uintptr_t)&zone_rows[i]);
}

static void put_pool(TestEnv *env, const char *requirements) {
    env_put(env, "{kind: NodePool, metadata: {name: pool}, spec: {template: {spec: {" EC2_REF ", requirements: %s}}}}",
            requirements);
}

TEST_EACH(const ZoneRow, row, node_pools_that_could_use_the_zone_are_told, list_zone_rows) {
    ZoneTypes types;
    TestEnv *env = zones_env(&types);

    put_pool(env, row->requirements);
    if (row->has_claim)
        env_put(env, "{kind: NodeClaim, metadata: {name: a, labels: {karpenter.sh/nodepool: pool, "
                     "topology.kubernetes.io/zone: test-zone-a}}, spec: {" EC2_REF "}}");
    env_bring(env, CLOUD_MESSAGE_ZONE_LEFT, "", row->zone);
    assert_int_equal(env_times(env_run(env, "0s"), "event Warning nodepool/pool ZonalShiftActive"), row->is_told);
    zones_free(env, &types);
}

TEST(that_a_zone_is_back_is_told) {
    ZoneTypes types;
    TestEnv *env = zones_env(&types);

    put_pool(env, "[]");
    env_bring(env, CLOUD_MESSAGE_ZONE_BACK, "", "test-zone-a");
    assert_says(env_run(env, "0s"), "event Normal nodepool/pool ZonalShiftCleared");
    zones_free(env, &types);
}

TEST(a_zone_that_stays_left_is_not_told_again) {
    ZoneTypes types;
    TestEnv *env = zones_env(&types);

    put_pool(env, "[]");
    env_bring(env, CLOUD_MESSAGE_ZONE_LEFT, "", "test-zone-a");
    env_cloud(env)->news.items[0].is_repeated = true;
    assert_does_not_say(env_run(env, "5m"), "event");
    zones_free(env, &types);
}

TEST(a_zone_touches_no_node_claim) {
    TestEnv *env = refresh_env(&refresh_ZONES_controller, CLOUD_REFRESH_ZONES);

    put_claim(env, "a");
    env_bring(env, CLOUD_MESSAGE_ZONE_LEFT, "kwok://a", "test-zone-a");
    env_run(env, "1m");
    assert_false(is_deleting(env, "a"));
    env_free(env);
}

TEST(pools_of_other_providers_are_not_told) {
    ZoneTypes types;
    TestEnv *env = zones_env(&types);

    env_put(env, "{kind: NodePool, metadata: {name: kwok}, spec: {}}");
    env_bring(env, CLOUD_MESSAGE_ZONE_LEFT, "", "test-zone-a");
    assert_does_not_say(env_run(env, "0s"), "event");
    zones_free(env, &types);
}
