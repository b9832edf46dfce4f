// The HTTP pages of a whole process while it leads, waits and retries, and its log.
#include "cli/support/place.h"

#include "cli/run/definitions.h"
#include "cli/version.h"
#include "net/http.h"
#include "text/json.h"

#include <stdio.h>
#include <stdlib.h>

#define LOOPBACK                                                                                                       \
    { "127.0.0.1", 9 }
static const DisplayPorts FREE_PORTS = {0, 0, LOOPBACK, LOOPBACK};

// --- asking

typedef struct {
    Place *place;
    HttpClient *client;
    HttpReply reply;
} Browser;

static Browser *browser_setup(void) {
    Browser *browser = calloc(1, sizeof *browser);

    assert_non_null(browser);
    assert_int_equal(http_client_new(&(HttpOptions){0}, &browser->client, NULL), OK);
    browser->place = place_setup();
    return browser;
}

static void browser_teardown(Browser *browser) {
    place_teardown(browser->place);
    http_reply_free(&browser->reply);
    http_client_free(browser->client);
    free(browser);
}

FIXTURE(Browser, browser_setup, browser_teardown);

// The status of a GET; the answer's text is the browser's until the next one.
static int get(Browser *browser, uint16_t port, const char *path) {
    HttpRequest request = {.method = "GET", .reply_bytes_max = 16 << 20};
    char url[128];
    Err err = {0};
    int len = snprintf(url, sizeof url, "http://127.0.0.1:%u%s", port, path);

    request.url = (Slice){url, (size_t)len};
    if (http_call(browser->client, &request, &browser->reply, &err) != OK)
        fail_msg("%s", err.text);
    return browser->reply.status;
}

static bool has(const Browser *browser, const char *part) {
    return slice_contains(buffer_slice(&browser->reply.body), slice_of(part));
}

static void assert_has(const Browser *browser, const char *part) {
    if (!has(browser, part))
        fail_msg("no \"%s\" in\n%.*s", part, SLICE_ARG(buffer_slice(&browser->reply.body)));
}

static uint16_t metrics_port(const Process *process) {
    return display_metrics_port(manager_display(process->manager));
}

static uint16_t health_port(const Process *process) {
    return display_health_port(manager_display(process->manager));
}

static Process *begin(Place *place, const ProcessWish *wish) {
    Process *process;
    Err err = {0};

    if (process_try(place, wish, &process, &err) != OK)
        fail_msg("%s", err.text);
    return process;
}

// --- what is served

TEST_F(Browser, browser, the_leader_serves_its_metrics) {
    Place *place = browser->place;
    Process *process;

    place_add_pod(place, "first");
    process = begin(place, &(ProcessWish){.elects = true, .ports = FREE_PORTS});
    WAIT_FOR(place_lines(place, "\"message\":\"created nodeclaim\"") == 1); // the reply may come after the watch event
    WAIT_FOR(place_lines(place, "\"message\":\"registered nodeclaim\"") == 1);
    assert_int_equal(get(browser, metrics_port(process), "/metrics"), 200);
    assert_has(browser, "\nkarpenter_nodeclaims_created_total{reason=\"provisioned\",nodepool=\"general\"");
    assert_has(browser, "\nkarpenter_pods_state{name=\"first\",namespace=\"default\"");
    assert_has(browser, "\nkarpenter_cluster_state_synced 1\n");
    assert_has(browser, "\nleader_election_master_status{name=\"karpenter-leader-election\"} 1\n");
    assert_has(browser, "\nclient_go_request_total{code=\"201\",method=\"POST\"} ");
    // Of the client that renews the lease.
    assert_has(browser, "\nclient_go_request_duration_seconds_count{verb=\"CREATE\",group=\"coordination.k8s.io\","
                        "version=\"v1\",kind=\"Lease\",subresource=\"\"} 1\n");
    // Of the provider, which goes through the other one.
    assert_has(browser, "\nclient_go_request_duration_seconds_count{verb=\"CREATE\",group=\"\",version=\"v1\","
                        "kind=\"Node\",subresource=\"\"} 1\n");
    assert_has(browser, "\nkarpenter_build_info{version=\"" TENON_VERSION "\",");
    assert_int_equal(get(browser, health_port(process), "/healthz"), 200);
    WAIT_FOR(get(browser, health_port(process), "/readyz?verbose") == 200);
    assert_has(browser, "[+]manager ok\n[+]crd ok\n[+]solver ok\n[+]readyz ok\n");
    assert_int_equal(get(browser, metrics_port(process), "/healthz"), 404);
    assert_int_equal(get(browser, metrics_port(process), "/debug/pprof/heap"), 404); // profiling is not enabled
}

