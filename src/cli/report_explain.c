// --explain POD: where the pod is placed, or each NodePool's full reason.
#include "cli/report.h"

#include "text/json.h"
#include "text/quote.h"
#include "text/yaml.h"

#define PUT(report, map, key, value) value_put((report)->arena, (map), SLICE(key), (value))

// Whether the pod is meant: by "ns/name", or by a name alone.
static bool is_asked(const Report *report, uint32_t pod, Slice asked) {
    Slice name = report_pod(report, pod);

    return slice_eq(name, asked) || (slice_find(asked, '/') < 0 &&
                                     slice_ends_with(name, arena_printf(report->arena, "/%.*s", SLICE_ARG(asked))));
}

static void explain_claim(const Report *report, const PlannedClaim *claim, Buffer *out) {
    buffer_printf(out, "  goes to new node %.*s of nodepool %.*s, with %u other pod%s\n",
                  SLICE_ARG(printable(report->arena, claim->name)),
                  SLICE_ARG(report_shown(report, claim->pool->meta.name)), claim->pods.count - 1,
                  claim->pods.count == 2 ? "" : "s");
    buffer_printf(out, "  expected: %.*s in %.*s, %.*s, %s$%.4f/hour; any of %u types may be launched\n",
                  SLICE_ARG(report_shown(report, claim->choice->name)),
                  SLICE_ARG(report_shown(report, claim->offering->zone)),
                  SLICE_ARG(report_shown(report, claim->offering->capacity_type)),
                  claim->offering->price_estimated ? "~" : "", claim->offering->price_per_hour, claim->types.count);
}

static void explain_unplaced(const Report *report, const UnplacedPod *unplaced, Buffer *out) {
    buffer_printf(out, "  finds no place\n");
    if (!unplaced->reasons.count)
        buffer_printf(out, "  %.*s\n", SLICE_ARG(printable(report->arena, unplaced->message)));
    for (vec_each(Reason, reason, &unplaced->reasons)) {
        buffer_printf(out, "  nodepool %.*s: %s\n    %.*s\n", SLICE_ARG(report_shown(report, reason->pool)),
                      check_text(reason->check), SLICE_ARG(printable(report->arena, reason->text)));
        if (reason->nearest_miss.len)
            buffer_printf(out, "    nearest miss: %.*s\n", SLICE_ARG(printable(report->arena, reason->nearest_miss)));
    }
}

static void explain_pod(const Report *report, uint32_t pod, Buffer *out) {
    buffer_printf(out, "%.*s\n", SLICE_ARG(printable(report->arena, report_pod(report, pod))));
    for (vec_each(PlannedClaim, claim, &report->plan->claims)) {
        if (u32_vec_has(&claim->pods, pod))
            explain_claim(report, claim, out);
    }
    for (vec_each(PlannedNode, node, &report->plan->nodes)) {
        if (u32_vec_has(&node->pods, pod))
            buffer_printf(out, "  goes to node %.*s, which exists already\n",
                          SLICE_ARG(report_shown(report, node->node->name)));
    }
    report_explain_preferences(report, pod, out);
    for (vec_each(UnplacedPod, unplaced, &report->plan->unplaced)) {
        if (unplaced->pod == pod)
            explain_unplaced(report, unplaced, out);
    }
}

// --- JSON and YAML

static Value unplaced_value(const Report *report, const UnplacedPod *unplaced) {
    Value list = value_list();

    for (vec_each(Reason, reason, &unplaced->reasons)) {
        Value entry = value_map();

        PUT(report, &entry, "name", value_string(report_text(report, reason->pool)));
        PUT(report, &entry, "reason", value_string(slice_of(check_text(reason->check))));
        PUT(report, &entry, "message", value_string(reason->text));
        PUT(report, &entry, "nearestMiss", value_string(reason->nearest_miss));
        value_append(report->arena, &list, entry);
    }
    return list;
}

static Value claim_value(const Report *report, const PlannedClaim *claim) {
    Value map = value_map(), types = value_list();

    for (vec_each(const InstanceType *, type, &claim->types))
        value_append(report->arena, &types, value_string(report_text(report, (*type)->name)));
    PUT(report, &map, "name", value_string(claim->name));
    PUT(report, &map, "nodePool", value_string(report_text(report, claim->pool->meta.name)));
    PUT(report, &map, "choice", report_choice(report, claim));
    PUT(report, &map, "instanceTypes", types);
    PUT(report, &map, "otherPods", value_int(report->arena, claim->pods.count - 1));
    return map;
}

// One of nodeClaim, existingNode and nodePools, as in docs/plan-json.md.
static Value pod_value(const Report *report, uint32_t pod) {
    Value map = value_map();

    PUT(report, &map, "pod", value_string(report_pod(report, pod)));
    for (vec_each(PlannedClaim, claim, &report->plan->claims)) {
        if (u32_vec_has(&claim->pods, pod))
            PUT(report, &map, "nodeClaim", claim_value(report, claim));
    }
    for (vec_each(PlannedNode, node, &report->plan->nodes)) {
        if (u32_vec_has(&node->pods, pod))
            PUT(report, &map, "existingNode", value_string(report_text(report, node->node->name)));
    }
    if (report->input->preferences == PREFERENCES_WEIGH)
        PUT(report, &map, "preferences", report_pod_preferences(report, pod));
    for (vec_each(UnplacedPod, unplaced, &report->plan->unplaced)) {
        if (unplaced->pod != pod)
            continue;
        PUT(report, &map, "message", value_string(unplaced->message));
        PUT(report, &map, "nodePools", unplaced_value(report, unplaced));
    }
    return map;
}

static void print_value(const Report *report, const Value *value, Buffer *out) {
    if (report->options->format == OUTPUT_YAML) {
        yaml_print(out, value);
        return;
    }
    json_print(out, value, true);
    buffer_append_char(out, '\n');
}

ErrCode report_explain(const Report *report, Slice asked, Buffer *out, Err *err) {
    bool for_programs = report->options->format == OUTPUT_JSON || report->options->format == OUTPUT_YAML, found = false;
    Value root = value_map(), pods = value_list();

    for (uint32_t pod = 0; pod < report->pod_count; pod++) {
        if (!is_asked(report, pod, asked))
            continue;
        if (for_programs)
            value_append(report->arena, &pods, pod_value(report, pod));
        else
            explain_pod(report, pod, out);
        found = true;
    }
    if (!found)
        return err_set(err, ERR_NOT_FOUND, "--explain: no pod %.*s is waiting to be planned in the input",
                       SLICE_ARG(asked));
    PUT(report, &root, "pods", pods);
    if (for_programs)
        print_value(report, &root, out);
    return OK;
}
