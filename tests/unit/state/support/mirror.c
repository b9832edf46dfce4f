// Helpers of the tests of the store.
#include "state/support/mirror.h"

#include <stdio.h>
#include <stdlib.h>

#include "text/yaml.h"

Mirror *mirror_new(void) {
    Mirror *mirror = calloc(1, sizeof *mirror);

    assert_non_null(mirror);
    mirror->state = state_new();
    return mirror;
}

void mirror_free(Mirror *mirror) {
    state_free(mirror->state);
    arena_free(&mirror->arena);
    free(mirror);
}

Value mirror_object(Mirror *mirror, const char *format, ...) {
    static char text[1 << 16];
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    va_list args;
    Err err;
    int len;

    va_start(args, format);
    len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_true(len >= 0 && (size_t)len < sizeof text);
    if (yaml_parse(&mirror->arena, SLICE("test"), slice_of(arena_text(&mirror->arena, slice_of(text))), NULL,
                   &documents, &warnings, &err) != OK)
        fail_msg("%s\n%s", err.text, text);
    assert_int_equal(documents.count, 1);
    return documents.items[0].root;
}

static StateUpdate *decode(Mirror *mirror, KubeKind kind, const Value *object) {
    Value with_revision = *object, *meta;
    StateUpdate *update;
    Err err;

    mirror->revision++;
    if (kube_revision(object) == 0) {
        Value copy = *value_get_text(object, "metadata");

        with_revision.map.items =
            arena_copy(&mirror->arena, object->map.items, object->map.count * sizeof(ValueMember));
        with_revision.map.capacity = with_revision.map.count;
        meta = value_put(&mirror->arena, &with_revision, SLICE("metadata"), value_map());
        for (vec_each(const ValueMember, member, &copy.map))
            value_put(&mirror->arena, meta, member->key, member->value);
        value_put(&mirror->arena, meta, SLICE("resourceVersion"),
                  value_string(arena_printf(&mirror->arena, "%llu", (unsigned long long)mirror->revision)));
    }
    if (state_decode(state_symbols(mirror->state), kind, &with_revision, &update, &err) != OK)
        fail_msg("%s", err.text);
    return update;
}

bool mirror_put(Mirror *mirror, KubeKind kind, const Value *object) {
    return state_apply(mirror->state, decode(mirror, kind, object), false, &mirror->change);
}

bool mirror_take(Mirror *mirror, KubeKind kind, const Value *object) {
    return state_apply(mirror->state, decode(mirror, kind, object), true, &mirror->change);
}

Symbol mirror_symbol(Mirror *mirror, const char *text) {
    return symbol_intern(state_symbols(mirror->state), slice_of(text));
}

Handle mirror_find(Mirror *mirror, KubeKind kind, const char *ns, const char *name) {
    return state_find(mirror->state, kind, ns ? mirror_symbol(mirror, ns) : NAME_EMPTY, mirror_symbol(mirror, name));
}

static Symbol name_of(const State *state, KubeKind kind, Handle handle) {
    switch (kind) {
#define X(row, type, word)                                                                                             \
    case KUBE_##row: {                                                                                                 \
        const type *object = state_##word(state, handle);                                                              \
                                                                                                                       \
        assert_non_null(object);                                                                                       \
        return kind == KUBE_POD ? ((const Pod *)(const void *)object)->name                                            \
                                : ((const ObjectMeta *)(const void *)object)->name;                                    \
    }
        STATE_KINDS(X)
#undef X
    default:
        fail_msg("no such kind");
        return NAME_EMPTY;
    }
}

const char *mirror_names(Mirror *mirror, KubeKind kind, const HandleVec *handles) {
    Buffer buffer = {0};
    const char *text;

    for (vec_each(const Handle, handle, handles)) {
        Slice name = symbol_text(state_symbols(mirror->state), name_of(mirror->state, kind, *handle));

        buffer_printf(&buffer, "%s%.*s", buffer.len ? " " : "", SLICE_ARG(name));
    }
    text = arena_text(&mirror->arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}

const char *mirror_resources(Mirror *mirror, const Resources *list) {
    return arena_text(&mirror->arena, resources_print_json(&mirror->arena, state_symbols(mirror->state), list));
}
