// The webhooks of two replicas on one API server: they serve one certificate, answer reviews, and change to another
// certificate one after the other, while both authorities are trusted.
#include "cli/webhook/webhooks.h"

#include "harness/test.h"
#include "legacy/admission/admission.h"
#include "net/base64.h"
#include "sim/api/api.h"
#include "text/value_edit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 120000, STEP_MS = 5 };

typedef struct {
    Arena arena;
    ApiServer *server;
    uint64_t random;
    JsonLog *log;
    Webhooks *replicas[2];
    SSL_CTX *context;
    char reply[8192];
} World;

static int64_t now_ns(void *context) {
    (void)context;
    return 1800000000000000000;
}

static uint64_t next_random(void *context) {
    return ++*(uint64_t *)context * 0x9e3779b97f4a7c15;
}

static void start(World *world, int number) {
    WebhooksConfig config = {.kube = api_kube(world->server),
                             .service = {SLICE("kube-system"), SLICE("karpenter")},
                             .log = world->log,
                             .look_ns = 20000000,
                             .retry_ns = 5000000,
                             .settle_ns = 10000000};
    Err err;

    if (webhooks_start(&config, &world->replicas[number], &err) != OK)
        fail_msg("%s", err.text);
}

static World *setup(void) {
    World *world = calloc(1, sizeof *world);
    Err err;

    world->server = api_new(&(ApiConfig){.sources = {now_ns, next_random, &world->random}});
    if (json_log_open(SLICE("info"), SLICE("/dev/null"), SLICE("/dev/null"), &world->log, &err) != OK)
        fail_msg("%s", err.text);
    world->context = SSL_CTX_new(TLS_client_method());
    start(world, 0);
    start(world, 1);
    return world;
}

static void teardown(World *world) {
    webhooks_stop(world->replicas[0]);
    webhooks_stop(world->replicas[1]);
    api_free(world->server);
    json_log_close(world->log);
    SSL_CTX_free(world->context);
    arena_free(&world->arena);
    free(world);
}

FIXTURE(World, setup, teardown);

static void rest(int *waited_ms) {
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000};

    assert_true((*waited_ms += STEP_MS) < PATIENCE_MS);
    nanosleep(&step, NULL);
}

static SSL *connected(World *world, int number, int *ret_fd) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    SSL *ssl = SSL_new(world->context);

    for (int waited_ms = 0; !webhooks_port(world->replicas[number]);)
        rest(&waited_ms);
    address.sin_port = htons(webhooks_port(world->replicas[number]));
    *ret_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(*ret_fd, (struct sockaddr *)&address, sizeof address), 0);
    SSL_set_fd(ssl, *ret_fd);
    assert_int_equal(SSL_connect(ssl), 1);
    return ssl;
}

static X509 *served(World *world, int number) {
    int fd;
    SSL *ssl = connected(world, number, &fd);
    X509 *certificate = SSL_get1_peer_certificate(ssl);

    SSL_free(ssl);
    close(fd);
    assert_non_null(certificate);
    return certificate;
}

static const char *post(World *world, int number, const char *path, const char *body) {
    int fd, got;
    SSL *ssl = connected(world, number, &fd);
    size_t len = 0;
    Slice text =
        arena_printf(&world->arena, "POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
                     path, strlen(body), body);

    assert_int_equal(SSL_write(ssl, text.ptr, (int)text.len), (int)text.len);
    while ((got = SSL_read(ssl, world->reply + len, (int)(sizeof world->reply - 1 - len))) > 0)
        len += (size_t)got;
    world->reply[len] = '\0';
    SSL_free(ssl);
    close(fd);
    return world->reply;
}

static void assert_in(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("no \"%s\" in\n%s", part, text);
}

#define REVIEW                                                                                                         \
    "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"u\",\"operation\":"   \
    "\"CREATE\",\"kind\":{\"group\":\"karpenter.sh\",\"version\":\"v1alpha5\",\"kind\":\"Provisioner\"},\"object\":"   \
    "{\"metadata\":{\"name\":\"p\"},\"spec\":{}}}}"

TEST_F(World, world, each_path_is_its_webhook) {
    assert_in(post(world, 0, admission_path(ADMISSION_DEFAULT), REVIEW), "\"patchType\":\"JSONPatch\"");
    assert_in(world->reply, "Content-Type: application/json\r\n");
    assert_in(post(world, 1, admission_path(ADMISSION_VALIDATE_CORE), REVIEW), "expected exactly one, got neither");
    assert_in(post(world, 0, admission_path(ADMISSION_VALIDATE_AWS), REVIEW), "\"allowed\":true");
    assert_in(post(world, 0, admission_path(ADMISSION_VALIDATE_CONFIG), REVIEW), "\"allowed\":true");
    assert_in(post(world, 0, "/", REVIEW), "HTTP/1.1 404 ");
    assert_in(post(world, 0, admission_path(ADMISSION_DEFAULT), "{}"), "HTTP/1.1 400 ");
}

static Value secret_of(World *world) {
    Value secret;
    KubeRef ref = {KUBE_SECRET, SLICE("kube-system"), SLICE("karpenter-cert")};

    assert_int_equal(kube_get(api_kube(world->server), &world->arena, ref, &secret, NULL), OK);
    return value_copy(&world->arena, &secret);
}

static Slice authorities(World *world) {
    Value secret = secret_of(world);
    Slice bytes = {0};

    assert_int_equal(base64_decode(&world->arena, value_at(&secret, "data", "ca-cert.pem", NULL)->text, &bytes, NULL),
                     OK);
    return bytes;
}

// Somebody takes the key out of the Secret.
static void spoil(World *world) {
    Value secret = secret_of(world);

    value_remove_text(value_find_text(&secret, "data"), "server-key.pem");
    assert_int_equal(
        kube_update(api_kube(world->server), NULL, SLICE("someone"), KUBE_SECRET, KUBE_OBJECT, &secret, NULL, NULL),
        OK);
}

static void await_another(World *world, int number, X509 *former) {
    bool same = true;

    for (int waited_ms = 0; same;) {
        X509 *now = served(world, number);

        same = X509_cmp(now, former) == 0;
        X509_free(now);
        if (same)
            rest(&waited_ms);
    }
}

TEST_F(World, world, replicas_change_to_another_certificate_together) {
    X509 *first = served(world, 0), *second = served(world, 1), *now, *other;
    Slice before;

    assert_int_equal(X509_cmp(first, second), 0);
    before = authorities(world);
    spoil(world);
    await_another(world, 0, first);
    await_another(world, 1, first);
    now = served(world, 0);
    other = served(world, 1);
    assert_int_equal(X509_cmp(now, other), 0);
    assert_true(slice_ends_with(authorities(world), before));
    X509_free(first);
    X509_free(second);
    X509_free(now);
    X509_free(other);
}

TEST(names_of_the_service_are_bounded) {
    static const char letters[] = "a23456789012345678901234567890123456789012345678901234567890abcd";
    Webhooks *webhooks = NULL;
    Err err;

    assert_int_equal(webhooks_start(&(WebhooksConfig){.service = {SLICE("ns"), SLICE(letters)}}, &webhooks, &err),
                     ERR_INVALID);
    assert_int_equal(webhooks_start(&(WebhooksConfig){.service = {SLICE(""), SLICE("a")}}, &webhooks, &err),
                     ERR_INVALID);
    assert_in(err.text, "--karpenter-service");
}
