// The conformance suite against a real API server, through the REST client. tests/e2e/test_conformance.py brings the
// server up.
//
//     conformance_rest KUBECONFIG [PART [WISHES ANSWERS]]
//
// PART is "SHARE/SHARES", a share of the cases that may run beside others, or "alone", the other cases; without it all
// cases run. WISHES and ANSWERS are numbers of open files. Actions on the server that a client cannot cause (forgetting
// its history, dropping its watches) are requested by a line in WISHES; a line in ANSWERS says when it is done ("no":
// impossible). Without these files such cases, which all run alone, are skipped. Watches tell on their own threads and
// when they like: what they say is queued here and handed to the cases from their own thread, once it has been quiet
// for a while. The controllers of a real cluster take their time, too.
#include "suite.h"

#include "kube/rest/rest.h"
#include "text/value_edit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { QUIET_MS = 250, STEP_MS = 25, QUIET_MAX_MS = 20000, NAMESPACE_STEP_MS = 500, NAMESPACE_MAX_MS = 20000 };

// One event, with its own memory.
typedef struct Told Told;
struct Told {
    Told *next;
    Arena arena;
    KubeEvent event;
    Value object;
    KubeError error;
};

// A watch of a case, and its events that are not delivered yet.
typedef struct Relay Relay;
struct Relay {
    Relay *next;
    KubeWatch *watch;
    KubeSink sink;
    pthread_mutex_t lock;
    Told *first, **last;
    bool awaits_initial; // the bookmark that closes the initial events is still to come; guarded by `lock`
};

typedef struct {
    Harness harness;
    Kube real;
    Relay *relays;
    bool passing;        // a case lets time pass: only then bookmarks are delivered
    int wishes, answers; // files to the keeper of the server; 0: there is none
} Rest;

static bool queue_event(void *context, const KubeEvent *event) {
    Relay *relay = context;
    Told *told = calloc(1, sizeof *told);

    told->event = *event;
    if (event->object) {
        told->object = value_copy(&told->arena, event->object);
        told->event.object = &told->object;
    }
    if (event->error) {
        told->error = *event->error;
        told->event.error = &told->error;
    }
    pthread_mutex_lock(&relay->lock);
    *relay->last = told;
    relay->last = &told->next;
    if (event->initial_end || event->type == KUBE_ENDED)
        relay->awaits_initial = false;
    pthread_mutex_unlock(&relay->lock);
    return true;
}

static bool awaits_initial(Relay *relay) {
    bool result;

    pthread_mutex_lock(&relay->lock);
    result = relay->awaits_initial;
    pthread_mutex_unlock(&relay->lock);
    return result;
}

// Delivers the queued events. Returns whether there were any. The server sends bookmarks at any time: `bookmarks` says
// whether the case wants them now; the one that ends the initial events is always delivered.
static bool deliver(Relay *relay, bool bookmarks) {
    Told *told, *next;

    pthread_mutex_lock(&relay->lock);
    told = relay->first;
    relay->first = NULL;
    relay->last = &relay->first;
    pthread_mutex_unlock(&relay->lock);
    if (!told)
        return false;
    for (; told; told = next) {
        next = told->next;
        if (bookmarks || told->event.type != KUBE_BOOKMARK || told->event.initial_end)
            relay->sink.take(relay->sink.context, &told->event);
        arena_free(&told->arena);
        free(told);
    }
    return true;
}

static void drop_queue(Relay *relay) {
    for (Told *told = relay->first, *next; told; told = next) {
        next = told->next;
        arena_free(&told->arena);
        free(told);
    }
}

static void sleep_ms(int milliseconds) {
    struct timespec rest = timespec_of_ns(milliseconds * NS_PER_MS);

    nanosleep(&rest, NULL);
}

// Whether namespaces of this program are being deleted: the controller needs about fifteen seconds, or an object blocks
// the deletion.
static bool namespaces_are_going(const Rest *rest) {
    KubeListRequest request = {.kind = KUBE_NAMESPACE};
    Arena arena = {0};
    KubeList list = {0};
    bool going = false;
    Slice ours = arena_printf(&arena, "-%llx", (unsigned long long)(rest->harness.seed & 0xffffff));

    if (kube_list(rest->real, &arena, &request, &list, NULL) != OK) {
        arena_free(&arena);
        return false;
    }
    for (vec_each(const Value, item, &list.items))
        going |= kube_is_deleting(item) && slice_ends_with(kube_name(item), ours);
    arena_free(&arena);
    return going;
}

