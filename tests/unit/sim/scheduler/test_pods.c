// The embedded scheduler's rules between pods: affinity, anti-affinity, topology spread.
#include "sim/scheduler_env.h"

#define ROOM "cpu: 4, memory: 8Gi, pods: 110"
#define HELPLESS(n)                                                                                                    \
    " no new claims to deallocate, preemption: 0/" #n " nodes are available: " #n                                      \
    " Preemption is not helpful for scheduling."
#define NO_VICTIMS(n)                                                                                                  \
    " no new claims to deallocate, preemption: 0/" #n " nodes are available: " #n                                      \
    " No preemption victims found for incoming pod."

// Two zones of two nodes: a1, a2, b1, b2.
static World *zones(void) {
    World *world = env_new();

    env_node(world, "a1", "topology.kubernetes.io/zone: a", ROOM);
    env_node(world, "a2", "topology.kubernetes.io/zone: a", ROOM);
    env_node(world, "b1", "topology.kubernetes.io/zone: b", ROOM);
    env_node(world, "b2", "topology.kubernetes.io/zone: b", ROOM);
    return world;
}

static Slice zone_of(World *world, const char *pod) {
    Slice node = symbol_text(world_symbols(world), env_find_pod(world, pod)->node_name);

    return slice_first(node, 1);
}

static void assert_zone(World *world, const char *pod, const char *zone) {
    Slice found = zone_of(world, pod);

    if (!slice_eq_text(found, zone))
        fail_msg("%s is in zone \"%.*s\", expected \"%s\"", pod, SLICE_ARG(found), zone);
}

static void place(World *world, const char *name, const char *labels, const char *node) {
    char meta[256], spec[128];

    snprintf(meta, sizeof meta, "labels: {%s}", labels);
    snprintf(spec, sizeof spec, "nodeName: %s", node);
    env_pod(world, name, meta, spec);
    env_running(world, name, "");
    world_settle(world);
}

// --- affinity

#define NEAR(selector, key, more)                                                                                      \
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {" selector             \
    "}, topologyKey: " key more "}]}}"
#define FAR(selector, key, more)                                                                                       \
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {" selector         \
    "}, topologyKey: " key more "}]}}"
#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"

TEST(affinity_goes_to_the_domain_of_the_others) {
    World *world = zones();

    place(world, "db", "app: db", "b1");
    for (int i = 0; i < 6; i++) {
        char name[16];

        snprintf(name, sizeof name, "p%d", i);
        env_pod(world, name, "", NEAR("matchLabels: {app: db}", ZONE, ""));
        env_wait(world, 1);
        assert_zone(world, name, "b");
    }
    env_pod(world, "same-host", "", NEAR("matchLabels: {app: db}", HOST, ""));
    env_wait(world, 1);
    assert_bound(world, "same-host", "b1");
    world_free(world);
}

TEST(affinity_without_a_target_waits_for_one) {
    World *world = zones();

    env_pod(world, "p", "", NEAR("matchLabels: {app: db}", ZONE, ""));
    env_wait(world, 1);
    assert_refused(world, "p", "0/4 nodes are available: 4 node(s) didn't match pod affinity rules." HELPLESS(4));
    place(world, "db", "app: db", "a2");
    env_wait(world, 2);
    assert_zone(world, "p", "a");
    world_free(world);
}

// The first pod with affinity to its own labels may go to any node with the key.
TEST(the_first_of_its_own_kind_may_go_anywhere) {
    World *world = zones();

    env_pod(world, "first", "labels: {app: web}", NEAR("matchLabels: {app: web}", ZONE, ""));
    env_wait(world, 1);
    env_pod(world, "second", "labels: {app: web}", NEAR("matchLabels: {app: web}", ZONE, ""));
    env_wait(world, 1);
    assert_true(zone_of(world, "first").len == 1);
    assert_true(slice_eq(zone_of(world, "first"), zone_of(world, "second")));
    env_pod(world, "nokey", "labels: {app: rack}", NEAR("matchLabels: {app: rack}", "example.com/rack", ""));
    env_wait(world, 1);
    assert_bound(world, "nokey", "");
    world_free(world);
}

