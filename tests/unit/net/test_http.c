// The HTTP client against a scripted server: connections, bodies, bounds, timeouts, and messages.
#include "harness/test.h"
#include "net/http.h"
#include "net/support/canned.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    Canned server;
    HttpClient *client;
    HttpReply reply;
    Err err;
    char url[256];
} World;

static World *world(bool (*answer)(Canned *, const CannedRequest *, int), const HttpOptions *options) {
    World *w = calloc(1, sizeof *w);

    w->server.answer = answer;
    canned_start(&w->server);
    assert_int_equal(http_client_new(options ? options : &(HttpOptions){0}, &w->client, &w->err), OK);
    return w;
}

static void world_end(World *w) {
    http_client_free(w->client);
    canned_stop(&w->server);
    http_reply_free(&w->reply);
    free(w);
}

// Gives no answer until the test is over.
static bool hang(Canned *server, const CannedRequest *request, int fd) {
    (void)request, (void)fd;
    for (;;) {
        bool stopping;

        pthread_mutex_lock(&server->lock);
        stopping = server->stopping;
        pthread_mutex_unlock(&server->lock);
        if (stopping)
            return false;
        usleep(5000);
    }
}

static ErrCode call_with(World *w, const char *path, HttpRequest request) {
    ErrCode code;

    snprintf(w->url, sizeof w->url, "%s%s", w->server.url, path);
    request.method = request.method ? request.method : "GET";
    request.url = slice_of(w->url);
    code = http_call(w->client, &request, &w->reply, &w->err);
    if (w->server.answer != hang)
        canned_settle(&w->server);
    return code;
}

static void assert_body(World *w, const char *expected) {
    if (!slice_eq_text(buffer_slice(&w->reply.body), expected))
        fail_msg("expected \"%s\", got \"%.*s\"", expected, SLICE_ARG(buffer_slice(&w->reply.body)));
}

// Responds with the request.
static bool echo(Canned *server, const CannedRequest *request, int fd) {
    char text[512];

    (void)server;
    snprintf(text, sizeof text, "%.*s|%.*s|%.*s", SLICE_ARG(request->line),
             SLICE_ARG(canned_header(request, "Content-Type")), SLICE_ARG(request->body));
    canned_json(fd, 200, text);
    return true;
}

TEST(a_call_gets_its_answer) {
    World *w = world(echo, NULL);

    assert_int_equal(call_with(w, "/a?b=c", (HttpRequest){0}), OK);
    assert_int_equal(w->reply.status, 200);
    assert_true(w->reply.is_json);
    assert_body(w, "GET /a?b=c HTTP/1.1||");
    world_end(w);
}

TEST(every_method_sends_its_body) {
    static const char *const methods[] = {"POST", "PUT", "PATCH", "DELETE"};
    const HttpHeader header = {SLICE("Content-Type"), SLICE("text/x")};
    World *w = world(echo, NULL);
    char expected[64];

    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(call_with(w, "/",
                                   (HttpRequest){.method = methods[i],
                                                 .headers = &header,
                                                 .header_count = 1,
                                                 .has_body = true,
                                                 .body = SLICE("{\"a\":1}")}),
                         OK);
        snprintf(expected, sizeof expected, "%s / HTTP/1.1|text/x|{\"a\":1}", methods[i]);
        assert_body(w, expected);
    }
    assert_int_equal(call_with(w, "/", (HttpRequest){.method = "DELETE"}), OK);
    assert_body(w, "DELETE / HTTP/1.1||");
    world_end(w);
}

TEST(calls_one_after_the_other_share_a_connection) {
    World *w = world(echo, NULL);

    for (int i = 0; i < 20; i++)
        assert_int_equal(call_with(w, "/", (HttpRequest){0}), OK);
    assert_int_equal(canned_requests(&w->server), 20);
    assert_int_equal(w->server.connections, 1);
    world_end(w);
}

// Answers the first request of each connection, and hangs up when the second has come in whole.
static bool hang_up_on_second(Canned *server, const CannedRequest *request, int fd) {
    (void)server;
    if (request->number == 1)
        return false;
    canned_json(fd, 200, "{}");
    return true;
}

