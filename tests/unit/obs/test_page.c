// The page and its servers over HTTP, with and without a running engine.
#include "base/time.h"
#include "obs/support/env.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static Moment now_of(void *clock) {
    return env_moment(clock);
}

// An engine's thread: it changes the State all the time, and lets pages in between.
typedef struct {
    TestEnv *env;
    Page *page;
    atomic_bool stopped;
    atomic_uint turns;
} Life;

static void *live(void *context) {
    Life *life = context;

    while (!atomic_load(&life->stopped)) {
        env_put(life->env,
                "{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: p%u, uid: u%u}, spec: {nodeName: n1, "
                "containers: [{name: main}]}, status: {phase: Running}}",
                atomic_load(&life->turns) % 50, atomic_load(&life->turns) % 50);
        page_turn(life->page, life->env->state);
        atomic_fetch_add(&life->turns, 1);
        usleep(200);
    }
    return NULL;
}

static void get(uint16_t port, const char *path, Buffer *reply) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char bytes[4096];
    ssize_t got;
    int len;

    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    len = snprintf(bytes, sizeof bytes, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path);
    assert_int_equal(send(fd, bytes, (size_t)len, MSG_NOSIGNAL), len);
    reply->len = 0;
    while ((got = recv(fd, bytes, sizeof bytes, 0)) > 0)
        buffer_append(reply, (Slice){bytes, (size_t)got});
    close(fd);
}

static bool is_synced(void *self, Buffer *why) {
    if (!*(bool *)self)
        buffer_append(why, SLICE("not every kind was listed yet"));
    return *(bool *)self;
}

static void assert_has(const Buffer *reply, const char *part) {
    if (!slice_contains(buffer_slice(reply), slice_of(part)))
        fail_msg("no \"%s\" in\n%.*s", part, SLICE_ARG(buffer_slice(reply)));
}

TEST(pages_are_made_while_the_engine_goes_on) {
    TestEnv *env = env_new();
    Life life = {.env = env};
    PageConfig config = {env->registry, metrics_observer_pods(env->metrics_observer), NULL, now_of, NULL, env};
    Buffer reply = {0};
    Server *server;
    pthread_t thread;
    Err err;

    life.page = page_new(&config);
    assert_int_equal(page_serve(life.page, &(ServerPlace){SLICE("127.0.0.1"), 0}, false, &server, &err), OK);
    assert_int_equal(pthread_create(&thread, NULL, live, &life), 0);
    while (atomic_load(&life.turns) < 60)
        usleep(1000);
    for (int i = 0; i < 20; i++) {
        get(server_port(server), "/metrics", &reply);
        assert_has(&reply, "HTTP/1.1 200 OK\r\n");
        assert_has(&reply, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
        assert_has(&reply, "\nkarpenter_pods_state{name=\"p7\",namespace=\"shop\"");
        assert_has(&reply, "\nkarpenter_cluster_state_node_count 0\n");
    }
    atomic_store(&life.stopped, true);
    pthread_join(thread, NULL);
    page_close(life.page);
    get(server_port(server), "/metrics", &reply); // at once, though no engine runs
    assert_has(&reply, "HTTP/1.1 200 OK\r\n");
    assert_false(slice_contains(buffer_slice(&reply), SLICE("karpenter_pods_state")));
    server_stop(server);
    page_free(life.page);
    buffer_free(&reply);
    env_free(env);
}

TEST(a_page_without_objects_has_what_was_counted) {
    TestEnv *env = env_new();
    PageConfig config = {env->registry, NULL, NULL, now_of, NULL, env};
    Page *page = page_new(&config);
    Buffer text = {0};

    registry_set(env->registry, METRIC_LEADER, 1, WITH(SLICE("karpenter-leader-election")));
    page_print(page, &text);
    assert_line(buffer_slice(&text), "leader_election_master_status{name=\"karpenter-leader-election\"} 1");
    assert_no_line(buffer_slice(&text), "cluster_state_node_count");
    buffer_free(&text);
    page_free(page);
    env_free(env);
}

static void print_cloud(void *context, Buffer *page) {
    buffer_printf(page, "cloud %s\n", (const char *)context);
}

TEST(a_page_has_what_its_cloud_says_while_it_has_one) {
    TestEnv *env = env_new();
    PageConfig config = {env->registry, NULL, NULL, now_of, NULL, env};
    const PageCloud cloud = {print_cloud, (void *)(uintptr_t) "here"};
    Page *page = page_new(&config);
    Buffer text = {0};

    registry_set(env->registry, METRIC_LEADER, 1, WITH(SLICE("karpenter-leader-election")));
    page_ask(page, &cloud);
    page_print(page, &text);
    assert_line(buffer_slice(&text), "cloud here");
    page_ask(page, NULL);
    text.len = 0;
    page_print(page, &text);
    assert_no_line(buffer_slice(&text), "cloud here");
    buffer_free(&text);
    page_free(page);
    env_free(env);
}

TEST(health_is_a_ping_and_readiness_names_what_is_missing) {
    bool synced = false, crds = true;
    const HealthCheck items[] = {{"manager", is_synced, &synced}, {"crd", is_synced, &crds}};
    HealthChecks checks = {items, 2};
    Buffer reply = {0};
    Server *server;
    Err err;

    assert_int_equal(health_serve(&checks, &(ServerPlace){SLICE("127.0.0.1"), 0}, &server, &err), OK);
    get(server_port(server), "/healthz", &reply);
    assert_has(&reply, "HTTP/1.1 200 OK\r\n");
    assert_has(&reply, "\r\n\r\nok");
    get(server_port(server), "/readyz", &reply);
    assert_has(&reply, "HTTP/1.1 500 ");
    assert_has(&reply, "\r\n\r\n[-]manager failed: not every kind was listed yet\n[+]crd ok\nhealthz check failed\n");
    synced = true;
    get(server_port(server), "/readyz", &reply);
    assert_has(&reply, "\r\n\r\nok");
    get(server_port(server), "/readyz?verbose", &reply);
    assert_has(&reply, "[+]manager ok\n[+]crd ok\nhealthz check passed\n");
    get(server_port(server), "/metrics", &reply);
    assert_has(&reply, "HTTP/1.1 404 ");
    server_stop(server);
    buffer_free(&reply);
}