// A rollout waits until the new replica is ready, so it must be, lease or not.
TEST_F(Browser, browser, a_follower_is_ready_and_serves_its_metrics) {
    Place *place = browser->place;
    Process *process;

    place_create(
        place, KUBE_LEASE,
        "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {namespace: kube-system, name: " LEASE_NAME
        "}, spec: {holderIdentity: somebody, leaseDurationSeconds: 3600}}");
    process = begin(place, &(ProcessWish){.elects = true, .ports = FREE_PORTS});
    WAIT_FOR(get(browser, health_port(process), "/readyz") == 200);
    WAIT_FOR(get(browser, metrics_port(process), "/metrics") == 200 &&
             has(browser, "_count{verb=\"GET\",group=\"coordination.k8s.io\"")); // it has read the Lease
    assert_has(browser, "\nleader_election_master_status{name=\"karpenter-leader-election\"} 0\n");
    assert_false(has(browser, "karpenter_cluster_state_synced"));
    assert_false(has(browser, "karpenter_nodepools_"));
    assert_false(manager_leads(process->manager));
}

TEST_F(Browser, browser, counters_continue_with_a_new_engine) {
    Place *place = browser->place;
    Process *process;

    atomic_store(&place->watches_to_refuse, 1);
    process = begin(place, &(ProcessWish){.ports = FREE_PORTS});
    WAIT_FOR(place_lines(place, "cannot watch the cluster, trying again") == 1);
    WAIT_FOR(get(browser, health_port(process), "/readyz") == 500 && !has(browser, "[-]crd"));
    assert_has(browser, "[-]manager failed: not every kind was listed yet\n");
    assert_int_equal(get(browser, metrics_port(process), "/metrics"), 200); // at once, as no engine runs
    assert_has(browser, "\nclient_go_request_total{code=\"403\",method=\"GET\"} 1\n");
    assert_false(has(browser, "karpenter_cluster_state_node_count"));
    place_add_pod(place, "first");
    WAIT_FOR(place_lines(place, "\"message\":\"registered nodeclaim\"") == 1);
    assert_int_equal(get(browser, health_port(process), "/readyz"), 200);
    assert_int_equal(get(browser, metrics_port(process), "/metrics"), 200);
    assert_has(browser, "\nclient_go_request_total{code=\"403\",method=\"GET\"} 1\n");
    assert_has(browser, "\nkarpenter_cluster_state_node_count 1\n");
}

TEST_F(Browser, browser, no_series_of_objects_when_they_are_switched_off) {
    Place *place = browser->place;
    Process *process;

    place_add_pod(place, "first");
    process = begin(place, &(ProcessWish){.ports = FREE_PORTS, .arguments = {"--disable-cluster-state-observability"}});
    WAIT_FOR(place_lines(place, "\"message\":\"registered nodeclaim\"") == 1);
    assert_int_equal(get(browser, metrics_port(process), "/metrics"), 200);
    assert_has(browser, "\nkarpenter_nodeclaims_created_total{");
    assert_false(has(browser, "karpenter_pods_state"));
    assert_false(has(browser, "leader_election_master_status")); // there is no election
}

TEST_F(Browser, browser, profiles_are_served_on_request) {
    Place *place = browser->place;
    Process *process = begin(place, &(ProcessWish){.ports = FREE_PORTS, .arguments = {"--enable-profiling"}});

    assert_int_equal(get(browser, metrics_port(process), "/debug/pprof/"), 200);
    assert_has(browser, "/debug/pprof/heap ");
    assert_has(browser, "/debug/pprof/threads ");
    assert_int_equal(get(browser, metrics_port(process), "/debug/pprof/heap"), 200);
    assert_has(browser, "\nVmRSS:");
    assert_has(browser, "\nin use ");
    assert_int_equal(get(browser, metrics_port(process), "/debug/pprof/threads"), 200);
    assert_has(browser, " R "); // who prints this runs
    assert_int_equal(get(browser, metrics_port(process), "/debug/pprof/trace"), 404);
}

TEST_F(Browser, browser, a_port_that_is_taken_is_said_with_its_flag) {
    Place *place = browser->place;
    Process *first = begin(place, &(ProcessWish){.ports = FREE_PORTS}), *second;
    char expected[256];
    Err err = {0};

    assert_int_equal(
        process_try(place, &(ProcessWish){.ports = {metrics_port(first), -1, LOOPBACK, LOOPBACK}}, &second, &err),
        ERR_IO);
    snprintf(expected, sizeof expected,
             "--metrics-port: cannot listen on port %u of 127.0.0.1: Address already in use; choose another port, or 0 "
             "for none",
             metrics_port(first));
    assert_string_equal(err.text, expected);
    assert_int_equal(
        process_try(place, &(ProcessWish){.ports = {0, health_port(first), LOOPBACK, LOOPBACK}}, &second, &err),
        ERR_IO);
    assert_non_null(strstr(err.text, "--health-probe-port: cannot listen on port "));
}

TEST_F(Browser, browser, nothing_is_served_where_no_port_is) {
    Place *place = browser->place;
    Process *process = process_begin(place, false);

    assert_int_equal(metrics_port(process), 0);
    assert_int_equal(health_port(process), 0);
}

// --- the check "crd"

typedef struct {
    atomic_uint asked;
    ErrCode code;
} Catalogue;

