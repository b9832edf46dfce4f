// The report of a run as JSON; docs/scenarios.md describes it.
#include "cli/sim/sim_parts.h"

#include "text/duration.h"
#include "text/json.h"

#include <inttypes.h>
#include <math.h>

static void put(Arena *arena, Value *map, const char *key, Value value) {
    value_put(arena, map, slice_of(key), value);
}

static Value count(Arena *arena, uint64_t number) {
    return value_int(arena, (int64_t)number);
}

static Value seconds(Arena *arena, int64_t ns) {
    return value_real(arena, ns_to_s(ns));
}

static Value dollars(Arena *arena, int64_t nano_dollars) {
    return value_real(arena, (double)nano_dollars / 1e9);
}

static Value real_or_null(Arena *arena, double number) {
    return isnan(number) ? value_null() : value_real(arena, number);
}

static Value waiting(Arena *arena, const Waiting *waiting) {
    Value map = value_map();

    put(arena, &map, "count", count(arena, waiting->count));
    put(arena, &map, "p50", seconds(arena, waiting->p50_ns));
    put(arena, &map, "p90", seconds(arena, waiting->p90_ns));
    put(arena, &map, "p99", seconds(arena, waiting->p99_ns));
    put(arena, &map, "max", seconds(arena, waiting->max_ns));
    return map;
}

static Value entries(Arena *arena, const RunReport *report) {
    static const char *const types[] = {"note", "step", "fault", "met", "failed", "refused"};
    Value list = value_list();

    for (vec_each(const RunEntry, entry, &report->entries)) {
        Value map = value_map();

        put(arena, &map, "seconds", seconds(arena, entry->at_ns));
        put(arena, &map, "type", value_string(slice_of(types[entry->type])));
        put(arena, &map, "line", count(arena, entry->line));
        put(arena, &map, "text", value_string(entry->text));
        value_append(arena, &list, map);
    }
    return list;
}

static Value moments(Arena *arena, const RunReport *report) {
    Value list = value_list();

    for (vec_each(const RunMoment, moment, &report->moments)) {
        Value map = value_map();

        put(arena, &map, "seconds", seconds(arena, moment->at_ns));
        put(arena, &map, "pods", count(arena, moment->population.pods));
        put(arena, &map, "pending", count(arena, moment->population.pending));
        put(arena, &map, "running", count(arena, moment->population.running));
        put(arena, &map, "nodes", count(arena, moment->population.nodes));
        put(arena, &map, "ready", count(arena, moment->population.ready));
        put(arena, &map, "pricePerHour", value_real(arena, moment->price_per_hour));
        put(arena, &map, "floorPerHour", real_or_null(arena, moment->floor_per_hour));
        value_append(arena, &list, map);
    }
    return list;
}

static Value pods(Arena *arena, const RunReport *report) {
    Value map = value_map();

    put(arena, &map, "created", count(arena, report->counts.pods_created));
    put(arena, &map, "bound", count(arena, report->counts.pods_bound));
    put(arena, &map, "finished", count(arena, report->counts.pods_finished));
    put(arena, &map, "disrupted", count(arena, report->counts.pods_disrupted));
    put(arena, &map, "most", count(arena, report->counts.pods_most));
    put(arena, &map, "secondsToBind", waiting(arena, &report->to_bind));
    put(arena, &map, "secondsToRun", waiting(arena, &report->to_run));
    return map;
}

static Value nodes(Arena *arena, const RunReport *report) {
    Value map = value_map();

    put(arena, &map, "claims", count(arena, report->counts.claims_created));
    put(arena, &map, "joined", count(arena, report->counts.nodes_joined));
    put(arena, &map, "gone", count(arena, report->counts.nodes_gone));
    put(arena, &map, "most", count(arena, report->counts.nodes_most));
    put(arena, &map, "hours", value_real(arena, (double)report->counts.node_ns / 3.6e12));
    return map;
}

static Value money(Arena *arena, const RunReport *report) {
    Value map = value_map();

    put(arena, &map, "dollars", dollars(arena, report->bill.nano_dollars));
    put(arena, &map, "onDemand", dollars(arena, report->bill.by_type[SIM_ON_DEMAND].nano_dollars));
    put(arena, &map, "spot", dollars(arena, report->bill.by_type[SIM_SPOT].nano_dollars));
    put(arena, &map, "reserved", dollars(arena, report->bill.by_type[SIM_RESERVED].nano_dollars));
    put(arena, &map, "floor", real_or_null(arena, report->floor_dollars));
    put(arena, &map, "spotInterruptions", count(arena, report->bill.by_type[SIM_SPOT].interrupted));
    return map;
}

static Value calls(Arena *arena, const RunReport *report) {
    Value map = value_map();

    put(arena, &map, "kubernetes", count(arena, report->process.calls));
    put(arena, &map, "kubernetesFailed", count(arena, report->process.failed_calls));
    for (SimApi api = 0; api < SIM_API_COUNT; api++)
        put(arena, &map, sim_api_text(api), count(arena, report->api_calls[api]));
    put(arena, &map, "solves", count(arena, report->process.engine.solves));
    put(arena, &map, "kills", count(arena, report->process.kills));
    return map;
}

static Value violations(Arena *arena, const RunReport *report) {
    Value list = value_list();

    for (vec_each(const Violation, violation, report->violations)) {
        Value map = value_map();

        put(arena, &map, "rule", value_string(slice_of(audit_rule_name(violation->rule))));
        put(arena, &map, "at", value_string(time_print(arena, violation->at_ns)));
        put(arena, &map, "text", value_string(violation->text));
        value_append(arena, &list, map);
    }
    return list;
}

static Value journal(Arena *arena, const RunReport *report) {
    Value map = value_map();

    put(arena, &map, "lines", count(arena, report->journal_lines));
    put(arena, &map, "hash", value_string(arena_printf(arena, "%016" PRIx64, report->journal_hash)));
    return map;
}

void sim_report_json(Arena *arena, const RunReport *report, Buffer *out) {
    Value map = value_map();

    put(arena, &map, "scenario", value_string(report->scenario->name));
    put(arena, &map, "file", value_string(report->scenario->file));
    put(arena, &map, "seed", count(arena, report->seed));
    put(arena, &map, "seconds", seconds(arena, report->duration_ns));
    put(arena, &map, "green", value_bool(run_is_green(report)));
    put(arena, &map, "expectations", count(arena, report->expectations));
    put(arena, &map, "failed", count(arena, report->failed));
    put(arena, &map, "pods", pods(arena, report));
    put(arena, &map, "nodes", nodes(arena, report));
    put(arena, &map, "money", money(arena, report));
    put(arena, &map, "calls", calls(arena, report));
    put(arena, &map, "violations", violations(arena, report));
    put(arena, &map, "journal", journal(arena, report));
    put(arena, &map, "timeline", entries(arena, report));
    put(arena, &map, "moments", moments(arena, report));
    json_print(out, &map, true);
    buffer_append_char(out, '\n');
}
