// The server with TLS and bodies, as webhooks need it: several requests at a time, bounded, another certificate while
// it runs.
#include "net/certificate.h"
#include "net/server.h"
#include "net/support/authority.h"

#include "harness/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BODY_MAX = 1 << 16, THREADS = 2 };

typedef struct {
    Arena arena;
    Authority *authority;
    Server *server;
    SSL_CTX *context;
    pthread_mutex_t lock;
    pthread_cond_t met;
    int inside; // calls of /meet that wait for each other
    char reply[8192];
} World;

static void answer_echo(void *self, const ServerRequest *request, ServerReply *reply) {
    (void)self;
    buffer_printf(&reply->body, "%zu bytes", server_body(request).len);
}

// Answers when two requests are there at once.
static void answer_meet(void *self, const ServerRequest *request, ServerReply *reply) {
    World *world = self;

    (void)request;
    pthread_mutex_lock(&world->lock);
    world->inside++;
    pthread_cond_broadcast(&world->met);
    while (world->inside < 2)
        pthread_cond_wait(&world->met, &world->lock);
    pthread_mutex_unlock(&world->lock);
    buffer_append(&reply->body, SLICE("met"));
}

static Issued issue(World *world, const char *name) {
    return authority_issue(world->authority, &world->arena, name, "DNS:localhost");
}

static World *setup(void) {
    World *world = calloc(1, sizeof *world);
    ServerRoute routes[] = {{"/echo", answer_echo, world}, {"/meet", answer_meet, world}};
    Issued issued;
    ServerIdentity identity;
    Err err;

    pthread_mutex_init(&world->lock, NULL);
    pthread_cond_init(&world->met, NULL);
    world->authority = authority_new("tests");
    issued = issue(world, "first");
    identity = (ServerIdentity){issued.certificate_pem, issued.key_pem};
    if (server_start_with(routes, 2, &(ServerPlace){SLICE("127.0.0.1"), 0},
                          &(ServerOptions){.threads = THREADS, .body_max = BODY_MAX, .identity = &identity},
                          &world->server, &err) != OK)
        fail_msg("%s", err.text);
    world->context = SSL_CTX_new(TLS_client_method());
    return world;
}

static void teardown(World *world) {
    server_stop(world->server);
    SSL_CTX_free(world->context);
    authority_free(world->authority);
    arena_free(&world->arena);
    pthread_cond_destroy(&world->met);
    pthread_mutex_destroy(&world->lock);
    free(world);
}

FIXTURE(World, setup, teardown);

typedef struct {
    int fd;
    SSL *ssl;
} Client;

static int connected(const World *world) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(server_port(world->server)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static Client client_open(const World *world) {
    Client client = {connected(world), SSL_new(world->context)};

    SSL_set_fd(client.ssl, client.fd);
    assert_int_equal(SSL_connect(client.ssl), 1);
    return client;
}

static void client_close(Client *client) {
    SSL_free(client->ssl);
    close(client->fd);
}

static void client_name(const Client *client, char name[64]) {
    X509 *certificate = SSL_get1_peer_certificate(client->ssl);

    assert_non_null(certificate);
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, 64);
    X509_free(certificate);
}

static void client_write(Client *client, const char *bytes, size_t len) {
    while (len) {
        int sent = SSL_write(client->ssl, bytes, len > 16384 ? 16384 : (int)len);

        if (sent <= 0)
            return;
        bytes += sent;
        len -= (size_t)sent;
    }
}

static void client_write_text(Client *client, const char *text) {
    client_write(client, text, strlen(text));
}

