// The registry: values in Prometheus' format, and bounded memory.
#include "obs/support/env.h"

#include "obs/exposition.h"
#include "obs/sketch.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static Slice printed(Registry *registry, MetricId id, Buffer *page) {
    page->len = 0;
    registry_print(registry, id, (Mono){1}, page);
    return buffer_slice(page);
}

static void assert_text(Slice text, const char *expected) {
    if (!slice_eq_text(text, expected))
        fail_msg("expected\n%s\ngot\n%.*s", expected, SLICE_ARG(text));
}

TEST(a_counter_counts_by_labels_sorted_by_their_texts) {
    Registry *registry = registry_new();
    Buffer page = {0};

    registry_add(registry, METRIC_NODES_CREATED, 1, WITH(SLICE("web"), SLICE("b")));
    registry_add(registry, METRIC_NODES_CREATED, 2, WITH(SLICE("web"), SLICE("a")));
    registry_add(registry, METRIC_NODES_CREATED, 0.5, WITH(SLICE("web"), SLICE("b")));
    assert_text(
        printed(registry, METRIC_NODES_CREATED, &page),
        "# HELP karpenter_nodes_created_total Number of nodes created in total by tenon, by the owning nodepool "
        "and zone\n"
        "# TYPE karpenter_nodes_created_total counter\n"
        "karpenter_nodes_created_total{nodepool=\"web\",zone=\"a\"} 2\n"
        "karpenter_nodes_created_total{nodepool=\"web\",zone=\"b\"} 1.5\n");
    assert_text(printed(registry, METRIC_NODES_DRAINED, &page), "");
    buffer_free(&page);
    registry_free(registry);
}

TEST(labels_are_not_confused_by_where_they_are_cut) {
    Registry *registry = registry_new();

    registry_add(registry, METRIC_NODES_CREATED, 1, WITH(SLICE("ab"), SLICE("c")));
    registry_add(registry, METRIC_NODES_CREATED, 2, WITH(SLICE("a"), SLICE("bc")));
    registry_add(registry, METRIC_NODES_CREATED, 4, WITH(SLICE(""), SLICE("abc")));
    assert_int_equal(registry_series(registry, METRIC_NODES_CREATED), 3);
    assert_true(registry_value(registry, METRIC_NODES_CREATED, WITH(SLICE("a"), SLICE("bc"))) == 2);
    assert_true(isnan(registry_value(registry, METRIC_NODES_CREATED, WITH(SLICE("abc"), SLICE("")))));
    registry_free(registry);
}

TEST(values_of_labels_are_escaped) {
    Registry *registry = registry_new();
    Buffer page = {0};

    registry_add(registry, METRIC_NODES_DRAINED, 1, WITH(SLICE("a\"b\\c\nd")));
    assert_true(slice_contains(printed(registry, METRIC_NODES_DRAINED, &page),
                               SLICE("\nkarpenter_nodes_drained_total{nodepool=\"a\\\"b\\\\c\\nd\"} 1\n")));
    buffer_free(&page);
    registry_free(registry);
}

TEST(a_counter_set_from_elsewhere_never_falls) {
    Registry *registry = registry_new();

    registry_set(registry, METRIC_ENGINE_TURNS, 7, WITHOUT_LABELS);
    registry_set(registry, METRIC_ENGINE_TURNS, 3, WITHOUT_LABELS);
    assert_true(registry_value(registry, METRIC_ENGINE_TURNS, WITHOUT_LABELS) == 7);
    registry_set(registry, METRIC_ENGINE_JOBS, 7, WITHOUT_LABELS);
    registry_set(registry, METRIC_ENGINE_JOBS, 3, WITHOUT_LABELS);
    assert_true(registry_value(registry, METRIC_ENGINE_JOBS, WITHOUT_LABELS) == 3);
    registry_free(registry);
}