// All terms must be matched by the same pod.
TEST(one_pod_must_meet_all_terms) {
    static const char spec[] =
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: "
        "db}}, topologyKey: topology.kubernetes.io/zone}, {labelSelector: {matchLabels: {tier: gold}}, topologyKey: "
        "topology.kubernetes.io/zone}]}}";
    World *world = zones();

    place(world, "db", "app: db", "a1");
    place(world, "gold", "tier: gold", "a2");
    env_pod(world, "p", "", spec);
    env_wait(world, 1);
    assert_bound(world, "p", "");
    place(world, "both", "app: db, tier: gold", "b1");
    env_wait(world, 2);
    assert_zone(world, "p", "b");
    world_free(world);
}

TEST(terms_look_into_the_namespaces_they_name) {
    World *world = zones();

    cluster_create(world, "{apiVersion: v1, kind: Namespace, metadata: {name: data, labels: {team: data}}}");
    env_pod_in(world, "data", "db", "labels: {app: db}", "nodeName: b2");
    world_settle(world);
    env_pod(world, "own", "", NEAR("matchLabels: {app: db}", ZONE, ""));
    env_pod(world, "listed", "", NEAR("matchLabels: {app: db}", ZONE, ", namespaces: [data]"));
    env_pod(world, "selected", "",
            NEAR("matchLabels: {app: db}", ZONE, ", namespaceSelector: {matchLabels: {team: data}}"));
    env_pod(world, "all", "", NEAR("matchLabels: {app: db}", ZONE, ", namespaceSelector: {}"));
    env_pod(world, "other", "",
            NEAR("matchLabels: {app: db}", ZONE, ", namespaceSelector: {matchLabels: {team: web}}"));
    env_wait(world, 1);
    assert_bound(world, "own", "");
    assert_zone(world, "listed", "b");
    assert_zone(world, "selected", "b");
    assert_zone(world, "all", "b");
    assert_bound(world, "other", "");
    cluster_patch(world, KUBE_NAMESPACE, "", "data", KUBE_OBJECT, "{metadata: {labels: {team: web}}}");
    env_wait(world, 15);
    assert_zone(world, "other", "b");
    world_free(world);
}

TEST(match_label_keys_narrow_the_selector) {
    World *world = zones();

    place(world, "old", "app: web, rev: '1'", "a1");
    place(world, "new", "app: web, rev: '2'", "b1");
    env_pod(world, "p", "labels: {app: web, rev: '2'}",
            NEAR("matchLabels: {app: web}", ZONE, ", matchLabelKeys: [rev]"));
    env_pod(world, "q", "labels: {app: web, rev: '2'}",
            FAR("matchLabels: {app: web}", ZONE, ", mismatchLabelKeys: [rev]"));
    env_wait(world, 1);
    assert_zone(world, "p", "b");
    assert_zone(world, "q", "b"); // far from the other revision only
    world_free(world);
}

// --- anti-affinity

TEST(anti_affinity_keeps_away_and_is_kept_away_from) {
    World *world = zones();

    env_pod(world, "lonely", "labels: {app: lonely}", FAR("matchLabels: {app: web}", ZONE, ""));
    env_wait(world, 1);
    env_pod(world, "web", "labels: {app: web}", "");
    env_wait(world, 1);
    assert_false(slice_eq(zone_of(world, "lonely"), zone_of(world, "web")));
    assert_true(zone_of(world, "web").len == 1);
    env_pod(world, "lonely-2", "labels: {app: lonely}",
            FAR("matchLabels: {app: web}", ZONE, "") ", nodeSelector: {topology.kubernetes.io/zone: nowhere}");
    env_wait(world, 1);
    assert_bound(world, "lonely-2", "");
    world_free(world);
}

