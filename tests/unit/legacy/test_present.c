// Old objects as today's, and back. Reference legacy.md 2 to 5.
#include "legacy/present/carry.h"
#include "legacy/present/present.h"

#include "text/json.h"
#include "text/value_edit.h"
#include "text/yaml.h"

#include "harness/test.h"

static Value parse(Arena *arena, const char *yaml) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err;

    if (yaml_parse(arena, SLICE("a.yaml"), slice_of(yaml), &(ParseOptions){0}, &documents, &warnings, &err) != OK)
        fail_msg("%s", err.text);
    return documents.items[0].root;
}

// A part of a tree as JSON, by keys with blanks between; "" when absent.
static const char *part(Arena *arena, const Value *value, const char *path) {
    Slice rest = slice_of(path);
    Buffer json = {0};
    const char *text;

    while (rest.len && value) {
        ptrdiff_t blank = slice_find(rest, ' ');
        Slice key = blank < 0 ? rest : slice_first(rest, (size_t)blank);
        int64_t at;

        rest = slice_from(rest, key.len + 1);
        if (value->kind == VALUE_LIST)
            value = slice_to_int64(key, &at) && at < value->list.count ? &value->list.items[at] : NULL;
        else
            value = value_get(value, key);
    }
    if (!value)
        return "";
    json_print(&json, value, false);
    text = arena_text(arena, buffer_slice(&json));
    buffer_free(&json);
    return text;
}

#define assert_part(value, path, expected) assert_string_equal(part(&arena, &(value), (path)), (expected))

static PresentedProvisioner present(Arena *arena, const PresentSettings *settings, const char *yaml,
                                    const char *template) {
    Value object = parse(arena, yaml), of_template = template ? parse(arena, template) : value_null();
    PresentedProvisioner presented;
    Err err;

    if (present_provisioner(arena, settings, SLICE("a.yaml"), &object, template ? &of_template : NULL, &presented, NULL,
                            &err) != OK)
        fail_msg("%s", err.text);
    return presented;
}

#define PROVISIONER(spec)                                                                                              \
    "{apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: x, uid: u, resourceVersion: '7', "        \
    "generation: 2}, spec: {" spec "}}"
#define TEMPLATE                                                                                                       \
    "{apiVersion: karpenter.k8s.aws/v1alpha1, kind: AWSNodeTemplate, metadata: {name: t, uid: v, resourceVersion: "    \
    "'9', generation: 1}, spec: {instanceProfile: p, subnetSelector: {a: b}, securityGroupSelector: {a: b}}}"

TEST(row_r038_a_provisioner_shares_the_class_of_its_template) {
    Arena arena = {0};
    PresentedProvisioner shown =
        present(&arena, &(PresentSettings){0}, PROVISIONER("providerRef: {name: t}"), TEMPLATE);

    assert_part(shown.pool, "metadata name", "\"provisioner/x\"");
    assert_part(shown.pool, "metadata uid", "\"u\"");
    assert_part(shown.pool, "spec template spec nodeClassRef name", "\"awsnodetemplate/t\"");
    assert_false(shown.has_class);
    arena_free(&arena);
}

TEST(row_r033_a_provisioner_with_a_kubelet_has_a_class_of_its_own) {
    Arena arena = {0};
    PresentedProvisioner shown =
        present(&arena, &(PresentSettings){0},
                PROVISIONER("providerRef: {name: t}, kubeletConfiguration: {maxPods: 20}"), TEMPLATE);

    assert_true(shown.has_class);
    assert_part(shown.pool, "spec template spec nodeClassRef name", "\"provisioner/x\"");
    assert_part(shown.class, "metadata name", "\"provisioner/x\"");
    assert_part(shown.class, "metadata uid", "\"u/v\"");
    assert_part(shown.class, "metadata resourceVersion", "\"9\"");
    assert_part(shown.class, "spec kubelet maxPods", "20");
    assert_part(shown.class, "spec instanceProfile", "\"p\"");
    arena_free(&arena);
}

#define INLINE "provider: {instanceProfile: p, subnetSelector: {a: b}, securityGroupSelector: {a: b}"