// A value equal to a bound is in the bucket below it.
TEST(a_histogram_cumulates_its_buckets) {
    static const double values[] = {0, 1, 1.5, 4, 1024, 1e9};
    Registry *registry = registry_new();
    Buffer page = {0};
    Slice text;

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        registry_observe(registry, METRIC_NODECLAIMS_INSTANCE_TERMINATION, values[i], (Mono){1}, WITH(SLICE("web")));
    text = printed(registry, METRIC_NODECLAIMS_INSTANCE_TERMINATION, &page);
#define NAME "karpenter_nodeclaims_instance_termination_duration_seconds"
    assert_line(text, NAME "_bucket{nodepool=\"web\",le=\"1\"} 2");
    assert_line(text, NAME "_bucket{nodepool=\"web\",le=\"2\"} 3");
    assert_line(text, NAME "_bucket{nodepool=\"web\",le=\"4\"} 4");
    assert_line(text, NAME "_bucket{nodepool=\"web\",le=\"512\"} 4");
    assert_line(text, NAME "_bucket{nodepool=\"web\",le=\"1024\"} 5");
    assert_line(text, NAME "_bucket{nodepool=\"web\",le=\"+Inf\"} 6");
    assert_line(text, NAME "_sum{nodepool=\"web\"} 1000001030.5");
    assert_true(slice_ends_with(text, SLICE("\n" NAME "_count{nodepool=\"web\"} 6\n")));
#undef NAME
    buffer_free(&page);
    registry_free(registry);
}

TEST(a_summary_forgets_after_ten_minutes_and_keeps_its_count) {
    Registry *registry = registry_new();
    Buffer page = {0};

    registry_observe(registry, METRIC_PODS_STARTUP, 3, (Mono){NS_PER_S}, WITHOUT_LABELS);
    registry_print(registry, METRIC_PODS_STARTUP, (Mono){500 * NS_PER_S}, &page);
    assert_line(buffer_slice(&page), "karpenter_pods_startup_duration_seconds{quantile=\"0.5\"} 3");
    page.len = 0;
    registry_print(registry, METRIC_PODS_STARTUP, (Mono){602 * NS_PER_S}, &page);
    assert_line(buffer_slice(&page), "karpenter_pods_startup_duration_seconds{quantile=\"0.5\"} NaN");
    assert_line(buffer_slice(&page), "karpenter_pods_startup_duration_seconds_sum 3");
    buffer_free(&page);
    registry_free(registry);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

// Against sorting: every quantile is within 1 % of the value of its rank.
TEST(quantiles_are_within_a_percent) {
    enum { COUNT = 20000 };
    double *values = calloc(COUNT, sizeof *values);
    Sketch *sketch = calloc(1, sizeof *sketch);
    Random random;

    random_seed(&random, 7);
    for (int i = 0; i < COUNT; i++) {
        values[i] = exp((double)random_below(&random, 1700) / 100 - 7); // 1 ms to 6 h
        sketch_add(sketch, values[i], (Mono){1});
    }
    qsort(values, COUNT, sizeof *values, by_value);
    for (int percent = 0; percent <= 100; percent++) {
        int rank = percent ? (COUNT * percent + 99) / 100 - 1 : 0;
        double got = sketch_quantile(sketch, percent / 100.0, (Mono){1});

        if (fabs(got / values[rank] - 1) > 0.0101)
            fail_msg("quantile %d: %g, expected %g", percent, got, values[rank]);
    }
    free(sketch);
    free(values);
}

TEST(series_are_bounded_and_what_is_dropped_is_counted) {
    Registry *registry = registry_new();
    Slice metric = SLICE("karpenter_nodes_drained_total");

    for (int i = 0; i < REGISTRY_SERIES_MAX + 10; i++) {
        char name[16];
        int len = snprintf(name, sizeof name, "pool-%d", i);

        registry_add(registry, METRIC_NODES_DRAINED, 1, WITH(((Slice){name, (size_t)len})));
    }
    assert_int_equal(registry_series(registry, METRIC_NODES_DRAINED), REGISTRY_SERIES_MAX);
    assert_true(registry_value(registry, METRIC_SERIES_DROPPED, WITH(metric)) == 10);
    registry_add(registry, METRIC_NODES_DRAINED, 1, WITH(SLICE("pool-0")));
    assert_true(registry_value(registry, METRIC_NODES_DRAINED, WITH(SLICE("pool-0"))) == 2);
    registry_forget(registry, METRIC_NODES_DRAINED, SLICE("nodepool"), SLICE("pool-1"));
    registry_add(registry, METRIC_NODES_DRAINED, 1, WITH(SLICE("pool-new")));
    assert_true(registry_value(registry, METRIC_NODES_DRAINED, WITH(SLICE("pool-new"))) == 1);
    registry_free(registry);
}

// Every series is found after others were removed from its probe sequence.
TEST(series_leave_without_losing_others) {
    enum { ZONES = 40, POOLS = 20 };
    Registry *registry = registry_new();

    for (int i = 0; i < ZONES * POOLS; i++) {
        char pool[8], zone[8];

        snprintf(pool, sizeof pool, "p%d", i % POOLS);
        snprintf(zone, sizeof zone, "z%d", i / POOLS);
        registry_add(registry, METRIC_NODES_CREATED, i + 1, WITH(slice_of(pool), slice_of(zone)));
    }
    for (int i = 0; i < POOLS; i += 2) {
        char pool[8];

        snprintf(pool, sizeof pool, "p%d", i);
        registry_forget(registry, METRIC_NODES_CREATED, SLICE("nodepool"), slice_of(pool));
    }
    assert_int_equal(registry_series(registry, METRIC_NODES_CREATED), ZONES * POOLS / 2);
    for (int i = 0; i < ZONES * POOLS; i++) {
        char pool[8], zone[8];
        double value;

        snprintf(pool, sizeof pool, "p%d", i % POOLS);
        snprintf(zone, sizeof zone, "z%d", i / POOLS);
        value = registry_value(registry, METRIC_NODES_CREATED, WITH(slice_of(pool), slice_of(zone)));
        if (i % POOLS % 2)
            assert_true(value == i + 1);
        else
            assert_true(isnan(value));
    }
    registry_free(registry);
}

TEST(long_labels_are_cut_between_characters) {
    Registry *registry = registry_new();
    char text[REGISTRY_LABEL_MAX + 8];

    memset(text, 'a', sizeof text);
    memcpy(text + REGISTRY_LABEL_MAX - 1, "\xc3\xa4", 2); // ä across the cut
    registry_add(registry, METRIC_NODES_DRAINED, 1, WITH(((Slice){text, sizeof text})));
    assert_true(registry_value(registry, METRIC_NODES_DRAINED, WITH(((Slice){text, REGISTRY_LABEL_MAX - 1}))) == 1);
    registry_free(registry);
}

static void *count_a_lot(void *registry) {
    for (int i = 0; i < 20000; i++) {
        char zone[8];

        snprintf(zone, sizeof zone, "z%d", i % 50);
        registry_add(registry, METRIC_NODES_CREATED, 1, WITH(SLICE("web"), slice_of(zone)));
        registry_observe(registry, METRIC_PODS_BOUND, i, (Mono){1}, WITHOUT_LABELS);
    }
    return NULL;
}

TEST(threads_lose_nothing) {
    Registry *registry = registry_new();
    pthread_t threads[3];
    double sum = 0;

    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_a_lot, registry), 0);
    for (int i = 0; i < 20; i++) {
        Buffer page = {0};

        registry_print(registry, METRIC_NODES_CREATED, (Mono){1}, &page);
        buffer_free(&page);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 50; i++) {
        char zone[8];

        snprintf(zone, sizeof zone, "z%d", i);
        sum += registry_value(registry, METRIC_NODES_CREATED, WITH(SLICE("web"), slice_of(zone)));
    }
    assert_true(sum == 60000);
    assert_true(registry_value(registry, METRIC_PODS_BOUND, WITHOUT_LABELS) == 60000);
    registry_free(registry);
}

