// Facts of the cluster: of the settings, of EKS, of the Service kube-dns, of the API server.
#include "cloud/aws/provider/cluster.h"

#include "aws/service/eks.h"

#include <stdlib.h>

enum { MINOR_FIRST = 26, MINOR_LAST = 37 }; // that Karpenter 1.15 has been tested with

// Texts of the heap; NULL: unknown.
struct ProviderCluster {
    pthread_mutex_t lock; // guards the rest
    char *endpoint, *arn, *service_cidr, *dns_ip;
    uint32_t minor;
};

ProviderCluster *provider_cluster_new(AwsProvider *provider) {
    ProviderCluster *cluster = NEW(ProviderCluster);

    (void)provider;
    CHECK(pthread_mutex_init(&cluster->lock, NULL) == 0, "no mutex");
    return cluster;
}

void provider_cluster_free(ProviderCluster *cluster) {
    free(cluster->endpoint);
    free(cluster->arn);
    free(cluster->service_cidr);
    free(cluster->dns_ip);
    pthread_mutex_destroy(&cluster->lock);
    free(cluster);
}

// --- what is known

// Under the lock. An empty text changes nothing.
static void keep(char **text, Slice now) {
    char *copy;

    if (!now.len || (*text && slice_eq_text(now, *text)))
        return;
    copy = alloc_raw(now.len + 1);
    memcpy(copy, now.ptr, now.len);
    copy[now.len] = '\0';
    free(*text);
    *text = copy;
}

static Slice first_of(Arena *arena, Slice setting, const char *found) {
    return arena_slice(arena, setting.len ? setting : slice_of(found));
}

ClusterFacts provider_cluster_facts(AwsProvider *provider, Arena *arena) {
    const AwsProviderSettings *settings = &provider->config.settings;
    ProviderCluster *cluster = provider->cluster;
    ClusterFacts facts;

    pthread_mutex_lock(&cluster->lock);
    facts = (ClusterFacts){
        .endpoint = first_of(arena, settings->cluster_endpoint, cluster->endpoint),
        .ca_bundle = settings->cluster_ca_bundle.len ? settings->cluster_ca_bundle : provider->config.kube_ca_bundle,
        .service_cidr = arena_slice(arena, slice_of(cluster->service_cidr)),
        .dns_ip = arena_slice(arena, slice_of(cluster->dns_ip)),
        .arn = arena_slice(arena, slice_of(cluster->arn)),
        .minor = cluster->minor,
    };
    pthread_mutex_unlock(&cluster->lock);
    return facts;
}

// --- EKS

static ErrCode describe(AwsProvider *provider, Arena *arena, const EksCluster **ret_cluster, CloudError *error) {
    EksDescribeClusterInput input = {.name = provider->config.settings.cluster_name};
    EksDescribeClusterOutput output;
    AwsOutcome outcome = {0};
    Err err = {0};

    if (aws_call(provider->client, arena, &eks_describe_cluster, &input, NULL, &output, &outcome, &err) != OK)
        return provider_fail(error, "describing the cluster", &outcome, &err);
    *ret_cluster = output.cluster;
    return OK;
}

// The addresses of Services; of a cluster that has both, those of IPv4.
static Slice cidr_of(const EksCluster *described) {
    const EksNetworkConfig *network = described->network_config;

    if (!network)
        return SLICE("");
    return network->service_ipv4_cidr.len ? network->service_ipv4_cidr : network->service_ipv6_cidr;
}

// Asks EKS, and keeps all that it says but the version, which is given.
static ErrCode ask_eks(AwsProvider *provider, Arena *arena, Slice *ret_version, CloudError *error) {
    ProviderCluster *cluster = provider->cluster;
    const EksCluster *described = NULL;

    TRY(describe(provider, arena, &described, error));
    if (!described)
        return cloud_fail(error, ERR_INVALID, "eks DescribeCluster: the answer has no cluster");
    pthread_mutex_lock(&cluster->lock);
    keep(&cluster->endpoint, described->endpoint);
    keep(&cluster->arn, described->arn);
    keep(&cluster->service_cidr, cidr_of(described));
    pthread_mutex_unlock(&cluster->lock);
    if (ret_version)
        *ret_version = described->version;
    return OK;
}

ErrCode provider_service_cidr(AwsProvider *provider, Arena *arena, Slice *ret_cidr, CloudError *error) {
    ClusterFacts facts = provider_cluster_facts(provider, arena);

    if (!facts.service_cidr.len) {
        TRY(ask_eks(provider, arena, NULL, error));
        facts = provider_cluster_facts(provider, arena);
    }
    if (!facts.service_cidr.len)
        return cloud_fail(error, ERR_INVALID, "EKS does not say which addresses the cluster's Services have");
    *ret_cidr = facts.service_cidr;
    return OK;
}

// --- kube-dns

static ErrCode find_dns(AwsProvider *provider, Err *err) {
    ProviderCluster *cluster = provider->cluster;
    KubeError error = {0};
    Arena arena = {0};
    Value service;
    Slice ip = {0};
    ErrCode code = kube_get(provider->config.kube, &arena,
                            (KubeRef){KUBE_SERVICE, SLICE("kube-system"), SLICE("kube-dns")}, &service, &error);

    if (code == OK)
        ip = kube_text(&service, "spec", "clusterIP", NULL);
    else if (err)
        *err = error.err;
    if (code == OK && (!ip.len || slice_eq_text(ip, "None"))) {
        code = err_set(err, ERR_NOT_FOUND, "the Service has no address");
    } else if (code == OK) {
        pthread_mutex_lock(&cluster->lock);
        keep(&cluster->dns_ip, ip);
        pthread_mutex_unlock(&cluster->lock);
    }
    arena_free(&arena);
    return code;
}

