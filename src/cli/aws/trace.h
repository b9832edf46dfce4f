// `tenon trace launch` without its command line.
#pragma once

#include "cli/plan.h"

// Empty texts: assumed, and the report says so, or not set.
typedef struct {
    InputTextVec inputs;
    Slice claim;  // name of the NodeClaim; empty: the only one
    Slice region; // empty: that of the class's subnets
    Slice cluster_name, cluster_endpoint, cluster_ca_bundle, service_cidr, dns_ip;
    double vm_memory_overhead_percent;
    int32_t reserved_enis;
    bool json;
} TraceOptions;

// Appends the report to `out`. Errors as trace_input_read; ERR_INVALID: the class has no status, or cannot be launched
// with; ERR_NOT_FOUND: no such region; ERR_CAPACITY: nothing is left to launch.
ErrCode trace_run(const TraceOptions *options, Buffer *out, Err *err);