TEST(replicas_with_anti_affinity_take_a_host_each) {
    World *world = zones();

    for (int i = 0; i < 5; i++) {
        char name[16];

        snprintf(name, sizeof name, "r%d", i);
        env_pod(world, name, "labels: {app: r}", FAR("matchLabels: {app: r}", HOST, ""));
    }
    env_wait(world, 1);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            char one[16], other[16];

            snprintf(one, sizeof one, "r%d", i);
            snprintf(other, sizeof other, "r%d", j);
            assert_int_not_equal(env_find_pod(world, one)->node_name, NAME_EMPTY);
            assert_int_not_equal(env_find_pod(world, one)->node_name, env_find_pod(world, other)->node_name);
        }
    }
    assert_refused(world, "r4",
                   "0/4 nodes are available: 4 node(s) didn't match pod anti-affinity rules." NO_VICTIMS(4));
    cluster_patch(world, KUBE_POD, "default", "r2", KUBE_STATUS, "{status: {phase: Succeeded}}");
    env_wait(world, 2);
    assert_int_equal(env_find_pod(world, "r4")->node_name, env_find_pod(world, "r2")->node_name);
    world_free(world);
}

TEST(existing_anti_affinity_is_named) {
    World *world = zones();

    env_pod(world, "guard-a", "", FAR("matchLabels: {app: web}", ZONE, "") ", nodeName: a1");
    env_pod(world, "guard-b", "", FAR("matchLabels: {app: web}", ZONE, "") ", nodeName: b1");
    world_settle(world);
    env_pod(world, "web", "labels: {app: web}", "");
    env_wait(world, 1);
    assert_refused(world, "web",
                   "0/4 nodes are available: 4 node(s) didn't satisfy existing pods anti-affinity "
                   "rules." NO_VICTIMS(4));
    cluster_delete(world, KUBE_POD, "default", "guard-b");
    env_wait(world, 1);
    assert_bound(world, "web", ""); // the other pod is terminating, not gone
    assert_int_equal(kube_remove(world_kube(world), (KubeRef){KUBE_POD, SLICE("default"), SLICE("guard-b")},
                                 &(KubeDeletion){.has_grace = true}, NULL),
                     OK);
    env_wait(world, 15);
    assert_zone(world, "web", "b");
    world_free(world);
}

// --- spread

#define SPREAD(key, skew, more)                                                                                        \
    "topologySpreadConstraints: [{maxSkew: " #skew ", topologyKey: " key                                               \
    ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}" more "}]"

static uint32_t count_in_zone(World *world, const char *zone, int pods) {
    uint32_t count = 0;

    for (int i = 0; i < pods; i++) {
        char name[16];

        snprintf(name, sizeof name, "w%d", i);
        count += slice_eq_text(zone_of(world, name), zone);
    }
    return count;
}

static void make_webs(World *world, int from, int to, const char *spec) {
    for (int i = from; i < to; i++) {
        char name[16];

        snprintf(name, sizeof name, "w%d", i);
        env_pod(world, name, "labels: {app: web}", spec);
    }
    env_wait(world, 1);
}

TEST(zones_are_kept_within_the_skew) {
    World *world = zones();

    place(world, "x", "app: web", "a1");
    place(world, "x2", "app: web", "a2");
    make_webs(world, 0, 2, SPREAD(ZONE, 1, ""));
    assert_int_equal(count_in_zone(world, "b", 2), 2);
    make_webs(world, 2, 6, SPREAD(ZONE, 1, ""));
    assert_int_equal(count_in_zone(world, "a", 6), 2);
    assert_int_equal(count_in_zone(world, "b", 6), 4);
    world_free(world);
}

TEST(a_node_without_the_key_takes_no_pod) {
    World *world = env_new();

    env_plain_nodes(world, "n");
    env_pod(world, "w", "labels: {app: web}", SPREAD(ZONE, 1, ""));
    env_wait(world, 1);
    assert_refused(world, "w",
                   "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required "
                   "label)." HELPLESS(1));
    cluster_patch(world, KUBE_NODE, "", "n", KUBE_OBJECT, "{metadata: {labels: {" ZONE ": a}}}");
    env_wait(world, 2);
    assert_bound(world, "w", "n");
    world_free(world);
}

