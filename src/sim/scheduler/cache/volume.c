// Filters of volumes: bound ones must be reachable from the node, unbound ones must be creatable there, and a node can
// attach a limited number.
//
// Static volumes for claims that wait for a consumer are not matched: such a claim always needs a provisioner.
#include "sim/scheduler/cache/volume.h"

#include "sim/scheduler/cache/match.h"

static bool is_bound(SchedulerCache *cache, const PersistentVolumeClaim *claim) {
    return claim->volume_name != NAME_EMPTY &&
           (labels_get(&claim->meta.annotations, NAME_BIND_COMPLETED) != INDEX_NONE ||
            slice_eq_text(symbol_text(cache->symbols, claim->phase), "Bound"));
}

static const StorageClass *class_of(SchedulerCache *cache, const PersistentVolumeClaim *claim) {
    if (claim->has_storage_class && claim->storage_class == NAME_EMPTY)
        return NULL;
    return cache->sources.storage_class(cache->sources.self, claim->storage_class);
}

static void refuse(CacheTrial *trial, uint32_t plugin, Slice text) {
    trial->refused = text;
    trial->refused_plugin = plugin;
}

static uint64_t identity_of(const CacheVolumeNeed *need) {
    return need->volume ? need->volume->meta.name : (uint64_t)need->claim.ns << 32 | need->claim.name;
}

static const PersistentVolumeClaim *claim_of(const CacheTrial *trial, uint32_t i) {
    const CacheClaim *wanted = &trial->pod->claims[i];

    return trial->cache->sources.claim(trial->cache->sources.self, wanted->ns, wanted->name);
}

// Checks that the claim can be used at all; otherwise the pod is refused on every node.
static void check_claim(CacheTrial *trial, const CacheClaim *wanted, const PersistentVolumeClaim *claim) {
    SchedulerCache *cache = trial->cache;
    Slice name = symbol_text(cache->symbols, wanted->name);
    Slice text = {0};

    if (!claim && wanted->ephemeral)
        text = arena_printf(&cache->attempt_arena,
                            "waiting for ephemeral volume controller to create the persistentvolumeclaim \"%.*s\"",
                            SLICE_ARG(name));
    else if (!claim)
        text = arena_printf(&cache->attempt_arena, "persistentvolumeclaim \"%.*s\" not found", SLICE_ARG(name));
    else if (slice_eq_text(symbol_text(cache->symbols, claim->phase), "Lost"))
        text = arena_printf(&cache->attempt_arena,
                            "persistentvolumeclaim \"%.*s\" bound to non-existent persistentvolume \"%.*s\"",
                            SLICE_ARG(name), SLICE_ARG(symbol_text(cache->symbols, claim->volume_name)));
    else if (claim->meta.deleting)
        text = arena_printf(&cache->attempt_arena, "persistentvolumeclaim \"%.*s\" is being deleted", SLICE_ARG(name));
    if (text.len)
        refuse(trial, PLUGIN_VOLUMES, text);
}

static void need_volume(CacheTrial *trial, uint32_t i, const PersistentVolumeClaim *claim) {
    SchedulerCache *cache = trial->cache;
    CacheVolumeNeed *need = &trial->volumes[i];
    Symbol selected = symbol_find(cache->symbols, SLICE("volume.kubernetes.io/selected-node"));

    need->claim = trial->pod->claims[i];
    need->is_bound = is_bound(cache, claim);
    if (need->is_bound) {
        need->volume = cache->sources.volume(cache->sources.self, claim->volume_name);
        need->driver = need->volume ? need->volume->csi_driver : NAME_EMPTY;
    } else {
        need->storage_class = class_of(cache, claim);
        if (!need->storage_class || need->storage_class->immediate || claim->volume_name != NAME_EMPTY)
            return refuse(trial, PLUGIN_VOLUMES, SLICE("pod has unbound immediate PersistentVolumeClaims"));
        need->driver = need->storage_class->driver;
        trial->waits_for_volumes = true;
        if (selected != INDEX_NONE && labels_get(&claim->meta.annotations, selected) != INDEX_NONE)
            need->selected_node = labels_get(&claim->meta.annotations, selected);
    }
    need->identity = identity_of(need);
}

static bool uses(const CachePod *pod, const CacheClaim *wanted) {
    for (uint32_t i = 0; i < pod->claim_count; i++) {
        if (pod->claims[i].ns == wanted->ns && pod->claims[i].name == wanted->name)
            return true;
    }
    return false;
}

