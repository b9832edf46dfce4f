// The report of a run as text: timeline, values over time, and sums. At most 100 columns.
#include "cli/sim/sim_parts.h"

#include "legacy/present/carry.h"
#include "text/duration.h"

#include <inttypes.h>
#include <math.h>

enum { WIDTH = 100, ROWS_MOST = 24 };

// Formats "1:02:03", with days in front if there are any.
static Slice clock_text(Arena *arena, int64_t ns) {
    int64_t s = ns / NS_PER_S;

    if (s >= 86400)
        return arena_printf(arena, "%" PRId64 "d %02d:%02d:%02d", s / 86400, (int)(s / 3600 % 24), (int)(s / 60 % 60),
                            (int)(s % 60));
    return arena_printf(arena, "%02d:%02d:%02d", (int)(s / 3600), (int)(s / 60 % 60), (int)(s % 60));
}

// Cuts a text, mostly ASCII, to `width` columns, not inside a UTF-8 character.
static Slice fitted(Arena *arena, Slice text, size_t width) {
    size_t kept = width - 1;

    if (text.len <= width)
        return text;
    while (kept && ((unsigned char)text.ptr[kept] & 0xc0) == 0x80)
        kept--;
    return arena_printf(arena, "%.*s…", (int)kept, text.ptr);
}

// --- the timeline

const char *sim_entry_mark(RunEntryType type) {
    switch (type) {
    case RUN_FAULT:
        return "fault";
    case RUN_EXPECTATION_MET:
        return "as expected";
    case RUN_EXPECTATION_FAILED:
        return "NOT AS EXPECTED";
    case RUN_REFUSED:
        return "REFUSED";
    default:
        return "";
    }
}

static void print_timeline(Arena *arena, const RunReport *report, Buffer *out) {
    for (vec_each(const RunEntry, entry, &report->entries)) {
        const char *mark = sim_entry_mark(entry->type);
        bool whole = entry->type == RUN_EXPECTATION_FAILED || entry->type == RUN_REFUSED; // never truncated
        Slice text = arena_printf(arena, "%s%s%.*s", mark, *mark ? ": " : "", SLICE_ARG(entry->text));

        if (whole && entry->line)
            text =
                arena_printf(arena, "%.*s (%.*s:%u)", SLICE_ARG(text), SLICE_ARG(report->scenario->file), entry->line);
        buffer_printf(out, "  %12.*s  %.*s\n", SLICE_ARG(clock_text(arena, entry->at_ns)),
                      SLICE_ARG(whole ? text : fitted(arena, text, WIDTH - 16)));
    }
}

// --- values over time

// Prints every n-th of many moments, and the last one.
static void print_moments(Arena *arena, const RunReport *report, Buffer *out) {
    uint32_t count = report->moments.count, stride = (count + ROWS_MOST - 1) / ROWS_MOST;

    if (!count)
        return;
    buffer_printf(out, "\n  %12s  %8s %8s %7s %7s  %10s %10s\n", "TIME", "PODS", "PENDING", "NODES", "READY", "$/HOUR",
                  "FLOOR");
    for (uint32_t i = (count - 1) % stride; i < count; i += stride) {
        const RunMoment *moment = &report->moments.items[i];
        Slice floor = isnan(moment->floor_per_hour) ? SLICE("-") : arena_printf(arena, "%.3f", moment->floor_per_hour);

        buffer_printf(out, "  %12.*s  %8u %8u %7u %7u  %10.3f %10.*s\n", SLICE_ARG(clock_text(arena, moment->at_ns)),
                      moment->population.pods, moment->population.pending, moment->population.nodes,
                      moment->population.ready, moment->price_per_hour, SLICE_ARG(floor));
    }
}

// --- sums

static double seconds(int64_t ns) {
    return ns_to_s(ns);
}

static void print_pods(const RunReport *report, Buffer *out) {
    const RunCounts *counts = &report->counts;

    buffer_printf(out,
                  "\n  %-12s %" PRIu64 " created, %" PRIu64 " got a node, %" PRIu64 " finished, at most %u at a time\n",
                  "pods", counts->pods_created, counts->pods_bound, counts->pods_finished, counts->pods_most);
    buffer_printf(out, "  %-12s for a node p50 %.1f s, p99 %.1f s, max %.1f s; until running p50 %.1f s, p99 %.1f s\n",
                  "waiting", seconds(report->to_bind.p50_ns), seconds(report->to_bind.p99_ns),
                  seconds(report->to_bind.max_ns), seconds(report->to_run.p50_ns), seconds(report->to_run.p99_ns));
    buffer_printf(out, "  %-12s %" PRIu64 " pods ended with their node; %" PRIu64 " spot interruptions\n",
                  "disruptions", counts->pods_disrupted, report->bill.by_type[SIM_SPOT].interrupted);
}

