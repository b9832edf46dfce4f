// The converter's rules one by one. Reference legacy.md 6.1 and 6.3; upstream: tools/karpenter-convert of v0.32 and the
// conversion webhooks of v1.0.
#include "legacy/convert.h"

#include "model/manifest/object.h"
#include "model/names.h"
#include "text/json.h"
#include "text/yaml.h"

#include "harness/test.h"

typedef struct {
    Arena arena;
    ConvertRequest request;
    Converted converted;
    Err err;
} Case;

static ErrCode convert(Case *run, const char *yaml, ConvertTarget target) {
    WarningVec warnings = {0};

    run->request.target = target;
    run->request.documents.count = 0;
    if (yaml_parse(&run->arena, SLICE("a.yaml"), slice_of(yaml), &(ParseOptions){0}, &run->request.documents, &warnings,
                   &run->err) != OK)
        fail_msg("%s", run->err.text);
    return legacy_convert(&run->arena, &run->request, &run->converted, &run->err);
}

static void convert_well(Case *run, const char *yaml, ConvertTarget target) {
    if (convert(run, yaml, target) != OK)
        fail_msg("%s", run->err.text);
}

// A part of an object as JSON; "" when absent. `path`: keys and indexes, separated by blanks.
static const char *part(Case *run, uint32_t object, const char *path) {
    const Value *value = &run->converted.objects.items[object];
    Slice rest = slice_of(path);
    Buffer json = {0};
    const char *text;

    assert_in_range(object, 0, run->converted.objects.count - 1);
    while (rest.len && value) {
        ptrdiff_t blank = slice_find(rest, ' ');
        Slice key = blank < 0 ? rest : slice_first(rest, (size_t)blank);
        int64_t index;

        rest = slice_from(rest, key.len + 1);
        if (value->kind == VALUE_LIST && slice_to_int64(key, &index))
            value = index < value->list.count ? &value->list.items[index] : NULL;
        else
            value = value_get(value, key);
    }
    if (!value)
        return "";
    json_print(&json, value, false);
    text = arena_text(&run->arena, buffer_slice(&json));
    buffer_free(&json);
    return text;
}

// The codes of the warnings in order: "W04 W08".
static const char *codes(Case *run) {
    Slice text = SLICE("");

    for (vec_each(const Warning, warning, &run->converted.warnings)) {
        const char *code = strstr(arena_text(&run->arena, warning->text), ": W");

        assert_non_null(code);
        text = arena_printf(&run->arena, "%.*s%s%.3s", SLICE_ARG(text), text.len ? " " : "", code + 2);
    }
    return arena_text(&run->arena, text);
}

static void assert_v1_is_sound(Case *run) {
    for (vec_each(const Value, object, &run->converted.objects)) {
        Slice api_version = value_get_text(object, "apiVersion")->text, kind = value_get_text(object, "kind")->text;
        Slice group = slice_first(api_version, (size_t)slice_find(api_version, '/'));
        size_t size = object_decoded_size(group, kind);
        Symbols symbols;

        if (slice_eq(kind, SLICE("ConfigMap")))
            continue;
        assert_true(slice_ends_with(api_version, SLICE("/v1")));
        assert_true(size > 0);
        names_init(&symbols);
        if (object_decode(&run->arena, &symbols, group, kind, object, arena_alloc(&run->arena, size), &run->err) != OK)
            fail_msg("%s", run->err.text);
        symbols_free(&symbols);
    }
}

#define POOL(spec)                                                                                                     \
    "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: p}\nspec: {providerRef: {name: t}, "       \
    "requirements: [{key: kubernetes.io/os, operator: Exists}, {key: kubernetes.io/arch, operator: Exists}, {key: "    \
    "karpenter.sh/capacity-type, operator: Exists}, {key: node.kubernetes.io/instance-type, operator: Exists}], " spec \
    "}\n"
#define CLASS(spec)                                                                                                    \
    "---\napiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: t}\nspec: "                  \
    "{instanceProfile: i, subnetSelector: {a: b}, securityGroupSelector: {c: d}, " spec "}\n"
#define SETTINGS(data)                                                                                                 \
    "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: karpenter-global-settings}\ndata: {" data "}\n"
#define BETA_POOL(name, spec)                                                                                          \
    "---\napiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: " name "}\nspec: {template: {spec: "      \
    "{requirements: [], nodeClassRef: {name: t}" spec "\n"
