// Claims that were launched before, in this process or a former one.
#include "cloud/aws/launch/failure.h"
#include "cloud/aws/launch/instance_query.h"
#include "cloud/aws/provider/launching/launching.h"

#include <stdlib.h>

// --- what is known of a claim

static LaunchRecord annotated(const LaunchCall *call, const LaunchItem *item) {
    const Symbols *symbols = &call->provider->symbols;
    Symbol key = symbol_find(symbols, SLICE(LAUNCH_RECORD_KEY));
    Symbol value = key == INDEX_NONE ? INDEX_NONE : labels_get(&item->launch->claim->meta.annotations, key);
    LaunchRecord record = {0};

    if (value == INDEX_NONE || !launch_record_read(symbol_text(symbols, value), &record))
        return (LaunchRecord){0};
    return record;
}

// The book's entry, of which the texts are copied. False: there is none.
static bool noted(LaunchCall *call, const LaunchItem *item, TokenEntry *ret_entry) {
    const TokenEntry *entry;

    pthread_mutex_lock(&call->launches->lock);
    entry = token_book_get(&call->launches->tokens, item->uid);
    if (entry) {
        *ret_entry = *entry;
        ret_entry->record.token = arena_slice(&call->scratch, entry->record.token);
    }
    pthread_mutex_unlock(&call->launches->lock);
    return entry != NULL;
}

// Fills in the former launch. True: the claim may have an instance of it.
static bool find_former(LaunchCall *call, LaunchItem *item) {
    TokenEntry entry = {0};

    if (noted(call, item, &entry)) {
        item->former = entry.record;
        item->former_since = entry.since;
        return !entry.is_spent;
    }
    item->former = annotated(call, item);
    item->former_since = provider_now(call->provider).now;
    if (item->former.token.len)
        launch_note(call, item, &item->former, false);
    return item->former.token.len > 0;
}

// --- what EC2 says

ErrCode launch_find_token(LaunchCall *call, Slice token, const AwsCallOptions *options, FoundInstanceVec *ret_found,
                          Err *err) {
    const AwsProvider *provider = call->provider;
    const AwsProviderSettings *settings = &provider->config.settings;
    const InstanceFinder finder = {provider->client, options, settings->reserved_capacity, settings->cluster_name};
    Ec2DescribeInstancesInput input =
        instances_of_launch(&call->scratch, provider->config.settings.cluster_name, token);

    return instances_find(&finder, &call->scratch, &input, ret_found, NULL, err);
}

// The claim's instance, once as many are there as were asked for, or the time is over in which they may be hidden.
static void decide(LaunchCall *call, LaunchItem *item, const FoundInstanceVec *found) {
    const LaunchRecord *former = &item->former;
    bool is_complete = former->count && found->count >= former->count;
    int64_t age_ns = mono_since(provider_now(call->provider).now, item->former_since);
    CloudError error;

    if (!is_complete && age_ns < LAUNCH_DOUBT_NS) {
        cloud_fail_for(
            &error, ERR_IO, "LaunchOutcomeUnknown",
            "whether EC2 has launched an instance for this NodeClaim is not known yet: of token %.*s it shows "
            "%u",
            SLICE_ARG(former->token), found->count);
        launch_fail(item, &error);
    } else if (former->rank < found->count) {
        launch_succeed(call, item, &found->items[former->rank].facts);
    } else {
        launch_note(call, item, former, true);
    }
}

static int by_token(const void *a, const void *b) {
    return slice_cmp((*(LaunchItem *const *)a)->former.token, (*(LaunchItem *const *)b)->former.token);
}

static void look_up(LaunchCall *call, LaunchItem *const *items, uint32_t count) {
    FoundInstanceVec found = {0};
    CloudError error;
    Err err = {0};
    ErrCode code = launch_find_token(call, items[0]->former.token, NULL, &found, &err);

    for (uint32_t i = 0; i < count; i++) {
        if (code == OK) {
            decide(call, items[i], &found);
            continue;
        }
        launch_failure(&error, code, slice_of(err.text));
        launch_fail(items[i], &error);
    }
}

void launch_resume(LaunchCall *call) {
    LaunchItemVec open = {0};

    for (uint32_t i = 0; i < call->count; i++) {
        LaunchItem *item = &call->items[i];

        if (!item->is_done && find_former(call, item))
            vec_push(&call->scratch, &open, item);
    }
    if (open.count)
        qsort(open.items, open.count, sizeof *open.items, by_token);
    for (uint32_t from = 0, to; from < open.count; from = to) {
        for (to = from + 1; to < open.count; to++) {
            if (by_token(&open.items[from], &open.items[to]) != 0)
                break;
        }
        look_up(call, open.items + from, to - from);
    }
}
