// docs/metrics.md, the list of metrics for users.
#include "obs/exposition.h"

typedef struct {
    const char *title;
    MetricId from; // first metric of the group
} Group;

static const Group groups[] = {
    {"NodeClaims", METRIC_NODECLAIMS_CREATED},
    {"Nodes", METRIC_NODES_CREATED},
    {"NodePools", METRIC_NODEPOOLS_LIMIT},
    {"Pods", METRIC_PODS_STATE},
    {"Disruption", METRIC_DISRUPTION_DECISIONS},
    {"Cluster state, scheduling", METRIC_STATE_NODES},
    {"Cloud", METRIC_CLOUD_DURATION},
    {"Conditions", METRIC_NODECLAIM_CONDITION_COUNT},
    {"Conditions, deprecated names", METRIC_OLD_CONDITION_COUNT},
    {"The process", METRIC_BUILD_INFO},
};

static const char introduction[] =
    "# Metrics\n\n"
    "What `tenon run` shows at `/metrics` (port 8080), made by `tenon metrics --markdown` from the list that the "
    "program "
    "itself uses.\n\n"
    "Names, labels and buckets are Karpenter's, so dashboards and alerts made for it work unchanged; `tenon_…` are "
    "tenon's own.\n"
    "Metrics marked *not yet* are known by name, but nothing gives their values so far, and they are not exposed. "
    "Those marked *objects*\n"
    "have a series for each object that is there when the page is made. They come from the process that leads; one "
    "that waits for the lease\n"
    "has none of them, and `--disable-cluster-state-observability` leaves them out. Those marked *cloud* have a series "
    "for each\n"
    "instance type or offering of AWS that some EC2NodeClass can use, as it is when the page is made.\n\n"
    "A counter or histogram appears when it is first counted. Summaries are of the last ten minutes. A metric has at "
    "most 4096 series of\n"
    "what is counted; more are dropped, and `tenon_metrics_series_dropped_total` says so.\n\n"
    "`promtool check metrics` objects to nothing but names that Karpenter has chosen, gauges that end as other types "
    "should:\n";

// Whether promtool complains of the name: a gauge whose name ends like a counter's or a histogram's. Its other rules
// are satisfied (tests/unit/obs/test_metric_names.c).
static bool has_odd_name(const MetricInfo *info) {
    return info->type == METRIC_GAUGE &&
           (slice_ends_with(info->name, SLICE("_count")) || slice_ends_with(info->name, SLICE("_total")));
}

static void print_odd_names(Buffer *page) {
    bool any = false;

    for (uint32_t i = 0; i < METRIC_COUNT; i++) {
        MetricInfo info = metric_info((MetricId)i);

        if (has_odd_name(&info))
            buffer_printf(page, "%s`%.*s`", any ? ",\n" : "", SLICE_ARG(info.name));
        any |= has_odd_name(&info);
    }
    buffer_append(page, SLICE(".\n"));
}

static void print_buckets(const MetricInfo *info, Buffer *page) {
    buffer_append(page, SLICE(" Buckets:"));
    for (uint32_t i = 0; i < info->bucket_count; i++) {
        buffer_append_char(page, ' ');
        exposition_number(page, info->buckets[i]);
    }
    buffer_append_char(page, '.');
}

static void print_row(const MetricInfo *info, Buffer *page) {
    static const char *const sources[] = {"", "*objects* ", "*cloud* ", "*not yet* "};

    buffer_printf(page, "| `%.*s` | %s | ", SLICE_ARG(info->name), metric_type_text(info->type));
    for (uint32_t i = 0; i < info->label_count; i++)
        buffer_printf(page, "%s`%.*s`", i ? ", " : "", SLICE_ARG(info->labels[i]));
    buffer_printf(page, " | %s%.*s.", sources[info->source], SLICE_ARG(info->help));
    if (info->type == METRIC_HISTOGRAM)
        print_buckets(info, page);
    buffer_append(page, SLICE(" |\n"));
}

void metrics_print_markdown(Buffer *page) {
    size_t group = 0;

    buffer_append(page, SLICE(introduction));
    print_odd_names(page);
    for (uint32_t i = 0; i < METRIC_COUNT; i++) {
        MetricInfo info = metric_info((MetricId)i);

        if (group < sizeof groups / sizeof *groups && groups[group].from == i)
            buffer_printf(page, "\n## %s\n\n| metric | type | labels | what it says |\n|---|---|---|---|\n",
                          groups[group++].title);
        print_row(&info, page);
    }
}
