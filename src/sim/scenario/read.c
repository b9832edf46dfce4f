// YAML to scenarios.
#include "sim/scenario/scenario.h"

#include "text/duration.h"
#include "text/value_edit.h"
#include "text/yaml.h"

#include <stdlib.h>

static const struct {
    const char *text;
    unsigned parameters;
} faults[] = {
#define X(name, word, parameters) {word, parameters},
    SCENARIO_FAULTS(X)
#undef X
};

const char *fault_text(FaultType type) {
    return faults[type].text;
}

// One reading; the decoder is first, so that custom decoders reach the rest.
typedef struct {
    Decoder decoder;
    const ScenarioFiles *files;
} Reader;

// --- small parts

static ErrCode decode_duration(Decoder *decoder, const Value *value, void *ret_ns, Err *err) {
    Err reason;
    int64_t ns;

    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    if (duration_parse(value->text, &ns, &reason) != OK)
        return decode_fail(decoder, value, err, "expected a duration (90s, 1h30m), got \"%.*s\"",
                           SLICE_ARG(value->text));
    *(int64_t *)ret_ns = ns;
    return OK;
}

// "15%" or 15.
static ErrCode decode_percent(Decoder *decoder, const Value *value, void *ret_percent, Err *err) {
    Value number = *value;
    double percent;

    if (value->kind == VALUE_STRING && slice_ends_with(value->text, SLICE("%"))) {
        number.kind = VALUE_NUMBER;
        number.text = slice_first(value->text, value->text.len - 1);
    }
    if (number.kind != VALUE_NUMBER || !value_to_double(&number, &percent) || percent < 0 || percent > 100)
        return decode_fail(decoder, value, err, "expected a percentage from 0 to 100");
    *(double *)ret_percent = percent;
    return OK;
}

// Members that no field reads are mistakes of the writer, never ignored.
static ErrCode check_members(Decoder *decoder, const Value *map, const char *const *known, size_t count, Err *err) {
    TRY(decode_expect(decoder, map, VALUE_MAP, err));
    for (uint32_t i = 0; i < map->map.count; i++) {
        const ValueMember *member = &map->map.items[i];
        size_t at = 0;

        while (at < count && !slice_eq_text(member->key, known[at]))
            at++;
        if (at == count)
            return decode_fail(decoder, &member->value, err, "unknown member \"%.*s\"", SLICE_ARG(member->key));
    }
    return OK;
}

// Decodes a map that has no members but those of the tables' fields and `more` ones.
static ErrCode decode_strictly(Decoder *decoder, const Value *map, const FieldTable *table, const char *more,
                               void *ret_object, Err *err) {
    const char *known[32];
    size_t count = 0;

    for (; count < table->count; count++)
        known[count] = table->fields[count].name;
    if (more)
        known[count++] = more;
    TRY(check_members(decoder, map, known, count, err));
    return decode_object(decoder, map, table, ret_object, err);
}

// --- targets, loads, faults

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

#define FIELD_WITH(member, has_member, json, kind_, ...)                                                               \
    {                                                                                                                  \
        .name = (json), .kind = (kind_), .offset = offsetof(ScenarioFault, member),                                    \
        .has_offset = offsetof(ScenarioFault, has_member), __VA_ARGS__                                                 \
    }

static const Field fault_fields[] = {
    FIELD(ScenarioFault, instance_type, "instanceType", FIELD_STRING, ),
    FIELD(ScenarioFault, zone, "zone", FIELD_STRING, ),
    FIELD(ScenarioFault, capacity_type, "capacityType", FIELD_STRING, ),
    FIELD(ScenarioFault, node, "node", FIELD_STRING, ),
    FIELD_WITH(count, has_count, "count", FIELD_INT32, ),
    FIELD_WITH(percent, has_percent, "percent", FIELD_CUSTOM, .custom = decode_percent),
    FIELD_WITH(factor, has_factor, "factor", FIELD_REAL, ),
    FIELD_WITH(delay_ns, has_delay, "delay", FIELD_CUSTOM, .custom = decode_duration),
    FIELD(ScenarioFault, for_ns, "for", FIELD_CUSTOM, .custom = decode_duration),
};
static const FieldTable fault_table = FIELD_TABLE(ScenarioFault, fault_fields);

