// Karpenter's kinds: defaults and rules of their CustomResourceDefinitions.
#include "suite.h"

#include <stdio.h>

static Slice pool_yaml(Case *c, const char *requirements, const char *spec) {
    return arena_printf(&c->arena,
                        "{metadata: {name: 'np-${id}'}, spec: {%s template: {spec: {requirements: [%s], nodeClassRef: "
                        "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}}}}",
                        spec, requirements);
}

static Value pool(Case *c, const char *requirements, const char *spec) {
    return create(c, KUBE_NODE_POOL, pool_yaml(c, requirements, spec).ptr);
}

static void bad_pool(Case *c, const char *requirements, const char *spec, const char *text) {
    try_create(c, KUBE_NODE_POOL, pool_yaml(c, requirements, spec).ptr);
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, text);
    assert_true(
        slice_contains(slice_of(c->error.err.text), expand(c, "NodePool.karpenter.sh \"np-${id}\" is invalid: ")));
}

static void a_pool_gets_its_defaults(Case *c) {
    Value made = pool(c, "", "");

    assert_at(&made, "spec.template.spec.expireAfter", "720h");
    assert_at(&made, "spec.disruption.consolidateAfter", "0s");
    assert_at(&made, "spec.disruption.consolidationPolicy", "WhenEmptyOrUnderutilized");
    assert_at(&made, "spec.disruption.budgets.0.nodes", "10%");
    assert_int_equal(kube_generation(&made), 1);
    del(c, KUBE_NODE_POOL, "np-${id}");
}

static void requirements_of_a_pool_are_checked(Case *c) {
    bad_pool(c, "{key: topology.kubernetes.io/zone, operator: In, values: []}", "",
             "requirements with operator 'In' must have a value defined");
    bad_pool(c, "{key: karpenter.kwok.sh/instance-cpu, operator: Gt, values: ['-1']}", "",
             "requirements operator 'Gt', 'Lt', 'Gte', or 'Lte' must have a single positive integer value");
    bad_pool(c, "{key: topology.kubernetes.io/zone, operator: In, values: [a], minValues: 2}", "",
             "requirements with 'minValues' must have at least that many values specified in the 'values' field");
    bad_pool(c, "{key: karpenter.sh/other, operator: Exists}", "", "label domain \"karpenter.sh\" is restricted");
    bad_pool(c, "{key: karpenter.sh/nodepool, operator: Exists}", "", "label \"karpenter.sh/nodepool\" is restricted");
    bad_pool(c, "{key: kubernetes.io/hostname, operator: Exists}", "",
             "label \"kubernetes.io/hostname\" is restricted");
}

static void budgets_of_a_pool_are_checked(Case *c) {
    bad_pool(c, "", "disruption: {budgets: [{nodes: '10%', schedule: '@daily'}]},",
             "'schedule' must be set with 'duration'");
}

static void a_static_pool_has_no_weight(Case *c) {
    bad_pool(c, "", "replicas: 2, weight: 5,", "'weight' is not supported on static NodePools");
    bad_pool(c, "", "replicas: 2, limits: {cpu: '5'},", "only 'limits.nodes' is supported on static NodePools");
}

static void a_pool_stays_static_or_dynamic(Case *c) {
    pool(c, "", "");
    try_patch(c, KUBE_NODE_POOL, "np-${id}", KUBE_OBJECT, KUBE_PATCH_MERGE, "{spec: {replicas: 2}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID,
                  "Cannot transition NodePool between static (replicas set) and dynamic (replicas unset) provisioning "
                  "modes");
    del(c, KUBE_NODE_POOL, "np-${id}");
}

