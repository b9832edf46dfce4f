// Object: one version of a Kubernetes object, decoded, immutable and reference-counted.
//
// A pod is one allocation: this header, the Pod, its labels, annotations, owners, links and symbols. Other objects are
// decoded into an arena of their own that is exactly as large as needed. The links belong to the thread that owns the
// State: they are the object's positions in the indexes, and the next version of the object takes them over.
#pragma once

#include "state/shared.h"
#include "state/state.h"

typedef struct StateUpdate Object;

// Position of an object's handle in a bucket (index.h).
typedef struct {
    uint32_t bucket, at; // bucket INDEX_NONE: not in this index
} Link;

enum { OBJECT_DAEMON = 1, OBJECT_STATIC = 2, OBJECT_STATEFUL = 4 }; // of pods: the kind of their owner

struct StateUpdate {
    uint32_t users; // atomic
    uint8_t kind, flags;
    uint16_t link_count;
    uint32_t symbol_count;
    uint32_t bytes; // all of its memory, without shared specs and the texts of symbols
    Shared *shared;
    union {
        SharedSpec *spec;  // of a pod
        ArenaChunk *chunk; // of other kinds: the memory that contains the object
    };
    Link *links; // followed by the symbols that the object holds
};

// The decoded struct: the type in the kind's row of STATE_KINDS.
static inline const void *object_body(const Object *object) {
    return object + 1;
}

static inline const Pod *object_pod(const Object *object) {
    return object_body(object);
}

static inline const ObjectMeta *object_meta(const Object *object) { // not of a pod
    return object_body(object);
}

typedef struct {
    Symbol ns, name, uid;
    KubeRevision revision;
} Identity;

static inline Identity object_identity(const Object *object) {
    const ObjectMeta *meta = object_body(object);

    if (object->kind == KUBE_POD) {
        const Pod *pod = object_pod(object);

        return (Identity){pod->ns, pod->name, pod->uid, pod->revision};
    }
    return (Identity){meta->ns, meta->name, meta->uid, meta->revision};
}

// Whether the pod will need a place elsewhere when its node goes away: neither of a DaemonSet nor static, and active or
// coming back under its name (of a StatefulSet; lifecycle.md 0.5).
static inline bool object_is_reschedulable(const Object *object) {
    const Pod *pod = object_pod(object);
    bool comes_back = !pod->deleting || (object->flags & OBJECT_STATEFUL);

    return !pod_is_terminal(pod) && comes_back && !(object->flags & (OBJECT_DAEMON | OBJECT_STATIC));
}

static inline Object *object_retain(Object *object) {
    __atomic_add_fetch(&object->users, 1, __ATOMIC_RELAXED);
    return object;
}

void object_release(Object *object); // any thread; NULL is allowed
