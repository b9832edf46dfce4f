// Buckets, and the buckets that an object's handle belongs to.
#include "state/index.h"

#include "base/alloc.h"

static uint64_t bucket_key(IndexKind kind, Symbol key) {
    return (uint64_t)kind << 32 | key;
}

static uint32_t bucket_new(Index *index, IndexKind kind, Symbol key) {
    uint32_t at;

    if (index->free.count) {
        at = index->free.items[--index->free.count];
    } else {
        GROW(index->buckets, index->capacity, index->count + 1);
        at = index->count++;
    }
    index->buckets[at] = (Bucket){.key = key, .kind = kind};
    return at;
}

void index_init(Index *index) {
    *index = (Index){0};
    bucket_new(index, INDEX_PENDING, NAME_EMPTY);
}

// The number-th sum of a bucket; NULL: it has fewer.
static const Resources *sum_of(const Bucket *bucket, unsigned number) {
    if (bucket->kind == INDEX_NODE_NAME)
        return number ? &bucket->usage.daemon_requests : &bucket->usage.requests;
    return bucket->kind == INDEX_POOL && number == 0 ? &bucket->pool.capacity : NULL;
}

static void bucket_free(Bucket *bucket) {
    for (unsigned i = 0; i < 2; i++) {
        free(bucket->lanes[i].items);
        if (sum_of(bucket, i))
            free(sum_of(bucket, i)->items);
    }
    *bucket = (Bucket){.kind = INDEX_COUNT};
}

void index_free(Index *index) {
    for (uint32_t i = 0; i < index->count; i++)
        bucket_free(&index->buckets[i]);
    free(index->buckets);
    free(index->free.items);
    table_free(&index->keys);
    *index = (Index){0};
}

size_t index_bytes(const Index *index) {
    size_t bytes =
        index->capacity * sizeof *index->buckets + index->free.capacity * sizeof(uint32_t) + table_bytes(&index->keys);

    for (uint32_t i = 0; i < index->count; i++) {
        const Bucket *bucket = &index->buckets[i];

        for (unsigned j = 0; j < 2; j++) {
            bytes += bucket->lanes[j].capacity * sizeof(Handle);
            bytes += sum_of(bucket, j) ? sum_of(bucket, j)->capacity * sizeof(ResourceAmount) : 0;
        }
    }
    return bytes;
}

Bucket *index_find(const Index *index, IndexKind kind, Symbol key) {
    uint32_t at = table_get(&index->keys, bucket_key(kind, key));

    return at == INDEX_NONE ? NULL : &index->buckets[at];
}

uint32_t index_get(Index *index, IndexKind kind, Symbol key) {
    uint32_t at = table_get(&index->keys, bucket_key(kind, key));

    if (at != INDEX_NONE)
        return at;
    at = bucket_new(index, kind, key);
    table_put(&index->keys, bucket_key(kind, key), at);
    return at;
}

void index_tidy(Index *index, uint32_t at) {
    Bucket *bucket = &index->buckets[at];

    if (at == 0 || bucket->lanes[0].count || bucket->lanes[1].count || bucket->tallies)
        return;
    table_remove(&index->keys, bucket_key((IndexKind)bucket->kind, bucket->key));
    bucket_free(bucket);
    GROW(index->free.items, index->free.capacity, index->free.count + 1);
    index->free.items[index->free.count++] = at;
}

// The buckets of an object.

typedef struct {
    IndexKind index;
    Symbol key;
    bool wanted;
} Membership;

static unsigned lane_of(KubeKind kind) {
    switch (kind) {
    case KUBE_VOLUME_ATTACHMENT:
    case KUBE_NODE_CLAIM:
    case KUBE_PERSISTENT_VOLUME_CLAIM:
        return 1;
    default:
        return 0;
    }
}

static Membership named(IndexKind index, Symbol key) {
    return (Membership){index, key, key != NAME_EMPTY && key != INDEX_NONE};
}

static Membership pod_membership(const Pod *pod, uint16_t number) {
    if (number)
        return named(INDEX_OWNER, pod->owners.items[number - 1].uid);
    if (pod->node_name != NAME_EMPTY)
        return named(INDEX_NODE_NAME, pod->node_name);
    return (Membership){INDEX_PENDING, NAME_EMPTY, !pod_is_terminal(pod)};
}

