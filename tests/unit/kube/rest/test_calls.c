// The REST client's calls: requests, handling of responses, and renewed credentials.
#include "base/buffer.h"
#include "harness/test.h"
#include "kube/rest/rest.h"
#include "net/support/canned.h"
#include "text/json.h"
#include "text/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    Canned server;
    KubeRest *rest;
    Kube kube;
    Arena arena;
    KubeError error;
    KubeConfig config;
    Buffer observed;
    char head[8192];          // of the last request
    char wire[4096];          // "METHOD path|content type|body", of the last request
    char authorization[4096]; // of all, separated by ';'
    int status;               // to answer with
    const char *answer;
    const char *refused_token; // answered with 401
    bool gate_open;
    unsigned gate_asked;
} World;

static bool answer(Canned *server, const CannedRequest *request, int fd) {
    World *w = server->context;
    Slice token = canned_header(request, "Authorization");

    snprintf(w->head, sizeof w->head, "%.*s", SLICE_ARG(request->head));
    snprintf(w->wire, sizeof w->wire, "%.*s|%.*s|%.*s", (int)request->line.len - (int)strlen(" HTTP/1.1"),
             request->line.ptr, SLICE_ARG(canned_header(request, "Content-Type")), SLICE_ARG(request->body));
    snprintf(w->authorization + strlen(w->authorization), sizeof w->authorization - strlen(w->authorization), "%.*s;",
             SLICE_ARG(token));
    if (w->refused_token && slice_contains(token, slice_of(w->refused_token)))
        canned_json(fd, 401,
                    "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Unauthorized\",\"message\":\"no\"}");
    else
        canned_json(fd, w->status, w->answer);
    return true;
}

// Opens and closes while calls wait.
static bool is_open(void *context) {
    World *w = context;

    w->gate_asked++;
    return w->gate_open;
}

static void observe(void *context, const char *verb, KubeKind kind, int code, int64_t duration_ns) {
    World *w = context;

    canned_settle(&w->server);
    assert_true(duration_ns > 0);
    buffer_printf(&w->observed, "%s %.*s %d\n", verb, SLICE_ARG(kube_kind(kind)->resource), code);
}

static void open_rest(World *w) {
    KubeRestOptions options = {.observer = {observe, w}, .user_agent = SLICE("test/1"), .gate = {is_open, w}};
    Err err;

    w->config.server = slice_of(w->server.url);
    assert_int_equal(kube_rest_open(&w->config, &options, &w->rest, &err), OK);
    w->kube = kube_rest_kube(w->rest);
}

static World *setup(void) {
    World *w = calloc(1, sizeof *w);

    w->server.answer = answer;
    w->server.context = w;
    w->status = 200;
    w->gate_open = true;
    w->answer = "{}";
    canned_start(&w->server);
    return w;
}

static void teardown(World *w) {
    kube_rest_close(w->rest);
    canned_stop(&w->server);
    buffer_free(&w->observed);
    arena_free(&w->arena);
    free(w);
}

FIXTURE(World, setup, teardown);

static Value parse(World *w, const char *text) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    assert_int_equal(yaml_parse(&w->arena, SLICE("test"), slice_of(text), NULL, &documents, &warnings, NULL), OK);
    return documents.items[0].root;
}

static void assert_wire(World *w, const char *expected) {
    assert_string_equal(w->wire, expected);
}

static KubeRef pod_ref(const char *name) {
    return (KubeRef){KUBE_POD, SLICE("ns"), slice_of(name)};
}

