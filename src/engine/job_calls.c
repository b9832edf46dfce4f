// Intents as calls, one function each, on the worker's thread.
#include "engine/job_calls.h"

#include "text/value_edit.h"

// Records the result of a call. KubeErrors are large and rare, so only failures keep one.
static void kube_done(EngineJob *job, Completion *completion, ErrCode code, const KubeError *error) {
    completion->code = code;
    if (code != OK)
        completion->kube_error = arena_copy(&job->arena, error, sizeof *error);
}

static void cloud_done(EngineJob *job, Completion *completion, ErrCode code, const CloudError *error) {
    completion->code = code;
    if (code != OK)
        completion->cloud_error = arena_copy(&job->arena, error, sizeof *error);
}

// Decodes the object that the server returned, for the State, on this thread.
static void keep_object(EngineJob *job, uint32_t step, KubeKind kind, const Value *object) {
    StateUpdate *update;
    Err err;

    if (!state_keeps(kind))
        return;
    if (state_decode(job->shared->symbols, kind, object, &update, &err) == OK)
        vec_push(&job->arena, &job->steps[step].updates, update);
    else
        job->steps[step].unreadable = arena_copy(&job->arena, &err, sizeof err);
}

static void keep_written(EngineJob *job, uint32_t step, KubeKind kind, const Value *object) {
    job->completions[step].object = object;
    keep_object(job, step, kind, object);
}

static void call_create(EngineJob *job, uint32_t step) {
    const Intent *intent = &job->intents[step];
    Value *object = arena_new(&job->arena, Value);
    KubeError error = {0};
    ErrCode code =
        kube_create(job->shared->kube, &job->arena, ENGINE_MANAGER, intent->ref.kind, intent->object, object, &error);

    kube_done(job, &job->completions[step], code, &error);
    if (code == OK)
        keep_written(job, step, intent->ref.kind, object);
}

static ErrCode patch(EngineJob *job, const Intent *intent, const KubePatch *patch, Value *ret_object,
                     KubeError *error) {
    return kube_patch(job->shared->kube, &job->arena, ENGINE_MANAGER, intent->ref, intent->part, patch, ret_object,
                      error);
}

enum { PATCH_TRIES = 5 };

// Patches again, for the version that the object has by now, while what the patch was made of is still so. Otherwise
// the conflict stands.
static ErrCode patch_again(EngineJob *job, const Intent *intent, Value *ret_object, KubeError *error) {
    ErrCode code = ERR_CONFLICT;

    for (int tries = 1; tries < PATCH_TRIES && code == ERR_CONFLICT; tries++) {
        Value body = value_copy_tree(&job->arena, intent->patch.body), now;
        KubePatch again = {intent->patch.type, &body};
        const Value *version;
        KubeError unread;

        if (kube_get(job->shared->kube, &job->arena, intent->ref, &now, &unread) != OK ||
            !value_has(&now, intent->given) || !(version = value_at(&now, "metadata", "resourceVersion", NULL)))
            break;
        value_put(&job->arena, value_make(&job->arena, &body, "metadata", NULL), SLICE("resourceVersion"), *version);
        code = patch(job, intent, &again, ret_object, error);
    }
    return code;
}

static void call_patch(EngineJob *job, uint32_t step) {
    const Intent *intent = &job->intents[step];
    Value *object = arena_new(&job->arena, Value);
    KubeError error = {0};
    ErrCode code = patch(job, intent, &intent->patch, object, &error);

    if (code == ERR_CONFLICT && intent->given)
        code = patch_again(job, intent, object, &error);
    kube_done(job, &job->completions[step], code, &error);
    if (code == OK)
        keep_written(job, step, intent->ref.kind, object);
}

static void call_get(EngineJob *job, uint32_t step) {
    Value *object = arena_new(&job->arena, Value);
    KubeError error = {0};
    ErrCode code = kube_get(job->shared->kube, &job->arena, job->intents[step].ref, object, &error);

    kube_done(job, &job->completions[step], code, &error);
    if (code == OK)
        job->completions[step].object = object;
}

static void call_remove(EngineJob *job, uint32_t step) {
    const Intent *intent = &job->intents[step];
    KubeError error = {0};
    ErrCode code = kube_remove(job->shared->kube, intent->ref, &intent->deletion, &error);

    kube_done(job, &job->completions[step], code, &error);
}

static void call_evict(EngineJob *job, uint32_t step) {
    const Intent *intent = &job->intents[step];
    KubeError error = {0};
    ErrCode code = kube_evict(job->shared->kube, intent->ref, &intent->deletion, &error);

    kube_done(job, &job->completions[step], code, &error);
}

typedef struct {
    EngineJob *job;
    uint32_t step;
} Reading;

static void keep_read(void *context, Arena *page, const Value *object) {
    const Reading *reading = context;

    (void)page;
    keep_object(reading->job, reading->step, reading->job->intents[reading->step].list.kind, object);
}

static void call_read(EngineJob *job, uint32_t step) {
    Reading reading = {job, step};
    KubeError error = {0};
    ErrCode code = kube_list_each(job->shared->kube, &job->intents[step].list, keep_read, &reading, &error);

    kube_done(job, &job->completions[step], code, &error);
}

static ErrCode fail_without_claim(CloudError *error) {
    return err_set(&error->err, ERR_NOT_FOUND, "the NodeClaim is gone");
}

static void call_launch(EngineJob *job, uint32_t step) {
    const CloudLaunch *launch = &job->steps[step].launch;
    CloudInstance *instance = arena_new(&job->arena, CloudInstance);
    CloudError error = {0};
    ErrCode code;

    if (launch->claim)
        code = cloud_launch(job->shared->cloud, &job->arena, launch, instance, &error);
    else
        code = fail_without_claim(&error);
    cloud_done(job, &job->completions[step], code, &error);
    if (code == OK)
        job->completions[step].instance = instance;
}

