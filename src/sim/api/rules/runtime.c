// Admission plugin RuntimeClass: additions to the pod, and conflicts with it.
//
// Source: k8s.io/kubernetes v1.36 plugin/pkg/admission/runtimeclass.
#include "sim/api/meta.h"
#include "sim/api/request.h"
#include "text/quantity.h"
#include "text/value_edit.h"

// The RuntimeClass of the pod; null: none, or it does not exist.
static Value class_of(const Request *request, const Value *spec) {
    Slice name = kube_text(spec, "runtimeClassName", NULL);
    const Entry *entry = name.len ? store_find(request->store, KUBE_RUNTIME_CLASS, name) : NULL;

    return entry ? request_open(request, entry) : value_null();
}

static void add_overhead(Arena *arena, Value *spec, const Value *overhead) {
    const Value *own = value_get_text(spec, "overhead");

    if (overhead && overhead->kind == VALUE_MAP && (!own || own->kind == VALUE_NULL))
        value_put(arena, spec, SLICE("overhead"), value_copy(arena, overhead));
}

static void add_node_selector(Arena *arena, Value *spec, const Value *labels) {
    for (uint32_t i = 0; labels && labels->kind == VALUE_MAP && i < labels->map.count; i++) {
        const ValueMember *label = &labels->map.items[i];
        Value *selector = value_make(arena, spec, "nodeSelector", NULL);

        if (!value_find(selector, label->key)) // with another value runtime_class_validate refuses it
            value_put(arena, selector, label->key, value_copy(arena, &label->value));
    }
}

static void add_tolerations(Arena *arena, Value *spec, const Value *more) {
    for (uint32_t i = 0; more && more->kind == VALUE_LIST && i < more->list.count; i++) {
        Value *tolerations = value_find_text(spec, "tolerations");
        bool known = false;

        if (!tolerations || tolerations->kind != VALUE_LIST)
            tolerations = value_put(arena, spec, SLICE("tolerations"), value_list());
        for (vec_each(const Value, toleration, &tolerations->list))
            known |= value_eq(toleration, &more->list.items[i]);
        if (!known)
            value_append(arena, tolerations, value_copy(arena, &more->list.items[i]));
    }
}

void runtime_class_apply(const Request *request, Value *spec) {
    Value class = class_of(request, spec);

    if (class.kind != VALUE_MAP)
        return; // none, or runtime_class_validate refuses it
    add_overhead(request->arena, spec, value_at(&class, "overhead", "podFixed", NULL));
    add_node_selector(request->arena, spec, value_at(&class, "scheduling", "nodeSelector", NULL));
    add_tolerations(request->arena, spec, value_at(&class, "scheduling", "tolerations", NULL));
}

static uint32_t member_count(const Value *map) {
    return map && map->kind == VALUE_MAP ? map->map.count : 0;
}

static bool same_amounts(const Value *ours, const Value *theirs) {
    if (member_count(ours) != member_count(theirs))
        return false;
    for (uint32_t i = 0; i < member_count(ours); i++) {
        const Value *other = value_get(theirs, ours->map.items[i].key);
        int64_t a, b;

        if (!other || quantity_parse(ours->map.items[i].value.text, QUANTITY_MILLI, &a, NULL) != OK ||
            quantity_parse(other->text, QUANTITY_MILLI, &b, NULL) != OK || a != b)
            return false;
    }
    return true;
}

static ErrCode check_node_selector(const Request *request, const Value *spec, const Value *labels) {
    for (uint32_t i = 0; i < member_count(labels); i++) {
        const ValueMember *label = &labels->map.items[i];
        const Value *own = value_get(value_get_text(spec, "nodeSelector"), label->key);

        if (own && !slice_eq(own->text, label->value.text))
            return fail_forbidden(
                request,
                "conflict: runtimeClass.scheduling.nodeSelector[%.*s] = %.*s; pod.spec.nodeSelector[%.*s] = %.*s",
                SLICE_ARG(label->key), SLICE_ARG(label->value.text), SLICE_ARG(label->key), SLICE_ARG(own->text));
    }
    return OK;
}

ErrCode runtime_class_validate(const Request *request, const Value *spec) {
    Slice name = kube_text(spec, "runtimeClassName", NULL);
    const Value *own = value_get_text(spec, "overhead"), *overhead;
    Value class = class_of(request, spec);

    if (name.len && class.kind != VALUE_MAP)
        return fail_forbidden(request, "pod rejected: RuntimeClass \"%.*s\" not found", SLICE_ARG(name));
    overhead = value_at(&class, "overhead", "podFixed", NULL);
    if (member_count(own) && !member_count(overhead))
        return fail_forbidden(request,
                              "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
    if (!same_amounts(overhead, own))
        return fail_forbidden(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    return check_node_selector(request, spec, value_at(&class, "scheduling", "nodeSelector", NULL));
}
