// NodeClasses and NodePools of a random scenario.
#include "sim/campaign/campaign_pools.h"

#include "sim/campaign/campaign_disruption.h"
#include "sim/campaign/campaign_draft.h"

#include <inttypes.h>

const char *draft_class_group(const Draft *draft) {
    return draft->is_kwok ? "karpenter.kwok.sh" : "karpenter.k8s.aws";
}

const char *draft_class_kind(const Draft *draft) {
    return draft->is_kwok ? "KWOKNodeClass" : "EC2NodeClass";
}

static void put_class(Draft *draft) {
    draft_begin_line(draft, 0);
    if (draft->is_kwok)
        buffer_printf(
            draft->out,
            "apply: {apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: default}}");
    else
        buffer_printf(
            draft->out,
            "apply: {apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, spec: "
            "{amiSelectorTerms: [{alias: al2023@latest}], role: nodes, subnetSelectorTerms: [{tags: {a: b}}], "
            "securityGroupSelectorTerms: [{tags: {a: b}}]}}");
    draft_end_line(draft);
}

// --- requirements

static void put_types(Draft *draft, PoolKind kind) {
    static const char *const categories[] = {"[c, m, r]", "[m]", "[c, m]", "[t, m, r]"};
    static const char *const families[] = {"[c, s, m]", "[s]", "[c, s]", "[m]"};
    const char *few = draw_chance(draft, 10) ? ", minValues: 1" : "";

    if (draft->is_kwok)
        buffer_printf(draft->out, ", {key: karpenter.kwok.sh/instance-family, operator: In, values: %s%s}",
                      draw_word(draft, families, 4), few);
    else
        buffer_printf(draft->out, ", {key: karpenter.k8s.aws/instance-category, operator: In, values: %s%s}",
                      kind == POOL_GPU ? "[g]" : draw_word(draft, categories, 4), few);
    buffer_printf(draft->out, ", {key: %s/instance-cpu, operator: Lt, values: [\"%d\"]}", draft_class_group(draft),
                  kind != POOL_GPU && draw_chance(draft, 50) ? 9 : 33);
}

static void put_requirements(Draft *draft, PoolKind kind) {
    static const char *const capacity[] = {"[spot]", "[on-demand]", "[spot, on-demand]", "[on-demand]"};
    static const char *const zones[2][2] = {{"[us-east-1a]", "[us-east-1a, us-east-1b]"},
                                            {"[test-zone-a]", "[test-zone-a, test-zone-b]"}};

    buffer_printf(draft->out, "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: %s}",
                  draw_word(draft, capacity, 4));
    put_types(draft, kind);
    if (draw_chance(draft, 70))
        buffer_printf(draft->out, ", {key: kubernetes.io/arch, operator: In, values: [amd64]}");
    if (draw_chance(draft, 25))
        buffer_printf(draft->out, ", {key: topology.kubernetes.io/zone, operator: In, values: %s}",
                      draw_word(draft, zones[draft->is_kwok], 2));
    buffer_printf(draft->out, "]");
}

// --- pools

static void put_times(Draft *draft) {
    if (draw_chance(draft, 30))
        buffer_printf(draft->out, ", expireAfter: %" PRId64 "m", draw_between(draft, 5, 120));
    if (draw_chance(draft, 40))
        buffer_printf(draft->out, ", terminationGracePeriod: %" PRId64 "s", draw_between(draft, 5, 1800));
}

// Writes taints. Nothing removes the startup taint: such nodes are never initialized.
static void put_taints(Draft *draft, uint32_t pool) {
    if (draft->pool_kind[pool] == POOL_GPU)
        buffer_printf(draft->out, ", taints: [{key: nvidia.com/gpu, effect: NoSchedule}]");
    else if (draw_chance(draft, 20))
        buffer_printf(draft->out, ", taints: [{key: pool, value: p%u, effect: NoSchedule}]", pool);
    if (draw_chance(draft, 4))
        buffer_printf(draft->out, ", startupTaints: [{key: agent-not-ready, effect: NoExecute}]");
}

static void put_limits(Draft *draft, PoolKind kind) {
    if (kind != POOL_STATIC && draw_chance(draft, 30))
        buffer_printf(draft->out, "limits: {cpu: \"%" PRId64 "\"}, ", draw_between(draft, 4, 200));
    else if (draw_chance(draft, 10))
        buffer_printf(draft->out, "limits: {nodes: \"%" PRId64 "\"}, ", draw_between(draft, 1, 20));
}

static void put_pool(Draft *draft, uint32_t pool) {
    PoolKind kind = draft->pool_kind[pool];

    draft_begin_line(draft, 0);
    buffer_printf(
        draft->out,
        "apply: {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p%u, labels: {campaign: \"1\"}}, "
        "spec: {",
        pool);
    if (kind == POOL_STATIC)
        buffer_printf(draft->out, "replicas: %" PRId64 ", ", draw_between(draft, 1, 5));
    else if (draw_chance(draft, 40))
        buffer_printf(draft->out, "weight: %" PRId64 ", ", draw_between(draft, 1, 100));
    put_limits(draft, kind);
    draft_pool_disruption(draft);
    buffer_printf(draft->out, "template: {metadata: {labels: {pool: p%u}", pool);
    draft_node_annotations(draft);
    buffer_printf(draft->out, "}, spec: {nodeClassRef: {group: %s, kind: %s, name: default}, ",
                  draft_class_group(draft), draft_class_kind(draft));
    put_requirements(draft, kind);
    put_times(draft);
    put_taints(draft, pool);
    buffer_printf(draft->out, "}}}}");
    draft_end_line(draft);
}

static PoolKind draw_kind(Draft *draft) {
    if (draw_chance(draft, 15))
        return POOL_STATIC;
    return !draft->is_kwok && draw_chance(draft, 15) ? POOL_GPU : POOL_ORDINARY;
}

void draft_pools(Draft *draft) {
    draft->is_kwok = draw_chance(draft, 12) && !draft->is_aws;
    draft->pools = (uint32_t)draw_between(draft, 1, POOLS_MOST);
    put_class(draft);
    for (uint32_t pool = 0; pool < draft->pools; pool++) {
        draft->pool_kind[pool] = pool ? draw_kind(draft) : POOL_ORDINARY;
        draft->has_gpu |= draft->pool_kind[pool] == POOL_GPU;
        put_pool(draft, pool);
    }
}
