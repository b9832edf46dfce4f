// NodeClasses and NodePools of a random scenario.
#include "sim/campaign/campaign_parts.h"

#include <inttypes.h>

static void put_class(Draft *draft) {
    draft_begin_line(draft, 0);
    buffer_printf(draft->out,
                  "apply: {apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, spec: "
                  "{amiSelectorTerms: [{alias: al2023@latest}], role: nodes, subnetSelectorTerms: [{tags: {a: b}}], "
                  "securityGroupSelectorTerms: [{tags: {a: b}}]}}");
    draft_end_line(draft);
}

static void put_requirements(Draft *draft) {
    static const char *const capacity[] = {"[spot]", "[on-demand]", "[spot, on-demand]", "[on-demand]"};
    static const char *const categories[] = {"[c, m, r]", "[m]", "[c, m]", "[t, m, r]"};
    static const char *const zones[] = {"[us-east-1a]", "[us-east-1a, us-east-1b]"};

    buffer_printf(draft->out, "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: %s}",
                  draw_word(draft, capacity, 4));
    buffer_printf(draft->out, ", {key: karpenter.k8s.aws/instance-category, operator: In, values: %s%s}",
                  draw_word(draft, categories, 4), draw_chance(draft, 10) ? ", minValues: 1" : "");
    buffer_printf(draft->out, ", {key: karpenter.k8s.aws/instance-cpu, operator: Lt, values: [\"%d\"]}",
                  draw_chance(draft, 50) ? 9 : 33);
    if (draw_chance(draft, 70))
        buffer_printf(draft->out, ", {key: kubernetes.io/arch, operator: In, values: [amd64]}");
    if (draw_chance(draft, 25))
        buffer_printf(draft->out, ", {key: topology.kubernetes.io/zone, operator: In, values: %s}",
                      draw_word(draft, zones, 2));
    buffer_printf(draft->out, "]");
}

static void put_times(Draft *draft) {
    if (draw_chance(draft, 30))
        buffer_printf(draft->out, ", expireAfter: %" PRId64 "m", draw_between(draft, 5, 120));
    if (draw_chance(draft, 40))
        buffer_printf(draft->out, ", terminationGracePeriod: %" PRId64 "s", draw_between(draft, 5, 1800));
}

static void put_taints(Draft *draft, uint32_t pool) {
    if (draw_chance(draft, 20))
        buffer_printf(draft->out, ", taints: [{key: pool, value: p%u, effect: NoSchedule}]", pool);
}

static void put_pool(Draft *draft, uint32_t pool) {
    bool is_static = pool && draw_chance(draft, 15);

    draft_begin_line(draft, 0);
    buffer_printf(
        draft->out,
        "apply: {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p%u, labels: {campaign: \"1\"}}, "
        "spec: {",
        pool);
    if (is_static)
        buffer_printf(draft->out, "replicas: %" PRId64 ", ", draw_between(draft, 1, 5));
    else if (draw_chance(draft, 40))
        buffer_printf(draft->out, "weight: %" PRId64 ", ", draw_between(draft, 1, 100));
    if (!is_static && draw_chance(draft, 30))
        buffer_printf(draft->out, "limits: {cpu: \"%" PRId64 "\"}, ", draw_between(draft, 4, 200));
    else if (draw_chance(draft, 10))
        buffer_printf(draft->out, "limits: {nodes: \"%" PRId64 "\"}, ", draw_between(draft, 1, 20));
    buffer_printf(draft->out,
                  "template: {metadata: {labels: {pool: p%u}}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                  "EC2NodeClass, name: default}, ",
                  pool);
    put_requirements(draft);
    put_times(draft);
    put_taints(draft, pool);
    buffer_printf(draft->out, "}}}}");
    draft_end_line(draft);
}

void draft_pools(Draft *draft) {
    put_class(draft);
    draft->pools = (uint32_t)draw_between(draft, 1, POOLS_MOST);
    for (uint32_t pool = 0; pool < draft->pools; pool++)
        put_pool(draft, pool);
}