TEST_F(World, w, addresses_are_kubernetes_own) {
    Value object;

    open_rest(w);
    kube_get(w->kube, &w->arena, pod_ref("p"), &object, NULL);
    assert_wire(w, "GET /api/v1/namespaces/ns/pods/p||");
    kube_get(w->kube, &w->arena, (KubeRef){KUBE_NODE, .name = SLICE("n")}, &object, NULL);
    assert_wire(w, "GET /api/v1/nodes/n||");
    kube_get(w->kube, &w->arena, (KubeRef){KUBE_DEPLOYMENT, SLICE(""), SLICE("d")}, &object, NULL);
    assert_wire(w, "GET /apis/apps/v1/namespaces/default/deployments/d||");
    kube_get(w->kube, &w->arena, (KubeRef){KUBE_NODE_CLAIM, .name = SLICE("a/b")}, &object, NULL);
    assert_wire(w, "GET /apis/karpenter.sh/v1/nodeclaims/a%2Fb||");
    assert_true(slice_eq_text(buffer_slice(&w->observed), "get pods 200\nget nodes 200\nget deployments.apps 200\n"
                                                          "get nodeclaims.karpenter.sh 200\n"));
}

// The first response closes the gate, so the second attempt, with renewed credentials, must not be sent. A process that
// lost its lease while a write was waiting relies on this.
static bool refuse_and_close(Canned *server, const CannedRequest *request, int fd) {
    World *w = server->context;

    w->gate_open = false;
    return answer(server, request, fd);
}

TEST_F(World, w, a_gate_that_closes_just_before_a_write_prevents_it) {
    Value pod = parse(w, "{metadata: {name: p, namespace: ns}}"), object;
    KubeRef ref = pod_ref("p");

    open_rest(w);
    w->gate_open = false;
    assert_int_equal(kube_create(w->kube, NULL, SLICE("me"), KUBE_POD, &pod, NULL, &w->error), ERR_IO);
    assert_non_null(strstr(w->error.err.text, "/api/v1/namespaces/ns/pods: not sent: held back"));
    assert_int_equal(kube_remove(w->kube, ref, NULL, &w->error), ERR_IO);
    assert_int_equal(kube_evict(w->kube, ref, NULL, &w->error), ERR_IO);
    assert_int_equal(
        kube_patch(w->kube, NULL, SLICE("me"), ref, KUBE_STATUS, &(KubePatch){.body = &pod}, NULL, &w->error), ERR_IO);
    assert_int_equal(kube_update(w->kube, NULL, SLICE("me"), KUBE_POD, KUBE_OBJECT, &pod, NULL, &w->error), ERR_IO);
    assert_string_equal(w->wire, ""); // no request came whole
    assert_int_equal(w->gate_asked, 5);
    assert_int_equal(kube_get(w->kube, &w->arena, ref, &object, &w->error), OK); // reads pass
    assert_int_equal(w->gate_asked, 5);
    w->gate_open = true;
    assert_int_equal(kube_remove(w->kube, ref, NULL, &w->error), OK);
}

TEST_F(World, w, a_gate_is_asked_again_for_a_second_try) {
    char path[] = "rest-token-XXXXXX";
    int fd = mkstemp(path);

    assert_int_equal(write(fd, "first", 5), 5);
    close(fd);
    w->config.token_file = slice_of(path);
    w->server.answer = refuse_and_close;
    w->refused_token = "first";
    open_rest(w);
    assert_int_not_equal(kube_remove(w->kube, pod_ref("p"), NULL, &w->error), OK);
    assert_string_equal(w->authorization, "Bearer first;");
    assert_int_equal(w->gate_asked, 2);
    unlink(path);
}

// The Date of refusals counts too; one that cannot be parsed is ignored.
static bool answer_dated(Canned *server, const CannedRequest *request, int fd) {
    World *w = server->context;
    char head[160];

    (void)request;
    snprintf(head, sizeof head, "HTTP/1.1 403 X\r\nContent-Length: 0\r\nDate: %s\r\n\r\n", w->answer);
    canned_say(fd, head);
    return true;
}

