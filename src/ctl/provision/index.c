// Pods and their claims, found by uid and by name.
#include "ctl/provision/index.h"

enum { SWEEP_LEAST = 256 }; // fewer dead entries are not worth a sweep

void provision_index_free(ProvisionIndex *index) {
    arena_free(&index->arena);
    *index = (ProvisionIndex){0};
}

uint32_t provision_index_find_pod(const ProvisionIndex *index, Symbol uid) {
    return u64_map_get(&index->pod_of_uid, uid);
}

uint32_t provision_index_add_pod(ProvisionIndex *index, Symbol uid) {
    uint32_t found = provision_index_find_pod(index, uid);

    if (found != INDEX_NONE)
        return found;
    CHECK(uid != SYMBOL_EMPTY, "a pod without uid");
    u64_map_put(&index->arena, &index->pod_of_uid, uid, index->pods.count);
    vec_push(&index->arena, &index->pods, (KnownPod){.uid = uid, .claim = INDEX_NONE});
    return index->pods.count - 1;
}

void provision_index_forget_pod(ProvisionIndex *index, uint32_t pod) {
    KnownPod *known = known_pod(index, pod);

    u64_map_put(&index->arena, &index->pod_of_uid, known->uid, INDEX_NONE);
    *known = (KnownPod){.claim = INDEX_NONE};
    index->dead_pods++;
}

uint32_t provision_index_find_claim(const ProvisionIndex *index, Symbol name) {
    return u64_map_get(&index->claim_of_name, name);
}

uint32_t provision_index_add_claim(ProvisionIndex *index, LaunchOffering offering, Mono created) {
    vec_push(&index->arena, &index->claims, (KnownClaim){.used = true, .offering = offering, .created = created});
    return index->claims.count - 1;
}

void provision_index_name_claim(ProvisionIndex *index, uint32_t claim, Symbol name) {
    known_claim(index, claim)->name = name;
    u64_map_put(&index->arena, &index->claim_of_name, name, claim);
}

void provision_index_clear_claim(ProvisionIndex *index, uint32_t claim) {
    for (vec_each(uint32_t, pod, &known_claim(index, claim)->pods)) {
        if (known_pod(index, *pod)->claim == claim)
            known_pod(index, *pod)->claim = INDEX_NONE;
    }
}

void provision_index_forget_claim(ProvisionIndex *index, uint32_t claim) {
    KnownClaim *known = known_claim(index, claim);

    provision_index_clear_claim(index, claim);
    if (known->name != SYMBOL_EMPTY && provision_index_find_claim(index, known->name) == claim)
        u64_map_put(&index->arena, &index->claim_of_name, known->name, INDEX_NONE);
    *known = (KnownClaim){0};
    index->dead_claims++;
}

void provision_index_place_on_claim(ProvisionIndex *index, uint32_t pod, uint32_t claim) {
    KnownPod *known = known_pod(index, pod);

    known->placed = (Mono){0};
    if (known->claim == claim)
        return;
    known->claim = claim;
    vec_push(&index->arena, &known_claim(index, claim)->pods, pod);
}

void provision_index_place_on_node(ProvisionIndex *index, uint32_t pod, Mono now) {
    known_pod(index, pod)->claim = INDEX_NONE;
    known_pod(index, pod)->placed = now;
}

void provision_index_unplace(ProvisionIndex *index, uint32_t pod) {
    known_pod(index, pod)->claim = INDEX_NONE;
    known_pod(index, pod)->placed = (Mono){0};
}

// --- sweeping

static void copy_claim(ProvisionIndex *to, const KnownClaim *claim) {
    uint32_t number = provision_index_add_claim(to, claim->offering, claim->created);
    KnownClaim *copy = known_claim(to, number);

    copy->counted = claim->counted;
    copy->ready = claim->ready;
    copy->gone = claim->gone;
    if (claim->name != SYMBOL_EMPTY) // the name belongs to the latest claim that has it, which is added last
        provision_index_name_claim(to, number, claim->name);
}

static void copy_pod(ProvisionIndex *to, const KnownPod *pod, const uint32_t *claims) {
    uint32_t number = provision_index_add_pod(to, pod->uid);

    if (pod->claim != INDEX_NONE)
        provision_index_place_on_claim(to, number, claims[pod->claim]);
    known_pod(to, number)->placed = pod->placed;
    known_pod(to, number)->told = pod->told;
    known_pod(to, number)->warned = pod->warned;
    known_pod(to, number)->aside = pod->aside;
    known_pod(to, number)->aside_rest_ns = pod->aside_rest_ns;
}

void provision_index_sweep(ProvisionIndex *index) {
    uint32_t dead = index->dead_pods + index->dead_claims;
    ProvisionIndex fresh = {0};
    uint32_t *claims;

    if (dead < SWEEP_LEAST || dead < (index->pods.count + index->claims.count) / 2)
        return;
    claims = arena_array(&index->arena, uint32_t, index->claims.count);
    for (uint32_t i = 0; i < index->claims.count; i++) {
        claims[i] = fresh.claims.count;
        if (index->claims.items[i].used)
            copy_claim(&fresh, &index->claims.items[i]);
    }
    for (vec_each(const KnownPod, pod, &index->pods)) {
        if (pod->uid != SYMBOL_EMPTY)
            copy_pod(&fresh, pod, claims);
    }
    provision_index_free(index);
    *index = fresh;
}
