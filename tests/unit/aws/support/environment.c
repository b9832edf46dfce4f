// An environment of a test's own.
#include "aws/support/environment.h"

#include "base/alloc.h"

static const char *variable(void *context, const char *name) {
    const TestEnvironment *environment = context;

    for (uint32_t i = environment->variables.count; i-- > 0;) {
        if (!strcmp(environment->variables.items[i].name, name))
            return environment->variables.items[i].value;
    }
    return NULL;
}

static ErrCode read_file(void *context, Arena *arena, Slice path, Slice *ret_text, Err *err) {
    TestEnvironment *environment = context;

    for (uint32_t i = environment->files.count; i-- > 0;) {
        const char *text = environment->files.items[i].value;

        if (!slice_eq_text(path, environment->files.items[i].name))
            continue;
        if (!text)
            break;
        environment->reads++;
        *ret_text = arena_slice(arena, slice_of(text));
        return OK;
    }
    return err_set(err, ERR_NOT_FOUND, "%.*s: no such file", SLICE_ARG(path));
}

TestEnvironment *environment_new(void) {
    TestEnvironment *environment = NEW(TestEnvironment);

    environment->environment = (AwsEnvironment){variable, read_file, environment};
    return environment;
}

void environment_free(TestEnvironment *environment) {
    arena_free(&environment->arena);
    free(environment);
}

void environment_set(TestEnvironment *environment, const char *name, const char *value) {
    vec_add(&environment->arena, &environment->variables)->name = name;
    vec_last(&environment->variables)->value = value;
}

void environment_file(TestEnvironment *environment, const char *path, const char *text) {
    vec_add(&environment->arena, &environment->files)->name = path;
    vec_last(&environment->files)->value = text;
}
