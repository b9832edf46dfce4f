// Decoding of pods and pod templates. Private to src/model; src/state decodes its pods with it.
//
// Specs are interned: pods whose specs are equal to a scheduler share one PodSpec, so that 100,000 replicas cost one
// decoding and one struct. Equality is that of a 128-bit fingerprint over the members that tenon reads (env, images,
// probes and injected token volumes do not count).
#pragma once

#include "base/buffer.h"
#include "model/decode/parts.h"

// Sources of a PodSpec: `spec` of a pod or template, and the resources in the status of a live pod.
typedef struct {
    const Value *spec;
    const Value *container_statuses, *init_container_statuses; // or NULL
    bool resize_infeasible;                                    // condition PodResizePending, reason Infeasible
} PodSpecSource;

typedef struct {
    uint64_t low, high;
} Fingerprint;

// Fingerprints: of the members that a PodSpec is made from; of a whole template. O(size).
Fingerprint pod_spec_fingerprint(Buffer *scratch, const PodSpecSource *source);
Fingerprint value_fingerprint(Buffer *scratch, const Value *value);

// Decodes a spec without looking for an equal one. The decoder's path is at `spec`.
ErrCode pod_spec_decode(Decoder *decoder, const PodSpecSource *source, PodSpec *ret_spec, Err *err);

// A deep copy in as little memory as possible.
PodSpec pod_spec_copy(Arena *arena, const PodSpec *from);

// Containers and statuses, from which pod_spec_decode computes the effective requests.
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

// Effective requests by scheduling.md 3.1, after the API server's defaults (a missing request is the limit). With
// `pods`: 1.
Resources pod_requests_effective(Arena *arena, const Symbols *symbols, const PodParts *parts);

// Decoders of a PodSpec's `affinity` and TopologySpreadVec.
extern const FieldTable pod_affinity_table;
ErrCode decode_spreads(Decoder *decoder, const Value *value, void *ret_spreads, Err *err);

// A decoded pod whose `spec` is still to be decoded.
typedef struct {
    Pod pod;
    PodSpecSource source;
    int64_t grace_s;
} PodRecord;
ErrCode pod_decode(Decoder *decoder, const Value *object, PodRecord *ret_record, Err *err);

// Labels and annotations of a pod template; of annotations only those that tenon reads.
ErrCode decode_pod_annotations(Decoder *decoder, const Value *value, void *ret_labels, Err *err);
