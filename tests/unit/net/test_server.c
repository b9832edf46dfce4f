// The HTTP server: its routes and nothing else, bounded, on a port of its own.
#include "harness/test.h"
#include "net/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void answer_hello(void *self, const ServerRequest *request, ServerReply *reply) {
    Slice name = server_query(request, "name");

    ++*(int *)self;
    reply->content_type = "text/x-greeting";
    buffer_printf(&reply->body, "hello %.*s at %.*s", SLICE_ARG(name), SLICE_ARG(server_path(request)));
}

static void answer_broken(void *self, const ServerRequest *request, ServerReply *reply) {
    (void)self, (void)request;
    reply->status = 500;
}

typedef struct {
    Server *server;
    int calls;
    char reply[8192];
} World;

static const ServerPlace LOOPBACK = {{"127.0.0.1", 9}, 0};

static World *setup(void) {
    World *world = calloc(1, sizeof *world);
    ServerRoute routes[] = {{"/hello", answer_hello, &world->calls},
                            {"/below/", answer_hello, &world->calls},
                            {"/broken", answer_broken, NULL}};
    Err err;

    if (server_start(routes, 3, &LOOPBACK, &world->server, &err) != OK)
        fail_msg("%s", err.text);
    return world;
}

static void teardown(World *world) {
    server_stop(world->server);
    free(world);
}

FIXTURE(World, setup, teardown);

