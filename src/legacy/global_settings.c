// The keys, and their values.
#include "legacy/global_settings.h"

#include "legacy/fields.h"
#include "text/json.h"

static Slice text_at(const Value *value) {
    return value && value->kind == VALUE_STRING ? value->text : SLICE("");
}

bool is_global_settings(const Value *object) {
    Slice kind = text_at(value_get_text(object, "kind"));

    return (!kind.len || slice_eq_text(kind, "ConfigMap")) &&
           slice_eq_text(text_at(value_at(object, "metadata", "name", NULL)), GLOBAL_SETTINGS_NAME);
}

Slice global_setting(const Value *object, const char *key) {
    return text_at(value_get(value_get_text(object, "data"), slice_of(key)));
}

static void complain(Arena *arena, BadSettingVec *bad, const char *key, Slice expected) {
    vec_push(arena, bad, ((BadSetting){slice_of(key), expected}));
}

static void read_bool(Arena *arena, const Value *object, const char *key, bool *setting, BadSettingVec *bad) {
    Slice text = global_setting(object, key);

    if (slice_eq_text(text, "true") || slice_eq_text(text, "false"))
        *setting = slice_eq_text(text, "true");
    else if (text.len)
        complain(arena, bad, key, arena_printf(arena, "expected true or false, got \"%.*s\"", SLICE_ARG(text)));
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

static void read_tags(Arena *arena, const Value *object, TextMap *setting, BadSettingVec *bad) {
    static const char key[] = "aws.tags";
    Slice text = global_setting(object, key);
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    TextMap tags = {0};

    if (!text.len)
        return;
    if (json_parse(arena, SLICE(GLOBAL_SETTINGS_NAME), text, &(ParseOptions){0}, &documents, &warnings, NULL) != OK ||
        documents.count != 1 || !is_tag_map(&documents.items[0].root)) {
        complain(arena, bad, key, arena_printf(arena, "expected a JSON object of texts, at most %d", TEXT_MAP_MAX));
        return;
    }
    for (vec_each(const ValueMember, member, &documents.items[0].root.map))
        vec_push(arena, &tags, ((TextPair){member->key, member->value.text, object->line}));
    *setting = tags;
}

void global_settings_read(Arena *arena, const Value *object, GlobalSettings *settings, BadSettingVec *bad) {
    bool limited = !settings->unlimited_pods;
    Slice profile = global_setting(object, "aws.defaultInstanceProfile");

    if (profile.len)
        settings->profile = profile;
    read_tags(arena, object, &settings->tags, bad);
    read_bool(arena, object, "aws.enableENILimitedPodDensity", &limited, bad);
    read_bool(arena, object, "featureGates.driftEnabled", &settings->drifts, bad);
    settings->unlimited_pods = !limited;
}
