// The prefixes of presented names.
#include "legacy/present/names.h"

#include "model/pool_name.h"

static const struct {
    KubeKind kind, old;
    Slice prefix;
} rows[] = {
    {KUBE_NODE_POOL, KUBE_PROVISIONER, SLICE_INIT(PROVISIONER_PREFIX)},
    {KUBE_NODE_CLAIM, KUBE_MACHINE, SLICE_INIT(MACHINE_PREFIX)},
    {KUBE_EC2_NODE_CLASS, KUBE_AWS_NODE_TEMPLATE, SLICE_INIT("awsnodetemplate/")},
    {KUBE_EC2_NODE_CLASS, KUBE_PROVISIONER, SLICE_INIT(PROVISIONER_PREFIX)},
};
enum { ROWS = sizeof rows / sizeof *rows };

Slice presented_name(Arena *arena, KubeKind kind, Slice name) {
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].old == kind)
            return arena_printf(arena, "%.*s%.*s", SLICE_ARG(rows[i].prefix), SLICE_ARG(name));
    }
    return name;
}

static Slice with_mark(Arena *arena, Slice text, char from, char to) {
    ptrdiff_t at = slice_find(text, from);
    char *copy;

    if (at < 0)
        return text;
    copy = arena_copy(arena, text.ptr, text.len);
    copy[at] = to;
    return (Slice){copy, text.len};
}

Slice class_label_value(Arena *arena, Slice name) {
    return with_mark(arena, name, '/', '_');
}

Slice class_label_name(Arena *arena, Slice value) {
    return with_mark(arena, value, '_', '/');
}

bool old_name(KubeKind kind, Slice name, KubeKind *ret_old, Slice *ret_name) {
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].kind != kind || !slice_starts_with(name, rows[i].prefix))
            continue;
        *ret_old = rows[i].old;
        *ret_name = slice_from(name, rows[i].prefix.len);
        return true;
    }
    return false;
}
