// Labels and taints for kubelets.
#include "cloud/aws/userdata/node_identity.h"

#include <stdlib.h>

// Whether NodeRestriction forbids kubelets to set the label on their nodes.
static bool is_restricted(Slice key) {
    static const char *const domains[] = {"kubernetes.io", "k8s.io"};
    ptrdiff_t slash = slice_find(key, '/');
    Slice domain = slice_first(key, slash < 0 ? 0 : (size_t)slash);

    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        Slice end = slice_of(domains[i]);

        if (slice_eq(domain, end) || (slice_ends_with(domain, end) && domain.ptr[domain.len - end.len - 1] == '.'))
            return true;
    }
    return false;
}

static void put(Arena *arena, TextEntryVec *labels, Slice key, Slice value) {
    for (vec_each(TextEntry, label, labels)) {
        if (slice_eq(label->key, key)) {
            label->value = value;
            return;
        }
    }
    vec_push(arena, labels, (TextEntry){key, value});
}

static int by_key(const void *a, const void *b) {
    return slice_cmp(((const TextEntry *)a)->key, ((const TextEntry *)b)->key);
}

TextEntryVec node_labels(Arena *arena, const Symbols *symbols, const Labels *labels, Symbol capacity_type,
                         const AmiFamily *family) {
    TextEntryVec list = {0};

    for (uint32_t i = 0; i < labels->count; i++) {
        Slice key = symbol_text(symbols, labels->items[i].key);
        Slice value = symbol_text(symbols, labels->items[i].value);
        bool is_name = slice_find(value, '/') >= 0; // of a Provisioner's pool: no value; its own label is beside it

        if (!is_restricted(key) && !is_name)
            vec_push(arena, &list, (TextEntry){key, value});
    }
    put(arena, &list, symbol_text(symbols, NAME_CAPACITY_TYPE), symbol_text(symbols, capacity_type));
    if (!family->is_custom)
        put(arena, &list, SLICE("karpenter.sh/do-not-sync-taints"), SLICE("true"));
    qsort(list.items, list.count, sizeof *list.items, by_key);
    return list;
}

static void add_taints(Arena *arena, const Symbols *symbols, const TaintVec *taints, NodeTaintVec *list,
                       bool *unregistered) {
    for (vec_each(const Taint, taint, taints)) {
        *unregistered |= taint->key == NAME_UNREGISTERED && taint->effect == EFFECT_NO_EXECUTE;
        vec_push(arena, list,
                 (NodeTaint){symbol_text(symbols, taint->key), symbol_text(symbols, taint->value),
                             slice_of(taint_effect_text(taint->effect))});
    }
}

NodeTaintVec node_taints(Arena *arena, const Symbols *symbols, const TaintVec *taints, const TaintVec *startup_taints) {
    NodeTaintVec list = {0};
    bool unregistered = false;

    add_taints(arena, symbols, taints, &list, &unregistered);
    add_taints(arena, symbols, startup_taints, &list, &unregistered);
    if (!unregistered)
        vec_push(arena, &list, (NodeTaint){SLICE("karpenter.sh/unregistered"), SLICE(""), SLICE("NoExecute")});
    return list;
}

Slice node_taint_print(Arena *arena, const NodeTaint *taint) {
    if (!taint->value.len)
        return arena_printf(arena, "%.*s:%.*s", SLICE_ARG(taint->key), SLICE_ARG(taint->effect));
    return arena_printf(arena, "%.*s=%.*s:%.*s", SLICE_ARG(taint->key), SLICE_ARG(taint->value),
                        SLICE_ARG(taint->effect));
}
