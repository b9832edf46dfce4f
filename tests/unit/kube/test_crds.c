// The embedded definitions of Karpenter's kinds: complete, findable, and agreeing with the table of kinds.
// What an API server makes of them is tested in tests/e2e/test_crds.py.
#include "harness/test.h"
#include "kube/crds/crds.h"
#include "text/yaml.h"

#include <stdio.h>

static Value parse(Arena *arena, Crd crd) {
    ParseOptions options = {.strict = true};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    if (yaml_parse(arena, crd.kind->resource, crd.text, &options, &documents, &warnings, &err) != OK)
        fail_msg("%s", err.text);
    assert_int_equal(documents.count, 1);
    assert_int_equal(warnings.count, 0);
    return documents.items[0].root;
}

static void assert_text(const Value *value, Slice expected) {
    if (!value || value->kind != VALUE_STRING || !slice_eq(value->text, expected))
        fail_msg("expected \"%.*s\"", SLICE_ARG(expected));
}

TEST(each_custom_kind_has_one_definition) {
    size_t customs = 0;

    for (unsigned i = 0; i < KUBE_KIND_COUNT; i++) {
        const KubeKindInfo *kind = kube_kind((KubeKind)i);
        Crd crd = {0};

        if (!kind->custom)
            continue;
        customs++;
        assert_true(crds_find(kind->resource, &crd));
        assert_ptr_equal(crd.kind, kind);
    }
    assert_int_equal(crds_count(), customs);
}

TEST(a_definition_is_found_by_each_of_its_names) {
    Crd crd = {0};

    for (size_t i = 0; i < crds_count(); i++) {
        const KubeKindInfo *kind = crds_at(i).kind;

        assert_true(crds_find(kind->kind, &crd) && crd.kind == kind);
        assert_true(crds_find(kind->plural, &crd) && crd.kind == kind);
        assert_true(crds_find(kind->resource, &crd) && crd.kind == kind);
    }
    assert_false(crds_find(SLICE("nodepool"), &crd));
    assert_false(crds_find(SLICE(""), &crd));
    assert_false(crds_find(SLICE("Node"), &crd));
}

// Each of the old kinds is a definition of its own, cluster-wide, found by `kubectl get karpenter`; they come after the
// others. R010, R117, R159.
TEST(definitions_of_2023_stand_beside_todays) {
    static const char *const names[] = {"provisioners.karpenter.sh", "machines.karpenter.sh",
                                        "awsnodetemplates.karpenter.k8s.aws"};
    size_t old = sizeof names / sizeof *names, count = crds_count();

    for (size_t i = 0; i < count; i++)
        assert_int_equal(crds_at(i).is_legacy, i >= count - old);
    for (size_t i = 0; i < old; i++) {
        Arena arena = {0};
        Crd crd = crds_at(count - old + i);
        Value root = parse(&arena, crd);
        const Value *categories = value_at(&root, "spec", "names", "categories", NULL);

        assert_text(value_at(&root, "metadata", "name", NULL), slice_of(names[i]));
        assert_text(value_at(&root, "spec", "scope", NULL), SLICE("Cluster"));
        assert_int_equal(categories->list.count, 1);
        assert_text(&categories->list.items[0], SLICE("karpenter"));
        assert_null(value_at(&root, "spec", "conversion", NULL));
        arena_free(&arena);
    }
}

TEST(definitions_agree_with_the_table_of_kinds) {
    for (size_t i = 0; i < crds_count(); i++) {
        Arena arena = {0};
        Crd crd = crds_at(i);
        Value root = parse(&arena, crd);
        const Value *spec = value_get_text(&root, "spec"), *versions = value_get_text(spec, "versions"), *version;

        assert_text(value_get_text(&root, "kind"), SLICE("CustomResourceDefinition"));
        assert_text(value_at(&root, "metadata", "name", NULL), crd.kind->resource);
        assert_text(value_get_text(spec, "group"), crd.kind->group);
        assert_text(value_get_text(spec, "scope"), crd.kind->namespaced ? SLICE("Namespaced") : SLICE("Cluster"));
        assert_text(value_at(spec, "names", "kind", NULL), crd.kind->kind);
        assert_text(value_at(spec, "names", "plural", NULL), crd.kind->plural);
        assert_int_equal(versions->list.count, 1);
        version = &versions->list.items[0];
        assert_text(value_get_text(version, "name"), crd.kind->version);
        assert_true(value_get_text(version, "served")->boolean && value_get_text(version, "storage")->boolean);
        assert_true(!value_at(version, "subresources", "status", NULL) == !crd.kind->has_status);
        arena_free(&arena);
    }
}

// Calls `visit` for each schema at and below `schema`; `path` says where it stands.
typedef void (*SchemaVisit)(const char *path, const Value *schema);

