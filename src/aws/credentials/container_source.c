// Credentials by AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or …_FULL_URI, for the token that is in
// AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, read anew each time, or in AWS_CONTAINER_AUTHORIZATION_TOKEN.
#include "aws/credentials/container_source.h"

#include "aws/credentials/key_document.h"
#include "base/alloc.h"

#define AGENT_URL "http://169.254.170.2"

typedef struct {
    AwsSource source;
    Arena arena;
    AwsSourceMakings makings;
    Slice url;
} ContainerSource;

bool aws_container_is_named(const AwsEnvironment *environment) {
    return aws_variable(environment, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI").len ||
           aws_variable(environment, "AWS_CONTAINER_CREDENTIALS_FULL_URI").len;
}

// Host of http://host[:port]/…, with the brackets of IPv6.
static Slice host_of(Slice url) {
    Slice host = slice_from(url, sizeof "http://" - 1);
    ptrdiff_t bracket = slice_find(host, ']');

    for (size_t i = bracket < 0 ? 0 : (size_t)bracket; i < host.len; i++) {
        if (host.ptr[i] == '/' || host.ptr[i] == ':' || host.ptr[i] == '?')
            return slice_first(host, i);
    }
    return host;
}

// 127.1.2.3, in full, so that no name of a host elsewhere is one.
static bool is_loopback_v4(Slice host) {
    for (size_t i = 0; i < host.len; i++) {
        if ((host.ptr[i] < '0' || host.ptr[i] > '9') && host.ptr[i] != '.')
            return false;
    }
    return slice_starts_with(host, SLICE("127."));
}

static bool may_be_plain(Slice url) {
    static const char *const hosts[] = {"localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"};
    Slice host = host_of(url);

    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        if (slice_eq_text(host, hosts[i]))
            return true;
    }
    return is_loopback_v4(host);
}

static ErrCode check_url(Slice url, Err *err) {
    if (slice_find(url, '@') >= 0)
        return err_set(err, ERR_INVALID, "AWS_CONTAINER_CREDENTIALS_FULL_URI: expected a URL without a user");
    if (slice_starts_with(url, SLICE("https://")))
        return OK;
    if (!slice_starts_with(url, SLICE("http://")))
        return err_set(err, ERR_INVALID, "AWS_CONTAINER_CREDENTIALS_FULL_URI: expected http(s)://host/path");
    if (!may_be_plain(url))
        return err_set(err, ERR_INVALID,
                       "AWS_CONTAINER_CREDENTIALS_FULL_URI: plain http only to this machine, 169.254.170.2, "
                       "169.254.170.23 and [fd00:ec2::23]");
    return OK;
}

// The token to show; empty: none is wanted.
static ErrCode read_token(const ContainerSource *source, Arena *arena, Slice *ret_token, Err *err) {
    const AwsEnvironment *environment = &source->makings.settings->environment;
    Slice path = aws_variable(environment, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");

    *ret_token = aws_variable(environment, "AWS_CONTAINER_AUTHORIZATION_TOKEN");
    if (path.len) {
        TRY(environment->read_file(environment->context, arena, path, ret_token, err));
        *ret_token = slice_trim(*ret_token);
    }
    if (slice_find(*ret_token, '\n') >= 0 || slice_find(*ret_token, '\r') >= 0)
        return err_set(err, ERR_INVALID, "AWS_CONTAINER_AUTHORIZATION_TOKEN(_FILE): the token has more than one line");
    return OK;
}

static ErrCode ask(const ContainerSource *source, Arena *arena, AwsAnswer *ret_answer, Err *err) {
    const AwsTransport *transport = &source->makings.transport;
    const AwsMetadataSettings *patience = &source->makings.settings->metadata;
    HttpHeader header = {.name = SLICE("Authorization")};
    AwsRequest request = {.method = "GET", .url = source->url, .headers = &header, .timeout_ns = patience->timeout_ns};
    ErrCode code;

    for (uint32_t attempt = 1;; attempt++) {
        TRY(read_token(source, arena, &header.value, err));
        request.header_count = header.value.len > 0;
        code = transport->send(transport->self, arena, &request, ret_answer, err);
        if (code == OK && ret_answer->status < 500)
            return OK;
        if (attempt >= patience->attempts || !transport->rest(transport->self, NS_PER_S))
            return code;
    }
}

static ErrCode fetch(AwsSource *self, Arena *arena, int64_t wall_ns, AwsFetched *ret_fetched, Err *err) {
    AwsAnswer answer = {0};

    (void)wall_ns;
    TRY(ask((const ContainerSource *)self, arena, &answer, err));
    if (answer.status != 200)
        return err_set(err, answer.status < 500 ? ERR_DENIED : ERR_IO,
                       "the endpoint of credentials answers with status %d%s", answer.status,
                       answer.status == 401
                           ? ": it does not take the token; is there a pod identity association for this "
                             "service account?"
                           : "");
    return aws_key_document_read(arena, answer.body, ret_fetched, err);
}

static void free_container(AwsSource *self) {
    arena_free(&((ContainerSource *)self)->arena);
    free(self);
}

ErrCode aws_container_source_new(const AwsSourceMakings *makings, AwsSource **ret_source, Err *err) {
    const AwsEnvironment *environment = &makings->settings->environment;
    Slice relative = aws_variable(environment, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    Slice url = aws_variable(environment, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
    ContainerSource *made;

    if (relative.len && relative.ptr[0] != '/')
        return err_set(err, ERR_INVALID, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: expected a path");
    if (!relative.len)
        TRY(check_url(url, err));
    made = NEW(ContainerSource);
    made->source = (AwsSource){"container", fetch, free_container};
    made->makings = *makings;
    made->url = relative.len ? arena_printf(&made->arena, AGENT_URL "%.*s", SLICE_ARG(relative))
                             : arena_slice(&made->arena, url);
    *ret_source = &made->source;
    return OK;
}
