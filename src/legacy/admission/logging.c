// The ConfigMap config-logging: levels of the log, and how it is written. Reference legacy.md 5.5, R153.
#include "legacy/admission/verdicts.h"

#include "legacy/admission/admission.h"
#include "text/json.h"

static bool is_level(Slice text) {
    static const char *const levels[] = {"debug", "info", "warn", "error", "dpanic", "panic", "fatal", ""};

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (text.len == strlen(levels[i]) && strncasecmp(text.ptr, levels[i], text.len) == 0)
            return true;
    }
    return false;
}

static bool is_json_object(Arena *arena, Slice text) {
    const ParseOptions options = {.depth_max = ADMISSION_DEPTH_MAX, .values_max = ADMISSION_VALUES_MAX};
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    return json_parse(arena, ADMISSION_FILE, text, &options, &documents, &warnings, NULL) == OK &&
           documents.count == 1 && documents.items[0].root.kind == VALUE_MAP;
}

static AdmissionVerdict judge_entry(Arena *arena, const ValueMember *entry) {
    Slice text = entry->value.kind == VALUE_STRING ? entry->value.text : SLICE("");

    if (slice_eq(entry->key, SLICE("zap-logger-config")) && text.len && !is_json_object(arena, text))
        return verdict_denied(arena, "validation failed: invalid value: expected a JSON object: "
                                     "data[zap-logger-config]");
    if (slice_starts_with(entry->key, SLICE("loglevel.")) && !is_level(text))
        return verdict_denied(arena, "validation failed: invalid value: unrecognized level: \"%.*s\": data[%.*s]",
                              SLICE_ARG(text), SLICE_ARG(entry->key));
    return verdict_allowed();
}

static bool is_logging(const Review *review) {
    const Value *name = value_at(review->object, "metadata", "name", NULL);

    return slice_eq(review->kind, SLICE("ConfigMap")) && name && name->kind == VALUE_STRING &&
           slice_eq(name->text, SLICE("config-logging"));
}

// Other ConfigMaps that the selector covers are let through.
AdmissionVerdict verdict_validate_config(Arena *arena, const Review *review) {
    const Value *data = value_get_text(review->object, "data");
    AdmissionVerdict verdict = verdict_allowed();

    if (!is_logging(review) || !data || data->kind != VALUE_MAP)
        return verdict;
    for (uint32_t i = 0; i < data->map.count && verdict.allowed; i++)
        verdict = judge_entry(arena, &data->map.items[i]);
    return verdict;
}
