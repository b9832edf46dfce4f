// The table of webhooks, and what is common to them.
#include "legacy/admission/admission.h"

#include "legacy/admission/verdicts.h"

static const struct {
    const char *path, *name;
    AdmissionVerdict (*judge)(Arena *arena, const Review *review);
} hooks[ADMISSION_HOOKS] = {
    [ADMISSION_DEFAULT] = {"/default/karpenter.k8s.aws", "defaulting.webhook.karpenter.k8s.aws", verdict_default},
    [ADMISSION_VALIDATE_AWS] = {"/validate/karpenter.k8s.aws", "validation.webhook.karpenter.k8s.aws",
                                verdict_validate_aws},
    [ADMISSION_VALIDATE_CORE] = {"/validate/karpenter.sh", "validation.webhook.karpenter.sh", verdict_validate_core},
    [ADMISSION_VALIDATE_CONFIG] = {"/validate/config.karpenter.sh", "validation.webhook.config.karpenter.sh",
                                   verdict_validate_config},
};

const char *admission_path(AdmissionHook hook) {
    return hooks[hook].path;
}

const char *admission_name(AdmissionHook hook) {
    return hooks[hook].name;
}

static bool is_write(const Review *review) {
    return slice_eq(review->operation, SLICE("CREATE")) || slice_eq(review->operation, SLICE("UPDATE"));
}

static bool is_going(const Review *review) {
    const Value *time = value_at(review->object, "metadata", "deletionTimestamp", NULL);

    return time && time->kind == VALUE_STRING;
}

static bool is_looked_at(const Review *review) {
    return is_write(review) && !review->subresource.len && !(review->object && is_going(review));
}

ErrCode admission_answer(Arena *arena, AdmissionHook hook, Slice text, Buffer *reply, Err *err) {
    Review review;
    AdmissionVerdict verdict = verdict_allowed();

    TRY(review_read(arena, text, &review, err));
    if (is_looked_at(&review))
        verdict = hooks[hook].judge(arena, &review);
    review_reply(arena, &review, &verdict, reply);
    return OK;
}