TEST(a_full_domain_stops_the_rest) {
    World *world = env_new();

    env_node(world, "a1", ZONE ": a", ROOM);
    env_node(world, "b1", ZONE ": b", "cpu: 100m, memory: 8Gi, pods: 110"); // room for one
    make_webs(world, 0, 4, SPREAD(ZONE, 1, ""));
    assert_int_equal(count_in_zone(world, "a", 4), 2);
    assert_int_equal(count_in_zone(world, "b", 4), 1);
    cluster_patch(world, KUBE_NODE, "", "b1", KUBE_STATUS, "{status: {allocatable: {cpu: 1}}}");
    env_wait(world, 12);
    assert_int_equal(count_in_zone(world, "b", 4), 2);
    world_free(world);
}

TEST(min_domains_counts_missing_domains_as_empty) {
    World *world = zones();

    make_webs(world, 0, 3, SPREAD(ZONE, 1, ", minDomains: 3"));
    assert_int_equal(count_in_zone(world, "a", 3), 1);
    assert_int_equal(count_in_zone(world, "b", 3), 1); // the third waits for a third zone
    env_node(world, "c1", ZONE ": c", ROOM);
    env_wait(world, 2);
    assert_int_equal(count_in_zone(world, "c", 3), 1);
    world_free(world);
}

// Honor (the default) counts only the zones that the pod may go to; Ignore counts them all.
TEST(node_affinity_policy_decides_which_domains_count) {
    static const struct {
        const char *policy;
        uint32_t bound;
    } cases[] = {{"", 4}, {", nodeAffinityPolicy: Honor", 4}, {", nodeAffinityPolicy: Ignore", 1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        World *world = zones();
        char spec[512];

        snprintf(spec, sizeof spec,
                 "nodeSelector: {" ZONE ": a}, topologySpreadConstraints: [{maxSkew: 1, topologyKey: " ZONE
                 ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}%s}]",
                 cases[i].policy);
        make_webs(world, 0, 4, spec);
        assert_int_equal(count_in_zone(world, "a", 4), cases[i].bound);
        world_free(world);
    }
}

// Ignore (the default) counts tainted nodes as domains, though the pods may not go there.
TEST(node_taints_policy_decides_which_domains_count) {
    static const struct {
        const char *policy;
        uint32_t bound;
    } cases[] = {{"", 1}, {", nodeTaintsPolicy: Ignore", 1}, {", nodeTaintsPolicy: Honor", 4}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        World *world = zones();
        char spec[512];

        cluster_patch(world, KUBE_NODE, "", "b1", KUBE_OBJECT, "{spec: {taints: [{key: k, effect: NoSchedule}]}}");
        cluster_patch(world, KUBE_NODE, "", "b2", KUBE_OBJECT, "{spec: {taints: [{key: k, effect: NoSchedule}]}}");
        snprintf(spec, sizeof spec,
                 "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " ZONE
                 ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}%s}]",
                 cases[i].policy);
        make_webs(world, 0, 4, spec);
        assert_int_equal(count_in_zone(world, "a", 4), cases[i].bound);
        world_free(world);
    }
}

TEST(match_label_keys_spread_each_revision_by_itself) {
    World *world = zones();

    for (int i = 0; i < 4; i++) {
        char name[16];

        snprintf(name, sizeof name, "old%d", i);
        place(world, name, "app: web, rev: '1'", "a1");
    }
    for (int i = 0; i < 4; i++) {
        char name[16];

        snprintf(name, sizeof name, "w%d", i);
        env_pod(world, name, "labels: {app: web, rev: '2'}", SPREAD(ZONE, 1, ", matchLabelKeys: [rev]"));
    }
    env_wait(world, 1);
    assert_int_equal(count_in_zone(world, "a", 4), 2);
    assert_int_equal(count_in_zone(world, "b", 4), 2);
    world_free(world);
}

