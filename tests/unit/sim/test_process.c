// A tenon in the embedded cluster: pods get nodes, whatever happens to the process and its network.
#include "sim/controller/process.h"
#include "sim/kubelet/kubelet.h"
#include "sim/scheduler/scheduler.h"
#include "sim/support/cluster.h"
#include "sim/workloads/workloads.h"

#include <stdio.h>
#include <stdlib.h>

#include <xxhash.h>

enum { WATCHES = 18 }; // one for each kind of the State, but not for the other provider's NodeClass

// --- a town: a cluster with everything in it

typedef struct {
    World *world;
    SimCloud *cloud;
    Audit *audit;
    SimProcess *process;
    uint64_t journal; // hash of its lines
    uint64_t lines;
    bool prints; // the log, to look at
} Town;

static void write_line(void *self, int64_t now_ns, Slice line) {
    Town *town = self;
    uint64_t parts[3] = {town->journal, (uint64_t)now_ns, XXH3_64bits(line.ptr, line.len)};

    town->journal = XXH3_64bits(parts, sizeof parts);
    town->lines++;
    if (town->prints)
        print_message("%9.3f %.*s\n", (double)(now_ns % SECONDS(86400)) / 1e9, SLICE_ARG(line));
}

static void log_line(void *context, int64_t now_ns, const LogIntent *line) {
    const Town *town = context;

    if (!town->prints)
        return;
    print_message("%9.3f %s", (double)(now_ns % SECONDS(86400)) / 1e9, line->message);
    for (uint32_t i = 0; i + 1 < line->pair_count; i += 2)
        print_message(" %.*s=%.*s", SLICE_ARG(line->pairs[i]), SLICE_ARG(line->pairs[i + 1]));
    print_message("\n");
}

static Town *town_new(uint64_t seed, uint32_t kill_every) {
    Town *town = calloc(1, sizeof *town);
    Err err = {0};

    assert_non_null(town);
    town->prints = getenv("TENON_PRINT") != NULL;
    town->world = world_new(&(WorldConfig){.seed = seed});
    if (sim_cloud_new(town->world, &(SimCloudConfig){0}, &town->cloud, &err) != OK)
        fail_msg("%s", err.text);
    sim_scheduler_add(town->world, NULL);
    sim_workloads_add(town->world);
    sim_kubelets_add(town->world, town->cloud, NULL);
    town->audit = audit_new(town->world, town->cloud);
    town->process = sim_process_add(town->world, town->cloud,
                                    &(SimProcessConfig){.audit = town->audit,
                                                        .journal = {write_line, town},
                                                        .log = log_line,
                                                        .log_context = town,
                                                        .kill_every = kill_every});
    cluster_create(town->world, "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, "
                                "spec: {amiSelectorTerms: [{alias: al2023@latest}], role: r, subnetSelectorTerms: "
                                "[{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}}");
    cluster_create(town->world, "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: general}, spec: "
                                "{template: {spec: {requirements: [], nodeClassRef: {group: karpenter.k8s.aws, "
                                "kind: EC2NodeClass, name: default}}}}}");
    return town;
}

static void deploy(Town *town, const char *name, uint32_t replicas) {
    cluster_create(town->world,
                   "{apiVersion: apps/v1, kind: Deployment, metadata: {name: %s, namespace: default}, spec: {replicas: "
                   "%u, selector: {matchLabels: {app: %s}}, template: {metadata: {labels: {app: %s}}, spec: "
                   "{containers: [{name: c, image: i, resources: {requests: {cpu: 700m, memory: 600Mi}}}]}}}}",
                   name, replicas, name, name);
}

static void scale(Town *town, const char *name, uint32_t replicas) {
    char patch[64];

    snprintf(patch, sizeof patch, "{spec: {replicas: %u}}", replicas);
    cluster_patch(town->world, KUBE_DEPLOYMENT, "default", name, KUBE_OBJECT, patch);
}

static void assert_no_violation(const Town *town) {
    const ViolationVec *violations = audit_violations(town->audit);

    for (vec_each(const Violation, violation, violations))
        print_message("%s: %.*s\n", audit_rule_name(violation->rule), SLICE_ARG(violation->text));
    assert_int_equal(audit_violation_count(town->audit), 0);
}

static void town_free(Town *town) {
    audit_end(town->audit);
    assert_no_violation(town);
    world_free(town->world);
    free(town);
}

// --- checks

