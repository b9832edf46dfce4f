// The HTTP client and TLS: server certificates, client certificates, and proxies.
#include "harness/test.h"
#include "net/http.h"
#include "net/support/canned.h"
#include "net/support/front.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    Arena arena;
    Authority *authority, *stranger;
    Issued server;
    Canned canned;
    Front front;
    HttpReply reply;
    Err err;
} World;

static bool answer(Canned *server, const CannedRequest *request, int fd) {
    (void)server, (void)request;
    canned_json(fd, 200, "{}");
    return true;
}

// A server of the name `names`, behind TLS.
static World *world(const char *names) {
    World *w = calloc(1, sizeof *w);

    w->authority = authority_new("the right one");
    w->stranger = authority_new("another one");
    w->server = authority_issue(w->authority, &w->arena, "server", names);
    w->canned.answer = answer;
    canned_start(&w->canned);
    w->front = (Front){.target_port = w->canned.port, .certificate = &w->server};
    return w;
}

static void world_end(World *w) {
    front_stop(&w->front);
    canned_stop(&w->canned);
    authority_free(w->authority);
    authority_free(w->stranger);
    http_reply_free(&w->reply);
    arena_free(&w->arena);
    free(w);
}

static HttpOptions trusting(World *w, const Authority *authority) {
    return (HttpOptions){.ca_pem = authority_pem(authority, &w->arena)};
}

// One call by a client of its own.
static ErrCode call(World *w, const char *host, HttpOptions options, const HttpIdentity *identity) {
    Slice url = arena_printf(&w->arena, "https://%s:%d/path?token=s3cret", host, w->front.port);
    HttpRequest request = {.method = "GET", .url = url, .identity = identity, .timeout_ns = 20000000000};
    HttpClient *client;
    ErrCode code;

    assert_int_equal(http_client_new(&options, &client, NULL), OK);
    code = http_call(client, &request, &w->reply, &w->err);
    http_client_free(client);
    if (code == OK)
        assert_int_equal(w->reply.status, 200);
    return code;
}

static void assert_said(World *w, const char *text) {
    if (!strstr(w->err.text, text))
        fail_msg("expected a text with \"%s\", got \"%s\"", text, w->err.text);
    assert_null(strstr(w->err.text, "s3cret"));
    assert_null(strstr(w->err.text, "PRIVATE KEY"));
}

TEST(authorities_come_from_memory) {
    World *w = world("IP:127.0.0.1");

    front_start(&w->front);
    assert_int_equal(call(w, "127.0.0.1", trusting(w, w->authority), NULL), OK);
    assert_int_equal(w->canned.requests, 1);
    world_end(w);
}

TEST(a_server_of_another_authority_is_refused) {
    World *w = world("IP:127.0.0.1");

    front_start(&w->front);
    assert_int_equal(call(w, "127.0.0.1", trusting(w, w->stranger), NULL), ERR_IO);
    assert_said(w, arena_printf(&w->arena, "https://127.0.0.1:%d/path: ", w->front.port).ptr);
    assert_said(w, "is its authority the one that is configured");
    assert_int_equal(call(w, "127.0.0.1", (HttpOptions){0}, NULL), ERR_IO); // the system's do not know it
    assert_said(w, "is its authority the one that is configured");
    assert_int_equal(w->canned.requests, 0);
    assert_int_equal(call(w, "127.0.0.1", (HttpOptions){.insecure = true}, NULL), OK);
    world_end(w);
}

TEST(a_server_of_another_name_is_refused) {
    World *w = world("DNS:api.example");
    HttpOptions options = trusting(w, w->authority);

    front_start(&w->front);
    assert_int_equal(call(w, "127.0.0.1", options, NULL), ERR_IO);
    assert_said(w, "and its name that of the URL?");
    assert_int_equal(call(w, "localhost", options, NULL), ERR_IO);
    options.tls_name = SLICE("other.example");
    assert_int_equal(call(w, "127.0.0.1", options, NULL), ERR_IO);
    assert_int_equal(w->canned.requests, 0);
    options.tls_name = SLICE("api.example");
    assert_int_equal(call(w, "127.0.0.1", options, NULL), OK);
    world_end(w);
}

