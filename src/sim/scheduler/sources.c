// CacheSources over a State.
#include "sim/scheduler/sources.h"

static const State *state_of(void *self) {
    return ((const StateSources *)self)->state;
}

static const Namespace *find_namespace(void *self, Symbol name) {
    return state_namespace(state_of(self), state_find(state_of(self), KUBE_NAMESPACE, NAME_EMPTY, name));
}

static const PersistentVolumeClaim *find_claim(void *self, Symbol ns, Symbol name) {
    return state_persistent_volume_claim(state_of(self),
                                         state_find(state_of(self), KUBE_PERSISTENT_VOLUME_CLAIM, ns, name));
}

static const PersistentVolume *find_volume(void *self, Symbol name) {
    return state_persistent_volume(state_of(self),
                                   state_find(state_of(self), KUBE_PERSISTENT_VOLUME, NAME_EMPTY, name));
}

// The newest StorageClass that is marked as default, as the API server's admission chooses.
static const StorageClass *find_default_class(const State *state) {
    const StorageClass *best = NULL;

    for (Handle at = state_next(state, KUBE_STORAGE_CLASS, HANDLE_NONE); at.generation;
         at = state_next(state, KUBE_STORAGE_CLASS, at)) {
        const StorageClass *class = state_storage_class(state, at);

        if (class->is_default && (!best || class->meta.created_ns > best->meta.created_ns))
            best = class;
    }
    return best;
}

static const StorageClass *find_class(void *self, Symbol name) {
    const State *state = state_of(self);

    if (name == NAME_EMPTY)
        return find_default_class(state);
    return state_storage_class(state, state_find(state, KUBE_STORAGE_CLASS, NAME_EMPTY, name));
}

static const CSINode *find_csi_node(void *self, Symbol node) {
    return state_csi_node(state_of(self), state_find(state_of(self), KUBE_CSI_NODE, NAME_EMPTY, node));
}

static const PodOwner *find_owner(void *self, KubeKind kind, Symbol ns, Symbol name) {
    const State *state = state_of(self);
    Handle handle = state_find(state, kind, ns, name);

    return kind == KUBE_REPLICA_SET ? state_replica_set(state, handle) : state_stateful_set(state, handle);
}

static const Service *service_at(void *self, uint32_t index) {
    StateSources *sources = self;

    if (index == 0)
        sources->service = HANDLE_NONE;
    sources->service = state_next(sources->state, KUBE_SERVICE, sources->service);
    return sources->service.generation ? state_service(sources->state, sources->service) : NULL;
}

static const PodDisruptionBudget *budget_at(void *self, Symbol ns, uint32_t index) {
    const HandleVec *budgets = state_budgets_in(state_of(self), ns);

    return index < budgets->count ? state_pod_disruption_budget(state_of(self), budgets->items[index]) : NULL;
}

static Symbol attached_volume(void *self, Symbol node, uint32_t index) {
    const HandleVec *attachments = state_attachments_on_node(state_of(self), node);

    return index < attachments->count ? state_volume_attachment(state_of(self), attachments->items[index])->volume_name
                                      : NAME_EMPTY;
}

CacheSources cache_sources_of_state(StateSources *sources, const State *state) {
    *sources = (StateSources){.state = state};
    return (CacheSources){
        .namespace = find_namespace,
        .claim = find_claim,
        .volume = find_volume,
        .storage_class = find_class,
        .csi_node = find_csi_node,
        .owner = find_owner,
        .service = service_at,
        .budget = budget_at,
        .attached_volume = attached_volume,
        .self = sources,
    };
}