// What the definition of EC2NodeClass would fill in; a block that leaves something out is as EC2 chose it (legacy.md
// 3).
TEST(row_r131_classes_of_old_objects_say_all_of_the_metadata_service) {
    static const char usual[] = "{\"httpPutResponseHopLimit\":2,\"httpEndpoint\":\"enabled\",\"httpProtocolIPv6\":"
                                "\"disabled\",\"httpTokens\":\"required\"}";
    Arena arena = {0};
    Value template = parse(&arena, TEMPLATE), class;
    PresentedProvisioner shown =
        present(&arena, &(PresentSettings){0},
                PROVISIONER("providerRef: {name: t}, kubeletConfiguration: {maxPods: 2}"), TEMPLATE);

    assert_part(shown.class, "spec metadataOptions", usual);
    assert_int_equal(present_template(&arena, &(PresentSettings){0}, SLICE("a.yaml"), &template, &class, NULL), OK);
    assert_part(class, "spec metadataOptions", usual);
    shown = present(&arena, &(PresentSettings){0}, PROVISIONER(INLINE "}"), NULL);
    assert_part(shown.class, "spec metadataOptions", usual);
    shown =
        present(&arena, &(PresentSettings){0}, PROVISIONER(INLINE ", metadataOptions: {httpEndpoint: enabled}}"), NULL);
    assert_part(shown.class, "spec metadataOptions",
                "{\"httpEndpoint\":\"enabled\",\"httpProtocolIPv6\":\"disabled\",\"httpPutResponseHopLimit\":1,"
                "\"httpTokens\":\"optional\"}");
    arena_free(&arena);
}

TEST(row_r077_what_a_provisioner_says_of_disruption) {
    Arena arena = {0};
    PresentedProvisioner shown = present(
        &arena, &(PresentSettings){0},
        PROVISIONER("providerRef: {name: t}, ttlSecondsAfterEmpty: 30, ttlSecondsUntilExpired: 60, weight: 5"), NULL);

    assert_part(shown.pool, "spec disruption",
                "{\"consolidationPolicy\":\"WhenEmpty\",\"consolidateAfter\":\"30s\",\"budgets\":[{\"nodes\":\"100%\"},"
                "{\"nodes\":\"1\",\"reasons\":[\"Drifted\"]}]}");
    assert_part(shown.pool, "spec template spec expireAfter", "\"60s\"");
    assert_part(shown.pool, "spec weight", "5");
    arena_free(&arena);
}

TEST(old_provisioner_is_refused_with_a_reason) {
    Arena arena = {0};
    PresentedProvisioner shown =
        present(&arena, &(PresentSettings){.lacks_machines = true}, PROVISIONER("providerRef: {name: t}"), TEMPLATE);

    assert_part(
        shown.pool, "metadata annotations tenon.sh/refused",
        "\"the cluster has no definition of Machine (karpenter.sh/v1alpha5), in which the nodes of a Provisioner "
        "live; tenon crds --legacy prints it\"");
    // R008: without a profile there is no launch.
    shown = present(&arena, &(PresentSettings){.needs_profile = true},
                    PROVISIONER("provider: {subnetSelector: {a: b}, securityGroupSelector: {a: b}}"), NULL);
    assert_part(shown.pool, "metadata annotations tenon.sh/refused",
                "\"neither spec.provider.instanceProfile nor --aws-default-instance-profile is specified\"");
    arena_free(&arena);
}

TEST(a_template_that_is_none_says_so) {
    Arena arena = {0};
    Value template = parse(&arena, "{apiVersion: karpenter.k8s.aws/v1alpha1, kind: AWSNodeTemplate, metadata: {name: "
                                   "t, uid: u}, spec: {securityGroupSelector: {a: b}}}");
    Value class = present_any_template(&arena, &(PresentSettings){0}, SLICE("cluster"), &template);

    assert_part(class, "metadata name", "\"awsnodetemplate/t\"");
    assert_part(class, "metadata uid", "\"u\"");
    assert_part(
        class, "metadata annotations tenon.sh/refused",
        "\"cluster:1: AWSNodeTemplate t: E02 validation failed: missing field(s): spec.provider.subnetSelector\"");
    assert_part(class, "spec", "{}");
    arena_free(&arena);
}

