// Overhead of instance types: reservations of kubelet and system, and eviction thresholds. Reference aws.md 4.3.
#include "cloud/aws/type_overhead.h"

#include "cloud/aws/type_capacity.h"

#include <math.h>
#include <stdlib.h>

static const int64_t MIB = 1 << 20, GIB = 1 << 30;

// An eviction threshold: a quantity in bytes, or a share of the capacity.
typedef struct {
    bool is_percent;
    double percent;
    int64_t bytes;
} Threshold;

// Parses "100Mi" or "5%"; 100% disables the threshold, as in the kubelet.
static bool parse_threshold(Slice text, Threshold *ret_threshold) {
    char digits[32], *end;

    *ret_threshold = (Threshold){.is_percent = slice_ends_with(text, SLICE("%"))};
    if (!ret_threshold->is_percent)
        return quantity_parse(text, QUANTITY_UNIT, &ret_threshold->bytes, NULL) == OK && ret_threshold->bytes >= 0;
    if (text.len < 2 || text.len > sizeof digits)
        return false;
    memcpy(digits, text.ptr, text.len - 1);
    digits[text.len - 1] = '\0';
    ret_threshold->percent = strtod(digits, &end);
    if (*end || !(ret_threshold->percent >= 0 && ret_threshold->percent <= 100))
        return false;
    if (ret_threshold->percent >= 100)
        ret_threshold->percent = 0;
    return true;
}

static int64_t share_of(int64_t capacity, double percent) {
    return (int64_t)ceil((double)capacity / 100 * percent);
}

// The amount that an evictionHard signal reserves, or `fallback` when it is not set.
static int64_t eviction(const TypeContext *context, Slice signal, int64_t capacity, int64_t fallback) {
    Symbol key = symbol_find(context->symbols, signal);
    Symbol value = key == INDEX_NONE ? INDEX_NONE : labels_get(&context->node_class->kubelet.eviction_hard, key);
    Threshold threshold;

    if (value == INDEX_NONE || !parse_threshold(symbol_text(context->symbols, value), &threshold))
        return fallback;
    return threshold.is_percent ? share_of(capacity, threshold.percent) : threshold.bytes;
}

ErrCode ec2_check_eviction(const TypeContext *context, Err *err) {
    const EC2NodeClass *class = context->node_class;

    for (uint32_t i = 0; i < class->kubelet.eviction_hard.count; i++) {
        const Label *entry = &class->kubelet.eviction_hard.items[i];
        Slice text = symbol_text(context->symbols, entry->value);
        Threshold ignored;

        if (!parse_threshold(text, &ignored))
            return err_set(err, ERR_INVALID,
                           "EC2NodeClass %.*s: spec.kubelet.evictionHard[%.*s]: expected a quantity (\"100Mi\") or a "
                           "percentage from 0%% to 100%%, got \"%.*s\" (%.*s:%u)",
                           SLICE_ARG(symbol_text(context->symbols, class->meta.name)),
                           SLICE_ARG(symbol_text(context->symbols, entry->key)), SLICE_ARG(text),
                           SLICE_ARG(class->meta.file), class->meta.line);
    }
    return OK;
}

// CPU that is reserved: 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest; each band
// in whole milli-CPU.
static int64_t reserved_cpu_milli(int64_t cpu_milli) {
    static const struct {
        int64_t from, to;
        int64_t per_ten_thousand;
    } bands[] = {{0, 1000, 600}, {1000, 2000, 100}, {2000, 4000, 50}, {4000, INT64_MAX, 25}};
    int64_t sum = 0;

    for (size_t i = 0; i < sizeof bands / sizeof *bands; i++) {
        int64_t to = cpu_milli < bands[i].to ? cpu_milli : bands[i].to;

        if (to > bands[i].from)
            sum += (to - bands[i].from) * bands[i].per_ten_thousand / 10000;
    }
    return sum;
}

static Resources kube_reserved(TypeContext *context, const Ec2Type *type, const Resources *capacity) {
    const Resources *override = &context->node_class->kubelet.kube_reserved;
    int64_t pods =
        context->family->reserves_by_eni_pods ? ec2_pods_by_eni(context, type, 0) : resources_get(capacity, NAME_PODS);
    Resources reserved = {0};

    resources_set(context->arena, &reserved, NAME_CPU, reserved_cpu_milli(resources_get(capacity, NAME_CPU)));
    resources_set(context->arena, &reserved, NAME_MEMORY, (11 * pods + 255) * MIB);
    resources_set(context->arena, &reserved, NAME_EPHEMERAL_STORAGE, GIB);
    for (uint32_t i = 0; i < override->count; i++)
        resources_set(context->arena, &reserved, override->items[i].resource, override->items[i].amount);
    return reserved;
}

Resources ec2_type_overhead(TypeContext *context, const Ec2Type *type, const Resources *capacity) {
    int64_t memory = resources_get(capacity, NAME_MEMORY), storage = resources_get(capacity, NAME_EPHEMERAL_STORAGE);
    Resources overhead = kube_reserved(context, type, capacity), thresholds = {0};

    resources_set(context->arena, &thresholds, NAME_MEMORY,
                  eviction(context, SLICE("memory.available"), memory, 100 * MIB));
    resources_set(context->arena, &thresholds, NAME_EPHEMERAL_STORAGE,
                  eviction(context, SLICE("nodefs.available"), storage, share_of(storage, 10)));
    resources_add(context->arena, &overhead, &context->node_class->kubelet.system_reserved);
    resources_add(context->arena, &overhead, &thresholds);
    return overhead;
}
