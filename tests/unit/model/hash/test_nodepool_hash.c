// The golden vectors of the NodePool hash (reference scheduling.md 1.9, lifecycle.md 5.2).
#include "harness/test.h"
#include "model/hash/nodepool_hash.h"
#include "model/support/read.h"

// The hash of a pool with these lines under spec.template (indented by 4).
static uint64_t hash_of(const char *template_lines) {
    Arena arena = {0};
    Slice yaml = arena_printf(&arena,
                              "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\nspec:\n"
                              "  template:\n%s",
                              template_lines);
    TestCluster *test = test_cluster_read(arena_text(&arena, yaml));
    uint64_t hash = node_pool_hash(&test->cluster.symbols, &test->cluster.node_pools.items[0]);

    test_cluster_free(test);
    arena_free(&arena);
    return hash;
}

#define AWS                                                                                                            \
    "      requirements: []\n      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}\n"
#define EKS "      requirements: []\n      nodeClassRef: {group: eks.amazonaws.com, kind: NodeClass, name: default}\n"
#define KWOK                                                                                                           \
    "      requirements: []\n      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
#define SPEC "    spec:\n"
#define META "    metadata:\n"

static const struct {
    const char *template;
    uint64_t hash;
} vectors[] = {
    // scheduling.md 1.9
    {SPEC AWS, UINT64_C(6821555240594823858)},
    {SPEC AWS "      expireAfter: 720h\n", UINT64_C(6821555240594823858)},
    {SPEC AWS "      expireAfter: Never\n", UINT64_C(17369979337536258260)},
    {META "      labels: {team: a}\n" SPEC AWS, UINT64_C(1617844334411263980)},
    {META "      annotations: {team: a}\n" SPEC AWS, UINT64_C(13079033683462012220)},
    {SPEC AWS "      taints: [{key: dedicated, value: gpu, effect: NoSchedule}]\n", UINT64_C(13579916569126205748)},
    {SPEC AWS "      startupTaints: [{key: dedicated, value: gpu, effect: NoSchedule}]\n",
     UINT64_C(10086292261070021787)},
    {SPEC AWS "      terminationGracePeriod: 48h\n", UINT64_C(15015733878877233177)},
    // lifecycle.md 5.2
    {SPEC EKS "      expireAfter: 336h\n      terminationGracePeriod: 24h\n", UINT64_C(4012513481623584108)},
    {SPEC EKS "      expireAfter: 336h\n      terminationGracePeriod: 24h\n"
              "      taints: [{key: CriticalAddonsOnly, effect: NoSchedule}]\n",
     UINT64_C(4982684901400657622)},
    {SPEC KWOK "      expireAfter: Never\n", UINT64_C(7428780003907761376)},
    {SPEC KWOK, UINT64_C(12745407319442031341)},
    {META "      labels: {team: a}\n" SPEC KWOK "      expireAfter: Never\n", UINT64_C(17635322776537082774)},
    {META "      labels: {}\n" SPEC KWOK "      expireAfter: Never\n", UINT64_C(1051302497054047366)},
    {META "      labels: {team: a, env: prod}\n      annotations: {note: x}\n" SPEC KWOK
          "      terminationGracePeriod: 1h\n"
          "      taints:\n"
          "      - {key: dedicated, value: gpu, effect: NoSchedule}\n"
          "      - {key: spot, effect: NoExecute}\n"
          "      startupTaints: [{key: init, value: 'true', effect: NoSchedule}]\n",
     UINT64_C(16036565076475960369)},
    {SPEC KWOK "      expireAfter: Never\n      terminationGracePeriod: 0s\n", UINT64_C(14245545481296229771)},
    {SPEC KWOK "      expireAfter: 0s\n", UINT64_C(13546070544088512816)},
};

TEST(hashes_equal_karpenters) {
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint64_t hash = hash_of(vectors[i].template);

        if (hash != vectors[i].hash)
            fail_msg("%llu instead of %llu for\n%s", (unsigned long long)hash, (unsigned long long)vectors[i].hash,
                     vectors[i].template);
    }
}

TEST(requirements_and_order_do_not_count) {
    assert_int_equal(hash_of("    spec:\n"
                             "      requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}]\n"
                             "      nodeClassRef: {name: default, kind: EC2NodeClass, group: karpenter.k8s.aws}\n"),
                     hash_of(SPEC AWS));
    assert_int_equal(hash_of(META "      labels: {a: one, b: two}\n" SPEC AWS),
                     hash_of(META "      labels: {b: two, a: one}\n" SPEC AWS));
    assert_int_not_equal(hash_of(META "      labels: {a: one, b: two}\n" SPEC AWS),
                         hash_of(META "      labels: {a: two, b: one}\n" SPEC AWS));
}