// --- the list

TEST(every_row_of_the_list_is_in_order) {
    for (uint32_t i = 0; i < METRIC_COUNT; i++) {
        MetricInfo info = metric_info((MetricId)i);

        assert_true(info.help.len > 0);
        assert_int_equal(info.type == METRIC_HISTOGRAM, info.bucket_count > 0);
        assert_int_equal(info.source == METRIC_READ, collector_has((MetricId)i));
        for (uint32_t b = 1; b < info.bucket_count; b++)
            assert_true(info.buckets[b - 1] < info.buckets[b]);
        for (uint32_t other = 0; other < i; other++)
            assert_false(slice_eq(metric_info((MetricId)other).name, info.name));
        for (uint32_t label = 0; label < info.label_count; label++) {
            for (uint32_t other = 0; other < label; other++)
                assert_false(slice_eq(info.labels[other], info.labels[label]));
        }
    }
}

TEST(numbers_are_as_short_as_they_can_be) {
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},           {1, "1"},
                 {0.005, "0.005"},   {1e9, "1000000000"},
                 {1e21, "1e+21"},    {0.1 + 0.2, "0.30000000000000004"},
                 {-1.5, "-1.5"},     {NAN, "NaN"},
                 {INFINITY, "+Inf"}, {-INFINITY, "-Inf"},
                 {1e-8, "1e-08"},    {137438953472, "137438953472"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Buffer text = {0};

        exposition_number(&text, cases[i].value);
        assert_text(buffer_slice(&text), cases[i].text);
        buffer_free(&text);
    }
}
