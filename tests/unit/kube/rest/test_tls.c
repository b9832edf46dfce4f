// From a kubeconfig to a server behind TLS and a proxy; and secrets are in no message.
#include "harness/test.h"
#include "kube/rest/rest.h"
#include "net/base64.h"
#include "net/support/canned.h"
#include "net/support/front.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TOKEN          "t0ken-of-secrets"
#define PROXY_PASSWORD "pr0xy-of-secrets"

typedef struct {
    Arena arena;
    Authority *authority, *stranger;
    Issued server, client;
    Canned canned;
    Front front, proxy;
    char path[64], authorization[128];
    KubeError error;
} World;

static bool answer(Canned *server, const CannedRequest *request, int fd) {
    World *w = server->context;

    snprintf(w->authorization, sizeof w->authorization, "%.*s", SLICE_ARG(canned_header(request, "Authorization")));
    canned_json(fd, 200, "{\"metadata\":{\"name\":\"p\"}}");
    return true;
}

static World *setup(void) {
    World *w = calloc(1, sizeof *w);

    w->authority = authority_new("cluster");
    w->stranger = authority_new("stranger");
    w->server = authority_issue(w->authority, &w->arena, "server", "DNS:kubernetes.default.svc,IP:127.0.0.1");
    w->client = authority_issue(w->authority, &w->arena, "client", "DNS:client");
    w->canned.answer = answer;
    w->canned.context = w;
    canned_start(&w->canned);
    w->front = (Front){.target_port = w->canned.port,
                       .certificate = &w->server,
                       .client_ca_pem = authority_pem(w->authority, &w->arena)};
    w->proxy = (Front){.is_proxy = true};
    front_start(&w->front);
    front_start(&w->proxy);
    snprintf(w->path, sizeof w->path, "/tmp/tenon-tls-%d", (int)getpid());
    return w;
}

static void teardown(World *w) {
    front_stop(&w->proxy);
    front_stop(&w->front);
    canned_stop(&w->canned);
    authority_free(w->authority);
    authority_free(w->stranger);
    unlink(w->path);
    arena_free(&w->arena);
    free(w);
}

FIXTURE(World, setup, teardown);

static const char *encoded(World *w, Slice bytes) {
    return arena_text(&w->arena, base64_encode(&w->arena, bytes));
}

static const char *cluster_of(World *w, const Authority *authority, const char *more) {
    return arena_printf(&w->arena, "{server: 'https://127.0.0.1:%d', certificate-authority-data: %s%s}", w->front.port,
                        encoded(w, authority_pem(authority, &w->arena)), more)
        .ptr;
}

static const char *user_of(World *w, Issued issued) {
    return arena_printf(&w->arena, "{token: " TOKEN ", client-certificate-data: %s, client-key-data: %s}",
                        encoded(w, issued.certificate_pem), encoded(w, issued.key_pem))
        .ptr;
}

// One get with the kubeconfig that has this cluster and user.
static ErrCode get(World *w, const char *cluster, const char *user) {
    FILE *out = fopen(w->path, "w");
    KubeConfig config;
    KubeRest *rest;
    Value object;
    ErrCode code;

    assert_non_null(out);
    fprintf(out,
            "{clusters: [{name: c, cluster: %s}], users: [{name: u, user: %s}], contexts: [{name: x, context: "
            "{cluster: c, user: u}}], current-context: x}\n",
            cluster, user);
    fclose(out);
    code = kube_config_load(&w->arena, slice_of(w->path), SLICE(""), &config, &w->error.err);
    if (code != OK)
        return code;
    assert_int_equal(kube_rest_open(&config, NULL, &rest, NULL), OK);
    code = kube_get(kube_rest_kube(rest), &w->arena, (KubeRef){KUBE_POD, SLICE("ns"), SLICE("p")}, &object, &w->error);
    kube_rest_close(rest);
    return code;
}

// Neither tokens, passwords and keys nor their base64 forms.
static void assert_no_secret(World *w) {
    Slice key = w->client.key_pem;
    const char *const secrets[] = {TOKEN, PROXY_PASSWORD, "PRIVATE KEY", "BEGIN ",
                                   encoded(w, slice_first(slice_from(key, 30), 30))};
    Slice line = slice_first(slice_from(key, (size_t)slice_find(key, '\n') + 1), 40);

    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        if (strstr(w->error.err.text, secrets[i]))
            fail_msg("\"%s\" says \"%s\"", w->error.err.text, secrets[i]);
    }
    assert_false(slice_contains(slice_of(w->error.err.text), line));
    assert_false(slice_contains(slice_of(w->error.err.text), slice_first(base64_encode(&w->arena, key), 40)));
}