// Finds the other users of a ReadWriteOncePod claim. O(pods), but such claims are rare.
static void find_rivals(CacheTrial *trial, const CacheClaim *wanted) {
    SchedulerCache *cache = trial->cache;

    for (uint32_t slot = 0; slot < cache->pod_capacity; slot++) {
        if (slot != trial->slot && cache->pods[slot].used && uses(&cache->pods[slot], wanted))
            vec_push(&cache->attempt_arena, &trial->rivals, slot);
    }
}

// Checks before any node, in the order of plugins: VolumeBinding, then VolumeZone, which reads the volumes.
void cache_volumes_begin(CacheTrial *trial) {
    const CachePod *pod = trial->pod;

    if (!pod->claim_count)
        return;
    trial->volumes = arena_array(&trial->cache->attempt_arena, CacheVolumeNeed, pod->claim_count);
    trial->volume_count = pod->claim_count;
    for (uint32_t i = 0; i < pod->claim_count && !trial->refused.len; i++)
        check_claim(trial, &pod->claims[i], claim_of(trial, i));
    for (uint32_t i = 0; i < pod->claim_count && !trial->refused.len; i++)
        need_volume(trial, i, claim_of(trial, i));
    for (uint32_t i = 0; i < pod->claim_count && !trial->refused.len; i++) {
        const PersistentVolumeClaim *claim = claim_of(trial, i);

        if (trial->volumes[i].is_bound && !trial->volumes[i].volume)
            refuse(trial, PLUGIN_VOLUME_ZONE,
                   arena_printf(&trial->cache->attempt_arena, "persistentvolume \"%.*s\" not found",
                                SLICE_ARG(symbol_text(trial->cache->symbols, claim->volume_name))));
        else if (claim->one_pod)
            find_rivals(trial, &pod->claims[i]);
    }
}

CacheReason cache_volume_rivals_filter(const CacheTrial *trial) {
    for (uint32_t i = 0; i < trial->rivals.count; i++) {
        if (trial->cache->pods[trial->rivals.items[i]].node != CACHE_NONE)
            return REASON_VOLUME_IN_USE;
    }
    return REASON_FITS;
}

static bool terms_hold(const SchedulerCache *cache, const NodeTerm *terms, uint32_t count, const CacheNode *node) {
    for (uint32_t i = 0; i < count; i++) {
        if (cache_term_holds(cache->symbols, &terms[i], NULL, &node->labels, node->name))
            return true;
    }
    return count == 0;
}

static CacheReason filter_unbound(const SchedulerCache *cache, const CacheVolumeNeed *need, const CacheNode *node) {
    const StorageClass *class = need->storage_class;

    if (need->selected_node != NAME_EMPTY && need->selected_node != node->name)
        return REASON_VOLUME_UNBOUND;
    if (slice_eq_text(symbol_text(cache->symbols, class->driver), "kubernetes.io/no-provisioner"))
        return REASON_VOLUME_UNBOUND;
    return terms_hold(cache, class->allowed_topologies.items, class->allowed_topologies.count, node)
               ? REASON_FITS
               : REASON_VOLUME_UNBOUND;
}

// Whether a volume's zone label has the value: "a__b" means either.
static bool has_zone(const SchedulerCache *cache, Symbol zones, Symbol value) {
    Slice left = symbol_text(cache->symbols, zones), wanted = symbol_text(cache->symbols, value);

    while (left.len) {
        size_t end = 0;

        while (end < left.len && !(left.ptr[end] == '_' && end + 1 < left.len && left.ptr[end + 1] == '_'))
            end++;
        if (slice_eq(slice_first(left, end), wanted))
            return true;
        left = slice_from(left, end + 2);
    }
    return false;
}

static bool zone_allows(const SchedulerCache *cache, const PersistentVolume *volume, const CacheNode *node,
                        Symbol key) {
    Symbol zones = labels_get(&volume->meta.labels, key), value = labels_get(&node->labels, key);

    return zones == INDEX_NONE || (value != INDEX_NONE && has_zone(cache, zones, value));
}

static bool zones_allow(const SchedulerCache *cache, const PersistentVolume *volume, const CacheNode *node) {
    if (node->zone == INDEX_NONE && node->region == INDEX_NONE)
        return true;
    return zone_allows(cache, volume, node, NAME_ZONE) && zone_allows(cache, volume, node, NAME_REGION);
}

CacheReason cache_volumes_filter(CacheTrial *trial, uint32_t slot) {
    const SchedulerCache *cache = trial->cache;
    const CacheNode *node = &cache->nodes[slot];
    CacheReason reason = REASON_FITS;

    for (uint32_t i = 0; i < trial->volume_count && reason == REASON_FITS; i++) {
        const CacheVolumeNeed *need = &trial->volumes[i];

        if (!need->is_bound)
            reason = filter_unbound(cache, need, node);
        else if (!terms_hold(cache, need->volume->node_terms.items, need->volume->node_terms.count, node))
            reason = REASON_VOLUME_AFFINITY;
    }
    for (uint32_t i = 0; i < trial->volume_count && reason == REASON_FITS; i++) {
        if (trial->volumes[i].volume && !zones_allow(cache, trial->volumes[i].volume, node))
            reason = REASON_VOLUME_ZONE;
    }
    return reason;
}

