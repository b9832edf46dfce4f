// Which objects a scenario speaks of: kind, namespace, labels, and what stands in them.
#pragma once

#include "kube/kind.h"
#include "sim/api/selector.h"
#include "text/decode.h"

// A place in an object and what must stand there.
//   path: members with dots between; [x] is the member x of a map (for keys with dots), or the element of a list whose
//         type, name, key or uid is x, or whose number it is: status.conditions[Ready].status
//   want: the scalar as text, a glob ("m5.*"), "*": anything but nothing, "": nothing or null; "!" before it: not that
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

// Decodes a map of path to scalar into a WhereTermVec. ERR_INVALID: a path that is none.
ErrCode decode_where(Decoder *decoder, const Value *value, void *ret_terms, Err *err);
// A word like "Pod", "nodeclaim" or "nodeclaims" into a KubeKind.
ErrCode decode_kind(Decoder *decoder, const Value *value, void *ret_kind, Err *err);
// A label selector as kubectl takes it ("app=web,tier in (a,b)") into a Selector.
ErrCode decode_label_selector(Decoder *decoder, const Value *value, void *ret_selector, Err *err);

// Whether the object, which is of the kind, is meant. O(terms × members).
bool selection_matches(const Selection *selection, const Value *object);

// What stands at a path; NULL: nothing.
const Value *value_at_path(const Value *object, Slice path);

// '*' stands for any text, '?' for any character. An empty pattern matches everything.
bool glob_matches(Slice pattern, Slice text);
