// Reading scenarios from YAML: the head, and the timeline.
#include "sim/scenario/read_apply.h"
#include "sim/scenario/read_expect.h"
#include "sim/scenario/read_fault.h"
#include "text/yaml.h"

#include <stdlib.h>

// --- targets and loads

#define TARGET_FIELDS(struct_, target)                                                                                 \
    FIELD(struct_, target.kind, "kind", FIELD_CUSTOM, .custom = decode_kind),                                          \
        FIELD(struct_, target.ns, "namespace", FIELD_STRING, ), FIELD(struct_, target.name, "name", FIELD_STRING, )

static const Field delete_fields[] = {
    TARGET_FIELDS(ScenarioStep, target),
    FIELD(ScenarioStep, target.labels, "labels", FIELD_STRING, ),
    FIELD(ScenarioStep, target.optional, "optional", FIELD_BOOL, ),
};
static const FieldTable delete_table = FIELD_TABLE(ScenarioStep, delete_fields);

static const Field scale_fields[] = {
    TARGET_FIELDS(ScenarioStep, target),
    FIELD(ScenarioStep, replicas, "replicas", FIELD_INT64, .required = true),
};
static const FieldTable scale_table = FIELD_TABLE(ScenarioStep, scale_fields);

static const Field patch_fields[] = {
    TARGET_FIELDS(ScenarioStep, target),
    FIELD(ScenarioStep, patch, "merge", FIELD_VALUE, .required = true),
};
static const FieldTable patch_table = FIELD_TABLE(ScenarioStep, patch_fields);

static const Field load_fields[] = {
    TARGET_FIELDS(ScenarioLoad, target),
    FIELD(ScenarioLoad, low, "low", FIELD_INT64, .required = true),
    FIELD(ScenarioLoad, high, "high", FIELD_INT64, .required = true),
    FIELD(ScenarioLoad, peak_ns, "peak", FIELD_CUSTOM, .custom = decode_duration),
    FIELD(ScenarioLoad, noise_percent, "noise", FIELD_CUSTOM, .custom = decode_percent),
};
static const FieldTable load_table = FIELD_TABLE(ScenarioLoad, load_fields);

// --- steps

static ErrCode decode_action(Reader *reader, const Value *value, ScenarioStep *step, Err *err) {
    Decoder *decoder = &reader->decoder;

    step->target.kind = KUBE_DEPLOYMENT;
    step->load.target.kind = KUBE_DEPLOYMENT;
    switch (step->type) {
    case STEP_APPLY:
        return decode_apply(reader, value, &step->objects, err);
    case STEP_DELETE:
        return decode_strictly(decoder, value, &delete_table, NULL, step, err);
    case STEP_SCALE:
        return decode_strictly(decoder, value, &scale_table, NULL, step, err);
    case STEP_PATCH:
        TRY(decode_strictly(decoder, value, &patch_table, NULL, step, err));
        step->part = value_get_text(step->patch, "status") ? KUBE_STATUS : KUBE_OBJECT;
        return OK;
    case STEP_LOAD:
        step->load.peak_ns = 14 * NS_PER_HOUR;
        return decode_strictly(decoder, value, &load_table, NULL, &step->load, err);
    case STEP_FAULT:
        return decode_fault(decoder, value, &step->fault, err);
    case STEP_EXPECT:
        return decode_expectations(decoder, value, &step->expectations, err);
    case STEP_NOTE:
        TRY(decode_expect(decoder, value, VALUE_STRING, err));
        step->note = arena_slice(decoder->arena, value->text);
        return OK;
    }
    return OK;
}

static const char *const actions[] = {
    [STEP_APPLY] = "apply",   [STEP_PATCH] = "patch", [STEP_SCALE] = "scale",   [STEP_LOAD] = "load",
    [STEP_DELETE] = "delete", [STEP_FAULT] = "fault", [STEP_EXPECT] = "expect", [STEP_NOTE] = "note"};

enum { ACTION_COUNT = sizeof actions / sizeof *actions };

