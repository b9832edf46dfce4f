// Rules for the spec of a NodeClaim, which is a NodePool's template, beyond the types of its fields.
#include "model/validate/parts.h"

#include <inttypes.h>

#include "model/well_known.h"
#include "text/document.h"

enum { REQUIREMENTS_MAX = 100, KEY_MAX = 316, MIN_VALUES_MAX = 50 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Whether the text is ([0-9]+(unit))+ with one-letter units of `units`.
static bool is_duration(Slice text, const char *units) {
    size_t i = 0;

    while (i < text.len) {
        size_t digits = i;

        while (i < text.len && is_digit(text.ptr[i]))
            i++;
        if (i == digits || i == text.len || !strchr(units, text.ptr[i]) || text.ptr[i] == 0)
            return false;
        i++;
    }
    return text.len > 0;
}

ErrCode validate_duration(Decoder *decoder, const Value *map, const char *name, const char *units, bool never,
                          Err *err) {
    const Value *value = value_get(map, slice_of(name));

    if (!value_is_present(value))
        return OK;
    decode_enter(decoder, slice_of(name));
    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    if (!is_duration(value->text, units) && !(never && slice_eq_text(value->text, "Never")))
        return decode_fail(decoder, value, err, "expected a duration such as \"48h\"%s, got \"%.*s\"",
                           never ? " or \"Never\"" : "", SLICE_ARG(excerpt(decoder->arena, value->text)));
    decode_leave(decoder);
    return OK;
}

// Taints.

static ErrCode check_taint(Decoder *decoder, const Value *taint, Err *err) {
    const Value *key = value_get_text(taint, "key"), *value = value_get_text(taint, "value");
    Slice complaint = label_key_complaint(key->text);

    if (complaint.len)
        return decode_fail(decoder, key, err, "taint key \"%.*s\": %.*s", SLICE_ARG(excerpt(decoder->arena, key->text)),
                           SLICE_ARG(complaint));
    if (!value_is_present(value) || value->text.len == 0)
        return OK;
    complaint = label_key_complaint(value->text);
    if (complaint.len)
        return decode_fail(decoder, value, err, "taint value \"%.*s\": %.*s",
                           SLICE_ARG(excerpt(decoder->arena, value->text)), SLICE_ARG(complaint));
    return OK;
}

static ErrCode check_taints(Decoder *decoder, const Value *spec, const char *name, Err *err) {
    const Value *taints = value_get(spec, slice_of(name));

    if (!value_is_present(taints))
        return OK;
    decode_enter(decoder, slice_of(name));
    for (uint32_t i = 0; i < taints->list.count; i++) {
        decode_enter_index(decoder, i);
        TRY(check_taint(decoder, &taints->list.items[i], err));
        decode_leave(decoder);
    }
    decode_leave(decoder);
    return OK;
}

// Requirements.

static bool is_natural(const Value *value) {
    int64_t number;

    return value->kind == VALUE_STRING && slice_to_int64(value->text, &number) && number >= 0;
}

static ErrCode check_min_values(Decoder *decoder, const Value *requirement, Slice op, uint32_t count, Err *err) {
    const Value *value = value_get_text(requirement, "minValues");
    int64_t least;

    if (!value_is_present(value))
        return OK;
    if (!value_to_int64(value, &least) || least < 1 || least > MIN_VALUES_MAX)
        return decode_fail(decoder, value, err, "minValues must be between 1 and %d, got %.*s", MIN_VALUES_MAX,
                           SLICE_ARG(value->text));
    if (slice_eq_text(op, "In") && count < least)
        return decode_fail(decoder, requirement, err,
                           "requirements with 'minValues' must have at least that many values specified in the "
                           "'values' field");
    return OK;
}

static ErrCode check_requirement(Decoder *decoder, const Value *requirement, Err *err) {
    const Value *key = value_get_text(requirement, "key"), *values = value_get_text(requirement, "values");
    Slice op = value_get_text(requirement, "operator")->text;
    uint32_t count = value_is_present(values) ? values->list.count : 0;
    Slice complaint = label_key_complaint(key->text);
    bool bound =
        slice_eq_text(op, "Gt") || slice_eq_text(op, "Lt") || slice_eq_text(op, "Gte") || slice_eq_text(op, "Lte");

    if (key->text.len > KEY_MAX || complaint.len)
        return decode_fail(decoder, key, err, "key \"%.*s\" is not a qualified name: %.*s",
                           SLICE_ARG(excerpt(decoder->arena, key->text)), SLICE_ARG(complaint));
    if (slice_eq_text(op, "In") && count == 0)
        return decode_fail(decoder, requirement, err, "requirements with operator 'In' must have a value defined");
    if (bound && (count != 1 || !is_natural(&values->list.items[0])))
        return decode_fail(decoder, requirement, err,
                           "requirements operator 'Gt', 'Lt', 'Gte', or 'Lte' must have a single positive integer "
                           "value");
    return check_min_values(decoder, requirement, op, count, err);
}

// CEL compares the end of the domain, with or without a dot before it: notkarpenter.sh is refused too.
ErrCode validate_label_domain(Decoder *decoder, const Value *place, Slice key, Err *err) {
    ptrdiff_t slash = slice_find(key, '/');
    Slice domain = slash < 0 ? key : slice_first(key, (size_t)slash);

    if (slice_eq_text(key, "kubernetes.io/hostname"))
        return decode_fail(decoder, place, err, "label \"kubernetes.io/hostname\" is restricted");
    if (slice_ends_with(domain, SLICE("karpenter.sh")) && !slice_eq_text(key, "karpenter.sh/capacity-type") &&
        !slice_eq_text(key, "karpenter.sh/nodepool"))
        return decode_fail(decoder, place, err, "label domain \"karpenter.sh\" is restricted");
    return OK;
}

static ErrCode check_requirements(Decoder *decoder, const Value *requirements, Err *err) {
    if (requirements->list.count > REQUIREMENTS_MAX)
        return decode_fail(decoder, requirements, err, "expected at most %d items, got %" PRIu32, REQUIREMENTS_MAX,
                           requirements->list.count);
    for (uint32_t i = 0; i < requirements->list.count; i++) {
        const Value *requirement = &requirements->list.items[i];

        decode_enter_index(decoder, i);
        TRY(check_requirement(decoder, requirement, err));
        TRY(validate_label_domain(decoder, requirement, value_get_text(requirement, "key")->text, err));
        decode_leave(decoder);
    }
    return OK;
}

static ErrCode check_node_class(Decoder *decoder, const Value *node_class, Err *err) {
    static const char *const members[] = {"kind", "name", "group"};

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (value_get(node_class, slice_of(members[i]))->text.len == 0)
            return decode_fail(decoder, node_class, err, "%s may not be empty", members[i]);
    }
    if (slice_find(value_get_text(node_class, "group")->text, '/') >= 0)
        return decode_fail(decoder, node_class, err,
                           "group must not contain a '/': give the API group without version");
    return OK;
}

ErrCode validate_claim_spec(Decoder *decoder, const Value *spec, Err *err) {
    TRY(check_taints(decoder, spec, "taints", err));
    TRY(check_taints(decoder, spec, "startupTaints", err));
    decode_enter(decoder, SLICE("requirements"));
    TRY(check_requirements(decoder, value_get_text(spec, "requirements"), err));
    decode_leave(decoder);
    decode_enter(decoder, SLICE("nodeClassRef"));
    TRY(check_node_class(decoder, value_get_text(spec, "nodeClassRef"), err));
    decode_leave(decoder);
    TRY(validate_duration(decoder, spec, "terminationGracePeriod", "smh", false, err));
    return validate_duration(decoder, spec, "expireAfter", "smh", true, err);
}
