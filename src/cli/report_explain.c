// --explain POD: where it goes, or each NodePool's answer in full.
#include "cli/report.h"

static Slice text_of(const Report *report, Symbol symbol) {
    return symbol_text(&report->input->cluster->symbols, symbol);
}

// By "ns/name", or by a name that stands alone.
static bool is_asked(const Report *report, uint32_t pod, Slice asked) {
    Slice name = report_pod(report, pod);

    return slice_eq(name, asked) || (slice_find(asked, '/') < 0 &&
                                     slice_ends_with(name, arena_printf(report->arena, "/%.*s", SLICE_ARG(asked))));
}

static bool holds(const U32Vec *pods, uint32_t pod) {
    for (vec_each(uint32_t, member, pods)) {
        if (*member == pod)
            return true;
    }
    return false;
}

static void explain_claim(const Report *report, const PlannedClaim *claim, Buffer *out) {
    buffer_printf(out, "  goes to new node %.*s of nodepool %.*s, with %u other pod%s\n", SLICE_ARG(claim->name),
                  SLICE_ARG(text_of(report, claim->pool->meta.name)), claim->pods.count - 1,
                  claim->pods.count == 2 ? "" : "s");
    buffer_printf(out, "  expected: %.*s in %.*s, %.*s, $%.4f/hour; any of %u types may be launched\n",
                  SLICE_ARG(text_of(report, claim->choice->name)), SLICE_ARG(text_of(report, claim->offering->zone)),
                  SLICE_ARG(text_of(report, claim->offering->capacity_type)), claim->offering->price_per_hour,
                  claim->types.count);
}

static void explain_unplaced(const Report *report, const UnplacedPod *unplaced, Buffer *out) {
    buffer_printf(out, "  finds no place\n");
    if (!unplaced->reasons.count)
        buffer_printf(out, "  %.*s\n", SLICE_ARG(unplaced->message));
    for (vec_each(Reason, reason, &unplaced->reasons)) {
        buffer_printf(out, "  nodepool %.*s: %s\n    %.*s\n", SLICE_ARG(text_of(report, reason->pool)),
                      check_text(reason->check), SLICE_ARG(reason->text));
        if (reason->nearest_miss.len)
            buffer_printf(out, "    nearest miss: %.*s\n", SLICE_ARG(reason->nearest_miss));
    }
}

static void explain_pod(const Report *report, uint32_t pod, Buffer *out) {
    buffer_printf(out, "%.*s\n", SLICE_ARG(report_pod(report, pod)));
    for (vec_each(PlannedClaim, claim, &report->plan->claims)) {
        if (holds(&claim->pods, pod))
            explain_claim(report, claim, out);
    }
    for (vec_each(PlannedNode, node, &report->plan->nodes)) {
        if (holds(&node->pods, pod))
            buffer_printf(out, "  goes to node %.*s, which exists already\n",
                          SLICE_ARG(text_of(report, node->node->name)));
    }
    for (vec_each(UnplacedPod, unplaced, &report->plan->unplaced)) {
        if (unplaced->pod == pod)
            explain_unplaced(report, unplaced, out);
    }
}

ErrCode report_explain(const Report *report, Slice asked, Buffer *out, Err *err) {
    bool found = false;

    for (uint32_t pod = 0; pod < report->pod_count; pod++) {
        if (!is_asked(report, pod, asked))
            continue;
        explain_pod(report, pod, out);
        found = true;
    }
    if (!found)
        return err_set(err, ERR_NOT_FOUND, "--explain: no pod %.*s is waiting to be planned in the input",
                       SLICE_ARG(asked));
    return OK;
}