#define BETA_CLASS(spec)                                                                                               \
    "---\napiVersion: karpenter.k8s.aws/v1beta1\nkind: EC2NodeClass\nmetadata: {name: t}\nspec: {role: r, "            \
    "subnetSelectorTerms: [{tags: {a: b}}], securityGroupSelectorTerms: [{tags: {a: b}}], " spec "}\n"

// A row: input, one object of the output, a part of it as JSON, the codes of all warnings.
typedef struct {
    const char *name, *yaml;
    ConvertTarget target;
    uint32_t object;
    const char *path, *json, *codes;
} Row;

static Row rows[] = {
    {"R050: ttlSecondsAfterEmpty", POOL("ttlSecondsAfterEmpty: 0"), CONVERT_TO_V1BETA1, 0, "spec disruption",
     "{\"consolidationPolicy\":\"WhenEmpty\",\"consolidateAfter\":\"0s\",\"expireAfter\":\"Never\"}", "W07 W08"},
    {"R138: consolidation", POOL("consolidation: {enabled: true}"), CONVERT_TO_V1BETA1, 0, "spec disruption",
     "{\"consolidationPolicy\":\"WhenUnderutilized\",\"expireAfter\":\"Never\"}", "W07 W08"},
    {"R138: consolidation in v1", POOL("consolidation: {enabled: true}"), CONVERT_TO_V1, 0, "spec disruption",
     "{\"consolidationPolicy\":\"WhenEmptyOrUnderutilized\",\"consolidateAfter\":\"0s\"}", "W07 W08"},
    {"neither", POOL("weight: 3"), CONVERT_TO_V1, 0, "spec disruption",
     "{\"consolidationPolicy\":\"WhenEmpty\",\"consolidateAfter\":\"Never\"}", "W06 W07 W08"},
    {"R049: ttlSecondsUntilExpired", POOL("ttlSecondsUntilExpired: 30, ttlSecondsAfterEmpty: 1"), CONVERT_TO_V1, 0,
     "spec template spec expireAfter", "\"30s\"", "W08 W07"},
    {"R037: weight", POOL("weight: 50, ttlSecondsAfterEmpty: 1"), CONVERT_TO_V1, 0, "spec weight", "50", "W07 W08"},
    {"R035 R142: taints",
     POOL("ttlSecondsAfterEmpty: 1, taints: [{key: nvidia.com/gpu, value: \"true\", effect: NoSchedule}]"),
     CONVERT_TO_V1, 0, "spec template spec taints",
     "[{\"key\":\"nvidia.com/gpu\",\"value\":\"true\",\"effect\":\"NoSchedule\"}]", "W07 W08"},
    {"R137: limits of any resource", POOL("ttlSecondsAfterEmpty: 1, limits: {resources: {nvidia.com/gpu: 16}}"),
     CONVERT_TO_V1, 0, "spec limits", "{\"nvidia.com/gpu\":16}", "W07 W08"},
    {"R139: a misplaced member", POOL("ttlSecondsAfterEmpty: 1, consolidation: {ttlSecondsUntilExpired: 5}"),
     CONVERT_TO_V1BETA1, 0, "spec disruption expireAfter", "\"Never\"", "W02 W07 W08"},
    {"a veto among the annotations",
     POOL("ttlSecondsAfterEmpty: 1, annotations: {karpenter.sh/do-not-consolidate: \"true\"}"), CONVERT_TO_V1, 0,
     "spec template metadata annotations", "{\"karpenter.sh/do-not-disrupt\":\"true\"}", "W16 W07 W08"},
    {"a label that is gone", POOL("ttlSecondsAfterEmpty: 1, labels: {karpenter.k8s.aws/instance-pods: \"8\", a: b}"),
     CONVERT_TO_V1, 0, "spec template metadata", "{\"labels\":{\"a\":\"b\"}}", "W20 W07 W08"},
    {"R051: the kubelet's runtime alone",
     POOL("ttlSecondsAfterEmpty: 1, kubeletConfiguration: {containerRuntime: containerd}"), CONVERT_TO_V1BETA1, 0,
     "spec template spec kubelet", "", "W09 W07 W08"},

    {"R018: no family", CLASS(""), CONVERT_TO_V1BETA1, 0, "spec amiFamily", "\"AL2\"", "W15"},
    {"Bottlerocket", CLASS("amiFamily: Bottlerocket"), CONVERT_TO_V1, 0, "spec amiSelectorTerms",
     "[{\"alias\":\"bottlerocket@latest\"}]", "W14"},
    {"images of one's own keep the family",
     CLASS("amiFamily: Bottlerocket, amiSelector: {\"aws::ids\": \"ami-1, ami-2\"}"), CONVERT_TO_V1, 0,
     "spec amiFamily", "\"Bottlerocket\"", "W14"},
    {"ids are a term each", CLASS("amiFamily: Bottlerocket, amiSelector: {\"aws::ids\": \"ami-1, ami-2\"}"),
     CONVERT_TO_V1, 0, "spec amiSelectorTerms", "[{\"id\":\"ami-1\"},{\"id\":\"ami-2\"}]", "W14"},
    {"names, owners and tags multiply",
     CLASS("amiFamily: Bottlerocket, amiSelector: {\"aws::name\": \"x,y\", \"aws::owners\": self, k: v}"),
     CONVERT_TO_V1BETA1, 0, "spec amiSelectorTerms",
     "[{\"name\":\"x\",\"owner\":\"self\",\"tags\":{\"k\":\"v\"}},{\"name\":\"y\",\"owner\":\"self\",\"tags\":{\"k\":"
     "\"v\"}}]",
     "W11 W21"},
    {"Ubuntu without images", CLASS("amiFamily: Ubuntu"), CONVERT_TO_V1, 0, "spec blockDeviceMappings 0 deviceName",
     "\"/dev/sda1\"", "W15 W15 W14"},
    {"Ubuntu says what was changed", CLASS("amiFamily: Ubuntu, amiSelector: {k: v}"), CONVERT_TO_V1, 0,
     "metadata annotations", "{\"compatibility.karpenter.k8s.aws/v1beta1-ubuntu\":\"amiFamily,blockDeviceMappings\"}",
     "W15 W21 W14"},
    {"a partial block of metadata options", CLASS("amiFamily: Bottlerocket, metadataOptions: {httpTokens: required}"),
     CONVERT_TO_V1, 0, "spec metadataOptions",
     "{\"httpTokens\":\"required\",\"httpEndpoint\":\"enabled\",\"httpProtocolIPv6\":\"disabled\","
     "\"httpPutResponseHopLimit\":1}",
     "W13"},
    {"a tag of Karpenter's", CLASS("amiFamily: Bottlerocket, tags: {karpenter.sh/nodepool: x, a: b}"),
     CONVERT_TO_V1BETA1, 0, "spec tags", "{\"a\":\"b\"}", "W18"},
    {"commas are alternatives",
     "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: t}\nspec: {amiFamily: "
     "Bottlerocket, "
     "instanceProfile: i, subnetSelector: {a: \"b,c\", d: e}, securityGroupSelector: {aws-ids: sg-1, a: b}}\n",
     CONVERT_TO_V1BETA1, 0, "spec subnetSelectorTerms",
     "[{\"tags\":{\"a\":\"b\",\"d\":\"e\"}},{\"tags\":{\"a\":\"c\",\"d\":\"e\"}}]", "W11 W12"},
    {"metadata is what a manifest has",
     "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: t, uid: u, resourceVersion: "
     "\"1\", "
     "labels: {a: b}, annotations: {kubectl.kubernetes.io/last-applied-configuration: x}}\nspec: {amiFamily: "
     "Bottlerocket, "
     "instanceProfile: i, subnetSelector: {a: b}, securityGroupSelector: {a: b}}\nstatus: {subnets: []}\n",
     CONVERT_TO_V1BETA1, 0, "metadata", "{\"name\":\"t\",\"labels\":{\"a\":\"b\"}}", ""},

    {"hashes of the old kinds",
     "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: t, annotations: "
     "{karpenter.k8s.aws/nodetemplate-hash: \"1\", karpenter.sh/provisioner-hash: \"2\"}}\nspec: {amiFamily: "
     "Bottlerocket, instanceProfile: i, subnetSelector: {a: b}, securityGroupSelector: {a: b}}\n",
     CONVERT_TO_V1BETA1, 0, "metadata", "{\"name\":\"t\"}", ""},
    {"W19: tags of all classes",
     CLASS("amiFamily: Bottlerocket, tags: {a: mine}")
         SETTINGS("aws.tags: '{\"a\": \"b\", \"team\": \"x\", \"karpenter.sh/nodepool\": \"y\"}'"),
     CONVERT_TO_V1BETA1, 0, "spec tags", "{\"a\":\"mine\",\"team\":\"x\"}", "W19 W18"},
    {"W19: tags that the class has itself",
     CLASS("amiFamily: Bottlerocket, tags: {a: mine}") SETTINGS("aws.tags: '{\"a\": \"b\"}'"), CONVERT_TO_V1BETA1, 0,
     "spec tags", "{\"a\":\"mine\"}", ""},
    {"W19: pods that interfaces do not limit",
     POOL("ttlSecondsAfterEmpty: 1") SETTINGS("aws.enableENILimitedPodDensity: \"false\""), CONVERT_TO_V1BETA1, 0,
     "spec template spec kubelet", "{\"maxPods\":110}", "W19 W07 W08"},
    {"W19: a limit of one's own",
     POOL("ttlSecondsAfterEmpty: 1, kubeletConfiguration: {maxPods: 20}")
         SETTINGS("aws.enableENILimitedPodDensity: \"false\""),
     CONVERT_TO_V1BETA1, 0, "spec template spec kubelet", "{\"maxPods\":20}", "W07 W08"},
    {"W19: in v1 that is the class's",
     POOL("ttlSecondsAfterEmpty: 1") CLASS("amiFamily: Bottlerocket")
         SETTINGS("aws.enableENILimitedPodDensity: \"false\""),
     CONVERT_TO_V1, 1, "spec kubelet", "{\"maxPods\":110}", "W19 W07 W08 W14"},
    {"W19: pod-eni", POOL("ttlSecondsAfterEmpty: 1") SETTINGS("aws.enablePodENI: \"true\""), CONVERT_TO_V1BETA1, 1,
     "data", "{\"aws.enablePodENI\":\"true\"}", "W19 W07 W08"},

    {"v1beta1: an empty NodePool has its defaults", BETA_POOL("p", "}}}"), CONVERT_TO_V1, 0, "spec disruption",
     "{\"consolidationPolicy\":\"WhenEmptyOrUnderutilized\",\"consolidateAfter\":\"0s\"}", "W07"},
    {"v1beta1: expireAfter moves", BETA_POOL("p", "}}, disruption: {expireAfter: Never, budgets: [{nodes: \"1\"}]}}"),
     CONVERT_TO_V1, 0, "spec template spec expireAfter", "\"Never\"", ""},
    {"v1beta1: budgets stay", BETA_POOL("p", "}}, disruption: {expireAfter: Never, budgets: [{nodes: \"1\"}]}}"),
     CONVERT_TO_V1, 0, "spec disruption budgets", "[{\"nodes\":\"1\"}]", ""},
    {"v1beta1: the reference", BETA_POOL("p", "}}, disruption: {expireAfter: Never}}"), CONVERT_TO_V1, 0,
     "spec template spec nodeClassRef", "{\"group\":\"karpenter.k8s.aws\",\"kind\":\"EC2NodeClass\",\"name\":\"t\"}",
     ""},
    {"v1beta1: a kubelet whose class is not here",
     BETA_POOL("p", ", kubelet: {maxPods: 8}}}, disruption: {expireAfter: Never}}"), CONVERT_TO_V1, 0,
     "metadata annotations", "{\"compatibility.karpenter.sh/v1beta1-kubelet-conversion\":\"{\\\"maxPods\\\":8}\"}",
     "W10"},
    {"v1beta1: a kubelet goes to its class",
     BETA_CLASS("amiFamily: AL2") BETA_POOL("p", ", kubelet: {maxPods: 8}}}, disruption: {expireAfter: Never}}"),
     CONVERT_TO_V1, 0, "spec kubelet", "{\"maxPods\":8}", "W14"},
    {"v1beta1: to v1beta1 it stays", BETA_POOL("p", ", kubelet: {maxPods: 8}}}}"), CONVERT_TO_V1BETA1, 0,
     "spec template spec kubelet", "{\"maxPods\":8}", ""},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

TEST_EACH(Row, row, a_rule_of_the_converter, list_rows) {
    Case run = {0};

    convert_well(&run, row->yaml, row->target);
    assert_string_equal(part(&run, row->object, row->path), row->json);
    assert_string_equal(codes(&run), row->codes);
    if (row->target == CONVERT_TO_V1)
        assert_v1_is_sound(&run);
    arena_free(&run.arena);
}

// Errors.

typedef struct {
    const char *name, *yaml, *error;
} Refusal;

static Refusal refusals[] = {
    {"E01: a launch template",
     "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: t}\nspec: {launchTemplate: mine, "
     "subnetSelector: {a: b}}\n",
     "a.yaml:1: AWSNodeTemplate t: E01 cannot convert with \"spec.launchTemplate\""},
    {"E02: TTL and consolidation", POOL("ttlSecondsAfterEmpty: 1, consolidation: {enabled: true}, weight: 0"),
     "a.yaml:1: Provisioner p: E02 validation failed: expected 1 <= 0 <= 100: spec.weight; expected exactly one, got "
     "both: "
     "spec.consolidation.enabled, spec.ttlSecondsAfterEmpty"},
    {"E02: no provider", "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: p}\n",
     "a.yaml:1: Provisioner p: E02 validation failed: expected exactly one, got neither: spec.provider, "
     "spec.providerRef"},
    {"W09: dockerd", POOL("kubeletConfiguration: {containerRuntime: dockerd}"),
     "a.yaml:1: Provisioner p: W09 spec.kubeletConfiguration.containerRuntime: dockerd is gone"},
    {"more terms than a class may have",
     "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: t}\nspec: "
     "{securityGroupSelector: "
     "{a: b}, subnetSelector: {a: \"1,2,3,4\", b: \"1,2,3,4\", c: \"1,2,3,4\"}}\n",
     "a.yaml:1: AWSNodeTemplate t: spec.subnetSelector: it would take more than 30 terms"},
    {"two pools of one name", POOL("ttlSecondsAfterEmpty: 1") BETA_POOL("p", "}}}"),
     "a.yaml:6: NodePool p: another object of line 1 would have its name"},
    {"a wrong type", POOL("weight: heavy"), "spec.weight: expected number, got string (a.yaml:4, Provisioner p)"},
    {"W19: tags that are no texts", CLASS("") SETTINGS("aws.tags: '{\"a\": 1}'"),
     "a.yaml:7: ConfigMap karpenter-global-settings: data.aws.tags: expected a JSON object of texts, at most 1000"},
    {"Custom without images", BETA_CLASS("amiFamily: Custom"),
     "a.yaml:2: EC2NodeClass t: spec.amiSelectorTerms: amiFamily Custom needs them"},
};

static void list_refusals(TestCases *cases) {
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        test_case(cases, refusals[i].name, &refusals[i]);
}

TEST_EACH(Refusal, row, what_cannot_be_converted_is_refused, list_refusals) {
    Case run = {0};

    assert_int_not_equal(convert(&run, row->yaml, CONVERT_TO_V1), OK);
    assert_string_equal(run.err.text, row->error);
    arena_free(&run.arena);
}

// Several objects.

// W10: three pools of one class, two kubelets.
TEST(a_class_is_split_where_kubelets_differ) {
    Case run = {0};

    convert_well(&run,
                 BETA_POOL("a", "}}, disruption: {expireAfter: Never}}")
                     BETA_POOL("b", ", kubelet: {maxPods: 8}}}, disruption: {expireAfter: Never}}")
                         BETA_CLASS("amiFamily: AL2, metadataOptions: {httpPutResponseHopLimit: 2}")
                             BETA_POOL("c", ", kubelet: {maxPods: 8}}}, disruption: {expireAfter: Never}}"),
                 CONVERT_TO_V1);
    assert_int_equal(run.converted.objects.count, 5);
    assert_string_equal(part(&run, 0, "spec template spec nodeClassRef name"), "\"t\"");
    assert_string_equal(part(&run, 1, "spec template spec nodeClassRef name"), "\"t-2\"");
    assert_string_equal(part(&run, 3, "spec template spec nodeClassRef name"), "\"t-2\"");
    assert_string_equal(part(&run, 2, "spec kubelet"), "");
    assert_string_equal(part(&run, 4, "metadata name"), "\"t-2\"");
    assert_string_equal(part(&run, 4, "spec kubelet"), "{\"maxPods\":8}");
    assert_string_equal(part(&run, 4, "spec amiSelectorTerms"), "[{\"alias\":\"al2@latest\"}]");
    assert_string_equal(codes(&run), "W10");
    assert_v1_is_sound(&run);
    arena_free(&run.arena);
}

// R131: an inline provider whose name another class has already.
TEST(an_inline_provider_gets_a_class_of_its_own) {
    Case run = {0};

    convert_well(&run,
                 "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: t}\nspec: {provider: "
                 "{amiFamily: Bottlerocket, subnetSelector: {a: b}, securityGroupSelector: {a: b}}}\n" CLASS(
                     "amiFamily: Bottlerocket"),
                 CONVERT_TO_V1);
    assert_int_equal(run.converted.objects.count, 3);
    assert_string_equal(part(&run, 0, "spec template spec nodeClassRef name"), "\"t-2\"");
    assert_string_equal(part(&run, 1, "metadata name"), "\"t-2\"");
    assert_string_equal(part(&run, 2, "metadata name"), "\"t\"");
    assert_v1_is_sound(&run);
    arena_free(&run.arena);
}

// S12: the instance profile of the global settings.
TEST(the_global_settings_say_which_profile_nodes_have) {
    Case run = {0};

    convert_well(
        &run,
        "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: t}\nspec: {amiFamily: "
        "Bottlerocket, subnetSelector: {a: b}, securityGroupSelector: {a: b}}\n---\napiVersion: v1\nkind: "
        "ConfigMap\nmetadata: {name: karpenter-global-settings, namespace: karpenter}\ndata: "
        "{aws.defaultInstanceProfile: KarpenterNodeInstanceProfile}\n",
        CONVERT_TO_V1BETA1);
    assert_string_equal(part(&run, 0, "spec instanceProfile"), "\"KarpenterNodeInstanceProfile\"");
    assert_string_equal(part(&run, 0, "spec role"), "");
    assert_string_equal(codes(&run), "W05");
    arena_free(&run.arena);
}

// Those that are named apart are not printed, and weigh more.
TEST(settings_apart_from_the_objects_are_not_printed) {
    Case run = {0};
    WarningVec warnings = {0};

    assert_int_equal(yaml_parse(&run.arena, SLICE("s.yaml"), SLICE(SETTINGS("aws.defaultInstanceProfile: apart")),
                                &(ParseOptions){0}, &run.request.settings, &warnings, &run.err),
                     OK);
    convert_well(
        &run,
        "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: t}\nspec: {amiFamily: "
        "Bottlerocket, subnetSelector: {a: b}, securityGroupSelector: {a: b}}\n" SETTINGS(
            "aws.defaultInstanceProfile: beside"),
        CONVERT_TO_V1BETA1);
    assert_int_equal(run.converted.objects.count, 2);
    assert_string_equal(part(&run, 0, "spec instanceProfile"), "\"apart\"");
    arena_free(&run.arena);
}

// The webhook's requirements are somebody else's to write.
TEST(defaults_can_be_left_out) {
    Case run = {.request.ignores_defaults = true};

    convert_well(
        &run,
        "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: p}\nspec: {providerRef: {name: "
        "t}, ttlSecondsAfterEmpty: 1, requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}]}\n",
        CONVERT_TO_V1BETA1);
    assert_string_equal(part(&run, 0, "spec template spec requirements"),
                        "[{\"key\":\"kubernetes.io/arch\",\"operator\":\"In\",\"values\":[\"arm64\"]}]");
    assert_string_equal(codes(&run), "W07 W08");
    arena_free(&run.arena);
}

#define BETA_CLAIM(name, pool)                                                                                         \
    "---\napiVersion: karpenter.sh/v1beta1\nkind: NodeClaim\nmetadata: {name: " name ", labels: "                      \
    "{karpenter.sh/nodepool: " pool "}}\nspec: {requirements: [], nodeClassRef: {name: t}}\n"

// A claim may stand before its NodePool, and this may be of v1 already.
TEST(node_claims_live_as_long_as_their_node_pool_says) {
    Case run = {0};

    convert_well(
        &run,
        BETA_CLAIM("a", "p") BETA_POOL("p", "}}, disruption: {expireAfter: 5h}}") BETA_CLAIM("b", "new")
            BETA_CLAIM("c", "gone") "---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: new}\nspec: "
                                    "{template: {spec: {expireAfter: 7h, requirements: [], nodeClassRef: {group: g, "
                                    "kind: k, name: t}}}}\n",
        CONVERT_TO_V1);
    assert_string_equal(part(&run, 0, "spec expireAfter"), "\"5h\"");
    assert_string_equal(part(&run, 2, "spec expireAfter"), "\"7h\"");
    assert_string_equal(part(&run, 3, "spec expireAfter"), "");
    assert_string_equal(codes(&run), "W07 W07"); // the pool's nodes are drained at once; c has no pool
    assert_v1_is_sound(&run);
    arena_free(&run.arena);
}

// R013 W17: the controller's affinity of seed 002; W16; W22; Lists.
TEST(other_objects_pass_and_what_they_say_of_old_labels_is_told) {
    Case run = {0};

    convert_well(
        &run,
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {template: {spec: {affinity: "
        "{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: "
        "[{key: karpenter.sh/provisioner-name, operator: DoesNotExist}]}]}}}}}}}\n"
        "- {apiVersion: v1, kind: Pod, metadata: {name: w, annotations: {karpenter.sh/do-not-evict: \"true\"}}}\n"
        "- {apiVersion: karpenter.sh/v1alpha5, kind: Machine, metadata: {name: m}}\n"
        "---\njust a text\n",
        CONVERT_TO_V1);
    assert_int_equal(run.converted.objects.count, 3);
    assert_string_equal(part(&run, 0, "kind"), "\"Deployment\"");
    assert_string_equal(part(&run, 1, "metadata annotations"), "{\"karpenter.sh/do-not-evict\":\"true\"}");
    assert_string_equal(part(&run, 2, ""), "\"just a text\"");
    assert_string_equal(codes(&run), "W17 W16 W22");
    arena_free(&run.arena);
}

TEST(v1_objects_stay_as_they_are) {
    static const char yaml[] =
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p, uid: u}\nspec: {a: 1}\n"
        "status: {b: 2}\n";
    Case run = {0};

    convert_well(&run, yaml, CONVERT_TO_V1BETA1);
    convert_well(&run, yaml, CONVERT_TO_V1);
    assert_string_equal(
        part(&run, 0, ""),
        "{\"apiVersion\":\"karpenter.sh/v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"p\",\"uid\":"
        "\"u\"},\"spec\":{\"a\":1},\"status\":{\"b\":2}}");
    assert_string_equal(codes(&run), "");
    arena_free(&run.arena);
}

TEST(a_node_claim_leaves_its_kubelet_in_an_annotation) {
    Case run = {0};

    convert_well(
        &run,
        "apiVersion: karpenter.sh/v1beta1\nkind: NodeClaim\nmetadata: {name: c}\nspec: {requirements: [], "
        "nodeClassRef: {apiVersion: karpenter.k8s.aws/v1beta1, kind: EC2NodeClass, name: t}, kubelet: {maxPods: "
        "3}, resources: {requests: {cpu: 1}}}\n",
        CONVERT_TO_V1);
    assert_string_equal(part(&run, 0, "spec resources"), "{\"requests\":{\"cpu\":1}}");
    assert_string_equal(part(&run, 0, "spec kubelet"), "");
    assert_string_equal(codes(&run), "W07 W10");
    assert_v1_is_sound(&run);
    arena_free(&run.arena);
}

TEST(lists_in_lists_are_taken_apart) {
    Case run = {0};

    convert_well(&run,
                 "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: List, items: [{a: 1}, {b: 2}]}, {c: 3}]\n",
                 CONVERT_TO_V1);
    assert_int_equal(run.converted.objects.count, 3);
    assert_string_equal(part(&run, 1, ""), "{\"b\":2}");
    arena_free(&run.arena);
}

TEST(the_maximum_of_classes_is_stated) {
    Case run = {0};
    Buffer yaml = {0};

    for (int i = 0; i <= CONVERT_OLD_MAX; i++) {
        if (i == CONVERT_OLD_MAX)
            convert_well(&run, arena_text(&run.arena, buffer_slice(&yaml)), CONVERT_TO_V1);
        buffer_printf(&yaml,
                      "---\napiVersion: karpenter.k8s.aws/v1beta1\nkind: EC2NodeClass\nmetadata: {name: t%d}\nspec: "
                      "{amiFamily: AL2}\n",
                      i);
    }
    assert_int_equal(convert(&run, arena_text(&run.arena, buffer_slice(&yaml)), CONVERT_TO_V1), ERR_TOO_LARGE);
    assert_string_equal(run.err.text, "a.yaml:5002: EC2NodeClass t1000: more than 1000 pools and classes to convert in "
                                      "one input");
    buffer_free(&yaml);
    arena_free(&run.arena);
}
