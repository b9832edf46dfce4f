// The rules of the NodePool and NodeClaim schemas that types alone do not express.
#include "model/validate.h"

#include <inttypes.h>

#include "model/well_known.h"
#include "text/document.h"

enum { LABELS_MAX = 100, REQUIREMENTS_MAX = 100, BUDGETS_MAX = 50, KEY_MAX = 316, MIN_VALUES_MAX = 50 };

static bool is_present(const Value *value) {
    return value && value->kind != VALUE_NULL;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// ([0-9]+(unit))+ with units of one letter out of `units`.
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

// A string member, when present, must be a duration; `never` allows "Never".
static ErrCode check_duration(Decoder *decoder, const Value *map, const char *name, const char *units, bool never,
                              Err *err) {
    const Value *value = value_get(map, slice_of(name));

    if (!is_present(value))
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
    if (!is_present(value) || value->text.len == 0)
        return OK;
    complaint = label_key_complaint(value->text);
    if (complaint.len)
        return decode_fail(decoder, value, err, "taint value \"%.*s\": %.*s",
                           SLICE_ARG(excerpt(decoder->arena, value->text)), SLICE_ARG(complaint));
    return OK;
}

static ErrCode check_taints(Decoder *decoder, const Value *spec, const char *name, Err *err) {
    const Value *taints = value_get(spec, slice_of(name));

    if (!is_present(taints))
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

    if (!is_present(value))
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
    uint32_t count = is_present(values) ? values->list.count : 0;
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

// CEL looks at the end of the domain's text, dot or not: notkarpenter.sh is refused too.
static ErrCode check_domain(Decoder *decoder, const Value *place, Slice key, Err *err) {
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
        TRY(check_domain(decoder, requirement, value_get_text(requirement, "key")->text, err));
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
    TRY(check_duration(decoder, spec, "terminationGracePeriod", "smh", false, err));
    return check_duration(decoder, spec, "expireAfter", "smh", true, err);
}

// NodePool.

static ErrCode check_template_label(Decoder *decoder, const ValueMember *label, Err *err) {
    Slice complaint = label_key_complaint(label->key);

    if (complaint.len)
        return decode_fail(decoder, &label->value, err, "label key: %.*s", SLICE_ARG(complaint));
    complaint = label_value_complaint(label->value.kind == VALUE_STRING ? label->value.text : SLICE(""));
    if (complaint.len)
        return decode_fail(decoder, &label->value, err, "%.*s", SLICE_ARG(complaint));
    if (slice_eq_text(label->key, "karpenter.sh/nodepool"))
        return decode_fail(decoder, &label->value, err, "label \"karpenter.sh/nodepool\" is restricted");
    return check_domain(decoder, &label->value, label->key, err);
}

static ErrCode check_template_labels(Decoder *decoder, const Value *labels, Err *err) {
    if (!is_present(labels))
        return OK;
    if (labels->map.count > LABELS_MAX)
        return decode_fail(decoder, labels, err, "expected at most %d labels, got %" PRIu32, LABELS_MAX,
                           labels->map.count);
    for (vec_each(const ValueMember, label, &labels->map)) {
        decode_enter(decoder, label->key);
        TRY(check_template_label(decoder, label, err));
        decode_leave(decoder);
    }
    return OK;
}

static ErrCode check_no_pool_key(Decoder *decoder, const Value *requirements, Err *err) {
    for (uint32_t i = 0; i < requirements->list.count; i++) {
        const Value *requirement = &requirements->list.items[i];

        decode_enter_index(decoder, i);
        if (slice_eq_text(value_get_text(requirement, "key")->text, "karpenter.sh/nodepool"))
            return decode_fail(decoder, requirement, err, "label \"karpenter.sh/nodepool\" is restricted");
        decode_leave(decoder);
    }
    return OK;
}

static ErrCode check_template(Decoder *decoder, const Value *template, Err *err) {
    decode_enter(decoder, SLICE("metadata"));
    decode_enter(decoder, SLICE("labels"));
    TRY(check_template_labels(decoder, value_at(template, "metadata", "labels", NULL), err));
    decode_leave(decoder);
    decode_leave(decoder);

    decode_enter(decoder, SLICE("spec"));
    decode_enter(decoder, SLICE("requirements"));
    TRY(check_no_pool_key(decoder, value_at(template, "spec", "requirements", NULL), err));
    decode_leave(decoder);
    decode_leave(decoder);
    return OK;
}

static ErrCode check_word(Decoder *decoder, const Value *value, const char *const *words, Err *err) {
    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    for (size_t i = 0; words[i]; i++) {
        if (slice_eq_text(value->text, words[i]))
            return OK;
    }
    return decode_fail(decoder, value, err, "unsupported value \"%.*s\"",
                       SLICE_ARG(excerpt(decoder->arena, value->text)));
}

static ErrCode check_reasons(Decoder *decoder, const Value *reasons, Err *err) {
    static const char *const words[] = {"Underutilized", "Empty", "Drifted", "Unhealthy", NULL};

    if (!is_present(reasons))
        return OK;
    decode_enter(decoder, SLICE("reasons"));
    TRY(decode_expect(decoder, reasons, VALUE_LIST, err));
    for (uint32_t i = 0; i < reasons->list.count; i++) {
        decode_enter_index(decoder, i);
        TRY(check_word(decoder, &reasons->list.items[i], words, err));
        decode_leave(decoder);
    }
    decode_leave(decoder);
    return OK;
}

// ^((100|[0-9]{1,2})%|[0-9]+)$
static bool is_node_count(Slice text) {
    bool percent = text.len > 1 && text.ptr[text.len - 1] == '%';
    Slice digits = slice_first(text, text.len - percent);

    for (size_t i = 0; i < digits.len; i++) {
        if (!is_digit(digits.ptr[i]))
            return false;
    }
    return digits.len > 0 && (!percent || digits.len < 3 || slice_eq_text(digits, "100"));
}

static ErrCode check_budget(Decoder *decoder, const Value *budget, Err *err) {
    const Value *nodes = value_get_text(budget, "nodes");

    TRY(decode_expect(decoder, budget, VALUE_MAP, err));
    if (is_present(nodes) && (nodes->kind != VALUE_STRING || !is_node_count(nodes->text)))
        return decode_fail(decoder, nodes, err,
                           "nodes must be a string with a number or a percentage, like \"5\" or "
                           "\"10%%\"");
    if (is_present(value_get_text(budget, "schedule")) != is_present(value_get_text(budget, "duration")))
        return decode_fail(decoder, budget, err, "'schedule' must be set with 'duration'");
    TRY(check_duration(decoder, budget, "duration", "smh", false, err));
    return check_reasons(decoder, value_get_text(budget, "reasons"), err);
}

static ErrCode check_disruption(Decoder *decoder, const Value *disruption, Err *err) {
    static const char *const policies[] = {"WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced", NULL};
    const Value *policy = value_get_text(disruption, "consolidationPolicy");
    const Value *budgets = value_get_text(disruption, "budgets");

    TRY(check_duration(decoder, disruption, "consolidateAfter", "smh", true, err));
    if (is_present(policy)) {
        decode_enter(decoder, SLICE("consolidationPolicy"));
        TRY(check_word(decoder, policy, policies, err));
        decode_leave(decoder);
    }
    if (!is_present(budgets))
        return OK;
    decode_enter(decoder, SLICE("budgets"));
    TRY(decode_expect(decoder, budgets, VALUE_LIST, err));
    if (budgets->list.count > BUDGETS_MAX)
        return decode_fail(decoder, budgets, err, "expected at most %d items, got %" PRIu32, BUDGETS_MAX,
                           budgets->list.count);
    for (uint32_t i = 0; i < budgets->list.count; i++) {
        decode_enter_index(decoder, i);
        TRY(check_budget(decoder, &budgets->list.items[i], err));
        decode_leave(decoder);
    }
    decode_leave(decoder);
    return OK;
}

// A static pool keeps `replicas` nodes and knows no other limit than their number.
static ErrCode check_static(Decoder *decoder, const Value *spec, Err *err) {
    const Value *replicas = value_get_text(spec, "replicas"), *limits = value_get_text(spec, "limits");
    int64_t count;

    if (!is_present(replicas))
        return OK;
    if (value_to_int64(replicas, &count) && count < 0)
        return decode_fail(decoder, replicas, err, "replicas must be greater than or equal to 0, got %" PRId64, count);
    if (is_present(value_get_text(spec, "weight")))
        return decode_fail(decoder, spec, err, "'weight' is not supported on static NodePools");
    if (!is_present(limits))
        return OK;
    for (vec_each(const ValueMember, limit, &limits->map)) {
        if (!slice_eq_text(limit->key, "nodes"))
            return decode_fail(decoder, limits, err, "only 'limits.nodes' is supported on static NodePools");
    }
    return OK;
}

ErrCode validate_node_pool(Decoder *decoder, const Value *object, Err *err) {
    const Value *spec = value_get_text(object, "spec");
    const Value *weight = value_get_text(spec, "weight"), *disruption = value_get_text(spec, "disruption");
    int64_t number;

    decode_enter(decoder, SLICE("spec"));
    decode_enter(decoder, SLICE("template"));
    TRY(check_template(decoder, value_get_text(spec, "template"), err));
    decode_leave(decoder);
    if (is_present(weight) && value_to_int64(weight, &number) && (number < 1 || number > 100))
        return decode_fail(decoder, weight, err, "weight must be between 1 and 100, got %" PRId64, number);
    if (is_present(disruption)) {
        decode_enter(decoder, SLICE("disruption"));
        TRY(decode_expect(decoder, disruption, VALUE_MAP, err));
        TRY(check_disruption(decoder, disruption, err));
        decode_leave(decoder);
    }
    TRY(check_static(decoder, spec, err));
    decode_leave(decoder);
    return OK;
}
