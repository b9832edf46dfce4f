// Life of a run: making the cluster, advancing it, finishing it.
#include "base/alloc.h"
#include "ctl/settings_flags.h"
#include "sim/budgets.h"
#include "sim/scenario/run_moments.h"
#include "sim/scenario/run_note.h"
#include "sim/scenario/run_steps.h"
#include "sim/scheduler/scheduler.h"
#include "sim/workloads/workloads.h"

#include <math.h>
#include <stdlib.h>

// --- the journal

// Hashes each line together with the hash of the lines before it.
static void write_journal(void *self, int64_t now_ns, Slice line) {
    Run *run = self;
    Buffer *link = &run->journal_link;

    link->len = 0;
    buffer_append(link, (Slice){(const char *)&run->journal_hash, sizeof run->journal_hash});
    buffer_append(link, (Slice){(const char *)&now_ns, sizeof now_ns});
    buffer_append(link, line);
    run->journal_hash = slice_hash(buffer_slice(link));
    run->journal_lines++;
    if (run->options.journal.write)
        run->options.journal.write(run->options.journal.self, now_ns, line);
}

// --- making

// Whether the scenario's first NodePool is KWOK's: then so is tenon's provider.
static bool serves_kwok(const Run *run) {
    for (vec_each(const ScenarioStep, step, &run->scenario->steps)) {
        for (vec_each(const Value, object, &step->objects)) {
            if (slice_eq_text(kube_text(object, "kind", NULL), "NodePool"))
                return slice_eq_text(kube_text(object, "spec", "template", "spec", "nodeClassRef", "kind", NULL),
                                     "KWOKNodeClass");
        }
    }
    return false;
}

static ErrCode take_provider(Run *run, Err *err) {
    bool is_kwok = serves_kwok(run);

    if (is_kwok && run->options.aws_wire)
        return err_set(err, ERR_INVALID, "%.*s: --aws-wire: its NodePools are KWOK's, not AWS's",
                       SLICE_ARG(run->scenario->file));
    if (is_kwok)
        settings_serve_kwok(&run->settings);
    run->settings.looks_up_classes |= run->options.aws_wire;
    return OK;
}

static ErrCode take_settings(Run *run, Err *err) {
    const Value *settings = run->scenario->settings;

    run->settings = settings_default();
    TRY(take_provider(run, err));
    if (!settings)
        return OK;
    for (vec_each(const ValueMember, member, &settings->map)) {
        ErrCode code = settings_set(&run->settings, member->key, member->value.text, err);

        if (code != OK) {
            err_prefix(err, "%.*s:%u: settings", SLICE_ARG(run->scenario->file), member->value.line);
            return code;
        }
    }
    return OK;
}

// A span from half of the middle to one and a half times it; of 0: the default.
static SimSpan span_around(int64_t middle_ns) {
    return (SimSpan){middle_ns / 2, middle_ns + middle_ns / 2};
}

static ErrCode make_cloud(Run *run, Err *err) {
    const ScenarioCluster *cluster = &run->scenario->cluster;
    SimCloudConfig config = {
        .region = cluster->region,
        .boot = span_around(cluster->boot_ns),
        .on_demand_depth = (uint32_t)cluster->on_demand_depth,
        .spot_depth = (uint32_t)cluster->spot_depth,
        .spot_life_ns = cluster->spot_life_ns,
        .price_step_ns = cluster->price_swing_percent > 0 ? NS_PER_HOUR : 0,
        .price_swing_percent = (uint32_t)cluster->price_swing_percent,
        .leaves_node_classes = run->options.aws_wire,
        .prices_are_asked_for = run->options.aws_wire,
    };

    TRY(sim_cloud_new(run->world, &config, &run->cloud, err));
    run->view = sim_view_new(run->cloud, world_symbols(run->world));
    if (run->options.aws_wire)
        run->aws = sim_aws_new(run->world, run->cloud, NULL);
    return OK;
}

static void make_machines(Run *run) {
    const ScenarioCluster *cluster = &run->scenario->cluster;
    SimKubeletConfig config = {
        .join = span_around(cluster->join_ns),
        .ready = span_around(cluster->ready_ns),
        .pod_start = span_around(cluster->pod_start_ns),
    };

    run->kubelets = sim_kubelets_add(run->world, run->cloud, &config);
}

static void make_controllers(Run *run) {
    SimSchedulerConfig scheduler = {.cycles_per_s = (uint32_t)run->scenario->cluster.binds_per_second};

    sim_workloads_add(run->world);
    sim_budgets_add(run->world);
    sim_scheduler_add(run->world, &scheduler);
    sim_provisioner_add(run->world, NULL);
}

