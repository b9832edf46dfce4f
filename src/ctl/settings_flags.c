// Parsing of the values of flags.
#include "ctl/settings_flags.h"

#include "base/time.h"
#include "text/duration.h"
#include "text/nearest.h"

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

static ErrCode set_percent(uint32_t *ret_percent, Slice value, Err *err) {
    bool has_sign = value.len && value.ptr[value.len - 1] == '%';
    int64_t percent;

    if (!slice_to_int64(slice_first(value, value.len - has_sign), &percent) || percent < 0 || percent > 100)
        return err_set(err, ERR_INVALID, "expected a percentage from 0%% to 100%%, got \"%.*s\"", SLICE_ARG(value));
    *ret_percent = (uint32_t)percent;
    return OK;
}

static ErrCode set_deadline(int64_t *ret_ns, Slice value, Err *err) {
    enum { LEAST_MS = 10, MOST_S = 3600 };
    int64_t ns;

    TRY(duration_parse(value, &ns, err));
    if (ns < LEAST_MS * NS_PER_MS || ns > MOST_S * NS_PER_S)
        return err_set(err, ERR_INVALID, "expected a duration from %dms to 1h, got \"%.*s\"", LEAST_MS,
                       SLICE_ARG(value));
    *ret_ns = ns;
    return OK;
}

// Index of a word in `words`.
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

static ErrCode set_bool(bool *ret_value, Slice value, Err *err) {
    static const char *const truths[] = {"false", "true"};
    size_t word;

    TRY(set_word(truths, 2, value, &word, err));
    *ret_value = word;
    return OK;
}

// Feature gates of Karpenter 1.15; `offset` 0: not implemented by tenon yet. No gate is the first member of Settings.
static const struct {
    const char *name;
    size_t offset; // of a bool of Settings
} gates[] = {
    {"StaticCapacity", offsetof(Settings, gate_static_capacity)},
    {"NodeRepair", offsetof(Settings, gate_node_repair)},
    {"RebootForRepair", offsetof(Settings, gate_reboot)},
    {"ReservedCapacity", offsetof(Settings, gate_reserved_capacity)},
    {"SpotToSpotConsolidation", offsetof(Settings, gate_spot_to_spot)},
    {"NodeOverlay", 0},
    {"CapacityBuffer", 0},
    {"TerminateFirstDrift", offsetof(Settings, gate_terminate_first_drift)},
    {"TerminateFirstRepair", offsetof(Settings, gate_terminate_first_repair)},
    {"PodDeletionCostManagement", offsetof(Settings, gate_pod_deletion_cost)},
};
enum { GATES = sizeof gates / sizeof *gates };

static size_t find_gate(Slice name) {
    size_t i = 0;

    while (i < GATES && !slice_eq_text(name, gates[i].name))
        i++;
    return i;
}

// Takes the first item of a list "NAME=BOOL,…"; the rest stays in `list`.
static void next_gate(Slice *list, Slice *ret_name, Slice *ret_value) {
    ptrdiff_t comma = slice_find(*list, ','), equals;
    Slice gate = slice_trim(comma < 0 ? *list : slice_first(*list, (size_t)comma));

    equals = slice_find(gate, '=');
    *ret_name = equals < 0 ? gate : slice_first(gate, (size_t)equals);
    *ret_value = equals < 0 ? (Slice){0} : slice_from(gate, (size_t)equals + 1);
    *list = comma < 0 ? SLICE("") : slice_from(*list, (size_t)comma + 1);
}

ErrCode settings_take_gate(Slice *list, Slice *ret_name, bool *ret_on, Err *err) {
    Slice value;

    next_gate(list, ret_name, &value);
    if (!value.ptr)
        return err_set(err, ERR_INVALID, "expected GATE=BOOL, got \"%.*s\"", SLICE_ARG(*ret_name));
    if (!slice_eq_text(value, "true") && !slice_eq_text(value, "false"))
        return err_set(err, ERR_INVALID, "expected %.*s=true or %.*s=false", SLICE_ARG(*ret_name),
                       SLICE_ARG(*ret_name));
    *ret_on = slice_eq_text(value, "true");
    return OK;
}

// Sets the gates of the list; unknown ones are ignored, as in Karpenter.
static ErrCode set_gates(Settings *settings, Slice list, Err *err) {
    while (list.len) {
        Slice name;
        size_t gate;
        bool on;

        TRY(settings_take_gate(&list, &name, &on, err));
        gate = find_gate(name);
        if (gate < GATES && gates[gate].offset)
            *(bool *)((char *)settings + gates[gate].offset) = on;
    }
    return OK;
}

static Slice idle_text(Arena *arena, Slice name) {
    Nearest nearest = {.text = name};

    if (find_gate(name) < GATES)
        return arena_printf(arena, "%.*s is known, and tenon does not do yet what it is about", SLICE_ARG(name));
    for (size_t i = 0; i < GATES; i++)
        nearest_offer(&nearest, slice_of(gates[i].name));
    return arena_printf(arena, "%.*s is unknown%s%.*s%s", SLICE_ARG(name), nearest.word.len ? "; did you mean " : "",
                        SLICE_ARG(nearest.word), nearest.word.len ? "?" : "");
}

SliceVec settings_idle_gates(Arena *arena, Slice list) {
    SliceVec texts = {0};

    while (list.len) {
        Slice name, value;
        size_t gate;

        next_gate(&list, &name, &value);
        gate = find_gate(name);
        if (gate == GATES || (!gates[gate].offset && slice_eq_text(value, "true")))
            vec_push(arena, &texts, idle_text(arena, name));
    }
    return texts;
}

static ErrCode set(Settings *settings, Setting setting, Slice value, Err *err) {
    static const char *const preferences[] = {"Respect", "Ignore", "Weigh"},
                             *const min_values[] = {"Strict", "BestEffort"},
                             *const efforts[] = {"normal", "fast", "best"},
                             *const consolidations[] = {"fleet", "classic"};
    size_t word = 0;

    switch (setting) {
    case SETTING_BATCH_IDLE:
        return set_duration(&settings->batch_idle_ns, value, err);
    case SETTING_BATCH_MAX:
        return set_duration(&settings->batch_max_ns, value, err);
    case SETTING_PREFERENCES:
        TRY(set_word(preferences, 3, value, &word, err));
        settings->preferences = (PreferencePolicy)word;
        return OK;
    case SETTING_MIN_VALUES:
        TRY(set_word(min_values, 2, value, &word, err));
        settings->min_values = (MinValuesPolicy)word;
        return OK;
    case SETTING_DISRUPTION:
        return set_bool(&settings->disruption, value, err);
    case SETTING_CONSOLIDATION:
        TRY(set_word(consolidations, 2, value, &word, err));
        settings->consolidation = (Consolidation)word;
        return OK;
    case SETTING_PLANNED_TAINT:
        return set_bool(&settings->planned_taint, value, err);
    case SETTING_INTERRUPTION_QUEUE: // its name is the provider's matter
        settings->has_interruption_queue = value.len;
        return OK;
    case SETTING_EXPIRATION_JITTER:
        return set_percent(&settings->expiration_jitter_percent, value, err);
    case SETTING_EXPIRATION_LEAD:
        return set_duration(&settings->expiration_lead_ns, value, err);
    case SETTING_EFFORT:
        TRY(set_word(efforts, 3, value, &word, err));
        settings->search.effort = (Effort)word;
        return OK;
    case SETTING_DEADLINE:
        return set_deadline(&settings->search.deadline_ns, value, err);
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
