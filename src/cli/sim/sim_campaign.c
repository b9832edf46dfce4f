// A campaign: random scenarios, one seed after the other, until all are done or the time limit is reached.
#include "cli/sim/sim_parts.h"

#include "sim/campaign/campaign.h"
#include "text/duration.h"

#include <inttypes.h>
#include <unistd.h>

typedef struct {
    const SimOptions *options;
    uint32_t done, red;
    uint64_t pods, kills, faults, violations, requests, fleets;
} Campaign;

static void show_progress(const Campaign *campaign, uint64_t seed) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%u of %u, seed %" PRIu64 ", %u red \x1b[K", campaign->done, campaign->options->campaign,
                seed, campaign->red);
}

static void clear_progress(void) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\x1b[K");
}

static void print_red(const Campaign *campaign, Arena *arena, const RunReport *report, uint64_t seed) {
    const char *wire = campaign->options->aws_wire ? " --aws-wire" : "";
    Buffer out = {0};

    clear_progress();
    for (vec_each(const RunEntry, entry, &report->entries)) {
        if (entry->type == RUN_EXPECTATION_FAILED || entry->type == RUN_REFUSED)
            buffer_printf(&out, "seed %" PRIu64 ": %.*s\n", seed, SLICE_ARG(entry->text));
    }
    for (vec_each(const Violation, violation, report->violations))
        buffer_printf(&out, "seed %" PRIu64 ": %.*s: %s: %.*s\n", seed,
                      SLICE_ARG(duration_print(arena, violation->at_ns - report->start_ns)),
                      audit_rule_name(violation->rule), SLICE_ARG(violation->text));
    buffer_printf(&out,
                  "seed %" PRIu64 " again: tenon sim --campaign 1 --seed %" PRIu64 "%s --log; its file: --print\n",
                  seed, seed, wire);
    fwrite(out.bytes, 1, out.len, stdout);
    fflush(stdout);
    buffer_free(&out);
}

static void count_run(Campaign *campaign, Arena *arena, const RunReport *report, uint64_t seed) {
    campaign->done++;
    campaign->pods += report->counts.pods_created;
    campaign->kills += report->process.kills;
    campaign->violations += report->violation_count;
    campaign->requests += report->aws.requests;
    campaign->fleets += report->aws.fleets;
    for (vec_each(const RunEntry, entry, &report->entries))
        campaign->faults += entry->type == RUN_FAULT;
    if (run_is_green(report))
        return;
    campaign->red++;
    print_red(campaign, arena, report, seed);
}

static ErrCode run_seed(Campaign *campaign, uint64_t seed, Err *err) {
    RunOptions options = {.aws_wire = campaign->options->aws_wire,
                          .skip_floor = true,
                          .kill_every = campaign_kill_every(seed),
                          .moments = 1,
                          .log = campaign->options->log ? sim_print_log : NULL};
    ScenarioVec scenarios = {0};
    Buffer text = {0};
    Arena arena = {0};
    Run *run = NULL;
    ErrCode code;

    campaign_write(seed, campaign->options->aws_wire, &text);
    code = scenario_read(&arena, SLICE("campaign"), buffer_slice(&text), NULL, &scenarios, err);
    if (code == OK)
        code = run_new(&scenarios.items[0], &options, &run, err);
    if (code == OK) {
        run_advance(run, run_end_ns(run));
        run_finish(run);
        count_run(campaign, &arena, run_report(run), seed);
    }
    run_free(run);
    arena_free(&arena);
    buffer_free(&text);
    return code;
}

static int print_scenarios(const SimOptions *options, uint64_t first) {
    Buffer text = {0};

    for (uint32_t i = 0; i < options->campaign; i++) {
        buffer_append(&text, i ? SLICE("---\n") : SLICE(""));
        campaign_write(first + i, options->aws_wire, &text);
    }
    fwrite(text.bytes, 1, text.len, stdout);
    buffer_free(&text);
    return SIM_GREEN;
}

int sim_campaign(const SimOptions *options) {
    Campaign campaign = {.options = options};
    uint64_t first = options->has_seed ? options->seed : 1;
    int64_t began_ns = sim_real_ns();
    Err err = {0};

    if (options->print)
        return print_scenarios(options, first);
    for (uint32_t i = 0; i < options->campaign; i++) {
        if (options->budget_ns && sim_real_ns() - began_ns > options->budget_ns)
            break;
        if (run_seed(&campaign, first + i, &err) != OK) {
            fprintf(stderr, "error: seed %" PRIu64 ": %s\n", first + i, err.text);
            return SIM_BAD_INPUT;
        }
        show_progress(&campaign, first + i);
    }
    clear_progress();
    printf("seeds %" PRIu64 " to %" PRIu64 ": %u clusters, %" PRIu64 " pods, %" PRIu64 " faults, %" PRIu64
           " kills, %u red, %" PRIu64 " promises broken, %.1f s\n",
           first, first + campaign.done - 1, campaign.done, campaign.pods, campaign.faults, campaign.kills,
           campaign.red, campaign.violations, ns_to_s(sim_real_ns() - began_ns));
    if (options->aws_wire)
        printf("%" PRIu64 " requests reached AWS, %" PRIu64 " of them new fleets\n", campaign.requests,
               campaign.fleets);
    return campaign.red ? SIM_RED : SIM_GREEN;
}
