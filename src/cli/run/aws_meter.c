// Counting calls of AWS and their attempts.
#include "cli/run/aws_meter.h"

#include <stdio.h>

// A service as the SDK for Go names it in its metrics.
static Slice service_name(const AwsService *service) {
    static const char *const names[][2] = {
        {"ec2", "EC2"},
        {"iam", "IAM"},
        {"sts", "STS"},
        {"sqs", "SQS"},
        {"ssm", "SSM"},
        {"pricing", "Pricing"},
        {"eks", "EKS"},
        {"arc_zonal_shift", "ARC Zonal Shift"},
        {"eventbridge", "EventBridge"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i][0], service->id) == 0)
            return slice_of(names[i][1]);
    }
    return slice_of(service->id);
}

// The HTTP status of an answer; "<error>" when none came, as with calls of Kubernetes.
static Slice code_text(char *text, size_t size, int status) {
    snprintf(text, size, status ? "%d" : "<error>", status);
    return slice_of(text);
}

static void count(const AwsMeter *meter, const AwsReport *report, MetricId total, MetricId duration) {
    char text[16];
    const Slice labels[] = {service_name(report->operation->service), slice_of(report->operation->name),
                            code_text(text, sizeof text, report->status)};
    const LabelValues values = {labels, 3};

    registry_add(meter->registry, total, 1, values);
    registry_observe(meter->registry, duration, ns_to_s(report->took_ns), meter->now(meter->clock), values);
}

static void attempt_ended(void *context, const AwsReport *report) {
    const AwsMeter *meter = context;

    if (meter->registry)
        count(meter, report, METRIC_AWS_ATTEMPTS, METRIC_AWS_ATTEMPT_DURATION);
}

static void call_ended(void *context, const AwsReport *report) {
    const AwsMeter *meter = context;
    char text[16];

    if (!meter->registry)
        return;
    count(meter, report, METRIC_AWS_REQUESTS, METRIC_AWS_DURATION);
    registry_observe(meter->registry, METRIC_AWS_RETRIES, report->attempts ? report->attempts - 1 : 0,
                     meter->now(meter->clock),
                     WITH(service_name(report->operation->service), slice_of(report->operation->name),
                          code_text(text, sizeof text, report->status)));
}

AwsObserver aws_meter_observer(AwsMeter *meter) {
    return (AwsObserver){attempt_ended, call_ended, meter};
}

// --- the provider

static void count_launch_failed(void *context, Slice zone, Slice zone_id, Slice capacity_type, Slice reason) {
    const AwsMeter *meter = context;

    if (meter->registry)
        registry_add(meter->registry, METRIC_LAUNCH_FAILURES, 1, WITH(zone, zone_id, capacity_type, reason));
}

static void count_termination_failed(void *context, Slice zone, Slice zone_id) {
    const AwsMeter *meter = context;

    if (meter->registry)
        registry_add(meter->registry, METRIC_TERMINATION_FAILURES, 1, WITH(zone, zone_id));
}

static void set_user_data(void *context, Slice node_class, size_t bytes) {
    const AwsMeter *meter = context;

    if (meter->registry)
        registry_set(meter->registry, METRIC_USER_DATA_BYTES, (double)bytes, WITH(node_class));
}

AwsProviderCounts aws_meter_counts(AwsMeter *meter) {
    return (AwsProviderCounts){count_launch_failed, count_termination_failed, set_user_data, meter};
}
