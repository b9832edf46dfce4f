// Old objects in tests.
#include "legacy/support/old.h"

#include "text/yaml.h"

#include "harness/test.h"

Value old_test_parse(OldTest *test, const char *yaml) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    ErrCode code = yaml_parse(&test->arena, SLICE("old.yaml"), slice_of(yaml), &(ParseOptions){0}, &documents,
                              &warnings, &test->err);

    if (code != OK)
        fail_msg("%s", test->err.text);
    assert_int_equal(documents.count, 1);
    return documents.items[0].root;
}

void old_test_decode(OldTest *test, const char *yaml, OldKind kind, void *ret_object) {
    Value *value = arena_new(&test->arena, Value);

    *value = old_test_parse(test, yaml);
    assert_int_equal(old_kind_of(value), kind);
    if (old_decode(&test->arena, kind, SLICE("old.yaml"), value, ret_object, &test->err) != OK)
        fail_msg("%s", test->err.text);
}

const char *old_test_error(OldTest *test, const char *yaml) {
    union {
        OldProvisioner provisioner;
        OldMachine machine;
        OldNodeTemplate template;
        BetaPool pool;
        BetaClass class;
    } object = {0};
    Value value = old_test_parse(test, yaml);
    OldKind kind = old_kind_of(&value);

    assert_int_not_equal(kind, OLD_KINDS);
    assert_int_not_equal(old_decode(&test->arena, kind, SLICE("old.yaml"), &value, &object, &test->err), OK);
    return test->err.text;
}

const char *old_test_provisioner_reply(OldTest *test, const char *spec) {
    OldProvisioner provisioner = {0};
    ComplaintVec complaints = {0};
    Slice yaml = arena_printf(&test->arena,
                              "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: p}\nspec:\n"
                              "  providerRef: {name: t}\n%s",
                              spec);

    old_test_decode(test, arena_text(&test->arena, yaml), OLD_PROVISIONER, &provisioner);
    provisioner_complaints(&test->arena, &provisioner, &complaints);
    return complaints.count ? arena_text(&test->arena, complaints_print(&test->arena, &complaints)) : "";
}

const char *old_test_template_reply(OldTest *test, const char *spec) {
    OldNodeTemplate template = {0};
    ComplaintVec complaints = {0};
    Slice yaml = arena_printf(
        &test->arena, "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: t}\nspec:\n%s",
        spec);

    old_test_decode(test, arena_text(&test->arena, yaml), OLD_NODE_TEMPLATE, &template);
    node_template_complaints(&test->arena, &template, &complaints);
    return complaints.count ? arena_text(&test->arena, complaints_print(&test->arena, &complaints)) : "";
}