static ErrCode check_fault(Decoder *decoder, const Value *value, const ScenarioFault *fault, Err *err) {
    const unsigned takes = faults[fault->type].parameters;
    const struct {
        bool given;
        unsigned parameter;
        const char *name;
    } parameters[] = {{fault->instance_type.len, FAULT_OFFERING, "instanceType"},
                      {fault->zone.len, FAULT_OFFERING, "zone"},
                      {fault->capacity_type.len, FAULT_OFFERING, "capacityType"},
                      {fault->has_count, FAULT_COUNT, "count"},
                      {fault->has_percent, FAULT_PERCENT, "percent"},
                      {fault->has_factor, FAULT_FACTOR, "factor"},
                      {fault->has_delay, FAULT_DELAY, "delay"}};

    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        if (parameters[i].given && !(takes & parameters[i].parameter))
            return decode_fail(decoder, value, err, "fault %s takes no %s", fault_text(fault->type),
                               parameters[i].name);
    }
    if ((takes & FAULT_FACTOR) && (!fault->has_factor || fault->factor <= 0))
        return decode_fail(decoder, value, err, "fault %s needs a factor above 0", fault_text(fault->type));
    if (takes == FAULT_PERCENT && !fault->has_percent)
        return decode_fail(decoder, value, err, "fault %s needs percent", fault_text(fault->type));
    return OK;
}

// "fault: watch-drop", or "fault: {type: ice, zone: …}".
static ErrCode decode_fault(Decoder *decoder, const Value *value, ScenarioFault *fault, Err *err) {
    const Value *type = value->kind == VALUE_MAP ? value_get_text(value, "type") : value;
    const char *words[FAULT_TYPE_COUNT];
    size_t word = 0;

    for (size_t i = 0; i < FAULT_TYPE_COUNT; i++)
        words[i] = faults[i].text;
    if (!type)
        return decode_fail(decoder, value, err, "expected the type of a fault");
    TRY(decode_expect(decoder, type, VALUE_STRING, err));
    while (word < FAULT_TYPE_COUNT && !slice_eq_text(type->text, words[word]))
        word++;
    if (word == FAULT_TYPE_COUNT)
        return decode_fail(decoder, type, err, "unknown fault \"%.*s\": docs/scenarios.md names them",
                           SLICE_ARG(type->text));
    if (value->kind == VALUE_MAP)
        TRY(decode_strictly(decoder, value, &fault_table, "type", fault, err));
    fault->type = (FaultType)word;
    return check_fault(decoder, value, fault, err);
}

// --- expectations

static const Field count_fields[] = {
    FIELD(Expectation, selection.kind, "kind", FIELD_CUSTOM, .custom = decode_kind, .required = true),
    FIELD(Expectation, selection.ns, "namespace", FIELD_STRING, ),
    FIELD(Expectation, selection.name, "name", FIELD_STRING, ),
    FIELD(Expectation, selection.labels, "labels", FIELD_CUSTOM, .custom = decode_label_selector),
    FIELD(Expectation, selection.where, "where", FIELD_CUSTOM, .custom = decode_where),
    FIELD(Expectation, amount, "count", FIELD_CUSTOM, .custom = decode_amount, .required = true),
    FIELD(Expectation, within_ns, "within", FIELD_CUSTOM, .custom = decode_duration),
    FIELD(Expectation, lasting_ns, "lasting", FIELD_CUSTOM, .custom = decode_duration),
};
static const FieldTable count_table = FIELD_TABLE(Expectation, count_fields);

static ErrCode decode_measure(Decoder *decoder, const Value *value, void *ret_measure, Err *err) {
    Measure measure;

    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    measure = measure_find(value->text);
    if (measure == MEASURE_COUNT)
        return decode_fail(decoder, value, err, "unknown measure \"%.*s\": docs/scenarios.md names them",
                           SLICE_ARG(value->text));
    *(Measure *)ret_measure = measure;
    return OK;
}

static const Field measure_fields[] = {
    FIELD(Expectation, measure, "measure", FIELD_CUSTOM, .custom = decode_measure, .required = true),
    FIELD(Expectation, amount, "value", FIELD_CUSTOM, .custom = decode_amount, .required = true),
    FIELD(Expectation, within_ns, "within", FIELD_CUSTOM, .custom = decode_duration),
    FIELD(Expectation, lasting_ns, "lasting", FIELD_CUSTOM, .custom = decode_duration),
};
static const FieldTable measure_table = FIELD_TABLE(Expectation, measure_fields);

static ErrCode decode_expectation(Decoder *decoder, const Value *value, Expectation *expectation, Err *err) {
    TRY(decode_expect(decoder, value, VALUE_MAP, err));
    expectation->line = value->line;
    expectation->is_count = !value_get_text(value, "measure");
    return decode_strictly(decoder, value, expectation->is_count ? &count_table : &measure_table, NULL, expectation,
                           err);
}

