// An engine in real mode with all controllers and the metrics observer: the values on /metrics are right.
#include "engine/support/live_cluster.h"

#include "obs/meter.h"
#include "obs/telemetry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PODS = 200, NODES = PODS / LIVE_PODS_PER_NODE, GONE = 3 };

typedef struct {
    Telemetry *telemetry;
    KubeMeter meter;
} Observed;

static const EngineObserver *look_on(void *context, const Symbols *symbols) {
    Observed *observed = context;

    (void)symbols;
    observed->telemetry = telemetry_new(SLICE("kwok"), SLICE("abcdef0"), clock_real(), true);
    return telemetry_observer(observed->telemetry);
}

static Kube meter(void *context, Kube inner) {
    Observed *observed = context;
    Clock clock = clock_real();

    observed->meter = (KubeMeter){inner, telemetry_registry(observed->telemetry), clock.now, clock.self};
    return kube_metered(&observed->meter);
}

static void follow(void *context, Engine *engine) {
    telemetry_follow(((Observed *)context)->telemetry, engine);
}

// The sum of the values of all lines with that beginning; 0: there is none.
static double sum_of(const Buffer *page, const char *start) {
    double sum = 0;
    Slice rest = buffer_slice(page);

    while (rest.len) {
        ptrdiff_t end = slice_find(rest, '\n');
        Slice line = slice_first(rest, (size_t)end);

        if (slice_starts_with(line, slice_of(start))) {
            char text[64] = {0};
            size_t at = line.len;

            while (line.ptr[at - 1] != ' ')
                at--;
            memcpy(text, line.ptr + at, line.len - at < 63 ? line.len - at : 63);
            sum += strtod(text, NULL);
        }
        rest = slice_from(rest, (size_t)end + 1);
    }
    return sum;
}

static void assert_sum(const Buffer *page, const char *start, double expected) {
    double sum = sum_of(page, start);

    if (fabs(sum - expected) > 1e-9)
        fail_msg("%s: %g, expected %g", start, sum, expected);
}

static void print_page(Observed *observed, Buffer *page) {
    page->len = 0;
    page_print(telemetry_page(observed->telemetry), page);
}

// For tools that read a page by themselves.
static void save_page(const Buffer *page) {
    const char *path = getenv("TENON_PAGE");
    FILE *file = path ? fopen(path, "w") : NULL;

    if (file) {
        fwrite(page->bytes, 1, page->len, file);
        fclose(file);
    }
}

TEST(the_page_says_what_happened) {
    LiveCluster *cluster = live_new(PODS);
    Observed observed = {0};
    LiveObserver observer = {look_on, meter, follow, &observed};
    Buffer page = {0};

    live_set_observer(cluster, &observer);
    live_start(cluster);
    for (int i = 0; i < 20; i++) // in the middle of it
        print_page(&observed, &page);
    assert_true(live_wait(cluster));
    live_delete_claims(cluster, GONE);
    assert_true(live_wait(cluster));
    print_page(&observed, &page);
    save_page(&page);
    assert_sum(&page, "karpenter_nodeclaims_created_total{", NODES + GONE);
    assert_sum(&page, "karpenter_nodeclaims_terminated_total{", GONE);
    assert_sum(&page, "karpenter_nodes_created_total{", NODES + GONE);
    assert_sum(&page, "karpenter_nodes_terminated_total{", GONE);
    assert_sum(&page, "karpenter_nodes_drained_total{", GONE);
    assert_sum(&page, "karpenter_cluster_state_node_count ", NODES);
    assert_sum(&page, "karpenter_cluster_state_synced ", 1);
    assert_sum(&page, "karpenter_pods_state{", PODS);
    assert_sum(&page, "karpenter_pods_eviction_requests_total{code=\"200\"}", GONE * LIVE_PODS_PER_NODE);
    assert_sum(&page, "karpenter_pods_drained_total{", GONE * LIVE_PODS_PER_NODE);
    assert_sum(&page,
               "karpenter_cloudprovider_duration_seconds_count{controller=\"nodeclaim.lifecycle\",method=\"Create",
               NODES + GONE);
    assert_sum(&page, "client_go_request_duration_seconds_count{verb=\"CREATE\",group=\"karpenter.sh\"", NODES + GONE);
    assert_sum(&page, "operator_nodeclaim_status_condition_transitions_total{type=\"Initialized\",status=\"True\"",
               NODES + GONE);
    assert_true(sum_of(&page, "karpenter_scheduler_scheduling_duration_seconds_count{controller=\"provisioner\"}") >=
                1);
    assert_sum(&page, "tenon_metrics_series_dropped_total", 0);
    live_crash(cluster);
    print_page(&observed, &page); // the engine has ended: at once, and without objects
    assert_sum(&page, "karpenter_pods_state{", 0);
    live_free(cluster);
    telemetry_free(observed.telemetry);
    buffer_free(&page);
}
