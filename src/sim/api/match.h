// Match: whether an object is in the namespace and has the labels and fields that a list or watch selects. Private to
// src/sim/api.
#pragma once

#include "sim/api/server.h"

typedef struct {
    Slice ns; // empty: all
    Selector labels, fields;
} Match;

// Parses the selectors of a request into the arena. BadRequest: malformed, or a field that the kind cannot be selected
// by.
ErrCode match_read(const Request *request, Arena *arena, Slice ns, Slice labels, Slice fields, Match *ret_match);

// O(selector terms). `scratch` is rewound.
bool match_packed(const Request *request, const Match *match, const Packed *packed);
