// The plan as a table of at most 100 columns: a line per kind of node, unplaced pods, and the total.
#include "cli/report.h"

#include "text/quote.h"

#include <math.h>

enum { NAME_WIDTH = 70 };

// "3 pods", "1 pod".
static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

// Cuts a text to `width` columns, not inside a UTF-8 character; "…" marks the cut.
static Slice fitted(const Report *report, Slice text, size_t width) {
    size_t kept = width - 1;

    if (text.len <= width)
        return text;
    while (kept && ((unsigned char)text.ptr[kept] & 0xc0) == 0x80)
        kept--;
    return arena_printf(report->arena, "%.*s…", (int)kept, text.ptr);
}

static Slice shown_pod(const Report *report, uint32_t pod) {
    return printable(report->arena, report_pod(report, pod));
}

static uint32_t percent(int64_t part, int64_t whole) {
    return whole > 0 ? (uint32_t)((double)part * 100 / (double)whole + 0.5) : 0;
}

// Claims that are equal in the table: one line with a count; pods and price are sums.
typedef struct {
    const PlannedClaim *claim;
    uint32_t count, pods_each, cpu_percent, memory_percent;
} Line;
typedef Vec(Line) LineVec;

static Line line_of(const Report *report, const PlannedClaim *claim) {
    Resources room =
        instance_type_allocatable(report->arena, &report->input->cluster->symbols, claim->choice, claim->offering);

    return (Line){
        .claim = claim,
        .count = 1,
        .pods_each = claim->pods.count,
        .cpu_percent = percent(resources_get(&claim->requests, NAME_CPU), resources_get(&room, NAME_CPU)),
        .memory_percent = percent(resources_get(&claim->requests, NAME_MEMORY), resources_get(&room, NAME_MEMORY)),
    };
}

static bool lines_alike(const Line *a, const Line *b) {
    return a->claim->pool == b->claim->pool && a->claim->choice == b->claim->choice &&
           a->claim->offering->zone == b->claim->offering->zone &&
           a->claim->offering->capacity_type == b->claim->offering->capacity_type && a->pods_each == b->pods_each &&
           a->cpu_percent == b->cpu_percent && a->memory_percent == b->memory_percent;
}

static LineVec collect_lines(const Report *report, bool wide) {
    LineVec lines = {0};

    for (vec_each(PlannedClaim, claim, &report->plan->claims)) {
        Line line = line_of(report, claim);
        bool known = false;

        for (uint32_t i = 0; i < lines.count && !wide && !known; i++) {
            known = lines_alike(&lines.items[i], &line);
            lines.items[i].count += known;
        }
        if (!known)
            vec_push(report->arena, &lines, line);
    }
    return lines;
}

// Formats a price in nine columns: fewer decimals for a large amount, "~" for an estimate.
static Slice price_text(const Report *report, double price, bool estimated) {
    double limit = estimated ? 0.1 : 1; // "~" takes a column

    return arena_printf(report->arena, "%s%.*f", estimated ? "~" : "",
                        price < 9999.99995 * limit   ? 4
                        : price < 999999.995 * limit ? 2
                                                     : 0,
                        price);
}

static void print_claims(const Report *report, bool wide, Buffer *out) {
    LineVec lines = collect_lines(report, wide);

    if (!lines.count)
        return;
    buffer_printf(out, "%5s  %-18s %-20s %-16s %-10s %5s %4s %4s %9s\n", wide ? "NODE" : "NODES", "NODEPOOL", "TYPE",
                  "ZONE", "CAPACITY", "PODS", "CPU", "MEM", "$/HOUR");
    for (vec_each(Line, line, &lines)) {
        const PlannedClaim *claim = line->claim;
        Slice pool = fitted(report, report_shown(report, claim->pool->meta.name), 18);
        Slice type = fitted(report, report_shown(report, claim->choice->name), 20);
        Slice zone = fitted(report, report_shown(report, claim->offering->zone), 16);
        Slice price =
            price_text(report, claim->offering->price_per_hour * line->count, claim->offering->price_estimated);

        buffer_printf(out, "%5u  %-18.*s %-20.*s %-16.*s %-10.*s %5u %3u%% %3u%% %9.*s\n", line->count, SLICE_ARG(pool),
                      SLICE_ARG(type), SLICE_ARG(zone), SLICE_ARG(report_shown(report, claim->offering->capacity_type)),
                      line->pods_each * line->count, line->cpu_percent, line->memory_percent, SLICE_ARG(price));
    }
}

static void print_pods_of(const Report *report, const U32Vec *pods, Buffer *out) {
    for (vec_each(uint32_t, pod, pods))
        buffer_printf(out, "  %.*s\n", SLICE_ARG(fitted(report, shown_pod(report, *pod), REPORT_WIDTH - 2)));
}

