// Matching packed objects, opening only the parts that the selector needs.
#include "sim/api/match.h"

#include "sim/api/rules/rules.h"

static bool is_selectable(const Request *request, Slice field) {
    const char *const *fields = rules_of(request->kind)->fields;

    if (slice_eq_text(field, "metadata.name") ||
        (request->info->namespaced && slice_eq_text(field, "metadata.namespace")))
        return true;
    for (; fields && *fields; fields++) {
        if (slice_eq_text(field, *fields))
            return true;
    }
    return false;
}

ErrCode match_read(const Request *request, Arena *arena, Slice ns, Slice labels, Slice fields, Match *ret_match) {
    Match match = {.ns = request->info->namespaced ? arena_slice(arena, ns) : SLICE("")};
    Err why;

    if (selector_parse_labels(arena, labels, &match.labels, &why) != OK ||
        selector_parse_fields(arena, fields, &match.fields, &why) != OK)
        return kube_fail(request->error, KUBE_REASON_BAD_REQUEST, "%s", why.text);
    for (vec_each(const SelectTerm, term, &match.fields.terms)) {
        if (!is_selectable(request, term->key))
            return kube_fail(request->error, KUBE_REASON_BAD_REQUEST, "field label not supported: %.*s",
                             SLICE_ARG(term->key));
    }
    *ret_match = match;
    return OK;
}

// The text of a field like "spec.nodeName"; absent fields are empty, or false for a bool.
static Slice field_text(const Request *request, const Packed *packed, Slice field) {
    ptrdiff_t dot = slice_find(field, '.');
    Value value = value_null();

    if (dot < 0)
        packed_part(request->arena, &request->store->names, packed, &value, arena_text(request->arena, field), NULL);
    else
        packed_part(request->arena, &request->store->names, packed, &value,
                    arena_text(request->arena, slice_first(field, (size_t)dot)),
                    arena_text(request->arena, slice_from(field, (size_t)dot + 1)), NULL);
    if (value.kind == VALUE_STRING || value.kind == VALUE_NUMBER)
        return value.text;
    if (slice_eq_text(field, "spec.unschedulable"))
        return value.kind == VALUE_BOOL && value.boolean ? SLICE("true") : SLICE("false");
    return SLICE("");
}

static bool match_fields(const Request *request, const Selector *fields, const Packed *packed) {
    for (vec_each(const SelectTerm, term, &fields->terms)) {
        if (!select_term_holds(term, true, field_text(request, packed, term->key)))
            return false;
    }
    return true;
}

bool match_packed(const Request *request, const Match *match, const Packed *packed) {
    ArenaMark mark;
    Value labels;
    bool has, matches;

    if (match->ns.len && !slice_eq(store_key_namespace(packed_key(packed)), match->ns))
        return false;
    if (match->labels.terms.count == 0 && match->fields.terms.count == 0)
        return true;
    mark = arena_mark(request->arena);
    matches = match_fields(request, &match->fields, packed);
    if (matches && match->labels.terms.count) {
        has = packed_part(request->arena, &request->store->names, packed, &labels, "metadata", "labels", NULL);
        matches = selector_matches_map(&match->labels, has ? &labels : NULL);
    }
    arena_rewind(request->arena, mark);
    return matches;
}
