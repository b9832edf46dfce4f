#include "cli/support/place.h"
#include "base/time.h"

#include "ctl/settings_flags.h"
#include "text/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

static Place *the_place; // of the running test; a table of functions has no context

// --- the cluster

static int64_t server_now(void *context) {
    (void)context;
    return clock_system_wall_ns();
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

void place_create(Place *place, KubeKind kind, const char *yaml) {
    Arena arena = {0};
    KubeError error = {0};
    Value object = parse(&arena, yaml);

    if (kube_create(api_kube(place->server), NULL, SLICE("test"), kind, &object, NULL, &error) != OK)
        fail_msg("%s", error.err.text);
    arena_free(&arena);
}

void place_patch(Place *place, KubeRef ref, KubePart part, const char *yaml) {
    Arena arena = {0};
    KubeError error = {0};
    Value body = parse(&arena, yaml);

    if (kube_patch(api_kube(place->server), NULL, SLICE("test"), ref, part, &(KubePatch){.body = &body}, NULL,
                   &error) != OK)
        fail_msg("%s", error.err.text);
    arena_free(&arena);
}

void place_add_pod(Place *place, const char *name) {
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             "{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: default}, spec: {containers: [{name: c, "
             "image: i, resources: {requests: {cpu: '1'}}}]}}",
             name);
    place_create(place, KUBE_POD, yaml);
    place_patch(place, (KubeRef){KUBE_POD, SLICE("default"), slice_of(name)}, KUBE_STATUS,
                "{status: {conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}");
}

uint32_t place_count(Place *place, KubeKind kind) {
    Arena arena = {0};
    KubeList list = {0};
    uint32_t count;

    assert_int_equal(kube_list(api_kube(place->server), &arena, &(KubeListRequest){.kind = kind}, &list, NULL), OK);
    count = list.items.count;
    arena_free(&arena);
    return count;
}

void place_holder(Place *place, char *text, size_t size) {
    Arena arena = {0};
    Value object;
    KubeRef ref = {KUBE_LEASE, SLICE("kube-system"), SLICE(LEASE_NAME)};

    *text = '\0';
    if (kube_get(api_kube(place->server), &arena, ref, &object, NULL) == OK)
        snprintf(text, size, "%.*s", SLICE_ARG(kube_text(&object, "spec", "holderIdentity", NULL)));
    arena_free(&arena);
}

Place *place_setup(void) {
    Place *place = calloc(1, sizeof *place);
    Err err = {0};

    assert_non_null(place);
    random_seed(&place->random, 1);
    place->server = api_new(&(ApiConfig){.sources = {server_now, server_random, place}});
    snprintf(place->log_path, sizeof place->log_path, "run-manager-XXXXXX");
    close(mkstemp(place->log_path));
    if (json_log_open(SLICE("debug"), slice_of(place->log_path), SLICE("stderr"), &place->log, &err) != OK)
        fail_msg("%s", err.text);
    place_create(place, KUBE_KWOK_NODE_CLASS,
                 "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: default}}");
    place_patch(place, (KubeRef){KUBE_KWOK_NODE_CLASS, {0}, SLICE("default")}, KUBE_STATUS,
                "{status: {conditions: [{type: Ready, status: 'True', reason: Ready, message: '', lastTransitionTime: "
                "'2026-01-05T00:00:00Z'}]}}");
    place_create(place, KUBE_NODE_POOL,
                 "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: general}, spec: {template: {spec: "
                 "{requirements: [{key: kubernetes.io/os, operator: In, values: [linux]}], nodeClassRef: {group: "
                 "karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}}}}");
    assert_int_equal(pthread_create(&place->actor, NULL, act, place), 0);
    the_place = place;
    return place;
}

// --- a process

static ErrCode refuse_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                            KubeError *error) {
    Place *place = the_place;

    if (atomic_load(&place->watches_to_refuse)) {
        atomic_fetch_sub(&place->watches_to_refuse, 1);
        return kube_fail(error, KUBE_REASON_FORBIDDEN, "nodes is forbidden");
    }
    return kube_watch(api_kube(self), request, sink, ret_watch, error);
}

// --- the cloud: KWOK's, which may refuse to be opened

