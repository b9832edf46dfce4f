// The client, made and freed.
#include "aws/call/client_parts.h"

#include "base/alloc.h"

enum { ATTEMPTS_MAX = 3 };
#define ATTEMPT_TIMEOUT_NS (4 * NS_PER_MIN)

AwsClient *aws_client_new(const AwsClientOptions *options) {
    AwsClient *client = NEW(AwsClient);
    AwsServiceUrl *urls = arena_array(&client->arena, AwsServiceUrl, options->url_count);
    AwsClientOptions *own = &client->options;

    *own = *options;
    own->region = arena_slice(&client->arena, options->region);
    for (uint32_t i = 0; i < options->url_count; i++)
        urls[i] = (AwsServiceUrl){options->urls[i].service, arena_slice(&client->arena, options->urls[i].url)};
    own->urls = urls;
    own->attempts_max = own->attempts_max ? own->attempts_max : ATTEMPTS_MAX;
    own->timeout_ns = own->timeout_ns ? own->timeout_ns : ATTEMPT_TIMEOUT_NS;
    client->signer = aws_signer_new();
    client->pacer = aws_pacer_new(options->paces, options->pace_count);
    aws_quota_init(&client->quota);
    atomic_init(&client->skew_ns, 0);
    pthread_mutex_init(&client->random_lock, NULL);
    random_seed(&client->random, options->seed);
    return client;
}

void aws_client_free(AwsClient *client) {
    if (!client)
        return;
    aws_signer_free(client->signer);
    aws_pacer_free(client->pacer);
    aws_quota_destroy(&client->quota);
    pthread_mutex_destroy(&client->random_lock);
    arena_free(&client->arena);
    free(client);
}

Slice aws_client_region(const AwsClient *client) {
    return client->options.region;
}

int64_t aws_client_skew_ns(const AwsClient *client) {
    return atomic_load(&client->skew_ns);
}

Moment aws_client_now(const AwsClient *client) {
    Moment now = client->options.transport.now(client->options.transport.self);

    now.wall_ns = ns_add(now.wall_ns, aws_client_skew_ns(client));
    return now;
}

bool aws_client_rest(const AwsClient *client, int64_t ns) {
    const AwsTransport *transport = &client->options.transport;

    return transport->rest(transport->self, ns);
}