static void assert_said(World *w, const char *text) {
    if (!strstr(w->error.err.text, text))
        fail_msg("expected a text with \"%s\", got \"%s\"", text, w->error.err.text);
    assert_no_secret(w);
}

TEST_F(World, w, a_kubeconfigs_own_certificates_are_used) {
    assert_int_equal(get(w, cluster_of(w, w->authority, ""), user_of(w, w->client)), OK);
    assert_string_equal(w->authorization, "Bearer " TOKEN);
    assert_int_equal(
        get(w, cluster_of(w, w->authority, ", tls-server-name: kubernetes.default.svc"), user_of(w, w->client)), OK);
    assert_int_equal(w->canned.requests, 2);
}

TEST_F(World, w, a_proxy_of_the_kubeconfig_is_gone_through) {
    const char *proxy =
        arena_printf(&w->arena, ", proxy-url: 'http://me:" PROXY_PASSWORD "@127.0.0.1:%d'", w->proxy.port).ptr;

    assert_int_equal(get(w, cluster_of(w, w->authority, proxy), user_of(w, w->client)), OK);
    pthread_mutex_lock(&w->proxy.lock);
    assert_true(slice_starts_with(slice_of(w->proxy.log),
                                  arena_printf(&w->arena, "CONNECT 127.0.0.1:%d HTTP/1.1\r\n", w->front.port)));
    assert_null(strstr(w->proxy.log, TOKEN));
    pthread_mutex_unlock(&w->proxy.lock);
    front_stop(&w->proxy);
    assert_int_equal(get(w, cluster_of(w, w->authority, proxy), user_of(w, w->client)), ERR_IO);
    assert_no_secret(w);
    front_start(&w->proxy);
}

TEST_F(World, w, a_cluster_that_is_another_is_refused) {
    assert_int_equal(get(w, cluster_of(w, w->stranger, ""), user_of(w, w->client)), ERR_IO);
    assert_said(w, "is its authority the one that is configured");
    assert_int_equal(get(w, cluster_of(w, w->authority, ", tls-server-name: another.name"), user_of(w, w->client)),
                     ERR_IO);
    assert_said(w, "and its name that of the URL?");
    assert_int_equal(w->canned.requests, 0);
    assert_string_equal(w->authorization, ""); // the token went nowhere
}

TEST_F(World, w, a_user_without_a_valid_certificate_is_reported) {
    Issued foreign = authority_issue(w->stranger, &w->arena, "client", "DNS:client");

    assert_int_equal(get(w, cluster_of(w, w->authority, ""), "{token: " TOKEN "}"), ERR_IO);
    assert_said(w, "the server wants a client certificate");
    assert_int_equal(get(w, cluster_of(w, w->authority, ""), user_of(w, foreign)), ERR_IO);
    assert_said(w, "the server wants a client certificate");
    assert_int_equal(
        get(w, cluster_of(w, w->authority, ""), user_of(w, (Issued){w->client.certificate_pem, foreign.key_pem})),
        ERR_IO);
    assert_said(w, "do they belong together");
    assert_int_equal(w->canned.requests, 0);
}

TEST_F(World, w, errors_in_kubeconfigs_do_not_show_secrets) {
    static const char *const users[] = {
        "{token: [" TOKEN "]}",
        "{token: {" TOKEN ": 1}}",
        "{token: '" TOKEN " two words'}",
        "{client-key-data: " TOKEN "}",
        "{client-certificate-data: '" TOKEN "!'}",
        "{client-certificate-data: " TOKEN ", client-key-data: " TOKEN "}",
        "{password: [" TOKEN "], username: u}",
        "{token: " TOKEN ", token: " TOKEN "x, ]}",
        "{token: \"" TOKEN "\\q\"}",
        "{token: &a " TOKEN ", username: *b}",
        "{exec: {command: x, apiVersion: v0, env: [{name: 'A=B', value: " TOKEN "}]}}",
        "{exec: {command: x, apiVersion: client.authentication.k8s.io/v1, args: [{a: " TOKEN "}]}}",
    };

    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        assert_true(get(w, cluster_of(w, w->authority, ""), users[i]) != OK);
        assert_true(w->error.err.text[0] != 0);
        assert_no_secret(w);
    }
    assert_true(get(w, cluster_of(w, w->authority, ", proxy-url: 'ftp://me:" PROXY_PASSWORD "@x'"), "{}") != OK);
    assert_said(w, "proxy-url");
    assert_int_equal(w->canned.requests, 0);
}