TEST_F(World, w, the_time_is_what_the_servers_date_says) {
    const int64_t noon_ns = 946728000 * NS_PER_S;
    int64_t wall_ns = 0;

    w->server.answer = answer_dated;
    open_rest(w);
    w->answer = "noon";
    assert_int_equal(kube_get(w->kube, &w->arena, pod_ref("p"), NULL, NULL), ERR_DENIED);
    assert_false(kube_now(w->kube, &wall_ns));
    w->answer = "Sat, 01 Jan 2000 12:00:00 GMT";
    assert_int_equal(kube_get(w->kube, &w->arena, pod_ref("p"), NULL, NULL), ERR_DENIED);
    assert_true(kube_now(w->kube, &wall_ns));
    assert_true(wall_ns >= noon_ns - NS_PER_S && wall_ns < noon_ns + 10 * NS_PER_S);
}

TEST_F(World, w, writes_name_type_and_manager) {
    Value pod = parse(w, "{metadata: {name: p, namespace: ns}}"),
          node = parse(w, "{kind: Node, apiVersion: v1, metadata: {name: node}}");

    open_rest(w);
    kube_create(w->kube, NULL, SLICE("me"), KUBE_POD, &pod, NULL, NULL);
    assert_wire(w, "POST /api/v1/namespaces/ns/pods?fieldManager=me|application/json|{\"metadata\":{\"name\":\"p\","
                   "\"namespace\":\"ns\"},\"apiVersion\":\"v1\",\"kind\":\"Pod\"}");
    kube_update(w->kube, NULL, SLICE("me"), KUBE_NODE, KUBE_STATUS, &node, NULL, NULL);
    assert_wire(
        w, "PUT /api/v1/nodes/node/status?fieldManager=me|application/json|{\"kind\":\"Node\",\"apiVersion\":\"v1\","
           "\"metadata\":{\"name\":\"node\"}}");
    assert_int_equal(pod.map.count, 1); // borrowed, not changed
}

TEST_F(World, w, a_create_counts_when_the_answer_is_the_object) {
    static const char *const nonsense[] = {"<html>welcome</html>", "", "{\"kind\":\"Status\",\"status\":\"Success\"}",
                                           "{\"metadata\":{\"name\":\"p\"}}",
                                           "{\"metadata\":{\"name\":\"other\",\"uid\":\"1\"}}"};
    Value pod = parse(w, "{metadata: {name: p, namespace: ns}}"), made = {0};

    open_rest(w);
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        w->answer = nonsense[i];
        assert_int_equal(kube_create(w->kube, NULL, SLICE("me"), KUBE_POD, &pod, NULL, &w->error), ERR_IO);
        assert_int_equal(kube_create(w->kube, &w->arena, SLICE("me"), KUBE_POD, &pod, &made, &w->error), ERR_IO);
    }
    assert_string_equal(w->error.err.text,
                        "the answer to creating Pod p is not that object, so it does not count as made");
    w->answer = "{\"metadata\":{\"name\":\"p\",\"uid\":\"1\"}}";
    assert_int_equal(kube_create(w->kube, NULL, SLICE("me"), KUBE_POD, &pod, NULL, &w->error), OK);
}

TEST_F(World, w, patches_say_their_type) {
    Value body = parse(w, "{a: 1}");
    KubePatch patch = {.type = KUBE_PATCH_MERGE, .body = &body};

    open_rest(w);
    kube_patch(w->kube, NULL, SLICE("me"), pod_ref("p"), KUBE_OBJECT, &patch, NULL, NULL);
    assert_wire(w, "PATCH /api/v1/namespaces/ns/pods/p?fieldManager=me|application/merge-patch+json|{\"a\":1}");
    patch.type = KUBE_PATCH_STRATEGIC;
    kube_patch(w->kube, NULL, SLICE("me"), pod_ref("p"), KUBE_STATUS, &patch, NULL, NULL);
    assert_wire(
        w,
        "PATCH /api/v1/namespaces/ns/pods/p/status?fieldManager=me|application/strategic-merge-patch+json|{\"a\":1}");
}

