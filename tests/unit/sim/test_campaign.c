// Random scenarios: equal seeds give equal files, every file can be read, every feature is drawn, and a few are run.
#include "sim/support/cluster.h"

#include "sim/campaign/campaign.h"
#include "sim/scenario/run.h"

enum { SEEDS = 300, RUNS = 3 };

static Slice draft(Arena *arena, uint64_t seed) {
    Buffer text = {0};
    Slice copy;

    campaign_write(seed, false, &text);
    copy = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return copy;
}

static const Scenario *read_scenario(Arena *arena, uint64_t seed) {
    ScenarioVec *scenarios = arena_new(arena, ScenarioVec);
    Err err = {0};

    if (scenario_read(arena, SLICE("campaign"), draft(arena, seed), NULL, scenarios, &err) != OK)
        fail_msg("seed %u: %s", (unsigned)seed, err.text);
    assert_int_equal(scenarios->count, 1);
    return &scenarios->items[0];
}

TEST(equal_seeds_give_equal_files) {
    Arena arena = {0};

    for (uint64_t seed = 1; seed <= 20; seed++) {
        assert_true(slice_eq(draft(&arena, seed), draft(&arena, seed)));
        assert_false(slice_eq(draft(&arena, seed), draft(&arena, seed + 1)));
        assert_int_equal(campaign_kill_every(seed), campaign_kill_every(seed));
    }
    arena_free(&arena);
}

TEST(every_file_can_be_read_and_every_fault_occurs) {
    uint32_t faults[FAULT_TYPE_COUNT] = {0};

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Arena arena = {0};
        const Scenario *scenario = read_scenario(&arena, seed);

        for (vec_each(const ScenarioStep, step, &scenario->steps)) {
            if (step->type == STEP_FAULT)
                faults[step->fault.type]++;
        }
        arena_free(&arena);
    }
    for (FaultType type = 0; type < FAULT_TYPE_COUNT; type++) {
        if (!faults[type])
            fail_msg("%s is never drawn", fault_text(type));
    }
}

// Features of scenarios, each with a word that only scenarios with it have.
TEST(every_kind_of_thing_is_drawn) {
    static const char *const words[] = {
        "KWOKNodeClass",
        "EC2NodeClass",
        "replicas: 0}",
        "[g]",
        "startupTaints",
        "kind: Deployment",
        "kind: StatefulSet",
        "kind: Job",
        "kind: DaemonSet",
        "volumeClaimTemplates",
        "priorityClassName",
        "nvidia.com/gpu: ",
        "minAvailable: 1",
        "-again",
        "do-not-disrupt",
        "kind: Node, name",
        "kind: Pod, namespace",
        "expireAfter",
        "terminationGracePeriod:",
        "stop-seconds",
        "consolidationPolicy: Balanced",
        "consolidationPolicy: WhenEmpty,",
        "consolidateAfter: Never",
        "consolidation: classic",
        "SpotToSpotConsolidation=true",
        "nodes: 10%",
        "reasons: [Drifted]",
        "schedule: \"@hourly\"",
        "annotations: {karpenter.sh/do-not-disrupt",
        "annotations: {karpenter.sh/do-not-repair",
        "reason: E2ERepair",
        "reason: XID64",
        "tenon.sh/surge",
        "labels: {turn: ",
        "merge: {spec: {disruption",
    };
    uint32_t found[sizeof words / sizeof *words] = {0};

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Arena arena = {0};
        const char *text = arena_text(&arena, draft(&arena, seed));

        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            found[i] += strstr(text, words[i]) != NULL;
        arena_free(&arena);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!found[i])
            fail_msg("no scenario has \"%s\"", words[i]);
    }
}

static void assert_green(const RunReport *report, uint64_t seed) {
    for (vec_each(const RunEntry, entry, &report->entries)) {
        if (entry->type == RUN_EXPECTATION_FAILED || entry->type == RUN_REFUSED)
            print_message("seed %u: %.*s\n", (unsigned)seed, SLICE_ARG(entry->text));
    }
    for (vec_each(const Violation, violation, report->violations))
        print_message("seed %u: %s: %.*s\n", (unsigned)seed, audit_rule_name(violation->rule),
                      SLICE_ARG(violation->text));
    assert_true(run_is_green(report));
}

TEST(a_few_random_runs_hold_all_invariants) {
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        RunOptions options = {.skip_floor = true, .moments = 1, .kill_every = campaign_kill_every(seed)};
        Arena arena = {0};
        Err err = {0};
        Run *run;

        if (run_new(read_scenario(&arena, seed), &options, &run, &err) != OK)
            fail_msg("%s", err.text);
        run_advance(run, run_end_ns(run));
        run_finish(run);
        assert_green(run_report(run), seed);
        assert_true(run_report(run)->counts.pods_created > 0);
        run_free(run);
        arena_free(&arena);
    }
}
