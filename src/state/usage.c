// Sums of resources on the heap. Amounts that become 0 are removed, so that they keep no symbol alive.
#include "state/usage.h"

#include "base/alloc.h"

// Adds or subtracts one amount. True: the sum is no longer exact.
static bool sum_change(Resources *sum, Symbol resource, int64_t amount, bool minus) {
    uint32_t at = 0;
    bool cut;

    while (at < sum->count && sum->items[at].resource < resource)
        at++;
    if (amount == 0)
        return false;
    if (at == sum->count || sum->items[at].resource != resource) {
        if (sum->count == sum->capacity) {
            sum->capacity += 4;
            RESIZE(sum->items, sum->capacity);
        }
        memmove(&sum->items[at + 1], &sum->items[at], (sum->count++ - at) * sizeof *sum->items);
        sum->items[at] = (ResourceAmount){resource, 0};
    }
    cut = minus ? __builtin_sub_overflow(sum->items[at].amount, amount, &sum->items[at].amount)
                : __builtin_add_overflow(sum->items[at].amount, amount, &sum->items[at].amount);
    if (cut)
        sum->items[at].amount = INT64_MAX;
    if (sum->items[at].amount == 0) {
        memmove(&sum->items[at], &sum->items[at + 1], (sum->count - at - 1) * sizeof *sum->items);
        sum->count--;
    }
    return cut;
}

static bool sum_add(Resources *sum, const Resources *more, bool minus) {
    bool cut = false;

    for (uint32_t i = 0; i < more->count; i++)
        cut |= sum_change(sum, more->items[i].resource, more->items[i].amount, minus);
    return cut;
}

// Nodes.

static bool pod_counts(const Pod *pod) {
    return pod->node_name != NAME_EMPTY && !pod_is_terminal(pod);
}

static void change_pod(Bucket *bucket, const Object *object, bool minus) {
    const Pod *pod = object_pod(object);
    NodeUsage *usage = &bucket->usage;
    uint32_t step = minus ? UINT32_MAX : 1; // adding UINT32_MAX subtracts one

    bucket->saturated |= sum_add(&usage->requests, &pod->spec->requests, minus);
    usage->pods += step;
    if (object->flags & OBJECT_DAEMON) {
        bucket->saturated |= sum_add(&usage->daemon_requests, &pod->spec->requests, minus);
        usage->daemon_pods += step;
    }
    if (object_is_reschedulable(object))
        usage->reschedulable += step;
}

void usage_add_pod(Index *index, const Object *pod) {
    if (pod_counts(object_pod(pod)))
        change_pod(index_find(index, INDEX_NODE_NAME, object_pod(pod)->node_name), pod, false);
}

// Recomputes the usage of a node without the pod `gone`.
static void recount(const IndexWriter *writer, Bucket *bucket, const Object *gone) {
    bucket->usage.requests.count = bucket->usage.daemon_requests.count = 0;
    bucket->usage.pods = bucket->usage.daemon_pods = bucket->usage.reschedulable = 0;
    bucket->saturated = false;
    for (vec_each(const Handle, handle, &bucket->lanes[0])) {
        const Object *pod = slots_get(&writer->slots[KUBE_POD], handle->index);

        if (pod != gone && pod_counts(object_pod(pod)))
            change_pod(bucket, pod, false);
    }
}

void usage_remove_pod(const IndexWriter *writer, const Object *pod) {
    Bucket *bucket;

    if (!pod_counts(object_pod(pod)))
        return;
    bucket = index_find(writer->index, INDEX_NODE_NAME, object_pod(pod)->node_name);
    if (bucket->saturated)
        recount(writer, bucket, pod);
    else
        change_pod(bucket, pod, true);
}

bool usage_is_same(const Object *before, const Object *after) {
    const Pod *was = object_pod(before), *is = object_pod(after);

    return pod_counts(was) == pod_counts(is) && was->node_name == is->node_name && was->spec == is->spec &&
           before->flags == after->flags && object_is_reschedulable(before) == object_is_reschedulable(after);
}

// Pools.

void tallies_free(Tallies *tallies) {
    for (uint32_t i = 0; i < tallies->capacity; i++)
        free(tallies->items[i].capacity.items);
    free(tallies->items);
    *tallies = (Tallies){0};
}

size_t tallies_bytes(const Tallies *tallies) {
    size_t bytes = tallies->capacity * sizeof *tallies->items;

    for (uint32_t i = 0; i < tallies->capacity; i++)
        bytes += tallies->items[i].capacity.capacity * sizeof(ResourceAmount);
    return bytes;
}

static void copy_amounts(Resources *to, const Resources *from) {
    if (from->count > to->capacity) {
        to->capacity = from->count;
        RESIZE(to->items, to->capacity);
    }
    to->count = from->count;
    if (from->count)
        memcpy(to->items, from->items, from->count * sizeof *to->items);
}

static void change_pool(Bucket *bucket, const Tally *tally, bool minus) {
    PoolUsage *pool = &bucket->pool;
    uint32_t step = minus ? UINT32_MAX : 1;

    bucket->tallies += step;
    if (tally->is_deleting) {
        pool->deleting += step;
        return;
    }
    pool->nodes += step;
    bucket->saturated |= sum_add(&pool->capacity, &tally->capacity, minus);
}

// Recomputes the capacity of a pool.
static void recount_pool(Index *index, uint32_t at, const Tallies *all) {
    Bucket *bucket = &index->buckets[at];

    bucket->pool.capacity.count = 0;
    bucket->saturated = false;
    for (unsigned kind = 0; kind < TALLIES_COUNT; kind++) {
        for (uint32_t i = 0; i < all[kind].capacity; i++) {
            const Tally *tally = &all[kind].items[i];

            if (tally->counts && tally->bucket == at && !tally->is_deleting)
                bucket->saturated |= sum_add(&bucket->pool.capacity, &tally->capacity, false);
        }
    }
}

static void tally_clear(Index *index, Tally *tally, const Tallies *all) {
    Bucket *bucket = &index->buckets[tally->bucket];

    if (!tally->counts)
        return;
    tally->counts = false;
    change_pool(bucket, tally, true);
    if (bucket->saturated)
        recount_pool(index, tally->bucket, all);
}

void tally_set(Index *index, Tally *tally, const Count *count, const Tallies *all) {
    bool counted = tally->counts;
    uint32_t before = tally->bucket;

    tally_clear(index, tally, all);
    if (count->pool != INDEX_NONE) {
        tally->counts = true;
        tally->is_deleting = count->is_deleting;
        tally->bucket = index_get(index, INDEX_POOL, count->pool);
        copy_amounts(&tally->capacity, &count->capacity);
        change_pool(&index->buckets[tally->bucket], tally, false);
    }
    if (counted)
        index_tidy(index, before);
}