// R053, R054, R055: the way there and back.
TEST(row_r053_a_claim_becomes_a_machine_and_is_the_same_claim_again) {
    Arena arena = {0};
    Value claim = parse(&arena, "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {generateName: "
                                "provisioner/x-, labels: {karpenter.sh/nodepool: provisioner/x, "
                                "karpenter.sh/provisioner-name: x, karpenter.k8s.aws/ec2nodeclass: "
                                "awsnodetemplate/t}, ownerReferences: [{apiVersion: karpenter.sh/v1, kind: NodePool, "
                                "name: provisioner/x, uid: u}]}, spec: {expireAfter: Never, nodeClassRef: {name: "
                                "awsnodetemplate/t}, requirements: [{key: karpenter.sh/nodepool, operator: In, values: "
                                "[provisioner/x]}, {key: a, operator: Exists, minValues: 2}]}}");
    Value provisioner = parse(&arena, PROVISIONER("providerRef: {name: t}"));
    Value machine = carry_claim(&arena, &claim, &provisioner), again;

    assert_part(machine, "kind", "\"Machine\"");
    assert_part(machine, "metadata generateName", "\"x-\"");
    assert_part(machine, "metadata labels",
                "{\"karpenter.sh/provisioner-name\":\"x\",\"karpenter.k8s.aws/ec2nodeclass\":\"awsnodetemplate_t\"}");
    assert_part(machine, "metadata ownerReferences 0 kind", "\"Provisioner\"");
    assert_part(machine, "metadata ownerReferences 0 name", "\"x\"");
    assert_part(machine, "spec machineTemplateRef name", "\"t\"");
    assert_part(machine, "spec requirements", "[{\"key\":\"a\",\"operator\":\"Exists\"}]");
    again = present_machine(&arena, &machine);
    assert_part(again, "metadata labels karpenter.sh/nodepool", "\"provisioner/x\"");
    assert_part(again, "metadata labels karpenter.k8s.aws/ec2nodeclass", "\"awsnodetemplate/t\"");
    assert_part(again, "metadata ownerReferences 0 name", "\"provisioner/x\"");
    assert_part(again, "spec nodeClassRef name", "\"awsnodetemplate/t\"");
    arena_free(&arena);
}

TEST(old_status_lies_where_the_kind_has_a_place_for_it) {
    Arena arena = {0};
    Value machine = parse(&arena, "{apiVersion: karpenter.sh/v1alpha5, kind: Machine, metadata: {name: m, annotations: "
                                  "{tenon.sh/status: '{\"imageID\":\"ami-1\"}'}}}");
    Value patch = parse(&arena, "{status: {nodeName: n1, lastPodEventTime: t, conditions: [{type: Launched}, {type: "
                                "Ready}]}}");
    CarriedStatus carried = carry_status_patch(&arena, KUBE_NODE_CLAIM, &machine, &patch);

    assert_part(carried.status, "status",
                "{\"nodeName\":\"n1\",\"conditions\":[{\"type\":\"MachineLaunched\"},{\"type\":\"Ready\"}]}");
    assert_part(carried.metadata, "metadata annotations tenon.sh/status",
                "\"{\\\"imageID\\\":\\\"ami-1\\\",\\\"lastPodEventTime\\\":\\\"t\\\"}\"");
    arena_free(&arena);
}

// The definitions of 2023 drop observedGeneration.
TEST(old_conditions_are_of_the_present_generation) {
    Arena arena = {0};
    Value machine =
        parse(&arena, "{metadata: {name: m, generation: 3}, status: {conditions: [{type: MachineLaunched}]}}");
    Value claim = present_machine(&arena, &machine);

    assert_part(claim, "status conditions 0", "{\"type\":\"Launched\",\"observedGeneration\":3}");
    arena_free(&arena);
}

