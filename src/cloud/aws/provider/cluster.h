// The cluster that nodes join: endpoint, certificates, version, addresses. Reference aws.md 8.
#pragma once

#include "cloud/aws/provider/parts.h"

// Texts are in the caller's arena; empty: unknown.
typedef struct {
    Slice endpoint, ca_bundle, service_cidr, dns_ip;
    Slice arn;      // of the cluster in EKS
    uint32_t minor; // Kubernetes 1.<minor>; 0: unknown
} ClusterFacts;

ProviderCluster *provider_cluster_new(AwsProvider *provider);
void provider_cluster_free(ProviderCluster *cluster);

ClusterFacts provider_cluster_facts(AwsProvider *provider, Arena *arena);
// The range of Services' addresses, asked for once: nodes of AL2023 need it. ERR_*: EKS does not say.
ErrCode provider_service_cidr(AwsProvider *provider, Arena *arena, Slice *ret_cidr, CloudError *error);

// The probes of the start; endpoint, then dns (whose failure is only logged), then version.
ErrCode provider_cluster_probe(AwsProvider *provider, Err *err);
// CLOUD_REFRESH_VERSION.
ErrCode provider_version_refresh(AwsProvider *provider, CloudError *error);
