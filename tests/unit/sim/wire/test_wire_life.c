// Runs of scenarios with tenon's AWS provider: pods get nodes, and equal seeds give equal histories.
#include "harness/test.h"
#include "sim/scenario/run.h"

#define HEAD "apiVersion: tenon.sh/v1alpha1\nkind: Scenario\nname: test\nsettings: {effort: fast}\n"
#define POOL(group, kind, key)                                                                                         \
    "  - {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {template: {spec: {nodeClassRef: "   \
    "{group: " group ", kind: " kind ", name: default}, requirements: [{key: " key ", operator: Exists}]}}}}\n"
#define CLUSTER                                                                                                        \
    "- at: 0s\n"                                                                                                       \
    "  apply:\n"                                                                                                       \
    "  - {apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, spec: {amiSelectorTerms: "  \
    "[{alias: al2023@latest}], role: r, subnetSelectorTerms: [{tags: {a: b}}], securityGroupSelectorTerms: [{tags: "   \
    "{a: b}}]}}\n" POOL("karpenter.k8s.aws", "EC2NodeClass", "karpenter.k8s.aws/instance-category")
#define DEPLOYMENT                                                                                                     \
    "  - {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 10, selector: {matchLabels: " \
    "{app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i, resources: "      \
    "{requests: {cpu: 500m, memory: 512Mi}}}]}}}}\n"
#define POD_OF(name, cpus)                                                                                             \
    "  - {apiVersion: v1, kind: Pod, metadata: {name: " name "}, spec: {affinity: {nodeAffinity: "                     \
    "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: "                 \
    "karpenter.k8s.aws/instance-cpu, operator: In, values: [" cpus "]}]}]}}}, containers: [{name: c, image: i, "       \
    "ports: [{containerPort: 80, hostPort: 80}], resources: {requests: {cpu: 1500m}}}]}}\n"
#define EXPECTED                                                                                                       \
    "- {at: 9m, expect: [{kind: Pod, where: {status.phase: Running}, count: 10}, {kind: NodeClaim, where: "            \
    "{\"status.conditions[Initialized].status\": \"True\"}, count: \">= 1\"}]}\n"

typedef struct {
    Arena arena;
    ScenarioVec scenarios;
    Run *run;
    const RunReport *report;
} Ran;

static ErrCode begin(Ran *ran, const char *text, uint64_t seed, uint32_t kill_every, Err *err) {
    RunOptions options = {.aws_wire = true, .has_seed = true, .seed = seed, .kill_every = kill_every, .moments = 1};

    *ran = (Ran){0};
    TRY(scenario_read(&ran->arena, SLICE("s.yaml"), slice_of(text), NULL, &ran->scenarios, err));
    return run_new(&ran->scenarios.items[0], &options, &ran->run, err);
}

static Ran run_text(const char *text, uint64_t seed, uint32_t kill_every) {
    Err err = {0};
    Ran ran;

    if (begin(&ran, text, seed, kill_every, &err) != OK)
        fail_msg("%s", err.text);
    run_advance(ran.run, run_end_ns(ran.run));
    run_finish(ran.run);
    ran.report = run_report(ran.run);
    return ran;
}

static void end(Ran *ran) {
    run_free(ran->run);
    arena_free(&ran->arena);
}

TEST(pods_get_nodes_by_the_real_client) {
    Ran ran = run_text(HEAD "duration: 10m\ntimeline:\n" CLUSTER DEPLOYMENT EXPECTED, 1, 0);

    for (vec_each(const RunEntry, entry, &ran.report->entries)) {
        if (entry->type == RUN_EXPECTATION_FAILED || entry->type == RUN_REFUSED)
            fail_msg("%.*s", SLICE_ARG(entry->text));
    }
    assert_true(run_is_green(ran.report));
    assert_int_equal(ran.report->counts.pods_bound, 10);
    assert_true(ran.report->aws.fleets >= 1);
    assert_true(ran.report->aws.requests > 50);
    end(&ran);
}

// Two launches at once that are unlike, so that each is a call, and need the same templates: one waits for the other.
TEST(launches_that_wait_for_a_template_let_time_pass) {
    Ran ran =
        run_text(HEAD "duration: 3m\ntimeline:\n" CLUSTER POD_OF("a", "'2', '4'") POD_OF("b", "'2', '4', '8'"), 1, 0);

    assert_true(run_is_green(ran.report));
    assert_int_equal(ran.report->counts.pods_bound, 2);
    assert_int_equal(ran.report->aws.fleets, 2);
    end(&ran);
}

// With kills, so that calls end in their midst.
TEST(equal_seeds_give_equal_histories) {
    static const char text[] = HEAD "duration: 10m\ntimeline:\n" CLUSTER DEPLOYMENT;
    Ran first = run_text(text, 7, 20), second = run_text(text, 7, 20), other = run_text(text, 8, 20);

    assert_true(first.report->process.kills > 0);
    assert_true(first.report->journal_lines > 20);
    assert_int_equal(first.report->journal_hash, second.report->journal_hash);
    assert_int_equal(first.report->journal_lines, second.report->journal_lines);
    assert_int_equal(first.report->aws.requests, second.report->aws.requests);
    assert_true(first.report->journal_hash != other.report->journal_hash);
    end(&first);
    end(&second);
    end(&other);
}

TEST(pools_of_kwok_are_refused) {
    Err err = {0};
    Ran ran;

    assert_int_equal(begin(&ran,
                           HEAD "duration: 1m\ntimeline:\n- at: 0s\n  apply:\n" POOL(
                               "karpenter.kwok.sh", "KWOKNodeClass", "karpenter.kwok.sh/instance-family"),
                           1, 0, &err),
                     ERR_INVALID);
    assert_non_null(strstr(err.text, "--aws-wire"));
    arena_free(&ran.arena);
}
