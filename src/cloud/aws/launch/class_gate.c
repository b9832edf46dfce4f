// The condition Ready, its generation, the tags.
#include "cloud/aws/launch/class_gate.h"

#include "cloud/aws/nodeclass/class_tags.h"

static const Condition *ready_of(const Symbols *symbols, const EC2NodeClass *class) {
    for (vec_each(const Condition, condition, &class->conditions)) {
        if (slice_eq_text(symbol_text(symbols, condition->type), "Ready"))
            return condition;
    }
    return NULL;
}

static ErrCode not_ready(CloudError *error, Slice name, Slice why) {
    return cloud_fail_class(error, ERR_INVALID, "EC2NodeClass %.*s is not ready: %.*s", SLICE_ARG(name),
                            SLICE_ARG(why));
}

ErrCode class_gate(Arena *arena, const Symbols *symbols, const EC2NodeClass *class, CloudError *error) {
    Slice name = class ? symbol_text(symbols, class->meta.name) : (Slice){0}, status = {0}, complaint;
    const Condition *ready = class ? ready_of(symbols, class) : NULL;

    if (!class || class->meta.deleting)
        return cloud_fail(error, ERR_CAPACITY, "failed resolving NodeClass: %s",
                          class ? "it is being deleted" : "there is none of that name");
    if (ready)
        status = symbol_text(symbols, ready->status);
    if (slice_eq_text(status, "False"))
        return not_ready(error, name, ready->message.len ? ready->message : symbol_text(symbols, ready->reason));
    if (!slice_eq_text(status, "True"))
        return cloud_fail_for(error, ERR_INVALID, "NodeClassReadinessUnknown",
                              "it is not known yet whether EC2NodeClass %.*s is ready", SLICE_ARG(name));
    if (ready->observed_generation != class->meta.generation)
        return not_ready(error, name,
                         arena_printf(arena, "its condition is of generation %lld, the class of %lld",
                                      (long long)ready->observed_generation, (long long)class->meta.generation));
    complaint = class_tags_complaint(arena, &class->launch.tags);
    return complaint.len ? not_ready(error, name, complaint) : OK;
}
