// NodeConfigs (node.eks.aws/v1alpha1), as nodeadm takes them.
#include "sim/wire/user_data.h"

#include "net/base64.h"
#include "text/mime.h"
#include "text/yaml.h"

static const Slice LABELS = SLICE_INIT("--node-labels=");

static Slice text_at(const Value *map, const char *key) {
    const Value *value = value_get(map, slice_of(key));

    return value && value->kind == VALUE_STRING ? value->text : (Slice){0};
}

// k=v,k=v, with or without quotes around all of it.
static void read_labels(Arena *arena, Symbols *symbols, Slice list, Labels *labels) {
    if (list.len >= 2 && list.ptr[0] == '"')
        list = slice_first(slice_from(list, 1), list.len - 2);
    while (list.len) {
        ptrdiff_t comma = slice_find(list, ','), equals;
        Slice one = comma < 0 ? list : slice_first(list, (size_t)comma);

        list = comma < 0 ? (Slice){0} : slice_from(list, (size_t)comma + 1);
        equals = slice_find(one, '=');
        if (equals > 0)
            labels_set(arena, labels, symbol_intern(symbols, slice_first(one, (size_t)equals)),
                       symbol_intern(symbols, slice_from(one, (size_t)equals + 1)));
    }
}

static void read_flags(Arena *arena, Symbols *symbols, const Value *kubelet, Labels *labels) {
    const Value *flags = value_get_text(kubelet, "flags");

    if (!flags || flags->kind != VALUE_LIST)
        return;
    for (vec_each(const Value, flag, &flags->list)) {
        if (flag->kind == VALUE_STRING && slice_starts_with(flag->text, LABELS))
            read_labels(arena, symbols, slice_from(flag->text, LABELS.len), labels);
    }
}

static TaintEffect effect_of(Slice text) {
    TaintEffect effect = EFFECT_NO_EXECUTE;

    while (effect != EFFECT_NONE && !slice_eq_text(text, taint_effect_text(effect)))
        effect--;
    return effect;
}

static void read_taints(Arena *arena, Symbols *symbols, const Value *kubelet, TaintVec *taints) {
    const Value *list = value_get_text(value_get_text(kubelet, "config"), "registerWithTaints");

    if (!list || list->kind != VALUE_LIST)
        return;
    for (vec_each(const Value, taint, &list->list))
        vec_push(arena, taints,
                 (Taint){.key = symbol_intern(symbols, text_at(taint, "key")),
                         .value = symbol_intern(symbols, text_at(taint, "value")),
                         .effect = effect_of(text_at(taint, "effect"))});
}

static void read_node_config(Arena *arena, Symbols *symbols, Slice text, SimUserData *data) {
    static const ParseOptions limits = {.depth_max = 64, .values_max = 100000};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    const Value *spec, *kubelet;

    if (yaml_parse(arena, SLICE("user data"), text, &limits, &documents, &warnings, NULL) != OK || !documents.count)
        return;
    spec = value_get_text(&documents.items[0].root, "spec");
    kubelet = value_get_text(spec, "kubelet");
    if (!text_at(value_get_text(spec, "cluster"), "apiServerEndpoint").len || !kubelet)
        return;
    data->joins = true;
    read_flags(arena, symbols, kubelet, &data->labels);
    read_taints(arena, symbols, kubelet, &data->taints);
}

SimUserData wire_user_data(Arena *arena, Symbols *symbols, Slice base64) {
    SimUserData data = {0};
    MimePartVec parts = {0};
    Slice text = {0};

    if (base64_decode(arena, base64, &text, NULL) != OK || mime_read(arena, text, &parts, NULL) != OK)
        return data;
    for (vec_each(const MimePart, part, &parts)) {
        if (slice_starts_with(mime_header(part, SLICE("Content-Type")), SLICE("application/node.eks.aws")))
            read_node_config(arena, symbols, part->body, &data);
    }
    return data;
}