TEST_F(World, w, deletions_carry_their_conditions) {
    KubeDeletion deletion = {SLICE("u-1"), 42, true, 0, KUBE_PROPAGATION_FOREGROUND};

    open_rest(w);
    assert_int_equal(kube_remove(w->kube, pod_ref("p"), NULL, NULL), OK);
    assert_wire(
        w, "DELETE /api/v1/namespaces/ns/pods/p|application/json|{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\"}");
    kube_remove(w->kube, pod_ref("p"), &deletion, NULL);
    assert_wire(
        w, "DELETE /api/v1/namespaces/ns/pods/p|application/json|{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
           "\"preconditions\":{\"uid\":\"u-1\",\"resourceVersion\":\"42\"},\"gracePeriodSeconds\":0,"
           "\"propagationPolicy\":\"Foreground\"}");
}

TEST_F(World, w, evictions_and_bindings_are_subresources) {
    open_rest(w);
    kube_evict(w->kube, pod_ref("p"), &(KubeDeletion){.uid = SLICE("u")}, NULL);
    assert_wire(w, "POST /api/v1/namespaces/ns/pods/p/eviction|application/json|{\"apiVersion\":\"policy/v1\",\"kind\":"
                   "\"Eviction\",\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\"},\"deleteOptions\":{\"kind\":"
                   "\"DeleteOptions\",\"apiVersion\":\"v1\",\"preconditions\":{\"uid\":\"u\"}}}");
    kube_bind(w->kube, pod_ref("p"), SLICE("u"), SLICE("n"), NULL);
    assert_wire(
        w, "POST /api/v1/namespaces/ns/pods/p/binding|application/json|{\"apiVersion\":\"v1\",\"kind\":\"Binding\","
           "\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\",\"uid\":\"u\"},\"target\":{\"apiVersion\":\"v1\","
           "\"kind\":\"Node\",\"name\":\"n\"}}");
}

TEST_F(World, w, a_list_is_asked_for_and_read_in_pages) {
    KubeListRequest request = {KUBE_POD, SLICE("ns"), SLICE("a=b"), SLICE("x=y"), .limit = 2, .at = 7};
    KubeList list;

    open_rest(w);
    w->answer = "{\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"more\",\"remainingItemCount\":3},\"items\":["
                "{\"metadata\":{\"name\":\"p\",\"managedFields\":[{}]},\"spec\":{\"containers\":[{\"name\":\"c\","
                "\"env\":[]}]}}]}";
    assert_int_equal(kube_list(w->kube, &w->arena, &request, &list, &w->error), OK);
    assert_wire(w, "GET /api/v1/namespaces/ns/pods?labelSelector=a%3Db&fieldSelector=x%3Dy&limit=2&resourceVersion=7&"
                   "resourceVersionMatch=NotOlderThan||");
    assert_int_equal(list.revision, 9);
    assert_int_equal(list.remaining, 3);
    assert_int_equal(list.items.count, 1);
    assert_true(slice_eq_text(kube_text(&list.items.items[0], "kind", NULL), "Pod"));
    assert_null(value_at(&list.items.items[0], "metadata", "managedFields", NULL));
    assert_null(value_get_text(&value_at(&list.items.items[0], "spec", "containers", NULL)->list.items[0], "env"));
    request.from = list.next;
    w->answer = "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":null}";
    assert_int_equal(kube_list(w->kube, &w->arena, &request, &list, &w->error), OK);
    assert_wire(w, "GET /api/v1/namespaces/ns/pods?labelSelector=a%3Db&fieldSelector=x%3Dy&limit=2&continue=more||");
    assert_int_equal(list.items.count, 0);
    assert_int_equal(list.remaining, 0);
}

TEST_F(World, w, an_object_that_was_got_is_whole) {
    Value pod;

    open_rest(w);
    w->answer = "{\"metadata\":{\"name\":\"p\",\"managedFields\":[{}]},\"spec\":{\"containers\":[{\"env\":[]}]}}";
    assert_int_equal(kube_get(w->kube, &w->arena, pod_ref("p"), &pod, &w->error), OK);
    assert_non_null(value_at(&pod, "metadata", "managedFields", NULL));
    assert_non_null(value_get_text(&value_at(&pod, "spec", "containers", NULL)->list.items[0], "env"));
}

