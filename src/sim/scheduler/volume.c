// Volumes: bound ones must reach the node, unbound ones must be creatable there, and a node takes only so many.
//
// Static volumes for claims that wait for a consumer are not matched: such a claim always needs a provisioner.
#include "sim/scheduler/usher_parts.h"

static bool is_bound(Usher *usher, const PersistentVolumeClaim *claim) {
    return claim->volume_name != NAME_EMPTY &&
           (labels_get(&claim->meta.annotations, NAME_BIND_COMPLETED) != INDEX_NONE ||
            slice_eq_text(symbol_text(usher->symbols, claim->phase), "Bound"));
}

static const StorageClass *class_of(Usher *usher, const PersistentVolumeClaim *claim) {
    if (claim->has_storage_class && claim->storage_class == NAME_EMPTY)
        return NULL;
    return usher->sources.storage_class(usher->sources.self, claim->storage_class);
}

static void refuse(UsherTrial *trial, uint32_t plugin, Slice text) {
    trial->refused = text;
    trial->refused_plugin = plugin;
}

static uint64_t identity_of(const UsherVolumeNeed *need) {
    return need->volume ? need->volume->meta.name : (uint64_t)need->claim.ns << 32 | need->claim.name;
}

static const PersistentVolumeClaim *claim_of(const UsherTrial *trial, uint32_t i) {
    const UsherClaim *wanted = &trial->pod->claims[i];

    return trial->usher->sources.claim(trial->usher->sources.self, wanted->ns, wanted->name);
}

// Whether the claim can be used at all; else the pod is refused whatever the node.
static void check_claim(UsherTrial *trial, const UsherClaim *wanted, const PersistentVolumeClaim *claim) {
    Usher *usher = trial->usher;
    Slice name = symbol_text(usher->symbols, wanted->name);
    Slice text = {0};

    if (!claim && wanted->ephemeral)
        text = arena_printf(&usher->attempt_arena,
                            "waiting for ephemeral volume controller to create the persistentvolumeclaim \"%.*s\"",
                            SLICE_ARG(name));
    else if (!claim)
        text = arena_printf(&usher->attempt_arena, "persistentvolumeclaim \"%.*s\" not found", SLICE_ARG(name));
    else if (slice_eq_text(symbol_text(usher->symbols, claim->phase), "Lost"))
        text = arena_printf(&usher->attempt_arena,
                            "persistentvolumeclaim \"%.*s\" bound to non-existent persistentvolume \"%.*s\"",
                            SLICE_ARG(name), SLICE_ARG(symbol_text(usher->symbols, claim->volume_name)));
    else if (claim->meta.deleting)
        text = arena_printf(&usher->attempt_arena, "persistentvolumeclaim \"%.*s\" is being deleted", SLICE_ARG(name));
    if (text.len)
        refuse(trial, PLUGIN_VOLUMES, text);
}

static void need_volume(UsherTrial *trial, uint32_t i, const PersistentVolumeClaim *claim) {
    Usher *usher = trial->usher;
    UsherVolumeNeed *need = &trial->volumes[i];
    Symbol selected = symbol_find(usher->symbols, SLICE("volume.kubernetes.io/selected-node"));

    need->claim = trial->pod->claims[i];
    need->is_bound = is_bound(usher, claim);
    if (need->is_bound) {
        need->volume = usher->sources.volume(usher->sources.self, claim->volume_name);
        need->driver = need->volume ? need->volume->csi_driver : NAME_EMPTY;
    } else {
        need->storage_class = class_of(usher, claim);
        if (!need->storage_class || need->storage_class->immediate || claim->volume_name != NAME_EMPTY)
            return refuse(trial, PLUGIN_VOLUMES, SLICE("pod has unbound immediate PersistentVolumeClaims"));
        need->driver = need->storage_class->driver;
        trial->waits_for_volumes = true;
        if (selected != INDEX_NONE && labels_get(&claim->meta.annotations, selected) != INDEX_NONE)
            need->selected_node = labels_get(&claim->meta.annotations, selected);
    }
    need->identity = identity_of(need);
}

static bool uses(const UsherPod *pod, const UsherClaim *wanted) {
    for (uint32_t i = 0; i < pod->claim_count; i++) {
        if (pod->claims[i].ns == wanted->ns && pod->claims[i].name == wanted->name)
            return true;
    }
    return false;
}

