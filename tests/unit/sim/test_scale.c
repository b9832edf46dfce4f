// The cost of writing, listing and keeping many pods. Times are printed; only bytes per object are asserted.
//
// TENON_PODS says how many (default 10,000); 100,000 is what the embedded server is made for.
#include "base/time.h"
#include "sim/support/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAGE = 500, NODES = 5000, POD_BYTES_MAX = 2200 };

static uint32_t pods(void) {
    const char *text = getenv("TENON_PODS");
    int64_t count;

    return text && slice_to_int64(slice_of(text), &count) && count > 0 ? (uint32_t)count : 10000;
}

static double seconds(void) {
    return ns_to_s(clock_system_mono().ns);
}

static void report(const char *what, uint32_t count, double since) {
    double took = seconds() - since;

    printf("  %-28s %7u in %6.3f s: %8.0f/s, %5.2f us each\n", what, count, took, count / took, took / count * 1e6);
}

static bool count_events(void *context, const KubeEvent *event) {
    (void)event;
    ++*(uint32_t *)context;
    return true;
}

// A pod as a ReplicaSet makes it.
static Value pod_template(Fixture *fixture) {
    return fixture_object(
        fixture, "%s",
        "{apiVersion: v1, kind: Pod, metadata: {generateName: web-7c5ddbdf54-, labels: {app: web, "
        "pod-template-hash: 7c5ddbdf54, team: shop}, ownerReferences: [{apiVersion: apps/v1, kind: "
        "ReplicaSet, name: web-7c5ddbdf54, uid: 0b1f6ed5-8c9a-4c5e-9d2f-0123456789ab, controller: true, "
        "blockOwnerDeletion: true}]}, spec: {containers: [{name: main, image: "
        "'registry.example/shop/web:1.27.3', ports: [{containerPort: 8080}], resources: {requests: {cpu: "
        "250m, memory: 512Mi}, limits: {memory: 512Mi}}, env: [{name: MODE, value: production}]}], "
        "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, "
        "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]}}");
}

static SliceVec create_pods(Fixture *fixture, uint32_t count) {
    Value object = pod_template(fixture);
    SliceVec names = {0};
    double start = seconds();

    for (uint32_t i = 0; i < count; i++) {
        Arena scratch = {0};
        Value made;

        assert_int_equal(kube_create(fixture->kube, &scratch, SLICE("rs"), KUBE_POD, &object, &made, NULL), OK);
        vec_push(&fixture->arena, &names, arena_slice(&fixture->arena, kube_name(&made)));
        arena_free(&scratch);
    }
    report("created", count, start);
    return names;
}

static void bind_pods(Fixture *fixture, const SliceVec *names) {
    double start = seconds();

    for (uint32_t i = 0; i < names->count; i++) {
        char node[24];

        snprintf(node, sizeof node, "node-%05u", i % NODES);
        assert_int_equal(kube_bind(fixture->kube, (KubeRef){KUBE_POD, SLICE("default"), names->items[i]}, SLICE(""),
                                   slice_of(node), NULL),
                         OK);
    }
    report("bound", names->count, start);
}

static void run_pods(Fixture *fixture, const SliceVec *names) {
    Value patch =
        fixture_object(fixture, "%s",
                       "{status: {phase: Running, startTime: '2026-01-01T00:00:00Z', podIP: 10.0.0.1, conditions: "
                       "[{type: Ready, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z'}]}}");
    KubePatch status = {.type = KUBE_PATCH_STRATEGIC, .body = &patch};
    double start = seconds();

    for (uint32_t i = 0; i < names->count; i++)
        assert_int_equal(kube_patch(fixture->kube, NULL, SLICE("kubelet"),
                                    (KubeRef){KUBE_POD, SLICE("default"), names->items[i]}, KUBE_STATUS, &status, NULL,
                                    NULL),
                         OK);
    report("status patched", names->count, start);
}

static void list_pods(Fixture *fixture, uint32_t count, const char *fields) {
    KubeListRequest request = {.kind = KUBE_POD, .fields = slice_of(fields), .limit = PAGE};
    double start = seconds();
    uint32_t seen = 0, pages = 0;

    for (;;) {
        Arena scratch = {0};
        KubeList page;

        assert_int_equal(kube_list(fixture->kube, &scratch, &request, &page, NULL), OK);
        seen += page.items.count;
        pages++;
        if (page.next.len == 0) {
            arena_free(&scratch);
            break;
        }
        request.from = arena_slice(&fixture->arena, page.next);
        arena_free(&scratch);
    }
    report(fields[0] ? "listed by node" : "listed in pages of 500", count, start);
    assert_int_equal(pages, fields[0] ? 1 : (count + PAGE - 1) / PAGE);
    assert_int_equal(seen, fields[0] ? (count + NODES - 1) / NODES : count);
}

TEST(many_pods_are_carried) {
    Fixture *fixture = fixture_new(1, 0);
    uint32_t count = pods(), told = 0;
    KubeWatch *watch;
    SliceVec names;
    ApiUsage usage;
    double start;

    // The owner of the pods must exist, or the garbage collector would delete them.
    assert_int_equal(
        kube_watch(fixture->kube, &(KubeWatchRequest){.kind = KUBE_POD}, (KubeSink){count_events, &told}, &watch, NULL),
        OK);
    names = create_pods(fixture, count);
    start = seconds();
    api_tell_watches(fixture->server);
    report("told to one watch", told, start);
    assert_int_equal(told, count);
    kube_unwatch(fixture->kube, watch);
    bind_pods(fixture, &names);
    run_pods(fixture, &names);
    list_pods(fixture, count, "");
    list_pods(fixture, count, "spec.nodeName=node-00000");
    api_forget_history(fixture->server);
    usage = api_usage(fixture->server);
    printf("  %u objects, %zu bytes each with their indexes\n", usage.objects, usage.bytes / usage.objects);
    assert_true(usage.bytes / usage.objects < POD_BYTES_MAX);
    fixture_free(fixture);
}
