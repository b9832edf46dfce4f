// A whole tenon process on the embedded API server, with KWOK's provider, threads and the system's clock: it waits for
// the lease, leads, gives pods their nodes, stops, and another one goes on.
//
// Nothing here is decided by how long it takes: what must come is waited for, up to a patience of minutes.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include "base/random.h"
#include "cli/run/kwok_cloud.h"
#include "ctl/settings_flags.h"
#include "engine/lease/lease.h"
#include "sim/api/api.h"
#include "text/yaml.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { PATIENCE_S = 180, PROCESSES_MAX = 4 };

typedef struct Place Place;

// One process of tenon: what command_run makes of flags, here over the embedded server.
typedef struct {
    Place *place;
    char identity[32];
    ManagerOptions options;
    KwokCloud kwok;
    Manager *manager;
    KubeTable table; // the server's, but for watches
    int stop_fd;
    pthread_t thread;
    bool runs;
    ManagerEnd end;
} Process;

struct Place {
    ApiServer *server;
    Random random;
    pthread_t actor;
    atomic_bool over;
    JsonLog *log;
    char log_path[64];
    Process processes[PROCESSES_MAX];
    uint32_t count;
};

// --- the cluster

static int64_t server_now(void *context) {
    (void)context;
    return clock_now_ns(clock_real());
}

static uint64_t server_random(void *context) {
    return random_u64(&((Place *)context)->random);
}

static void *act(void *context) {
    Place *place = context;

    while (!atomic_load(&place->over)) {
        while (api_step(place->server)) {
        }
        usleep(2000);
    }
    return NULL;
}

static Value parse(Arena *arena, const char *yaml) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    if (yaml_parse(arena, SLICE("test"), slice_of(yaml), NULL, &documents, &warnings, &err) != OK)
        fail_msg("%s", err.text);
    return documents.items[0].root;
}

static void create(Place *place, KubeKind kind, const char *yaml) {
    Arena arena = {0};
    KubeError error = {0};
    Value object = parse(&arena, yaml);

    if (kube_create(api_kube(place->server), NULL, SLICE("test"), kind, &object, NULL, &error) != OK)
        fail_msg("%s", error.err.text);
    arena_free(&arena);
}

static void patch(Place *place, KubeRef ref, KubePart part, const char *yaml) {
    Arena arena = {0};
    KubeError error = {0};
    Value body = parse(&arena, yaml);

    if (kube_patch(api_kube(place->server), NULL, SLICE("test"), ref, part, &(KubePatch){.body = &body}, NULL,
                   &error) != OK)
        fail_msg("%s", error.err.text);
    arena_free(&arena);
}

static void add_pod(Place *place, const char *name) {
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             "{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: default}, spec: {containers: [{name: c, "
             "image: i, resources: {requests: {cpu: '1'}}}]}}",
             name);
    create(place, KUBE_POD, yaml);
    patch(place, (KubeRef){KUBE_POD, SLICE("default"), slice_of(name)}, KUBE_STATUS,
          "{status: {conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}");
}

static uint32_t count_of(Place *place, KubeKind kind) {
    Arena arena = {0};
    KubeList list = {0};
    uint32_t count;

    assert_int_equal(kube_list(api_kube(place->server), &arena, &(KubeListRequest){.kind = kind}, &list, NULL), OK);
    count = list.items.count;
    arena_free(&arena);
    return count;
}

static void holder(Place *place, char *text, size_t size) {
    Arena arena = {0};
    Value object;
    KubeRef ref = {KUBE_LEASE, SLICE("kube-system"), SLICE(LEASE_NAME)};

    *text = '\0';
    if (kube_get(api_kube(place->server), &arena, ref, &object, NULL) == OK)
        snprintf(text, size, "%.*s", SLICE_ARG(kube_text(&object, "spec", "holderIdentity", NULL)));
    arena_free(&arena);
}

