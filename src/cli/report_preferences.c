// Preferred rules that were weighed (--preference-policy Weigh): which pods keep them, and their prices.
#include "cli/report.h"

#include "sched/weighed_text.h"
#include "text/quote.h"

#include <math.h>

#define PUT(report, map, key, value) value_put((report)->arena, (map), SLICE(key), (value))

// ": 34% dearer"; empty: not measured.
static Slice cost_text(const Report *report, double percent) {
    Slice text = weighed_cost_text(report->arena, percent);

    return text.len ? arena_printf(report->arena, ": %.*s", SLICE_ARG(text)) : text;
}

// "node affinity: zone In [a] (weight 20)", safe to show.
static Slice rule_text(const Report *report, const WeighedRule *rule) {
    return arena_printf(report->arena, "%.*s (weight %d)", SLICE_ARG(printable(report->arena, rule->text)),
                        (int)rule->weight);
}

// --- all pods

static bool leaves_out(const WeighedPods *weighed) {
    for (vec_each(const WeighedRule, rule, &weighed->rules)) {
        if (rule->left_out)
            return true;
    }
    return false;
}

static void print_rule(const Report *report, const WeighedRule *rule, Buffer *out) {
    Slice share = {0};

    if (rule->kept && rule->left_out)
        share = arena_printf(report->arena, " by %u of %u", rule->left_out, rule->kept + rule->left_out);
    report_wrapped(out, "    ",
                   arena_printf(report->arena, "%s%.*s: preferred %.*s%.*s", rule->left_out ? "left out" : "kept",
                                SLICE_ARG(share), SLICE_ARG(rule_text(report, rule)),
                                SLICE_ARG(cost_text(report, rule->dearer_percent))));
}

static void print_pods(const Report *report, const WeighedPods *weighed, bool all, Buffer *out) {
    Slice more = {0};

    if (weighed->pods.count > 1)
        more = arena_printf(report->arena, " and %u more like it", weighed->pods.count - 1);
    report_wrapped(out, "  ",
                   arena_printf(report->arena, "%.*s%.*s, $%.4f/hour each without preferences:",
                                SLICE_ARG(printable(report->arena, report_pod(report, weighed->pods.items[0]))),
                                SLICE_ARG(more), weighed->rate));
    for (vec_each(const WeighedRule, rule, &weighed->rules)) {
        if (all || rule->left_out)
            print_rule(report, rule, out);
    }
}

void report_preferences_table(const Report *report, bool wide, Buffer *out) {
    bool any = false;

    for (vec_each(const WeighedPods, weighed, &report->plan->weighed)) {
        if (!wide && !leaves_out(weighed))
            continue;
        if (!any)
            buffer_printf(out, "%sPreferred rules%s:\n", out->len ? "\n" : "", wide ? "" : " left out");
        any = true;
        print_pods(report, weighed, wide, out);
    }
}

static Value percent_value(const Report *report, double percent) {
    return isfinite(percent) ? value_real(report->arena, percent) : value_null();
}

static Value rule_map(const Report *report, const WeighedRule *rule) {
    Value map = value_map();

    PUT(report, &map, "rule", value_string(rule->text));
    PUT(report, &map, "weight", value_int(report->arena, rule->weight));
    return map;
}

static void put_cost(const Report *report, Value *map, bool possible, double percent) {
    PUT(report, map, "possible", value_bool(possible));
    PUT(report, map, "dearerPercent", percent_value(report, percent));
}

static Value rule_value(const Report *report, const WeighedRule *rule) {
    Value map = rule_map(report, rule);

    PUT(report, &map, "kept", value_int(report->arena, rule->kept));
    PUT(report, &map, "leftOut", value_int(report->arena, rule->left_out));
    put_cost(report, &map, !isinf(rule->dearer_percent), rule->dearer_percent);
    return map;
}

Value report_preferences(const Report *report) {
    Value list = value_list();

    for (vec_each(const WeighedPods, weighed, &report->plan->weighed)) {
        Value map = value_map(), rules = value_list();

        for (vec_each(const WeighedRule, rule, &weighed->rules))
            value_append(report->arena, &rules, rule_value(report, rule));
        PUT(report, &map, "pod", value_string(report_pod(report, weighed->pods.items[0])));
        PUT(report, &map, "pods", value_int(report->arena, weighed->pods.count));
        PUT(report, &map, "ratePerHour", value_real(report->arena, weighed->rate));
        PUT(report, &map, "rules", rules);
        value_append(report->arena, &list, map);
    }
    return list;
}

// --- one pod

// The group of a pod; NULL: it has no preferred rules or no place. `ret_kept`: the bits of the rules that it keeps.
static const WeighedPods *find_pod(const Report *report, uint32_t pod, uint32_t *ret_kept) {
    for (vec_each(const WeighedPods, weighed, &report->plan->weighed)) {
        for (uint32_t i = 0; i < weighed->pods.count; i++) {
            if (weighed->pods.items[i] != pod)
                continue;
            *ret_kept = weighed->kept.items[i];
            return weighed;
        }
    }
    return NULL;
}

void report_explain_preferences(const Report *report, uint32_t pod, Buffer *out) {
    uint32_t kept = 0;
    const WeighedPods *weighed = find_pod(report, pod, &kept);

    for (uint32_t i = 0; weighed && i < weighed->rules.count; i++) {
        const WeighedRule *rule = &weighed->rules.items[i];
        bool keeps = kept & rule->bit;

        report_wrapped(out, "  ",
                       arena_printf(report->arena, "preferred %.*s %s%.*s", SLICE_ARG(rule_text(report, rule)),
                                    keeps ? "kept" : "left out",
                                    SLICE_ARG(cost_text(report, weighed_cost(rule, keeps)))));
    }
}

Value report_pod_preferences(const Report *report, uint32_t pod) {
    Value list = value_list();
    uint32_t kept = 0;
    const WeighedPods *weighed = find_pod(report, pod, &kept);

    for (uint32_t i = 0; weighed && i < weighed->rules.count; i++) {
        const WeighedRule *rule = &weighed->rules.items[i];
        bool keeps = kept & rule->bit;
        Value map = rule_map(report, rule);

        PUT(report, &map, "kept", value_bool(keeps));
        put_cost(report, &map, keeps || !isinf(rule->dearer_percent), weighed_cost(rule, keeps));
        value_append(report->arena, &list, map);
    }
    return list;
}
