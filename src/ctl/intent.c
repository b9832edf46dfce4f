// Names of intents, and texts of completions.
#include "ctl/intent.h"

static const struct {
    const char *text;
    bool aside;
} intents[INTENT_TYPE_COUNT] = {
#define X(name, text, aside) {text, aside},
    INTENTS(X)
#undef X
};

const char *intent_text(IntentType type) {
    CHECK((unsigned)type < INTENT_TYPE_COUNT);
    return intents[type].text;
}

bool intent_is_aside(IntentType type) {
    CHECK((unsigned)type < INTENT_TYPE_COUNT);
    return intents[type].aside;
}

Slice completion_text(const Completion *completion) {
    const Err *err = completion->kube_error    ? &completion->kube_error->err
                     : completion->cloud_error ? &completion->cloud_error->err
                                               : NULL;

    return slice_of(err && err->text[0] ? err->text : err_code_text(completion->code));
}

bool completion_is_doubtful(const Completion *completion) {
    return completion->code != OK && (!completion->kube_error || kube_is_doubtful(completion->kube_error));
}
