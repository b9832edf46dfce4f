// Behaviour: reference scheduling.md 5.7.
#include "sched/input/default_spread_read.h"

#include "model/decode/pod.h"
#include "model/well_known.h"
#include "text/json.h"
#include "text/yaml.h"

#include <ctype.h>

static ErrCode reject_unknown(Decoder *decoder, const Value *map, const char *const *known, Err *err) {
    TRY(decode_expect(decoder, map, VALUE_MAP, err));
    for (vec_each(const ValueMember, member, &map->map)) {
        bool found = false;

        for (size_t i = 0; known[i]; i++)
            found |= slice_eq_text(member->key, known[i]);
        if (!found)
            return decode_fail(decoder, &member->value, err, "unknown field \"%.*s\"", SLICE_ARG(member->key));
    }
    return OK;
}

static bool is_given(const Value *map, const char *name) {
    const Value *value = value_get(map, slice_of(name));

    return value && value->kind != VALUE_NULL;
}

// Refuses fields that a pod's own constraint may have and a default constraint may not.
static ErrCode check_fields(Decoder *decoder, const Value *constraint, Err *err) {
    static const char *const known[] = {"maxSkew",          "topologyKey",    "whenUnsatisfiable",
                                        "minDomains",       "labelSelector",  "nodeAffinityPolicy",
                                        "nodeTaintsPolicy", "matchLabelKeys", NULL};

    TRY(reject_unknown(decoder, constraint, known, err));
    if (is_given(constraint, "labelSelector"))
        return decode_fail(decoder, value_get_text(constraint, "labelSelector"), err,
                           "a default constraint must not have a labelSelector: it is deduced for each pod");
    if (is_given(constraint, "matchLabelKeys"))
        return decode_fail(decoder, value_get_text(constraint, "matchLabelKeys"), err,
                           "a default constraint must not have matchLabelKeys");
    return OK;
}

static ErrCode check_constraint(Decoder *decoder, const Value *value, const TopologySpreadVec *all, uint32_t at,
                                Err *err) {
    const TopologySpread *constraint = &all->items[at];
    Slice key = symbol_text(decoder->symbols, constraint->topology_key);
    Slice complaint = label_key_complaint(key);

    if (!slice_is_empty(complaint))
        return decode_fail(decoder, value, err, "topologyKey \"%.*s\": %.*s", SLICE_ARG(key), SLICE_ARG(complaint));
    for (uint32_t i = 0; i < at; i++) {
        if (all->items[i].topology_key == constraint->topology_key &&
            all->items[i].schedule_anyway == constraint->schedule_anyway)
            return decode_fail(decoder, value, err, "duplicate of [%u]: same topologyKey and whenUnsatisfiable", i);
    }
    return OK;
}

static ErrCode read_constraints(Decoder *decoder, const Value *list, TopologySpreadVec *ret_constraints, Err *err) {
    TopologySpreadVec constraints = {0};

    TRY(decode_expect(decoder, list, VALUE_LIST, err));
    for (uint32_t i = 0; i < list->list.count; i++) {
        decode_enter_index(decoder, i);
        TRY(check_fields(decoder, &list->list.items[i], err));
        decode_leave(decoder);
    }
    TRY(decode_spreads(decoder, list, &constraints, err));
    for (uint32_t i = 0; i < constraints.count; i++) {
        decode_enter_index(decoder, i);
        TRY(check_constraint(decoder, &list->list.items[i], &constraints, i, err));
        decode_leave(decoder);
    }
    *ret_constraints = constraints;
    return OK;
}

static ErrCode read_root(Decoder *decoder, const Value *root, TopologySpreadVec *ret_constraints, Err *err) {
    static const char *const root_fields[] = {"podTopologySpread", NULL};
    static const char *const spread_fields[] = {"defaultConstraints", NULL};
    const Value *spread = value_get_text(root, "podTopologySpread");

    TRY(reject_unknown(decoder, root, root_fields, err));
    if (!is_given(root, "podTopologySpread"))
        return OK;
    decode_enter(decoder, SLICE("podTopologySpread"));
    TRY(reject_unknown(decoder, spread, spread_fields, err));
    if (!is_given(spread, "defaultConstraints"))
        return OK;
    decode_enter(decoder, SLICE("defaultConstraints"));
    return read_constraints(decoder, value_get_text(spread, "defaultConstraints"), ret_constraints, err);
}

static bool is_json(Slice text) {
    while (text.len && isspace((unsigned char)*text.ptr))
        text = slice_from(text, 1);
    return text.len && *text.ptr == '{';
}

ErrCode default_spread_read(Arena *arena, Symbols *symbols, Slice file, Slice text, DefaultSpread *ret_spread,
                            Err *err) {
    Decoder decoder = {.arena = arena, .symbols = symbols, .file = file};
    ParseOptions options = {.strict = true};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    DefaultSpread spread = {0};

    TRY(is_json(text) ? json_parse(arena, file, text, &options, &documents, &warnings, err)
                      : yaml_parse(arena, file, text, &options, &documents, &warnings, err));
    if (documents.count > 1)
        return decode_fail(&decoder, &documents.items[1].root, err,
                           "expected one document, the scheduler configuration, got %u", documents.count);
    if (documents.count)
        TRY(read_root(&decoder, &documents.items[0].root, &spread.constraints, err));
    *ret_spread = spread;
    return OK;
}
