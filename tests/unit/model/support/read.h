// Manifests in tests: text to Cluster.
#pragma once

#include "model/manifest/manifest.h"

// A cluster that outlives the test's assertions; frees it with test_cluster_free.
typedef struct {
    Cluster cluster;
    Arena arena; // of the documents and of texts made for comparisons
} TestCluster;

// Reads YAML and finishes; the test fails with the error's text when that fails.
TestCluster *test_cluster_read(const char *yaml);
void test_cluster_free(TestCluster *test);

// Reads YAML that is wrong: the error's text (in static memory, until the next call). The test fails if it is right.
const char *test_read_error(const char *yaml);

// Lookups by name; fail the test when absent.
const Pod *test_pod(TestCluster *test, const char *name);
const NodePool *test_pool(TestCluster *test, const char *name);

Symbol test_symbol(TestCluster *test, const char *text);
const char *test_text(TestCluster *test, Symbol symbol);
// The value of a label, "(none)" when absent.
const char *test_label(TestCluster *test, const Labels *labels, const char *key);
// As {"cpu":"1"}.
const char *test_resources(TestCluster *test, const Resources *list);
// As "key In [a b]; key Exists" in the order given.
const char *test_expressions(TestCluster *test, const ExpressionVec *expressions);
// All warnings, one per line.
const char *test_warnings(TestCluster *test);