TEST(a_get_that_meets_a_dead_connection_is_done_on_another) {
    World *w = world(hang_up_on_second, NULL);

    assert_int_equal(call_with(w, "/", (HttpRequest){0}), OK);
    assert_int_equal(call_with(w, "/", (HttpRequest){0}), OK);
    assert_int_equal(canned_requests(&w->server), 3);
    world_end(w);
}

TEST(a_write_is_never_sent_twice) {
    World *w = world(hang_up_on_second, NULL);

    assert_int_equal(call_with(w, "/", (HttpRequest){0}), OK);
    assert_int_equal(call_with(w, "/", (HttpRequest){.method = "POST", .has_body = true, .body = SLICE("{}")}), ERR_IO);
    assert_int_equal(canned_requests(&w->server), 2);
    assert_int_equal(call_with(w, "/", (HttpRequest){.method = "POST", .has_body = true, .body = SLICE("{}")}), OK);
    world_end(w);
}

TEST(no_answer_in_time_is_a_timeout) {
    World *w = world(hang, NULL);

    assert_int_equal(call_with(w, "/slow?token=secret", (HttpRequest){.timeout_ns = NS_PER_S / 10}), ERR_TIMEOUT);
    assert_non_null(strstr(w->err.text, "/slow"));
    assert_null(strstr(w->err.text, "secret"));
    world_end(w);
}

// A call on a thread of its own.
typedef struct {
    World *world;
    HttpRequest request;
    ErrCode code;
    pthread_t thread;
} Call;

static void *make_call(void *context) {
    Call *call = context;
    HttpReply reply = {0};

    call->code = http_call(call->world->client, &call->request, &reply, NULL);
    http_reply_free(&reply);
    return NULL;
}

static void *stop_soon(void *stop) {
    usleep(50000);
    http_stop(stop);
    return NULL;
}

TEST(a_call_is_stopped_from_another_thread) {
    World *w = world(hang, NULL);
    HttpStop *stop = http_stop_new();
    pthread_t thread;

    pthread_create(&thread, NULL, stop_soon, stop);
    assert_int_equal(call_with(w, "/", (HttpRequest){.stop = stop}), ERR_IO);
    assert_non_null(strstr(w->err.text, "stopped"));
    pthread_join(thread, NULL);
    assert_int_equal(call_with(w, "/", (HttpRequest){.stop = stop}), ERR_IO); // and each later one
    http_stop_free(stop);
    world_end(w);
}

static void *end_soon(void *client) {
    usleep(50000);
    http_client_end_within(client, 50000000);
    return NULL;
}

// The running call and the one that waits for its turn both end.
TEST(a_client_that_is_over_ends_its_calls_and_begins_none) {
    World *w = world(hang, &(HttpOptions){.calls_max = 1});
    HttpRequest request = {.method = "GET", .url = slice_of(w->server.url)};
    HttpReply reply = {0};
    pthread_t ender;
    Call second = {.world = w, .request = request};

    pthread_create(&second.thread, NULL, make_call, &second);
    pthread_create(&ender, NULL, end_soon, w->client);
    assert_int_equal(http_call(w->client, &request, &reply, &w->err), ERR_IO);
    assert_non_null(strstr(w->err.text, ": stopped"));
    pthread_join(second.thread, NULL);
    pthread_join(ender, NULL);
    assert_int_equal(second.code, ERR_IO);
    assert_true(http_client_is_over(w->client));
    assert_false(http_client_rest(w->client, NS_PER_S));
    assert_int_equal(http_call(w->client, &request, &reply, &w->err), ERR_IO);
    http_client_end_within(w->client, INT64_MAX);
    assert_true(http_client_rest(w->client, NS_PER_S / 100));
    request.timeout_ns = NS_PER_S / 10;
    assert_int_equal(http_call(w->client, &request, &reply, &w->err), ERR_TIMEOUT); // it is retried
    http_reply_free(&reply);
    world_end(w);
}

