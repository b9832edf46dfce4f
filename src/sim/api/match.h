// Whether an object is in a namespace and has the labels and fields that a list or watch asks for. Private to
// src/sim/api.
#pragma once

#include "sim/api/server.h"

typedef struct {
    Slice ns; // empty: all
    Selector labels, fields;
} Match;

// Reads the selectors of a request into the arena. BadRequest: malformed, or a field that the kind does not select by.
ErrCode match_read(const Request *request, Arena *arena, Slice ns, Slice labels, Slice fields, Match *ret_match);

// O(selector terms). `scratch` is used and given back.
bool match_packed(const Request *request, const Match *match, const Packed *packed);