static const Field step_fields[] = {
    FIELD(ScenarioStep, at_ns, "at", FIELD_CUSTOM, .custom = decode_duration, .required = true),
    FIELD(ScenarioStep, every_ns, "every", FIELD_CUSTOM, .custom = decode_duration),
    FIELD(ScenarioStep, until_ns, "until", FIELD_CUSTOM, .custom = decode_duration),
};
static const FieldTable step_table = FIELD_TABLE(ScenarioStep, step_fields);

// Reads a line of the timeline. Each of its actions becomes a step, in the order of the line.
static ErrCode decode_line(Reader *reader, const Value *line, ScenarioStepVec *steps, Err *err) {
    Decoder *decoder = &reader->decoder;
    ScenarioStep when = {.line = line->line};

    TRY(decode_expect(decoder, line, VALUE_MAP, err));
    TRY(decode_object(decoder, line, &step_table, &when, err));
    for (uint32_t i = 0; i < line->map.count; i++) {
        const ValueMember *member = &line->map.items[i];
        ScenarioStep step = when;
        uint32_t action = 0;

        if (slice_eq_text(member->key, "at") || slice_eq_text(member->key, "every") ||
            slice_eq_text(member->key, "until"))
            continue;
        while (action < ACTION_COUNT && !slice_eq_text(member->key, actions[action]))
            action++;
        if (action == ACTION_COUNT)
            return decode_fail(decoder, &member->value, err,
                               "expected apply, patch, scale, load, delete, fault, expect or note, got \"%.*s\"",
                               SLICE_ARG(member->key));
        step.type = (StepType)action;
        step.number = steps->count;
        decode_enter(decoder, member->key);
        TRY(decode_action(reader, &member->value, &step, err));
        decode_leave(decoder);
        vec_push(decoder->arena, steps, step);
    }
    return OK;
}

static int compare_steps(const void *left, const void *right) {
    const ScenarioStep *a = left, *b = right;

    return a->at_ns != b->at_ns ? (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns)
                                : (a->number > b->number) - (a->number < b->number);
}

static ErrCode decode_timeline(Reader *reader, const Value *timeline, ScenarioStepVec *steps, Err *err) {
    decode_enter(&reader->decoder, SLICE("timeline"));
    TRY(decode_expect(&reader->decoder, timeline, VALUE_LIST, err));
    for (uint32_t i = 0; i < timeline->list.count; i++) {
        decode_enter_index(&reader->decoder, i);
        TRY(decode_line(reader, &timeline->list.items[i], steps, err));
        decode_leave(&reader->decoder);
    }
    decode_leave(&reader->decoder);
    return OK;
}

// --- head

static const Field cluster_fields[] = {
    FIELD(ScenarioCluster, region, "region", FIELD_STRING, ),
    FIELD(ScenarioCluster, boot_ns, "boot", FIELD_CUSTOM, .custom = decode_duration),
    FIELD(ScenarioCluster, join_ns, "join", FIELD_CUSTOM, .custom = decode_duration),
    FIELD(ScenarioCluster, ready_ns, "ready", FIELD_CUSTOM, .custom = decode_duration),
    FIELD(ScenarioCluster, pod_start_ns, "podStart", FIELD_CUSTOM, .custom = decode_duration),
    FIELD(ScenarioCluster, binds_per_second, "bindsPerSecond", FIELD_REAL, ),
    FIELD(ScenarioCluster, on_demand_depth, "onDemandDepth", FIELD_INT64, ),
    FIELD(ScenarioCluster, spot_depth, "spotDepth", FIELD_INT64, ),
    FIELD(ScenarioCluster, spot_life_ns, "spotLife", FIELD_CUSTOM, .custom = decode_duration),
    FIELD(ScenarioCluster, price_swing_percent, "priceSwing", FIELD_CUSTOM, .custom = decode_percent),
};
static const FieldTable cluster_table = FIELD_TABLE(ScenarioCluster, cluster_fields);

static ErrCode decode_cluster(Decoder *decoder, const Value *value, void *ret_cluster, Err *err) {
    return decode_strictly(decoder, value, &cluster_table, NULL, ret_cluster, err);
}

