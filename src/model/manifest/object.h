// Decoding of single API objects, for the State.
//
// The tables are those of manifests, without what manifest_finish adds from other objects: the API server has set a
// live object's defaults already. Pods and their specs are decoded separately, because specs are shared.
// through the API server's defaults already. Pods and their specs are decoded each by itself, because specs are shared.
#pragma once

#include "model/decode/pod.h"
#include "model/objects.h"

// Size of the memory that object_decode fills for a kind ("apps", "DaemonSet"). It begins with the kind's struct in
// objects.h and may have more behind it. 0: the kind is not decoded here. O(kinds).
size_t object_decoded_size(Slice group, Slice kind);

// Decodes into `ret_object`, zeroed memory of that size. Everything it points to is in `arena`, its symbols in
// `symbols`. O(size). ERR_INVALID: "<path>: … (<kind> <namespace>/<name>:<line>)"; `ret_object` may be filled in part.
ErrCode object_decode(Arena *arena, Symbols *symbols, Slice group, Slice kind, const Value *object, void *ret_object,
                      Err *err);

// Decode a live pod, and its spec; errors name the pod as those of object_decode do.
ErrCode pod_decode_alone(Arena *arena, Symbols *symbols, const Value *object, PodRecord *ret_record, Err *err);
ErrCode pod_spec_decode_alone(Arena *arena, Symbols *symbols, const Value *object, const PodSpecSource *source,
                              PodSpec *ret_spec, Err *err);