static Value lease_below(Arena *arena, const char *name, const Value *owner) {
    Value lease = value_map(), metadata = value_map(), owners = value_list(), reference = value_map();

    value_put(arena, &metadata, SLICE("generateName"), value_string(slice_of(name)));
    value_put(arena, &metadata, SLICE("namespace"), value_string(SLICE("default")));
    if (owner) {
        value_put(arena, &reference, SLICE("apiVersion"), value_string(SLICE("coordination.k8s.io/v1")));
        value_put(arena, &reference, SLICE("kind"), value_string(SLICE("Lease")));
        value_put(arena, &reference, SLICE("name"), value_string(kube_name(owner)));
        value_put(arena, &reference, SLICE("uid"), value_string(kube_uid(owner)));
        value_append(arena, &owners, reference);
        value_put(arena, &metadata, SLICE("ownerReferences"), owners);
    }
    value_put(arena, &lease, SLICE("metadata"), metadata);
    value_put(arena, &lease, SLICE("spec"), value_map());
    return lease;
}

static Value make_lease(const Rest *rest, Arena *arena, const char *name, const Value *owner) {
    Value lease = lease_below(arena, name, owner), made = value_map();

    if (kube_create(rest->real, arena, SLICE("conformance"), KUBE_LEASE, &lease, &made, NULL) != OK)
        fail_msg("a lease cannot be made");
    return made;
}

// Waits for the garbage collector. It works in order: when it has deleted the second dependent of a lease that was
// deleted now, all earlier work is done.
static void await_collector(const Rest *rest) {
    Arena arena = {0};
    Value top = make_lease(rest, &arena, "top-", NULL), middle = make_lease(rest, &arena, "middle-", &top),
          below = make_lease(rest, &arena, "below-", &middle), object;

    kube_remove(rest->real, (KubeRef){KUBE_LEASE, SLICE("default"), kube_name(&top)}, NULL, NULL);
    for (int waited_ms = 0; waited_ms < QUIET_MAX_MS; waited_ms += STEP_MS) {
        if (kube_get(rest->real, &arena, (KubeRef){KUBE_LEASE, SLICE("default"), kube_name(&below)}, &object, NULL) ==
            ERR_NOT_FOUND)
            break;
        sleep_ms(STEP_MS);
    }
    arena_free(&arena);
}

static void settle_real(Harness *harness) {
    Rest *rest = (Rest *)harness;
    int quiet_ms = 0;

    await_collector(rest);

    for (int waited_ms = 0; waited_ms < NAMESPACE_MAX_MS && namespaces_are_going(rest); waited_ms += NAMESPACE_STEP_MS)
        sleep_ms(NAMESPACE_STEP_MS);
    for (int waited_ms = 0; quiet_ms < QUIET_MS && waited_ms < QUIET_MAX_MS; waited_ms += STEP_MS) {
        quiet_ms += STEP_MS;
        sleep_ms(STEP_MS);
        for (Relay *relay = rest->relays; relay; relay = relay->next) {
            if (deliver(relay, rest->passing) || awaits_initial(relay))
                quiet_ms = 0;
        }
    }
}

static void pass_real(Harness *harness, int seconds) {
    Rest *rest = (Rest *)harness;

    sleep_ms(seconds * 1000);
    rest->passing = true;
    settle_real(harness);
    rest->passing = false;
}

// Requests an action on the server and waits for the answer.
static bool wish(const Rest *rest, const char *line) {
    char answer[16];
    ssize_t got;

    if (!rest->wishes || write(rest->wishes, line, strlen(line)) < 0)
        return false;
    got = read(rest->answers, answer, sizeof answer);
    return got > 0 && slice_eq_text((Slice){answer, (size_t)got}, "done\n");
}

static bool forget_real(Harness *harness) {
    return wish((Rest *)harness, "forget history\n");
}

static bool drop_real(Harness *harness) {
    return wish((Rest *)harness, "drop watches\n");
}

