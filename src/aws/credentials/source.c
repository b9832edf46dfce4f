// What sources share.
#include "aws/credentials/source.h"

AwsClient *aws_source_sts(const AwsSourceMakings *makings, AwsIdentity identity) {
    const AwsServiceUrl url = {"sts", aws_settings_endpoint_url(makings->settings, "sts")};
    const AwsClientOptions options = {
        .transport = makings->transport,
        .identity = identity,
        .region = makings->region,
        .use_fips = makings->settings->use_fips,
        .use_dual_stack = makings->settings->use_dual_stack,
        .urls = &url,
        .url_count = 1,
        .attempts_max = makings->settings->attempts_max,
        .seed = makings->seed,
    };

    return aws_client_new(&options);
}
