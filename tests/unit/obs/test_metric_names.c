// The rules that Prometheus has for metrics (client_golang's promlint, which promtool runs), over the whole list, also
// what is not exposed yet. What Karpenter has named otherwise is the only exception, and stands in docs/metrics.md.

#include "harness/test.h"
#include "obs/metrics.h"

// Gauges that Karpenter gave the ending of another type.
static const char *const odd_names[] = {
    "karpenter_nodepools_cost_total",
    "karpenter_cluster_state_node_count",
    "karpenter_scheduler_ignored_pods_count",
    "karpenter_scheduler_unschedulable_pods_count",
    "karpenter_scheduler_pending_pods_by_effective_zone_count",
    "operator_nodeclaim_status_condition_count",
    "operator_nodepool_status_condition_count",
    "operator_node_status_condition_count",
    "operator_ec2nodeclass_status_condition_count",
    "operator_kwoknodeclass_status_condition_count",
    "operator_status_condition_count",
};

static bool is_odd(Slice name) {
    for (size_t i = 0; i < sizeof odd_names / sizeof *odd_names; i++) {
        if (slice_eq_text(name, odd_names[i]))
            return true;
    }
    return false;
}

static bool is_word(Slice text, bool colons) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (!(c >= 'a' && c <= 'z') && c != '_' && !(c >= '0' && c <= '9' && i) && !(colons && c == ':'))
            return false;
    }
    return text.len > 0;
}

static bool ends(const MetricInfo *info, const char *end) {
    return slice_ends_with(info->name, slice_of(end));
}

static bool has_part(Slice name, const char *part) {
    while (name.len) {
        ptrdiff_t cut = slice_find(name, '_');

        if (slice_eq_text(cut < 0 ? name : slice_first(name, (size_t)cut), part))
            return true;
        name = cut < 0 ? (Slice){0} : slice_from(name, (size_t)cut + 1);
    }
    return false;
}

// The complaint of promlint, or NULL.
static const char *complaint(const MetricInfo *info) {
    static const char *const units[] = {"milliseconds", "ms",   "minutes",   "hours",     "days",
                                        "kilobytes",    "bits", "megabytes", "gigabytes", "fahrenheit"};
    static const char *const short_units[] = {"s", "us", "ns", "sec", "h", "m", "b", "kb", "mb", "gb"};
    bool has_parts = info->type == METRIC_HISTOGRAM || info->type == METRIC_SUMMARY;

    if (!info->help.len)
        return "no help text";
    if ((info->type == METRIC_COUNTER) != ends(info, "_total"))
        return "counters, and no others, end in _total";
    if (!has_parts && (ends(info, "_count") || ends(info, "_sum") || ends(info, "_bucket")))
        return "only histograms and summaries have such parts";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (has_part(info->name, units[i]))
            return "not a base unit";
    }
    for (size_t i = 0; i < sizeof short_units / sizeof *short_units; i++) {
        if (has_part(info->name, short_units[i]))
            return "a unit that is cut short";
    }
    if (has_part(info->name, metric_type_text(info->type)))
        return "a name with the type in it";
    return is_word(info->name, true) ? NULL : "letters that are not allowed, or capital ones";
}

TEST(names_keep_the_rules_but_for_karpenters_own) {
    size_t odd = 0;

    for (uint32_t i = 0; i < METRIC_COUNT; i++) {
        MetricInfo info = metric_info((MetricId)i);
        const char *text = complaint(&info);

        if (is_odd(info.name)) {
            assert_non_null(text); // else the list of exceptions is too long
            assert_int_equal(info.type, METRIC_GAUGE);
            odd++;
        } else if (text) {
            fail_msg("%.*s: %s", SLICE_ARG(info.name), text);
        }
    }
    assert_int_equal(odd, sizeof odd_names / sizeof *odd_names);
}

TEST(labels_are_valid_names_and_unique) {
    for (uint32_t i = 0; i < METRIC_COUNT; i++) {
        MetricInfo info = metric_info((MetricId)i);

        for (uint32_t label = 0; label < info.label_count; label++) {
            assert_true(is_word(info.labels[label], false));
            assert_false(slice_eq_text(info.labels[label], "le") || slice_eq_text(info.labels[label], "quantile"));
            for (uint32_t other = 0; other < label; other++)
                assert_false(slice_eq(info.labels[other], info.labels[label]));
        }
    }
}

TEST(no_name_stands_twice) {
    for (uint32_t i = 0; i < METRIC_COUNT; i++) {
        for (uint32_t other = 0; other < i; other++)
            assert_false(slice_eq(metric_info((MetricId)i).name, metric_info((MetricId)other).name));
    }
}
