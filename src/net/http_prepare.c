// libcurl options of a call.
#include "net/http_prepare.h"

#include "base/check.h"
#include "net/http_receive.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <strings.h>

enum {
    KEEPALIVE_IDLE_S = 30,
    KEEPALIVE_EVERY_S = 10,
    UNANSWERED_MAX_MS = 60000, // sent bytes without an acknowledgement for so long: the peer is gone
};

static int watch_over_socket(void *context, curl_socket_t fd, curlsocktype purpose) {
    unsigned int unanswered_ms = UNANSWERED_MAX_MS;

    (void)context;
    if (purpose == CURLSOCKTYPE_IPCXN)
        setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof unanswered_ms);
    return CURL_SOCKOPT_OK;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    HttpCall *call = context;
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);

    (void)purpose;
    if (fd < 0 && (errno == EMFILE || errno == ENFILE))
        call->no_descriptor = true;
    return fd; // -1 is CURL_SOCKET_BAD
}

// Read callback of the body. It cannot be rewound, so libcurl cannot send the body twice.
static size_t give_body(char *bytes, size_t size, size_t count, void *context) {
    HttpCall *call = context;
    const HttpGate *gate = &call->request->gate;
    Slice rest = slice_first(slice_from(call->request->body, call->sent), size * count);

    if (!call->sent && gate->is_open && !gate->is_open(gate->context)) {
        call->held_back = true;
        return CURL_READFUNC_ABORT;
    }
    if (rest.len)
        memcpy(bytes, rest.ptr, rest.len);
    call->sent += rest.len;
    return rest.len;
}

static struct curl_slist *add(struct curl_slist *list, const char *text) {
    list = curl_slist_append(list, text);
    CHECK(list, "no memory for a header");
    return list;
}

static struct curl_slist *headers_of(const HttpRequest *request) {
    struct curl_slist *list = add(NULL, "Expect:"); // without 100 Continue, which costs a round trip
    Arena scratch = {0};

    for (uint32_t i = 0; i < request->header_count; i++) {
        const HttpHeader *header = &request->headers[i];

        list = add(list, arena_printf(&scratch, "%.*s: %.*s", SLICE_ARG(header->name), SLICE_ARG(header->value)).ptr);
    }
    arena_free(&scratch);
    return list;
}

static void set_blob(CURL *easy, CURLoption option, Slice bytes) {
    struct curl_blob blob = {.len = bytes.len, .flags = CURL_BLOB_COPY};

    memcpy(&blob.data, &bytes.ptr, sizeof blob.data); // libcurl's member is not const, but it is only read
    if (bytes.len)
        curl_easy_setopt(easy, option, &blob);
}

static void prepare_tls(CURL *easy, const HttpOptions *options, const HttpIdentity *identity) {
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, options->insecure ? 0L : 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, options->insecure ? 0L : 2L);
    if (options->ca_pem.len) {
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
        set_blob(easy, CURLOPT_CAINFO_BLOB, options->ca_pem);
    }
    if (identity && identity->certificate_pem.len) {
        set_blob(easy, CURLOPT_SSLCERT_BLOB, identity->certificate_pem);
        set_blob(easy, CURLOPT_SSLKEY_BLOB, identity->key_pem);
        curl_easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
        curl_easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
    }
}

