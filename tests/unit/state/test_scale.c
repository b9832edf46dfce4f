// The cost of decoding, applying, snapshots and keeping of many pods. Times are printed; bytes and counts are asserted.
//
// TENON_PODS says how many (default 10,000); 100,000 on 5,000 nodes is what the store is made for. The bounds are those
// of that size, per pod: a controller may take 150 MB in all, of which 90 MB are for the State with its nodes.
#include "base/time.h"
#include "state/support/mirror.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PODS_PER_NODE = 20, PODS_PER_OWNER = 10, STATE_BYTES_MAX = 900, ALL_BYTES_MAX = 1500, EVENTS = 100 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_MALLOC 0
#elif defined(__has_feature)
#define OWN_MALLOC !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define OWN_MALLOC 1
#endif

// Bytes of the heap, with malloc's overhead; 0: unknown under a sanitizer.
static size_t heap_bytes(void) {
    struct mallinfo2 info = mallinfo2();

    return OWN_MALLOC ? info.uordblks + info.hblkhd : 0;
}

static uint32_t pods(void) {
    const char *text = getenv("TENON_PODS");
    int64_t count;

    return text && slice_to_int64(slice_of(text), &count) && count > 0 ? (uint32_t)count : 10000;
}

static double seconds(void) {
    return ns_to_s(clock_system_mono().ns);
}

static void report(const char *what, uint32_t count, double took) {
    printf("  %-34s %7u in %7.4f s, %8.2f us each\n", what, count, took, took / count * 1e6);
}

static double decode_seconds, apply_seconds;
static size_t heap_before;

static void put(Mirror *mirror, KubeKind kind, const Value *object) {
    double start = seconds();
    StateUpdate *update;

    assert_int_equal(state_decode(state_symbols(mirror->state), kind, object, &update, NULL), OK);
    decode_seconds += seconds() - start;
    start = seconds();
    assert_true(state_apply(mirror->state, update, false, &mirror->change));
    apply_seconds += seconds() - start;
}

static void put_pod(Mirror *mirror, uint32_t i, uint32_t version, bool bound) {
    Arena kept = mirror->arena;
    char node[48] = "";
    Value pod;

    mirror->arena = (Arena){0};
    if (bound)
        snprintf(node, sizeof node, "nodeName: ip-10-0-%u-%u.ec2.internal, ", i / PODS_PER_NODE / 250,
                 i / PODS_PER_NODE % 250);
    pod = mirror_object(
        mirror,
        "{metadata: {namespace: shop-%u, name: web-7c5ddbdf54-%05u, uid: 0b1f6ed5-8c9a-4c5e-9d2f-%012u, "
        "resourceVersion: '%u', creationTimestamp: '2026-01-05T00:00:00Z', labels: {app: web-%u, pod-template-hash: "
        "7c5ddbdf54, team: shop}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-%u-7c5ddbdf54, "
        "uid: 11111111-8c9a-4c5e-9d2f-%012u, controller: true}]}, spec: {%scontainers: [{name: main, image: "
        "'registry.example/shop/web:1.27.3', ports: [{containerPort: 8080}], resources: {requests: {cpu: %um, memory: "
        "512Mi}, limits: {memory: 512Mi}}}], topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
        "topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: "
        "web-%u}}}]}, "
        "status: {phase: Running, startTime: '2026-01-05T00:00:00Z', conditions: [{type: Ready, status: 'True'}]}}",
        i / 1000, i, i, version, i / PODS_PER_OWNER, i / PODS_PER_OWNER, i / PODS_PER_OWNER, node,
        100 + i / PODS_PER_OWNER % 50 * 10, i / PODS_PER_OWNER);
    put(mirror, KUBE_POD, &pod);
    arena_free(&mirror->arena);
    mirror->arena = kept;
}

// A Node and its NodeClaim, about as large as they are with Karpenter.
static void put_node(Mirror *mirror, uint32_t i) {
    Arena kept = mirror->arena;
    Value object;

#define LABELS                                                                                                         \
    "karpenter.sh/nodepool: default, karpenter.sh/initialized: 'true', karpenter.sh/registered: 'true', "              \
    "karpenter.sh/capacity-type: spot, kubernetes.io/arch: amd64, kubernetes.io/os: linux, "                           \
    "node.kubernetes.io/instance-type: m5.4xlarge, topology.kubernetes.io/zone: us-east-1a, "                          \
    "topology.kubernetes.io/region: us-east-1, karpenter.k8s.aws/instance-cpu: '16', "                                 \
    "karpenter.k8s.aws/instance-memory: '65536', karpenter.k8s.aws/instance-category: m, "                             \
    "karpenter.k8s.aws/instance-family: m5, karpenter.k8s.aws/instance-generation: '5', "                              \
    "karpenter.k8s.aws/instance-size: 4xlarge, karpenter.k8s.aws/ec2nodeclass: default"
#define CONDITION(type)                                                                                                \
    "{type: " type ", status: 'True', reason: " type ", message: '', lastTransitionTime: '2026-01-05T00:00:00Z'}"
#define CAPACITY "{cpu: '16', memory: 64Gi, pods: '234', ephemeral-storage: 20Gi, vpc.amazonaws.com/pod-eni: '54'}"
    mirror->arena = (Arena){0};
    object = mirror_object(mirror,
                           "{metadata: {name: ip-10-0-%u-%u.ec2.internal, uid: 22222222-8c9a-4c5e-9d2f-%012u, "
                           "resourceVersion: '%u', labels: {kubernetes.io/hostname: ip-10-0-%u-%u.ec2.internal, " LABELS
                           "}, annotations: {karpenter.sh/nodepool-hash: '123456789012345678'}, finalizers: "
                           "[karpenter.sh/termination]}, spec: {providerID: 'aws:///us-east-1a/i-%017u'}, status: "
                           "{capacity: " CAPACITY ", allocatable: " CAPACITY
                           ", conditions: [" CONDITION("Ready") ", " CONDITION("MemoryPressure") ", " CONDITION(
                               "DiskPressure") ", " CONDITION("PIDPressure") "]}}",
                           i / 250, i % 250, i, i + 1, i / 250, i % 250, i);
    put(mirror, KUBE_NODE, &object);
    object = mirror_object(
        mirror,
        "{metadata: {name: default-%05u, uid: 33333333-8c9a-4c5e-9d2f-%012u, resourceVersion: '%u', labels: {" LABELS
        "}, annotations: {karpenter.sh/nodepool-hash: '123456789012345678'}, finalizers: [karpenter.sh/termination]}, "
        "spec: {requirements: [{key: karpenter.sh/nodepool, operator: In, values: [default]}, {key: "
        "node.kubernetes.io/instance-type, operator: In, values: [m5.4xlarge, m5.2xlarge, m6i.4xlarge, m6i.2xlarge]}], "
        "nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}, status: {nodeName: "
        "ip-10-0-%u-%u.ec2.internal, providerID: 'aws:///us-east-1a/i-%017u', imageID: ami-1, capacity: " CAPACITY
        ", allocatable: " CAPACITY ", conditions: [" CONDITION("Launched") ", " CONDITION("Registered") ", " CONDITION(
            "Initialized") ", " CONDITION("Ready") "]}}",
        i, i, i + 1, i / 250, i % 250, i);
    put(mirror, KUBE_NODE_CLAIM, &object);
    arena_free(&mirror->arena);
    mirror->arena = kept;
}

