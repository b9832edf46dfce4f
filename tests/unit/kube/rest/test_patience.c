// Retries of the REST client, and failures that it returns: throttling, failing credential plugins.
#include "harness/test.h"
#include "kube/rest/credentials.h"
#include "kube/rest/plugin.h"
#include "kube/rest/rest.h"
#include "net/support/canned.h"
#include "text/value.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    Canned server;
    KubeRest *rest;
    Kube kube;
    Arena arena;
    KubeError error;
    unsigned refusals;   // so many requests are refused
    const char *refusal; // with this status line and headers
    KubeConfig config;
    char path[64];
} World;

static bool answer(Canned *server, const CannedRequest *request, int fd) {
    static const char status[] = "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"later\"}";
    World *w = server->context;
    char head[256];

    if (request->number >= w->refusals) {
        canned_json(fd, 200, "{}");
        return true;
    }
    snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
             w->refusal, sizeof status - 1);
    canned_say(fd, head);
    canned_say(fd, status);
    return true;
}

static World *setup(void) {
    World *w = calloc(1, sizeof *w);

    w->server.answer = answer;
    w->server.context = w;
    snprintf(w->path, sizeof w->path, "/tmp/tenon-patience-%d", (int)getpid());
    canned_start(&w->server);
    return w;
}

static void teardown(World *w) {
    kube_rest_close(w->rest);
    canned_stop(&w->server);
    unlink(w->path);
    arena_free(&w->arena);
    free(w);
}

FIXTURE(World, setup, teardown);

static void open_rest(World *w, int64_t call_timeout_ns) {
    KubeRestOptions options = {.call_timeout_ns = call_timeout_ns};

    w->config.server = slice_of(w->server.url);
    assert_int_equal(kube_rest_open(&w->config, &options, &w->rest, NULL), OK);
    w->kube = kube_rest_kube(w->rest);
}

static const KubeRef pod = {KUBE_POD, SLICE_INIT("ns"), SLICE_INIT("p")};

TEST_F(World, w, a_throttled_call_is_made_again_when_the_server_says) {
    static const char *const refusals[] = {"429 Too Many Requests\r\nRetry-After: 1",
                                           "503 Service Unavailable\r\nRetry-After: 1"};
    Value body = value_map(), object;
    KubePatch patch = {.type = KUBE_PATCH_MERGE, .body = &body};

    open_rest(w, 0);
    w->refusal = refusals[0];
    w->refusals = 1;
    assert_int_equal(kube_get(w->kube, &w->arena, pod, &object, &w->error), OK);
    assert_int_equal(w->server.requests, 2);
    w->refusal = refusals[1];
    w->refusals = 3;
    assert_int_equal(kube_patch(w->kube, NULL, SLICE("m"), pod, KUBE_OBJECT, &patch, NULL, &w->error), OK);
    assert_int_equal(w->server.requests, 4);
}

TEST_F(World, w, a_call_does_not_wait_longer_than_it_may_take) {
    Value object;

    open_rest(w, 2 * NS_PER_S);
    w->refusals = 1000;
    w->refusal = "429 Too Many Requests\r\nRetry-After: 30";
    assert_int_equal(kube_get(w->kube, &w->arena, pod, &object, &w->error), ERR_THROTTLED);
    assert_int_equal(w->error.retry_after_ns, 30 * NS_PER_S);
    assert_int_equal(w->server.requests, 1);
    w->refusal = "429 Too Many Requests\r\nRetry-After: 1";
    assert_int_equal(kube_get(w->kube, &w->arena, pod, &object, &w->error), ERR_THROTTLED);
    assert_in_range(w->server.requests, 2, 3);
}

TEST_F(World, w, refusals_without_a_time_are_left_to_the_caller) {
    static const char *const refusals[] = {"429 Too Many Requests", "500 Oops\r\nRetry-After: 1",
                                           "504 Timeout\r\nRetry-After: 1", "409 Conflict\r\nRetry-After: 1"};

    open_rest(w, 0);
    w->refusals = 1000;
    for (unsigned i = 0; i < 4; i++) {
        w->refusal = refusals[i];
        assert_true(kube_remove(w->kube, pod, NULL, &w->error) != OK);
        assert_int_equal(w->server.requests, i + 1);
        canned_settle(&w->server);
    }
}

