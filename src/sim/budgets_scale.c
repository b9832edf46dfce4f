// Scale of the owners, read from the API server.
#include "sim/budgets_scale.h"

#include "sim/workloads/build.h"

typedef struct {
    Slice uid;
    int64_t scale;
} Scaled;

static const Value *controller_of(const Value *object) {
    const ValueList *owners = read_list(value_get_text(object, "metadata"), "ownerReferences");

    for (vec_each(const Value, owner, owners)) {
        if (read_bool(owner, "controller"))
            return owner;
    }
    return NULL;
}

// A pod of the controller, for the error message.
static Slice a_pod_of(const State *state, const PodController *controller) {
    const HandleVec *pods = state_pods_of_owner(state, controller->owner.uid);

    return pods->count ? symbol_text(state_symbols(state), state_pod(state, pods->items[0])->name) : (Slice){0};
}

static bool has_scale(KubeKind kind) {
    return kind == KUBE_DEPLOYMENT || kind == KUBE_REPLICA_SET || kind == KUBE_STATEFUL_SET;
}

static Scaled read_scaled(const Value *object) {
    return (Scaled){kube_uid(object), read_int(value_get_text(object, "spec"), "replicas", 1)};
}

// The object of that owner, or its Deployment if it is a ReplicaSet of one. ERR_NOT_FOUND: it does not exist, or has
// another uid.
static ErrCode find_scaled(Kube kube, Arena *arena, Slice ns, KubeKind kind, Slice name, Slice uid,
                           Scaled *ret_scaled) {
    Value object;
    const Value *above;

    TRY(kube_get(kube, arena, (KubeRef){kind, ns, name}, &object, NULL));
    if (!slice_eq(kube_uid(&object), uid))
        return ERR_NOT_FOUND;
    above = kind == KUBE_REPLICA_SET ? controller_of(&object) : NULL;
    if (above && slice_eq_text(kube_text(above, "kind", NULL), "Deployment"))
        return find_scaled(kube, arena, ns, KUBE_DEPLOYMENT, kube_text(above, "name", NULL),
                           kube_text(above, "uid", NULL), ret_scaled);
    *ret_scaled = read_scaled(&object);
    return OK;
}

ErrCode pod_controllers_scale(Kube kube, Arena *arena, const State *state, Symbol ns, const PodController *controllers,
                              uint32_t count, int64_t *ret_scale, Err *err) {
    const Symbols *symbols = state_symbols(state);
    Vec(Scaled) seen = {0};
    int64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        const OwnerReference *owner = &controllers[i].owner;
        KubeKind kind =
            kube_kind_find_any_version(symbol_text(symbols, owner->api_version), symbol_text(symbols, owner->kind));
        bool known = false;
        Scaled scaled;

        if (kind != KUBE_KIND_COUNT && !has_scale(kind))
            return err_set(err, ERR_INVALID, "%.*s does not implement the scale subresource",
                           SLICE_ARG(kube_kind(kind)->resource));
        if (kind == KUBE_KIND_COUNT ||
            find_scaled(kube, arena, symbol_text(symbols, ns), kind, symbol_text(symbols, owner->name),
                        symbol_text(symbols, owner->uid), &scaled) != OK)
            return err_set(err, ERR_INVALID, "found no controllers for pod \"%.*s\"",
                           SLICE_ARG(a_pod_of(state, &controllers[i])));
        for (vec_each(const Scaled, other, &seen))
            known |= slice_eq(other->uid, scaled.uid);
        sum += known ? 0 : scaled.scale;
        vec_push(arena, &seen, scaled);
    }
    *ret_scale = sum;
    return OK;
}