static void fill(Mirror *mirror, uint32_t count) {
    StateMemory before;

    heap_before = heap_bytes();
    for (uint32_t i = 0; i < count / PODS_PER_NODE; i++)
        put_node(mirror, i);
    report("nodes and claims decoded", count / PODS_PER_NODE, decode_seconds);
    report("nodes and claims applied", count / PODS_PER_NODE, apply_seconds);
    before = state_memory(mirror->state);
    printf("  %.1f MB with nodes and claims: %zu bytes for both\n", (double)before.bytes / 1e6,
           before.bytes / (count / PODS_PER_NODE));
    decode_seconds = apply_seconds = 0;
    for (uint32_t i = 0; i < count; i++)
        put_pod(mirror, i, 1000000 + i, false);
    report("pods decoded", count, decode_seconds);
    report("pods applied", count, apply_seconds);
    decode_seconds = apply_seconds = 0;
    for (uint32_t i = 0; i < count; i++)
        put_pod(mirror, i, 2000000 + i, true);
    report("pods bound: decoded", count, decode_seconds);
    report("pods bound: applied", count, apply_seconds);
}

// One event after a snapshot: the chunk that it touches is copied, and no other.
static void measure_snapshots(Mirror *mirror, uint32_t count) {
    Snapshot *held = state_snapshot(mirror->state);
    double start, snapshots = 0, frees = 0;

    decode_seconds = apply_seconds = 0;
    for (uint32_t i = 0; i < EVENTS; i++) {
        uint64_t copied = state_memory(mirror->state).chunks_copied;
        Snapshot *next;

        put_pod(mirror, i * 97 % count, 3000000 + i, true);
        assert_int_equal(state_memory(mirror->state).chunks_copied, copied + 1);
        start = seconds();
        next = state_snapshot(mirror->state);
        snapshots += seconds() - start;
        start = seconds();
        snapshot_free(held);
        frees += seconds() - start;
        held = next;
    }
    report("an event, the chunk copied", EVENTS, apply_seconds);
    report("the snapshot after it", EVENTS, snapshots);
    report("a snapshot freed", EVENTS, frees);
    snapshot_free(held);
}

static void measure_cluster(Mirror *mirror, uint32_t count) {
    Snapshot *snapshot = state_snapshot(mirror->state);
    Arena arena = {0};
    Cluster cluster;
    double start = seconds();

    snapshot_cluster(snapshot, &arena, &cluster);
    report("the snapshot as a cluster", 1, seconds() - start);
    assert_int_equal(cluster.pods.count, count);
    assert_int_equal(cluster.nodes.count, count / PODS_PER_NODE);
    printf("  %.1f MB from malloc with a snapshot and its cluster: %zu bytes per pod\n",
           (double)(heap_bytes() - heap_before) / 1e6, (heap_bytes() - heap_before) / count);
    assert_true((heap_bytes() - heap_before) / count < ALL_BYTES_MAX);
    arena_free(&arena);
    snapshot_free(snapshot);
}

// state_memory equals the growth of the heap, but for malloc's rounding and headers.
static void check_memory(const Mirror *mirror, uint32_t count) {
    StateMemory memory = state_memory(mirror->state);
    size_t heap = heap_bytes() - heap_before;

    printf("  %u objects, %u symbols, %.1f MB (%.1f MB from malloc): %zu bytes per pod all in\n", memory.objects,
           memory.symbols, (double)memory.bytes / 1e6, (double)heap / 1e6, memory.bytes / count);
    assert_true(memory.bytes / count < STATE_BYTES_MAX);
    if (heap) {
        assert_true(heap / count < STATE_BYTES_MAX);
        assert_true(memory.bytes > heap / 10 * 9 && memory.bytes < heap / 20 * 21);
    }
}

TEST(many_pods) {
    Mirror *mirror = mirror_new();
    uint32_t count = pods();

    fill(mirror, count);
    check_memory(mirror, count);
    measure_snapshots(mirror, count);
    measure_cluster(mirror, count);
    mirror_free(mirror);
}
