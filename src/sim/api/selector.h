// Selector: label and field selectors, parsed from the text of a request or from a LabelSelector object, and matched.
//
// Grammar of k8s.io/apimachinery: "a=b", "a==b", "a!=b", "a in (b,c)", "a notin (b,c)", "a", "!a", joined by commas;
// fields know only =, == and !=.
#pragma once

#include "text/value.h"

typedef enum { SELECT_IN, SELECT_NOT_IN, SELECT_EXISTS, SELECT_NOT_EXISTS } SelectOp;

typedef struct {
    Slice key;
    SelectOp op;
    SliceVec values;
} SelectTerm;

// All terms must match; without terms everything matches.
typedef struct {
    Vec(SelectTerm) terms;
} Selector;

// Parse the text of a request; the selector points into the arena. O(length). ERR_INVALID: the message says what was
// expected.
ErrCode selector_parse_labels(Arena *arena, Slice text, Selector *ret_selector, Err *err);
ErrCode selector_parse_fields(Arena *arena, Slice text, Selector *ret_selector, Err *err);

// Reads {matchLabels, matchExpressions}; the selector points into `object`. False: absent or malformed, which matches
// nothing.
bool selector_read(Arena *arena, const Value *object, Selector *ret_selector);

// Whether a map of strings matches the selector; NULL or not a map: no labels. O(terms × labels).
bool selector_matches_map(const Selector *selector, const Value *labels);
// Whether a term matches a value; `present`: the key exists.
bool select_term_holds(const SelectTerm *term, bool present, Slice value);