// The KubeTable of the cases: forwards all calls to the REST client, but queues watches.

static Kube real_of(void *self) {
    return ((Rest *)self)->real;
}

static ErrCode relay_get(void *self, Arena *arena, KubeRef object, Value *ret_object, KubeError *error) {
    return kube_get(real_of(self), arena, object, ret_object, error);
}

static ErrCode relay_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                          KubeError *error) {
    return kube_list(real_of(self), arena, request, ret_list, error);
}

static ErrCode relay_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                            Value *ret_object, KubeError *error) {
    return kube_create(real_of(self), arena, manager, kind, object, ret_object, error);
}

static ErrCode relay_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                            Value *ret_object, KubeError *error) {
    return kube_update(real_of(self), arena, manager, kind, part, object, ret_object, error);
}

static ErrCode relay_patch(void *self, Arena *arena, Slice manager, KubeRef object, KubePart part,
                           const KubePatch *patch, Value *ret_object, KubeError *error) {
    return kube_patch(real_of(self), arena, manager, object, part, patch, ret_object, error);
}

static ErrCode relay_remove(void *self, KubeRef object, const KubeDeletion *deletion, KubeError *error) {
    return kube_remove(real_of(self), object, deletion, error);
}

static ErrCode relay_evict(void *self, KubeRef pod, const KubeDeletion *deletion, KubeError *error) {
    return kube_evict(real_of(self), pod, deletion, error);
}

static ErrCode relay_bind(void *self, KubeRef pod, Slice uid, Slice node, KubeError *error) {
    return kube_bind(real_of(self), pod, uid, node, error);
}

static ErrCode relay_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                           KubeError *error) {
    Rest *rest = self;
    Relay *relay = calloc(1, sizeof *relay);
    ErrCode code;

    relay->sink = sink;
    relay->last = &relay->first;
    relay->awaits_initial = request->initial_events;
    pthread_mutex_init(&relay->lock, NULL);
    code = kube_watch(rest->real, request, (KubeSink){queue_event, relay}, &relay->watch, error);
    if (code != OK) {
        free(relay);
        return code;
    }
    relay->next = rest->relays;
    rest->relays = relay;
    *ret_watch = relay->watch;
    return OK;
}

static void relay_unwatch(void *self, KubeWatch *watch) {
    Rest *rest = self;

    for (Relay **place = &rest->relays; *place; place = &(*place)->next) {
        Relay *relay = *place;

        if (relay->watch != watch)
            continue;
        kube_unwatch(rest->real, watch);
        drop_queue(relay);
        *place = relay->next;
        pthread_mutex_destroy(&relay->lock);
        free(relay);
        return;
    }
}

static bool relay_now(void *self, int64_t *ret_wall_ns) {
    return kube_now(((Rest *)self)->real, ret_wall_ns);
}

static const KubeTable relay_table = {relay_get,   relay_list, relay_create, relay_update,  relay_patch, relay_remove,
                                      relay_evict, relay_bind, relay_watch,  relay_unwatch, relay_now};

int main(int argc, char **argv) {
    SuitePart part = suite_part(argc > 2 ? argv[2] : "");
    Rest rest = {.harness = {.settle = settle_real,
                             .pass = pass_real,
                             .forget_history = forget_real,
                             .drop_watches = drop_real,
                             .seed = (uint64_t)time(NULL) * 64 + part.share},
                 .wishes = argc > 4 ? atoi(argv[3]) : 0,
                 .answers = argc > 4 ? atoi(argv[4]) : 0};
    KubeConfig config;
    KubeRest *client;
    Arena arena = {0};
    Err err = {0};
    int failed;

    if (kube_config_load(&arena, slice_of(argc > 1 ? argv[1] : ""), SLICE(""), &config, &err) != OK ||
        kube_rest_open(&config, NULL, &client, &err) != OK) {
        fprintf(stderr, "conformance_rest: %s\n", err.text);
        return EXIT_FAILURE;
    }
    rest.real = kube_rest_kube(client);
    rest.harness.kube = (Kube){&relay_table, &rest};
    failed = suite_run(&rest.harness, part);
    kube_rest_close(client);
    arena_free(&arena);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