TEST_F(World, w, a_budget_may_say_no_for_long) {
    open_rest(w, 0);
    w->refusals = 1000;
    w->refusal = "429 Too Many Requests\r\nRetry-After: 1";
    assert_int_equal(kube_evict(w->kube, pod, NULL, &w->error), ERR_THROTTLED);
    assert_int_equal(w->error.retry_after_ns, NS_PER_S);
    assert_int_equal(w->server.requests, 1);
}

// Credentials.

static void write_text(World *w, const char *text) {
    FILE *out = fopen(w->path, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void use_plugin(World *w, const char *script) {
    write_text(w, script);
    w->config.exec = (KubeExec){.api_version = SLICE("client.authentication.k8s.io/v1"), .command = SLICE("/bin/sh")};
    vec_push(&w->arena, &w->config.exec.arguments, slice_of(w->path));
}

#define CREDENTIAL(token)                                                                                              \
    "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"" token   \
    "\"}}"

// Two clocks: the monotonic one and the API server's.
static int64_t now_ns, wall_ns;

static Mono mono_now(void *context) {
    (void)context;
    return (Mono){now_ns};
}

static int64_t wall_now(void *context) {
    (void)context;
    return wall_ns;
}

static const CredentialsClock clock_of_test = {mono_now, wall_now, NULL};

TEST_F(World, w, a_plugin_that_fails_is_left_alone_for_a_while) {
    Credentials *credentials;
    Credential credential;

    use_plugin(w, "exit 3");
    now_ns = 1000 * NS_PER_S;
    credentials = credentials_new(&w->config, NULL, 20 * NS_PER_S, clock_of_test);
    assert_int_equal(credentials_get(credentials, &w->arena, &credential, &w->error.err), ERR_IO);
    assert_non_null(strstr(w->error.err.text, "exit code 3"));
    write_text(w, "echo '" CREDENTIAL("t") "'"); // it is not run
    for (int i = 0; i < 100; i++)
        assert_int_equal(credentials_get(credentials, &w->arena, &credential, &w->error.err), ERR_IO);
    assert_non_null(strstr(w->error.err.text, "exit code 3"));
    now_ns += 10 * NS_PER_S;
    assert_int_equal(credentials_get(credentials, &w->arena, &credential, &w->error.err), OK);
    assert_true(slice_eq_text(credential.authorization, "Bearer t"));
    credentials_free(credentials);
}

TEST_F(World, w, a_plugin_whose_credential_is_refused_is_asked_once) {
    char script[256];
    FILE *runs;

    snprintf(script, sizeof script, "echo x >> %s.runs; echo '%s'", w->path, CREDENTIAL("t"));
    use_plugin(w, script);
    open_rest(w, 0);
    w->refusals = 1000;
    w->refusal = "401 Unauthorized";
    for (int i = 0; i < 5; i++)
        assert_int_equal(kube_remove(w->kube, pod, NULL, &w->error), ERR_DENIED);
    assert_int_equal(w->server.requests, 6);
    snprintf(script, sizeof script, "%s.runs", w->path);
    runs = fopen(script, "r");
    assert_non_null(runs);
    fseek(runs, 0, SEEK_END);
    assert_int_equal(ftell(runs), 4); // twice "x\n"
    fclose(runs);
    unlink(script);
}

TEST_F(World, w, a_token_goes_on_while_its_file_cannot_be_read) {
    Credentials *credentials;
    Credential credential;

    write_text(w, "t0ken\n");
    w->config.token_file = slice_of(w->path);
    now_ns = 1000 * NS_PER_S;
    credentials = credentials_new(&w->config, NULL, NS_PER_S, clock_of_test);
    assert_int_equal(credentials_get(credentials, &w->arena, &credential, &w->error.err), OK);
    unlink(w->path); // while the kubelet replaces it
    now_ns += 61 * NS_PER_S;
    assert_int_equal(credentials_get(credentials, &w->arena, &credential, &w->error.err), OK);
    assert_true(slice_eq_text(credential.authorization, "Bearer t0ken"));
    write_text(w, "other\n"); // read at once, not in a minute
    assert_int_equal(credentials_get(credentials, &w->arena, &credential, &w->error.err), OK);
    assert_true(slice_eq_text(credential.authorization, "Bearer other"));
    unlink(w->path);
    assert_true(credentials_refused(credentials, credential.generation)); // refused and gone: there is none
    assert_int_equal(credentials_get(credentials, &w->arena, &credential, &w->error.err), ERR_NOT_FOUND);
    credentials_free(credentials);
}

TEST_F(World, w, a_plugins_credential_goes_on_until_it_ends) {
    Credentials *credentials;
    Credential credential;

    use_plugin(w, "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":"
                  "{\"token\":\"t\",\"expirationTimestamp\":\"2001-01-01T00:00:00Z\"}}'");
    now_ns = 1000 * NS_PER_S;
    wall_ns = 978307200 * NS_PER_S - 100 * NS_PER_S; // 2001
    credentials = credentials_new(&w->config, NULL, 20 * NS_PER_S, clock_of_test);
    assert_int_equal(credentials_get(credentials, &w->arena, &credential, &w->error.err), OK);
    write_text(w, "exit 3");
    wall_ns += NS_PER_HOUR;  // a clock that is set changes nothing about a credential that is there
    now_ns += 95 * NS_PER_S; // time for another one
    assert_int_equal(credentials_get(credentials, &w->arena, &credential, &w->error.err), OK);
    assert_true(slice_eq_text(credential.authorization, "Bearer t"));
    now_ns += 5 * NS_PER_S;
    assert_int_equal(credentials_get(credentials, &w->arena, &credential, &w->error.err), ERR_IO);
    credentials_free(credentials);
}

static ErrCode run_plugin(World *w, const char *script, int64_t timeout_ns) {
    PluginCredential credential;

    use_plugin(w, script);
    return plugin_run(&w->arena, &w->config.exec, NULL, timeout_ns, &credential, &w->error.err);
}

// Whether the process has ended, perhaps as a zombie.
static bool is_dead(int pid) {
    char path[64], state = 'Z';
    FILE *in;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    in = fopen(path, "r");
    if (!in)
        return true;
    if (fscanf(in, "%*d %*s %c", &state) != 1)
        state = 'Z';
    fclose(in);
    return state == 'Z';
}

TEST_F(World, w, a_plugin_that_hangs_is_killed_with_what_it_started) {
    static const char *const scripts[][2] = {
        {"sleep 1000 & echo $! > ", "; sleep 1000"},   // another process holds its output
        {"echo $$ > ", "; exec >&-; exec sleep 1000"}, // it closes its output and goes on
    };
    char script[256], name[96];

    for (size_t i = 0; i < 2; i++) {
        FILE *in;
        int pid;

        snprintf(name, sizeof name, "%s.pid", w->path);
        snprintf(script, sizeof script, "%s%s%s", scripts[i][0], name, scripts[i][1]);
        assert_int_equal(run_plugin(w, script, NS_PER_S), ERR_TIMEOUT);
        assert_non_null(strstr(w->error.err.text, "took too long"));
        in = fopen(name, "r");
        assert_non_null(in);
        assert_int_equal(fscanf(in, "%d", &pid), 1);
        fclose(in);
        unlink(name);
        for (int tries = 0; !is_dead(pid) && tries < 1000; tries++)
            usleep(10000);
        assert_true(is_dead(pid));
    }
}

// tenon's threads block SIGTERM; processes that they start must not.
TEST_F(World, w, a_plugin_has_signals_as_usual) {
    sigset_t blocked, before;
    ErrCode code;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    code = run_plugin(w, "kill -TERM $$; echo '" CREDENTIAL("t") "'", 20 * NS_PER_S);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(code, ERR_IO);
    assert_non_null(strstr(w->error.err.text, "signal 15"));
}

TEST_F(World, w, half_a_certificate_is_none) {
    assert_int_equal(run_plugin(w,
                                "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
                                "\"status\":{\"token\":\"t\",\"clientCertificateData\":\"x\"}}'",
                                20 * NS_PER_S),
                     ERR_INVALID);
    assert_non_null(strstr(w->error.err.text, "clientKeyData"));
}