TEST_F(World, w, refusals_are_told_as_the_server_tells_them) {
    static const struct {
        int status;
        const char *reason;
        KubeReason expected;
        ErrCode code;
    } refusals[] = {
        {404, "NotFound", KUBE_REASON_NOT_FOUND, ERR_NOT_FOUND},
        {409, "Conflict", KUBE_REASON_CONFLICT, ERR_CONFLICT},
        {409, "AlreadyExists", KUBE_REASON_ALREADY_EXISTS, ERR_CONFLICT},
        {410, "Expired", KUBE_REASON_EXPIRED, ERR_GONE},
        {403, "Forbidden", KUBE_REASON_FORBIDDEN, ERR_DENIED},
        {422, "Invalid", KUBE_REASON_INVALID, ERR_INVALID},
        {429, "TooManyRequests", KUBE_REASON_TOO_MANY_REQUESTS, ERR_THROTTLED},
        {500, "InternalError", KUBE_REASON_INTERNAL_ERROR, ERR_IO},
        {504, "Timeout", KUBE_REASON_TIMEOUT, ERR_TIMEOUT},
    };
    Slice text;
    Value pod = value_bool(true);

    open_rest(w);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        // A text of its own for each: the server's thread may still be reading the last one.
        text = arena_printf(
            &w->arena,
            "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"because %zu\",\"reason\":\"%s\",\"details\":{"
            "\"causes\":[{\"message\":\"the cause\"}],\"retryAfterSeconds\":3},\"code\":%d}%c",
            i, refusals[i].reason, refusals[i].status, '\0');
        w->status = refusals[i].status;
        w->answer = text.ptr;
        assert_int_equal(kube_get(w->kube, &w->arena, pod_ref("p"), &pod, &w->error), refusals[i].code);
        assert_int_equal(w->error.reason, refusals[i].expected);
        assert_int_equal(w->error.err.code, refusals[i].code);
        assert_non_null(strstr(w->error.err.text, "because"));
        assert_string_equal(w->error.cause, "the cause");
        assert_int_equal(w->error.retry_after_ns, 3 * NS_PER_S);
        assert_true(pod.boolean); // untouched
    }
}

TEST_F(World, w, answers_of_other_servers_are_explained) {
    Value pod;
    KubeList list;

    open_rest(w);
    w->status = 502;
    w->answer = "<html>\nBad Gateway";
    assert_int_equal(kube_get(w->kube, &w->arena, pod_ref("p"), &pod, &w->error), ERR_IO);
    assert_non_null(strstr(w->error.err.text, "HTTP 502"));
    w->status = 200;
    w->answer = "<html>";
    assert_int_equal(kube_get(w->kube, &w->arena, pod_ref("p"), &pod, &w->error), ERR_IO);
    assert_int_equal(w->error.reason, KUBE_REASON_NONE);
    assert_int_equal(kube_list(w->kube, &w->arena, &(KubeListRequest){.kind = KUBE_POD}, &list, &w->error), ERR_IO);
    w->answer = "{\"items\":[";
    assert_int_equal(kube_list(w->kube, &w->arena, &(KubeListRequest){.kind = KUBE_POD}, &list, &w->error), ERR_IO);
    w->answer = "{\"items\":5}";
    assert_int_equal(kube_list(w->kube, &w->arena, &(KubeListRequest){.kind = KUBE_POD}, &list, &w->error), ERR_IO);
    canned_stop(&w->server);
    assert_int_equal(kube_get(w->kube, &w->arena, pod_ref("p"), &pod, &w->error), ERR_IO);
    assert_int_equal(w->error.reason, KUBE_REASON_NONE);
    canned_start(&w->server);
}

// Credentials.

TEST_F(World, w, token_and_password_go_into_the_header) {
    w->config.token = SLICE("t0k");
    open_rest(w);
    kube_remove(w->kube, pod_ref("p"), NULL, NULL);
    kube_rest_close(w->rest);
    w->config.token = (Slice){0};
    w->config.user = SLICE("Aladdin");
    w->config.password = SLICE("open sesame");
    open_rest(w);
    kube_remove(w->kube, pod_ref("p"), NULL, NULL);
    assert_string_equal(w->authorization, "Bearer t0k;Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==;");
}

