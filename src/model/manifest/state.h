// ManifestState: data that is needed only while manifests are read. Private to src/model.
#pragma once

#include "model/decode/schemas.h"
#include "model/manifest/workload.h"

typedef struct ObjectKind ObjectKind;

// An object that was read or made: its identity, its index in the vector of its kind, and its position in the input.
typedef struct {
    const ObjectKind *kind;
    Symbol ns, name;
    uint32_t slot;
    Slice file;
    uint32_t line;
} ObjectPlace;

// Number of objects of a kind that is ignored.
typedef struct {
    Slice api_version, kind;
    const char *reason; // printed after the count, or NULL
    uint32_t count;
    Slice file; // of the first
    uint32_t line;
} IgnoredKind;

typedef struct ManifestState {
    Buffer scratch; // on the heap
    Vec(ObjectPlace) objects;
    IndexMap object_index;
    WorkloadVec workloads;
    Vec(PodSpec *) specs; // distinct ones; may be changed until manifest_finish ends
    Vec(Fingerprint) spec_prints;
    IndexMap spec_index;
    Vec(IgnoredKind) ignored;
    IndexMap ignored_index;
} ManifestState;

// Reads the objects of one document.
typedef struct {
    Decoder decoder;  // first: custom decoders get a pointer to it
    Cluster *cluster; // NULL: a single workload is read (manifest/object.h)
    ManifestState *state;
} ManifestReader;

// The common layout of all vectors.
typedef Vec(char) AnyVec;

// A row of the table of kinds.
struct ObjectKind {
    const char *group, *kind;
    const char *version; // this one only; NULL: every version of the group
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

// Decodes a spec, or finds an equal one that was decoded before. The decoder's path is at the spec.
ErrCode pod_spec_intern(ManifestReader *reader, const PodSpecSource *source, const PodSpec **ret_spec, Err *err);

// Registers an object that a controller would make. False: one of that identity exists already.
bool object_make(Cluster *cluster, const ObjectKind *kind, Symbol ns, Symbol name, uint32_t slot,
                 const ObjectMeta *cause);

__attribute__((format(printf, 2, 3))) void cluster_warn(Cluster *cluster, const char *format, ...);
// A warning about a mistake that strict reading refuses.
__attribute__((format(printf, 2, 3))) void cluster_warn_mistake(Cluster *cluster, const char *format, ...);
