// The kubelet's settings. Reference legacy.md 2.2.
#include "legacy/complain.h"

static const char *const reservable[] = {"cpu", "memory", "ephemeral-storage", "pid", NULL};
static const char *const signals[] = {"memory.available",
                                      "nodefs.available",
                                      "nodefs.inodesFree",
                                      "imagefs.available",
                                      "imagefs.inodesFree",
                                      "pid.available",
                                      NULL};

static void judge_reserved(const Judge *judge, const TextMap *reserved, const char *field) {
    for (vec_each(const TextPair, pair, reserved)) {
        if (!text_is_one_of(pair->key, reservable))
            complain(judge, invalid_key(judge->arena, pair->key), "spec.kubeletConfiguration.%s", field);
        if (pair->value.len && pair->value.ptr[0] == '-')
            complain(judge, invalid_value(judge->arena, pair->value), "spec.kubeletConfiguration.%s[%.*s]", field,
                     SLICE_ARG(pair->key))
                ->details = SLICE("value cannot be negative resource quantity");
    }
}

// Whether the text is a percentage from 0 to 100 or a quantity.
static bool is_threshold(Slice text) {
    int64_t amount;

    if (!slice_ends_with(text, SLICE("%")))
        return quantity_parse(text, QUANTITY_UNIT, &amount, NULL) != ERR_INVALID;
    return quantity_parse(slice_first(text, text.len - 1), QUANTITY_MILLI, &amount, NULL) == OK && amount >= 0 &&
           amount <= 100 * 1000;
}

static void judge_thresholds(const Judge *judge, const TextMap *thresholds, const char *field) {
    for (vec_each(const TextPair, pair, thresholds)) {
        if (!text_is_one_of(pair->key, signals))
            complain(judge, invalid_key(judge->arena, pair->key), "spec.kubeletConfiguration.%s", field);
        if (!is_threshold(pair->value))
            complain(judge, invalid_value(judge->arena, pair->value), "spec.kubeletConfiguration.%s[%.*s]", field,
                     SLICE_ARG(pair->key));
    }
}

// Each key of the one needs the other.
static void judge_pairs(const Judge *judge, const TextMap *map, const char *field, const TextMap *other,
                        const char *other_field) {
    for (vec_each(const TextPair, pair, map)) {
        if (!text_map_get(other, pair->key))
            complain(judge, invalid_key(judge->arena, pair->key), "spec.kubeletConfiguration.%s", field)->details =
                arena_printf(judge->arena, "key does not have a matching %s", other_field);
    }
}

static void judge_range(const Judge *judge, bool has, int32_t number, int32_t most, const char *field) {
    if (has && (number < 0 || number > most))
        complain(judge, arena_printf(judge->arena, "invalid value: %d", number), "spec.kubeletConfiguration.%s", field);
}

static void judge_numbers(const Judge *judge, const OldKubelet *kubelet) {
    judge_range(judge, kubelet->has_max_pods, kubelet->max_pods, INT32_MAX, "maxPods");
    judge_range(judge, kubelet->has_pods_per_core, kubelet->pods_per_core, INT32_MAX, "podsPerCore");
    judge_range(judge, kubelet->has_image_gc_high, kubelet->image_gc_high, 100, "imageGCHighThresholdPercent");
    judge_range(judge, kubelet->has_image_gc_low, kubelet->image_gc_low, 100, "imageGCLowThresholdPercent");
    if (kubelet->has_image_gc_high && kubelet->has_image_gc_low && kubelet->image_gc_high < kubelet->image_gc_low)
        complain(judge, arena_printf(judge->arena, "invalid value: %d", kubelet->image_gc_high),
                 "spec.kubeletConfiguration.imageGCHighThresholdPercent")
            ->details = SLICE("imageGCHighThresholdPercent must be greater than imageGCLowThresholdPercent");
}

void judge_kubelet(const Judge *judge, const OldKubelet *kubelet) {
    if (!kubelet)
        return;
    judge_reserved(judge, &kubelet->system_reserved, "systemReserved");
    judge_reserved(judge, &kubelet->kube_reserved, "kubeReserved");
    judge_thresholds(judge, &kubelet->eviction_hard, "evictionHard");
    judge_thresholds(judge, &kubelet->eviction_soft, "evictionSoft");
    judge_pairs(judge, &kubelet->eviction_soft, "evictionSoft", &kubelet->eviction_soft_grace_period,
                "evictionSoftGracePeriod");
    judge_pairs(judge, &kubelet->eviction_soft_grace_period, "evictionSoftGracePeriod", &kubelet->eviction_soft,
                "evictionSoft");
    judge_numbers(judge, kubelet);
}