// Responds after libcurl's timers of a new connection (one second) are over, which would wake the call too.
static bool begin_late_and_hang(Canned *server, const CannedRequest *request, int fd) {
    usleep(1200000);
    canned_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nfirst");
    return hang(server, request, fd);
}

static bool stop_when_told(void *stop, Slice bytes) {
    (void)bytes;
    http_stop(stop);
    return true;
}

// The worst case: data is being read, and the minimum rate does not apply yet.
TEST(a_stream_with_a_pace_is_stopped_while_it_reads) {
    World *w = world(begin_late_and_hang, &(HttpOptions){.connect_timeout_ns = NS_PER_S});
    HttpStop *stop = http_stop_new();
    HttpRequest request = {
        .method = "GET", .stop = stop, .sink = {stop_when_told, stop}, .is_stream = true, .pace_ms = 1};

    request.url = slice_of(w->server.url);
    assert_int_equal(http_call(w->client, &request, &w->reply, &w->err), ERR_IO);
    assert_non_null(strstr(w->err.text, "stopped"));
    http_stop_free(stop);
    world_end(w);
}

static bool say_much(Canned *server, const CannedRequest *request, int fd) {
    char text[40000];

    (void)server, (void)request;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    canned_json(fd, 200, text);
    return true;
}

TEST(replies_that_are_held_share_a_bound) {
    MemoryBudget budget = {.max = 100000};
    World *w = world(say_much, &(HttpOptions){.budget = &budget});
    HttpReply second = {0};
    HttpRequest request = {.method = "GET", .url = slice_of(w->server.url)};

    assert_int_equal(call_with(w, "/", (HttpRequest){0}), OK);
    assert_int_equal(http_call(w->client, &request, &second, &w->err), ERR_TOO_LARGE);
    assert_non_null(strstr(w->err.text, "the answers under way are together larger"));
    http_reply_free(&second);
    http_reply_free(&w->reply);
    assert_int_equal(atomic_load(&budget.used), 0);
    assert_int_equal(http_call(w->client, &request, &second, &w->err), OK);
    canned_settle(&w->server);
    http_reply_free(&second);
    world_end(w);
}

static bool refuse(Canned *server, const CannedRequest *request, int fd) {
    (void)server, (void)request;
    canned_say(fd,
               "HTTP/1.1 429 Too Many\r\nRetry-After: 7\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nlater");
    return true;
}

TEST(a_refusal_is_an_answer) {
    World *w = world(refuse, NULL);

    assert_int_equal(call_with(w, "/", (HttpRequest){.reply_bytes_max = 3}), OK);
    assert_int_equal(w->reply.status, 429);
    assert_int_equal(w->reply.retry_after_ns, 7 * NS_PER_S);
    assert_false(w->reply.is_json);
    assert_body(w, "lat"); // cut, not refused
    world_end(w);
}

static bool answer_with_headers(Canned *server, const CannedRequest *request, int fd) {
    (void)server, (void)request;
    canned_say(fd, "HTTP/1.1 100 Continue\r\nX-Early: no\r\n\r\nHTTP/1.1 200 OK\r\nX-A: one\r\nx-empty:\r\n"
                   "X-A:  two \r\nContent-Length: 0\r\n\r\n");
    return true;
}

static void assert_header(const HttpHeader *header, const char *name, const char *value) {
    assert_true(slice_eq_text(header->name, name));
    assert_true(slice_eq_text(header->value, value));
}

TEST(the_answers_headers_are_kept_for_who_wants_them) {
    World *w = world(answer_with_headers, NULL);
    Arena arena = {0};
    HttpHeader *headers;

    assert_int_equal(call_with(w, "/", (HttpRequest){.keeps_headers = true}), OK);
    assert_int_equal(http_reply_headers(&arena, &w->reply, &headers), 4);
    assert_header(&headers[0], "X-A", "one");
    assert_header(&headers[1], "x-empty", "");
    assert_header(&headers[2], "X-A", "two");
    assert_int_equal(call_with(w, "/", (HttpRequest){0}), OK);
    assert_int_equal(http_reply_headers(&arena, &w->reply, &headers), 0);
    arena_free(&arena);
    world_end(w);
}