static void a_pools_class_keeps_its_kind(Case *c) {
    Value made = pool(c, "", "");

    try_patch(c, KUBE_NODE_POOL, "np-${id}", KUBE_OBJECT, KUBE_PATCH_MERGE,
              "{spec: {template: {spec: {nodeClassRef: {kind: EC2NodeClass}}}}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "nodeClassRef.kind is immutable");
    try_patch(c, KUBE_NODE_POOL, "np-${id}", KUBE_OBJECT, KUBE_PATCH_MERGE,
              "{spec: {template: {spec: {nodeClassRef: {group: other.example}}}}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "nodeClassRef.group is immutable");
    made =
        merge(c, KUBE_NODE_POOL, "np-${id}", KUBE_OBJECT, "{spec: {template: {spec: {nodeClassRef: {name: other}}}}}");
    assert_int_equal(kube_generation(&made), 2);
    del(c, KUBE_NODE_POOL, "np-${id}");
}

#define CLAIM                                                                                                          \
    "{metadata: {name: 'nc-${id}'}, spec: {requirements: [{key: karpenter.sh/capacity-type, operator: In, values: "    \
    "[spot]}], nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}}"

static void a_claims_spec_is_immutable(Case *c) {
    Value claim = create(c, KUBE_NODE_CLAIM, CLAIM);

    assert_at(&claim, "spec.expireAfter", "720h");
    try_patch(c, KUBE_NODE_CLAIM, "nc-${id}", KUBE_OBJECT, KUBE_PATCH_MERGE, "{spec: {expireAfter: Never}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "spec is immutable");
    del(c, KUBE_NODE_CLAIM, "nc-${id}");
}

static void a_claims_metadata_may_change(Case *c) {
    Value claim = create(c, KUBE_NODE_CLAIM, CLAIM);

    claim = merge(c, KUBE_NODE_CLAIM, "nc-${id}", KUBE_OBJECT,
                  "{metadata: {finalizers: [karpenter.sh/termination], labels: {karpenter.sh/nodepool: default}}}");
    assert_int_equal(kube_generation(&claim), 1);
    del(c, KUBE_NODE_CLAIM, "nc-${id}");
    claim = get(c, KUBE_NODE_CLAIM, "nc-${id}");
    assert_true(kube_is_deleting(&claim));
    merge(c, KUBE_NODE_CLAIM, "nc-${id}", KUBE_OBJECT, "{metadata: {finalizers: null}}");
    assert_false(exists(c, KUBE_NODE_CLAIM, "nc-${id}"));
}

static void a_claims_requirements_are_checked(Case *c) {
    try_create(
        c, KUBE_NODE_CLAIM,
        "{metadata: {name: 'nc-${id}'}, spec: {requirements: [{key: a, operator: In, values: []}], nodeClassRef: "
        "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "requirements with operator 'In' must have a value defined");
}

static void claims_go_with_their_pool(Case *c) {
    Value made = pool(c, "", "");
    const char *yaml =
        arena_printf(&c->arena,
                     "{metadata: {generateName: 'np-${id}-', ownerReferences: [{apiVersion: "
                     "karpenter.sh/v1, kind: NodePool, name: 'np-${id}', uid: '%.*s', blockOwnerDeletion: "
                     "true}]}, spec: {requirements: [], nodeClassRef: {group: karpenter.kwok.sh, kind: "
                     "KWOKNodeClass, name: default}}}",
                     SLICE_ARG(kube_uid(&made)))
            .ptr;
    Value claim = create(c, KUBE_NODE_CLAIM, yaml);
    const char *name = arena_text(&c->arena, kube_name(&claim));

    settle(c);
    assert_true(exists(c, KUBE_NODE_CLAIM, name));
    del(c, KUBE_NODE_POOL, "np-${id}");
    settle(c);
    assert_false(exists(c, KUBE_NODE_CLAIM, name));
}

static void a_kwok_class_is_ready_by_itself(Case *c) {
    Value class = create(c, KUBE_KWOK_NODE_CLASS, "{metadata: {name: 'k-${id}'}, spec: {}}");

    assert_at(&class, "status.conditions.0.type", "Ready");
    assert_at(&class, "status.conditions.0.status", "True");
    del(c, KUBE_KWOK_NODE_CLASS, "k-${id}");
}

#define TIME "lastTransitionTime: '2026-01-01T00:00:00Z'"

static void conditions_of_a_claim_are_checked(Case *c) {
    Value claim = create(c, KUBE_NODE_CLAIM, CLAIM);

    try_patch(c, KUBE_NODE_CLAIM, "nc-${id}", KUBE_STATUS, KUBE_PATCH_MERGE,
              "{status: {conditions: [{type: Ready, status: 'True'}]}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "status.conditions[0].lastTransitionTime: Required value");
    try_patch(c, KUBE_NODE_CLAIM, "nc-${id}", KUBE_STATUS, KUBE_PATCH_MERGE,
              "{status: {conditions: [{type: Ready, status: 'Yes', " TIME "}]}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID,
                  "status.conditions[0].status: Unsupported value: \"Yes\": supported values: \"True\", \"False\", "
                  "\"Unknown\"");
    try_patch(c, KUBE_NODE_CLAIM, "nc-${id}", KUBE_STATUS, KUBE_PATCH_MERGE,
              "{status: {conditions: [{type: Ready, status: 'True', reason: 'two words', " TIME "}]}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "\"two words\": conditions[0].reason in body should match");
    try_patch(c, KUBE_NODE_CLAIM, "nc-${id}", KUBE_STATUS, KUBE_PATCH_MERGE,
              "{status: {conditions: [{type: Ready, status: 'True', " TIME "}, {type: Ready, status: 'True', " TIME
              "}]}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "Duplicate value");
    claim = merge(c, KUBE_NODE_CLAIM, "nc-${id}", KUBE_STATUS,
                  "{status: {conditions: [{type: Ready, status: 'True', " TIME "}]}}");
    assert_at(&claim, "status.conditions.0.status", "True");
    del(c, KUBE_NODE_CLAIM, "nc-${id}");
}

static void conditions_of_a_pool_need_a_reason(Case *c) {
    pool(c, "", "");
    try_patch(c, KUBE_NODE_POOL, "np-${id}", KUBE_STATUS, KUBE_PATCH_MERGE,
              "{status: {conditions: [{type: Ready, status: 'True', message: '', " TIME "}]}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "status.conditions[0].reason: Required value");
    del(c, KUBE_NODE_POOL, "np-${id}");
}

static void bad_overlay(Case *c, const char *spec, const char *text) {
    try_create(c, KUBE_NODE_OVERLAY, arena_printf(&c->arena, "{metadata: {name: 'no-${id}'}, spec: {%s}}", spec).ptr);
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, text);
}

static void good_overlay(Case *c, const char *spec) {
    create(c, KUBE_NODE_OVERLAY, arena_printf(&c->arena, "{metadata: {name: 'no-${id}'}, spec: {%s}}", spec).ptr);
    del(c, KUBE_NODE_OVERLAY, "no-${id}");
}

static void overlays_are_checked(Case *c) {
    static const char *const prices[] = {"0", "1.25", "12"}, *const no_prices[] = {"", "1.", ".5", "-1", "1e3", "+1"};
    static const char *const changes[] = {"+0.05", "-.1", "+10%", "-15.5%", "+250%", "-100%", "-99.9%"};
    static const char *const no_changes[] = {"10%", "-101%", "-100.0%", "+", "-", "+.%", "-.5%", "+1.", "1", "+5%%"};

    bad_overlay(c, "weight: 1", "spec.requirements: Required value");
    bad_overlay(c, "requirements: [], weight: 0", "spec.weight in body should be greater than or equal to 1");
    bad_overlay(c, "requirements: [], weight: 10001", "spec.weight in body should be less than or equal to 10000");
    bad_overlay(c, "requirements: [], price: '1', priceAdjustment: '+1'",
                "cannot set both 'price' and 'priceAdjustment'");
    bad_overlay(c, "requirements: [], capacity: {memory: 1Gi}", "invalid resource restricted");
    bad_overlay(c, "requirements: [{key: a, operator: In}]",
                "requirements with operator 'In' must have a value defined");
    bad_overlay(c, "requirements: [{key: a, operator: NotIn, values: []}]",
                "requirements with operator 'NotIn' must have a value defined");
    bad_overlay(c, "requirements: [{key: a, operator: Gte, values: ['-1']}]",
                "requirements operator 'Gt', 'Lt', 'Gte' or 'Lte' must have a single positive integer value");
    bad_overlay(c, "requirements: [{key: a, operator: Lt, values: ['1', '2']}]", "must have a single positive integer");
    good_overlay(c, "requirements: [{key: a, operator: Gt, values: ['0']}, {key: b, operator: Exists}], weight: 10000, "
                    "capacity: {example.com/x: 2}");
    for (size_t i = 0; i < sizeof prices / sizeof *prices; i++)
        good_overlay(c, arena_printf(&c->arena, "requirements: [], price: '%s'", prices[i]).ptr);
    for (size_t i = 0; i < sizeof no_prices / sizeof *no_prices; i++)
        bad_overlay(c, arena_printf(&c->arena, "requirements: [], price: '%s'", no_prices[i]).ptr,
                    "spec.price in body should match");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        good_overlay(c, arena_printf(&c->arena, "requirements: [], priceAdjustment: '%s'", changes[i]).ptr);
    for (size_t i = 0; i < sizeof no_changes / sizeof *no_changes; i++)
        bad_overlay(c, arena_printf(&c->arena, "requirements: [], priceAdjustment: '%s'", no_changes[i]).ptr,
                    "spec.priceAdjustment in body should match");
}

static void bad_buffer(Case *c, const char *spec, const char *text) {
    try_create(c, KUBE_CAPACITY_BUFFER, arena_printf(&c->arena, "{metadata: {name: b}, spec: {%s}}", spec).ptr);
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, text);
}

static void buffers_are_checked(Case *c) {
    Value buffer;

    bad_buffer(c, "podTemplateRef: {name: t}", "If podTemplateRef is set, replicas or limits must also be set");
    bad_buffer(c, "podTemplateRef: {name: t}, scalableRef: {kind: Deployment, name: web}, replicas: 1",
               "You must define either PodTemplateRef or ScalableRef, but not both");
    bad_buffer(c, "podTemplateRef: {}, replicas: 1", "spec.podTemplateRef.name: Required value");
    bad_buffer(c, "scalableRef: {kind: '', name: web}",
               "spec.scalableRef.kind in body should be at least 1 chars long");
    bad_buffer(c, "scalableRef: {kind: Deployment}", "spec.scalableRef.name: Required value");
    bad_buffer(c, "replicas: -1", "spec.replicas in body should be greater than or equal to 0");
    bad_buffer(c, "percentage: -1", "spec.percentage in body should be greater than or equal to 0");
    buffer = create(c, KUBE_CAPACITY_BUFFER, "{metadata: {name: b}, spec: {podTemplateRef: {name: t}, replicas: 0}}");
    assert_at(&buffer, "spec.provisioningStrategy", "buffer.x-k8s.io/active-capacity");
}

static void a_claim_must_have_its_parts(Case *c) {
    try_create(
        c, KUBE_NODE_CLAIM,
        "{metadata: {name: 'nc-${id}'}, spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: "
        "default}}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "spec.requirements");
}

const CaseEntry karpenter_cases[] = {
    CASE(a_pool_gets_its_defaults),
    CASE(requirements_of_a_pool_are_checked),
    CASE(budgets_of_a_pool_are_checked),
    CASE(a_static_pool_has_no_weight),
    CASE(a_pool_stays_static_or_dynamic),
    CASE(a_pools_class_keeps_its_kind),
    CASE(a_claims_spec_is_immutable),
    CASE(a_claims_metadata_may_change),
    CASE(a_claims_requirements_are_checked),
    CASE(claims_go_with_their_pool),
    CASE(a_kwok_class_is_ready_by_itself),
    CASE(conditions_of_a_claim_are_checked),
    CASE(conditions_of_a_pool_need_a_reason),
    CASE(overlays_are_checked),
    CASE(buffers_are_checked),
    CASE(a_claim_must_have_its_parts),
    CASES_END,
};