static int place_setup(void **state) {
    Place *place = calloc(1, sizeof *place);
    Err err = {0};

    assert_non_null(place);
    random_seed(&place->random, 1);
    place->server = api_new(&(ApiConfig){.sources = {server_now, server_random, place}});
    snprintf(place->log_path, sizeof place->log_path, "run-manager-XXXXXX");
    close(mkstemp(place->log_path));
    if (json_log_open(SLICE("debug"), slice_of(place->log_path), SLICE("stderr"), &place->log, &err) != OK)
        fail_msg("%s", err.text);
    create(place, KUBE_KWOK_NODE_CLASS,
           "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: default}}");
    patch(place, (KubeRef){KUBE_KWOK_NODE_CLASS, {0}, SLICE("default")}, KUBE_STATUS,
          "{status: {conditions: [{type: Ready, status: 'True', reason: Ready, message: '', lastTransitionTime: "
          "'2026-01-05T00:00:00Z'}]}}");
    create(place, KUBE_NODE_POOL,
           "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: general}, spec: {template: {spec: "
           "{requirements: [{key: kubernetes.io/os, operator: In, values: [linux]}], nodeClassRef: {group: "
           "karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}}}}");
    assert_int_equal(pthread_create(&place->actor, NULL, act, place), 0);
    *state = place;
    return 0;
}

// --- a process

static atomic_uint watches_to_refuse;

static ErrCode refuse_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                            KubeError *error) {
    if (atomic_load(&watches_to_refuse)) {
        atomic_fetch_sub(&watches_to_refuse, 1);
        return kube_fail(error, KUBE_REASON_FORBIDDEN, "nodes is forbidden");
    }
    return kube_watch(api_kube(self), request, sink, ret_watch, error);
}

static char *no_variable(const char *name) {
    (void)name;
    return NULL;
}

static void *live(void *context) {
    Process *process = context;

    process->end = manager_live(process->manager);
    return NULL;
}

static Process *begin(Place *place, bool elects) {
    Process *process = &place->processes[place->count];
    const char *arguments[] = {"run", "--batch-idle-duration=50ms", NULL};
    bool help;
    Err err = {0};

    process->place = place;
    process->table = *api_kube(place->server).table;
    process->table.watch = refuse_watch;
    snprintf(process->identity, sizeof process->identity, "process-%u", place->count++);
    assert_int_equal(
        manager_options_read(&process->options, 2, (char **)(uintptr_t)arguments, no_variable, &help, &err), OK);
    settings_serve_kwok(&process->options.settings);
    process->kwok.log = place->log;
    process->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (manager_new(&(ManagerConfig){.kube = {&process->table, place->server},
                                     .lease_kube = api_kube(place->server),
                                     .cloud = kwok_cloud(&process->kwok),
                                     .options = &process->options,
                                     .lease_namespace = SLICE("kube-system"),
                                     .identity = elects ? slice_of(process->identity) : (Slice){0},
                                     .seed = place->count,
                                     .log = place->log,
                                     .stop_fd = process->stop_fd},
                    &process->manager, &err) != OK)
        fail_msg("%s", err.text);
    assert_int_equal(pthread_create(&process->thread, NULL, live, process), 0);
    process->runs = true;
    return process;
}

static void join(Process *process) {
    if (process->runs)
        pthread_join(process->thread, NULL);
    process->runs = false;
}

static ManagerEnd stop(Process *process) {
    uint64_t one = 1;

    if (!process->manager)
        return MANAGER_STOPPED;
    assert_int_equal(write(process->stop_fd, &one, sizeof one), sizeof one);
    join(process);
    manager_free(process->manager);
    manager_options_free(&process->options);
    close(process->stop_fd);
    process->manager = NULL;
    return process->end;
}

static int place_teardown(void **state) {
    Place *place = *state;

    for (uint32_t i = 0; i < place->count; i++)
        stop(&place->processes[i]);
    atomic_store(&place->over, true);
    pthread_join(place->actor, NULL);
    api_free(place->server);
    json_log_close(place->log);
    unlink(place->log_path);
    free(place);
    return 0;
}