// O(pods), but claims of this kind are few.
static void find_rivals(UsherTrial *trial, const UsherClaim *wanted) {
    Usher *usher = trial->usher;

    for (uint32_t slot = 0; slot < usher->pod_capacity; slot++) {
        if (slot != trial->slot && usher->pods[slot].used && uses(&usher->pods[slot], wanted))
            vec_push(&usher->attempt_arena, &trial->rivals, slot);
    }
}

// What comes before any node, plugin by plugin: VolumeBinding, then VolumeZone, which wants to read the volumes.
void usher_volumes_begin(UsherTrial *trial) {
    const UsherPod *pod = trial->pod;

    if (!pod->claim_count)
        return;
    trial->volumes = arena_array(&trial->usher->attempt_arena, UsherVolumeNeed, pod->claim_count);
    trial->volume_count = pod->claim_count;
    for (uint32_t i = 0; i < pod->claim_count && !trial->refused.len; i++)
        check_claim(trial, &pod->claims[i], claim_of(trial, i));
    for (uint32_t i = 0; i < pod->claim_count && !trial->refused.len; i++)
        need_volume(trial, i, claim_of(trial, i));
    for (uint32_t i = 0; i < pod->claim_count && !trial->refused.len; i++) {
        const PersistentVolumeClaim *claim = claim_of(trial, i);

        if (trial->volumes[i].is_bound && !trial->volumes[i].volume)
            refuse(trial, PLUGIN_VOLUME_ZONE,
                   arena_printf(&trial->usher->attempt_arena, "persistentvolume \"%.*s\" not found",
                                SLICE_ARG(symbol_text(trial->usher->symbols, claim->volume_name))));
        else if (claim->one_pod)
            find_rivals(trial, &pod->claims[i]);
    }
}

UsherReason usher_volume_rivals_filter(const UsherTrial *trial) {
    for (uint32_t i = 0; i < trial->rivals.count; i++) {
        if (trial->usher->pods[trial->rivals.items[i]].node != USHER_NONE)
            return REASON_VOLUME_IN_USE;
    }
    return REASON_FITS;
}

static bool terms_hold(const Usher *usher, const NodeTerm *terms, uint32_t count, const UsherNode *node) {
    for (uint32_t i = 0; i < count; i++) {
        if (usher_term_holds(usher->symbols, &terms[i], NULL, &node->labels, node->name))
            return true;
    }
    return count == 0;
}

static UsherReason filter_unbound(const Usher *usher, const UsherVolumeNeed *need, const UsherNode *node) {
    const StorageClass *class = need->storage_class;

    if (need->selected_node != NAME_EMPTY && need->selected_node != node->name)
        return REASON_VOLUME_UNBOUND;
    if (slice_eq_text(symbol_text(usher->symbols, class->driver), "kubernetes.io/no-provisioner"))
        return REASON_VOLUME_UNBOUND;
    return terms_hold(usher, class->allowed_topologies.items, class->allowed_topologies.count, node)
               ? REASON_FITS
               : REASON_VOLUME_UNBOUND;
}

