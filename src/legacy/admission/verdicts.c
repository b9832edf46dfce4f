// Provisioners and AWSNodeTemplates: defaulted, judged.
#include "legacy/admission/verdicts.h"

#include "legacy/admission/admission.h"
#include "legacy/complaints.h"
#include "legacy/defaults.h"
#include "text/value_edit.h"

static OldKind kind_of(const Review *review) {
    if (slice_eq(review->group, SLICE("karpenter.sh")) && slice_eq(review->kind, SLICE("Provisioner")))
        return OLD_PROVISIONER;
    if (slice_eq(review->group, SLICE("karpenter.k8s.aws")) && slice_eq(review->kind, SLICE("AWSNodeTemplate")))
        return OLD_NODE_TEMPLATE;
    return OLD_KINDS;
}

static AdmissionVerdict denied_kind(Arena *arena, const Review *review) {
    return verdict_denied(arena, "unhandled kind: %.*s/%.*s, Kind=%.*s", SLICE_ARG(review->group),
                          SLICE_ARG(review->version), SLICE_ARG(review->kind));
}

// A decoder's error without the place in a file, which a request does not have.
static Slice without_place(const Err *why) {
    Slice text = slice_of(why->text);
    const char *place = strstr(why->text, " (request:");

    return place ? slice_first(text, (size_t)(place - why->text)) : text;
}

static void put_name(Arena *arena, Value *object) {
    static const Slice unnamed = SLICE_INIT("unnamed");
    Value *metadata = value_find(object, SLICE("metadata"));

    if (metadata && metadata->kind == VALUE_MAP && !value_get_text(metadata, "name"))
        value_put(arena, metadata, SLICE("name"), value_string(unnamed));
}

// What the decoder gets: an object with a name, which one with a generateName has only later.
static Value named(Arena *arena, const Value *object) {
    Value copy = value_copy_tree(arena, object);

    put_name(arena, &copy);
    return copy;
}

// A Provisioner as Karpenter's own webhook saw it: the inline provider is there or not.
static Value without_provider(Arena *arena, const Value *object) {
    Value copy = named(arena, object), *spec = value_find(&copy, SLICE("spec"));
    const Value *provider = value_get_text(spec, "provider");

    if (provider && provider->kind == VALUE_MAP)
        value_put(arena, spec, SLICE("provider"), value_map());
    return copy;
}

static bool is_long(const OldProvisioner *provisioner) {
    uint32_t taints = provisioner->taints.count + provisioner->startup_taints.count;

    return taints > ADMISSION_LIST_MAX || provisioner->requirements.count > ADMISSION_LIST_MAX;
}

static AdmissionVerdict decoded(Arena *arena, const Value *object, OldKind kind, void *ret_object, const char *what) {
    Err why;

    if (old_decode(arena, kind, ADMISSION_FILE, object, ret_object, &why) == OK)
        return verdict_allowed();
    return verdict_denied(arena, "%s failed: cannot decode incoming new object: %.*s", what,
                          SLICE_ARG(without_place(&why)));
}

static AdmissionVerdict judged(Arena *arena, const ComplaintVec *complaints) {
    Slice text;

    if (!complaints->count)
        return verdict_allowed();
    text = complaints_print(arena, complaints);
    return verdict_denied(arena, "%.*s", SLICE_ARG(text));
}

// --- defaulting

static void add_operation(Arena *arena, Value *patch, const char *path, Value value) {
    Value operation = value_map();

    value_put(arena, &operation, SLICE("op"), value_string(SLICE("add")));
    value_put(arena, &operation, SLICE("path"), value_string(slice_of(path)));
    value_put(arena, &operation, SLICE("value"), value);
    value_append(arena, patch, operation);
}

// Makes the parents of the requirements where they are missing: of null nothing can be a member.
static void add_parents(Arena *arena, Value *patch, const Value *object) {
    const Value *spec = value_get_text(object, "spec"), *requirements = value_get_text(spec, "requirements");

    if (!spec || spec->kind != VALUE_MAP)
        add_operation(arena, patch, "/spec", value_map());
    if (!requirements || requirements->kind != VALUE_LIST)
        add_operation(arena, patch, "/spec/requirements", value_list());
}