TEST(terminating_pods_do_not_count_for_spread) {
    World *world = zones();

    place(world, "x1", "app: web", "a1");
    place(world, "x2", "app: web", "a2");
    env_pod(world, "w0", "labels: {app: web}", SPREAD(ZONE, 1, "") ", nodeSelector: {" HOST ": a1}");
    env_wait(world, 1);
    assert_bound(world, "w0", "a1"); // zone b does not count for it by its node selector
    cluster_delete(world, KUBE_POD, "default", "x1");
    cluster_delete(world, KUBE_POD, "default", "x2");
    make_webs(world, 1, 4, SPREAD(ZONE, 1, ""));
    assert_int_equal(count_in_zone(world, "a", 4), 2);
    assert_int_equal(count_in_zone(world, "b", 4), 2);
    world_free(world);
}

#define EMPTY_SPREAD(key, more)                                                                                        \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " key                                                       \
    ", whenUnsatisfiable: DoNotSchedule, labelSelector: {}" more "}]"

TEST(an_empty_selector_counts_no_pods) {
    World *world = zones();

    for (int i = 0; i < 6; i++) {
        char name[16];

        snprintf(name, sizeof name, "w%d", i);
        env_pod(world, name, "labels: {app: web}", EMPTY_SPREAD(HOST, "") ", nodeSelector: {" HOST ": a1}");
    }
    env_pod(world, "other", "labels: {app: web}",
            EMPTY_SPREAD(ZONE, ", minDomains: 3") ", nodeSelector: {" ZONE ": a}");
    env_wait(world, 1);
    assert_int_equal(count_in_zone(world, "a", 6), 6);
    assert_zone(world, "other", "a");
    world_free(world);
}

// With matchLabelKeys the selector is not empty.
TEST(label_keys_make_an_empty_selector_count) {
    World *world = zones();

    place(world, "old", "rev: '1'", "a1");
    place(world, "new", "rev: '2'", "b1");
    env_pod(world, "w", "labels: {rev: '2'}", EMPTY_SPREAD(ZONE, ", matchLabelKeys: [rev]"));
    env_pod(world, "none", "", EMPTY_SPREAD(ZONE, ", matchLabelKeys: [rev]") ", nodeSelector: {" HOST ": b1}");
    env_wait(world, 1);
    assert_zone(world, "w", "a");
    assert_zone(world, "none", "b"); // it has no such label: the selector stays empty
    world_free(world);
}

// Pods that kube-scheduler adds to a node while filtering count: those that are nominated for it.
TEST(an_empty_selector_counts_nominated_pods) {
    static const char port[] = "containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}]}], ";
    World *world = env_new();
    char spec[512];

    env_node(world, "a1", ZONE ": a", ROOM);
    env_node(world, "b1", ZONE ": b", ROOM);
    cluster_create(world, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 9}");
    snprintf(spec, sizeof spec, "%snodeName: a1", port);
    env_pod(world, "low", "", spec);
    env_running(world, "low", "startTime: '2026-01-01T00:00:00Z'");
    snprintf(spec, sizeof spec, "%snodeSelector: {" ZONE ": a}, priorityClassName: high", port);
    env_pod(world, "next", "", spec); // waits for low's end
    env_wait(world, 1);
    assert_bound(world, "next", "");
    env_pod(world, "w", "",
            EMPTY_SPREAD(ZONE, ", nodeAffinityPolicy: Ignore") ", priorityClassName: high, nodeSelector: {" ZONE
                                                               ": a}");
    env_pod(world, "alone", "", // only zone a counts for it: that has the least
            EMPTY_SPREAD(ZONE, "") ", priorityClassName: high, nodeSelector: {" ZONE ": a}");
    env_wait(world, 1);
    assert_bound(world, "w", "");
    assert_bound(world, "alone", "a1");
    world_free(world);
}

TEST(schedule_anyway_never_refuses) {
    static const char spec[] = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " ZONE
                               ", whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}], "
                               "nodeSelector: {" ZONE ": a}";
    World *world = zones();

    make_webs(world, 0, 6, spec);
    assert_int_equal(count_in_zone(world, "a", 6), 6);
    world_free(world);
}