TEST(a_server_that_wants_a_client_certificate_gets_it) {
    World *w = world("IP:127.0.0.1");
    Issued mine = authority_issue(w->authority, &w->arena, "client", "DNS:client");
    Issued foreign = authority_issue(w->stranger, &w->arena, "client", "DNS:client");
    HttpOptions options = trusting(w, w->authority);

    w->front.client_ca_pem = authority_pem(w->authority, &w->arena);
    front_start(&w->front);
    assert_int_equal(call(w, "127.0.0.1", options, &(HttpIdentity){mine.certificate_pem, mine.key_pem}), OK);
    assert_int_equal(w->canned.requests, 1);
    assert_int_equal(call(w, "127.0.0.1", options, NULL), ERR_IO);
    assert_said(w, "the server wants a client certificate");
    assert_int_equal(call(w, "127.0.0.1", options, &(HttpIdentity){foreign.certificate_pem, foreign.key_pem}), ERR_IO);
    assert_said(w, "the server wants a client certificate");
    assert_int_equal(w->canned.requests, 1);
    world_end(w);
}

TEST(certificates_that_cannot_be_used_are_said_so) {
    World *w = world("IP:127.0.0.1");
    Issued mine = authority_issue(w->authority, &w->arena, "client", "DNS:client");
    Issued other = authority_issue(w->authority, &w->arena, "client", "DNS:client");
    HttpOptions options = trusting(w, w->authority);

    front_start(&w->front);
    assert_int_equal(call(w, "127.0.0.1", options, &(HttpIdentity){mine.certificate_pem, other.key_pem}), ERR_IO);
    assert_said(w, "the client's certificate and key cannot be used");
    assert_int_equal(call(w, "127.0.0.1", options, &(HttpIdentity){mine.certificate_pem, SLICE("s3cret")}), ERR_IO);
    assert_said(w, "the client's certificate and key cannot be used");
    options.ca_pem = SLICE("-----BEGIN CERTIFICATE-----\ns3cret\n-----END CERTIFICATE-----\n");
    assert_int_equal(call(w, "127.0.0.1", options, NULL), ERR_IO);
    assert_said(w, "cannot be read as certificates");
    assert_int_equal(w->canned.requests, 0);
    world_end(w);
}

// Calls of different identities use different connections.
TEST(connections_are_not_shared_among_identities) {
    World *w = world("IP:127.0.0.1");
    HttpOptions options = trusting(w, w->authority);
    Slice url;
    HttpClient *client;

    front_start(&w->front);
    url = arena_printf(&w->arena, "https://127.0.0.1:%d/", w->front.port);
    assert_int_equal(http_client_new(&options, &client, NULL), OK);
    for (int i = 0; i < 6; i++) {
        Issued mine = authority_issue(w->authority, &w->arena, "client", "DNS:client");
        HttpIdentity identity = {mine.certificate_pem, mine.key_pem};
        HttpRequest request = {.method = "GET", .url = url, .identity = i % 2 ? &identity : NULL};

        assert_int_equal(http_call(client, &request, &w->reply, &w->err), OK);
    }
    assert_int_equal(w->canned.connections, 6);
    http_client_free(client);
    world_end(w);
}

TEST(a_proxy_sees_the_host_and_not_the_call) {
    World *w = world("IP:127.0.0.1");
    Front proxy = {.is_proxy = true};
    HttpOptions options = trusting(w, w->authority);
    Slice connect;

    front_start(&w->front);
    front_start(&proxy);
    options.proxy_url = arena_printf(&w->arena, "http://user:s3cret@127.0.0.1:%d", proxy.port);
    assert_int_equal(call(w, "127.0.0.1", options, NULL), OK);
    connect = arena_printf(&w->arena, "CONNECT 127.0.0.1:%d HTTP/1.1\r\n", w->front.port);
    pthread_mutex_lock(&proxy.lock);
    assert_true(slice_starts_with(slice_of(proxy.log), connect));
    assert_non_null(strstr(proxy.log, "Proxy-Authorization: Basic dXNlcjpzM2NyZXQ=")); // user:s3cret
    assert_null(strstr(proxy.log, "path"));
    pthread_mutex_unlock(&proxy.lock);
    options.ca_pem = authority_pem(w->stranger, &w->arena); // a proxy does not change which certificates are trusted
    assert_int_equal(call(w, "127.0.0.1", options, NULL), ERR_IO);
    assert_said(w, "is its authority the one that is configured");
    front_stop(&w->front);
    assert_int_equal(call(w, "127.0.0.1", options, NULL), ERR_IO); // 502 to CONNECT
    assert_said(w, "502");
    front_stop(&proxy);
    assert_int_equal(call(w, "127.0.0.1", options, NULL), ERR_IO);
    assert_said(w, "127.0.0.1");
    front_start(&w->front);
    world_end(w);
}
