// Runs of scenarios: steps, faults, expectations, figures, and that equal seeds give equal histories.
#include "base/buffer.h"
#include "harness/test.h"
#include "sim/scenario/run.h"

#include <stdio.h>

#include <math.h>

#define HEAD "apiVersion: tenon.sh/v1alpha1\nkind: Scenario\nname: test\nsettings: {effort: fast}\n"
#define CLUSTER                                                                                                        \
    "- at: 0s\n"                                                                                                       \
    "  apply:\n"                                                                                                       \
    "  - {apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, spec: {amiSelectorTerms: "  \
    "[{alias: al2023@latest}], role: r, subnetSelectorTerms: [{tags: {a: b}}], securityGroupSelectorTerms: [{tags: "   \
    "{a: b}}]}}\n"                                                                                                     \
    "  - {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {template: {spec: {nodeClassRef: "   \
    "{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: [{key: "                             \
    "karpenter.k8s.aws/instance-category, operator: In, values: [c, m, r]}]}}}}\n"
#define DEPLOYMENT(replicas)                                                                                           \
    "  - {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: " #replicas                   \
    ", selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, " \
    "image: i, resources: {requests: {cpu: 500m, memory: 512Mi}}}]}}}}\n"

// A run and the data that it refers to.
typedef struct {
    Arena arena;
    ScenarioVec scenarios;
    Run *run;
    const RunReport *report;
} Ran;

