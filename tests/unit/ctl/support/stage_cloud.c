// The cloud of the stage: launches at once, forgets instances some time after they were ended.
#include "ctl/support/stage_parts.h"

#include <stdio.h>

StageCloud *stage_cloud(Stage *stage) {
    return &stage->cloud;
}

StageInstance *stage_instance(Stage *stage, const char *provider_id) {
    for (vec_each(StageInstance, instance, &stage->cloud.instances)) {
        if (strcmp(instance->provider_id, provider_id) == 0)
            return instance;
    }
    return NULL;
}

static bool is_there(const Stage *stage, const StageInstance *instance) {
    return !instance->terminating || stage->now_ns < instance->gone_ns;
}

uint32_t stage_instances_alive(Stage *stage) {
    uint32_t count = 0;

    for (vec_each(StageInstance, instance, &stage->cloud.instances))
        count += is_there(stage, instance);
    return count;
}

static StageInstance *add(Stage *stage, Slice provider_id, Slice claim_uid, Slice claim_name) {
    vec_push(&stage->arena, &stage->cloud.instances,
             (StageInstance){.provider_id = arena_text(&stage->arena, provider_id),
                             .claim_uid = arena_text(&stage->arena, claim_uid),
                             .claim_name = arena_text(&stage->arena, claim_name),
                             .launched_ns = stage->now_ns});
    return vec_last(&stage->cloud.instances);
}

void stage_add_instance(Stage *stage, const char *provider_id) {
    add(stage, slice_of(provider_id), (Slice){0}, (Slice){0});
}

void stage_lose_instance(Stage *stage, const char *provider_id) {
    StageInstance *instance = stage_instance(stage, provider_id);

    assert_non_null(instance);
    instance->terminating = true;
    instance->gone_ns = stage->now_ns;
}

const StageBreak *stage_take_break(Stage *stage, IntentType type, bool carried_out) {
    for (int i = 0; i < STAGE_BREAKS_MAX; i++) {
        StageBreak *wanted = &stage->breaks[i];

        if (wanted->times && wanted->type == type && wanted->carried_out == carried_out) {
            wanted->times--;
            return wanted;
        }
    }
    return NULL;
}

__attribute__((format(printf, 3, 0))) static void add_break(Stage *stage, StageBreak wanted, const char *format,
                                                            va_list args) {
    vsnprintf(wanted.text, sizeof wanted.text, format, args);
    for (int i = 0; i < STAGE_BREAKS_MAX; i++) {
        if (stage->breaks[i].times)
            continue;
        stage->breaks[i] = wanted;
        return;
    }
    fail_msg("too many breaks at once");
}

void stage_break(Stage *stage, IntentType type, uint32_t times, ErrCode code, const char *format, ...) {
    va_list args;

    va_start(args, format);
    add_break(stage, (StageBreak){.type = type, .times = times, .code = code}, format, args);
    va_end(args);
}

void stage_lose_answer(Stage *stage, IntentType type, uint32_t times, ErrCode code, const char *format, ...) {
    va_list args;

    va_start(args, format);
    add_break(stage, (StageBreak){.type = type, .times = times, .code = code, .carried_out = true}, format, args);
    va_end(args);
}

// --- the table

static ErrCode broken(Stage *stage, IntentType type, CloudError *error) {
    const StageBreak *wanted = stage_take_break(stage, type, false);

    if (!wanted)
        return OK;
    error->class_not_ready = stage->cloud.class_not_ready;
    if (stage->cloud.failure_reason)
        snprintf(error->reason, sizeof error->reason, "%s", stage->cloud.failure_reason);
    return err_set(&error->err, wanted->code, "%s", wanted->text);
}

static void add_amount(Arena *arena, Resources *to, Symbol resource, const char *quantity) {
    int64_t amount;

    assert_int_equal(quantity_parse(slice_of(quantity), resource_scale(resource), &amount, NULL), OK);
    resources_set(arena, to, resource, amount);
}

static Resources capacity_of(Stage *stage, Arena *arena) {
    Resources capacity = {0};

    add_amount(arena, &capacity, NAME_CPU, stage->cloud.cpu);
    add_amount(arena, &capacity, NAME_MEMORY, stage->cloud.memory);
    add_amount(arena, &capacity, NAME_PODS, "110");
    return capacity;
}

// "key=value"; NULL: nothing.
static void add_pair(Stage *stage, Arena *arena, Labels *labels, const char *pair) {
    const char *equals = pair ? strchr(pair, '=') : NULL;
    Slice key;

    if (!equals)
        return;
    key = arena_slice(&stage->arena, (Slice){pair, (size_t)(equals - pair)});
    labels_set(arena, labels, symbol_intern(state_symbols(stage->state), key), stage_symbol(stage, equals + 1));
}

