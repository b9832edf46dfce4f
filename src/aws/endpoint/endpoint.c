// Names of hosts: SERVICE[-fips].REGION.SUFFIX, and what departs from that.
#include "aws/endpoint/endpoint.h"

enum { LABEL_MAX = 63 };

static bool is_host_label(Slice text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && (c != '-' || !i))
            return false;
    }
    return text.len && text.len <= LABEL_MAX;
}

// An endpoint of the user's: scheme://host[:port][/path].
static ErrCode take_url(const AwsService *service, const AwsEndpointOptions *options, AwsEndpoint *ret_endpoint,
                        Err *err) {
    Slice url = slice_trim(options->url), rest;
    ptrdiff_t slash;

    if (options->use_fips || options->use_dual_stack)
        return err_set(err, ERR_INVALID,
                       "the endpoint of %s is set, and %s endpoints are wanted, too: unset one of them", service->id,
                       options->use_fips ? "FIPS" : "dual-stack");
    while (slice_ends_with(url, SLICE("/")))
        url.len--;
    if (slice_starts_with(url, SLICE("https://")))
        rest = slice_from(url, sizeof "https://" - 1);
    else if (slice_starts_with(url, SLICE("http://")))
        rest = slice_from(url, sizeof "http://" - 1);
    else
        rest = (Slice){0};
    slash = slice_find(rest, '/');
    ret_endpoint->url = url;
    ret_endpoint->host = slash < 0 ? rest : slice_first(rest, (size_t)slash);
    ret_endpoint->path = slash < 0 ? (Slice){0} : slice_from(rest, (size_t)slash);
    if (!ret_endpoint->host.len || slice_find(rest, '@') >= 0 || slice_find(rest, '?') >= 0 ||
        slice_find(rest, '#') >= 0)
        return err_set(err, ERR_INVALID,
                       "the endpoint of %s is not a URL like https://host[:port]: look at AWS_ENDPOINT_URL and "
                       "endpoint_url of the profile",
                       service->id);
    return OK;
}

static const char *iam_host(const AwsIamHosts *hosts, const AwsEndpointOptions *options) {
    if (options->use_fips)
        return options->use_dual_stack ? hosts->fips_dual_stack : hosts->fips;
    return options->use_dual_stack ? hosts->dual_stack : hosts->usual;
}

// Services whose usual hosts in GovCloud are FIPS hosts; of EventBridge those of both stacks are.
static bool is_fips_in_gov(const AwsService *service, bool use_dual_stack) {
    static const char *const services[] = {"ec2", "eks", "sqs", "ssm", "sts"};

    if (!strcmp(service->id, "eventbridge"))
        return true;
    if (use_dual_stack)
        return false;
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        if (!strcmp(service->id, services[i]))
            return true;
    }
    return false;
}

static Slice host_of(Arena *arena, const AwsService *service, const AwsEndpointOptions *options) {
    const AwsPartition *partition = aws_partition_of(options->region);
    const char *prefix = service->endpoint_prefix, *fips = options->use_fips ? "-fips" : "";
    const char *suffix = options->use_dual_stack ? partition->dual_stack_suffix : partition->dns_suffix;

    if (!strcmp(service->id, "iam"))
        return slice_of(iam_host(&partition->iam, options));
    if (!strcmp(service->id, "sts") && slice_eq_text(options->region, "aws-global") && !*fips &&
        !options->use_dual_stack)
        return SLICE("sts.amazonaws.com");
    if (*fips && !strcmp(partition->name, "aws-us-gov") && is_fips_in_gov(service, options->use_dual_stack))
        fips = "";
    if (*fips && !options->use_dual_stack && !strcmp(partition->name, "aws") && !strcmp(service->id, "eks"))
        return arena_printf(arena, "fips.eks.%.*s.%s", SLICE_ARG(options->region), suffix);
    return arena_printf(arena, "%s%s.%.*s.%s", prefix, fips, SLICE_ARG(options->region), suffix);
}

static Slice signing_region_of(const AwsService *service, const AwsEndpointOptions *options) {
    if (!strcmp(service->id, "iam"))
        return slice_of(aws_partition_of(options->region)->iam.signing_region);
    if (slice_eq_text(options->region, "aws-global"))
        return SLICE("us-east-1");
    return options->region;
}

ErrCode aws_endpoint_find(Arena *arena, const AwsService *service, const AwsEndpointOptions *options,
                          AwsEndpoint *ret_endpoint, Err *err) {
    AwsEndpoint found = {0};

    if (!options->region.len)
        return err_set(err, ERR_INVALID, "no region: set AWS_REGION, or region in the profile");
    if (!is_host_label(options->region))
        return err_set(err, ERR_INVALID, "the region '%.*s' is not one like us-east-1: look at AWS_REGION",
                       SLICE_ARG(slice_first(options->region, LABEL_MAX)));
    found.signing_region = arena_slice(arena, signing_region_of(service, options));
    if (options->url.len) {
        TRY(take_url(service, options, &found, err));
        found.url = arena_slice(arena, found.url);
        found.host = arena_slice(arena, found.host);
        found.path = arena_slice(arena, found.path);
    } else {
        found.host = arena_slice(arena, host_of(arena, service, options));
        found.url = arena_printf(arena, "https://%.*s", SLICE_ARG(found.host));
    }
    *ret_endpoint = found;
    return OK;
}

Slice aws_service_region(const AwsService *service, Slice region) {
    if (strcmp(service->id, "pricing") != 0)
        return region;
    if (slice_starts_with(region, SLICE("ap-")))
        return SLICE("ap-south-1");
    if (slice_starts_with(region, SLICE("cn-")))
        return SLICE("cn-northwest-1");
    if (slice_starts_with(region, SLICE("eu-")))
        return SLICE("eu-central-1");
    return SLICE("us-east-1");
}