#define WAIT_FOR(condition)                                                                                            \
    do {                                                                                                               \
        int64_t until_ns_ = clock_monotonic_ns(clock_real()) + PATIENCE_S * INT64_C(1000000000);                       \
        while (!(condition)) {                                                                                         \
            if (clock_monotonic_ns(clock_real()) > until_ns_)                                                          \
                fail_msg("waited in vain for %s", #condition);                                                         \
            usleep(5000);                                                                                              \
        }                                                                                                              \
    } while (0)

static uint32_t lines_with(Place *place, const char *text) {
    FILE *stream = fopen(place->log_path, "r");
    char line[4096];
    uint32_t count = 0;

    assert_non_null(stream);
    while (fgets(line, sizeof line, stream))
        count += strstr(line, text) != NULL;
    fclose(stream);
    return count;
}

// --- what is to be seen

static void a_lone_process_gives_pods_their_nodes_and_stops(void **state) {
    Place *place = *state;
    Process *process;

    add_pod(place, "first");
    process = begin(place, false);
    WAIT_FOR(count_of(place, KUBE_NODE) == 1);
    assert_int_equal(count_of(place, KUBE_NODE_CLAIM), 1);
    assert_int_equal(count_of(place, KUBE_LEASE), 0);
    WAIT_FOR(lines_with(place, "\"message\":\"registered nodeclaim\"") == 1);
    assert_int_equal(stop(process), MANAGER_STOPPED);
    assert_int_equal(lines_with(place, "\"message\":\"created nodeclaim\""), 1);
    assert_int_equal(lines_with(place, "\"controllerKind\":\"NodeClaim\""),
                     lines_with(place, "\"controller\":\"nodeclaim.lifecycle\""));
}

static void one_of_two_leads_and_the_other_goes_on_where_it_stopped(void **state) {
    Place *place = *state;
    Process *first = begin(place, true), *second;
    char name[64];

    WAIT_FOR(manager_leads(first->manager));
    second = begin(place, true);
    add_pod(place, "first");
    WAIT_FOR(count_of(place, KUBE_NODE) == 1);
    assert_false(manager_leads(second->manager));
    holder(place, name, sizeof name);
    assert_string_equal(name, "process-0");
    assert_int_equal(stop(first), MANAGER_STOPPED);
    WAIT_FOR(manager_leads(second->manager));
    holder(place, name, sizeof name);
    assert_string_equal(name, "process-1");
    WAIT_FOR(lines_with(place, "\"message\":\"registered nodeclaim\"") >= 1);
    assert_int_equal(count_of(place, KUBE_NODE_CLAIM), 1); // nothing is launched twice
    assert_int_equal(lines_with(place, "\"message\":\"successfully acquired leader lease\""), 2);
    assert_int_equal(stop(second), MANAGER_STOPPED);
    holder(place, name, sizeof name);
    assert_string_equal(name, "");
}

static void who_loses_the_lease_ends(void **state) {
    Place *place = *state;
    Process *process = begin(place, true);
    char name[64];

    WAIT_FOR(manager_leads(process->manager));
    patch(place, (KubeRef){KUBE_LEASE, SLICE("kube-system"), SLICE(LEASE_NAME)}, KUBE_OBJECT,
          "{spec: {holderIdentity: somebody}}");
    join(process);
    assert_int_equal(process->end, MANAGER_LOST);
    assert_int_equal(lines_with(place, "\"message\":\"leader election lost\""), 1);
    assert_int_equal(stop(process), MANAGER_LOST);
    holder(place, name, sizeof name);
    assert_string_equal(name, "somebody"); // it takes nothing from whom it belongs to
}

static void one_that_waits_stops_as_well(void **state) {
    Place *place = *state;
    Process *process;

    create(place, KUBE_LEASE,
           "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {namespace: kube-system, name: " LEASE_NAME
           "}, spec: {holderIdentity: somebody, leaseDurationSeconds: 3600}}");
    process = begin(place, true);
    WAIT_FOR(lines_with(place, "attempting to acquire leader lease") == 1);
    assert_int_equal(stop(process), MANAGER_STOPPED);
    assert_int_equal(count_of(place, KUBE_NODE_CLAIM), 0);
}

// RBAC, for example: said, and tried again ten seconds later, with everything made anew.
static void a_refused_watch_is_said_and_tried_again(void **state) {
    Place *place = *state;
    Process *process;

    add_pod(place, "first");
    atomic_store(&watches_to_refuse, 1);
    process = begin(place, false);
    WAIT_FOR(lines_with(place, "cannot watch the cluster, trying again") == 1);
    assert_int_equal(lines_with(place, "is forbidden"), 1);
    WAIT_FOR(count_of(place, KUBE_NODE) == 1);
    assert_int_equal(stop(process), MANAGER_STOPPED);
    assert_int_equal(lines_with(place, "leader election is disabled"), 1);
}

int main(void) {
#define AT_PLACE(test) cmocka_unit_test_setup_teardown(test, place_setup, place_teardown)
    const struct CMUnitTest tests[] = {
        AT_PLACE(a_lone_process_gives_pods_their_nodes_and_stops),
        AT_PLACE(one_of_two_leads_and_the_other_goes_on_where_it_stopped),
        AT_PLACE(who_loses_the_lease_ends),
        AT_PLACE(one_that_waits_stops_as_well),
        AT_PLACE(a_refused_watch_is_said_and_tried_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
