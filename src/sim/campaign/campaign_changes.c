// What people do to a random scenario's cluster while it runs.
#include "sim/campaign/campaign_parts.h"

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
                  draft->scalable[which].kind, draft->scalable[which].number, draw_between(draft, 0, 80));
    draft_end_line(draft);
}

// Nodes and NodeClaims have names of their own: all of a pool, or those of one type.
static void put_delete(Draft *draft) {
    static const char *const kinds[] = {"Node", "NodeClaim"};

    draft_begin_line(draft, draw_time(draft));
    buffer_printf(draft->out, "delete: {kind: %s, labels: \"karpenter.sh/nodepool=p%" PRId64 "\", optional: true}",
                  draw_word(draft, kinds, 2), draw_between(draft, 0, draft->pools - 1));
    draft_end_line(draft);
}

static void put_patch(Draft *draft) {
    draft_begin_line(draft, draw_time(draft));
    buffer_printf(draft->out, "patch: {kind: NodePool, name: p%" PRId64 ", merge: {spec: {",
                  draw_between(draft, 0, draft->pools - 1));
    if (draw_chance(draft, 50))
        buffer_printf(draft->out, "limits: {cpu: \"%" PRId64 "\"}", draw_between(draft, 10, 400));
    else
        buffer_printf(draft->out, "template: {metadata: {labels: {round: r%" PRId64 "}}}", draw_between(draft, 0, 9));
    buffer_printf(draft->out, "}}}");
    draft_end_line(draft);
}

void draft_changes(Draft *draft) {
    for (int64_t left = draw_between(draft, 0, 6); left > 0; left--)
        put_scale(draft);
    for (int64_t left = draw_between(draft, 0, 2); left > 0; left--)
        put_delete(draft);
    for (int64_t left = draw_between(draft, 0, 2); left > 0; left--)
        put_patch(draft);
}
