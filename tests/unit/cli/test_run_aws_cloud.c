// What `--provider aws` adds to a process: metrics of calls, and a start that can be ended.

#include "aws/service/ec2_instance.h"
#include "aws/service/iam.h"
#include "cli/run/aws_meter.h"
#include "cli/run/aws_page.h"
#include "cli/run/stop_guard.h"
#include "harness/test.h"

#include <math.h>
#include <stdatomic.h>
#include <unistd.h>

// --- metrics: aws_sdk_go_… (reference aws.md 9.1)

static Mono no_time(void *clock) {
    (void)clock;
    return (Mono){1};
}

static double count_of(Registry *registry, MetricId id, const char *service, const char *action, const char *code) {
    return registry_value(registry, id, WITH(slice_of(service), slice_of(action), slice_of(code)));
}

TEST(calls_and_their_attempts_are_counted) {
    Registry *registry = registry_new();
    AwsMeter meter = {registry, no_time, NULL};
    const AwsObserver observer = aws_meter_observer(&meter);

    observer.attempt(observer.context, &(AwsReport){&ec2_describe_instances, {0}, 503, 1000, 1});
    observer.attempt(observer.context, &(AwsReport){&ec2_describe_instances, {0}, 0, 1000, 2});
    observer.attempt(observer.context, &(AwsReport){&ec2_describe_instances, {0}, 200, 1000, 3});
    observer.call(observer.context, &(AwsReport){&ec2_describe_instances, {0}, 200, 3000, 3});
    observer.call(observer.context, &(AwsReport){&iam_get_instance_profile, SLICE("NoSuchEntity"), 404, 3000, 1});
    assert_true(count_of(registry, METRIC_AWS_ATTEMPTS, "EC2", "DescribeInstances", "503") == 1);
    assert_true(count_of(registry, METRIC_AWS_ATTEMPTS, "EC2", "DescribeInstances", "<error>") == 1);
    assert_true(count_of(registry, METRIC_AWS_ATTEMPTS, "EC2", "DescribeInstances", "200") == 1);
    assert_true(count_of(registry, METRIC_AWS_ATTEMPT_DURATION, "EC2", "DescribeInstances", "200") == 1);
    assert_true(count_of(registry, METRIC_AWS_REQUESTS, "EC2", "DescribeInstances", "200") == 1);
    assert_true(isnan(count_of(registry, METRIC_AWS_REQUESTS, "EC2", "DescribeInstances", "503")));
    assert_true(count_of(registry, METRIC_AWS_DURATION, "EC2", "DescribeInstances", "200") == 1);
    assert_true(count_of(registry, METRIC_AWS_RETRIES, "EC2", "DescribeInstances", "200") == 1);
    assert_true(count_of(registry, METRIC_AWS_REQUESTS, "IAM", "GetInstanceProfile", "404") == 1);
    registry_free(registry);
}

// What the provider counts, by Karpenter's names.
TEST(failures_and_user_data_are_counted) {
    Registry *registry = registry_new();
    AwsMeter meter = {registry, no_time, NULL};
    const AwsProviderCounts counts = aws_meter_counts(&meter);
    const Slice zone = SLICE("us-east-1a"), id = SLICE("use1-az1"), spot = SLICE("spot"),
                reason = SLICE("LaunchFailed");

    counts.launch_failed(counts.context, zone, id, spot, reason);
    counts.launch_failed(counts.context, zone, id, spot, reason);
    counts.termination_failed(counts.context, zone, id);
    counts.user_data(counts.context, SLICE("default"), 512);
    counts.user_data(counts.context, SLICE("default"), 600);
    assert_true(registry_value(registry, METRIC_LAUNCH_FAILURES, WITH(zone, id, spot, reason)) == 2);
    assert_true(registry_value(registry, METRIC_TERMINATION_FAILURES, WITH(zone, id)) == 1);
    assert_true(registry_value(registry, METRIC_USER_DATA_BYTES, WITH(SLICE("default"))) == 600);
    registry_free(registry);
}

// --- the market

static const char *print_market(const MarketFacts *facts, Arena *arena) {
    Buffer page = {0};
    const char *text;

    aws_page_print(facts, &page);
    text = arena_text(arena, buffer_slice(&page));
    buffer_free(&page);
    return text;
}

static void assert_line(const char *page, const char *line) {
    const char *found = strstr(page, line);

    if (!found || (found > page && found[-1] != '\n') || found[strlen(line)] != '\n')
        fail_msg("no line \"%s\" in\n%s", line, page);
}

#define PREFIX   "karpenter_cloudprovider_instance_type_"
#define OFFERING "instance_type=\"m5.large\",capacity_type=\"spot\",zone=\"us-east-1a\""

TEST(the_market_is_shown_with_karpenters_names) {
    MarketFacts facts = {0};
    Arena arena = {0};
    const char *page;

    vec_push(&arena, &facts.types, (TypeFact){SLICE("m5.large"), 2000, INT64_C(8053063680)});
    vec_push(&arena, &facts.offerings,
             (OfferingFact){SLICE("m5.large"), SLICE("spot"), SLICE("us-east-1a"), 0.035, true});
    vec_push(&arena, &facts.offerings,
             (OfferingFact){SLICE("m5.large"), SLICE("reserved"), SLICE("us-east-1a"), 0, false});
    vec_push(&arena, &facts.troubles,
             (TroubleFact){SLICE("m5.large"), SLICE("spot"), SLICE("us-east-1a"), {0}, 90 * NS_PER_S, 0});
    page = print_market(&facts, &arena);
    assert_line(page, PREFIX "cpu_cores{instance_type=\"m5.large\"} 2");
    assert_line(page, PREFIX "memory_bytes{instance_type=\"m5.large\"} 8053063680");
    assert_line(page, PREFIX "offering_available{" OFFERING "} 1");
    assert_line(page, PREFIX
                "offering_available{instance_type=\"m5.large\",capacity_type=\"reserved\",zone=\"us-east-1a\"} 0");
    assert_line(page, PREFIX "offering_price_estimate{" OFFERING "} 0.035");
    assert_null(strstr(page, PREFIX "offering_price_estimate{instance_type=\"m5.large\",capacity_type=\"reserved\""));
    assert_line(page, "tenon_cloudprovider_offering_unavailable_seconds{" OFFERING ",placement_group=\"\"} 90");
    assert_line(page, "tenon_cloudprovider_offering_launches_allowed{" OFFERING ",placement_group=\"\"} 0");
    arena_free(&arena);
}