static ErrCode decode_expectations(Decoder *decoder, const Value *value, ExpectationVec *expectations, Err *err) {
    if (value->kind != VALUE_LIST)
        return decode_expectation(decoder, value, vec_add(decoder->arena, expectations), err);
    for (uint32_t i = 0; i < value->list.count; i++) {
        decode_enter_index(decoder, i);
        TRY(decode_expectation(decoder, &value->list.items[i], vec_add(decoder->arena, expectations), err));
        decode_leave(decoder);
    }
    return OK;
}

// --- apply

static ErrCode add_object(Decoder *decoder, const Value *object, ValueList *objects, Err *err) {
    const Value *version = value_get_text(object, "apiVersion"), *kind = value_get_text(object, "kind");
    const Value *items = value_get_text(object, "items");

    TRY(decode_expect(decoder, object, VALUE_MAP, err));
    if (kind && slice_ends_with(kind->text, SLICE("List")) && items && items->kind == VALUE_LIST) {
        for (uint32_t i = 0; i < items->list.count; i++)
            TRY(add_object(decoder, &items->list.items[i], objects, err));
        return OK;
    }
    if (!version || !kind || kube_kind_find(version->text, kind->text) == KUBE_KIND_COUNT)
        return decode_fail(decoder, object, err,
                           "expected an object whose apiVersion and kind the embedded cluster knows");
    vec_push(decoder->arena, objects, value_copy(decoder->arena, object));
    return OK;
}

// A text with documents: a file that is named, or a block of YAML.
static ErrCode add_documents(Reader *reader, Slice file, Slice text, ValueList *objects, Err *err) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    ParseOptions options = {.strict = true};
    Slice outer = reader->decoder.file;

    TRY(yaml_parse(reader->decoder.arena, file, text, &options, &documents, &warnings, err));
    reader->decoder.file = file;
    for (vec_each(const Document, document, &documents))
        TRY(add_object(&reader->decoder, &document->root, objects, err));
    reader->decoder.file = outer;
    return OK;
}

static ErrCode decode_apply(Reader *reader, const Value *value, ValueList *objects, Err *err) {
    Decoder *decoder = &reader->decoder;
    Slice text;

    if (value->kind == VALUE_MAP)
        return add_object(decoder, value, objects, err);
    if (value->kind == VALUE_STRING) {
        if (slice_contains(value->text, SLICE("\n")))
            return add_documents(reader, decoder->file, value->text, objects, err);
        if (!reader->files)
            return decode_fail(decoder, value, err, "expected objects, got the name of a file");
        TRY(reader->files->load(reader->files->context, decoder->arena, value->text, &text, err));
        return add_documents(reader, arena_slice(decoder->arena, value->text), text, objects, err);
    }
    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    for (uint32_t i = 0; i < value->list.count; i++) {
        decode_enter_index(decoder, i);
        TRY(decode_apply(reader, &value->list.items[i], objects, err));
        decode_leave(decoder);
    }
    return OK;
}

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
        step->load.peak_ns = INT64_C(14) * 3600 * 1000000000;
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

// A line of the timeline may hold several actions of one time: each becomes a step, in the order of the line.
static ErrCode decode_line(Reader *reader, const Value *line, ScenarioStepVec *steps, Err *err) {
    Decoder *decoder = &reader->decoder;
    ScenarioStep when = {.line = line->line};

    TRY(decode_expect(decoder, line, VALUE_MAP, err));
    TRY(decode_object(decoder, line, &step_table, &when, err));
    if (when.at_ns < 0 || when.every_ns < 0)
        return decode_fail(decoder, line, err, "expected times that are not negative");
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

// A scenario names itself as an object does, so that who reads manifests knows what it is not for.
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
    if (!timeline)
        return decode_fail(decoder, root, err, "timeline: required");
    TRY(decode_timeline(reader, timeline, &scenario->steps, err));
    if (scenario->steps.count)
        qsort(scenario->steps.items, scenario->steps.count, sizeof *scenario->steps.items, compare_steps);
    for (vec_each(const ScenarioStep, step, &scenario->steps))
        last = step->until_ns > last ? step->until_ns : step->at_ns > last ? step->at_ns : last;
    if (!scenario->duration_ns)
        scenario->duration_ns = last + INT64_C(600) * 1000000000;
    return OK;
}

ErrCode scenario_read(Arena *arena, Slice file, Slice text, const ScenarioFiles *files, ScenarioVec *scenarios,
                      Err *err) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    ParseOptions options = {.strict = true};
    Symbols symbols; // the decoder wants some; no field is one

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