// Zones as labels of the volume: "a__b" means either.
static bool has_zone(const Usher *usher, Symbol zones, Symbol value) {
    Slice left = symbol_text(usher->symbols, zones), wanted = symbol_text(usher->symbols, value);

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

static bool zone_allows(const Usher *usher, const PersistentVolume *volume, const UsherNode *node, Symbol key) {
    Symbol zones = labels_get(&volume->meta.labels, key), value = labels_get(&node->labels, key);

    return zones == INDEX_NONE || (value != INDEX_NONE && has_zone(usher, zones, value));
}

static bool zones_allow(const Usher *usher, const PersistentVolume *volume, const UsherNode *node) {
    if (node->zone == INDEX_NONE && node->region == INDEX_NONE)
        return true;
    return zone_allows(usher, volume, node, NAME_ZONE) && zone_allows(usher, volume, node, NAME_REGION);
}

UsherReason usher_volumes_filter(UsherTrial *trial, uint32_t slot) {
    const Usher *usher = trial->usher;
    const UsherNode *node = &usher->nodes[slot];
    UsherReason reason = REASON_FITS;

    for (uint32_t i = 0; i < trial->volume_count && reason == REASON_FITS; i++) {
        const UsherVolumeNeed *need = &trial->volumes[i];

        if (!need->is_bound)
            reason = filter_unbound(usher, need, node);
        else if (!terms_hold(usher, need->volume->node_terms.items, need->volume->node_terms.count, node))
            reason = REASON_VOLUME_AFFINITY;
    }
    for (uint32_t i = 0; i < trial->volume_count && reason == REASON_FITS; i++) {
        if (trial->volumes[i].volume && !zones_allow(usher, trial->volumes[i].volume, node))
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

// What a claim of a pod that runs already attaches; false: nothing of this driver.
static bool attaches(Usher *usher, const UsherClaim *wanted, Symbol driver, uint64_t *ret_identity) {
    const PersistentVolumeClaim *claim = usher->sources.claim(usher->sources.self, wanted->ns, wanted->name);
    UsherVolumeNeed need = {.claim = *wanted};
    const StorageClass *class;

    if (!claim)
        return false;
    if (claim->volume_name != NAME_EMPTY)
        need.volume = usher->sources.volume(usher->sources.self, claim->volume_name);
    class = need.volume ? NULL : class_of(usher, claim);
    need.driver = need.volume ? need.volume->csi_driver : class ? class->driver : NAME_EMPTY;
    *ret_identity = identity_of(&need);
    return need.driver == driver;
}

static void collect_attached(Usher *usher, uint32_t node, Symbol driver, Arena *arena, IdentityVec *identities) {
    for (uint32_t i = usher->nodes[node].first_pod; i != USHER_NONE; i = usher->pods[i].next_on_node) {
        for (uint32_t j = 0; j < usher->pods[i].claim_count; j++) {
            uint64_t identity;

            if (attaches(usher, &usher->pods[i].claims[j], driver, &identity))
                identity_add(arena, identities, identity);
        }
    }
    for (uint32_t i = 0;; i++) {
        Symbol name = usher->sources.attached_volume(usher->sources.self, usher->nodes[node].name, i);
        const PersistentVolume *volume;

        if (name == NAME_EMPTY)
            return;
        volume = usher->sources.volume(usher->sources.self, name);
        if (volume && volume->csi_driver == driver)
            identity_add(arena, identities, name);
    }
}

static uint32_t count_attachments(Usher *usher, uint32_t node) {
    uint32_t count = 0;

    while (usher->sources.attached_volume(usher->sources.self, usher->nodes[node].name, count) != NAME_EMPTY)
        count++;
    return count;
}

static bool exceeds(UsherTrial *trial, uint32_t node, const VolumeLimit *limit) {
    Usher *usher = trial->usher;
    ArenaMark mark = arena_mark(&usher->attempt_arena);
    IdentityVec identities = {0};
    bool is_new = false;

    // Far from the limit nobody needs to be counted.
    if (usher->nodes[node].claim_count + count_attachments(usher, node) + trial->volume_count <= limit->count)
        return false;
    collect_attached(usher, node, limit->driver, &usher->attempt_arena, &identities);
    for (uint32_t i = 0; i < trial->volume_count; i++) {
        if (trial->volumes[i].driver == limit->driver)
            is_new |= identity_add(&usher->attempt_arena, &identities, trial->volumes[i].identity);
    }
    arena_rewind(&usher->attempt_arena, mark);
    return is_new && identities.count > limit->count;
}

UsherReason usher_volume_limits_filter(UsherTrial *trial, uint32_t node) {
    Usher *usher = trial->usher;
    const CSINode *csi_node = usher->sources.csi_node(usher->sources.self, usher->nodes[node].name);

    if (!csi_node)
        return REASON_FITS;
    for (vec_each(const VolumeLimit, limit, &csi_node->drivers)) {
        if (limit->has_count && exceeds(trial, node, limit))
            return REASON_VOLUME_LIMIT;
    }
    return REASON_FITS;
}

void usher_claims_to_bind(Usher *usher, uint32_t slot, Arena *arena, SymbolVec *ret_claims) {
    const UsherPod *pod = &usher->pods[slot];

    for (uint32_t i = 0; i < pod->claim_count; i++) {
        const PersistentVolumeClaim *claim =
            usher->sources.claim(usher->sources.self, pod->claims[i].ns, pod->claims[i].name);

        if (claim && !is_bound(usher, claim))
            vec_push(arena, ret_claims, pod->claims[i].name);
    }
}