static ErrCode list_kind(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                         KubeError *error) {
    Catalogue *catalogue = self;

    (void)arena, (void)ret_list;
    assert_int_equal(request->limit, 1);
    atomic_fetch_add(&catalogue->asked, 1);
    if (request->kind == KUBE_NODE_CLAIM && catalogue->code != OK)
        return kube_fail(error, KUBE_REASON_NOT_FOUND, "the server could not find the requested resource");
    return OK;
}

TEST(unknown_kinds_are_named_and_not_waited_for) {
    static const KubeTable table = {.list = list_kind};
    Catalogue catalogue = {.code = ERR_NOT_FOUND};
    Definitions *definitions = NULL;
    Buffer why = {0};

    assert_int_equal(definitions_new((Kube){&table, &catalogue}, &definitions, NULL), OK);
    WAIT_FOR((why.len = 0, !definitions_are_known(definitions, &why)) &&
             slice_eq_text(buffer_slice(&why),
                           "NodeClaim cannot be listed: the server could not find the requested resource"));
    definitions_free(definitions); // before its next request in ten seconds
    assert_int_equal(atomic_load(&catalogue.asked), 2);
    buffer_free(&why);
}

TEST(known_kinds_are_asked_for_seldom) {
    static const KubeTable table = {.list = list_kind};
    Catalogue catalogue = {.code = OK};
    Definitions *definitions = NULL;
    Buffer why = {0};

    assert_int_equal(definitions_new((Kube){&table, &catalogue}, &definitions, NULL), OK);
    WAIT_FOR(definitions_are_known(definitions, &why));
    definitions_free(definitions); // before its next request in half a minute
    assert_int_equal(atomic_load(&catalogue.asked), 2);
    buffer_free(&why);
}

// --- the log

static Slice text_at(const Value *line, const char *key) {
    const Value *value = value_get(line, slice_of(key));

    return value && value->kind == VALUE_STRING ? value->text : (Slice){0};
}

// "2026-01-05T00:00:00.123Z"
static bool is_time(Slice text) {
    static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ";

    for (size_t i = 0; text.len == sizeof form - 1 && i < text.len; i++) {
        if (form[i] == 'd' ? text.ptr[i] < '0' || text.ptr[i] > '9' : text.ptr[i] != form[i])
            return false;
    }
    return text.len == sizeof form - 1;
}

static bool is_level(Slice text) {
    return slice_eq_text(text, "DEBUG") || slice_eq_text(text, "INFO") || slice_eq_text(text, "WARN") ||
           slice_eq_text(text, "ERROR");
}

// The keys that every line of a controller's call has, and those of controllers of one kind's objects.
static bool is_of_controller(const Value *line) {
    Slice kind = text_at(line, "controllerKind");
    const Value *object = kind.len ? value_get(line, kind) : NULL;

    if (!text_at(line, "namespace").ptr || !text_at(line, "name").ptr || text_at(line, "reconcileID").len != 36)
        return false;
    return !kind.len || (text_at(line, "controllerGroup").ptr && object && object->kind == VALUE_MAP &&
                         slice_eq(text_at(object, "name"), text_at(line, "name")));
}

static void check_line(Slice text, uint32_t *controllers_lines) {
    Arena arena = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};
    const Value *line;
    bool good;

    if (json_parse(&arena, SLICE("log"), text, &(ParseOptions){.strict = true}, &documents, &warnings, &err) != OK)
        fail_msg("%s: %.*s", err.text, SLICE_ARG(text)); // no JSON, or a duplicate key
    line = &documents.items[0].root;
    good = documents.count == 1 && is_level(text_at(line, "level")) && is_time(text_at(line, "time")) &&
           slice_eq_text(text_at(line, "logger"), "controller") && text_at(line, "message").len &&
           slice_eq(text_at(line, "commit"), slice_first(slice_of(tenon_commit()), 7));
    if (good && text_at(line, "controller").len) {
        good = is_of_controller(line);
        ++*controllers_lines;
    }
    if (!good)
        fail_msg("a line without a key, or with a wrong one: %.*s", SLICE_ARG(text));
    arena_free(&arena);
}

TEST_F(Browser, browser, every_line_of_a_run_has_karpenters_keys) {
    Place *place = browser->place;
    Process *process;
    FILE *stream;
    char line[8192];
    uint32_t lines = 0, controllers_lines = 0;

    place_add_pod(place, "first");
    process = begin(place, &(ProcessWish){.elects = true, .ports = FREE_PORTS});
    WAIT_FOR(place_lines(place, "\"message\":\"registered nodeclaim\"") == 1);
    process_stop(process);
    stream = fopen(place->log_path, "r");
    assert_non_null(stream);
    for (; fgets(line, sizeof line, stream); lines++)
        check_line(slice_trim(slice_of(line)), &controllers_lines);
    fclose(stream);
    assert_true(lines >= 8);
    assert_true(controllers_lines >= 4); // found, computed, created, launched, registered
}
