// The words of intents.
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
