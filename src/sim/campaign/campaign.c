// Head and end of a random scenario, and the order of its parts.
#include "sim/campaign/campaign_changes.h"
#include "sim/campaign/campaign_disruption.h"
#include "sim/campaign/campaign_draft.h"
#include "sim/campaign/campaign_faults.h"
#include "sim/campaign/campaign_pools.h"
#include "sim/campaign/campaign_probe.h"
#include "sim/campaign/campaign_workloads.h"

#include <inttypes.h>

static void write_head(Draft *draft, uint64_t seed) {
    buffer_printf(draft->out,
                  "apiVersion: tenon.sh/v1alpha1\nkind: Scenario\nname: campaign-%" PRIu64 "\nseed: %" PRIu64 "\n",
                  seed, seed);
    buffer_printf(draft->out, "duration: %ds\n", draft->end_s + CLEARING_S);
    buffer_printf(draft->out, "settings: {effort: fast");
    draft_disruption_settings(draft);
    if (draw_chance(draft, 30))
        buffer_printf(draft->out, ", preference-policy: Ignore");
    if (draw_chance(draft, 30))
        buffer_printf(draft->out, ", batch-max-duration: %" PRId64 "s", draw_between(draft, 1, 30));
    if (draft->is_aws)
        buffer_append(draft->out, SLICE(", interruption-queue: campaign"));
    buffer_printf(draft->out, "}\ncluster: {region: us-east-1");
    if (draw_chance(draft, 40))
        buffer_printf(draft->out, ", spotDepth: %" PRId64, draw_between(draft, 2, 40));
    if (draw_chance(draft, 20))
        buffer_printf(draft->out, ", onDemandDepth: %" PRId64, draw_between(draft, 2, 40));
    if (draw_chance(draft, 30))
        buffer_printf(draft->out, ", spotLife: %" PRId64 "m", draw_between(draft, 10, 300));
    if (draw_chance(draft, 30))
        buffer_printf(draft->out, ", priceSwing: %" PRId64, draw_between(draft, 1, 30));
    buffer_printf(draft->out, "}\n");
}

static void delete_workloads(Draft *draft, int64_t at_s) {
    for (DraftKind kind = WORKLOAD_DEPLOYMENT; kind <= WORKLOAD_BUDGET; kind++) {
        if (!draft->has[kind])
            continue;
        draft_begin_line(draft, at_s);
        buffer_printf(draft->out, "delete: {kind: %s, namespace: default, labels: \"campaign=1\"}",
                      draft_kind_text(kind));
        draft_end_line(draft);
    }
}

// Writes the deletions at the end. NodeClaims are deleted with their pool, and their nodes drained first. Usually
// workloads are deleted first; otherwise nodes are drained against everything that protects pods, until a deadline or
// the deletion of the workloads.
static void write_end(Draft *draft) {
    int64_t pools_s = draft->end_s + 60, workloads_s = draft->end_s;

    if (draw_chance(draft, 35))
        workloads_s += LATE_WORKLOADS_S;
    delete_workloads(draft, workloads_s);
    draft_begin_line(draft, pools_s);
    buffer_printf(draft->out, "delete: {kind: NodePool, labels: \"campaign=1\"}");
    draft_end_line(draft);
    draft_begin_line(draft, pools_s);
    buffer_printf(draft->out,
                  "expect: [{kind: NodeClaim, count: 0, within: %ds}, {kind: Node, count: 0, within: %ds}, "
                  "{measure: instances, value: 0, within: %ds}]",
                  CLEARING_S - 120, CLEARING_S - 120, CLEARING_S - 120);
    draft_end_line(draft);
}

void campaign_write(uint64_t seed, bool aws, Buffer *out) {
    Draft draft = {.out = out, .is_aws = aws};

    random_seed(&draft.random, seed);
    draft.end_s = (int)draw_between(&draft, 1200, 5400);
    write_head(&draft, seed);
    draft_pools(&draft);
    draft_workloads(&draft);
    draft_changes(&draft);
    draft_disruption_changes(&draft);
    draft_faults(&draft);
    draft_probe(&draft);
    write_end(&draft);
    draft_clock(&draft); // last, so that its draws do not change the rest of a seed
    draft_sickness(&draft);
    draft_surges(&draft);
}

uint32_t campaign_kill_every(uint64_t seed) {
    static const uint32_t steps[] = {0, 0, 20, 60, 200};
    Random random;

    random_seed(&random, seed ^ UINT64_C(0x9e3779b97f4a7c15));
    return steps[random_below(&random, sizeof steps / sizeof *steps)];
}
