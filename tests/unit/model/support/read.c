#include "model/support/read.h"

#include "base/buffer.h"
#include "harness/test.h"
#include "text/yaml.h"

#include <stdlib.h>

static ErrCode read(TestCluster *test, const char *yaml, Err *err) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    TRY(yaml_parse(&test->arena, SLICE("test.yaml"), slice_of(yaml), NULL, &documents, &warnings, err));
    for (vec_each(const Document, document, &documents))
        TRY(manifest_read(&test->cluster, document, err));
    return manifest_finish(&test->cluster, err);
}

TestCluster *test_cluster_read(const char *yaml) {
    TestCluster *test = calloc(1, sizeof *test);
    Err err = {0};

    assert_non_null(test);
    cluster_init(&test->cluster);
    if (read(test, yaml, &err) != OK) {
        test_cluster_free(test);
        fail_msg("%s", err.text);
    }
    return test;
}

void test_cluster_free(TestCluster *test) {
    cluster_free(&test->cluster);
    arena_free(&test->arena);
    free(test);
}

const char *test_read_error(const char *yaml) {
    static Err err;
    TestCluster test = {0};
    ErrCode code;

    cluster_init(&test.cluster);
    code = read(&test, yaml, &err);
    cluster_free(&test.cluster);
    arena_free(&test.arena);
    if (code == OK)
        fail_msg("this was read without an error:\n%s", yaml);
    return err.text;
}

const Pod *test_pod(TestCluster *test, const char *name) {
    for (vec_each(const Pod, pod, &test->cluster.pods)) {
        if (slice_eq_text(symbol_text(&test->cluster.symbols, pod->name), name))
            return pod;
    }
    fail_msg("there is no pod %s", name);
    return NULL;
}

const NodePool *test_pool(TestCluster *test, const char *name) {
    for (vec_each(const NodePool, pool, &test->cluster.node_pools)) {
        if (slice_eq_text(symbol_text(&test->cluster.symbols, pool->meta.name), name))
            return pool;
    }
    fail_msg("there is no NodePool %s", name);
    return NULL;
}

Symbol test_symbol(TestCluster *test, const char *text) {
    return symbol_intern(&test->cluster.symbols, slice_of(text));
}

const char *test_text(TestCluster *test, Symbol symbol) {
    return arena_text(&test->arena, symbol_text(&test->cluster.symbols, symbol));
}

const char *test_label(TestCluster *test, const Labels *labels, const char *key) {
    Symbol value = labels_get(labels, test_symbol(test, key));

    return value == INDEX_NONE ? "(none)" : test_text(test, value);
}

const char *test_resources(TestCluster *test, const Resources *list) {
    return arena_text(&test->arena, resources_print_json(&test->arena, &test->cluster.symbols, list));
}

const char *test_expressions(TestCluster *test, const ExpressionVec *expressions) {
    Buffer buffer = {0};
    const char *text;

    for (uint32_t i = 0; i < expressions->count; i++) {
        const Expression *expression = &expressions->items[i];

        buffer_printf(&buffer, "%s%s %s", i ? "; " : "", test_text(test, expression->key),
                      operator_text(expression->op));
        for (uint32_t v = 0; v < expression->values.count; v++)
            buffer_printf(&buffer, "%s%s%s", v ? " " : " [", test_text(test, expression->values.items[v]),
                          v + 1 == expression->values.count ? "]" : "");
        if (expression->min_values)
            buffer_printf(&buffer, " minValues %d", expression->min_values);
    }
    text = arena_text(&test->arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}

const char *test_warnings(TestCluster *test) {
    Buffer buffer = {0};
    const char *text;

    for (uint32_t i = 0; i < test->cluster.warnings.count; i++)
        buffer_printf(&buffer, "%.*s\n", SLICE_ARG(test->cluster.warnings.items[i].text));
    text = arena_text(&test->arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}