static void call_terminate(EngineJob *job, uint32_t step) {
    CloudError error = {0};
    ErrCode code = cloud_terminate(job->shared->cloud, job->intents[step].provider_id, &error);

    cloud_done(job, &job->completions[step], code, &error);
}

static void call_reboot(EngineJob *job, uint32_t step) {
    const Intent *intent = &job->intents[step];
    CloudError error = {0};
    ErrCode code = cloud_reboot(job->shared->cloud, intent->provider_id, intent->operation, &error);

    cloud_done(job, &job->completions[step], code, &error);
}

static void call_get_instance(EngineJob *job, uint32_t step) {
    CloudInstance *instance = arena_new(&job->arena, CloudInstance);
    CloudError error = {0};
    ErrCode code = cloud_get(job->shared->cloud, &job->arena, job->intents[step].provider_id, instance, &error);

    cloud_done(job, &job->completions[step], code, &error);
    if (code == OK)
        job->completions[step].instance = instance;
}

static void call_list_instances(EngineJob *job, uint32_t step) {
    CloudInstanceVec *instances = arena_new(&job->arena, CloudInstanceVec);
    CloudError error = {0};
    ErrCode code = cloud_list(job->shared->cloud, &job->arena, instances, &error);

    cloud_done(job, &job->completions[step], code, &error);
    if (code == OK)
        job->completions[step].instances = instances;
}

static void call_receive(EngineJob *job, uint32_t step) {
    CloudMessageVec *messages = arena_new(&job->arena, CloudMessageVec);
    CloudError error = {0};
    ErrCode code = cloud_receive(job->shared->cloud, &job->arena, messages, &error);

    cloud_done(job, &job->completions[step], code, &error);
    if (code == OK)
        job->completions[step].messages = messages;
}

static void call_settle(EngineJob *job, uint32_t step) {
    CloudError error = {0};
    ErrCode code = cloud_settle(job->shared->cloud, job->intents[step].receipt, &error);

    cloud_done(job, &job->completions[step], code, &error);
}

static void call_tag(EngineJob *job, uint32_t step) {
    const NodeClaim *claim = job->steps[step].launch.claim;
    CloudError error = {0};
    ErrCode code = claim ? cloud_tag(job->shared->cloud, claim, &error) : fail_without_claim(&error);

    cloud_done(job, &job->completions[step], code, &error);
}

static void call_learn(EngineJob *job, uint32_t step) {
    const NodeClaim *claim = job->steps[step].launch.claim;
    CloudError error = {0};
    ErrCode code =
        claim ? cloud_learn(job->shared->cloud, claim, job->intents[step].memory, &error) : fail_without_claim(&error);

    cloud_done(job, &job->completions[step], code, &error);
}

static void call_resolve_class(EngineJob *job, uint32_t step) {
    CloudClass *node_class = arena_new(&job->arena, CloudClass);
    CloudError error = {0};
    ErrCode code =
        cloud_class_resolve(job->shared->cloud, &job->arena, job->intents[step].ref.name, node_class, &error);

    cloud_done(job, &job->completions[step], code, &error);
    if (code == OK)
        job->completions[step].node_class = node_class;
}

static void call_finalize_class(EngineJob *job, uint32_t step) {
    CloudError error = {0};
    ErrCode code = cloud_class_finalize(job->shared->cloud, job->intents[step].ref.name, &error);

    cloud_done(job, &job->completions[step], code, &error);
}

static void call_refresh(EngineJob *job, uint32_t step) {
    CloudMessageVec *messages = arena_new(&job->arena, CloudMessageVec);
    CloudError error = {0};
    ErrCode code = cloud_refresh(job->shared->cloud, &job->arena, job->intents[step].refresh, messages, &error);

    cloud_done(job, &job->completions[step], code, &error);
    if (code == OK)
        job->completions[step].messages = messages;
}

static void call_check_drift(EngineJob *job, uint32_t step) {
    const NodeClaim *claim = job->steps[step].launch.claim;
    CloudError error = {0};
    Slice reason = {0};
    ErrCode code = claim ? cloud_is_drifted(job->shared->cloud, claim, &reason, &error) : fail_without_claim(&error);

    cloud_done(job, &job->completions[step], code, &error);
    if (code == OK)
        job->completions[step].drift = reason;
}

void job_call(EngineJob *job, uint32_t step) {
    static void (*const calls[INTENT_TYPE_COUNT])(EngineJob *, uint32_t) = {
        [INTENT_CREATE] = call_create,
        [INTENT_PATCH] = call_patch,
        [INTENT_GET] = call_get,
        [INTENT_REMOVE] = call_remove,
        [INTENT_EVICT] = call_evict,
        [INTENT_READ] = call_read,
        [INTENT_LAUNCH] = call_launch,
        [INTENT_TERMINATE] = call_terminate,
        [INTENT_REBOOT] = call_reboot,
        [INTENT_GET_INSTANCE] = call_get_instance,
        [INTENT_LIST_INSTANCES] = call_list_instances,
        [INTENT_RECEIVE] = call_receive,
        [INTENT_SETTLE] = call_settle,
        [INTENT_CHECK_DRIFT] = call_check_drift,
        [INTENT_TAG] = call_tag,
        [INTENT_LEARN] = call_learn,
        [INTENT_RESOLVE_CLASS] = call_resolve_class,
        [INTENT_FINALIZE_CLASS] = call_finalize_class,
        [INTENT_REFRESH] = call_refresh,
    };
    IntentType type = job->intents[step].type;

    CHECK(calls[type], "an intent \"%s\" among calls", intent_text(type));
    calls[type](job, step);
}
