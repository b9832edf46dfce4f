// NodeOverlay and CapacityBuffer: defaults and rules of their CRDs without which objects would mean something else.
// Types of members and the syntax of label keys are not checked. Reference scheduling.md 8.1 and 8.2;
// deploy/chart-crds/definitions.
#include "sim/api/request.h"
#include "sim/api/rules/rules.h"
#include "text/value_edit.h"

static bool has(const Value *map, const char *key) {
    const Value *member = value_get(map, slice_of(key));

    return member && member->kind != VALUE_NULL;
}

static ErrCode check_range(const Request *request, const Value *spec, const char *key, int64_t least, int64_t most) {
    const Value *member = value_get(spec, slice_of(key));
    const char *path = arena_printf(request->arena, "spec.%s", key).ptr;
    int64_t number;

    if (!has(spec, key))
        return OK;
    if (!value_to_int64(member, &number))
        return fail_invalid(request, path, "Invalid value: %s in body must be of type integer", path);
    if (number < least)
        return fail_invalid(request, path, "Invalid value: %jd: %s in body should be greater than or equal to %jd",
                            (intmax_t)number, path, (intmax_t)least);
    if (number > most)
        return fail_invalid(request, path, "Invalid value: %jd: %s in body should be less than or equal to %jd",
                            (intmax_t)number, path, (intmax_t)most);
    return OK;
}

// --- NodeOverlay

static size_t digits(Slice text, size_t at) {
    size_t count = 0;

    while (at + count < text.len && text.ptr[at + count] >= '0' && text.ptr[at + count] <= '9')
        count++;
    return count;
}

// Length of digits with an optional fraction; the digits before the dot may be missing if the flag says so. 0: no
// number.
static size_t decimal(Slice text, size_t at, bool may_begin_with_dot) {
    size_t whole = digits(text, at), fraction;

    if (whole == 0 && !may_begin_with_dot)
        return 0;
    if (at + whole == text.len || text.ptr[at + whole] != '.')
        return whole;
    fraction = digits(text, at + whole + 1);
    return fraction ? whole + 1 + fraction : whole;
}

static bool is_price(Slice text) {
    return text.len && decimal(text, 0, false) == text.len;
}

// Whether the text is an adjustment like "+0.05", "-.1", "+10%", "-15.5%"; at most 100 % cheaper.
static bool is_adjustment(Slice text) {
    size_t length = text.len > 1 ? decimal(text, 1, true) : 0;

    if (length == 0 || (text.ptr[0] != '+' && text.ptr[0] != '-'))
        return false;
    if (1 + length == text.len)
        return true;
    if (2 + length != text.len || text.ptr[1 + length] != '%')
        return false;
    return text.ptr[0] == '+' || slice_eq_text(text, "-100%") || (digits(text, 1) >= 1 && digits(text, 1) <= 2);
}

static ErrCode check_price(const Request *request, const Value *spec) {
    if (has(spec, "price") && has(spec, "priceAdjustment"))
        return fail_invalid(request, "spec", "Invalid value: cannot set both 'price' and 'priceAdjustment'");
    if (has(spec, "price") && !is_price(kube_text(spec, "price", NULL)))
        return fail_invalid(request, "spec.price",
                            "Invalid value: \"%.*s\": spec.price in body should match '^\\d+(\\.\\d+)?$'",
                            SLICE_ARG(kube_text(spec, "price", NULL)));
    if (has(spec, "priceAdjustment") && !is_adjustment(kube_text(spec, "priceAdjustment", NULL)))
        return fail_invalid(request, "spec.priceAdjustment",
                            "Invalid value: \"%.*s\": spec.priceAdjustment in body should match an amount or a share "
                            "with its sign",
                            SLICE_ARG(kube_text(spec, "priceAdjustment", NULL)));
    return OK;
}

static bool compares_numbers(Slice operator) {
    return slice_eq_text(operator, "Gt") || slice_eq_text(operator, "Lt") || slice_eq_text(operator, "Gte") ||
           slice_eq_text(operator, "Lte");
}

