// Sessions: the parts of the room, put together.
#include "aws/session.h"

#include "aws/credentials/chain.h"
#include "aws/credentials/credentials.h"
#include "aws/credentials/metadata.h"
#include "aws/service/operations.h"
#include "base/alloc.h"

struct AwsSession {
    Arena arena; // of the settings: may have secrets
    AwsSettings settings;
    AwsHttp http; // client NULL: the transport is somebody else's
    AwsTransport transport;
    AwsCredentials *credentials;
    AwsClient *client;
};

// Where each service is asked.
static AwsServiceUrl *list_urls(AwsSession *session, uint32_t *ret_count) {
    AwsServiceUrl *urls = arena_array(&session->arena, AwsServiceUrl, aws_operation_count);

    *ret_count = 0;
    for (uint32_t i = 0; i < aws_operation_count; i++) {
        const char *id = aws_operations[i]->service->id;

        if (*ret_count && urls[*ret_count - 1].service == id) // operations are in the order of their services
            continue;
        urls[(*ret_count)++] = (AwsServiceUrl){id, aws_settings_endpoint_url(&session->settings, id)};
    }
    return urls;
}

static ErrCode open_transport(AwsSession *session, const AwsSessionOptions *options, Err *err) {
    const AwsEnvironment *environment = &session->settings.environment;
    HttpOptions http = {.user_agent = options->user_agent};

    session->transport = options->transport;
    if (options->transport.send)
        return OK;
    if (session->settings.ca_bundle.len) {
        ErrCode code = environment->read_file(environment->context, &session->arena, session->settings.ca_bundle,
                                              &http.ca_pem, err);

        if (code != OK)
            err_prefix(err, "AWS_CA_BUNDLE");
        TRY(code);
    }
    TRY(http_client_new(&http, &session->http.client, err));
    session->http.gate = options->gate;
    session->transport = aws_transport_http(&session->http);
    return OK;
}

static ErrCode find_region(AwsSession *session, Slice wanted, Slice *ret_region, Err *err) {
    AwsMetadata *metadata;
    ErrCode code;

    *ret_region = wanted.len ? wanted : session->settings.region;
    if (ret_region->len)
        return OK;
    metadata = aws_metadata_new(&session->settings.metadata, &session->transport);
    code = aws_metadata_region(metadata, &session->arena, ret_region, err);
    aws_metadata_free(metadata);
    if (code == OK)
        return OK;
    err_prefix(err, "no region: set AWS_REGION, or region in the profile; the instance was asked, too");
    return err->code = ERR_NOT_FOUND;
}

static ErrCode open_credentials(AwsSession *session, Slice region, uint64_t seed, Err *err) {
    const AwsSourceMakings makings = {&session->settings, session->transport, region, seed};
    AwsSource *source;

    TRY(aws_chain_choose(&makings, &source, err));
    session->credentials = aws_credentials_new(source, &session->transport, seed);
    return OK;
}

static ErrCode open_parts(AwsSession *session, const AwsSessionOptions *options, Err *err) {
    const AwsEnvironment *environment = options->environment ? options->environment : &aws_environment_system;
    AwsClientOptions client = {
        .paces = options->paces,
        .pace_count = options->pace_count,
        .seed = options->seed,
        .observer = options->observer,
    };

    TRY(aws_settings_read(&session->arena, environment, &session->settings, err));
    TRY(open_transport(session, options, err));
    TRY(find_region(session, options->region, &client.region, err));
    TRY(open_credentials(session, arena_slice(&session->arena, client.region), options->seed, err));
    client.transport = session->transport;
    client.identity = aws_credentials_identity(session->credentials);
    client.use_fips = session->settings.use_fips;
    client.use_dual_stack = session->settings.use_dual_stack;
    client.attempts_max = session->settings.attempts_max;
    client.urls = list_urls(session, &client.url_count);
    session->client = aws_client_new(&client);
    return OK;
}

ErrCode aws_session_open(const AwsSessionOptions *options, AwsSession **ret_session, Err *err) {
    AwsSession *session = NEW(AwsSession);
    ErrCode code = open_parts(session, options, err);

    if (code == OK)
        *ret_session = session;
    else
        aws_session_close(session);
    return code;
}

void aws_session_close(AwsSession *session) {
    if (!session)
        return;
    aws_client_free(session->client);
    aws_credentials_free(session->credentials);
    http_client_free(session->http.client);
    arena_wipe(&session->arena);
    free(session);
}

AwsClient *aws_session_client(AwsSession *session) {
    return session->client;
}

const char *aws_session_source(const AwsSession *session) {
    return aws_credentials_source(session->credentials);
}

void aws_session_end_within(AwsSession *session, int64_t rest_ns) {
    if (session->http.client)
        http_client_end_within(session->http.client, rest_ns);
}
