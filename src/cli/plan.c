// `tenon plan`: load, solve, report.
#include "cli/plan.h"

#include "base/time.h"
#include "cli/consolidate/report.h"
#include "cli/load_notes.h"
#include "cli/report.h"
#include "sched/input/default_spread_read.h"
#include "sched/input/pod_order.h"
#include "text/quote.h"

#include <time.h>

static int64_t monotonic_ns(void *context) {
    (void)context;
    return clock_system_mono().ns;
}

static ErrCode read_default_spread(const PlanOptions *options, Loaded *loaded, const DefaultSpread **ret_spread,
                                   Err *err) {
    DefaultSpread *spread;

    if (!options->scheduler_config.text.len) {
        *ret_spread = NULL;
        return OK;
    }
    spread = arena_new(&loaded->arena, DefaultSpread);
    TRY(default_spread_read(&loaded->arena, &loaded->cluster.symbols, options->scheduler_config.file,
                            options->scheduler_config.text, spread, err));
    *ret_spread = spread;
    return OK;
}

static void make_input(const PlanOptions *options, Loaded *loaded, PlanInput *ret_input) {
    PoolTypes *types = arena_array(&loaded->arena, PoolTypes, loaded->pools.count);

    for (uint32_t i = 0; i < loaded->pools.count; i++)
        types[i] = (PoolTypes){loaded->pools.items[i].pool->meta.name, loaded->pools.items[i].types};
    ret_input->cluster = &loaded->cluster;
    ret_input->pools = loaded->pools;
    ret_input->nodes = node_views_make(&loaded->arena, &loaded->cluster, types, loaded->pools.count);
    ret_input->pending = pending_select(&loaded->arena, &loaded->cluster, &ret_input->nodes, options->now_ns);
    leave_out_foreign_pods(loaded, &ret_input->pending);
    pods_sort(&loaded->cluster.symbols, &ret_input->pending);
    note_dropped_preferences(loaded, &ret_input->pending);
    ret_input->preferences = options->preferences;
    ret_input->min_values = options->min_values;
    ret_input->search = (PlanSearch){.effort = options->effort,
                                     .strategies = options->strategies,
                                     .budget_ns = options->budget_ns,
                                     .now_ns = monotonic_ns};
}

static ErrCode print_report(const Report *report, Buffer *out, Err *err) {
    if (report->options->explain.len)
        return report_explain(report, report->options->explain, out, err);
    switch (report->options->format) {
    case OUTPUT_JSON:
        report_json(report, out);
        break;
    case OUTPUT_YAML:
        report_yaml(report, out);
        break;
    default:
        report_table(report, report->options->format == OUTPUT_WIDE, out);
    }
    return OK;
}

static void print_timings(const PlanTimings *timings, Buffer *messages) {
    const struct {
        const char *phase;
        int64_t ns;
    } phases[] = {{"prepare", timings->prepare},
                  {"place first-fit", timings->place[STRATEGY_FIRST_FIT]},
                  {"place emptiest-first", timings->place[STRATEGY_EMPTIEST_FIRST]},
                  {"place marginal-price", timings->place[STRATEGY_MARGINAL_PRICE]},
                  {"place patterns", timings->place[STRATEGY_PATTERNS]},
                  {"improve", timings->improve},
                  {"floor", timings->floor},
                  {"write", timings->write},
                  {"total", timings->total}};

    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        buffer_printf(messages, "timing: %-20s %10.3f ms\n", phases[i].phase, (double)phases[i].ns / 1e6);
}

// Up to this many pods the plan is also made in Karpenter's way: it takes a few milliseconds.
enum { COMPARED_PODS = 1000 };

static bool compares(const PlanOptions *options, uint32_t pods) {
    if (options->explain.len || options->format == OUTPUT_YAML)
        return false;
    return options->compare || (options->effort != EFFORT_FAST && !options->strategies && pods <= COMPARED_PODS);
}

// Plans in Karpenter's way as far as tenon knows it: each pod goes to the claim with the fewest pods, nothing is
// improved, and no preference is weighed.
static const Plan *imitate(Arena *arena, const PlanInput *input) {
    Plan *plan = arena_new(arena, Plan);
    PlanInput other = *input;

    other.search = (PlanSearch){
        .effort = EFFORT_FAST, .strategies = 1U << STRATEGY_EMPTIEST_FIRST, .one_attempt = true, .skip_floor = true};
    if (input->preferences == PREFERENCES_WEIGH)
        other.preferences = PREFERENCES_RESPECT;
    plan_solve(arena, &other, plan);
    return plan;
}

static ErrCode plan_loaded(const PlanOptions *options, Loaded *loaded, Buffer *out, Buffer *messages,
                           bool *ret_all_placed, Err *err) {
    PlanInput input = {0};
    Plan plan;
    Report report = {.arena = &loaded->arena, .options = options, .input = &input, .plan = &plan};

    TRY(read_default_spread(options, loaded, &input.default_spread, err));
    make_input(options, loaded, &input);
    plan_solve(&loaded->arena, &input, &plan);
    note_read_in_part(loaded, &plan);
    report.solve_milliseconds = options->omit_times ? 0 : (double)plan.timings.total / 1e6;
    report.pod_count = input.pending.count;
    report.price_source = loaded->price_source;
    if (compares(options, input.pending.count))
        report.imitation = imitate(&loaded->arena, &input);
    if (options->timings)
        print_timings(&plan.timings, messages);
    for (vec_each(LeftOutDaemon, left_out, &plan.daemons))
        vec_push(&loaded->arena, &loaded->warnings,
                 (Warning){.text = left_out_daemon_text(&loaded->arena, &loaded->cluster.symbols, left_out)});
    *ret_all_placed = plan.unplaced.count == 0 && loaded->cluster.set_aside == 0;
    return print_report(&report, out, err);
}

static ErrCode consolidate_loaded(const PlanOptions *options, Loaded *loaded, Buffer *out, Err *err) {
    Future future;

    if (options->format != OUTPUT_TABLE && options->format != OUTPUT_JSON)
        return err_set(err, ERR_INVALID, "--output: with --consolidate there are table and json");
    future_make(options, loaded, &future);
    if (options->explain_node.len)
        return consolidate_explain(options, loaded, &future, out, err);
    if (options->format == OUTPUT_JSON)
        consolidate_json(loaded, &future, out);
    else
        consolidate_table(loaded, &future, out);
    return OK;
}

int plan_run(const PlanOptions *options, Buffer *out, Buffer *messages) {
    Loaded loaded;
    Err err = {0};
    bool all_placed = false;
    ErrCode code = load_input(options, &loaded, &err);

    if (code == OK && options->consolidate) {
        code = consolidate_loaded(options, &loaded, out, &err);
        all_placed = true;
    } else if (code == OK)
        code = plan_loaded(options, &loaded, out, messages, &all_placed, &err);
    for (vec_each(Warning, warning, &loaded.warnings))
        buffer_printf(messages, "warning: %.*s\n", SLICE_ARG(printable(&loaded.arena, warning->text)));
    if (code != OK)
        buffer_printf(messages, "error: %s\n", err.text);
    loaded_free(&loaded);
    return code != OK ? EXIT_BAD_INPUT : all_placed ? EXIT_ALL_PLACED : EXIT_SOME_UNPLACED;
}