// Whether the values are one integer, not negative, within 64 bits.
static bool is_number(const Value *values) {
    const Value *only = values && values->kind == VALUE_LIST && values->list.count == 1 ? values->list.items : NULL;
    int64_t number;

    return only && only->kind == VALUE_STRING && only->text.len && digits(only->text, 0) == only->text.len &&
           value_to_int64(&(Value){.kind = VALUE_NUMBER, .text = only->text}, &number);
}

static ErrCode check_selection(const Request *request, const Value *requirement) {
    const Value *values = value_get_text(requirement, "values");
    Slice operator= kube_text(requirement, "operator", NULL);
    bool listed = values && values->kind == VALUE_LIST && values->list.count;

    if (!listed && (slice_eq_text(operator, "In") || slice_eq_text(operator, "NotIn")))
        return fail_invalid(request, "spec.requirements",
                            "Invalid value: requirements with operator '%.*s' must have a value defined",
                            SLICE_ARG(operator));
    if (compares_numbers(operator) && !is_number(values))
        return fail_invalid(
            request, "spec.requirements",
            "Invalid value: requirements operator 'Gt', 'Lt', 'Gte' or 'Lte' must have a single positive "
            "integer value");
    return OK;
}

static ErrCode check_capacity(const Request *request, const Value *spec) {
    static const char *const restricted[] = {"cpu", "memory", "ephemeral-storage", "pods"};
    const Value *capacity = value_get_text(spec, "capacity");

    for (size_t i = 0; i < sizeof restricted / sizeof *restricted; i++) {
        if (value_get(capacity, slice_of(restricted[i])))
            return fail_invalid(request, "spec.capacity", "Invalid value: invalid resource restricted");
    }
    return OK;
}

ErrCode node_overlay_validate(const Request *request, const Value *object, const Value *old) {
    const Value *spec = value_get_text(object, "spec"), *requirements = value_get_text(spec, "requirements");

    if (old && member_eq(object, old, "spec"))
        return OK;
    if (!has(object, "spec"))
        return fail_invalid(request, "spec", "Required value");
    if (!requirements || requirements->kind != VALUE_LIST)
        return fail_invalid(request, "spec.requirements", "Required value");
    TRY(check_range(request, spec, "weight", 1, 10000));
    TRY(check_price(request, spec));
    TRY(check_capacity(request, spec));
    for (vec_each(const Value, requirement, &requirements->list))
        TRY(check_selection(request, requirement));
    return OK;
}

// --- CapacityBuffer

void capacity_buffer_defaults(const Request *request, Value *object) {
    Value *spec = value_find_text(object, "spec");

    if (spec && spec->kind == VALUE_MAP)
        default_text(request->arena, spec, "provisioningStrategy", "buffer.x-k8s.io/active-capacity");
}

static ErrCode check_words(const Request *request, const Value *spec, const char *reference, const char *word) {
    const char *path = arena_printf(request->arena, "spec.%s.%s", reference, word).ptr;
    const Value *map = value_get(spec, slice_of(reference));

    if (!has(spec, reference))
        return OK;
    if (!has(map, word))
        return fail_invalid(request, path, "Required value");
    if (kube_text(map, word, NULL).len == 0)
        return fail_invalid(request, path, "Invalid value: \"\": %s in body should be at least 1 chars long", path);
    return OK;
}

ErrCode capacity_buffer_validate(const Request *request, const Value *object, const Value *old) {
    const Value *spec = value_get_text(object, "spec");

    if (old && member_eq(object, old, "spec"))
        return OK;
    if (!has(object, "spec"))
        return fail_invalid(request, "spec", "Required value");
    TRY(check_words(request, spec, "podTemplateRef", "name"));
    TRY(check_words(request, spec, "scalableRef", "kind"));
    TRY(check_words(request, spec, "scalableRef", "name"));
    TRY(check_range(request, spec, "replicas", 0, INT32_MAX));
    TRY(check_range(request, spec, "percentage", 0, INT32_MAX));
    if (has(spec, "podTemplateRef") && !has(spec, "replicas") && !has(spec, "limits"))
        return fail_invalid(request, "spec",
                            "Invalid value: If podTemplateRef is set, replicas or limits must also be set");
    if (has(spec, "podTemplateRef") && has(spec, "scalableRef"))
        return fail_invalid(request, "spec",
                            "Invalid value: You must define either PodTemplateRef or ScalableRef, but not both");
    return OK;
}
