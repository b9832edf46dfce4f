// Namespace controller: deletes the content of terminating namespaces, and then the namespaces.
//
// Behaviour: k8s.io/kubernetes v1.36 pkg/controller/namespace. Cost: O(content) once, then O(kinds) whenever something
// was removed anywhere while a namespace waits.
#include "sim/api/namespaces.h"

#include "sim/api/meta.h"
#include "sim/api/remove.h"
#include "sim/api/request.h"

static bool has_prefix_entry(const Order *order, Slice prefix) {
    const Entry *entry = order_get(order, order_seek(order, prefix));

    return entry && slice_starts_with(entry_key(entry), prefix);
}

// Deletes the namespace's objects that are not being deleted yet. Keys are collected first: deleting changes the order.
static bool delete_content(const Request *request, KubeKind kind, Slice prefix) {
    const Order *order = &request->store->kinds[kind].order;
    KubeDeletion as_usual = {.propagation = KUBE_PROPAGATION_BACKGROUND};
    SliceVec keys = {0};

    for (OrderPlace place = order_seek(order, prefix); order_get(order, place); place = order_next(order, place)) {
        const Entry *entry = order_get(order, place);
        Value deleted;

        if (!slice_starts_with(entry_key(entry), prefix))
            break;
        if (!packed_part(request->arena, &request->store->names, entry->packed, &deleted, "metadata",
                         "deletionTimestamp", NULL))
            vec_push(request->arena, &keys, arena_slice(request->arena, entry_key(entry)));
    }
    for (vec_each(const Slice, key, &keys)) {
        Request about = request_about(request, kind, *key);

        do_remove(&about, &as_usual);
    }
    return keys.count > 0;
}

// Removes the namespace's own finalizer, so that it is removed.
static void finish(const Request *request, Entry *entry, Value *namespace) {
    Request about = *request;
    KubeDeletion as_usual = {0};

    value_remove_text(value_find_text(namespace, "spec"), "finalizers");
    CHECK(request_write(request, entry, namespace, NULL) == OK);
    CHECK(do_remove(&about, &as_usual) == OK);
}

// Returns whether anything was done.
static bool empty_namespace(const Request *request, Entry *entry, Value *namespace) {
    Slice prefix = arena_printf(request->arena, "%.*s/", SLICE_ARG(request->name));
    bool any = false, left = false;

    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (!kube_kind((KubeKind)kind)->namespaced)
            continue;
        any |= delete_content(request, (KubeKind)kind, prefix);
        left |= has_prefix_entry(&request->store->kinds[kind].order, prefix);
    }
    request->server->namespaces_waiting |= left;
    if (left)
        return any;
    finish(request, entry, namespace);
    return true;
}

bool empty_namespaces(ApiServer *server) {
    Request request = request_start(server, KUBE_NAMESPACE, NULL);
    const Order *order = &server->store.kinds[KUBE_NAMESPACE].order;
    bool waiting = server->namespaces_waiting, any = false;
    SliceVec names = {0};

    server->namespaces_waiting = false;
    for (OrderPlace place = {0}; waiting && order_get(order, place); place = order_next(order, place))
        vec_push(request.arena, &names, arena_slice(request.arena, entry_key(order_get(order, place))));
    for (vec_each(const Slice, name, &names)) {
        Request about = request_about(&request, KUBE_NAMESPACE, *name);
        Entry *entry = store_find(&server->store, KUBE_NAMESPACE, *name);
        Value namespace = request_open(&about, entry);

        if (kube_is_deleting(&namespace))
            any |= empty_namespace(&about, entry, &namespace);
    }
    request_end(&request);
    return any;
}