static Membership membership(const Object *object, uint16_t number) {
    const ObjectMeta *meta = object_body(object);

    switch (object->kind) {
    case KUBE_POD:
        return pod_membership(object_pod(object), number);
    case KUBE_NODE:
        return number ? named(INDEX_POOL, labels_get(&meta->labels, NAME_NODEPOOL))
                      : named(INDEX_PROVIDER, ((const Node *)object_body(object))->provider_id);
    case KUBE_NODE_CLAIM:
        return number ? named(INDEX_POOL, labels_get(&meta->labels, NAME_NODEPOOL))
                      : named(INDEX_PROVIDER, ((const NodeClaim *)object_body(object))->provider_id);
    case KUBE_VOLUME_ATTACHMENT:
        return named(INDEX_NODE_NAME, ((const VolumeAttachment *)object_body(object))->node_name);
    default:
        return named(INDEX_NAMESPACE, meta->ns);
    }
}

// Adding and removing members.

static Link join(const IndexWriter *writer, Membership where, unsigned lane, Handle handle) {
    Index *index = writer->index;
    uint32_t at = where.index == INDEX_PENDING ? 0 : index_get(index, where.index, where.key);
    HandleVec *list = &index->buckets[at].lanes[lane];

    if (list->count == list->capacity && index->buckets[at].holes > list->count / 2)
        index_pending(index, &writer->slots[KUBE_POD]); // close the holes, in case nobody reads the list
    if (list->count == list->capacity) {
        list->capacity = list->capacity < 4 ? list->capacity + 2 : list->capacity + list->capacity / 2;
        RESIZE(list->items, list->capacity);
    }
    list->items[list->count] = handle;
    return (Link){at, list->count++};
}

static Link *link_at(Object *object, uint32_t bucket, uint32_t at) {
    Link *link = object->links;

    while (link->bucket != bucket || link->at != at) {
        link++;
        CHECK(link < object->links + object->link_count, "an index holds an object that does not know of it");
    }
    return link;
}

static void leave(const IndexWriter *writer, KubeKind kind, Link link) {
    Bucket *bucket = &writer->index->buckets[link.bucket];
    HandleVec *list = &bucket->lanes[lane_of(kind)];
    Handle last = list->items[list->count - 1];

    if (link.bucket == 0) {
        list->items[link.at] = HANDLE_NONE;
        bucket->holes++;
        return;
    }
    if (link.at != --list->count) {
        *link_at(slots_get(&writer->slots[kind], last.index), link.bucket, list->count) = link;
        list->items[link.at] = last;
    }
    index_tidy(writer->index, link.bucket);
}

// Updates the handle of an object that replaced another one of its name.
static void rename_handle(const IndexWriter *writer, KubeKind kind, Link link, Handle handle) {
    writer->index->buckets[link.bucket].lanes[lane_of(kind)].items[link.at] = handle;
}

static bool is_same(const Membership *a, const Membership *b) {
    return a->wanted == b->wanted && (!a->wanted || (a->index == b->index && a->key == b->key));
}

// `before` stays in its slot meanwhile, so its links are kept correct throughout: removals of other members may change
// them.
void index_update(const IndexWriter *writer, Handle handle, Object *before, Object *after) {
    uint16_t had = before ? before->link_count : 0, has = after ? after->link_count : 0;
    const Object *either = after ? after : before;
    KubeKind kind;

    CHECK(either, "an index was told of nothing");
    kind = (KubeKind)either->kind;
    for (uint16_t i = 0; i < had || i < has; i++) {
        Membership was = i < had ? membership(before, i) : (Membership){0};
        Membership is = i < has ? membership(after, i) : (Membership){0};

        if (is_same(&is, &was)) {
            if (is.wanted)
                rename_handle(writer, kind, before->links[i], handle);
            continue;
        }
        if (was.wanted) {
            Link left = before->links[i];

            before->links[i] = (Link){INDEX_NONE, 0};
            leave(writer, kind, left);
        }
        if (is.wanted)
            *(i < had ? &before->links[i] : &after->links[i]) = join(writer, is, lane_of(kind), handle);
    }
    if (has && had)
        memcpy(after->links, before->links, (had < has ? had : has) * sizeof(Link));
}

const HandleVec *index_pending(const Index *index, const Slots *pods) {
    Bucket *bucket = &index->buckets[0];
    HandleVec *list = &bucket->lanes[0];
    uint32_t kept = 0;

    if (bucket->holes == 0)
        return list;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].generation == 0)
            continue;
        if (i != kept)
            link_at(slots_get(pods, list->items[i].index), 0, i)->at = kept;
        list->items[kept++] = list->items[i];
    }
    list->count = kept;
    bucket->holes = 0;
    return list;
}
