// Rules of the NodePool schema, except those of its template's spec.
#include "model/choice.h"
#include "model/validate/parts.h"

#include <inttypes.h>

#include "model/well_known.h"
#include "text/document.h"

enum { LABELS_MAX = 100, BUDGETS_MAX = 50 };

static ErrCode check_template_label(Decoder *decoder, const ValueMember *label, Err *err) {
    Slice complaint = label_key_complaint(label->key);

    if (complaint.len)
        return decode_fail(decoder, &label->value, err, "label key: %.*s", SLICE_ARG(complaint));
    complaint = label_value_complaint(label->value.kind == VALUE_STRING ? label->value.text : SLICE(""));
    if (complaint.len)
        return decode_fail(decoder, &label->value, err, "%.*s", SLICE_ARG(complaint));
    if (slice_eq_text(label->key, "karpenter.sh/nodepool"))
        return decode_fail(decoder, &label->value, err, "label \"karpenter.sh/nodepool\" is restricted");
    return validate_label_domain(decoder, &label->value, label->key, err);
}

static ErrCode check_template_labels(Decoder *decoder, const Value *labels, Err *err) {
    if (!value_is_present(labels))
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

// Whether the text matches ^((100|[0-9]{1,2})%|[0-9]+)$
static bool is_node_count(Slice text) {
    bool percent = text.len > 1 && text.ptr[text.len - 1] == '%';
    Slice digits = slice_first(text, text.len - percent);

    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
            return false;
    }
    return digits.len > 0 && (!percent || digits.len < 3 || slice_eq_text(digits, "100"));
}

static ErrCode check_budget(Decoder *decoder, const Value *budget, Err *err) {
    const Value *nodes = value_get_text(budget, "nodes");

    TRY(decode_expect(decoder, budget, VALUE_MAP, err));
    if (value_is_present(nodes) && (nodes->kind != VALUE_STRING || !is_node_count(nodes->text)))
        return decode_fail(decoder, nodes, err,
                           "nodes must be a string with a number or a percentage, like \"5\" or "
                           "\"10%%\"");
    if (value_is_present(value_get_text(budget, "schedule")) != value_is_present(value_get_text(budget, "duration")))
        return decode_fail(decoder, budget, err, "'schedule' must be set with 'duration'");
    return validate_duration(decoder, budget, "duration", "smh", false, err);
}

static ErrCode check_disruption(Decoder *decoder, const Value *disruption, Err *err) {
    const Value *budgets = value_get_text(disruption, "budgets");

    TRY(validate_duration(decoder, disruption, "consolidateAfter", "smh", true, err));
    if (!value_is_present(budgets))
        return OK;
    decode_enter(decoder, SLICE("budgets"));
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

// Rules of a static pool: it keeps `replicas` nodes, and the only limit it may have is that on nodes.
static ErrCode check_static(Decoder *decoder, const Value *spec, Err *err) {
    const Value *replicas = value_get_text(spec, "replicas"), *limits = value_get_text(spec, "limits");
    int64_t count;

    if (!value_is_present(replicas))
        return OK;
    if (value_to_int64(replicas, &count) && count < 0) {
        decode_enter(decoder, SLICE("replicas"));
        return decode_fail(decoder, replicas, err, "must be greater than or equal to 0, got %" PRId64, count);
    }
    if (value_is_present(value_get_text(spec, "weight")))
        return decode_fail(decoder, spec, err, "'weight' is not supported on static NodePools");
    if (!value_is_present(limits))
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
    if (value_is_present(weight) && value_to_int64(weight, &number) && (number < 1 || number > 100)) {
        decode_enter(decoder, SLICE("weight"));
        return decode_fail(decoder, weight, err, "expected 1 to 100, got %" PRId64, number);
    }
    if (value_is_present(disruption)) {
        decode_enter(decoder, SLICE("disruption"));
        TRY(decode_expect(decoder, disruption, VALUE_MAP, err));
        TRY(check_disruption(decoder, disruption, err));
        decode_leave(decoder);
    }
    TRY(check_static(decoder, spec, err));
    decode_leave(decoder);
    return OK;
}
