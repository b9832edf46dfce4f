// A token bucket for each class of operations.
#include "aws/call/pace.h"

#include "base/alloc.h"

typedef struct {
    AwsPace pace;
    Limiter limiter;
} PacedClass;

struct AwsPacer {
    PacedClass *classes;
    uint32_t count;
};

AwsPacer *aws_pacer_new(const AwsPace *paces, uint32_t count) {
    AwsPacer *pacer = NEW(AwsPacer);

    pacer->classes = NEW_ARRAY(PacedClass, count);
    pacer->count = count;
    for (uint32_t i = 0; i < count; i++) {
        pacer->classes[i].pace = paces[i];
        limiter_init(&pacer->classes[i].limiter, paces[i].per_second, paces[i].burst);
    }
    return pacer;
}

void aws_pacer_free(AwsPacer *pacer) {
    if (!pacer)
        return;
    for (uint32_t i = 0; i < pacer->count; i++)
        limiter_destroy(&pacer->classes[i].limiter);
    free(pacer->classes);
    free(pacer);
}

static bool is_of(const AwsPace *pace, const AwsOperation *operation) {
    const char *wanted = pace->operation ? pace->operation : "*", *star = strchr(wanted, '*');

    if (strcmp(pace->service, operation->service->id) != 0)
        return false;
    return star ? !strncmp(operation->name, wanted, (size_t)(star - wanted)) : !strcmp(operation->name, wanted);
}

int64_t aws_pacer_reserve(AwsPacer *pacer, const AwsOperation *operation, Mono now) {
    for (uint32_t i = 0; i < pacer->count; i++) {
        if (is_of(&pacer->classes[i].pace, operation))
            return limiter_reserve(&pacer->classes[i].limiter, now);
    }
    return 0;
}