static void prepare_body(HttpCall *call) {
    const HttpRequest *request = call->request;

    if (request->has_body) {
        curl_easy_setopt(call->easy, CURLOPT_POST, 1L);
        curl_easy_setopt(call->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
        curl_easy_setopt(call->easy, CURLOPT_READFUNCTION, give_body);
        curl_easy_setopt(call->easy, CURLOPT_READDATA, call);
    }
    curl_easy_setopt(call->easy, CURLOPT_CUSTOMREQUEST, request->method);
    // libcurl may repeat a request without a body on a new connection, so this one gets a connection of its own.
    if (!request->has_body && strcmp(request->method, "GET") != 0)
        curl_easy_setopt(call->easy, CURLOPT_FRESH_CONNECT, 1L);
}

// Parts of a URL, as parsed by libcurl.
typedef struct {
    char *scheme, *host, *port, *path, *whole;
} UrlParts;

static bool url_split(Slice url, UrlParts *ret_parts) {
    CURLU *handle = curl_url();
    Arena scratch = {0};
    bool ok;

    ok = curl_url_set(handle, CURLUPART_URL, arena_text(&scratch, url), 0) == CURLUE_OK &&
         curl_url_get(handle, CURLUPART_SCHEME, &ret_parts->scheme, 0) == CURLUE_OK &&
         curl_url_get(handle, CURLUPART_HOST, &ret_parts->host, 0) == CURLUE_OK &&
         curl_url_get(handle, CURLUPART_PORT, &ret_parts->port, CURLU_DEFAULT_PORT) == CURLUE_OK &&
         curl_url_get(handle, CURLUPART_PATH, &ret_parts->path, 0) == CURLUE_OK &&
         curl_url_get(handle, CURLUPART_URL, &ret_parts->whole, 0) == CURLUE_OK;
    curl_url_cleanup(handle);
    arena_free(&scratch);
    return ok;
}

static void url_parts_free(UrlParts *parts) {
    curl_free(parts->scheme);
    curl_free(parts->host);
    curl_free(parts->port);
    curl_free(parts->path);
    curl_free(parts->whole);
}

static bool is_loopback(const char *host) {
    return !strcasecmp(host, "localhost") || !strncmp(host, "127.", 4) || !strcmp(host, "[::1]");
}

// 169.254.0.0/16, fe80::/10, and Amazon's own fd00:ec2::/32: nothing that a proxy could reach for this machine. `host`:
// of a URL, IPv6 in brackets.
static bool is_link_local(const char *host) {
    static const unsigned char amazon[] = {0xfd, 0x00, 0x0e, 0xc2};
    size_t len = strlen(host);
    char plain[INET6_ADDRSTRLEN];
    struct in6_addr v6;
    struct in_addr v4;

    if (inet_pton(AF_INET, host, &v4) == 1)
        return (ntohl(v4.s_addr) & 0xffff0000U) == 0xa9fe0000U;
    if (len < 2 || len > sizeof plain || host[0] != '[')
        return false;
    memcpy(plain, host + 1, len - 2);
    plain[len - 2] = '\0';
    return inet_pton(AF_INET6, plain, &v6) == 1 && (IN6_IS_ADDR_LINKLOCAL(&v6) || !memcmp(&v6, amazon, sizeof amazon));
}

// Connects to the host of the URL while TLS and the Host header name `tls_name`.
static struct curl_slist *rename_host(CURL *easy, const UrlParts *parts, Slice tls_name) {
    Arena scratch = {0};
    CURLU *handle = curl_url();
    struct curl_slist *list;
    char *renamed = NULL;

    list = add(NULL, arena_printf(&scratch, "::%s:%s", parts->host, parts->port).ptr);
    curl_url_set(handle, CURLUPART_URL, parts->whole, 0);
    curl_url_set(handle, CURLUPART_HOST, arena_text(&scratch, tls_name), 0);
    if (curl_url_get(handle, CURLUPART_URL, &renamed, 0) == CURLUE_OK)
        curl_easy_setopt(easy, CURLOPT_URL, renamed);
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, list);
    curl_free(renamed);
    curl_url_cleanup(handle);
    arena_free(&scratch);
    return list;
}

static ErrCode prepare_url(HttpCall *call, struct curl_slist **ret_connect_to, Err *err) {
    const HttpOptions *options = &call->client->options;
    UrlParts parts = {0};
    Arena scratch = {0};

    if (!url_split(call->request->url, &parts)) {
        Slice what = http_describe(&scratch, call->request);

        url_parts_free(&parts);
        err_set(err, ERR_INVALID, "%.*s: not a URL; expected http(s)://host[:port]/path", SLICE_ARG(what));
        arena_free(&scratch);
        return ERR_INVALID;
    }
    curl_easy_setopt(call->easy, CURLOPT_URL, parts.whole);
    if (options->tls_name.len)
        *ret_connect_to = rename_host(call->easy, &parts, options->tls_name);
    if (options->proxy_url.len) {
        curl_easy_setopt(call->easy, CURLOPT_PROXY, arena_text(&scratch, options->proxy_url));
        curl_easy_setopt(call->easy, CURLOPT_NOPROXY, "");
    } else if (is_loopback(parts.host) || is_link_local(parts.host)) {
        curl_easy_setopt(call->easy, CURLOPT_NOPROXY, "*");
    }
    url_parts_free(&parts);
    arena_free(&scratch);
    return OK;
}

static void prepare_connection(CURL *easy, const HttpOptions *options, int64_t timeout_ns) {
    Arena scratch = {0};

    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); // a stopped or late call does not wait for the resolver's thread
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, (long)KEPT_MAX_S);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(options->connect_timeout_ns / NS_PER_MS));
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)((timeout_ns + NS_PER_MS - 1) / NS_PER_MS));
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_IDLE_S);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_EVERY_S);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, watch_over_socket);
    if (!options->no_gzip)
        curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
    if (options->user_agent.len)
        curl_easy_setopt(easy, CURLOPT_USERAGENT, arena_text(&scratch, options->user_agent));
    arena_free(&scratch);
}

ErrCode http_prepare(HttpCall *call, struct curl_slist **ret_headers, struct curl_slist **ret_connect_to, Err *err) {
    CURL *easy = call->easy;

    TRY(prepare_url(call, ret_connect_to, err));
    prepare_connection(easy, &call->client->options, call->request->timeout_ns);
    prepare_tls(easy, &call->client->options, call->request->identity);
    prepare_body(call);
    *ret_headers = headers_of(call->request);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, *ret_headers);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, http_take_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, call);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, http_take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
    return OK;
}

Slice http_describe(Arena *arena, const HttpRequest *request) {
    UrlParts parts = {0};
    Slice text;

    if (url_split(request->url, &parts))
        text =
            arena_printf(arena, "%s %s://%s:%s%s", request->method, parts.scheme, parts.host, parts.port, parts.path);
    else
        text = arena_printf(arena, "%s of an address that cannot be read", request->method);
    url_parts_free(&parts);
    return text;
}