static Ran run_text(const char *text, const RunOptions *options) {
    Ran ran = {0};
    Err err = {0};

    if (scenario_read(&ran.arena, SLICE("s.yaml"), slice_of(text), NULL, &ran.scenarios, &err) != OK ||
        run_new(&ran.scenarios.items[0], options, &ran.run, &err) != OK)
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

static const RunEntry *find_entry(const Ran *ran, RunEntryType type, const char *part) {
    for (vec_each(const RunEntry, entry, &ran->report->entries)) {
        if (entry->type == type && slice_contains(entry->text, slice_of(part)))
            return entry;
    }
    fail_msg("no entry with \"%s\"", part);
    return NULL;
}

static void assert_nothing_failed(const Ran *ran) {
    for (vec_each(const RunEntry, entry, &ran->report->entries)) {
        if (entry->type == RUN_EXPECTATION_FAILED || entry->type == RUN_REFUSED)
            fail_msg("%.*s", SLICE_ARG(entry->text));
    }
}

TEST(pods_get_nodes_and_run) {
    Ran ran = run_text(
        HEAD "duration: 5m\ntimeline:\n" CLUSTER DEPLOYMENT(
            10) "- {at: 3m, expect: [{kind: Pod, where: {status.phase: Running}, count: 10}, {kind: NodeClaim, "
                "where: {\"status.conditions[Initialized].status\": \"True\"}, count: \">= 1\"}]}\n",
        &(RunOptions){0});

    assert_true(run_is_green(ran.report));
    assert_int_equal(ran.report->expectations, 2);
    assert_int_equal(ran.report->counts.pods_bound, 10);
    assert_true(ran.report->to_run.p50_ns > ran.report->to_bind.p50_ns);
    assert_true(ran.report->bill.nano_dollars > 0);
    end(&ran);
}

TEST(what_is_not_as_expected_is_said_with_its_line) {
    Ran ran = run_text(HEAD "duration: 2m\ntimeline:\n"
                            "- {at: 10s, expect: {kind: Node, count: 1, within: 30s}}\n"
                            "- {at: 10s, expect: {measure: launches, value: 0}}\n"
                            "- {at: 110s, expect: {kind: Node, count: 0, lasting: 1h}}\n",
                       &(RunOptions){0});
    const RunEntry *entry;

    assert_false(run_is_green(ran.report));
    assert_int_equal(ran.report->failed, 2);
    entry = find_entry(&ran, RUN_EXPECTATION_FAILED, "count of Node: expected 1, got 0");
    assert_int_equal(entry->line, 7);
    assert_int_equal(entry->at_ns, 40 * NS_PER_S); // when its time was over
    find_entry(&ran, RUN_EXPECTATION_FAILED, "at the end: ");
    find_entry(&ran, RUN_EXPECTATION_MET, "measure launches");
    end(&ran);
}

TEST(what_the_api_server_refuses_fails_the_run) {
    Ran ran = run_text(HEAD "duration: 1m\ntimeline:\n"
                            "- {at: 1s, apply: {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: nowhere}, "
                            "spec: {containers: [{name: c, image: i}]}}}\n"
                            "- {at: 1s, delete: {kind: Pod, name: nobody}}\n"
                            "- {at: 1s, delete: {kind: Pod, name: nobody, optional: true}}\n",
                       &(RunOptions){0});

    assert_int_equal(ran.report->failed, 2);
    find_entry(&ran, RUN_REFUSED, "namespaces \"nowhere\" not found");
    find_entry(&ran, RUN_REFUSED, "no Pod nobody to change");
    end(&ran);
}

TEST(steps_change_the_cluster) {
    Ran ran =
        run_text(HEAD "duration: 8m\ntimeline:\n" CLUSTER DEPLOYMENT(
                     4) "- {at: 2m, scale: {name: web, replicas: 7}}\n"
                        "- {at: 4m, expect: {kind: Pod, where: {status.phase: Running}, count: 7}}\n"
                        "- {at: 4m, patch: {name: web, merge: {spec: {replicas: 2}}}}\n"
                        "- {at: 5m, expect: {kind: Pod, count: 2}}\n"
                        "- {at: 5m, delete: {kind: Deployment, name: web}}\n"
                        "- {at: 6m, expect: {kind: Pod, count: 0}}\n"
                        "- {at: 6m, delete: {kind: NodePool, name: p}}\n"
                        "- {at: 6m, expect: [{kind: NodeClaim, count: 0, within: 2m}, {kind: Node, count: 0, within: "
                        "2m}]}\n",
                 &(RunOptions){0});

    assert_nothing_failed(&ran);
    assert_true(run_is_green(ran.report));
    assert_int_equal(ran.report->counts.nodes_gone, ran.report->counts.nodes_joined);
    end(&ran);
}

// Fields of the last apply that this one does not have are removed; fields of others stay.
TEST(apply_again_takes_back_what_it_says_no_more) {
    Ran ran = run_text(
        HEAD
        "duration: 1m\ntimeline:\n"
        "- {at: 1s, apply: {apiVersion: v1, kind: Node, metadata: {name: one, labels: {a: x, b: x}}, spec: {taints: "
        "[{key: t, effect: NoSchedule}]}}}\n"
        "- {at: 2s, patch: {kind: Node, name: one, merge: {metadata: {labels: {c: x}}, spec: {providerID: "
        "'test://one'}}}}\n"
        "- {at: 3s, apply: {apiVersion: v1, kind: Node, metadata: {name: one, labels: {a: new}}, spec: {}}}\n"
        "- {at: 4s, expect: [{kind: Node, where: {metadata.labels.a: new, metadata.labels.c: x}, count: 1},"
        " {kind: Node, where: {metadata.labels.b: x}, count: 0},"
        " {kind: Node, where: {\"spec.taints[0].key\": t}, count: 0},"
        " {kind: Node, where: {spec.providerID: 'test://one'}, count: 1}]}\n"
        "- {at: 5s, delete: {kind: Node, name: one}}\n"
        "- {at: 6s, apply: {apiVersion: v1, kind: Node, metadata: {name: one}}}\n"
        "- {at: 7s, expect: [{kind: Node, count: 1}, {kind: Node, where: {metadata.labels.a: new}, count: 0}]}\n",
        &(RunOptions){0});

    assert_nothing_failed(&ran);
    assert_int_equal(ran.report->expectations, 6);
    end(&ran);
}

// Nothing is written, so that the object keeps its generation.
TEST(apply_of_the_same_changes_nothing) {
    Ran ran = run_text(
        HEAD "duration: 1m\ntimeline:\n" CLUSTER "- at: 1s\n"
             "  apply:\n" DEPLOYMENT(1) "- at: 2s\n"
                                        "  apply:\n" DEPLOYMENT(1) "- {at: 3s, expect: {kind: Deployment, where: "
                                                                   "{metadata.generation: 1}, count: 1}}\n",
        &(RunOptions){0});

    assert_nothing_failed(&ran);
    assert_int_equal(ran.report->expectations, 1);
    end(&ran);
}

TEST(load_follows_the_hours) {
    Ran ran =
        run_text(HEAD "start: 2026-01-05T00:00:00Z\nduration: 15h\ntimeline:\n" CLUSTER DEPLOYMENT(
                     1) "- {at: 1m, every: 30m, until: 15h, load: {name: web, low: 2, high: 20, peak: 14h}}\n"
                        "- {at: 2h30m, expect: {kind: Pod, count: 2}}\n" // twelve hours before the peak, and a half
                        "- {at: 8h10m, expect: {kind: Pod, count: \"10..12\"}}\n"
                        "- {at: 14h10m, expect: {kind: Pod, count: 20}}\n",
                 &(RunOptions){.skip_floor = true});

    assert_true(run_is_green(ran.report));
    assert_int_equal(ran.report->expectations, 3);
    end(&ran);
}

// Each fault for a minute, one after the other; after that everything works again.
TEST(every_fault_passes) {
    static const char *const parameters[FAULT_TYPE_COUNT] = {
        [FAULT_SPOT_INTERRUPT] = ", percent: 50", [FAULT_INSTANCE_KILL] = ", count: 1",
        [FAULT_NEVER_JOIN] = ", count: 1",        [FAULT_NEVER_READY] = ", count: 1",
        [FAULT_KUBELET_DEAD] = ", count: 1",      [FAULT_NODE_CONDITION] = ", count: 1, condition: KernelReady",
        [FAULT_SLOW_BOOT] = ", factor: 3",        [FAULT_SLOW_CLOUD] = ", factor: 5",
        [FAULT_CLOUD_ERROR] = ", percent: 40",    [FAULT_CLOUD_LAG] = ", delay: 20s",
        [FAULT_THROTTLE] = ", factor: 10",        [FAULT_PRICE] = ", factor: 2",
        [FAULT_API_ERROR] = ", percent: 30",      [FAULT_WATCH_DELAY] = ", delay: 8s",
        [FAULT_KILL_CONTROLLER] = ", delay: 5s",  [FAULT_CLOCK_SKEW] = ", delay: -30s",
    };
    Buffer text = {0};
    Ran ran;

    buffer_append(&text, SLICE(HEAD "duration: 2h\ntimeline:\n" CLUSTER DEPLOYMENT(12)));
    for (FaultType type = 0; type < FAULT_TYPE_COUNT; type++) {
        buffer_printf(&text, "- {at: %dm, fault: {type: %s, for: 1m%s}}\n", 3 + 3 * (int)type, fault_text(type),
                      parameters[type] ? parameters[type] : "");
        buffer_printf(&text, "- {at: %dm, scale: {name: web, replicas: %d}}\n", 3 + 3 * (int)type, 12 + (int)type);
    }
    buffer_printf(&text,
                  "- {at: 80m, expect: {kind: Pod, where: {status.phase: Running}, count: %d, within: 30m, lasting: "
                  "5m}}\n",
                  12 + FAULT_TYPE_COUNT - 1);
    buffer_append_char(&text, '\0');
    ran = run_text(text.bytes, &(RunOptions){.skip_floor = true});
    for (vec_each(const Violation, violation, ran.report->violations))
        fail_msg("%s: %.*s", audit_rule_name(violation->rule), SLICE_ARG(violation->text));
    assert_nothing_failed(&ran);
    for (FaultType type = 0; type < FAULT_TYPE_COUNT; type++)
        find_entry(&ran, RUN_FAULT, fault_text(type));
    assert_true(run_is_green(ran.report));
    assert_int_equal(ran.report->process.kills, 1);
    end(&ran);
    buffer_free(&text);
}

TEST(equal_seeds_give_equal_histories) {
    static const char *const text = HEAD
        "duration: 10m\ntimeline:\n" CLUSTER DEPLOYMENT(20) "- {at: 2m, fault: {type: instance-kill, percent: 30}}\n"
                                                            "- {at: 5m, fault: {type: kill-controller, delay: 3s}}\n";
    uint64_t hashes[3];
    static const uint64_t seeds[] = {5, 5, 6};

    for (size_t i = 0; i < 3; i++) {
        Ran ran = run_text(text, &(RunOptions){.has_seed = true, .seed = seeds[i]});

        assert_true(ran.report->journal_lines > 50);
        hashes[i] = ran.report->journal_hash;
        end(&ran);
    }
    assert_int_equal(hashes[0], hashes[1]);
    assert_int_not_equal(hashes[0], hashes[2]);
}

TEST(nothing_costs_less_than_the_floor) {
    Ran ran = run_text(HEAD "duration: 2h\ntimeline:\n" CLUSTER DEPLOYMENT(40), &(RunOptions){.moments = 8});

    assert_int_equal(ran.report->moments.count, 8);
    for (vec_each(const RunMoment, moment, &ran.report->moments)) {
        assert_false(isnan(moment->floor_per_hour));
        assert_true(moment->floor_per_hour > 0);
        assert_int_equal(moment->population.pods, 40);
    }
    // From the second moment on, when nothing boots any more.
    for (uint32_t i = 1; i < 8; i++)
        assert_true(ran.report->moments.items[i].price_per_hour >=
                    ran.report->moments.items[i].floor_per_hour * (1 - 1e-9));
    end(&ran);
}