static bool answer_with_many_headers(Canned *server, const CannedRequest *request, int fd) {
    (void)server, (void)request;
    canned_say(fd, "HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 1000; i++)
        canned_say(fd, "X-Header-Of-Some-Length: with a value of some length\r\n");
    canned_say(fd, "Content-Length: 0\r\n\r\n");
    return true;
}

TEST(of_very_many_headers_the_first_are_kept) {
    World *w = world(answer_with_many_headers, NULL);
    Arena arena = {0};
    HttpHeader *headers;

    assert_int_equal(call_with(w, "/", (HttpRequest){.keeps_headers = true}), OK);
    assert_in_range(http_reply_headers(&arena, &w->reply, &headers), 100, 400);
    assert_in_range(w->reply.head.len, 15 << 10, 16 << 10);
    arena_free(&arena);
    world_end(w);
}

TEST(an_answer_over_its_bound_is_refused) {
    World *w = world(echo, NULL);

    assert_int_equal(call_with(w, "/0123456789", (HttpRequest){.reply_bytes_max = 10}), ERR_TOO_LARGE);
    assert_int_equal(call_with(w, "/", (HttpRequest){.reply_bytes_max = 100}), OK); // the next is not harmed
    world_end(w);
}

// "hello" by gzip.
static bool gzipped(Canned *server, const CannedRequest *request, int fd) {
    static const unsigned char bytes[] = {0x1f, 0x8b, 8, 0, 0,    0,    0,    0,    2, 3, 0xcb, 0x48, 0xcd,
                                          0xc9, 0xc9, 7, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0,    0};

    (void)server;
    if (!slice_contains(canned_header(request, "Accept-Encoding"), SLICE("gzip"))) {
        canned_json(fd, 200, "plain");
        return true;
    }
    canned_say(fd, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n\r\n");
    return write(fd, bytes, sizeof bytes) == sizeof bytes;
}

TEST(gzip_is_unpacked_and_can_be_declined) {
    World *w = world(gzipped, NULL);

    assert_int_equal(call_with(w, "/", (HttpRequest){0}), OK);
    assert_body(w, "hello");
    world_end(w);
    w = world(gzipped, &(HttpOptions){.no_gzip = true});
    assert_int_equal(call_with(w, "/", (HttpRequest){0}), OK);
    assert_body(w, "plain");
    world_end(w);
}

static bool take_some(void *context, Slice bytes) {
    *(size_t *)context += bytes.len;
    return *(size_t *)context < 10;
}

static bool endless(Canned *server, const CannedRequest *request, int fd) {
    (void)server, (void)request;
    canned_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n0123456789");
    return true;
}

TEST(a_sink_ends_the_call_when_it_has_enough) {
    World *w = world(endless, NULL);
    size_t taken = 0;

    assert_int_equal(call_with(w, "/", (HttpRequest){.sink = {take_some, &taken}}), OK);
    assert_true(w->reply.ended_early);
    assert_int_equal(taken, 10);
    assert_int_equal(w->reply.body.len, 0);
    world_end(w);
}

static bool cut_off(Canned *server, const CannedRequest *request, int fd) {
    (void)server, (void)request;
    canned_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    return false;
}

TEST(a_cut_answer_is_no_answer) {
    World *w = world(cut_off, NULL);

    assert_int_equal(call_with(w, "/", (HttpRequest){0}), ERR_IO);
    world_end(w);
}

TEST(a_refused_connection_is_an_error_with_the_address) {
    World *w = world(echo, NULL);
    char gone[64];

    canned_stop(&w->server);
    snprintf(gone, sizeof gone, "127.0.0.1:%d", w->server.port);
    assert_int_equal(call_with(w, "/", (HttpRequest){0}), ERR_IO);
    assert_non_null(strstr(w->err.text, gone));
    canned_start(&w->server);
    world_end(w);
}

TEST(loopback_never_goes_through_a_proxy_of_the_environment) {
    World *w;

    setenv("http_proxy", "http://127.0.0.1:1", 1);
    w = world(echo, NULL);
    assert_int_equal(call_with(w, "/", (HttpRequest){0}), OK);
    world_end(w);
    unsetenv("http_proxy");
}

// Whatever is at that address, if anything.
static void try_url(World *w, const char *url) {
    const HttpRequest request = {.method = "GET", .url = slice_of(url), .timeout_ns = 100 * NS_PER_MS};

    (void)http_call(w->client, &request, &w->reply, &w->err);
}

TEST(link_local_addresses_never_go_through_a_proxy_of_the_environment) {
    World *w = world(echo, NULL); // the proxy
    char proxy[64];

    snprintf(proxy, sizeof proxy, "http://127.0.0.1:%d", w->server.port);
    setenv("http_proxy", proxy, 1);
    try_url(w, "http://169.254.1.1:9/");
    try_url(w, "http://[fe80::1]:9/");
    try_url(w, "http://[fd00:ec2::23]:9/");
    assert_int_equal(canned_requests(&w->server), 0);
    try_url(w, "http://169.253.1.1:9/");
    try_url(w, "http://169.254.1.1.example.invalid:9/");
    try_url(w, "http://[fd00:ec3::23]:9/");
    assert_int_equal(canned_requests(&w->server), 3);
    unsetenv("http_proxy");
    world_end(w);
}

TEST(a_configured_proxy_is_asked_for_all) {
    World *proxy = world(echo, NULL), *w;
    char url[96];

    snprintf(url, sizeof url, "http://user:secret@127.0.0.1:%d", proxy->server.port);
    w = world(echo, &(HttpOptions){.proxy_url = slice_of(url)});
    assert_int_equal(call_with(w, "/x", (HttpRequest){0}), OK);
    assert_true(slice_starts_with(buffer_slice(&w->reply.body), SLICE("GET http://127.0.0.1:")));
    assert_int_equal(canned_requests(&w->server), 0);
    assert_int_equal(canned_requests(&proxy->server), 1);
    canned_stop(&proxy->server);
    assert_int_equal(call_with(w, "/x", (HttpRequest){0}), ERR_IO);
    assert_null(strstr(w->err.text, "secret"));
    canned_start(&proxy->server);
    world_end(w);
    world_end(proxy);
}

TEST(what_is_no_url_is_said_without_it) {
    World *w = world(echo, NULL);
    HttpRequest request = {.method = "GET", .url = SLICE("ht tp://user:secret@host")};

    assert_int_equal(http_call(w->client, &request, &w->reply, &w->err), ERR_INVALID);
    assert_null(strstr(w->err.text, "secret"));
    request.url = SLICE("file:///etc/passwd");
    assert_true(http_call(w->client, &request, &w->reply, &w->err) != OK);
    world_end(w);
}

static void *call_many(void *context) {
    World *w = context;
    HttpReply reply = {0};
    char url[96];

    snprintf(url, sizeof url, "%s/", w->server.url);
    for (int i = 0; i < 50; i++) {
        HttpRequest request = {.method = "GET", .url = slice_of(url)};

        if (http_call(w->client, &request, &reply, NULL) != OK || reply.status != 200)
            return w;
    }
    http_reply_free(&reply);
    return NULL;
}

TEST(many_threads_call_at_once) {
    World *w = world(echo, &(HttpOptions){.idle_max = 2});
    pthread_t threads[8];
    void *failed;

    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, call_many, w);
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(canned_requests(&w->server), 400);
    world_end(w);
}

// The number of responses at the same time.
typedef struct {
    pthread_mutex_t lock;
    unsigned now, most;
} Crowd;

static bool answer_slowly(Canned *server, const CannedRequest *request, int fd) {
    Crowd *crowd = server->context;

    (void)request;
    pthread_mutex_lock(&crowd->lock);
    crowd->now++;
    crowd->most = crowd->now > crowd->most ? crowd->now : crowd->most;
    pthread_mutex_unlock(&crowd->lock);
    usleep(2000);
    pthread_mutex_lock(&crowd->lock);
    crowd->now--;
    pthread_mutex_unlock(&crowd->lock);
    canned_json(fd, 200, "{}");
    return true;
}

TEST(calls_at_once_have_a_bound) {
    World *w = world(answer_slowly, &(HttpOptions){.calls_max = 3});
    Crowd crowd = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[12];
    void *failed;

    w->server.context = &crowd;
    for (int i = 0; i < 12; i++)
        pthread_create(&threads[i], NULL, call_many, w);
    for (int i = 0; i < 12; i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    canned_settle(&w->server);
    assert_int_equal(w->server.requests, 600);
    assert_in_range(crowd.most, 1, 3);
    assert_true(w->server.connections <= 3); // and they were kept
    world_end(w);
}

static void *call_and_hang(void *context) {
    World *w = context;
    HttpReply reply = {0};
    char url[96];

    snprintf(url, sizeof url, "%s/hang", w->server.url);
    http_call(w->client, &(HttpRequest){.method = "GET", .url = slice_of(url)}, &reply, NULL);
    http_reply_free(&reply);
    return NULL;
}

static bool hang_there(Canned *server, const CannedRequest *request, int fd) {
    return slice_contains(request->line, SLICE("/hang")) ? hang(server, request, fd) : echo(server, request, fd);
}

TEST(a_call_without_a_free_slot_times_out_and_streams_need_none) {
    World *w = world(hang_there, &(HttpOptions){.calls_max = 1});
    pthread_t thread;
    unsigned requests = 0;
    HttpReply reply = {0};
    HttpRequest request = {.method = "GET", .timeout_ns = NS_PER_S / 20};
    char url[96];

    pthread_create(&thread, NULL, call_and_hang, w);
    while (!requests) {
        usleep(1000);
        pthread_mutex_lock(&w->server.lock);
        requests = w->server.requests;
        pthread_mutex_unlock(&w->server.lock);
    }
    snprintf(url, sizeof url, "%s/a", w->server.url);
    request.url = slice_of(url);
    assert_int_equal(http_call(w->client, &request, &reply, &w->err), ERR_TIMEOUT);
    assert_non_null(strstr(w->err.text, "no turn"));
    request.is_stream = true;
    request.timeout_ns = 0;
    assert_int_equal(http_call(w->client, &request, &reply, &w->err), OK);
    http_reply_free(&reply);
    canned_stop(&w->server);
    pthread_join(thread, NULL);
    w->server.stopping = false;
    canned_start(&w->server);
    world_end(w);
}

// The server closes the connection after each answer, as a server that is restarted does.
static bool answer_and_close(Canned *server, const CannedRequest *request, int fd) {
    echo(server, request, fd);
    return false;
}

TEST(a_write_on_a_connection_that_has_ended_takes_another) {
    World *w = world(answer_and_close, NULL);

    for (unsigned i = 1; i <= 5; i++) {
        assert_int_equal(call_with(w, "/", (HttpRequest){.method = "POST", .has_body = true, .body = SLICE("{}")}), OK);
        for (unsigned running = 1; running; usleep(1000)) {
            pthread_mutex_lock(&w->server.lock);
            running = w->server.running;
            pthread_mutex_unlock(&w->server.lock);
        }
        assert_int_equal(w->server.requests, i);
    }
    world_end(w);
}

TEST(urls_are_built_with_what_needs_it_encoded) {
    Buffer url = {0};

    url_add_segment(&url, SLICE("a/b c"));
    url_add_query(&url, "x", SLICE("app=web,tier in (a)"));
    url_add_query(&url, "none", SLICE(""));
    url_add_query(&url, "y", SLICE("\xc3\xa9~"));
    assert_true(slice_eq_text(buffer_slice(&url), "/a%2Fb%20c?x=app%3Dweb%2Ctier%20in%20%28a%29&y=%C3%A9~"));
    buffer_free(&url);
}
