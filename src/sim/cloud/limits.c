// EC2's answers to calls: frozen, failing, throttled by a token bucket per API; and merging of calls.
//
// Karpenter collects equal calls for a moment and sends one (aws.md 2.2). Here the first of them is sent at once, and
// those within the batching window are part of it: they share its result and take no token.
#include "sim/cloud/limits.h"

static const struct {
    const char *name;
    int64_t capacity, per_second;
    int64_t idle_ns, longest_ns; // of a batching window
    uint32_t most;               // calls in it
} apis[SIM_API_COUNT] = {
#define X(id, text, bucket, rate) [SIM_API_##id] = {text, bucket, rate, 100000000, 1000000000, 500},
    SIM_APIS(X)
#undef X
};

const char *sim_api_text(SimApi api) {
    CHECK((unsigned)api < SIM_API_COUNT);
    return apis[api].name;
}

static int64_t idle_ns(SimApi api) {
    return api == SIM_API_CREATE_FLEET ? 35000000 : apis[api].idle_ns;
}

static uint32_t most(SimApi api) {
    return api == SIM_API_CREATE_FLEET ? 1000 : apis[api].most;
}

static CallWindow *find_window(ApiLimit *limit, SimApi api, uint64_t key, int64_t now) {
    for (uint32_t i = 0; i < LIMIT_WINDOWS; i++) {
        CallWindow *window = &limit->windows[i];

        if (window->key == key && now - window->last_ns <= idle_ns(api) &&
            now - window->first_ns <= apis[api].longest_ns && window->size < most(api))
            return window;
    }
    return NULL;
}

static bool take_token(SimCloud *cloud, ApiLimit *limit, SimApi api, int64_t now) {
    int64_t full = apis[api].capacity * NS_PER_S;
    Int128 filled = (Int128)(now - limit->filled_ns) * apis[api].per_second * cloud->throttle_percent / 100;

    if (limit->filled_ns == 0 || filled > full - limit->level)
        limit->level = full;
    else
        limit->level += (int64_t)filled;
    limit->filled_ns = now;
    if (limit->level < NS_PER_S)
        return cloud->config.unthrottled;
    limit->level -= NS_PER_S;
    return true;
}

static ErrCode send(SimCloud *cloud, ApiLimit *limit, SimApi api, int64_t now) {
    limit->count.calls++;
    if (!take_token(cloud, limit, api, now)) {
        limit->count.throttled++;
        return ERR_THROTTLED;
    }
    if (cloud->error_percent && random_chance(&cloud->errors, cloud->error_percent)) {
        limit->count.failed++;
        return ERR_IO;
    }
    return OK;
}

static ErrCode say(SimApi api, ErrCode code, CloudError *error) {
    switch (code) {
    case OK:
        return OK;
    case ERR_TIMEOUT:
        return cloud_fail(error, code, "%s: RequestTimeout: no answer", apis[api].name);
    case ERR_THROTTLED:
        return cloud_fail_for(error, code, "RequestLimitExceeded", "%s: RequestLimitExceeded: Request limit exceeded.",
                              apis[api].name);
    default:
        return cloud_fail_for(error, code, "InternalError", "%s: InternalError: An internal error has occurred",
                              apis[api].name);
    }
}

ErrCode cloud_limit_call(SimCloud *cloud, SimApi api, uint64_t key, CloudError *error) {
    ApiLimit *limit = &cloud->limits[api];
    int64_t now = cloud_now(cloud);
    CallWindow *window;
    ErrCode code;

    if (cloud->frozen) {
        limit->count.failed++;
        return say(api, ERR_TIMEOUT, error);
    }
    window = key ? find_window(limit, api, key, now) : NULL;
    if (window) {
        window->last_ns = now;
        window->size++;
        limit->count.joined++;
        return say(api, window->code, error);
    }
    code = send(cloud, limit, api, now);
    if (key) {
        limit->windows[limit->next_window] = (CallWindow){key, now, now, 1, code};
        limit->next_window = (limit->next_window + 1) % LIMIT_WINDOWS;
    }
    return say(api, code, error);
}

SimApiCount sim_cloud_api_count(SimCloud *cloud, SimApi api) {
    SimApiCount count;

    CHECK((unsigned)api < SIM_API_COUNT);
    pthread_mutex_lock(&cloud->lock);
    count = cloud->limits[api].count;
    pthread_mutex_unlock(&cloud->lock);
    return count;
}
