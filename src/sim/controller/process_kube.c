// The process's Kube: counts calls, lets some fail, and can end watches.
//
// A call that fails by a fault was refused before it took effect, or took effect without an answer; half of each.
#include "sim/controller/process_kube.h"

#include "base/alloc.h"

// --- outcome of a call

typedef enum { FATE_WELL, FATE_REFUSED, FATE_UNANSWERED } Fate;

static ErrCode time_out(SimProcess *process, KubeError *error) {
    process->late_ns = CALL_TIMEOUT_S * NS_PER_S;
    if (error)
        *error = (KubeError){.reason = KUBE_REASON_NONE};
    return err_set(error ? &error->err : NULL, ERR_TIMEOUT,
                   "context deadline exceeded: the API server did not answer within %d s", CALL_TIMEOUT_S);
}

static ErrCode refuse(SimProcess *process, KubeError *error) {
    if (process->partitioned)
        return time_out(process, error);
    switch (random_below(&process->faults, 3)) {
    case 0:
        return kube_fail(error, KUBE_REASON_SERVICE_UNAVAILABLE,
                         "the server is currently unable to handle the request");
    case 1:
        return kube_fail(error, KUBE_REASON_INTERNAL_ERROR, "Internal error occurred: etcdserver: leader changed");
    default:
        if (error)
            *error = (KubeError){.reason = KUBE_REASON_NONE};
        return err_set(error ? &error->err : NULL, ERR_IO, "connection refused");
    }
}

static Fate draw_fate(SimProcess *process) {
    if (process->partitioned)
        return FATE_REFUSED;
    if (!process->error_millionths || random_below(&process->faults, 1000000) >= process->error_millionths)
        return FATE_WELL;
    return random_chance(&process->faults, 50) ? FATE_UNANSWERED : FATE_REFUSED;
}

static Fate enter(SimProcess *process, uint32_t verb) {
    process->counts.calls++;
    process->counts.calls_by_verb[verb]++;
    return draw_fate(process);
}

static ErrCode leave(SimProcess *process, Fate fate, ErrCode code, KubeError *error) {
    if (fate == FATE_REFUSED)
        code = refuse(process, error);
    else if (fate == FATE_UNANSWERED)
        code = time_out(process, error);
    else
        process->life.heard = true;
    process->counts.failed_calls += code != OK;
    return code;
}

// --- calls

static ErrCode call_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    SimProcess *process = self;
    Fate fate = enter(process, VERB_GET);
    ErrCode code = fate == FATE_REFUSED ? OK : kube_get(process->real_kube, arena, ref, ret_object, error);

    return leave(process, fate, code, error);
}

static ErrCode call_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                         KubeError *error) {
    SimProcess *process = self;
    Fate fate = enter(process, VERB_LIST);
    ErrCode code = fate == FATE_REFUSED ? OK : kube_list(process->real_kube, arena, request, ret_list, error);

    return leave(process, fate, code, error);
}

static ErrCode call_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                           Value *ret_object, KubeError *error) {
    SimProcess *process = self;
    Fate fate = enter(process, VERB_CREATE);
    ErrCode code =
        fate == FATE_REFUSED ? OK : kube_create(process->real_kube, arena, manager, kind, object, ret_object, error);

    return leave(process, fate, code, error);
}

static ErrCode call_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                           Value *ret_object, KubeError *error) {
    SimProcess *process = self;
    Fate fate = enter(process, VERB_UPDATE);
    ErrCode code = fate == FATE_REFUSED
                       ? OK
                       : kube_update(process->real_kube, arena, manager, kind, part, object, ret_object, error);

    return leave(process, fate, code, error);
}

static ErrCode call_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                          Value *ret_object, KubeError *error) {
    SimProcess *process = self;
    Fate fate = enter(process, VERB_PATCH);
    ErrCode code =
        fate == FATE_REFUSED ? OK : kube_patch(process->real_kube, arena, manager, ref, part, patch, ret_object, error);

    return leave(process, fate, code, error);
}

