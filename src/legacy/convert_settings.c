// karpenter-global-settings: what it says about nodes, and has no place for in v1beta1 and v1. Reference legacy.md 5.5
// and W19. The rest of it are flags of the process today, and not the converter's.
#include "legacy/convert_parts.h"

#include "legacy/fields.h"
#include "text/json.h"

static Slice text_at(const Value *value) {
    return value && value->kind == VALUE_STRING ? value->text : SLICE("");
}

// The elements of an API server's list name no kind.
static bool is_global_settings(const Value *object) {
    Slice kind = text_at(value_get_text(object, "kind"));

    return (!kind.len || slice_eq(kind, SLICE("ConfigMap"))) &&
           slice_eq(text_at(value_at(object, "metadata", "name", NULL)), SLICE("karpenter-global-settings"));
}

static ErrCode refuse_tags(const Item *item, Err *err) {
    return convert_fail(item, ERR_INVALID, err, "data.aws.tags: expected a JSON object of texts, at most %d",
                        TEXT_MAP_MAX);
}

static bool is_tag_map(const Value *value) {
    if (value->kind != VALUE_MAP || value->map.count > TEXT_MAP_MAX)
        return false;
    for (vec_each(const ValueMember, member, &value->map)) {
        if (member->value.kind != VALUE_STRING)
            return false;
    }
    return true;
}

static ErrCode read_tags(Conversion *conversion, const Item *item, Slice text, Err *err) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    TextMap tags = {0};

    if (!text.len)
        return OK;
    if (json_parse(conversion->arena, item->file, text, &(ParseOptions){0}, &documents, &warnings, NULL) != OK ||
        documents.count != 1 || !is_tag_map(&documents.items[0].root))
        return refuse_tags(item, err);
    for (vec_each(const ValueMember, member, &documents.items[0].root.map))
        vec_push(conversion->arena, &tags, (TextPair){member->key, member->value.text, item->value.line});
    conversion->settings.tags = tags;
    return OK;
}

ErrCode convert_settings(Conversion *conversion, const Item *item, Err *err) {
    const Value *data = value_get_text(&item->value, "data");

    if (!is_global_settings(&item->value))
        return OK;
    conversion->settings.profile = text_at(value_get_text(data, "aws.defaultInstanceProfile"));
    conversion->settings.unlimited_pods =
        slice_eq(text_at(value_get_text(data, "aws.enableENILimitedPodDensity")), SLICE("false"));
    if (value_get_text(data, "aws.enablePodENI"))
        convert_note(conversion, item, "W19", value_get_text(data, "aws.enablePodENI")->line,
                     "data.aws.enablePodENI: it is read no more; types with branch interfaces offer "
                     "vpc.amazonaws.com/pod-eni always");
    return read_tags(conversion, item, text_at(value_get_text(data, "aws.tags")), err);
}