TEST(old_objects_have_events_of_their_own) {
    Arena arena = {0};
    Value event = parse(&arena, "{metadata: {name: provisioner/x.1, namespace: default}, involvedObject: {apiVersion: "
                                "karpenter.sh/v1, kind: NodePool, name: provisioner/x}}");
    Value carried = carry_event(&arena, &event);

    assert_part(carried, "metadata name", "\"x.1\"");
    assert_part(carried, "involvedObject",
                "{\"apiVersion\":\"karpenter.sh/v1alpha5\",\"kind\":\"Provisioner\","
                "\"name\":\"x\"}");
    arena_free(&arena);
}

// Reference legacy.md 5.6.
TEST(texts_call_old_objects_as_their_kinds_are_called) {
    static const char *const texts[][2] = {
        {"Pod should schedule on: nodeclaim/machine/a-x1, node/n", "Pod should schedule on: machine/a-x1, node/n"},
        {"raise limit cpu of nodepool provisioner/a by 2, or of nodepool b",
         "raise limit cpu of provisioner a by 2, or of nodepool b"},
        {"NodeClaim machine/a-x1 event: no capacity", "Machine a-x1 event: no capacity"},
        {"NodePool \"provisioner/a\" has consolidation disabled", "Provisioner \"a\" has consolidation disabled"},
        {"nodeclaim/a, NodePool \"b\"", "nodeclaim/a, NodePool \"b\""},
        {"", ""},
    };
    Arena arena = {0};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(slice_eq_text(carry_text(&arena, slice_of(texts[i][0])), texts[i][1]));
    arena_free(&arena);
}

TEST(an_event_about_a_pod_names_the_machine) {
    Arena arena = {0};
    Value event =
        parse(&arena, "{metadata: {name: p.1}, involvedObject: {apiVersion: v1, kind: Pod, name: p}, message: "
                      "'Pod should schedule on: nodeclaim/machine/a-x1'}");
    Value carried = carry_event(&arena, &event);

    assert_part(carried, "message", "\"Pod should schedule on: machine/a-x1\"");
    assert_part(carried, "involvedObject kind", "\"Pod\"");
    arena_free(&arena);
}

// Without network interfaces as a limit, 110 pods: reference legacy.md 2.3 and 5.5.
TEST(without_eni_limits_nodes_have_110_pods_unless_a_provisioner_says) {
    static const PresentSettings settings = {.global = {.unlimited_pods = true}};
    Arena arena = {0};
    Value template = parse(&arena, TEMPLATE), class;
    PresentedProvisioner shown;

    assert_int_equal(present_template(&arena, &settings, SLICE("a.yaml"), &template, &class, NULL), OK);
    assert_part(class, "spec kubelet", "{\"maxPods\":110}");
    shown = present(&arena, &settings, PROVISIONER("providerRef: {name: t}"), TEMPLATE);
    assert_false(shown.has_class); // it shares that of the template
    shown = present(&arena, &settings, PROVISIONER("providerRef: {name: t}, kubeletConfiguration: {podsPerCore: 4}"),
                    TEMPLATE);
    assert_part(shown.class, "spec kubelet", "{\"podsPerCore\":4,\"maxPods\":110}");
    shown = present(&arena, &settings, PROVISIONER("providerRef: {name: t}, kubeletConfiguration: {maxPods: 20}"),
                    TEMPLATE);
    assert_part(shown.class, "spec kubelet", "{\"maxPods\":20}");
    shown = present(
        &arena, &settings,
        PROVISIONER("provider: {instanceProfile: p, subnetSelector: {a: b}, securityGroupSelector: {a: b}}"), NULL);
    assert_part(shown.class, "spec kubelet", "{\"maxPods\":110}");
    arena_free(&arena);
}

TEST(r022_tags_of_the_settings_are_those_of_every_template_that_does_not_set_them) {
    static TextPair pairs[] = {{SLICE_INIT("team"), SLICE_INIT("x"), 0}};
    PresentSettings settings = {.global = {.tags = {.items = pairs, .count = 1}}};
    Arena arena = {0};
    Value template = parse(&arena, TEMPLATE), class;

    assert_int_equal(present_template(&arena, &settings, SLICE("a.yaml"), &template, &class, NULL), OK);
    assert_part(class, "spec tags", "{\"team\":\"x\"}");
    arena_free(&arena);
}