static void walk(const char *path, const Value *schema, SchemaVisit visit) {
    static const char *const below[] = {"items", "additionalProperties"};
    const Value *properties = value_get_text(schema, "properties");

    visit(path, schema);
    for (size_t i = 0; properties && i < properties->map.count; i++) {
        const ValueMember *member = &properties->map.items[i];
        char deeper[512];

        snprintf(deeper, sizeof deeper, "%s.%.*s", path, SLICE_ARG(member->key));
        walk(deeper, &member->value, visit);
    }
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        const Value *inner = value_get(schema, slice_of(below[i]));
        char deeper[512];

        snprintf(deeper, sizeof deeper, "%s[]", path);
        if (inner)
            walk(deeper, inner, visit);
    }
}

static void walk_all(SchemaVisit visit) {
    for (size_t i = 0; i < crds_count(); i++) {
        Arena arena = {0};
        Crd crd = crds_at(i);
        Value root = parse(&arena, crd);
        const Value *versions = value_at(&root, "spec", "versions", NULL);

        walk(crd.kind->kind.ptr, value_at(&versions->list.items[0], "schema", "openAPIV3Schema", NULL), visit);
        arena_free(&arena);
    }
}

// Elements of lists and maps are described with what holds them, metadata by Kubernetes itself.
static void assert_described(const char *path, const Value *schema) {
    Slice at = slice_of(path);
    const Value *text = value_get_text(schema, "description");

    if (slice_ends_with(at, SLICE("[]")) || slice_ends_with(at, SLICE(".metadata")))
        return;
    if (!text || text->kind != VALUE_STRING || !slice_ends_with(text->text, SLICE(".")))
        fail_msg("%s: expected a description that is a sentence", path);
}

TEST(every_field_can_be_explained) {
    walk_all(assert_described);
}

static void assert_rules_speak(const char *path, const Value *schema) {
    const Value *rules = value_get_text(schema, "x-kubernetes-validations");

    for (size_t i = 0; rules && i < rules->list.count; i++) {
        const Value *rule = &rules->list.items[i];

        if (!value_get_text(rule, "rule") || !value_get_text(rule, "message"))
            fail_msg("%s: rule %zu: expected rule and message", path, i);
    }
}

TEST(every_rule_has_a_message) {
    walk_all(assert_rules_speak);
}

// The schema below openAPIV3Schema at a path of properties ("status.conditions"), its items if it is a list.
static const Value *schema_at(const Value *root, const char *path) {
    const Value *versions = value_at(root, "spec", "versions", NULL);
    const Value *schema = value_at(&versions->list.items[0], "schema", "openAPIV3Schema", NULL);
    Slice left = slice_of(path);

    while (schema && left.len) {
        ptrdiff_t dot = slice_find(left, '.');
        Slice name = dot < 0 ? left : slice_first(left, (size_t)dot);

        schema = value_get(value_get_text(schema, "properties"), name);
        left = slice_from(left, dot < 0 ? left.len : name.len + 1);
    }
    assert_non_null(schema);
    return value_get_text(schema, "items") ? value_get_text(schema, "items") : schema;
}

static void assert_same_schema(const char *name, const char *path, const char *other_name, const char *other_path) {
    Arena arena = {0};
    Crd crd = {0}, other = {0};
    Value root, other_root;

    assert_true(crds_find(slice_of(name), &crd) && crds_find(slice_of(other_name), &other));
    root = parse(&arena, crd);
    other_root = parse(&arena, other);
    if (!value_eq(schema_at(&root, path), schema_at(&other_root, other_path)))
        fail_msg("%s %s and %s %s differ", name, path, other_name, other_path);
    arena_free(&arena);
}

// What is written out in several files must not drift apart. Conditions of NodeClaims are another form on purpose.
TEST(what_kinds_share_is_the_same) {
    static const char *const alike[] = {"NodeOverlay", "CapacityBuffer", "KWOKNodeClass", "EC2NodeClass"};

    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        assert_same_schema("NodePool", "status.conditions", alike[i], "status.conditions");
    assert_same_schema("NodePool", "spec.template.spec.taints", "NodePool", "spec.template.spec.startupTaints");
    assert_same_schema("NodePool", "spec.template.spec.taints", "NodeClaim", "spec.taints");
    assert_same_schema("NodePool", "spec.template.spec.taints", "NodeClaim", "spec.startupTaints");
    assert_same_schema("NodePool", "spec.template.spec.terminationGracePeriod", "NodeClaim",
                       "spec.terminationGracePeriod");
    assert_same_schema("Provisioner", "spec.kubeletConfiguration", "Machine", "spec.kubelet");
    assert_same_schema("Provisioner", "spec.taints", "Provisioner", "spec.startupTaints");
    assert_same_schema("Provisioner", "spec.taints", "Machine", "spec.taints");
    assert_same_schema("Provisioner", "spec.taints", "Machine", "spec.startupTaints");
    assert_same_schema("Provisioner", "spec.requirements", "Machine", "spec.requirements");
    assert_same_schema("Provisioner", "status.conditions", "Machine", "status.conditions");
}
