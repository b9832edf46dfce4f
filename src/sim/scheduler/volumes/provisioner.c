// The volume provisioner component: which claims wait for what, and when their volumes are ready.
#include "sim/scheduler/volumes/volumes.h"

#include "base/alloc.h"

static const int64_t LATENCY_NS = 3 * NS_PER_S;
static const char SELECTED_NODE[] = "volume.kubernetes.io/selected-node";

static void claim_due(ClaimTicket *ticket) {
    if (ticket->due)
        return;
    ticket->due = true;
    vec_push(&ticket->provisioner->arena, &ticket->provisioner->due, ticket->handle.index);
}

static bool is_bound(const VolumeProvisioner *provisioner, const PersistentVolumeClaim *claim) {
    return claim->volume_name != NAME_EMPTY && slice_eq_text(provisioner_text(provisioner, claim->phase), "Bound");
}

// --- observing

static ClaimTicket *ticket_at(const VolumeProvisioner *provisioner, uint32_t index) {
    return index < provisioner->claims.count ? provisioner->claims.items[index] : NULL;
}

static void drop_ticket(VolumeProvisioner *provisioner, uint32_t index) {
    ClaimTicket *ticket = ticket_at(provisioner, index);

    if (!ticket)
        return;
    world_cancel(provisioner->world, ticket->alarm);
    free(ticket);
    provisioner->claims.items[index] = NULL;
}

static void observe_claim(VolumeProvisioner *provisioner, const StateChange *change) {
    const PersistentVolumeClaim *before = change->before, *after = change->after;
    uint32_t index = change->handle.index;
    ClaimTicket *ticket = ticket_at(provisioner, index);

    if (before && before->volume_name != NAME_EMPTY && (!after || after->meta.uid != before->meta.uid)) {
        vec_push(&provisioner->arena, &provisioner->orphans, before->meta.uid);
        vec_push(&provisioner->arena, &provisioner->orphans, before->volume_name);
    }
    if (ticket && (!after || is_bound(provisioner, after) || !handle_eq(ticket->handle, change->handle))) {
        drop_ticket(provisioner, index);
        ticket = NULL;
    }
    if (!after || is_bound(provisioner, after))
        return;
    if (!ticket) {
        ticket = NEW(ClaimTicket);
        *ticket = (ClaimTicket){
            .provisioner = provisioner, .handle = change->handle, .ns = after->meta.ns, .name = after->meta.name};
        while (provisioner->claims.count <= index)
            vec_push(&provisioner->arena, &provisioner->claims, NULL);
        provisioner->claims.items[index] = ticket;
    }
    claim_due(ticket);
}

static bool is_own(const VolumeProvisioner *provisioner, const PersistentVolume *volume) {
    return slice_starts_with(provisioner_text(provisioner, volume->meta.name), SLICE("pvc-"));
}

static void all_due(VolumeProvisioner *provisioner) {
    for (uint32_t i = 0; i < provisioner->claims.count; i++) {
        if (provisioner->claims.items[i])
            claim_due(provisioner->claims.items[i]);
    }
}

static void observe_volume(VolumeProvisioner *provisioner, const StateChange *change) {
    const PersistentVolume *before = change->before, *after = change->after;

    if (before && !is_own(provisioner, before))
        provisioner->static_volumes--;
    if (!after || is_own(provisioner, after))
        return;
    provisioner->static_volumes++;
    all_due(provisioner);
}

static void observe_pod(VolumeProvisioner *provisioner, const StateChange *change) {
    const Pod *pod = change->after;

    if (change->before || !pod || pod->deleting)
        return;
    for (vec_each(const PodVolume, volume, &pod->spec->volumes)) {
        if (!volume->ephemeral)
            continue;
        vec_push(&provisioner->arena, &provisioner->pods, change->handle);
        return;
    }
}

static void volume_provisioner_observe(void *self, const StateChange *change) {
    VolumeProvisioner *provisioner = self;

    if (change->kind == KUBE_PERSISTENT_VOLUME_CLAIM)
        observe_claim(provisioner, change);
    else if (change->kind == KUBE_PERSISTENT_VOLUME)
        observe_volume(provisioner, change);
    else if (change->kind == KUBE_POD)
        observe_pod(provisioner, change);
    else if (change->kind == KUBE_STORAGE_CLASS)
        all_due(provisioner);
}

// --- zones

// The selected node of a claim. NAME_EMPTY: none; the State's empty Node: it no longer exists.
static Symbol selected_node(const VolumeProvisioner *provisioner, const PersistentVolumeClaim *claim) {
    Symbol key = symbol_find(provisioner->symbols, slice_of(SELECTED_NODE));
    Symbol node = key == INDEX_NONE ? INDEX_NONE : labels_get(&claim->meta.annotations, key);

    return node == INDEX_NONE ? NAME_EMPTY : node;
}