TEST(r154_settings_that_cannot_be_read_stay_as_they_were) {
    static const struct {
        const char *data, *key, *expected;
    } rows[] = {
        {"aws.tags: '[1]'", "aws.tags", "expected a JSON object of texts, at most 1000"},
        {"aws.tags: '{\"a\": 1}'", "aws.tags", "expected a JSON object of texts, at most 1000"},
        {"featureGates.driftEnabled: maybe", "featureGates.driftEnabled", "expected true or false, got \"maybe\""},
        {"aws.enableENILimitedPodDensity: '0'", "aws.enableENILimitedPodDensity", "expected true or false, got \"0\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Arena arena = {0};
        Value object = parse(&arena, arena_text(&arena, arena_printf(&arena, "{data: {%s}}", rows[i].data)));
        GlobalSettings settings = {.drifts = true, .unlimited_pods = true};
        BadSettingVec bad = {0};

        global_settings_read(&arena, &object, &settings, &bad);
        assert_int_equal(bad.count, 1);
        assert_string_equal(arena_text(&arena, bad.items[0].key), rows[i].key);
        assert_string_equal(arena_text(&arena, bad.items[0].expected), rows[i].expected);
        assert_true(settings.drifts && settings.unlimited_pods && !settings.tags.count);
        arena_free(&arena);
    }
}

// Reference legacy.md 4, 5.2: marks of their own for expiration and drift.
TEST(r078_an_expired_machine_says_so_in_a_condition_of_its_own) {
    Arena arena = {0};
    Value machine = parse(&arena, "{metadata: {name: m}}"), claim;
    Value patch =
        parse(&arena, "{status: {conditions: [{type: Drifted, status: 'True', reason: Expired}, {type: Ready, "
                      "status: 'True'}]}}");
    CarriedStatus carried = carry_status_patch(&arena, KUBE_NODE_CLAIM, &machine, &patch);

    assert_part(carried.status, "status conditions 0",
                "{\"type\":\"MachineExpired\",\"status\":\"True\",\"reason\":\"Expired\"}");
    value_put(&arena, &machine, SLICE("status"), *value_get_text(&carried.status, "status"));
    claim = present_machine(&arena, &machine);
    assert_part(claim, "status conditions 0 type", "\"Drifted\"");
    assert_part(claim, "status conditions 0 reason", "\"Expired\"");
    // As Karpenter 0.31 left them: both.
    machine =
        parse(&arena, "{metadata: {name: m}, status: {conditions: [{type: MachineDrifted, status: 'True', reason: "
                      "''}, {type: MachineExpired, status: 'True', severity: Warning}]}}");
    claim = present_machine(&arena, &machine);
    assert_part(claim, "status conditions 0 type", "\"Drifted\"");
    assert_part(claim, "status conditions 0 reason", "\"Expired\"");
    assert_part(claim, "status conditions 1", "");
    patch = parse(&arena, "{status: {conditions: [{type: Drifted, status: 'True', reason: AMIDrift}]}}");
    carried = carry_status_patch(&arena, KUBE_NODE_CLAIM, &machine, &patch);
    assert_part(carried.status, "status conditions 0 type", "\"MachineDrifted\"");
    arena_free(&arena);
}

// What no definition has refused, as in a file for `tenon plan`.
TEST(a_machine_with_wrong_types_is_shown_without_them) {
    static const char *const machines[] = {
        "{kind: Machine}",
        "{metadata: 7, spec: x, status: []}",
        "{metadata: {name: [], labels: 3, ownerReferences: [4, {}], annotations: 5}, spec: {requirements: {}, "
        "machineTemplateRef: 2, kubelet: x, taints: 1}, status: {conditions: [1, {type: 2}, {}]}}",
        "{metadata: {labels: {karpenter.sh/provisioner-name: 1}, annotations: {tenon.sh/status: '[1]'}}, status: "
        "{conditions: 4}}",
    };

    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        Arena arena = {0};
        Value machine = parse(&arena, machines[i]), claim = present_machine(&arena, &machine);

        assert_part(claim, "kind", "\"NodeClaim\"");
        assert_part(claim, "spec nodeClassRef kind", "\"EC2NodeClass\"");
        arena_free(&arena);
    }
}
