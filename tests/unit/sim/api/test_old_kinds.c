// The kinds of 2023 in the embedded server: defaulted, judged, and never what tenon cannot read. Reference
// legacy.md 2.2, 2.5, 3, 4; R010, R117, R138.
#include "base/buffer.h"
#include "sim/support/server.h"

#include "text/json.h"

static const char *json(Fixture *fixture, const Value *value) {
    Buffer text = {0};
    const char *copy;

    json_print(&text, value, false);
    copy = arena_text(&fixture->arena, buffer_slice(&text));
    buffer_free(&text);
    return copy;
}

TEST(r044_r045_r046_a_provisioner_is_stored_with_its_defaults_and_without_strangers) {
    Fixture *fixture = fixture_new(1, 0);
    Value object = fixture_object(fixture, "{metadata: {name: a}, spec: {providerRef: {name: t}, consolidation: "
                                           "{enabled: true, ttlSecondsUntilExpired: 5}}}");
    Value stored = fixture_create(fixture, KUBE_PROVISIONER, &object);

    assert_string_equal(
        json(fixture, value_at(&stored, "spec", "requirements", NULL)),
        "[{\"key\":\"kubernetes.io/os\",\"operator\":\"In\",\"values\":[\"linux\"]},"
        "{\"key\":\"kubernetes.io/arch\",\"operator\":\"In\",\"values\":[\"amd64\"]},"
        "{\"key\":\"karpenter.sh/capacity-type\",\"operator\":\"In\",\"values\":[\"on-demand\"]},"
        "{\"key\":\"karpenter.k8s.aws/instance-category\",\"operator\":\"In\",\"values\":[\"c\",\"m\",\"r\"]},"
        "{\"key\":\"karpenter.k8s.aws/instance-generation\",\"operator\":\"Gt\",\"values\":[\"2\"]}]");
    assert_string_equal(json(fixture, value_at(&stored, "spec", "consolidation", NULL)), "{\"enabled\":true}");
    fixture_free(fixture);
}

TEST(what_the_webhooks_and_the_schemas_refused_is_refused) {
    static const struct {
        KubeKind kind;
        const char *spec, *said;
    } rows[] = {
        {KUBE_PROVISIONER, "{providerRef: {name: t}, ttlSecondsAfterEmpty: 30, consolidation: {enabled: true}}",
         "admission webhook \"validation.webhook.karpenter.sh\" denied the request: validation failed: expected "
         "exactly one, got both: spec.consolidation.enabled, spec.ttlSecondsAfterEmpty"},
        {KUBE_PROVISIONER, "{provider: {instanceProfile: p, securityGroupSelector: {a: b}}}",
         "admission webhook \"validation.webhook.karpenter.k8s.aws\" denied the request: validation failed: "},
        {KUBE_PROVISIONER, "{weight: heavy}", "spec.weight: expected"},
        {KUBE_AWS_NODE_TEMPLATE, "{subnetSelector: {a: b}}",
         "admission webhook \"validation.webhook.karpenter.k8s.aws\" denied the request: validation failed: "},
        {KUBE_AWS_NODE_TEMPLATE, "{subnetSelector: 3}", "spec.subnetSelector: expected"},
        {KUBE_MACHINE, "{requirements: 3}", "spec.requirements: expected"},
        {KUBE_MACHINE, "{requirements: [{key: a, operator: Like}]}", "operator"},
        {KUBE_MACHINE, "{requirements: [], resources: {requests: {cpu: much}}}", "cpu"},
        {KUBE_MACHINE, "{requirements: [], taints: [{key: 'not a key', effect: Never}]}", "taints"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Fixture *fixture = fixture_new(1, 0);
        Value object = fixture_object(fixture, "{metadata: {name: a}, spec: %s}", rows[i].spec), stored;
        KubeError error = {0};
        ErrCode code =
            kube_create(fixture->kube, &fixture->arena, SLICE("test"), rows[i].kind, &object, &stored, &error);

        if (code == OK || !strstr(error.err.text, rows[i].said))
            fail_msg("row %zu: code %d, \"%s\"", i, (int)code, error.err.text);
        fixture_free(fixture);
    }
}

TEST(a_status_of_an_old_object_can_be_written) {
    static const KubeKind kinds[] = {KUBE_PROVISIONER, KUBE_AWS_NODE_TEMPLATE, KUBE_MACHINE};
    static const char *const specs[] = {"{providerRef: {name: t}}",
                                        "{subnetSelector: {a: b}, securityGroupSelector: {a: b}}",
                                        "{requirements: [], machineTemplateRef: {name: t}}"};

    for (size_t i = 0; i < 3; i++) {
        Fixture *fixture = fixture_new(1, 0);
        Value object = fixture_object(fixture, "{metadata: {name: a}, spec: %s}", specs[i]);
        Value body =
            fixture_object(fixture, "{status: {conditions: [{type: Ready, status: 'True', reason: Ready, message: "
                                    "'', lastTransitionTime: '2024-01-01T01:01:01Z'}]}}");
        Value stored;
        KubePatch patch = {.type = KUBE_PATCH_MERGE, .body = &body};
        KubeError error = {0};

        fixture_create(fixture, kinds[i], &object);
        if (kube_patch(fixture->kube, &fixture->arena, SLICE("test"), fixture_ref(kinds[i], "a"), KUBE_STATUS, &patch,
                       &stored, &error) != OK)
            fail_msg("kind %zu: %s", i, error.err.text);
        assert_string_equal(json(fixture, value_get_text(&stored, "status")),
                            json(fixture, value_get_text(&body, "status")));
        fixture_free(fixture);
    }
}
