#include "cloud/support/class.h"

#include "cloud/aws/instance_types.h"
#include "cloud/aws/nodeclass/definition.h"
#include "harness/test.h"
#include "model/manifest/object.h"
#include "text/value_edit.h"
#include "text/yaml.h"

#include <stdlib.h>

static const char base[] =
    "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: default, uid: uid-1, generation: 1}\n"
    "spec:\n  role: node-role\n  amiSelectorTerms: [{alias: al2023@latest}]\n"
    "  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: c}}]\n"
    "  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: c}}]\n";

Value test_yaml(Arena *arena, const char *text) {
    ParseOptions options = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    if (yaml_parse(arena, SLICE("test"), slice_of(text), &options, &documents, &warnings, &err) != OK)
        fail_msg("%s", err.text);
    return value_copy(arena, &documents.items[0].root);
}

void test_class_decode(TestClass *test) {
    Err err = {0};

    if (object_decode(&test->arena, &test->symbols, SLICE("karpenter.k8s.aws"), SLICE("EC2NodeClass"), &test->object,
                      &test->class, &err) != OK)
        fail_msg("%s", err.text);
}

TestClass *test_class(const char *lines) {
    TestClass *test = calloc(1, sizeof *test);

    assert_non_null(test);
    names_init(&test->symbols);
    test->object = test_yaml(&test->arena, arena_printf(&test->arena, "%s%s", base, lines).ptr);
    class_definition_default(&test->arena, class_definition(&test->arena), &test->object);
    test_class_decode(test);
    test->family = ami_family(test->class.ami_family);
    assert_non_null(test->family);
    return test;
}

void test_class_free(TestClass *test) {
    symbols_free(&test->symbols);
    arena_free(&test->arena);
    free(test);
}

static void compute_types(TestClass *test) {
    Ec2TypeOptions options = EC2_TYPE_OPTIONS(SLICE("us-east-1"));
    Ec2Catalogue catalogue;
    Err err = {0};

    assert_int_equal(ec2_catalogue_parse(&test->arena, SLICE("ec2.tsv"), ec2_catalogue_embedded(), &catalogue, NULL),
                     OK);
    if (ec2_instance_types(&test->arena, &test->symbols, &catalogue, &options, &test->class, &test->types, &err) != OK)
        fail_msg("%s", err.text);
}

InstanceType *test_type(TestClass *test, const char *name) {
    Symbol symbol = symbol_intern(&test->symbols, slice_of(name));

    if (!test->types.count)
        compute_types(test);
    for (vec_each(InstanceType, type, &test->types)) {
        if (type->name == symbol)
            return type;
    }
    fail_msg("no type %s", name);
    return NULL;
}