static void client_post(Client *client, const char *path, size_t body_len, const char *headers) {
    char *text = calloc(1, body_len + 512);
    int head =
        snprintf(text, 512, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n%s\r\n", path, body_len, headers);

    memset(text + head, 'x', body_len);
    client_write(client, text, (size_t)head + body_len);
    free(text);
}

#define CLOSE "Connection: close\r\n"

// The answer until the server closes.
static const char *client_read(World *world, Client *client) {
    size_t len = 0;
    int got;

    while ((got = SSL_read(client->ssl, world->reply + len, (int)(sizeof world->reply - 1 - len))) > 0)
        len += (size_t)got;
    world->reply[len] = '\0';
    return world->reply;
}

static const char *post(World *world, const char *path, size_t body_len) {
    Client client = client_open(world);

    client_post(&client, path, body_len, CLOSE);
    client_read(world, &client);
    client_close(&client);
    return world->reply;
}

static void assert_in(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("no \"%s\" in\n%s", part, text);
}

TEST_F(World, world, a_body_is_taken_up_to_its_bound) {
    char expected[64];

    snprintf(expected, sizeof expected, "\r\n\r\n%d bytes", (int)BODY_MAX);
    assert_in(post(world, "/echo", 0), "\r\n\r\n0 bytes");
    assert_in(post(world, "/echo", BODY_MAX), expected);
    assert_in(post(world, "/echo", BODY_MAX + 1), "HTTP/1.1 413 ");
    assert_in(post(world, "/echo", 3 * BODY_MAX), "413 the body is too large\n");
}

TEST_F(World, world, a_body_in_pieces_is_bounded_too) {
    Client client = client_open(world);
    char piece[4096 + 8];

    client_write_text(&client,
                      "POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n");
    memcpy(piece, "1000\r\n", 6);
    memset(piece + 6, 'x', 4096);
    memcpy(piece + 6 + 4096, "\r\n", 2);
    for (int i = 0; i < BODY_MAX / 4096 + 1; i++)
        client_write(&client, piece, sizeof piece);
    client_write_text(&client, "0\r\n\r\n");
    assert_in(client_read(world, &client), "HTTP/1.1 413 ");
    client_close(&client);
}

TEST_F(World, world, what_is_refused_is_refused_with_its_body) {
    Client client = client_open(world);

    assert_in(post(world, "/other", 9), "HTTP/1.1 404 ");
    client_write_text(&client, "GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    client_read(world, &client);
    assert_in(world->reply, "HTTP/1.1 405 ");
    assert_in(world->reply, "Allow: POST\r\n");
    client_close(&client);
}

// Each waits for the other, so one at a time would never end.
TEST_F(World, world, two_requests_are_answered_at_once) {
    Client one = client_open(world), other = client_open(world);

    client_post(&one, "/meet", 1, CLOSE);
    client_post(&other, "/meet", 1, CLOSE);
    assert_in(client_read(world, &one), "\r\n\r\nmet");
    assert_in(client_read(world, &other), "\r\n\r\nmet");
    client_close(&one);
    client_close(&other);
}

// Clients that have begun a handshake, headers or a body hold nobody up, though there are more of them than threads.
TEST_F(World, world, slow_clients_hold_nobody_up) {
    Client head = client_open(world), body = client_open(world);
    int silent[3 * THREADS];

    for (int i = 0; i < 3 * THREADS; i++) {
        silent[i] = connected(world);
        assert_int_equal(send(silent[i], "\x16\x03\x01", 3, MSG_NOSIGNAL), 3);
    }
    client_write_text(&head, "POST /echo HTTP/1.1\r\n");
    client_write_text(&body, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx");
    for (int i = 0; i < 2 * THREADS; i++)
        assert_in(post(world, "/echo", 5), "\r\n\r\n5 bytes");
    for (int i = 0; i < 3 * THREADS; i++)
        close(silent[i]);
    client_close(&head);
    client_close(&body);
}

static void renew(World *world, const char *name) {
    Issued issued = issue(world, name);
    Err err;

    if (server_renew(world->server, &(ServerIdentity){issued.certificate_pem, issued.key_pem}, &err) != OK)
        fail_msg("%s", err.text);
}

static void assert_name(const World *world, const char *expected) {
    Client client = client_open(world);
    char name[64];

    client_name(&client, name);
    assert_string_equal(name, expected);
    client_close(&client);
}

// A connection from before is answered, and told to close; new ones get the new certificate.
TEST_F(World, world, a_certificate_is_replaced_while_serving) {
    Client client = client_open(world);

    assert_name(world, "first");
    renew(world, "second");
    assert_name(world, "second");
    client_post(&client, "/echo", 4, "");
    assert_in(client_read(world, &client), "4 bytes");
    assert_in(world->reply, "Connection: close\r\n");
    client_close(&client);
    renew(world, "third");
    assert_name(world, "third");
    assert_in(post(world, "/echo", 3), "3 bytes");
}

TEST_F(World, world, a_certificate_that_is_none_changes_nothing) {
    Issued other = issue(world, "other"), key = issue(world, "another");
    Err err;

    assert_int_equal(server_renew(world->server, &(ServerIdentity){SLICE("none"), SLICE("none")}, &err), ERR_IO);
    assert_int_equal(server_renew(world->server, &(ServerIdentity){other.certificate_pem, key.key_pem}, &err), ERR_IO);
    assert_in(err.text, "the certificate and the key do not fit");
    assert_name(world, "first");
}

TEST_F(World, world, old_versions_of_tls_are_refused) {
    SSL *ssl = SSL_new(world->context);
    int fd = connected(world);

    SSL_set_max_proto_version(ssl, TLS1_1_VERSION);
    SSL_set_security_level(ssl, 0);
    SSL_set_fd(ssl, fd);
    assert_int_not_equal(SSL_connect(ssl), 1);
    SSL_free(ssl);
    close(fd);
}

TEST_F(World, world, plain_http_gets_no_answer) {
    int fd = connected(world);
    char bytes[64];
    ssize_t got;

    assert_int_equal(send(fd, "POST /echo HTTP/1.1\r\n\r\n", 23, MSG_NOSIGNAL), 23);
    got = recv(fd, bytes, sizeof bytes, 0);
    assert_true(got <= 0 || memmem(bytes, (size_t)got, "HTTP", 4) == NULL);
    close(fd);
}