// No group may be lost, as that would change permissions.
TEST_F(World, w, all_impersonated_identities_are_sent) {
    w->config.as_user = SLICE("me");
    for (int i = 0; i < 50; i++)
        vec_push(&w->arena, &w->config.as_groups, arena_printf(&w->arena, "group-%d", i));
    open_rest(w);
    kube_remove(w->kube, pod_ref("p"), NULL, NULL);
    for (int i = 0; i < 50; i++)
        assert_non_null(strstr(w->head, arena_printf(&w->arena, "Impersonate-Group: group-%d\r\n", i).ptr));
    assert_non_null(strstr(w->head, "Impersonate-User: me\r\n"));
}

static void write_text(const char *path, const char *text) {
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

TEST_F(World, w, a_refused_token_is_read_again_from_its_file_once) {
    char path[] = "/tmp/tenon-token-XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    write_text(path, "old\n");
    w->config.token_file = slice_of(path);
    open_rest(w);
    assert_int_equal(kube_remove(w->kube, pod_ref("p"), NULL, &w->error), OK);
    write_text(path, "new\n");
    assert_int_equal(kube_remove(w->kube, pod_ref("p"), NULL, &w->error), OK); // kept for a minute
    w->refused_token = "old";
    assert_int_equal(kube_remove(w->kube, pod_ref("p"), NULL, &w->error), OK);
    assert_string_equal(w->authorization, "Bearer old;Bearer old;Bearer old;Bearer new;");
    w->refused_token = "Bearer";
    assert_int_equal(kube_remove(w->kube, pod_ref("p"), NULL, &w->error), ERR_DENIED);
    assert_int_equal(canned_requests(&w->server), 6); // not a third time
    write_text(path, "two words");
    assert_int_equal(kube_remove(w->kube, pod_ref("p"), NULL, &w->error), ERR_INVALID);
    assert_null(strstr(w->error.err.text, "two words"));
    unlink(path);
    assert_int_equal(kube_remove(w->kube, pod_ref("p"), NULL, &w->error), ERR_NOT_FOUND);
}

// A plugin that counts its runs: the token is their number.
static const char *plugin_file(World *w, const char *end) {
    const char *path = arena_printf(&w->arena, "/tmp/tenon-plugin-%d", (int)getpid()).ptr;

    write_text(
        path,
        arena_printf(
            &w->arena,
            "echo x >> %s.runs\n"
            "echo \"{\\\"kind\\\":\\\"ExecCredential\\\",\\\"apiVersion\\\":\\\"client.authentication.k8s.io/v1\\\","
            "\\\"status\\\":{\\\"token\\\":\\\"$1-$V-$(wc -l < %s.runs)\\\"%s}}\"\n",
            path, path, end)
            .ptr);
    unlink(arena_printf(&w->arena, "%s.runs", path).ptr);
    return path;
}

static void use_plugin(World *w, const char *path) {
    w->config.exec = (KubeExec){.api_version = SLICE("client.authentication.k8s.io/v1"), .command = SLICE("/bin/sh")};
    vec_push(&w->arena, &w->config.exec.arguments, slice_of(path));
    vec_push(&w->arena, &w->config.exec.arguments, SLICE("arg"));
    vec_push(&w->arena, &w->config.exec.environment, (KubeConfigVariable){SLICE("V"), SLICE("var")});
}

TEST_F(World, w, a_plugin_is_run_once_for_as_long_as_its_credential_lasts) {
    const char *path = plugin_file(w, ",\\\"expirationTimestamp\\\":\\\"2999-01-01T00:00:00Z\\\"");

    use_plugin(w, path);
    open_rest(w);
    assert_int_equal(kube_remove(w->kube, pod_ref("p"), NULL, &w->error), OK);
    assert_int_equal(kube_remove(w->kube, pod_ref("p"), NULL, &w->error), OK);
    w->refused_token = "-1";
    assert_int_equal(kube_remove(w->kube, pod_ref("p"), NULL, &w->error), OK);
    assert_string_equal(w->authorization, "Bearer arg-var-1;Bearer arg-var-1;Bearer arg-var-1;Bearer arg-var-2;");
    unlink(path);
}

TEST_F(World, w, a_credential_that_has_ended_is_renewed) {
    const char *path = plugin_file(w, ",\\\"expirationTimestamp\\\":\\\"2001-01-01T00:00:00Z\\\"");

    use_plugin(w, path);
    open_rest(w);
    assert_int_equal(kube_remove(w->kube, pod_ref("p"), NULL, &w->error), OK);
    assert_int_equal(kube_remove(w->kube, pod_ref("p"), NULL, &w->error), OK);
    assert_string_equal(w->authorization, "Bearer arg-var-1;Bearer arg-var-2;");
    unlink(path);
}

static void fails_with(World *w, ErrCode code, const char *text) {
    open_rest(w);
    assert_int_equal(kube_remove(w->kube, pod_ref("p"), NULL, &w->error), code);
    if (!strstr(w->error.err.text, text))
        fail_msg("expected a text with \"%s\", got \"%s\"", text, w->error.err.text);
    assert_null(strstr(w->error.err.text, "s3cret"));
    kube_rest_close(w->rest);
    w->rest = NULL;
}

TEST_F(World, w, a_plugin_that_fails_is_named) {
    static const char *const outputs[][2] = {
        {"exit 3", "exit code 3"},
        {"kill -9 $$", "signal 9"},
        {"echo s3cret", "expected one JSON document"},
        {"echo '{\"kind\":\"s3cret\"}'", "expected an ExecCredential"},
        {"echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{}}'",
         "expected status.token"},
    };
    const char *path = plugin_file(w, "");

    use_plugin(w, path);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        write_text(path, outputs[i][0]);
        fails_with(w, i < 2 ? ERR_IO : ERR_INVALID, outputs[i][1]);
    }
    unlink(path);
    assert_int_equal(canned_requests(&w->server), 0);
}

