// Selection: objects that a scenario selects by kind, namespace, labels, and values of members.
#pragma once

#include "kube/kind.h"
#include "sim/api/selector.h"
#include "text/decode.h"

// A member and its required value.
//   path: members with dots between; [x] is the member x of a map (for keys with dots), or the element of a list with
//   the
//         type, name, key, uid or index x: status.conditions[Ready].status
//   want: the scalar as text, a glob ("m5.*"), "*": any value, "": absent or null; a "!" in front negates
typedef struct {
    Slice path, want;
    bool negated;
} WhereTerm;
typedef Vec(WhereTerm) WhereTermVec;

typedef struct {
    KubeKind kind;
    Slice ns;   // empty: all
    Slice name; // glob; empty: all
    Selector labels;
    WhereTermVec where;
} Selection;

// Decodes a map of path to scalar into a WhereTermVec. ERR_INVALID: a malformed path.
ErrCode decode_where(Decoder *decoder, const Value *value, void *ret_terms, Err *err);
// Decodes a word like "Pod", "nodeclaim" or "nodeclaims" into a KubeKind.
ErrCode decode_kind(Decoder *decoder, const Value *value, void *ret_kind, Err *err);
// Decodes a label selector in kubectl's syntax ("app=web,tier in (a,b)") into a Selector.
ErrCode decode_label_selector(Decoder *decoder, const Value *value, void *ret_selector, Err *err);

// Whether the selection matches the object, which is of its kind. O(terms × members).
bool selection_matches(const Selection *selection, const Value *object);

// The value at a path; NULL: absent.
const Value *value_at_path(const Value *object, Slice path);