static CloudInstance describe(Stage *stage, Arena *arena, const StageInstance *instance) {
    CloudInstance result = {.provider_id = stage_symbol(stage, instance->provider_id),
                            .image_id = stage_symbol(stage, "image-1"),
                            .instance_type = stage_symbol(stage, stage->cloud.instance_type),
                            .zone = stage_symbol(stage, stage->cloud.zone),
                            .capacity_type = stage_symbol(stage, stage->cloud.capacity_type),
                            .claim_name = stage_symbol(stage, instance->claim_name),
                            .launched_ns = instance->launched_ns,
                            .terminating = instance->terminating};

    labels_set(arena, &result.labels, NAME_INSTANCE_TYPE, result.instance_type);
    labels_set(arena, &result.labels, NAME_ZONE, result.zone);
    labels_set(arena, &result.labels, NAME_CAPACITY_TYPE, result.capacity_type);
    add_pair(stage, arena, &result.labels, stage->cloud.label);
    add_pair(stage, arena, &result.annotations, stage->cloud.annotation);
    result.capacity = capacity_of(stage, arena);
    result.allocatable = resources_copy(arena, &result.capacity);
    return result;
}

static Slice free_provider_id(Stage *stage, Slice name) {
    Slice id = arena_printf(&stage->arena, "kwok://%.*s", SLICE_ARG(name));

    for (int i = 2; stage_instance(stage, id.ptr); i++)
        id = arena_printf(&stage->arena, "kwok://%.*s-%d", SLICE_ARG(name), i);
    return id;
}

static ErrCode launch(void *self, Arena *arena, const CloudLaunch *request, CloudInstance *ret_instance,
                      CloudError *error) {
    Stage *stage = self;
    const Symbols *symbols = state_symbols(stage->state);
    Slice uid = symbol_text(symbols, request->claim->meta.uid), name = symbol_text(symbols, request->claim->meta.name);
    StageInstance *instance = NULL;

    stage->cloud.launches++;
    TRY(broken(stage, INTENT_LAUNCH, error));
    for (vec_each(StageInstance, known, &stage->cloud.instances)) {
        if (slice_eq_text(uid, known->claim_uid))
            instance = known;
    }
    if (!instance)
        instance = add(stage, free_provider_id(stage, name), uid, name);
    *ret_instance = describe(stage, arena, instance);
    return OK;
}

static ErrCode find_there(Stage *stage, Symbol provider_id, StageInstance **ret_instance, CloudError *error) {
    Slice text = symbol_text(state_symbols(stage->state), provider_id);
    StageInstance *instance = stage_instance(stage, arena_text(&stage->arena, text));

    if (!instance || !is_there(stage, instance))
        return err_set(&error->err, ERR_NOT_FOUND, "instance %.*s not found", SLICE_ARG(text));
    *ret_instance = instance;
    return OK;
}

static ErrCode terminate(void *self, Symbol provider_id, CloudError *error) {
    Stage *stage = self;
    StageInstance *instance;

    stage->cloud.terminations++;
    TRY(broken(stage, INTENT_TERMINATE, error));
    TRY(find_there(stage, provider_id, &instance, error));
    if (!instance->terminating)
        instance->gone_ns = stage->now_ns + stage->cloud.terminate_takes_ns;
    instance->terminating = true;
    return OK;
}

static ErrCode get(void *self, Arena *arena, Symbol provider_id, CloudInstance *ret_instance, CloudError *error) {
    Stage *stage = self;
    StageInstance *instance;

    stage->cloud.gets++;
    TRY(broken(stage, INTENT_GET_INSTANCE, error));
    TRY(find_there(stage, provider_id, &instance, error));
    *ret_instance = describe(stage, arena, instance);
    return OK;
}

static ErrCode list(void *self, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error) {
    Stage *stage = self;
    CloudInstanceVec instances = {0};

    stage->cloud.lists++;
    TRY(broken(stage, INTENT_LIST_INSTANCES, error));
    for (vec_each(StageInstance, instance, &stage->cloud.instances)) {
        if (is_there(stage, instance) && stage->now_ns - instance->launched_ns >= stage->cloud.list_lag_ns)
            vec_push(arena, &instances, describe(stage, arena, instance));
    }
    *ret_instances = instances;
    return OK;
}

static ErrCode instance_types(void *self, const NodePool *pool, const InstanceTypeVec **ret_types, CloudError *error) {
    Stage *stage = self;

    (void)pool;
    if (!stage->cloud.types)
        return err_set(&error->err, ERR_NOT_FOUND, "no such NodeClass");
    *ret_types = stage->cloud.types;
    return OK;
}

static ErrCode is_drifted(void *self, const NodeClaim *claim, Slice *ret_reason, CloudError *error) {
    Stage *stage = self;

    (void)claim;
    stage->cloud.drift_checks++;
    TRY(broken(stage, INTENT_CHECK_DRIFT, error));
    *ret_reason = slice_of(stage->cloud.drift);
    return OK;
}

Cloud stage_cloud_table(Stage *stage) {
    static const CloudTable table = {launch, terminate, get, list, instance_types, is_drifted};

    return (Cloud){&table, stage};
}