static ErrCode call_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    SimProcess *process = self;
    Fate fate = enter(process, VERB_DELETE);
    ErrCode code = fate == FATE_REFUSED ? OK : kube_remove(process->real_kube, ref, deletion, error);

    return leave(process, fate, code, error);
}

static ErrCode call_evict(void *self, KubeRef pod, const KubeDeletion *deletion, KubeError *error) {
    SimProcess *process = self;
    Fate fate = enter(process, VERB_EVICT);
    ErrCode code = fate == FATE_REFUSED ? OK : kube_evict(process->real_kube, pod, deletion, error);

    return leave(process, fate, code, error);
}

// tenon never binds.
static ErrCode call_bind(void *self, KubeRef pod, Slice uid, Slice node, KubeError *error) {
    return kube_bind(((SimProcess *)self)->real_kube, pod, uid, node, error);
}

// --- watches

struct ProcessWatch {
    SimProcess *process;
    KubeWatch *inner; // NULL: ended by a fault
    KubeSink sink;
    ProcessWatch *next, **link;
};

static ErrCode start_watch(SimProcess *process, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                           KubeError *error) {
    ProcessWatch *watch;

    if (request->revision && request->revision < process->forgotten)
        return kube_fail(error, KUBE_REASON_EXPIRED, "too old resource version: %llu (%llu)",
                         (unsigned long long)request->revision, (unsigned long long)process->forgotten);
    watch = NEW(ProcessWatch);
    *watch = (ProcessWatch){.process = process, .sink = sink};
    if (kube_watch(process->real_kube, request, sink, &watch->inner, error) != OK) {
        free(watch);
        return error ? error->err.code : ERR_IO;
    }
    watch->next = process->life.watches;
    watch->link = &process->life.watches;
    if (watch->next)
        watch->next->link = &watch->next;
    process->life.watches = watch;
    *ret_watch = (KubeWatch *)(void *)watch;
    return OK;
}

// A watch whose start is not answered is ended again.
static ErrCode call_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                          KubeError *error) {
    SimProcess *process = self;
    KubeError own = {0};
    Fate fate = enter(process, VERB_WATCH);
    ErrCode code = fate == FATE_WELL ? start_watch(process, request, sink, ret_watch, error ? error : &own) : OK;

    code = leave(process, fate, code, error);
    process->late_ns = 0; // the engine does not wait for this answer
    return code;
}

static void call_unwatch(void *self, KubeWatch *handle) {
    SimProcess *process = self;
    ProcessWatch *watch = (ProcessWatch *)(void *)handle;

    if (watch->inner)
        kube_unwatch(process->real_kube, watch->inner);
    *watch->link = watch->next;
    if (watch->next)
        watch->next->link = watch->link;
    free(watch);
}

void process_end_watches(SimProcess *process) {
    KubeError error = {0};
    KubeEvent event = {.type = KUBE_ENDED, .error = &error};

    err_set(&error.err, ERR_IO, "the connection was closed");
    for (ProcessWatch *watch = process->life.watches; watch; watch = watch->next) {
        if (!watch->inner)
            continue;
        kube_unwatch(process->real_kube, watch->inner);
        watch->inner = NULL;
        watch->sink.take(watch->sink.context, &event);
    }
}

// The API server's time by the answers of this life; it advances with the monotonic clock, also during a partition.
static bool call_now(void *self, int64_t *ret_wall_ns) {
    SimProcess *process = self;

    return process->life.heard && kube_now(process->real_kube, ret_wall_ns);
}

Kube process_kube(SimProcess *process) {
    static const KubeTable table = {call_get,   call_list, call_create, call_update,  call_patch, call_remove,
                                    call_evict, call_bind, call_watch,  call_unwatch, call_now};

    return (Kube){&table, process};
}
