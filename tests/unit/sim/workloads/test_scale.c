// The cost of starting, updating and deleting many pods in the simulated cluster. Times are printed; only writes per
// pod are asserted.
//
// TENON_PODS says how many (default 5,000); the simulator is made for 100,000 on 5,000 nodes.
#include "base/time.h"
#include "sim/workload_bed.h"

#include <time.h>

enum { PODS_PER_NODE = 20, PODS_PER_DEPLOYMENT = 1000 };

static uint32_t pods(void) {
    const char *text = getenv("TENON_PODS");
    int64_t count;

    return text && slice_to_int64(slice_of(text), &count) && count >= PODS_PER_DEPLOYMENT ? (uint32_t)count : 5000;
}

static double seconds(void) {
    return ns_to_s(clock_system_mono().ns);
}

static void start_nodes(Bed *bed, uint32_t count) {
    Symbol resources[] = {bed_symbol(bed, "cpu"), bed_symbol(bed, "memory"), bed_symbol(bed, "pods")};
    int64_t amounts[] = {16000, INT64_C(64) << 30, 110};

    for (uint32_t i = 0; i < count; i++) {
        SimInstance instance = bed_instance(bed, NULL);

        for (int j = 0; j < 3; j++) {
            resources_set(&bed->arena, &instance.capacity, resources[j], amounts[j]);
            resources_set(&bed->arena, &instance.allocatable, resources[j], amounts[j]);
        }
        bed_change(bed, &instance, SIM_INSTANCE_RUNNING);
    }
    bed_run_s(bed, 20);
}

static void deploy(Bed *bed, uint32_t number) {
    cluster_create(bed->world,
                   "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web-%u}, spec: {replicas: %d, selector: "
                   "{matchLabels: {app: web-%u}}, template: {metadata: {labels: {app: web-%u}}, spec: {containers: "
                   "[{name: c, image: i, resources: {requests: {cpu: 500m, memory: 256Mi}}}]}}}}",
                   number, PODS_PER_DEPLOYMENT, number, number);
}

static void agents(Bed *bed) {
    cluster_create(bed->world,
                   "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent}, spec: {selector: {matchLabels: "
                   "{app: agent}}, template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: c, image: "
                   "i, resources: {requests: {cpu: 100m}}}]}}}}");
}

typedef struct {
    double at;
    KubeRevision revision;
} Mark;

static Mark mark(Bed *bed) {
    return (Mark){seconds(), api_usage(world_api(bed->world)).revision};
}

static double report(Bed *bed, const char *what, uint32_t count, Mark since) {
    double took = seconds() - since.at;
    double writes = (double)(api_usage(world_api(bed->world)).revision - since.revision) / count;

    print_message("  %-24s %7u in %6.2f s: %6.1f us and %4.2f writes each\n", what, count, took, took / count * 1e6,
                  writes);
    return writes;
}

static uint32_t running(Bed *bed) {
    const State *mirror = world_state(bed->world);
    uint32_t count = 0;

    for (Handle at = state_next(mirror, KUBE_POD, HANDLE_NONE); at.generation; at = state_next(mirror, KUBE_POD, at))
        count += state_pod(mirror, at)->phase == POD_RUNNING && state_pod(mirror, at)->ready;
    return count;
}

TEST(each_pod_costs_a_handful_of_writes) {
    uint32_t count = pods(), nodes = count / PODS_PER_NODE, deployments = count / PODS_PER_DEPLOYMENT;
    Bed *bed = bed_new();
    Mark since = mark(bed);

    start_nodes(bed, nodes);
    report(bed, "nodes joined", nodes, since);
    since = mark(bed);
    agents(bed);
    bed_run_s(bed, 10 + nodes / 200);
    assert_int_equal(running(bed), nodes);
    assert_true(report(bed, "daemon pods running", nodes, since) < 3.5); // made, bound, running, and statuses
    since = mark(bed);
    for (uint32_t i = 0; i < deployments; i++)
        deploy(bed, i);
    bed_run_s(bed, 10 + count / 200);
    assert_int_equal(running(bed), nodes + count);
    assert_true(report(bed, "pods running", count, since) < 3.8);
    since = mark(bed);
    for (uint32_t i = 0; i < deployments; i++)
        cluster_patch(bed->world, KUBE_DEPLOYMENT, "default", arena_printf(&bed->arena, "web-%u", i).ptr, KUBE_OBJECT,
                      "{spec: {replicas: 500}}");
    bed_run_s(bed, 20);
    assert_int_equal(running(bed), nodes + count / 2);
    report(bed, "pods scaled away", count / 2, since);
    since = mark(bed);
    bed_run_s(bed, 3600);
    report(bed, "calm hour, pods", count / 2, since);
    assert_int_equal(api_usage(world_api(bed->world)).revision, since.revision); // no writes when nothing happens
    since = mark(bed);
    for (uint32_t i = 0; i < nodes / 10; i++)
        cluster_delete(bed->world, KUBE_NODE, "", arena_printf(&bed->arena, "m-%u", i).ptr);
    bed_run_s(bed, 120);
    assert_int_equal(running(bed), nodes - nodes / 10 + count / 2);
    report(bed, "nodes lost", nodes / 10, since);
    bed_free(bed);
}
