// Pods from templates, and pod-template-hashes.
#include "sim/workloads/template.h"

#include "sim/workloads/writing.h"
#include "text/json.h"

// Encodes like k8s.io/apimachinery's SafeEncodeString: letters and digits that form no words.
static Slice safe_encode(Arena *arena, Slice text) {
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    char *encoded = arena_alloc(arena, text.len + 1);

    for (size_t i = 0; i < text.len; i++)
        encoded[i] = letters[(unsigned char)text.ptr[i] % (sizeof letters - 1)];
    return (Slice){encoded, text.len};
}

Slice workload_template_hash(Arena *arena, const Value *template, int64_t collisions) {
    Buffer text = {0};
    uint64_t hash;

    json_print(&text, template, false);
    hash = hash_combine(slice_hash(buffer_slice(&text)), (uint64_t)collisions);
    buffer_free(&text);
    return safe_encode(arena, arena_printf(arena, "%u", (unsigned)(hash & UINT32_MAX)));
}

static void copy_member(Arena *arena, Value *meta, const Value *template, const char *key) {
    const Value *value = value_at(template, "metadata", key, NULL);

    if (value && value->kind != VALUE_NULL)
        value_put(arena, meta, slice_of(key), value_copy_tree(arena, value));
}

Value workload_template_pod(const SimWorkload *workload, Arena *arena, const Value *template) {
    const Value *spec = value_get_text(template, "spec");
    Value pod = value_map(), *meta;

    put_text(arena, &pod, "apiVersion", SLICE("v1"));
    put_text(arena, &pod, "kind", SLICE("Pod"));
    meta = put_map(arena, &pod, "metadata");
    put_text(arena, meta, "namespace", workload_ns(workload));
    copy_member(arena, meta, template, "labels");
    copy_member(arena, meta, template, "annotations");
    copy_member(arena, meta, template, "finalizers");
    put_controller(arena, meta, workload->kind, workload_name(workload),
                   symbol_text(workload->workloads->symbols, workload->uid));
    if (spec)
        value_put(arena, &pod, SLICE("spec"), *spec);
    return pod;
}
