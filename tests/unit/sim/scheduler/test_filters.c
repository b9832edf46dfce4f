// The embedded scheduler's filters, one by one, and their messages.
#include "sim/scheduler_env.h"

#define NO_VICTIMS(n)                                                                                                  \
    " no new claims to deallocate, preemption: 0/" #n " nodes are available: " #n                                      \
    " No preemption victims found for incoming pod."
#define HELPLESS(n)                                                                                                    \
    " no new claims to deallocate, preemption: 0/" #n " nodes are available: " #n                                      \
    " Preemption is not helpful for scheduling."

#define ROOM "cpu: 4, memory: 8Gi, pods: 110"

// --- none at all

TEST(without_nodes_it_says_so) {
    World *world = env_new();

    env_pod(world, "p", "", "");
    env_wait(world, 1);
    assert_refused(world, "p", "no nodes available to schedule pods");
    env_plain_nodes(world, "a");
    env_wait(world, 1);
    assert_bound(world, "p", "a");
    assert_scheduled_condition(world, "p", "status", "True");
    world_free(world);
}

TEST(pods_of_other_schedulers_are_left_alone) {
    World *world = env_new();

    env_plain_nodes(world, "a");
    env_pod(world, "p", "", "schedulerName: somebody-else");
    env_wait(world, 60);
    assert_bound(world, "p", "");
    assert_scheduled_condition(world, "p", "status", "(no condition)");
    world_free(world);
}

TEST(gated_pods_wait_until_the_last_gate_is_gone) {
    World *world = env_new();

    env_plain_nodes(world, "a");
    env_pod(world, "p", "", "schedulingGates: [{name: one}, {name: two}]");
    env_wait(world, 600);
    assert_bound(world, "p", "");
    cluster_patch(world, KUBE_POD, "default", "p", KUBE_OBJECT, "{spec: {schedulingGates: [{name: two}]}}");
    env_wait(world, 600);
    assert_bound(world, "p", "");
    cluster_patch(world, KUBE_POD, "default", "p", KUBE_OBJECT, "{spec: {schedulingGates: null}}");
    env_wait(world, 1);
    assert_bound(world, "p", "a");
    world_free(world);
}

// --- room

TEST(room_is_what_is_left_by_pods_that_are_not_over) {
    World *world = env_new();

    env_plain_nodes(world, "a");
    env_sized(world, "big", "cpu: 3", "");
    env_wait(world, 1);
    env_sized(world, "next", "cpu: 1500m", "");
    env_wait(world, 1);
    assert_refused(world, "next", "0/1 nodes are available: 1 Insufficient cpu." NO_VICTIMS(1));
    env_sized(world, "small", "cpu: 1", "");
    env_wait(world, 1);
    assert_bound(world, "small", "a");
    cluster_patch(world, KUBE_POD, "default", "big", KUBE_STATUS, "{status: {phase: Succeeded}}");
    env_wait(world, 2);
    assert_bound(world, "next", "a");
    world_free(world);
}

TEST(every_resource_that_is_short_is_named) {
    World *world = env_new();

    env_plain_nodes(world, "ab");
    env_node(world, "c", "", "cpu: 64, memory: 1Gi, pods: 110, nvidia.com/gpu: 1");
    env_sized(world, "p", "cpu: 5, memory: 10Gi, nvidia.com/gpu: 1",
              "tolerations: [{operator: Exists}]"); // no matter
    env_wait(world, 1);
    assert_refused(world, "p",
                   "0/3 nodes are available: 2 Insufficient cpu, 2 Insufficient nvidia.com/gpu, 3 Insufficient "
                   "memory." HELPLESS(3));
    world_free(world);
}