static const Value *defaults_patch(Arena *arena, const Value *object, OldProvisioner *provisioner) {
    Value *patch = arena_new(arena, Value);
    uint32_t added = provisioner_default(arena, provisioner), count = provisioner->requirements.count;

    *patch = value_list();
    if (!added)
        return NULL;
    add_parents(arena, patch, object);
    for (uint32_t i = count - added; i < count; i++)
        add_operation(arena, patch, "/spec/requirements/-",
                      old_requirement_value(arena, &provisioner->requirements.items[i]));
    return patch;
}

static AdmissionVerdict default_provisioner(Arena *arena, const Value *object) {
    Value seen = without_provider(arena, object);
    OldProvisioner provisioner = {0};
    AdmissionVerdict verdict = decoded(arena, &seen, OLD_PROVISIONER, &provisioner, "mutation");

    if (verdict.allowed && !is_long(&provisioner))
        verdict.patch = defaults_patch(arena, object, &provisioner);
    return verdict;
}

AdmissionVerdict verdict_default(Arena *arena, const Review *review) {
    OldKind kind = kind_of(review);

    if (kind == OLD_KINDS)
        return denied_kind(arena, review);
    if (!review->object || review->object->kind != VALUE_MAP)
        return verdict_denied(arena, "mutation failed: the new object may not be nil");
    return kind == OLD_PROVISIONER ? default_provisioner(arena, review->object) : verdict_allowed();
}

// --- validating

typedef void (*ProvisionerComplain)(Arena *arena, const OldProvisioner *provisioner, ComplaintVec *complaints);

static AdmissionVerdict validate_provisioner(Arena *arena, const Value *object, ProvisionerComplain complain) {
    OldProvisioner provisioner = {0};
    ComplaintVec complaints = {0};
    AdmissionVerdict verdict = decoded(arena, object, OLD_PROVISIONER, &provisioner, "validation");

    if (!verdict.allowed)
        return verdict;
    if (is_long(&provisioner))
        return verdict_denied(arena, "validation failed: expected at most %d taints and %d requirements",
                              ADMISSION_LIST_MAX, ADMISSION_LIST_MAX);
    complain(arena, &provisioner, &complaints);
    return judged(arena, &complaints);
}

static AdmissionVerdict validate_template(Arena *arena, const Value *object) {
    OldNodeTemplate template = {0};
    ComplaintVec complaints = {0};
    AdmissionVerdict verdict = decoded(arena, object, OLD_NODE_TEMPLATE, &template, "validation");

    if (!verdict.allowed)
        return verdict;
    node_template_complaints(arena, &template, &complaints);
    return judged(arena, &complaints);
}

static AdmissionVerdict denied_nothing(Arena *arena) {
    return verdict_denied(arena, "validation failed: the new object may not be nil");
}

AdmissionVerdict verdict_validate_aws(Arena *arena, const Review *review) {
    OldKind kind = kind_of(review);
    Value seen;

    if (kind == OLD_KINDS)
        return denied_kind(arena, review);
    if (!review->object || review->object->kind != VALUE_MAP)
        return denied_nothing(arena);
    seen = named(arena, review->object);
    return kind == OLD_PROVISIONER ? validate_provisioner(arena, &seen, provisioner_aws_complaints)
                                   : validate_template(arena, &seen);
}

AdmissionVerdict verdict_validate_core(Arena *arena, const Review *review) {
    Value seen;

    if (kind_of(review) != OLD_PROVISIONER)
        return denied_kind(arena, review);
    if (!review->object || review->object->kind != VALUE_MAP)
        return denied_nothing(arena);
    seen = without_provider(arena, review->object);
    return validate_provisioner(arena, &seen, provisioner_core_complaints);
}