static ErrCode decode_seed(Decoder *decoder, const Value *value, void *ret_seed, Err *err) {
    int64_t seed;

    if (!value_to_int64(value, &seed) || seed < 0)
        return decode_fail(decoder, value, err, "expected a whole number that is not negative");
    *(uint64_t *)ret_seed = (uint64_t)seed;
    return OK;
}

// Checks apiVersion and kind, which a scenario has like an object, so that readers of manifests recognize it.
static ErrCode expect_text(Decoder *decoder, const Value *value, const char *text, Err *err) {
    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    return slice_eq_text(value->text, text) ? OK : decode_fail(decoder, value, err, "expected %s", text);
}

static ErrCode decode_api_version(Decoder *decoder, const Value *value, void *ret_given, Err *err) {
    *(bool *)ret_given = true;
    return expect_text(decoder, value, "tenon.sh/v1alpha1", err);
}

static ErrCode decode_scenario_kind(Decoder *decoder, const Value *value, void *ret_given, Err *err) {
    *(bool *)ret_given = true;
    return expect_text(decoder, value, "Scenario", err);
}

static const Field scenario_fields[] = {
    FIELD(Scenario, has_version, "apiVersion", FIELD_CUSTOM, .custom = decode_api_version, .required = true),
    FIELD(Scenario, has_kind, "kind", FIELD_CUSTOM, .custom = decode_scenario_kind, .required = true),
    FIELD(Scenario, name, "name", FIELD_STRING, .required = true),
    FIELD(Scenario, description, "description", FIELD_STRING, ),
    FIELD(Scenario, seed, "seed", FIELD_CUSTOM, .custom = decode_seed),
    FIELD(Scenario, start_ns, "start", FIELD_TIME, ),
    FIELD(Scenario, duration_ns, "duration", FIELD_CUSTOM, .custom = decode_duration),
    FIELD(Scenario, settings, "settings", FIELD_VALUE, ),
    FIELD(Scenario, cluster, "cluster", FIELD_CUSTOM, .custom = decode_cluster),
};
static const FieldTable scenario_table = FIELD_TABLE(Scenario, scenario_fields);

static Scenario scenario_default(Slice file) {
    return (Scenario){.file = file, .seed = 1, .cluster = {.region = SLICE("us-east-1")}};
}

static ErrCode read_document(Reader *reader, const Value *root, Scenario *scenario, Err *err) {
    Decoder *decoder = &reader->decoder;
    const Value *timeline = value_get_text(root, "timeline");
    int64_t last = 0;

    TRY(decode_strictly(decoder, root, &scenario_table, "timeline", scenario, err));
    if (!scenario->name.len)
        return decode_fail(decoder, value_get_text(root, "name"), err, "name: expected a name, got \"\"");
    if (!timeline)
        return decode_fail(decoder, root, err, "timeline: required");
    TRY(decode_timeline(reader, timeline, &scenario->steps, err));
    if (scenario->steps.count)
        qsort(scenario->steps.items, scenario->steps.count, sizeof *scenario->steps.items, compare_steps);
    for (vec_each(const ScenarioStep, step, &scenario->steps))
        last = step->until_ns > last ? step->until_ns : step->at_ns > last ? step->at_ns : last;
    if (!scenario->duration_ns)
        scenario->duration_ns = last + 10 * NS_PER_MIN;
    return OK;
}

ErrCode scenario_read(Arena *arena, Slice file, Slice text, const ScenarioFiles *files, ScenarioVec *scenarios,
                      Err *err) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    ParseOptions options = {.strict = true};
    Symbols symbols; // required by the decoder; no field is a symbol

    TRY(yaml_parse(arena, file, text, &options, &documents, &warnings, err));
    symbols_init(&symbols);
    for (vec_each(const Document, document, &documents)) {
        Reader reader = {.decoder = {.arena = arena, .symbols = &symbols, .file = file}, .files = files};
        Scenario scenario = scenario_default(file);
        ErrCode code = read_document(&reader, &document->root, &scenario, err);

        if (code != OK) {
            symbols_free(&symbols);
            return code;
        }
        vec_push(arena, scenarios, scenario);
    }
    symbols_free(&symbols);
    return OK;
}