static int connected(const World *world) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(server_port(world->server)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

// The response to these bytes until the server closes the connection.
static const char *ask(World *world, const char *request) {
    int fd = connected(world);
    size_t len = 0;
    ssize_t got;

    (void)!send(fd, request, strlen(request), MSG_NOSIGNAL);
    while ((got = recv(fd, world->reply + len, sizeof world->reply - 1 - len, 0)) > 0)
        len += (size_t)got;
    world->reply[len] = '\0';
    close(fd);
    return world->reply;
}

#define REQUEST(method, path) method " " path " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

static void assert_in(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("no \"%s\" in\n%s", part, text);
}

TEST_F(World, world, a_route_answers) {
    const char *reply = ask(world, REQUEST("GET", "/hello?name=a%20b&other"));

    assert_in(reply, "HTTP/1.1 200 OK\r\n");
    assert_in(reply, "Content-Type: text/x-greeting\r\n");
    assert_in(reply, "\r\n\r\nhello a b at /hello");
}

TEST_F(World, world, a_folder_answers_for_what_is_below) {
    assert_in(ask(world, REQUEST("GET", "/below/a/b")), "hello  at /below/a/b");
    assert_in(ask(world, REQUEST("GET", "/below")), "HTTP/1.1 404 ");
    assert_in(ask(world, REQUEST("GET", "/hello/")), "HTTP/1.1 404 ");
    assert_in(ask(world, REQUEST("GET", "/")), "404 page not found\n");
}

TEST_F(World, world, head_has_no_body) {
    const char *reply = ask(world, REQUEST("HEAD", "/hello"));

    assert_in(reply, "HTTP/1.1 200 OK\r\n");
    assert_in(reply, "Content-Length: 16\r\n");
    assert_true(strlen(reply) >= 4 && strcmp(reply + strlen(reply) - 4, "\r\n\r\n") == 0);
}

TEST_F(World, world, other_methods_are_refused) {
    const char *reply = ask(world, REQUEST("DELETE", "/hello"));

    assert_in(reply, "HTTP/1.1 405 ");
    assert_in(reply, "Allow: GET, HEAD\r\n");
    assert_int_equal(world->calls, 0);
}

TEST_F(World, world, bodies_are_not_read) {
    ask(world, "POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody");
    assert_int_equal(world->calls, 0);
    assert_in(ask(world, REQUEST("GET", "/hello")), "hello");
}

TEST_F(World, world, an_empty_answer_is_one) {
    assert_in(ask(world, REQUEST("GET", "/broken")), "HTTP/1.1 500 ");
}

TEST_F(World, world, what_is_no_http_ends_the_connection_only) {
    char *huge = malloc(200000);

    ask(world, "\r\n\r\nnonsense\r\n\r\n");
    memset(huge, 'a', 199999);
    huge[199999] = '\0';
    memcpy(huge, "GET /", 5);
    ask(world, huge);
    free(huge);
    assert_in(ask(world, REQUEST("GET", "/hello")), "hello");
}

TEST_F(World, world, connections_are_bounded) {
    int fds[SERVER_CONNECTIONS_MAX + 40];
    char byte;

    for (int i = 0; i < SERVER_CONNECTIONS_MAX + 40; i++)
        fds[i] = connected(world);
    for (int i = SERVER_CONNECTIONS_MAX + 1; i < SERVER_CONNECTIONS_MAX + 2; i++)
        assert_true(recv(fds[i], &byte, 1, MSG_DONTWAIT) <= 0);
    for (int i = 0; i < SERVER_CONNECTIONS_MAX + 40; i++)
        close(fds[i]);
    assert_in(ask(world, REQUEST("GET", "/hello")), "hello");
}

TEST_F(World, world, a_port_is_used_once) {
    Server *second = NULL;
    char expected[80];
    Err err;

    const ServerPlace taken = {LOOPBACK.address, server_port(world->server)};

    assert_int_equal(server_start(NULL, 0, &taken, &second, &err), ERR_IO);
    assert_null(second);
    snprintf(expected, sizeof expected, "cannot listen on port %u of 127.0.0.1: Address already in use",
             server_port(world->server));
    assert_string_equal(err.text, expected);
}

TEST(all_addresses_means_both_families) {
    ServerRoute route = {"/broken", answer_broken, NULL};
    Server *server;
    Err err;

    if (server_start(&route, 1, &(ServerPlace){0}, &server, &err) != OK)
        fail_msg("%s", err.text);
    assert_int_not_equal(server_port(server), 0);
    close(connected(&(World){.server = server}));
    server_stop(server);
}

TEST(what_is_no_address_is_refused) {
    static const char *const wrong[] = {"localhost", "127.0.0.1:80", "1.2.3",
                                        "::1::", "a text that is longer than any address of this world ever was"};
    Server *server = NULL;
    Err err;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(server_start(NULL, 0, &(ServerPlace){slice_of(wrong[i]), 0}, &server, &err), ERR_INVALID);
    assert_in(err.text, "expected an address as 127.0.0.1 or ::1, got \"a text");
    assert_null(server);
}

// More silent connections than the server allows.
TEST_F(World, world, the_newcomer_takes_the_place_of_the_idlest) {
    int fds[SERVER_CONNECTIONS_MAX];
    char byte;

    for (int i = 0; i < SERVER_CONNECTIONS_MAX; i++)
        fds[i] = connected(world);
    assert_in(ask(world, REQUEST("GET", "/hello")), "hello");
    assert_true(recv(fds[0], &byte, 1, 0) <= 0); // the oldest was closed
    assert_int_equal(recv(fds[SERVER_CONNECTIONS_MAX - 1], &byte, 1, MSG_DONTWAIT), -1);
    for (int i = 0; i < SERVER_CONNECTIONS_MAX; i++)
        close(fds[i]);
}

TEST_F(World, world, a_head_has_its_time_whatever_trickles_in) {
    int fd = connected(world), seconds = 0;
    char byte;

    while (send(fd, "a", 1, MSG_NOSIGNAL) == 1 && recv(fd, &byte, 1, MSG_DONTWAIT) != 0) {
        sleep(1);
        assert_true(++seconds < SERVER_HEAD_S + 3);
    }
    assert_in_range(seconds, SERVER_HEAD_S - 1, SERVER_HEAD_S + 2);
    close(fd);
}

TEST_F(World, world, a_connection_is_kept_for_more_requests) {
    static const char request[] = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";
    int fd = connected(world);

    for (int i = 0; i < 3; i++) {
        ssize_t got;

        assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
        got = recv(fd, world->reply, sizeof world->reply - 1, 0);
        assert_true(got > 0);
        world->reply[got] = '\0';
        assert_in(world->reply, "HTTP/1.1 200 OK");
        sleep(i == 0 ? SERVER_HEAD_S + 1 : 0); // between requests there is more time than for a head
    }
    close(fd);
}
