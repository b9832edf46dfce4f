// The objects that make an API server call the webhooks. Reference legacy.md 5.5; R157.
#include "legacy/admission/configurations.h"

#include "text/json.h"
#include "text/yaml.h"

#include "harness/test.h"

static const AdmissionPlace place = {SLICE_INIT("kube-system"), SLICE_INIT("karpenter"), SLICE_INIT("QQ==")};

static const char *print(Arena *arena, const Value *value) {
    Buffer out = {0};
    const char *text;

    yaml_print(&out, value);
    text = arena_text(arena, buffer_slice(&out));
    buffer_free(&out);
    return text;
}

TEST(the_mutating_configuration_is_upstreams) {
    Arena arena = {0};
    Value made = admission_configuration(&arena, ADMISSION_DEFAULT, &place);

    assert_string_equal(print(&arena, &made), "apiVersion: admissionregistration.k8s.io/v1\n"
                                              "kind: MutatingWebhookConfiguration\n"
                                              "metadata:\n"
                                              "  name: defaulting.webhook.karpenter.k8s.aws\n"
                                              "webhooks:\n"
                                              "- name: defaulting.webhook.karpenter.k8s.aws\n"
                                              "  admissionReviewVersions:\n"
                                              "  - v1\n"
                                              "  clientConfig:\n"
                                              "    service:\n"
                                              "      namespace: kube-system\n"
                                              "      name: karpenter\n"
                                              "      path: /default/karpenter.k8s.aws\n"
                                              "    caBundle: QQ==\n"
                                              "  failurePolicy: Fail\n"
                                              "  sideEffects: None\n"
                                              "  rules:\n"
                                              "  - apiGroups:\n"
                                              "    - karpenter.sh\n"
                                              "    apiVersions:\n"
                                              "    - v1alpha5\n"
                                              "    operations:\n"
                                              "    - CREATE\n"
                                              "    - UPDATE\n"
                                              "    resources:\n"
                                              "    - provisioners\n"
                                              "    - provisioners/status\n"
                                              "  - apiGroups:\n"
                                              "    - karpenter.k8s.aws\n"
                                              "    apiVersions:\n"
                                              "    - v1alpha1\n"
                                              "    operations:\n"
                                              "    - CREATE\n"
                                              "    - UPDATE\n"
                                              "    resources:\n"
                                              "    - awsnodetemplates\n"
                                              "    - awsnodetemplates/status\n");
    arena_free(&arena);
}

TEST(one_mutates_and_three_validate) {
    for (int hook = 0; hook < ADMISSION_HOOKS; hook++)
        assert_int_equal(admission_is_mutating((AdmissionHook)hook), hook == ADMISSION_DEFAULT);
}

// ConfigMaps are everybody's: the webhook is asked about Karpenter's own alone, and lets these pass while nobody
// answers.
TEST(only_karpenters_config_maps_are_selected) {
    Arena arena = {0};

    for (int hook = 0; hook < ADMISSION_HOOKS; hook++) {
        Value made = admission_configuration(&arena, (AdmissionHook)hook, &place);
        const Value *webhook = &value_get_text(&made, "webhooks")->list.items[0];
        const Value *label = value_at(webhook, "objectSelector", "matchLabels", "app.kubernetes.io/part-of", NULL);

        assert_int_equal(hook == ADMISSION_VALIDATE_CONFIG, label != NULL);
        assert_string_equal(value_get_text(webhook, "failurePolicy")->text.ptr, label ? "Ignore" : "Fail");
    }
    arena_free(&arena);
}

static Value parse(Arena *arena, const char *yaml) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    assert_int_equal(yaml_parse(arena, SLICE("test"), slice_of(yaml), &(ParseOptions){0}, &documents, &warnings, NULL),
                     OK);
    return documents.items[0].root;
}

TEST(what_is_as_it_should_be_is_not_renewed) {
    Arena arena = {0};
    Value made = admission_configuration(&arena, ADMISSION_VALIDATE_CORE, &place), renewed;

    assert_false(admission_renew(&arena, ADMISSION_VALIDATE_CORE, &made, SLICE("QQ=="), &renewed));
    assert_true(admission_renew(&arena, ADMISSION_VALIDATE_CORE, &made, SLICE("Qg=="), &renewed));
    assert_false(admission_renew(&arena, ADMISSION_VALIDATE_CORE, &renewed, SLICE("Qg=="), &made));
    arena_free(&arena);
}

// A chart's configuration, and one that finds tenon by a URL: only bundle and path are tenon's.
TEST(renewal_leaves_everything_else) {
    Arena arena = {0};
    Value renewed;
    Value chart = parse(&arena, "webhooks:\n"
                                "  - name: validation.webhook.karpenter.sh\n"
                                "    failurePolicy: Ignore\n"
                                "    clientConfig: {service: {name: k, namespace: ns, port: 8443}}\n"
                                "  - name: others\n"
                                "    clientConfig: {service: {name: o, namespace: ns}}\n");
    Value url =
        parse(&arena, "webhooks: [{name: validation.webhook.karpenter.sh, clientConfig: {url: 'https://x/y'}}]");

    assert_true(admission_renew(&arena, ADMISSION_VALIDATE_CORE, &chart, SLICE("QQ=="), &renewed));
    assert_string_equal(print(&arena, &renewed), "webhooks:\n"
                                                 "- name: validation.webhook.karpenter.sh\n"
                                                 "  failurePolicy: Ignore\n"
                                                 "  clientConfig:\n"
                                                 "    service:\n"
                                                 "      name: k\n"
                                                 "      namespace: ns\n"
                                                 "      port: 8443\n"
                                                 "      path: /validate/karpenter.sh\n"
                                                 "    caBundle: QQ==\n"
                                                 "- name: others\n"
                                                 "  clientConfig:\n"
                                                 "    service:\n"
                                                 "      name: o\n"
                                                 "      namespace: ns\n");
    assert_true(admission_renew(&arena, ADMISSION_VALIDATE_CORE, &url, SLICE("QQ=="), &renewed));
    assert_string_equal(print(&arena, &renewed), "webhooks:\n"
                                                 "- name: validation.webhook.karpenter.sh\n"
                                                 "  clientConfig:\n"
                                                 "    url: https://x/y\n"
                                                 "    caBundle: QQ==\n");
    arena_free(&arena);
}

TEST(a_configuration_of_another_form_is_left_alone) {
    static const char *const others[] = {"{}", "webhooks: 3", "webhooks: [3]", "webhooks: [{name: other}]"};
    Arena arena = {0};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        Value configuration = parse(&arena, others[i]), renewed;

        assert_false(admission_renew(&arena, ADMISSION_VALIDATE_CORE, &configuration, SLICE("QQ=="), &renewed));
    }
    arena_free(&arena);
}