// Prints, in the wide table, a claim's pods and the number of types that its launch may choose from.
static void print_pods(const Report *report, Buffer *out) {
    for (vec_each(PlannedClaim, claim, &report->plan->claims)) {
        buffer_printf(out, "\n%.*s: any of %u instance type%s\n",
                      SLICE_ARG(fitted(report, printable(report->arena, claim->name), NAME_WIDTH)), claim->types.count,
                      plural(claim->types.count));
        print_pods_of(report, &claim->pods, out);
    }
    for (vec_each(PlannedNode, node, &report->plan->nodes)) {
        buffer_printf(out, "\n%.*s (exists)\n",
                      SLICE_ARG(fitted(report, report_shown(report, node->node->name), NAME_WIDTH)));
        print_pods_of(report, &node->pods, out);
    }
}

static uint32_t print_existing(const Report *report, Buffer *out) {
    uint32_t pods = 0;

    for (vec_each(PlannedNode, node, &report->plan->nodes))
        pods += node->pods.count;
    if (pods)
        buffer_printf(out, "%u pod%s go%s to %u node%s that exist%s already.\n", pods, plural(pods),
                      pods == 1 ? "es" : "", report->plan->nodes.count, plural(report->plan->nodes.count),
                      report->plan->nodes.count == 1 ? "s" : "");
    return pods;
}

static void print_reasons(const Report *report, const UnplacedPod *unplaced, Buffer *out) {
    if (!unplaced->reasons.count)
        report_wrapped(out, "      ", printable(report->arena, unplaced->message));
    for (vec_each(Reason, reason, &unplaced->reasons)) {
        Slice line = arena_printf(report->arena, "nodepool %.*s: %s: %.*s",
                                  SLICE_ARG(report_shown(report, reason->pool)), check_text(reason->check),
                                  SLICE_ARG(reason->nearest_miss.len ? reason->nearest_miss : reason->text));

        report_wrapped(out, "      ", printable(report->arena, line));
    }
}

// Prints unplaced pods; those of one class share their reasons.
static void print_unplaced(const Report *report, Buffer *out) {
    const UnplacedPodVec *unplaced = &report->plan->unplaced;

    if (!unplaced->count)
        return;
    buffer_printf(out, "%s%u pod%s found no place:\n", out->len ? "\n" : "", unplaced->count, plural(unplaced->count));
    for (uint32_t i = 0; i < unplaced->count;) {
        uint32_t same = i + 1;

        while (same < unplaced->count && slice_eq(unplaced->items[same].message, unplaced->items[i].message))
            same++;
        buffer_printf(out, "  %.*s", SLICE_ARG(fitted(report, shown_pod(report, unplaced->items[i].pod), NAME_WIDTH)));
        if (same > i + 1)
            buffer_printf(out, " and %u more like it", same - i - 1);
        buffer_append_char(out, '\n');
        print_reasons(report, &unplaced->items[i], out);
        i = same;
    }
}

static void print_total(const Report *report, uint32_t pods, Buffer *out) {
    const Plan *plan = report->plan;
    const char *about = report_is_estimated(plan) ? "~" : "";

    buffer_printf(out, "%sTotal: %u new node%s for %u pod%s, %s$%.4f/hour (%s$%.2f/month of 730 hours).\n",
                  out->len ? "\n" : "", plan->claims.count, plural(plan->claims.count), pods, plural(pods), about,
                  plan->price_per_hour, about, plan->price_per_hour * 730);
    if (!isnan(plan->floor_per_hour) && plan->claims.count)
        buffer_printf(out, "No plan for these pods costs less than %s$%.4f/hour: this one is at most %.1f%% above.\n",
                      about, plan->floor_per_hour, report_gap_percent(plan));
}

// Prints the price of Karpenter's way of planning; the line says that it is tenon's imitation, not a measurement.
static void print_imitation(const Report *report, Buffer *out) {
    const Plan *imitation = report->imitation;
    double more = imitation ? imitation->price_per_hour / report->plan->price_per_hour - 1 : 0;

    if (!imitation || !report->plan->claims.count)
        return;
    buffer_printf(out, "In Karpenter's manner (emptiest-first, tenon's imitation of it): %s$%.4f/hour",
                  report_is_estimated(imitation) ? "~" : "", imitation->price_per_hour);
    if (imitation->unplaced.count > report->plan->unplaced.count)
        buffer_printf(out, " for %u pods less", imitation->unplaced.count - report->plan->unplaced.count);
    else if (report->plan->price_per_hour > 0)
        buffer_printf(out, ", %.1f%% %s", fabs(more) * 100, more < 0 ? "less" : "more");
    buffer_printf(out, ".\n");
}

void report_table(const Report *report, bool wide, Buffer *out) {
    const Plan *plan = report->plan;
    uint32_t on_existing;

    print_claims(report, wide, out);
    if (wide)
        print_pods(report, out);
    on_existing = print_existing(report, out);
    report_preferences_table(report, wide, out);
    print_unplaced(report, out);
    print_total(report, report->pod_count - plan->unplaced.count - on_existing, out);
    print_imitation(report, out);
    if (report_is_estimated(plan))
        buffer_printf(out,
                      "~ is an estimate: spot prices, and types too new for the price lists. docs/plan.md says how.\n");
}
