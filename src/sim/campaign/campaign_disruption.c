// What a random scenario says of voluntary disruption. Most pools let nodes go at once, so that there is something to
// be wrong.
#include "sim/campaign/campaign_disruption.h"

#include "sim/campaign/campaign_draft.h"
#include "sim/campaign/campaign_workloads.h"

#include <inttypes.h>

void draft_disruption_settings(Draft *draft) {
    bool spot_to_spot = draw_chance(draft, 40), reboots = draw_chance(draft, 60), costs = draw_chance(draft, 50);

    buffer_printf(
        draft->out,
        ", feature-gates: \"StaticCapacity=true,NodeRepair=true,SpotToSpotConsolidation=%s,RebootForRepair=%s,"
        "PodDeletionCostManagement=%s\", planned-taint: \"%s\"",
        spot_to_spot ? "true" : "false", reboots ? "true" : "false", costs ? "true" : "false",
        draw_chance(draft, 50) ? "true" : "false");
    if (draw_chance(draft, 20))
        buffer_printf(draft->out, ", consolidation: classic");
}

// --- NodePools

// A budget that names reasons or has a schedule leaves the others without a limit, so it has a neighbour, or not.
static void put_budget(Draft *draft) {
    static const char *const nodes[] = {"\"1\"", "\"1\"", "\"2\"", "\"3\"", "10%", "30%", "50%", "100%", "\"0\""};
    static const char *const reasons[] = {"[Empty]", "[Drifted]", "[Underutilized]", "[Empty, Underutilized]",
                                          "[Drifted, Underutilized]"};
    static const char *const schedules[] = {"\"*/10 * * * *\", duration: 4m", "\"@hourly\", duration: 25m",
                                            "\"5-50/15 0-12 * * mon\", duration: 10m", "\"0 0 1 * *\", duration: 1h"};

    buffer_printf(draft->out, "{nodes: %s", draw_word(draft, nodes, 9));
    if (draw_chance(draft, 30))
        buffer_printf(draft->out, ", reasons: %s", draw_word(draft, reasons, 5));
    if (draw_chance(draft, 30))
        buffer_printf(draft->out, ", schedule: %s", draw_word(draft, schedules, 4));
    buffer_printf(draft->out, "}");
}

static void put_budgets(Draft *draft) {
    buffer_printf(draft->out, "budgets: [");
    for (int64_t left = draw_between(draft, 1, 3); left > 0; left--) {
        put_budget(draft);
        buffer_printf(draft->out, left > 1 ? ", " : "");
    }
    buffer_printf(draft->out, "]");
}

void draft_pool_disruption(Draft *draft) {
    static const char *const policies[] = {"WhenEmptyOrUnderutilized", "WhenEmptyOrUnderutilized",
                                           "WhenEmptyOrUnderutilized", "WhenEmpty", "Balanced"};
    static const char *const quiet[] = {"0s", "0s", "0s", "20s", "1m", "5m", "Never"};

    buffer_printf(draft->out, "disruption: {consolidationPolicy: %s, consolidateAfter: %s",
                  draw_word(draft, policies, 5), draw_word(draft, quiet, 7));
    if (draw_chance(draft, 70)) {
        buffer_printf(draft->out, ", ");
        put_budgets(draft);
    }
    buffer_printf(draft->out, "}, ");
}

void draft_node_annotations(Draft *draft) {
    int64_t hundredth = draw_between(draft, 0, 99);

    if (hundredth < 12)
        buffer_printf(draft->out, ", annotations: {karpenter.sh/do-not-%s: \"true\"}",
                      hundredth < 6 ? "disrupt" : "repair");
}

// --- changes

static void put_shrink(Draft *draft) {
    uint32_t which;

    if (!draft->scalable_count)
        return;
    which = random_below(&draft->random, draft->scalable_count);
    draft_begin_line(draft, draft->end_s / 2 + draw_between(draft, 0, draft->end_s / 4));
    buffer_printf(draft->out, "scale: {kind: %s, namespace: default, name: w%u, replicas: %" PRId64 "}",
                  draft_kind_text(draft->scalable_kind[which]), draft->scalable[which], draw_between(draft, 0, 4));
    draft_end_line(draft);
}

static void put_pool_change(Draft *draft) {
    draft_begin_line(draft, draw_between(draft, 300, draft->end_s - 300));
    buffer_printf(draft->out, "patch: {kind: NodePool, name: p%" PRId64 ", merge: {spec: {",
                  draw_between(draft, 0, draft->pools - 1));
    if (draw_chance(draft, 60)) {
        buffer_printf(draft->out, "template: {metadata: {labels: {turn: t%" PRId64 "}}}", draw_between(draft, 0, 99));
    } else {
        buffer_printf(draft->out, "disruption: {");
        put_budgets(draft);
        buffer_printf(draft->out, "}");
    }
    buffer_printf(draft->out, "}}}");
    draft_end_line(draft);
}

void draft_surges(Draft *draft) {
    static const char *const grace[] = {"\"true\"", "2m", "10s"};

    for (uint32_t i = 0; i < draft->scalable_count; i++) {
        if (draft->scalable_kind[i] != WORKLOAD_DEPLOYMENT || !draw_chance(draft, 30))
            continue;
        draft_begin_line(draft, draft->end_s / 2 + draw_between(draft, 0, draft->end_s / 4));
        buffer_printf(draft->out,
                      "patch: {kind: Deployment, namespace: default, name: w%u, merge: {spec: {replicas: 1, template: "
                      "{metadata: {annotations: {tenon.sh/surge: %s}}}}}}",
                      draft->scalable[i], draw_word(draft, grace, 3));
        draft_end_line(draft);
    }
}

void draft_disruption_changes(Draft *draft) {
    for (int64_t left = draw_between(draft, 1, 3); left > 0; left--)
        put_shrink(draft);
    for (int64_t left = draw_between(draft, 0, 2); left > 0; left--)
        put_pool_change(draft);
}
