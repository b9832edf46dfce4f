// The kinds of 2023: what their definitions and Karpenter's webhooks did to an object that is written.
//
// Members that a kind does not have are dropped, Provisioners get the requirements that AWS needs, and what the
// webhooks refused is refused in their words. As there (legacy/admission/admission.h), what is being deleted is let
// through. Machines had no webhook; besides their schema they are held to what a NodeClaim is, as which they live here.
// Reference legacy.md 2.2, 2.5, 3 and 4.
#include "legacy/complaints.h"
#include "legacy/defaults.h"
#include "legacy/present/present.h"
#include "sim/api/meta.h"
#include "sim/api/request.h"
#include "text/value_edit.h"

#define FILE_NAME SLICE("object") // of which the decoders speak

static OldKind old_kind(const Request *request) {
    return request->kind == KUBE_PROVISIONER ? OLD_PROVISIONER
           : request->kind == KUBE_MACHINE   ? OLD_MACHINE
                                             : OLD_NODE_TEMPLATE;
}

// Only the spec: of a status, what tenon writes is what the definitions have.
static void prune_spec(const Request *request, Value *object) {
    OldStrangerVec strangers = {0};
    Value pruned = old_prune(request->arena, old_kind(request), object, &strangers);
    const Value *spec = value_get_text(&pruned, "spec");

    if (spec)
        value_put(request->arena, object, SLICE("spec"), *spec);
}

void old_defaults(const Request *request, Value *object) {
    OldProvisioner provisioner = {0};
    uint32_t added;

    prune_spec(request, object);
    if (request->kind != KUBE_PROVISIONER ||
        old_decode(request->arena, OLD_PROVISIONER, FILE_NAME, object, &provisioner, NULL) != OK)
        return; // the validation says what is wrong
    added = provisioner_default(request->arena, &provisioner);
    for (uint32_t i = provisioner.requirements.count - added; i < provisioner.requirements.count; i++) {
        Value *spec = value_make(request->arena, object, "spec", NULL), *list = value_find_text(spec, "requirements");

        if (!list || list->kind != VALUE_LIST)
            list = value_put(request->arena, spec, SLICE("requirements"), value_list());
        value_append(request->arena, list, old_requirement_value(request->arena, &provisioner.requirements.items[i]));
    }
}

static bool is_going(const Value *object) {
    return value_at(object, "metadata", "deletionTimestamp", NULL);
}

static ErrCode refuse_decode(const Request *request, const Err *why) {
    return fail_invalid(request, "", "%.*s", SLICE_ARG(rules_without_place(why->text)));
}

static ErrCode denied(const Request *request, const char *webhook, const ComplaintVec *complaints) {
    Slice text;

    if (!complaints->count)
        return OK;
    text = complaints_print(request->arena, complaints);
    return fail_forbidden(request, "admission webhook \"%s\" denied the request: %.*s", webhook, SLICE_ARG(text));
}

ErrCode provisioner_validate(const Request *request, const Value *object, const Value *old) {
    OldProvisioner provisioner = {0};
    ComplaintVec core = {0}, aws = {0};
    Err why = {0};

    (void)old;
    if (is_going(object))
        return OK;
    if (old_decode(request->arena, OLD_PROVISIONER, FILE_NAME, object, &provisioner, &why) != OK)
        return refuse_decode(request, &why);
    provisioner_core_complaints(request->arena, &provisioner, &core);
    provisioner_aws_complaints(request->arena, &provisioner, &aws);
    TRY(denied(request, "validation.webhook.karpenter.sh", &core));
    return denied(request, "validation.webhook.karpenter.k8s.aws", &aws);
}

ErrCode node_template_validate(const Request *request, const Value *object, const Value *old) {
    OldNodeTemplate template = {0};
    ComplaintVec complaints = {0};
    Err why = {0};

    (void)old;
    if (is_going(object))
        return OK;
    if (old_decode(request->arena, OLD_NODE_TEMPLATE, FILE_NAME, object, &template, &why) != OK)
        return refuse_decode(request, &why);
    node_template_complaints(request->arena, &template, &complaints);
    return denied(request, "validation.webhook.karpenter.k8s.aws", &complaints);
}

ErrCode machine_validate(const Request *request, const Value *object, const Value *old) {
    OldMachine machine = {0};
    Err why = {0};
    Value claim;

    if (is_going(object) || (old && member_eq(object, old, "spec")))
        return OK;
    if (old_decode(request->arena, OLD_MACHINE, FILE_NAME, object, &machine, &why) != OK)
        return refuse_decode(request, &why);
    claim = present_machine(request->arena, object);
    return rules_check_schema(request, &claim);
}