// QEMU forks where vfork is asked for: nobody learns that the program could not be started.
TEST_F(World, w, a_plugin_that_is_not_there_is_named) {
    if (TEST_IS_EMULATED)
        skip();
    use_plugin(w, "none");
    w->config.exec.command = SLICE("no-such-plugin-anywhere");
    w->config.exec.install_hint = SLICE("see the manual");
    fails_with(w, ERR_NOT_FOUND, "no-such-plugin-anywhere");
    fails_with(w, ERR_NOT_FOUND, "see the manual");
    assert_int_equal(canned_requests(&w->server), 0);
}

// Lists of kinds that tenon has no row for.
TEST_F(World, w, any_path_is_read_as_a_call) {
    Slice text;

    open_rest(w);
    w->answer = "{\"items\":[]}";
    assert_int_equal(kube_rest_read(w->rest, &w->arena, SLICE("/apis/a/v1/bs?limit=1"), &text, &w->error), OK);
    assert_wire(w, "GET /apis/a/v1/bs?limit=1||");
    assert_true(slice_eq_text(text, w->answer));
    w->status = 404;
    w->answer = "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"message\":\"none\"}";
    assert_int_equal(kube_rest_read(w->rest, &w->arena, SLICE("/apis/a/v1/cs"), &text, &w->error), ERR_NOT_FOUND);
}

TEST_F(World, w, a_probe_asks_any_path) {
    Slice text;

    open_rest(w);
    w->answer = "ok";
    assert_int_equal(kube_rest_probe(w->rest, &w->arena, SLICE("/readyz"), &text, &w->error), OK);
    assert_wire(w, "GET /readyz||");
    assert_true(slice_eq_text(text, "ok"));
    w->status = 503;
    assert_int_equal(kube_rest_probe(w->rest, &w->arena, SLICE("/readyz"), &text, &w->error), ERR_IO);
}
