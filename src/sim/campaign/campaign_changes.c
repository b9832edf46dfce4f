// Changes that users make in a random scenario's cluster.
#include "sim/campaign/campaign_changes.h"

#include "sim/campaign/campaign_draft.h"
#include "sim/campaign/campaign_workloads.h"

#include <inttypes.h>

static int64_t draw_time(Draft *draft) {
    return draw_between(draft, 60, draft->end_s - 60);
}

static void put_scale(Draft *draft) {
    uint32_t which;

    if (!draft->scalable_count)
        return;
    which = random_below(&draft->random, draft->scalable_count);
    draft_begin_line(draft, draft->end_s / 2 + draw_between(draft, 0, draft->end_s / 2 - 30));
    buffer_printf(draft->out, "scale: {kind: %s, namespace: default, name: w%u, replicas: %" PRId64 "}",
                  draft_kind_text(draft->scalable_kind[which]), draft->scalable[which],
                  draw_chance(draft, 90) ? draw_between(draft, 0, 40) : draw_between(draft, 40, 150));
    draft_end_line(draft);
}

// Deletes all claims of a pool, or some, by letters in their names.
static void put_delete(Draft *draft) {
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    int64_t pool = draw_between(draft, 0, draft->pools - 1);

    draft_begin_line(draft, draw_time(draft));
    switch (draw_between(draft, 0, 4)) {
    case 0:
        buffer_printf(draft->out, "delete: {kind: Node, labels: \"karpenter.sh/nodepool=p%" PRId64 "\"", pool);
        break;
    case 1:
        buffer_printf(draft->out, "delete: {kind: NodeClaim, labels: \"karpenter.sh/nodepool=p%" PRId64 "\"", pool);
        break;
    case 2:
        buffer_printf(draft->out, "delete: {kind: NodeClaim, name: \"p*%c*\"",
                      letters[random_below(&draft->random, sizeof letters - 1)]);
        break;
    case 3:
        buffer_printf(draft->out, "delete: {kind: Pod, namespace: default, name: \"w*%c*\"",
                      letters[random_below(&draft->random, sizeof letters - 1)]);
        break;
    default:
        buffer_printf(draft->out, "delete: {kind: Node, name: \"*%" PRId64 ".*\"", draw_between(draft, 0, 9));
        break;
    }
    buffer_printf(draft->out, ", optional: true}");
    draft_end_line(draft);
}

static void put_patch(Draft *draft) {
    int64_t pool = draw_between(draft, 0, draft->pools - 1);

    draft_begin_line(draft, draw_time(draft));
    buffer_printf(draft->out, "patch: {kind: NodePool, name: p%" PRId64 ", merge: {spec: {", pool);
    if (draft->pool_kind[pool] == POOL_STATIC)
        buffer_printf(draft->out, "replicas: %" PRId64, draw_between(draft, 0, 8));
    else if (draw_chance(draft, 50))
        buffer_printf(draft->out, "limits: {cpu: \"%" PRId64 "\"}", draw_between(draft, 10, 400));
    else
        buffer_printf(draft->out, "template: {metadata: {labels: {round: r%" PRId64 "}}}", draw_between(draft, 0, 9));
    buffer_printf(draft->out, "}}}");
    draft_end_line(draft);
}

void draft_changes(Draft *draft) {
    for (int64_t left = draw_between(draft, 0, 4); left > 0; left--)
        put_scale(draft);
    for (int64_t left = draw_between(draft, 0, 3); left > 0; left--)
        put_delete(draft);
    for (int64_t left = draw_between(draft, 0, 3); left > 0; left--)
        put_patch(draft);
}
