// Labels and taints that nodes register with: upstream's area "launch templates", labels and taints. Reference
// aws.md 5.5.
#include "cloud/aws/userdata/node_identity.h"
#include "cloud/support/class.h"
#include "harness/test.h"

typedef struct {
    const char *name, *key;
    bool kept;
} LabelRow;

static const LabelRow label_rows[] = {
    {"labels: the user's", "team", true},
    {"labels: with a domain", "example.com/team", true},
    {"labels: Karpenter's", "karpenter.sh/nodepool", true},
    {"labels: the provider's", "karpenter.k8s.aws/instance-family", true},
    {"labels: of kubernetes.io", "kubernetes.io/arch", false},
    {"labels: of a domain in kubernetes.io", "node.kubernetes.io/instance-type", false},
    {"labels: of k8s.io", "k8s.io/x", false},
    {"labels: of a domain in k8s.io", "topology.k8s.io/x", false},
    {"labels: restricted to nodes", "node-restriction.kubernetes.io/x", false},
    {"labels: of a domain that only ends alike", "mykubernetes.io/x", true},
    {"labels: a name that looks like a domain", "kubernetes.io", true},
};

static void list_labels(TestCases *cases) {
    for (size_t i = 0; i < sizeof label_rows / sizeof *label_rows; i++)
        test_case(cases, label_rows[i].name, (void *)(uintptr_t)&label_rows[i]);
}

TEST_EACH(const LabelRow, row, labels_that_a_kubelet_may_set, list_labels) {
    Arena arena = {0};
    Symbols symbols;
    Labels labels = {0};
    TextEntryVec list;

    names_init(&symbols);
    labels_set(&arena, &labels, symbol_intern(&symbols, slice_of(row->key)), NAME_TRUE);
    list = node_labels(&arena, &symbols, &labels, NAME_SPOT, ami_family(SLICE("Custom")));
    assert_int_equal(list.count, row->kept ? 2 : 1);
    symbols_free(&symbols);
    arena_free(&arena);
}

TEST(labels_of_the_launch_are_added_and_sorted) {
    Arena arena = {0};
    Symbols symbols;
    Labels labels = {0};
    TextEntryVec list;

    names_init(&symbols);
    labels_set(&arena, &labels, symbol_intern(&symbols, SLICE("z")), NAME_TRUE);
    labels_set(&arena, &labels, NAME_CAPACITY_TYPE, NAME_ON_DEMAND);
    list = node_labels(&arena, &symbols, &labels, NAME_SPOT, ami_family(SLICE("AL2")));
    assert_int_equal(list.count, 3);
    assert_true(slice_eq_text(list.items[0].key, "karpenter.sh/capacity-type"));
    assert_true(slice_eq_text(list.items[0].value, "spot"));
    assert_true(slice_eq_text(list.items[1].key, "karpenter.sh/do-not-sync-taints"));
    assert_true(slice_eq_text(list.items[2].key, "z"));
    symbols_free(&symbols);
    arena_free(&arena);
}

TEST(taints_end_with_unregistered_once) {
    Arena arena = {0};
    Symbols symbols;
    Taint taint, unregistered = {NAME_UNREGISTERED, NAME_EMPTY, EFFECT_NO_EXECUTE};
    NodeTaintVec list;

    names_init(&symbols);
    taint = (Taint){symbol_intern(&symbols, SLICE("a")), symbol_intern(&symbols, SLICE("b")), EFFECT_NO_SCHEDULE};
    list = node_taints(&arena, &symbols, &(TaintVec){&taint, 1, 1}, &(TaintVec){0});
    assert_int_equal(list.count, 2);
    assert_string_equal(arena_text(&arena, node_taint_print(&arena, &list.items[0])), "a=b:NoSchedule");
    assert_string_equal(arena_text(&arena, node_taint_print(&arena, &list.items[1])),
                        "karpenter.sh/unregistered:NoExecute");
    list = node_taints(&arena, &symbols, &(TaintVec){&taint, 1, 1}, &(TaintVec){&unregistered, 1, 1});
    assert_int_equal(list.count, 2);
    symbols_free(&symbols);
    arena_free(&arena);
}