static const Node *find_node(const VolumeProvisioner *provisioner, Symbol name) {
    return state_node(provisioner->state, state_find(provisioner->state, KUBE_NODE, NAME_EMPTY, name));
}

static Symbol zone_of(const Node *node) {
    Symbol zone = node ? labels_get(&node->meta.labels, NAME_ZONE) : INDEX_NONE;

    return zone == INDEX_NONE ? NAME_EMPTY : zone;
}

static void add_zone(Arena *arena, SymbolVec *zones, Symbol zone) {
    for (uint32_t i = 0; i < zones->count; i++) {
        if (zones->items[i] == zone)
            return;
    }
    if (zone != NAME_EMPTY)
        vec_push(arena, zones, zone);
}

// The zone for a class that binds immediately: any that it allows, or that has a node.
static Symbol any_zone(VolumeProvisioner *provisioner, const StorageClass *class) {
    const State *state = provisioner->state;
    SymbolVec zones = {0};

    for (vec_each(const NodeTerm, term, &class->allowed_topologies)) {
        for (vec_each(const Expression, expression, &term->expressions)) {
            for (uint32_t i = 0; i < expression->values.count && expression->key == NAME_ZONE; i++)
                add_zone(&provisioner->scratch, &zones, expression->values.items[i]);
        }
    }
    for (Handle at = state_next(state, KUBE_NODE, HANDLE_NONE); at.generation && !class->allowed_topologies.count;
         at = state_next(state, KUBE_NODE, at))
        add_zone(&provisioner->scratch, &zones, zone_of(state_node(state, at)));
    return zones.count ? zones.items[random_below(&provisioner->random, zones.count)] : NAME_EMPTY;
}

// --- working

static const PersistentVolumeClaim *claim_of(const ClaimTicket *ticket) {
    return state_persistent_volume_claim(ticket->provisioner->state, ticket->handle);
}

// The class of a claim if there is a provisioner for it; else NULL.
static const StorageClass *class_of(const VolumeProvisioner *provisioner, const PersistentVolumeClaim *claim) {
    const StorageClass *class = state_storage_class(
        provisioner->state, state_find(provisioner->state, KUBE_STORAGE_CLASS, NAME_EMPTY, claim->storage_class));

    if (!class || slice_eq_text(provisioner_text(provisioner, class->driver), "kubernetes.io/no-provisioner"))
        return NULL;
    return class;
}

static bool get_claim(const ClaimTicket *ticket, Value *ret_claim) {
    VolumeProvisioner *provisioner = ticket->provisioner;
    KubeRef ref = {KUBE_PERSISTENT_VOLUME_CLAIM, provisioner_text(provisioner, ticket->ns),
                   provisioner_text(provisioner, ticket->name)};

    return kube_get(world_kube(provisioner->world), &provisioner->scratch, ref, ret_claim, NULL) == OK;
}

// Removes the selected node, so that the scheduler chooses again.
static void unselect(const ClaimTicket *ticket) {
    VolumeProvisioner *provisioner = ticket->provisioner;
    Value patch = value_map(),
          *annotations = value_make(&provisioner->scratch, &patch, "metadata", "annotations", NULL);

    value_put(&provisioner->scratch, annotations, slice_of(SELECTED_NODE), value_null());
    world_patch(provisioner->world, "csi-provisioner", KUBE_PERSISTENT_VOLUME_CLAIM,
                provisioner_text(provisioner, ticket->ns), provisioner_text(provisioner, ticket->name), KUBE_OBJECT,
                &patch);
}

// Whether the claim still waits to be provisioned, and in which zone.
static bool may_provision(const ClaimTicket *ticket, const PersistentVolumeClaim *claim,
                          const StorageClass **ret_class) {
    VolumeProvisioner *provisioner = ticket->provisioner;
    const StorageClass *class =
        claim->volume_name == NAME_EMPTY && !claim->meta.deleting ? class_of(provisioner, claim) : NULL;
    Symbol node = selected_node(provisioner, claim);

    if (!class || (!class->immediate && node == NAME_EMPTY))
        return false;
    if (!class->immediate && !find_node(provisioner, node)) {
        unselect(ticket);
        return false;
    }
    *ret_class = class;
    return true;
}

static void ring(void *context) {
    ClaimTicket *ticket = context;
    VolumeProvisioner *provisioner = ticket->provisioner;
    const PersistentVolumeClaim *claim = claim_of(ticket);
    ArenaMark mark = arena_mark(&provisioner->scratch);
    const StorageClass *class;
    Value object;

    ticket->alarm = 0;
    if (claim && may_provision(ticket, claim, &class) && get_claim(ticket, &object))
        volume_provision(provisioner, &object,
                         class->immediate ? any_zone(provisioner, class)
                                          : zone_of(find_node(provisioner, selected_node(provisioner, claim))));
    arena_rewind(&provisioner->scratch, mark);
}

