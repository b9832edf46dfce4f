// Clouds without capacity, and replays of disasters: users.md #18 to #21, k#3198. Counts are asserted: claims created,
// plans made, memory used.
#include "ctl/provision_env.h"

#include "text/json.h"

enum { STORM_TEXT = 1024 };

// A pending pod, put into the State alone, without the API server.
static void add_waiting_pod(PlanEnv *ps, uint32_t number, const char *cpu, const char *zone, const char *kind) {
    char text[STORM_TEXT];
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Arena arena = {0};
    Err err = {0};
    int length = snprintf(text, sizeof text,
                          "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"storm-%u\",\"namespace\":"
                          "\"default\",\"uid\":\"storm-%u\",\"resourceVersion\":\"%u\"},\"spec\":{\"nodeSelector\":{"
                          "\"topology.kubernetes.io/zone\":\"%s\",\"karpenter.sh/capacity-type\":\"%s\"},"
                          "\"containers\":[{\"name\":\"main\",\"image\":\"app\",\"resources\":{\"requests\":{\"cpu\":"
                          "\"%s\"}}}]},\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\","
                          "\"status\":\"False\",\"reason\":\"Unschedulable\"}]}}",
                          number, number, number + 1, zone, kind, cpu);

    assert_true(length > 0 && length < STORM_TEXT);
    if (json_parse(&arena, SLICE("pod"), (Slice){text, (size_t)length}, NULL, &documents, &warnings, &err) != OK)
        fail_msg("%s", err.text);
    env_apply(ps->env, KUBE_POD, &documents.items[0].root);
    arena_free(&arena);
}

// Pods for eight offerings: two sizes, two zones, two capacity types.
static void add_storm(PlanEnv *ps, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        add_waiting_pod(ps, i, i % 2 ? "7" : "1500m", i / 2 % 2 ? "zone-a" : "zone-b",
                        i / 4 % 2 ? "spot" : "on-demand");
}

// Fails the launch of every present claim, and returns their number.
static uint32_t fail_all(PlanEnv *ps) {
    uint32_t count = 0;

    for (const char *claim; (claim = nth_claim(ps, 0)); count++)
        env_remove(ps->env, KUBE_NODE_CLAIM, claim);
    return count;
}

// The whole cloud has no capacity, which is not known before launches fail: 50,000 pods, for ten minutes.
TEST(total_ice_with_fifty_thousand_pending_pods) {
    PlanEnv *ps = with_pool();
    uint32_t created = 0, most_in_a_minute = 0;
    size_t memory;

    add_storm(ps, 50000);
    for (uint32_t minute = 0; minute < 10; minute++) {
        uint32_t before = created;

        for (uint32_t i = 0; i < 12; i++) {
            plan_run(ps, "5s");
            created += fail_all(ps);
        }
        if (minute > 0 && created - before > most_in_a_minute)
            most_in_a_minute = created - before;
    }
    memory = arena_used(&provisioner_of(ps)->index.arena) + arena_used(&provisioner_of(ps)->budgets.arena);
    print_message("created %u, at most %u in a minute after the first, %u plans, %zu bytes kept\n", created,
                  most_in_a_minute, ps->solves, memory);
    assert_true(created >= 300 && created <= 900);
    assert_true(most_in_a_minute <= 16);
    assert_true(ps->solves <= 60);
    assert_true(memory < 50000 * 200);
    plan_env_free(ps);
}

// Memory is freed when the pods are gone.
TEST(after_the_storm_the_memory_is_given_back) {
    PlanEnv *ps = with_pool();
    char name[32];

    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < 100; i++) {
            snprintf(name, sizeof name, "web-%u-%u", round, i);
            put_waiting_pod(ps, name, "100", "");
        }
        plan_run(ps, "20s");
        for (uint32_t i = 0; i < 100; i++) {
            snprintf(name, sizeof name, "web-%u-%u", round, i);
            env_remove(ps->env, KUBE_POD, name);
        }
        plan_run(ps, "20s");
    }
    assert_true(provisioner_of(ps)->index.pods.count <= 600);
    assert_true(arena_used(&provisioner_of(ps)->index.arena) < 100000);
    plan_env_free(ps);
}

// k#3198: 2,700 NodeClaims in 90 minutes, 498 of them within five, for one offering that is sold out.
TEST(k3198_one_sold_out_offering_for_ninety_minutes) {
    PlanEnv *ps = with_pool();
    uint32_t created = 0, most_in_five_minutes = 0;

    for (uint32_t i = 0; i < 500; i++)
        add_waiting_pod(ps, i, "7", "zone-a", "spot");
    for (uint32_t part = 0; part < 18; part++) {
        uint32_t before = created;

        for (uint32_t i = 0; i < 60; i++) {
            plan_run(ps, "5s");
            created += fail_all(ps);
        }
        if (part > 0 && created - before > most_in_five_minutes)
            most_in_five_minutes = created - before;
    }
    print_message("created %u, at most %u in five minutes after the first, %u plans\n", created, most_in_five_minutes,
                  ps->solves);
    assert_true(created >= 100 && created < 130);
    assert_true(most_in_five_minutes <= 5);
    assert_true(ps->solves < 300);
    plan_env_free(ps);
}

// users.md #19: one bad workload does not delay other pods, not even in its own pool.
TEST(in_the_storm_other_pods_get_their_nodes_at_once) {
    PlanEnv *ps = with_pool();
    const char *history;

    for (uint32_t i = 0; i < 500; i++)
        add_waiting_pod(ps, i, "7", "zone-a", "spot");
    for (uint32_t i = 0; i < 60; i++) {
        plan_run(ps, "10s");
        fail_all(ps);
    }
    put_waiting_pod(ps, "web", "1",
                    ", nodeSelector: {topology.kubernetes.io/zone: zone-b,"
                    " karpenter.sh/capacity-type: on-demand}");
    history = plan_run(ps, "2s");
    assert_has(history, "event Normal pod/default/web Nominated: Pod should schedule on: nodeclaim/default-");
    plan_env_free(ps);
}

TEST(as_launches_succeed_the_window_widens_until_all_have_their_claims) {
    PlanEnv *ps = with_pool();
    uint32_t launched = 0;

    for (uint32_t i = 0; i < 250; i++) {
        char name[16];

        snprintf(name, sizeof name, "web-%u", i);
        env_put_unseen(ps->env,
                       "{kind: Pod, metadata: {name: %s}, spec: {containers: [{name: main, image: app, resources:"
                       " {requests: {cpu: '7'}}}]}, status: {phase: Pending, conditions:"
                       " [PodScheduled=False/Unschedulable]}}",
                       name);
    }
    env_tell(ps->env);
    plan_run(ps, "1s");
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 100);
    for (uint32_t round = 0; round < 4; round++) {
        for (const char *claim; (claim = nth_claim(ps, launched)); launched++)
            env_put(ps->env,
                    "{kind: NodeClaim, metadata: {name: %s}, status: {providerID: 'kwok://%s', capacity: {cpu: '8',"
                    " memory: 16Gi, pods: '110'}, allocatable: {cpu: '8', memory: 16Gi, pods: '110'},"
                    " conditions: [Launched]}}",
                    claim, claim);
        plan_run(ps, "2s");
    }
    assert_int_equal(env_count(ps->env, KUBE_NODE_CLAIM), 250);
    plan_env_free(ps);
}
