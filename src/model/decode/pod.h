// Reading pods and pod templates. Private to src/model; src/state decodes its pods with it.
//
// Specs are interned: pods whose specs say the same to a scheduler share one PodSpec, so that 100,000 replicas cost
// one decoding and one struct. Equality is that of a 128-bit fingerprint over the members that tenon reads (env,
// images, probes and injected token volumes do not count).
#pragma once

#include "base/buffer.h"
#include "model/decode/parts.h"

// Where a PodSpec is read from: `spec` of a pod or template, and what the status of a live pod says of its resources.
typedef struct {
    const Value *spec;
    const Value *container_statuses, *init_container_statuses; // or NULL
    bool resize_infeasible;                                    // condition PodResizePending, reason Infeasible
} PodSpecSource;

typedef struct {
    uint64_t low, high;
} Fingerprint;

// Of the members of a source that a PodSpec is made from; of a whole template. O(size).
Fingerprint pod_spec_fingerprint(Buffer *scratch, const PodSpecSource *source);
Fingerprint value_fingerprint(Buffer *scratch, const Value *value);

// Decodes a spec without looking for an equal one. The decoder's path stands at `spec`.
ErrCode pod_spec_decode(Decoder *decoder, const PodSpecSource *source, PodSpec *ret_spec, Err *err);

// A deep copy, as small as can be.
PodSpec pod_spec_copy(Arena *arena, const PodSpec *from);

// What pod_spec_decode makes the effective requests from.
typedef struct {
    Symbol name;
    bool restartable; // an init container with restartPolicy: Always (a sidecar)
    Resources requests, limits;
    const Value *ports;
} Container;
typedef Vec(Container) ContainerVec;

typedef struct {
    Symbol name;
    bool has_resources;
    Resources requests, allocated;
} ContainerStatus;
typedef Vec(ContainerStatus) ContainerStatusVec;

typedef struct {
    ContainerVec containers, init_containers;
    ContainerStatusVec statuses, init_statuses;
    bool resize_infeasible;
    Resources pod_requests, pod_limits; // spec.resources
    Resources overhead;
} PodParts;

// scheduling.md 3.1, after the API server's defaults (a limit without a request is the request). With `pods`: 1.
Resources pod_requests_effective(Arena *arena, const Symbols *symbols, const PodParts *parts);

// `affinity` of a PodSpec, and its TopologySpreadVec.
extern const FieldTable pod_affinity_table;
ErrCode decode_spreads(Decoder *decoder, const Value *value, void *ret_spreads, Err *err);

// A pod as read; `spec` is still to be decoded.
typedef struct {
    Pod pod;
    PodSpecSource source;
    int64_t grace_s;
} PodRecord;
ErrCode pod_decode(Decoder *decoder, const Value *object, PodRecord *ret_record, Err *err);

// Labels and annotations of a pod template; annotations only as far as tenon reads them.
ErrCode decode_pod_annotations(Decoder *decoder, const Value *value, void *ret_labels, Err *err);