TEST(extended_resources_are_counted_as_others) {
    World *world = env_new();
    static const char request[] = "containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: 2}}}]";

    env_node(world, "a", "", "cpu: 64, memory: 64Gi, pods: 110, nvidia.com/gpu: 3");
    env_pod(world, "one", "", request);
    env_wait(world, 1);
    env_pod(world, "two", "", request);
    env_wait(world, 1);
    assert_bound(world, "one", "a");
    assert_refused(world, "two", "0/1 nodes are available: 1 Insufficient nvidia.com/gpu." NO_VICTIMS(1));
    cluster_patch(world, KUBE_NODE, "", "a", KUBE_STATUS, "{status: {allocatable: {nvidia.com/gpu: 4}}}");
    env_wait(world, 2);
    assert_bound(world, "two", "a");
    world_free(world);
}

TEST(a_node_takes_as_many_pods_as_it_says) {
    World *world = env_new();

    env_node(world, "a", "", "cpu: 64, memory: 64Gi, pods: 2");
    env_sized(world, "one", "", "");
    env_sized(world, "two", "", "");
    env_wait(world, 1);
    env_sized(world, "three", "cpu: 100", "");
    env_wait(world, 1);
    assert_refused(world, "three", "0/1 nodes are available: 1 Insufficient cpu, 1 Too many pods." HELPLESS(1));
    world_free(world);
}