static void look_for_dns(AwsProvider *provider, bool says) {
    Err err = {0};

    if (find_dns(provider, &err) != OK && says)
        provider_log(provider, AWS_LOG_ERROR, "unable to detect the address of kube-dns", SLICE("kube-system/kube-dns"),
                     "%s", err.text);
}

// --- version

// The number behind the first dot: of "1.35", "v1.35.2", "1.35+". 0: there is none.
static uint32_t minor_of(Slice version) {
    ptrdiff_t dot = slice_find(version, '.');
    uint32_t minor = 0;
    Slice rest;

    if (dot < 0)
        return 0;
    rest = slice_from(version, (size_t)dot + 1);
    for (size_t i = 0; i < rest.len && rest.ptr[i] >= '0' && rest.ptr[i] <= '9' && minor < 1000; i++)
        minor = minor * 10 + (uint32_t)(rest.ptr[i] - '0');
    return minor;
}

static ErrCode ask_version(AwsProvider *provider, Arena *arena, Slice *ret_version, CloudError *error) {
    const AwsConfig *config = &provider->config;
    Err err = {0};

    if (config->settings.eks_control_plane || !config->kube_version)
        return ask_eks(provider, arena, ret_version, error);
    if (config->kube_version(config->kube_context, arena, ret_version, &err) != OK)
        return cloud_fail(error, err.code == ERR_NOT_FOUND ? ERR_IO : err.code, "asking the API server's version: %s",
                          err.text);
    return OK;
}

static void keep_minor(AwsProvider *provider, uint32_t minor) {
    ProviderCluster *cluster = provider->cluster;
    uint32_t before;

    pthread_mutex_lock(&cluster->lock);
    before = cluster->minor;
    cluster->minor = minor;
    pthread_mutex_unlock(&cluster->lock);
    if (minor == before)
        return;
    provider_log(provider, AWS_LOG_DEBUG, "discovered kubernetes version", SLICE(""), "1.%u", minor);
    if (minor < MINOR_FIRST || minor > MINOR_LAST)
        provider_log(provider, AWS_LOG_ERROR, "Kubernetes version is not one of those that are supported", SLICE(""),
                     "1.%u; 1.%d to 1.%d are", minor, MINOR_FIRST, MINOR_LAST);
}

static ErrCode find_version(AwsProvider *provider, CloudError *error) {
    Slice version = {0};
    Arena arena = {0};
    uint32_t minor;
    ErrCode code = ask_version(provider, &arena, &version, error);

    minor = code == OK ? minor_of(version) : 0;
    if (code == OK && !minor)
        code =
            cloud_fail(error, ERR_INVALID, "\"%.*s\" is no version of Kubernetes", SLICE_ARG(slice_first(version, 64)));
    if (code == OK)
        keep_minor(provider, minor);
    arena_free(&arena);
    return code;
}

// Whether something is needed that only EKS says, and that it was not asked for.
static bool needs_eks(AwsProvider *provider) {
    const AwsProviderSettings *settings = &provider->config.settings;
    ProviderCluster *cluster = provider->cluster;
    bool needs;

    pthread_mutex_lock(&cluster->lock);
    needs = (!settings->cluster_endpoint.len && !cluster->endpoint) || (settings->enable_zonal_shift && !cluster->arn);
    pthread_mutex_unlock(&cluster->lock);
    return needs;
}

static bool knows_dns(AwsProvider *provider) {
    bool knows;

    pthread_mutex_lock(&provider->cluster->lock);
    knows = provider->cluster->dns_ip != NULL;
    pthread_mutex_unlock(&provider->cluster->lock);
    return knows;
}

static ErrCode complete(AwsProvider *provider, CloudError *error) {
    Arena arena = {0};
    ErrCode code = needs_eks(provider) ? ask_eks(provider, &arena, NULL, error) : OK;

    arena_free(&arena);
    return code;
}

// What was not found at the start is looked for again.
ErrCode provider_version_refresh(AwsProvider *provider, CloudError *error) {
    if (!knows_dns(provider))
        look_for_dns(provider, false);
    TRY(complete(provider, error));
    return find_version(provider, error);
}

// --- the start

static ErrCode probe_endpoint(AwsProvider *provider, Err *err) {
    Slice name = provider->config.settings.cluster_name;
    CloudError error = {0};

    if (complete(provider, &error) != OK)
        return err_set(err, error.err.code,
                       "unable to detect the cluster's endpoint: %s; allow eks:DescribeCluster, or set "
                       "--cluster-endpoint to what aws eks describe-cluster --name %.*s says",
                       error.err.text, SLICE_ARG(name));
    if (needs_eks(provider))
        return err_set(err, ERR_NOT_FOUND,
                       "EKS says no endpoint of the cluster yet; see aws eks describe-cluster --name %.*s, or set "
                       "--cluster-endpoint",
                       SLICE_ARG(name));
    return OK;
}

ErrCode provider_cluster_probe(AwsProvider *provider, Err *err) {
    CloudError error = {0};

    TRY(probe_endpoint(provider, err));
    look_for_dns(provider, true);
    if (find_version(provider, &error) != OK)
        return err_set(err, error.err.code,
                       "unable to detect the version of Kubernetes: %s; see kubectl version, or, with "
                       "--eks-control-plane, allow eks:DescribeCluster",
                       error.err.text);
    return OK;
}
