// karpenter-global-settings in the input of the converter: what it says about nodes, and has no place for in v1beta1
// and v1. Reference legacy.md 5.5 and W19. The rest of it are flags of the process today, and not the converter's.
#include "legacy/convert_parts.h"

ErrCode convert_settings(Conversion *conversion, const Item *item, Err *err) {
    const Value *pod_eni = value_at(&item->value, "data", "aws.enablePodENI", NULL);
    BadSettingVec bad = {0};

    if (!is_global_settings(&item->value))
        return OK;
    conversion->settings = (GlobalSettings){0};
    global_settings_read(conversion->arena, &item->value, &conversion->settings, &bad);
    if (bad.count)
        return convert_fail(item, ERR_INVALID, err, "data.%.*s: %.*s", SLICE_ARG(bad.items[0].key),
                            SLICE_ARG(bad.items[0].expected));
    if (pod_eni)
        convert_note(conversion, item, "W19", pod_eni->line,
                     "data.aws.enablePodENI: it is read no more; types with branch interfaces offer "
                     "vpc.amazonaws.com/pod-eni always");
    return OK;
}