// What a page of that many offerings costs, ms of the processor.
static double page_ms(uint32_t offerings) {
    MarketFacts facts = {0};
    struct timespec begin, end;
    Buffer page = {0};
    Arena arena = {0};
    double took_ms;

    for (uint32_t i = 0; i < offerings; i++)
        vec_push(&arena, &facts.offerings,
                 (OfferingFact){arena_printf(&arena, "m%u.24xlarge", i / 18), SLICE("on-demand"),
                                arena_printf(&arena, "us-east-1%c", 'a' + i % 6), 0.0123 * (i % 100 + 1), true});
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    aws_page_print(&facts, &page);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    took_ms = (double)(ns_of_timespec(end) - ns_of_timespec(begin)) / NS_PER_MS;
    print_message("%u offerings: %.1f MiB in %.1f ms\n", offerings, (double)page.len / (1 << 20), took_ms);
    buffer_free(&page);
    arena_free(&arena);
    return took_ms;
}

// All types of a region in six zones, every offering shown: four times as many cost four times as much, not sixteen.
TEST(a_page_of_a_whole_region_costs_no_more_for_each_offering) {
    enum { OFFERINGS = 1366 * 18 };
    double quarter_ms = page_ms(OFFERINGS / 4);

    assert_true(page_ms(OFFERINGS) < 10 * quarter_ms);
}

TEST(nothing_is_shown_of_no_market) {
    const MarketFacts facts = {0};
    Arena arena = {0};

    assert_string_equal(print_market(&facts, &arena), "");
    arena_free(&arena);
}

// The session may call before the process has metrics.
TEST(without_a_registry_nothing_is_counted) {
    AwsMeter meter = {0};
    const AwsObserver observer = aws_meter_observer(&meter);

    observer.attempt(observer.context, &(AwsReport){&ec2_describe_instances, {0}, 200, 1000, 1});
    observer.call(observer.context, &(AwsReport){&ec2_describe_instances, {0}, 200, 1000, 1});
    aws_meter_counts(&meter).user_data(&meter, SLICE("default"), 1);
    aws_meter_counts(&meter).termination_failed(&meter, (Slice){0}, (Slice){0});
    aws_meter_counts(&meter).launch_failed(&meter, (Slice){0}, (Slice){0}, (Slice){0}, (Slice){0});
}

// --- the guard of the start

typedef struct {
    int pipe[2];
    atomic_int stops;
    int done[2];
} Stopping;

static void stop(void *context) {
    Stopping *stopping = context;

    atomic_fetch_add(&stopping->stops, 1);
    assert_int_equal(write(stopping->done[1], "x", 1), 1);
}

static StopGuard guard_of(Stopping *stopping) {
    atomic_init(&stopping->stops, 0);
    assert_int_equal(pipe(stopping->pipe), 0);
    assert_int_equal(pipe(stopping->done), 0);
    return (StopGuard){.stop_fd = stopping->pipe[0], .stop = stop, .context = stopping};
}

static void close_pipes(const Stopping *stopping) {
    for (int i = 0; i < 2; i++) {
        close(stopping->pipe[i]);
        close(stopping->done[i]);
    }
}

TEST(a_request_to_stop_ends_the_start_once_and_is_left_for_others) {
    Stopping stopping;
    StopGuard guard = guard_of(&stopping);
    Err err;
    char byte;

    assert_int_equal(stop_guard_begin(&guard, &err), OK);
    assert_false(stop_is_asked(stopping.pipe[0]));
    assert_int_equal(write(stopping.pipe[1], "x", 1), 1);
    assert_int_equal(read(stopping.done[0], &byte, 1), 1); // waits for stop
    stop_guard_end(&guard);
    assert_int_equal(atomic_load(&stopping.stops), 1);
    assert_true(stop_is_asked(stopping.pipe[0]));
    close_pipes(&stopping);
}

TEST(a_start_that_is_over_ends_nothing) {
    Stopping stopping;
    StopGuard guard = guard_of(&stopping);
    Err err;

    assert_int_equal(stop_guard_begin(&guard, &err), OK);
    stop_guard_end(&guard);
    assert_int_equal(write(stopping.pipe[1], "x", 1), 1);
    assert_int_equal(atomic_load(&stopping.stops), 0);
    close_pipes(&stopping);
}

// A process that is asked to stop before it begins to wait.
TEST(a_request_that_came_before_counts) {
    Stopping stopping;
    StopGuard guard = guard_of(&stopping);
    Err err;
    char byte;

    assert_int_equal(write(stopping.pipe[1], "x", 1), 1);
    assert_int_equal(stop_guard_begin(&guard, &err), OK);
    assert_int_equal(read(stopping.done[0], &byte, 1), 1);
    stop_guard_end(&guard);
    assert_int_equal(atomic_load(&stopping.stops), 1);
    close_pipes(&stopping);
}
