// The annotation tenon.sh/launch, and the book of tokens.
#include "cloud/aws/provider/launching/launching.h"

#include "text/value_edit.h"

#define MANAGER SLICE("tenon")

void launch_note(LaunchCall *call, const LaunchItem *item, const LaunchRecord *record, bool is_spent) {
    Mono now = provider_now(call->provider).now;
    const TokenEntry entry = {.uid = item->uid, .record = *record, .is_spent = is_spent, .since = now};

    pthread_mutex_lock(&call->launches->lock);
    token_book_put(&call->launches->tokens, &entry, now);
    pthread_mutex_unlock(&call->launches->lock);
}

// The patch has the claim's uid: another claim of the same name is not written on.
static ErrCode write(LaunchCall *call, const LaunchItem *item, const LaunchRecord *record, KubeError *failure) {
    const KubeRef ref = {KUBE_NODE_CLAIM, {0}, item->name};
    Value patch = value_map(), *metadata;
    Arena arena = {0};
    ErrCode code;

    metadata = value_make(&arena, &patch, "metadata", NULL);
    value_put(&arena, metadata, SLICE("uid"), value_string(item->uid));
    value_put(&arena, value_make(&arena, &patch, "metadata", "annotations", NULL), SLICE(LAUNCH_RECORD_KEY),
              value_string(launch_record_print(&arena, record)));
    code = kube_patch(call->provider->config.kube, NULL, MANAGER, ref, KUBE_OBJECT,
                      &(KubePatch){.type = KUBE_PATCH_MERGE, .body = &patch}, NULL, failure);
    arena_free(&arena);
    return code;
}

static void fail_unwritten(LaunchItem *item, const KubeError *failure) {
    CloudError error;
    ErrCode code = failure->err.code == ERR_NOT_FOUND ? ERR_NOT_FOUND : ERR_IO;

    if (failure->err.code == ERR_DENIED || failure->err.code == ERR_THROTTLED || failure->err.code == ERR_TIMEOUT)
        code = failure->err.code;
    cloud_fail(&error, code, "recording the launch on NodeClaim %.*s: %s", SLICE_ARG(item->name), failure->err.text);
    launch_fail(item, &error);
}

bool launch_write_records(LaunchCall *call, LaunchItemVec *items, Slice token) {
    uint32_t kept = 0, count = items->count;

    for (uint32_t i = 0; i < count; i++) {
        LaunchItem *item = items->items[i];
        const LaunchRecord record = {token, i, count};
        KubeError failure = {0};

        if (write(call, item, &record, &failure) == OK) {
            items->items[kept++] = item;
            continue;
        }
        launch_note(call, item, &record, true); // EC2 is not asked with this token
        fail_unwritten(item, &failure);
    }
    items->count = kept;
    return kept == count;
}
