// AWS provider: a cloud whose instances are EC2's.
//
// It implements the table of cloud/cloud.h with the client of aws/ and the decisions of cloud/aws: every call asks AWS
// what it has to know, lets functions of facts decide, and tells AWS. What AWS said before (types, prices, classes,
// free addresses, what has no capacity) is kept in memory and answers at once. When something is asked anew is decided
// by controllers (CLOUD_REFRESHES, class_resolve), never by a thread or a clock of the provider.
//
// Exactly one instance for a NodeClaim: the token of a launch and the claim's rank in it are written on the NodeClaim
// before EC2 is called (docs/design/cloud-aws.md).
#pragma once

#include "aws/session.h"
#include "cloud/aws/market/market_facts.h"
#include "cloud/cloud.h"
#include "kube/kube.h"

typedef struct AwsProvider AwsProvider;

// Settings of the provider; names and defaults are those of reference aws.md 9.
typedef struct {
    Slice cluster_name;
    Slice cluster_endpoint;  // empty: EKS is asked
    Slice cluster_ca_bundle; // in Base64; empty: that of `kube_ca_bundle`
    bool isolated_vpc, eks_control_plane, disable_dry_run, enable_zonal_shift;
    double vm_memory_overhead_percent;
    Slice interruption_queue; // its name; empty: none
    int32_t reserved_enis;
    int64_t ami_refresh_ns, subnet_refresh_ns, security_group_refresh_ns;
    bool node_class_cel;    // gate NodeClassCEL
    bool reserved_capacity; // gate ReservedCapacity
    bool min_values_strict; // policy of minValues
    // Karpenter's rule: what has no capacity is tried again every three minutes, by any number of launches.
    bool plain_capacity_memory;
} AwsProviderSettings;

#define AWS_PROVIDER_SETTINGS                                                                                          \
    (AwsProviderSettings) {                                                                                            \
        .vm_memory_overhead_percent = 0.075, .ami_refresh_ns = NS_PER_MIN, .subnet_refresh_ns = NS_PER_MIN,            \
        .security_group_refresh_ns = NS_PER_MIN, .reserved_capacity = true, .min_values_strict = true                  \
    }

typedef enum { AWS_LOG_INFO, AWS_LOG_ERROR, AWS_LOG_DEBUG } AwsLogLevel;

// What the provider says besides its answers. Any thread; borrowed.
typedef struct {
    void (*log)(void *context, AwsLogLevel level, const char *message, Slice subject, const Err *err);
    void *context;
} AwsProviderLog;

// Counts what happens, for metrics (reference aws.md 9.1). Any thread; borrowed. NULL members: nobody counts.
typedef struct {
    // Of an offering that a fleet asked for; zone and id empty: EC2 named none.
    void (*launch_failed)(void *context, Slice zone, Slice zone_id, Slice capacity_type, Slice reason);
    void (*termination_failed)(void *context, Slice zone, Slice zone_id);
    // The size of the user data of a launch.
    void (*user_data)(void *context, Slice node_class, size_t bytes);
    void *context;
} AwsProviderCounts;

typedef struct {
    AwsProviderSettings settings; // texts are copied
    AwsSession *session;          // outlives the provider
    Kube kube;
    const Symbols *symbols; // of the engine's State; the handle is copied
    // The API server's version, as "1.35"; NULL: it cannot be asked, and EKS is.
    ErrCode (*kube_version)(void *context, Arena *arena, Slice *ret_version, Err *err);
    void *kube_context;
    Slice kube_ca_bundle; // of the kubeconfig or the pod, in Base64
    Slice namespace;      // of tenon's own objects, that of its Lease; empty: nothing learned is kept over a restart
    AwsProviderLog log;
    AwsProviderCounts counts;
} AwsConfig;

// Makes a provider, which asks nobody yet.
AwsProvider *aws_provider_new(const AwsConfig *config);
// Frees the provider; no call of the table may be running. The symbols may have been freed before.
void aws_provider_free(AwsProvider *provider);

// What a process does before it leads, in the order of reference aws.md 8: rights (a dry run), the cluster's endpoint,
// kube-dns, the version, instance types. An error says what mends it. Blocks.
ErrCode aws_provider_probe(AwsProvider *provider, Err *err);

// What can be launched now, of all NodeClasses together; what is not permanent is in `arena`. From memory. Any thread.
// O(offerings of the classes' lists, each list once).
MarketFacts aws_provider_market(AwsProvider *provider, Arena *arena);

// The table, valid until aws_provider_free.
Cloud aws_provider_cloud(AwsProvider *provider);