static void make_tenon(Run *run) {
    SimProcessConfig config = {
        .settings = &run->settings,
        .aws = run->aws,
        .journal = {write_journal, run},
        .log = run->options.log,
        .log_context = run->options.log_context,
        .kill_every = run->options.kill_every,
    };

    run->statistics = run_statistics_new(run->world);
    run->audit = config.audit = audit_new(run->world, run->cloud);
    audit_set_expiration(run->audit, run->settings.expiration_jitter_percent, run->settings.expiration_lead_ns);
    run->process = sim_process_add(run->world, run->cloud, &config);
    run->measures = (Measures){run->world, run->cloud, run->statistics};
}

static ErrCode make_cluster(Run *run, Err *err) {
    WorldConfig config = {.seed = run->seed, .start_ns = run->scenario->start_ns};

    TRY(take_settings(run, err));
    run->world = world_new(&config);
    TRY(make_cloud(run, err));
    make_machines(run);
    make_controllers(run);
    make_tenon(run);
    run->random = world_random(run->world, "scenario");
    run->start_ns = world_now_ns(run->world);
    run->end_ns = run->start_ns + run->scenario->duration_ns;
    return OK;
}

ErrCode run_new(const Scenario *scenario, const RunOptions *options, Run **ret_run, Err *err) {
    Run *run = NEW(Run);
    ErrCode code;

    run->scenario = scenario;
    run->options = *options;
    run->seed = options->has_seed ? options->seed : scenario->seed;
    run->floor_per_hour = NAN;
    code = make_cluster(run, err);
    if (code != OK) {
        run_free(run);
        return code;
    }
    run_plan_steps(run);
    run_plan_moments(run);
    *ret_run = run;
    return OK;
}

void run_free(Run *run) {
    if (!run)
        return;
    if (run->view)
        sim_view_free(run->view);
    if (run->world)
        world_free(run->world);
    buffer_free(&run->journal_link);
    arena_free(&run->arena);
    free(run);
}

// --- moving on

int64_t run_start_ns(const Run *run) {
    return run->start_ns;
}

int64_t run_now_ns(const Run *run) {
    return world_now_ns(run->world);
}

int64_t run_end_ns(const Run *run) {
    return run->end_ns;
}

void run_advance(Run *run, int64_t until_ns) {
    world_run(run->world, until_ns < run->end_ns ? until_ns : run->end_ns);
}

// An expectation that has not lasted long enough by now fails.
void run_finish(Run *run) {
    for (vec_each(Expected, expected, &run->expected)) {
        if (expected->state == EXPECT_MET || expected->state == EXPECT_FAILED)
            continue;
        expect_look(expected, &run->measures, world_now_ns(run->world));
        if (expected->state != EXPECT_MET)
            run_note(run, RUN_EXPECTATION_FAILED, expected->expectation->line, "at the end: %.*s",
                     SLICE_ARG(expect_print(&run->arena, expected)));
    }
    run->undecided = 0;
    audit_end(run->audit);
}

// --- the report

static double floor_dollars(const Run *run) {
    double dollars = 0;
    int64_t before_ns = 0;

    for (vec_each(const RunMoment, moment, &run->moments)) {
        dollars += moment->floor_per_hour * (double)(moment->at_ns - before_ns) / 3.6e12;
        before_ns = moment->at_ns;
    }
    return dollars;
}

const RunReport *run_report(Run *run) {
    RunReport *report = &run->report;

    *report = (RunReport){
        .scenario = run->scenario,
        .seed = run->seed,
        .start_ns = run->start_ns,
        .duration_ns = world_now_ns(run->world) - run->start_ns,
        .whole_ns = run_end_ns(run) - run->start_ns,
        .moments = run->moments,
        .entries = run->entries,
        .expectations = run->expected.count,
        .failed = run->failed,
        .undecided = run->undecided,
        .to_bind = run_statistics_time_to_bind(run->statistics),
        .to_run = run_statistics_time_to_run(run->statistics),
        .counts = run_statistics_counts(run->statistics),
        .bill = sim_cloud_bill(run->cloud),
        .floor_dollars = floor_dollars(run),
        .process = sim_process_counts(run->process),
        .aws = run->aws ? sim_aws_counts(run->aws) : (SimAwsCounts){0},
        .world = world_counts(run->world),
        .violations = audit_violations(run->audit),
        .violation_count = audit_violation_count(run->audit),
        .journal_hash = run->journal_hash,
        .journal_lines = run->journal_lines,
    };
    for (SimApi api = 0; api < SIM_API_COUNT; api++) {
        report->api_calls[api] = sim_cloud_api_count(run->cloud, api).calls;
        report->api_throttled[api] = sim_cloud_api_count(run->cloud, api).throttled;
    }
    return report;
}

bool run_is_green(const RunReport *report) {
    return !report->failed && !report->violation_count && report->duration_ns >= report->whole_ns;
}