// --- limits

typedef Vec(uint64_t) IdentityVec;

static bool identity_add(Arena *arena, IdentityVec *identities, uint64_t identity) {
    for (uint32_t i = 0; i < identities->count; i++) {
        if (identities->items[i] == identity)
            return false;
    }
    vec_push(arena, identities, identity);
    return true;
}

// What a claim of a running pod attaches; false: nothing of this driver.
static bool attaches(SchedulerCache *cache, const CacheClaim *wanted, Symbol driver, uint64_t *ret_identity) {
    const PersistentVolumeClaim *claim = cache->sources.claim(cache->sources.self, wanted->ns, wanted->name);
    CacheVolumeNeed need = {.claim = *wanted};
    const StorageClass *class;

    if (!claim)
        return false;
    if (claim->volume_name != NAME_EMPTY)
        need.volume = cache->sources.volume(cache->sources.self, claim->volume_name);
    class = need.volume ? NULL : class_of(cache, claim);
    need.driver = need.volume ? need.volume->csi_driver : class ? class->driver : NAME_EMPTY;
    *ret_identity = identity_of(&need);
    return need.driver == driver;
}

static void collect_attached(SchedulerCache *cache, uint32_t node, Symbol driver, Arena *arena,
                             IdentityVec *identities) {
    for (uint32_t i = cache->nodes[node].first_pod; i != CACHE_NONE; i = cache->pods[i].next_on_node) {
        for (uint32_t j = 0; j < cache->pods[i].claim_count; j++) {
            uint64_t identity;

            if (attaches(cache, &cache->pods[i].claims[j], driver, &identity))
                identity_add(arena, identities, identity);
        }
    }
    for (uint32_t i = 0;; i++) {
        Symbol name = cache->sources.attached_volume(cache->sources.self, cache->nodes[node].name, i);
        const PersistentVolume *volume;

        if (name == NAME_EMPTY)
            return;
        volume = cache->sources.volume(cache->sources.self, name);
        if (volume && volume->csi_driver == driver)
            identity_add(arena, identities, name);
    }
}

static uint32_t count_attachments(SchedulerCache *cache, uint32_t node) {
    uint32_t count = 0;

    while (cache->sources.attached_volume(cache->sources.self, cache->nodes[node].name, count) != NAME_EMPTY)
        count++;
    return count;
}

static bool exceeds(CacheTrial *trial, uint32_t node, const VolumeLimit *limit) {
    SchedulerCache *cache = trial->cache;
    ArenaMark mark = arena_mark(&cache->attempt_arena);
    IdentityVec identities = {0};
    bool is_new = false;

    // Far from the limit exact counting is not necessary.
    if (cache->nodes[node].claim_count + count_attachments(cache, node) + trial->volume_count <= limit->count)
        return false;
    collect_attached(cache, node, limit->driver, &cache->attempt_arena, &identities);
    for (uint32_t i = 0; i < trial->volume_count; i++) {
        if (trial->volumes[i].driver == limit->driver)
            is_new |= identity_add(&cache->attempt_arena, &identities, trial->volumes[i].identity);
    }
    arena_rewind(&cache->attempt_arena, mark);
    return is_new && identities.count > limit->count;
}

CacheReason cache_volume_limits_filter(CacheTrial *trial, uint32_t node) {
    SchedulerCache *cache = trial->cache;
    const CSINode *csi_node = cache->sources.csi_node(cache->sources.self, cache->nodes[node].name);

    if (!csi_node)
        return REASON_FITS;
    for (vec_each(const VolumeLimit, limit, &csi_node->drivers)) {
        if (limit->has_count && exceeds(trial, node, limit))
            return REASON_VOLUME_LIMIT;
    }
    return REASON_FITS;
}

void cache_claims_to_bind(SchedulerCache *cache, uint32_t slot, Arena *arena, SymbolVec *ret_claims) {
    const CachePod *pod = &cache->pods[slot];

    for (uint32_t i = 0; i < pod->claim_count; i++) {
        const PersistentVolumeClaim *claim =
            cache->sources.claim(cache->sources.self, pod->claims[i].ns, pod->claims[i].name);

        if (claim && !is_bound(cache, claim))
            vec_push(arena, ret_claims, pod->claims[i].name);
    }
}