static void look_at(ClaimTicket *ticket) {
    VolumeProvisioner *provisioner = ticket->provisioner;
    const PersistentVolumeClaim *claim = claim_of(ticket);
    const StorageClass *class = NULL;
    Slice match = {0};
    Value object;

    if (!claim || is_bound(provisioner, claim) || !get_claim(ticket, &object))
        return;
    if (claim->volume_name != NAME_EMPTY) {
        volume_bind(provisioner, &object, provisioner_text(provisioner, claim->volume_name));
        return;
    }
    class = class_of(provisioner, claim);
    if (provisioner->static_volumes && (!class || class->immediate))
        match = volume_find_match(provisioner, &object);
    if (match.len && volume_bind(provisioner, &object, match))
        return;
    if (!ticket->alarm && may_provision(ticket, claim, &class))
        ticket->alarm =
            world_alarm(provisioner->world, world_now_ns(provisioner->world) + provisioner->latency_ns, ring, ticket);
}

static bool work_on_claims(VolumeProvisioner *provisioner) {
    U32Vec due = provisioner->due;

    provisioner->due = provisioner->working;
    provisioner->due.count = 0;
    provisioner->working = due;
    for (uint32_t i = 0; i < due.count; i++) {
        ClaimTicket *ticket = ticket_at(provisioner, due.items[i]);
        ArenaMark mark = arena_mark(&provisioner->scratch);

        if (!ticket || !ticket->due)
            continue;
        ticket->due = false;
        look_at(ticket);
        arena_rewind(&provisioner->scratch, mark);
    }
    return due.count > 0;
}

static bool work_on_pods(VolumeProvisioner *provisioner) {
    HandleVec pods = provisioner->pods;

    provisioner->pods = provisioner->working_pods;
    provisioner->pods.count = 0;
    provisioner->working_pods = pods;
    for (vec_each(const Handle, handle, &pods)) {
        const Pod *pod = state_pod(provisioner->state, *handle);
        ArenaMark mark = arena_mark(&provisioner->scratch);

        if (pod)
            volume_claims_of_pod(provisioner, pod);
        arena_rewind(&provisioner->scratch, mark);
    }
    return pods.count > 0;
}

static bool work_on_orphans(VolumeProvisioner *provisioner) {
    uint32_t count = provisioner->orphans.count;

    for (uint32_t i = 0; i < count; i += 2) {
        ArenaMark mark = arena_mark(&provisioner->scratch);

        volume_reclaim(provisioner, provisioner_text(provisioner, provisioner->orphans.items[i]),
                       provisioner_text(provisioner, provisioner->orphans.items[i + 1]));
        arena_rewind(&provisioner->scratch, mark);
    }
    provisioner->orphans.count = 0;
    return count > 0;
}

// --- the component

static bool volume_provisioner_react(void *self) {
    VolumeProvisioner *provisioner = self;
    bool any = work_on_pods(provisioner);

    any |= work_on_claims(provisioner);
    any |= work_on_orphans(provisioner);
    return any;
}

static void free_provisioner(void *self) {
    VolumeProvisioner *provisioner = self;

    for (uint32_t i = 0; i < provisioner->claims.count; i++)
        drop_ticket(provisioner, i);
    arena_free(&provisioner->scratch);
    arena_free(&provisioner->arena);
    free(provisioner);
}

// Notes the claims that exist at the start.
static void look_around(VolumeProvisioner *provisioner) {
    static const KubeKind kinds[] = {KUBE_PERSISTENT_VOLUME, KUBE_PERSISTENT_VOLUME_CLAIM, KUBE_POD};
    const State *state = provisioner->state;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (Handle at = state_next(state, kinds[i], HANDLE_NONE); at.generation;
             at = state_next(state, kinds[i], at)) {
            StateChange change = {.kind = kinds[i], .handle = at};

            if (kinds[i] == KUBE_POD)
                change.after = state_pod(state, at);
            else if (kinds[i] == KUBE_PERSISTENT_VOLUME)
                change.after = state_persistent_volume(state, at);
            else
                change.after = state_persistent_volume_claim(state, at);
            volume_provisioner_observe(provisioner, &change);
        }
    }
}

void sim_provisioner_add(World *world, const SimProvisionerConfig *config) {
    static const ComponentTable table = {.name = "volumes",
                                         .observe = volume_provisioner_observe,
                                         .react = volume_provisioner_react,
                                         .free = free_provisioner};
    VolumeProvisioner *provisioner = NEW(VolumeProvisioner);

    provisioner->world = world;
    provisioner->state = world_state(world);
    provisioner->symbols = world_symbols(world);
    provisioner->random = world_random(world, "volumes");
    provisioner->latency_ns = config && config->latency_ns ? config->latency_ns : LATENCY_NS;
    look_around(provisioner);
    world_add(world, &table, provisioner);
}
