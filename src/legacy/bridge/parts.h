// What the parts of the bridge share. Private to src/legacy/bridge.
#pragma once

#include "legacy/bridge/bridge.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct BridgeWatch BridgeWatch;

struct Bridge {
    Kube inner;
    PresentSettings settings;
    _Atomic(uint32_t) known; // BRIDGE_KNOWS_…
    pthread_mutex_t lock;    // guards `watches`; taken before the lock of one of them
    BridgeWatch *watches;
};

// Whether the API server knows the kinds at all: without Provisioners there is nothing to show.
static inline bool bridge_shows(const Bridge *bridge) {
    return atomic_load(&bridge->known) & BRIDGE_KNOWS_PROVISIONERS;
}

// The old kinds behind a kind of today that the API server knows; `ret_count` of them, at most BRIDGE_OLD_KINDS. O(1).
enum { BRIDGE_OLD_KINDS = 2 };
const KubeKind *bridge_old_kinds(const Bridge *bridge, KubeKind kind, uint32_t *ret_count);

// An object that was read as `kind` of today, of which `from` is the kind behind it. False: there is nothing to show (a
// Provisioner without a class of its own, one that cannot be read). `template`: of a Provisioner; NULL: none. O(size).
bool bridge_present(const Bridge *bridge, Arena *arena, KubeKind kind, KubeKind from, const Value *object,
                    const Value *template, Value *ret_shown);

// Reads an object of an old kind, with the template of a Provisioner where there is one (else a null Value).
ErrCode bridge_get_old(const Bridge *bridge, Arena *arena, KubeKind old, Slice name, Value *ret_object,
                       Value *ret_template, KubeError *error);

// The calls of the table, by file.
ErrCode bridge_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object, Value *ret_object,
                      KubeError *error);
ErrCode bridge_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                      Value *ret_object, KubeError *error);
ErrCode bridge_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                     Value *ret_object, KubeError *error);
ErrCode bridge_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error);
ErrCode bridge_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                     KubeError *error);
void bridge_unwatch(void *self, KubeWatch *watch);
