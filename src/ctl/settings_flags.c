// Reading the values of flags.
#include "ctl/settings_flags.h"

#include "text/duration.h"

typedef enum {
#define X(field, ...) SETTING_##field,
    SETTINGS_FLAGS(X)
#undef X
} Setting;

const SettingsFlag settings_flags[] = {
#define X(field, flag, variable, value, preset, help) {flag, variable, value, preset, help},
    SETTINGS_FLAGS(X)
#undef X
};

const uint32_t settings_flag_count = sizeof settings_flags / sizeof *settings_flags;

static ErrCode set_duration(int64_t *ret_ns, Slice value, Err *err) {
    int64_t ns;

    TRY(duration_parse(value, &ns, err));
    if (ns < 0)
        return err_set(err, ERR_INVALID, "expected a duration that is not negative, got \"%.*s\"", SLICE_ARG(value));
    *ret_ns = ns;
    return OK;
}

// The number of a word among `words`.
static ErrCode set_word(const char *const *words, size_t count, Slice value, size_t *ret_word, Err *err) {
    for (size_t i = 0; i < count; i++) {
        if (slice_eq_text(value, words[i])) {
            *ret_word = i;
            return OK;
        }
    }
    return err_set(err, ERR_INVALID, "expected %s%s%s%s%s, got \"%.*s\"", words[0], count > 2 ? ", " : " or ", words[1],
                   count > 2 ? " or " : "", count > 2 ? words[2] : "", SLICE_ARG(value));
}

static ErrCode set_gate(Settings *settings, Slice gate, Slice value, Err *err) {
    const struct {
        const char *name;
        bool *field;
    } gates[] = {{"StaticCapacity", &settings->gate_static_capacity},
                 {"NodeRepair", &settings->gate_node_repair},
                 {"ReservedCapacity", &settings->gate_reserved_capacity}};

    if (!slice_eq_text(value, "true") && !slice_eq_text(value, "false"))
        return err_set(err, ERR_INVALID, "expected %.*s=true or %.*s=false", SLICE_ARG(gate), SLICE_ARG(gate));
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        if (slice_eq_text(gate, gates[i].name))
            *gates[i].field = slice_eq_text(value, "true");
    }
    return OK; // unknown gates are of no account, as in Karpenter
}

static ErrCode set_gates(Settings *settings, Slice value, Err *err) {
    while (value.len) {
        ptrdiff_t comma = slice_find(value, ',');
        Slice gate = slice_trim(comma < 0 ? value : slice_first(value, (size_t)comma));
        ptrdiff_t equals = slice_find(gate, '=');

        if (equals < 0)
            return err_set(err, ERR_INVALID, "expected GATE=BOOL, got \"%.*s\"", SLICE_ARG(gate));
        TRY(set_gate(settings, slice_first(gate, (size_t)equals), slice_from(gate, (size_t)equals + 1), err));
        value = comma < 0 ? SLICE("") : slice_from(value, (size_t)comma + 1);
    }
    return OK;
}

static ErrCode set(Settings *settings, Setting setting, Slice value, Err *err) {
    static const char *const preferences[] = {"Respect", "Ignore"}, *const min_values[] = {"Strict", "BestEffort"},
                             *const efforts[] = {"normal", "fast", "best"};
    size_t word = 0;

    switch (setting) {
    case SETTING_BATCH_IDLE:
        return set_duration(&settings->batch_idle_ns, value, err);
    case SETTING_BATCH_MAX:
        return set_duration(&settings->batch_max_ns, value, err);
    case SETTING_PREFERENCES:
        TRY(set_word(preferences, 2, value, &word, err));
        settings->preferences = (PreferencePolicy)word;
        return OK;
    case SETTING_MIN_VALUES:
        TRY(set_word(min_values, 2, value, &word, err));
        settings->min_values = (MinValuesPolicy)word;
        return OK;
    case SETTING_EFFORT:
        TRY(set_word(efforts, 3, value, &word, err));
        settings->search.effort = (Effort)word;
        return OK;
    case SETTING_GATES:
        return set_gates(settings, value, err);
    }
    return OK;
}

ErrCode settings_set(Settings *settings, Slice flag, Slice value, Err *err) {
    for (uint32_t i = 0; i < settings_flag_count; i++) {
        if (slice_eq_text(flag, settings_flags[i].flag)) {
            ErrCode code = set(settings, (Setting)i, value, err);

            if (code != OK)
                err_prefix(err, "%s", settings_flags[i].flag);
            return code;
        }
    }
    return err_set(err, ERR_NOT_FOUND, "unknown setting \"%.*s\"", SLICE_ARG(flag));
}

void settings_serve_kwok(Settings *settings) {
    settings->node_class_group = SLICE("karpenter.kwok.sh");
    settings->node_class_kind = SLICE("KWOKNodeClass");
    settings->node_class_label = SLICE("karpenter.kwok.sh/kwoknodeclass");
}
