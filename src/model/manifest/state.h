// What is known while manifests are read and is of no use afterwards. Private to src/model.
#pragma once

#include "model/decode/schemas.h"
#include "model/manifest/workload.h"

typedef struct ObjectKind ObjectKind;

// One object that was read or made: its identity, its place in the vector of its kind, and where it stands.
typedef struct {
    const ObjectKind *kind;
    Symbol ns, name;
    uint32_t slot;
    Slice file;
    uint32_t line;
} ObjectPlace;

// Objects of a kind that are not read.
typedef struct {
    Slice api_version, kind;
    const char *reason; // to be put behind the count, or NULL
    uint32_t count;
    Slice file; // of the first
    uint32_t line;
} IgnoredKind;

typedef struct ManifestState {
    Buffer scratch; // on the heap
    Vec(ObjectPlace) objects;
    IndexMap object_index;
    WorkloadVec workloads;
    Vec(PodSpec *) specs; // distinct ones; may still be changed until manifest_finish is done
    Vec(Fingerprint) spec_prints;
    IndexMap spec_index;
    Vec(IgnoredKind) ignored;
    IndexMap ignored_index;
} ManifestState;

// Reads the objects of one document.
typedef struct {
    Decoder decoder;  // first: custom decoders get a pointer to it
    Cluster *cluster; // NULL: a workload is read by itself (manifest/object.h)
    ManifestState *state;
} ManifestReader;

// All vectors have this shape.
typedef Vec(char) AnyVec;

// A row of the table of kinds.
struct ObjectKind {
    const char *group, *kind;
    const char *version; // only this one; NULL: every version of the group
    bool namespaced, makes_pods;
    ErrCode (*read)(ManifestReader *reader, const ObjectKind *kind, const Value *object, ObjectPlace *place, Err *err);
    const ObjectSchema *schema; // of read_plain
    WorkloadKind workload;      // of read_workload
    size_t offset, size;        // of the vector in Cluster and of its elements
};

ManifestState *manifest_state(Cluster *cluster); // made when there is none
void manifest_state_free(Cluster *cluster);

// The object of that identity, or NULL. O(1).
ObjectPlace *object_find(ManifestState *state, const ObjectKind *kind, Symbol ns, Symbol name);
void object_add(Cluster *cluster, const ObjectPlace *place);

// Reads a spec, or finds an equal one that was read before. The decoder's path stands at it.
ErrCode pod_spec_intern(ManifestReader *reader, const PodSpecSource *source, const PodSpec **ret_spec, Err *err);

// The object as one that is there now (made by a controller). False: there was one of that identity.
bool object_make(Cluster *cluster, const ObjectKind *kind, Symbol ns, Symbol name, uint32_t slot,
                 const ObjectMeta *cause);

__attribute__((format(printf, 2, 3))) void cluster_warn(Cluster *cluster, const char *format, ...);
// Of what strict reading refuses.
__attribute__((format(printf, 2, 3))) void cluster_warn_mistake(Cluster *cluster, const char *format, ...);