static uint32_t count_running(const Town *town) {
    const State *state = world_state(town->world);
    uint32_t count = 0;

    for (Handle pod = state_next(state, KUBE_POD, HANDLE_NONE); pod.generation; pod = state_next(state, KUBE_POD, pod))
        count += state_pod(state, pod)->phase == POD_RUNNING && !state_pod(state, pod)->deleting;
    return count;
}

static bool is_true(const Town *town, const ConditionVec *conditions, const char *type) {
    const Symbols *symbols = world_symbols(town->world);
    const Condition *condition = condition_get(conditions, symbols, slice_of(type));

    return condition && slice_eq_text(symbol_text(symbols, condition->status), "True");
}

static void assert_claims_are_initialized(const Town *town) {
    const State *state = world_state(town->world);

    for (Handle claim = state_next(state, KUBE_NODE_CLAIM, HANDLE_NONE); claim.generation;
         claim = state_next(state, KUBE_NODE_CLAIM, claim)) {
        const ConditionVec *conditions = &state_node_claim(state, claim)->conditions;

        assert_true(is_true(town, conditions, "Launched"));
        assert_true(is_true(town, conditions, "Registered"));
        assert_true(is_true(town, conditions, "Initialized"));
        assert_true(is_true(town, conditions, "Ready"));
        assert_true(state_node_of_claim(state, claim).generation);
    }
}

static uint32_t count_instances(const Town *town) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < sim_cloud_instance_count(town->cloud); i++) {
        SimInstanceState state = sim_cloud_instance(town->cloud, i)->state;

        count += state == SIM_INSTANCE_PENDING || state == SIM_INSTANCE_RUNNING;
    }
    return count;
}

// Every pod runs, every node is ready and has its claim, every instance its node.
static void assert_well(const Town *town, uint32_t pods) {
    const State *state = world_state(town->world);

    assert_int_equal(count_running(town), pods);
    assert_claims_are_initialized(town);
    assert_int_equal(state_count(state, KUBE_NODE), state_count(state, KUBE_NODE_CLAIM));
    assert_int_equal(count_instances(town), state_count(state, KUBE_NODE_CLAIM));
    assert_no_violation(town);
}

// Runs until so many pods run and nothing changes any more, for a limited virtual time.
static void run_until_running(Town *town, uint32_t pods, int64_t most_ns) {
    int64_t end_ns = world_now_ns(town->world) + most_ns;

    while (count_running(town) < pods && world_now_ns(town->world) < end_ns)
        cluster_run(town->world, SECONDS(5));
    assert_int_equal(count_running(town), pods);
}

// --- tests

TEST(twenty_pods_get_nodes_and_run) {
    Town *town = town_new(1, 0);
    SimProcessCounts counts;

    deploy(town, "web", 20);
    cluster_run(town->world, MINUTES(5));
    assert_well(town, 20);
    assert_true(state_count(world_state(town->world), KUBE_NODE_CLAIM) >= 1);
    assert_true(sim_process_is_idle(town->process));
    counts = sim_process_counts(town->process);
    assert_int_equal(counts.lives, 1);
    assert_int_equal(counts.kills, 0);
    assert_int_equal(counts.engine.intents[INTENT_LAUNCH], state_count(world_state(town->world), KUBE_NODE_CLAIM));
    assert_int_equal(counts.calls_by_verb[2], WATCHES);
    assert_true(counts.state_bytes > 0 && counts.state_bytes_most >= counts.state_bytes);
    town_free(town);
}

// A hash of a run with all kinds of faults.
static uint64_t eventful_run(uint64_t seed) {
    Town *town = town_new(seed, 40);
    uint64_t journal;

    sim_process_api_errors(town->process, 5);
    deploy(town, "web", 20);
    cluster_run(town->world, MINUTES(2));
    sim_process_watch_drop(town->process, true);
    scale(town, "web", 30);
    cluster_run(town->world, MINUTES(5));
    journal = town->journal;
    town_free(town);
    return journal;
}

TEST(equal_seeds_give_equal_journals) {
    uint64_t first = eventful_run(7);

    assert_true(first == eventful_run(7));
    assert_true(first != eventful_run(8));
}