static void print_money(const RunReport *report, Buffer *out) {
    const RunCounts *counts = &report->counts;
    double dollars = (double)report->bill.nano_dollars / 1e9, floor = report->floor_dollars;

    buffer_printf(out,
                  "  %-12s %" PRIu64 " NodeClaims, %" PRIu64 " joined, %" PRIu64 " gone, at most %u; %.1f node-hours\n",
                  "nodes", counts->claims_created, counts->nodes_joined, counts->nodes_gone, counts->nodes_most,
                  seconds(counts->node_ns) / 3600);
    buffer_printf(out, "  %-12s $%.2f (on-demand $%.2f, spot $%.2f", "money", dollars,
                  (double)report->bill.by_type[SIM_ON_DEMAND].nano_dollars / 1e9,
                  (double)report->bill.by_type[SIM_SPOT].nano_dollars / 1e9);
    if (report->bill.by_type[SIM_RESERVED].nano_dollars)
        buffer_printf(out, ", reserved $%.2f", (double)report->bill.by_type[SIM_RESERVED].nano_dollars / 1e9);
    buffer_printf(out, ")");
    if (!isnan(floor) && floor > 0)
        buffer_printf(out, "; floor $%.2f, %.2f times that", floor, dollars / floor);
    buffer_printf(out, "\n");
}

static void print_calls(const RunReport *report, Buffer *out) {
    const EngineCounts *engine = &report->process.engine;

    buffer_printf(out, "  %-12s", "cloud calls");
    for (SimApi api = 0; api < SIM_API_COUNT; api++)
        buffer_printf(out, "%s %" PRIu64 " %s", api ? "," : "", report->api_calls[api], sim_api_text(api));
    buffer_printf(out, "\n  %-12s %" PRIu64 " to the API server (%" PRIu64 " failed); %" PRIu64 " plans\n",
                  "tenon's calls", report->process.calls, report->process.failed_calls, engine->solves);
    if (report->process.kills)
        buffer_printf(out, "  %-12s %" PRIu64 " times, and started again\n", "killed", report->process.kills);
}

static void print_promises(const RunReport *report, Buffer *out) {
    if (!report->violation_count) {
        buffer_printf(out, "  %-12s %d rules kept in %" PRIu64 " rounds\n", "promises", AUDIT_RULE_COUNT,
                      report->world.rounds);
        return;
    }
    buffer_printf(out, "  %-12s BROKEN %" PRIu64 " times:\n", "promises", report->violation_count);
    for (vec_each(const Violation, violation, report->violations))
        buffer_printf(out, "    %s: %.*s\n", audit_rule_name(violation->rule), SLICE_ARG(violation->text));
}

// Prints what a user should know of every run.
static void print_assumed(Buffer *out) {
    buffer_printf(out, "  %-12s spot prices as the built-in catalogue estimates them\n", "assumed");
}

static void print_outcome(const RunReport *report, Buffer *out) {
    if (report->duration_ns < report->whole_ns)
        buffer_printf(out, "  ended by hand: of %u expectations so far %u failed, %u are undecided\n",
                      report->expectations, report->failed, report->undecided);
    else if (run_is_green(report))
        buffer_printf(out, "  green: %u of %u expectations met\n", report->expectations, report->expectations);
    else
        buffer_printf(out, "  RED: %u of %u expectations failed, %" PRIu64 " promises broken\n", report->failed,
                      report->expectations, report->violation_count);
}

void sim_report_table(Arena *arena, const RunReport *report, int64_t real_ns, Buffer *out) {
    const Scenario *scenario = report->scenario;

    buffer_printf(out, "%.*s%s%.*s\n", SLICE_ARG(scenario->name), scenario->description.len ? ": " : "",
                  SLICE_ARG(scenario->description));
    print_timeline(arena, report, out);
    print_moments(arena, report, out);
    print_pods(report, out);
    print_money(report, out);
    print_calls(report, out);
    print_promises(report, out);
    print_assumed(out);
    buffer_printf(out, "  %-12s %" PRIu64 " lines, hash %016" PRIx64 ", seed %" PRIu64 "\n", "journal",
                  report->journal_lines, report->journal_hash, report->seed);
    buffer_printf(out, "  %-12s %.*s of the cluster's life in %.1f s\n", "time",
                  SLICE_ARG(clock_text(arena, report->duration_ns)), seconds(real_ns));
    print_outcome(report, out);
}

void sim_report_line(const RunReport *report, int64_t real_ns, Buffer *out) {
    buffer_printf(out, "%-5s %-40.*s %3u expectations, %5" PRIu64 " pods, %4" PRIu64 " nodes, %6.2f s\n",
                  run_is_green(report) ? "green" : "RED", SLICE_ARG(report->scenario->name), report->expectations,
                  report->counts.pods_created, report->counts.nodes_joined, seconds(real_ns));
}

void sim_print_log(void *context, int64_t now_ns, const LogIntent *line) {
    static const char *const levels[] = {"DEBUG", "INFO", "WARN", "ERROR"};
    Arena arena = {0};
    Buffer text = {0};
    const char *message = line->message;
    const Slice *pairs = line->pairs;

    (void)context;
    carry_line(&arena, &message, &pairs, line->pair_count);
    buffer_printf(&text, "%.*s %-5s %s", SLICE_ARG(time_print(&arena, now_ns)), levels[line->level], message);
    for (uint32_t i = 0; i + 1 < line->pair_count; i += 2) {
        if (!slice_eq_text(pairs[i], "reconcileID")) // only useful to programs
            buffer_printf(&text, " %.*s=%.*s", SLICE_ARG(pairs[i]), SLICE_ARG(pairs[i + 1]));
    }
    fprintf(stderr, "%.*s\n", SLICE_ARG(buffer_slice(&text)));
    buffer_free(&text);
    arena_free(&arena);
}