static ErrCode open_cloud(void *context, Kube kube, const Symbols *symbols, Cloud *ret_cloud, Err *err) {
    Process *process = context;
    ManagerCloud kwok = kwok_cloud(&process->kwok);
    uint64_t one = 1;

    if (++process->opened == process->place->open_to_refuse) {
        if (process->place->stop_when_refused)
            assert_int_equal(write(process->stop_fd, &one, sizeof one), sizeof one);
        return err_set(err, ERR_IO, "the cloud refuses");
    }
    return kwok.open(kwok.context, kube, symbols, ret_cloud, err);
}

static ErrCode lead_cloud(void *context, Err *err) {
    ManagerCloud kwok = kwok_cloud(&((Process *)context)->kwok);

    return kwok.lead(kwok.context, err);
}

static void close_cloud(void *context) {
    ManagerCloud kwok = kwok_cloud(&((Process *)context)->kwok);

    kwok.close(kwok.context);
}

static void count_cloud(void *context, Registry *registry, Page *page, Clock clock) {
    Process *process = context;

    assert_non_null(registry);
    assert_non_null(page);
    assert_non_null(clock.now);
    assert_int_equal(process->opened, 0); // before it is opened
    process->counted++;
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

static void read_options(Process *process, const ProcessWish *wish) {
    const char *arguments[16] = {"run", "--batch-idle-duration=50ms"};
    int count = 2;
    bool help;
    Err err = {0};

    for (const char *const *argument = wish->arguments; *argument; argument++)
        arguments[count++] = *argument;
    if (manager_options_read(&process->options, count, (char **)(uintptr_t)arguments, no_variable, &help, &err) != OK)
        fail_msg("%s", err.text);
    settings_serve_kwok(&process->options.settings);
}

static void forget(Process *process) {
    manager_options_free(&process->options);
    close(process->stop_fd);
    process->manager = NULL;
}

ErrCode process_try(Place *place, const ProcessWish *wish, Process **ret_process, Err *err) {
    Process *process = &place->processes[place->count];
    ErrCode code;

    *process = (Process){.place = place, .table = *api_kube(place->server).table, .kwok.log = place->log};
    process->table.watch = refuse_watch;
    snprintf(process->identity, sizeof process->identity, "process-%u", place->count++);
    read_options(process, wish);
    process->stop_fd = eventfd(0, EFD_CLOEXEC);
    code = manager_new(&(ManagerConfig){.kube = {&process->table, place->server},
                                        .lease_kube = api_kube(place->server),
                                        .cloud = {open_cloud, lead_cloud, close_cloud, process, count_cloud},
                                        .options = &process->options,
                                        .lease_namespace = SLICE("kube-system"),
                                        .identity = wish->elects ? slice_of(process->identity) : (Slice){0},
                                        .seed = place->count,
                                        .ports = wish->ports,
                                        .log = place->log,
                                        .stop_fd = process->stop_fd},
                       &process->manager, err);
    if (code != OK) {
        forget(process);
        return code;
    }
    assert_int_equal(pthread_create(&process->thread, NULL, live, process), 0);
    process->runs = true;
    *ret_process = process;
    return OK;
}

Process *process_begin(Place *place, bool elects) {
    Process *process = NULL;
    Err err = {0};

    if (process_try(place, &(ProcessWish){.elects = elects, .ports = {.metrics = -1, .health = -1}}, &process, &err) !=
        OK)
        fail_msg("%s", err.text);
    return process;
}

void process_join(Process *process) {
    if (process->runs)
        pthread_join(process->thread, NULL);
    process->runs = false;
}

ManagerEnd process_stop(Process *process) {
    uint64_t one = 1;

    if (!process->manager)
        return MANAGER_STOPPED;
    assert_int_equal(write(process->stop_fd, &one, sizeof one), sizeof one);
    process_join(process);
    manager_free(process->manager);
    forget(process);
    return process->end;
}

void place_teardown(Place *place) {
    for (uint32_t i = 0; i < place->count; i++)
        process_stop(&place->processes[i]);
    atomic_store(&place->over, true);
    pthread_join(place->actor, NULL);
    api_free(place->server);
    json_log_close(place->log);
    unlink(place->log_path);
    free(place);
}

uint32_t place_lines(Place *place, const char *text) {
    FILE *stream = fopen(place->log_path, "r");
    char line[4096];
    uint32_t count = 0;

    assert_non_null(stream);
    while (fgets(line, sizeof line, stream))
        count += strstr(line, text) != NULL;
    fclose(stream);
    return count;
}
