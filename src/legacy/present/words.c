// Texts and lines of the log that name old objects, in the words of v0.31. Reference legacy.md 5.6.
#include "legacy/present/carry.h"
#include "legacy/present/names.h"

#include "base/buffer.h"
#include "model/pool_name.h"

// How texts name pools and claims, and how they named them. Presented names have a '/', which no other name has.
static const struct {
    Slice today, old;
} names[] = {
    {SLICE_INIT("nodeclaim/" MACHINE_PREFIX), SLICE_INIT(MACHINE_PREFIX)},
    {SLICE_INIT("NodeClaim " MACHINE_PREFIX), SLICE_INIT("Machine ")},
    {SLICE_INIT("nodepool " PROVISIONER_PREFIX), SLICE_INIT("provisioner ")},
    {SLICE_INIT("NodePool " PROVISIONER_PREFIX), SLICE_INIT("Provisioner ")},
    {SLICE_INIT("NodePool \"" PROVISIONER_PREFIX), SLICE_INIT("Provisioner \"")},
};

static const struct {
    const char *today, *old;
} messages[] = {
    {"created nodeclaim", "created machine"},       {"launched nodeclaim", "launched machine"},
    {"registered nodeclaim", "registered machine"}, {"initialized nodeclaim", "initialized machine"},
    {"deleted nodeclaim", "deleted machine"},
};

static const struct {
    const char *today;
    KubeKind kind;
    const char *old;
} keys[] = {
    {"NodeClaim", KUBE_NODE_CLAIM, "machine"},
    {"NodePool", KUBE_NODE_POOL, "provisioner"},
};

// Appends what begins at `at`, and says how much of the text that was.
static size_t carry_at(Buffer *carried, Slice text, size_t at) {
    Slice rest = slice_from(text, at);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (slice_starts_with(rest, names[i].today)) {
            buffer_append(carried, names[i].old);
            return names[i].today.len;
        }
    }
    buffer_append_char(carried, rest.ptr[0]);
    return 1;
}

static bool names_an_old_object(Slice text) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (slice_contains(text, names[i].today))
            return true;
    }
    return false;
}

Slice carry_text(Arena *arena, Slice text) {
    Buffer carried = {0};

    if (!names_an_old_object(text))
        return text;
    for (size_t at = 0; at < text.len;)
        at += carry_at(&carried, text, at);
    text = arena_slice(arena, buffer_slice(&carried));
    buffer_free(&carried);
    return text;
}

Slice carry_subject(Slice kind, Slice *name) {
    KubeKind old;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (slice_eq_text(kind, keys[i].today) && old_name(keys[i].kind, *name, &old, name))
            return kube_kind(old)->kind;
    }
    return kind;
}

// Whether the value is an old object's name under its kind as a key; then both are as they were.
static bool carry_name(Slice *key, Slice *value) {
    KubeKind old;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (slice_eq_text(*key, keys[i].today) && old_name(keys[i].kind, *value, &old, value)) {
            *key = slice_of(keys[i].old);
            return true;
        }
    }
    return false;
}

static const char *carry_message(const char *message) {
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        if (slice_eq_text(slice_of(message), messages[i].today))
            return messages[i].old;
    }
    return message;
}

void carry_line(Arena *arena, const char **message, const Slice **pairs, uint32_t count) {
    Slice *carried = arena_copy(arena, *pairs, count * sizeof *carried);
    bool is_old = false;

    for (uint32_t i = 0; i + 1 < count; i += 2) {
        if (carry_name(&carried[i], &carried[i + 1]))
            is_old = true;
        else
            carried[i + 1] = carry_text(arena, carried[i + 1]);
    }
    *pairs = carried;
    if (is_old)
        *message = carry_message(*message);
}
