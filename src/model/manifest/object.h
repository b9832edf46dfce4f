// One object of the API by itself: what the living store decodes.
//
// The same tables as for manifests, without what manifest_finish fills in from other objects: a live object has been
// through the API server's defaults already. Pods and their specs are decoded each by itself, because specs are shared.
#pragma once

#include "model/decode/pod.h"
#include "model/objects.h"

// The size of what object_decode writes for a kind of the API ("apps", "DaemonSet"). It starts with the struct of
// objects.h that stands for the kind and may have more behind it. 0: the kind is not decoded here. O(kinds).
size_t object_decoded_size(Slice group, Slice kind);

// Decodes into `ret_object`, zeroed memory of that size. Everything it points to is in `arena`, its symbols in
// `symbols`. O(size). ERR_INVALID: "<path>: … (<kind> <namespace>/<name>:<line>)"; `ret_object` may be half filled
// then.
ErrCode object_decode(Arena *arena, Symbols *symbols, Slice group, Slice kind, const Value *object, void *ret_object,
                      Err *err);

// A live pod and its spec, each by itself; messages name the pod as object_decode's do.
ErrCode pod_decode_alone(Arena *arena, Symbols *symbols, const Value *object, PodRecord *ret_record, Err *err);
ErrCode pod_spec_decode_alone(Arena *arena, Symbols *symbols, const Value *object, const PodSpecSource *source,
                              PodSpec *ret_spec, Err *err);