// An init container needs its room beside the sidecars that started before it; sidecars keep running; overhead is
// added.
TEST(init_containers_sidecars_and_overhead_count) {
    static const struct {
        const char *name, *spec;
        bool fits;
    } cases[] = {
        {"init-fits",
         "initContainers: [{name: i, image: i, resources: {requests: {cpu: 4}}}], containers: [{name: c, "
         "image: i, resources: {requests: {cpu: 1}}}]",
         true},
        {"init-too-big",
         "initContainers: [{name: i, image: i, resources: {requests: {cpu: 4001m}}}], containers: [{name: c, image: "
         "i, resources: {requests: {cpu: 1}}}]",
         false},
        {"sidecar-adds",
         "initContainers: [{name: s, image: i, restartPolicy: Always, resources: {requests: {cpu: 2}}}],"
         " containers: [{name: c, image: i, resources: {requests: {cpu: 2500m}}}]",
         false},
        {"sidecar-fits",
         "initContainers: [{name: s, image: i, restartPolicy: Always, resources: {requests: {cpu: 2}}}],"
         " containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]",
         true},
        {"sidecar-before-init",
         "initContainers: [{name: s, image: i, restartPolicy: Always, resources: {requests: {cpu: 2}}}, {name: i, "
         "image: i, resources: {requests: {cpu: 3}}}], containers: [{name: c, image: i}]",
         false},
        {"sidecar-after-init",
         "initContainers: [{name: i, image: i, resources: {requests: {cpu: 3}}}, {name: s, image: i, restartPolicy: "
         "Always, resources: {requests: {cpu: 2}}}], containers: [{name: c, image: i}]",
         true},
        {"overhead", "runtimeClassName: heavy, containers: [{name: c, image: i, resources: {requests: {cpu: 3}}}]",
         false},
        {"overhead-fits", "runtimeClassName: light, containers: [{name: c, image: i, resources: {requests: {cpu: 3}}}]",
         true},
        {"pod-level", "resources: {requests: {cpu: 5}}, containers: [{name: c, image: i}]", false},
        {"pod-level-fits",
         "resources: {requests: {cpu: 4}}, containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        World *world = env_new();

        env_plain_nodes(world, "a");
        cluster_create(world, "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: heavy}, handler: h, "
                              "overhead: {podFixed: {cpu: 1500m}}}");
        cluster_create(world, "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: light}, handler: h, "
                              "overhead: {podFixed: {cpu: 1}}}");
        env_pod(world, cases[i].name, "", cases[i].spec);
        env_wait(world, 1);
        assert_bound(world, cases[i].name, cases[i].fits ? "a" : "");
        world_free(world);
    }
}

// --- node side

TEST(taints_and_cordons_refuse) {
    World *world = env_new();

    env_plain_nodes(world, "abc");
    cluster_patch(world, KUBE_NODE, "", "a", KUBE_OBJECT,
                  "{spec: {taints: [{key: team, value: x, effect: NoSchedule}]}}");
    cluster_patch(world, KUBE_NODE, "", "b", KUBE_OBJECT,
                  "{spec: {taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}], unschedulable: "
                  "true}}");
    cluster_patch(world, KUBE_NODE, "", "c", KUBE_OBJECT, "{spec: {taints: [{key: out, effect: NoExecute}]}}");
    env_pod(world, "p", "", "");
    env_wait(world, 1);
    assert_refused(world, "p",
                   "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had untolerated "
                   "taint(s)." HELPLESS(3));
    env_pod(world, "x", "", "tolerations: [{key: team, operator: Equal, value: x}]");
    env_pod(world, "cordon", "", "tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}]");
    env_pod(world, "z", "", "tolerations: [{key: out, operator: Exists, effect: NoExecute}]");
    env_pod(world, "wrong-value", "", "tolerations: [{key: team, operator: Equal, value: z}]");
    env_pod(world, "wrong-effect", "", "tolerations: [{key: team, operator: Exists, effect: NoExecute}]");
    env_wait(world, 1);
    assert_bound(world, "x", "a");
    assert_bound(world, "cordon", "b");
    assert_bound(world, "z", "c");
    assert_bound(world, "wrong-value", "");
    assert_bound(world, "wrong-effect", "");
    cluster_patch(world, KUBE_NODE, "", "c", KUBE_OBJECT, "{spec: {taints: null}}");
    env_wait(world, 2);
    assert_bound(world, "p", "c");
    world_free(world);
}

TEST(taints_are_named_up_to_1_34) {
    World *world = world_new(&(WorldConfig){.seed = 1});

    sim_scheduler_add(world, &(SimSchedulerConfig){.name_taints = true});
    env_plain_nodes(world, "abc");
    cluster_patch(world, KUBE_NODE, "", "a", KUBE_OBJECT, "{spec: {taints: [{key: k, value: v, effect: NoSchedule}]}}");
    cluster_patch(world, KUBE_NODE, "", "b", KUBE_OBJECT, "{spec: {taints: [{key: k, value: v, effect: NoSchedule}]}}");
    cluster_patch(world, KUBE_NODE, "", "c", KUBE_OBJECT, "{spec: {taints: [{key: gpu, effect: NoSchedule}]}}");
    env_pod(world, "p", "", "");
    env_wait(world, 1);
    assert_refused(world, "p",
                   "0/3 nodes are available: 1 node(s) had untolerated taint {gpu: }, 2 node(s) had untolerated taint "
                   "{k: v}." HELPLESS(3));
    world_free(world);
}

TEST(node_affinity_and_selector_choose) {
    static const struct {
        const char *name, *spec, *node;
    } cases[] = {
        {"selector", "nodeSelector: {disk: ssd}", "a"},
        {"selector-twice", "nodeSelector: {disk: ssd, gen: '3'}", ""},
        {"in",
         "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchExpressions: [{key: disk, operator: In, values: [hdd, tape]}]}]}}}",
         "b"},
        {"not-in",
         "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchExpressions: [{key: disk, operator: NotIn, values: [ssd, hdd]}]}]}}}",
         "c"},
        {"exists",
         "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchExpressions: [{key: spare, operator: Exists}]}]}}}",
         "c"},
        {"absent",
         "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchExpressions: [{key: disk, operator: DoesNotExist}]}]}}}",
         "c"},
        {"more",
         "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchExpressions: [{key: gen, operator: Gt, values: ['5']}]}]}}}",
         "b"},
        {"less",
         "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchExpressions: [{key: gen, operator: Lt, values: ['6']}]}]}}}",
         "a"},
        {"or",
         "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchExpressions: [{key: disk, operator: In, values: [tape]}]}, {matchExpressions: [{key: spare, "
         "operator: Exists}]}]}}}",
         "c"},
        {"and-selector",
         "nodeSelector: {disk: ssd}, affinity: {nodeAffinity: "
         "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: "
         "[{key: gen, operator: Gt, values: ['5']}]}]}}}",
         ""},
        {"field",
         "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchFields: [{key: metadata.name, operator: In, values: [b]}]}]}}}",
         "b"},
        {"field-and-label",
         "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
         "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [b]}], "
         "matchExpressions: [{key: disk, operator: In, values: [ssd]}]}]}}}",
         ""},
    };
    World *world = env_new();

    env_node(world, "a", "disk: ssd, gen: '5'", ROOM);
    env_node(world, "b", "disk: hdd, gen: '10'", ROOM);
    env_node(world, "c", "spare: 'true'", ROOM);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        env_pod(world, cases[i].name, "", cases[i].spec);
    env_wait(world, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_bound(world, cases[i].name, cases[i].node);
    assert_refused(world, "selector-twice",
                   "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector." HELPLESS(3));
    world_free(world);
}

TEST(host_ports_clash_by_address_and_protocol) {
    static const struct {
        const char *name, *port;
        bool fits;
    } cases[] = {
        {"same", "hostPort: 80", false},
        {"other-port", "hostPort: 81", true},
        {"other-protocol", "hostPort: 80, protocol: UDP", true},
        {"one-address", "hostPort: 80, hostIP: 10.0.0.1", false}, // the first listens on all
        {"address-81", "hostPort: 90, hostIP: 10.0.0.1", true},
        {"other-address", "hostPort: 90, hostIP: 10.0.0.2", true},
        {"every-address", "hostPort: 90", false},
    };
    World *world = env_new();

    env_plain_nodes(world, "a");
    env_pod(world, "first", "", "containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: 80}]}]");
    env_wait(world, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char spec[256];

        snprintf(spec, sizeof spec, "containers: [{name: c, image: i, ports: [{containerPort: 1, %s}]}]",
                 cases[i].port);
        env_pod(world, cases[i].name, "", spec);
        env_wait(world, 1);
        assert_bound(world, cases[i].name, cases[i].fits ? "a" : "");
    }
    assert_refused(world, "same",
                   "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod "
                   "ports." NO_VICTIMS(1));
    cluster_patch(world, KUBE_POD, "default", "first", KUBE_STATUS, "{status: {phase: Failed}}");
    env_wait(world, 2);
    assert_bound(world, "same", "a");
    world_free(world);
}

// --- the API server's part

// A pod in the queue that another program binds counts on its node.
TEST(pods_that_others_bind_count) {
    World *world = env_new();

    env_plain_nodes(world, "a");
    env_sized(world, "p", "cpu: 8", "");
    env_wait(world, 1);
    assert_bound(world, "p", "");
    assert_int_equal(
        kube_bind(world_kube(world), (KubeRef){KUBE_POD, SLICE("default"), SLICE("p")}, (Slice){0}, SLICE("a"), NULL),
        OK);
    env_sized(world, "q", "cpu: 1", "");
    env_wait(world, 1);
    assert_scheduled_condition(world, "p", "status", "True");
    assert_refused(world, "q", "0/1 nodes are available: 1 Insufficient cpu." NO_VICTIMS(1));
    world_free(world);
}

TEST(a_pod_that_goes_while_it_waits_is_forgotten) {
    World *world = env_new();

    env_pod(world, "p", "", "");
    env_wait(world, 1);
    cluster_delete(world, KUBE_POD, "default", "p");
    env_plain_nodes(world, "a");
    env_wait(world, 600);
    assert_int_equal(cluster_find(world, KUBE_POD, "default", "p").generation, 0);
    env_pod(world, "p", "", ""); // the same name again
    env_wait(world, 1);
    assert_bound(world, "p", "a");
    world_free(world);
}