// kill -9 at random intents, fifty times, while pods come and go.
TEST(killed_fifty_times_it_ends_the_same) {
    uint32_t kills = test_random_cases(50);

    for (uint64_t seed = 1; seed <= 3; seed++) {
        Town *town = town_new(seed, 6);
        uint32_t steps = 0;

        deploy(town, "web", 20);
        while (sim_process_counts(town->process).kills < kills) {
            cluster_run(town->world, MINUTES(1));
            scale(town, "web", steps++ % 2 ? 40 : 10);
            assert_true(steps < 500);
        }
        sim_process_kill_every(town->process, 0);
        scale(town, "web", 40);
        run_until_running(town, 40, MINUTES(30));
        cluster_run(town->world, MINUTES(20));
        assert_well(town, 40);
        assert_true(sim_process_counts(town->process).lives > kills);
        town_free(town);
    }
}

TEST(a_partition_delays_and_harms_nothing) {
    Town *town = town_new(2, 0);

    deploy(town, "web", 10);
    cluster_run(town->world, SECONDS(8)); // launches are under way
    sim_process_partition(town->process, true);
    deploy(town, "api", 20);
    cluster_run(town->world, MINUTES(10));
    assert_true(count_running(town) < 30);
    assert_true(sim_process_counts(town->process).failed_calls > 0);
    sim_process_partition(town->process, false);
    run_until_running(town, 30, MINUTES(15));
    cluster_run(town->world, MINUTES(10));
    assert_well(town, 30);
    town_free(town);
}

TEST(a_wrong_clock_harms_nothing) {
    for (int sign = -1; sign <= 1; sign += 2) {
        Town *town = town_new(3, 0);

        sim_process_skew(town->process, sign * MINUTES(60));
        deploy(town, "web", 20);
        run_until_running(town, 20, MINUTES(2));
        sim_process_skew(town->process, 0);
        scale(town, "web", 30);
        run_until_running(town, 30, MINUTES(2));
        cluster_run(town->world, MINUTES(10));
        assert_well(town, 30);
        town_free(town);
    }
}

TEST(dropped_watches_go_on_and_expired_ones_begin_anew) {
    Town *town = town_new(4, 0);
    SimProcessCounts before, after;

    deploy(town, "web", 10);
    cluster_run(town->world, MINUTES(3));
    before = sim_process_counts(town->process);
    sim_process_watch_drop(town->process, false);
    scale(town, "web", 20);
    run_until_running(town, 20, MINUTES(15));
    after = sim_process_counts(town->process);
    assert_int_equal(after.calls_by_verb[2] - before.calls_by_verb[2], WATCHES);
    assert_int_equal(after.engine.relists, before.engine.relists);
    before = after;
    sim_process_watch_drop(town->process, true);
    scale(town, "web", 30);
    run_until_running(town, 30, MINUTES(15));
    after = sim_process_counts(town->process);
    assert_int_equal(after.engine.relists - before.engine.relists, WATCHES);
    cluster_run(town->world, MINUTES(5));
    assert_well(town, 30);
    town_free(town);
}

TEST(delayed_watches_do_no_harm) {
    Town *town = town_new(5, 0);

    sim_process_watch_delay(town->process, SECONDS(20));
    deploy(town, "web", 20);
    run_until_running(town, 20, MINUTES(15));
    sim_process_watch_delay(town->process, 0);
    cluster_run(town->world, MINUTES(15));
    assert_well(town, 20);
    town_free(town);
}

TEST(a_third_of_all_calls_may_fail) {
    Town *town = town_new(6, 0);

    sim_process_api_errors(town->process, 30);
    deploy(town, "web", 20);
    run_until_running(town, 20, MINUTES(60));
    cluster_run(town->world, MINUTES(30));
    assert_well(town, 20);
    assert_true(sim_process_counts(town->process).failed_calls > 10);
    town_free(town);
}

TEST(a_killed_controller_does_nothing_and_the_next_one_takes_over) {
    Town *town = town_new(9, 0);
    uint64_t calls;

    cluster_run(town->world, SECONDS(30));
    sim_process_kill(town->process, MINUTES(10));
    assert_false(sim_process_is_alive(town->process));
    assert_null(sim_process_state(town->process));
    calls = sim_process_counts(town->process).calls;
    deploy(town, "web", 20);
    cluster_run(town->world, MINUTES(9));
    assert_int_equal(sim_process_counts(town->process).calls, calls);
    assert_int_equal(count_running(town), 0);
    sim_process_kill(town->process, MINUTES(5)); // only moves the next life
    cluster_run(town->world, MINUTES(4));
    assert_false(sim_process_is_alive(town->process));
    cluster_run(town->world, MINUTES(10));
    assert_well(town, 20);
    assert_int_equal(sim_process_counts(town->process).kills, 1);
    assert_int_equal(sim_process_counts(town->process).lives, 2);
    town_free(town);
}
