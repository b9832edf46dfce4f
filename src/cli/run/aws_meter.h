// AwsMeter: counts the calls of AWS, with the names that Karpenter's SDK gives them: aws_sdk_go_…, and what the
// provider counts. Reference aws.md 9.1.
#pragma once

#include "aws/call/client.h"
#include "cloud/aws/provider/provider.h"
#include "obs/registry.h"

// `registry` NULL: nothing is counted yet. To be set before calls are made.
typedef struct {
    Registry *registry;
    Mono (*now)(void *clock);
    void *clock;
} AwsMeter;

// The observer of a client; the meter is borrowed.
AwsObserver aws_meter_observer(AwsMeter *meter);
// What a provider counts in.
AwsProviderCounts aws_meter_counts(AwsMeter *meter);
