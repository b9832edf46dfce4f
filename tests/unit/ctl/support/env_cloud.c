// The cloud of a TestEnv: launches at once, and drops instances some time after their termination.
#include "ctl/support/env_parts.h"

#include "text/yaml.h"

#include <stdio.h>

EnvCloud *env_cloud(TestEnv *env) {
    return &env->cloud;
}

EnvInstance *env_instance(TestEnv *env, const char *provider_id) {
    for (vec_each(EnvInstance, instance, &env->cloud.instances)) {
        if (strcmp(instance->provider_id, provider_id) == 0)
            return instance;
    }
    return NULL;
}

static bool is_there(const TestEnv *env, const EnvInstance *instance) {
    return !instance->terminating || env->now_ns < instance->gone_ns;
}

uint32_t env_instances_alive(TestEnv *env) {
    uint32_t count = 0;

    for (vec_each(EnvInstance, instance, &env->cloud.instances))
        count += is_there(env, instance);
    return count;
}

static EnvInstance *add(TestEnv *env, Slice provider_id, Slice claim_uid, Slice claim_name) {
    vec_push(&env->arena, &env->cloud.instances,
             (EnvInstance){.provider_id = arena_text(&env->arena, provider_id),
                           .claim_uid = arena_text(&env->arena, claim_uid),
                           .claim_name = arena_text(&env->arena, claim_name),
                           .launched_ns = env->now_ns});
    return vec_last(&env->cloud.instances);
}

void env_add_instance(TestEnv *env, const char *provider_id) {
    add(env, slice_of(provider_id), (Slice){0}, (Slice){0});
}

void env_lose_instance(TestEnv *env, const char *provider_id) {
    EnvInstance *instance = env_instance(env, provider_id);

    assert_non_null(instance);
    instance->terminating = true;
    instance->gone_ns = env->now_ns;
}

const EnvBreak *env_take_break(TestEnv *env, IntentType type, bool carried_out) {
    for (int i = 0; i < ENV_BREAKS_MAX; i++) {
        EnvBreak *wanted = &env->breaks[i];

        if (wanted->times && wanted->type == type && wanted->carried_out == carried_out) {
            wanted->times--;
            return wanted;
        }
    }
    return NULL;
}

__attribute__((format(printf, 3, 0))) static void add_break(TestEnv *env, EnvBreak wanted, const char *format,
                                                            va_list args) {
    vsnprintf(wanted.text, sizeof wanted.text, format, args);
    for (int i = 0; i < ENV_BREAKS_MAX; i++) {
        if (env->breaks[i].times)
            continue;
        env->breaks[i] = wanted;
        return;
    }
    fail_msg("too many breaks at once");
}

void env_break(TestEnv *env, IntentType type, uint32_t times, ErrCode code, const char *format, ...) {
    va_list args;

    va_start(args, format);
    add_break(env, (EnvBreak){.type = type, .times = times, .code = code}, format, args);
    va_end(args);
}

void env_lose_answer(TestEnv *env, IntentType type, uint32_t times, ErrCode code, const char *format, ...) {
    va_list args;

    va_start(args, format);
    add_break(env, (EnvBreak){.type = type, .times = times, .code = code, .carried_out = true}, format, args);
    va_end(args);
}

// --- the table

static ErrCode broken(TestEnv *env, IntentType type, CloudError *error) {
    const EnvBreak *wanted = env_take_break(env, type, false);

    if (!wanted)
        return OK;
    error->class_not_ready = env->cloud.class_not_ready;
    error->recurs = env->cloud.failure_recurs;
    if (env->cloud.failure_reason)
        snprintf(error->reason, sizeof error->reason, "%s", env->cloud.failure_reason);
    return err_set(&error->err, wanted->code, "%s", wanted->text);
}

static void add_amount(Arena *arena, Resources *to, Symbol resource, const char *quantity) {
    int64_t amount;

    assert_int_equal(quantity_parse(slice_of(quantity), resource_scale(resource), &amount, NULL), OK);
    resources_set(arena, to, resource, amount);
}

static Resources capacity_of(TestEnv *env, Arena *arena) {
    Resources capacity = {0};

    add_amount(arena, &capacity, NAME_CPU, env->cloud.cpu);
    add_amount(arena, &capacity, NAME_MEMORY, env->cloud.memory);
    add_amount(arena, &capacity, NAME_PODS, "110");
    return capacity;
}

// "key=value"; NULL: nothing.
static void add_pair(TestEnv *env, Arena *arena, Labels *labels, const char *pair) {
    const char *equals = pair ? strchr(pair, '=') : NULL;
    Slice key;

    if (!equals)
        return;
    key = arena_slice(&env->arena, (Slice){pair, (size_t)(equals - pair)});
    labels_set(arena, labels, symbol_intern(state_symbols(env->state), key), env_symbol(env, equals + 1));
}

static CloudInstance describe(TestEnv *env, Arena *arena, const EnvInstance *instance) {
    CloudInstance result = {.provider_id = env_symbol(env, instance->provider_id),
                            .image_id = env_symbol(env, "image-1"),
                            .instance_type = env_symbol(env, env->cloud.instance_type),
                            .zone = env_symbol(env, env->cloud.zone),
                            .capacity_type = env_symbol(env, env->cloud.capacity_type),
                            .claim_name = env_symbol(env, instance->claim_name),
                            .pool = instance->pool ? env_symbol(env, instance->pool) : NAME_EMPTY,
                            .launch = instance->launch ? env_symbol(env, instance->launch) : NAME_EMPTY,
                            .launched_ns = instance->launched_ns,
                            .terminating = instance->terminating};

    labels_set(arena, &result.labels, NAME_INSTANCE_TYPE, result.instance_type);
    labels_set(arena, &result.labels, NAME_ZONE, result.zone);
    labels_set(arena, &result.labels, NAME_CAPACITY_TYPE, result.capacity_type);
    add_pair(env, arena, &result.labels, env->cloud.label);
    add_pair(env, arena, &result.annotations, env->cloud.annotation);
    result.capacity = capacity_of(env, arena);
    result.allocatable = resources_copy(arena, &result.capacity);
    return result;
}

static Slice free_provider_id(TestEnv *env, Slice name) {
    Slice id = arena_printf(&env->arena, "kwok://%.*s", SLICE_ARG(name));

    for (int i = 2; env_instance(env, id.ptr); i++)
        id = arena_printf(&env->arena, "kwok://%.*s-%d", SLICE_ARG(name), i);
    return id;
}

static ErrCode launch(void *self, Arena *arena, const CloudLaunch *request, CloudInstance *ret_instance,
                      CloudError *error) {
    TestEnv *env = self;
    const Symbols *symbols = state_symbols(env->state);
    Slice uid = symbol_text(symbols, request->claim->meta.uid), name = symbol_text(symbols, request->claim->meta.name);
    EnvInstance *instance = NULL;

    env->cloud.launches++;
    TRY(broken(env, INTENT_LAUNCH, error));
    for (vec_each(EnvInstance, known, &env->cloud.instances)) {
        if (slice_eq_text(uid, known->claim_uid))
            instance = known;
    }
    if (!instance)
        instance = add(env, free_provider_id(env, name), uid, name);
    *ret_instance = describe(env, arena, instance);
    return OK;
}

static ErrCode find_there(TestEnv *env, Symbol provider_id, EnvInstance **ret_instance, CloudError *error) {
    Slice text = symbol_text(state_symbols(env->state), provider_id);
    EnvInstance *instance = env_instance(env, arena_text(&env->arena, text));

    if (!instance || !is_there(env, instance))
        return err_set(&error->err, ERR_NOT_FOUND, "instance %.*s not found", SLICE_ARG(text));
    *ret_instance = instance;
    return OK;
}

static ErrCode reboot(void *self, Symbol provider_id, Slice operation, CloudError *error) {
    TestEnv *env = self;
    EnvInstance *instance;

    (void)operation;
    TRY(broken(env, INTENT_REBOOT, error));
    return find_there(env, provider_id, &instance, error);
}

static ErrCode terminate(void *self, Symbol provider_id, CloudError *error) {
    TestEnv *env = self;
    EnvInstance *instance;

    env->cloud.terminations++;
    TRY(broken(env, INTENT_TERMINATE, error));
    TRY(find_there(env, provider_id, &instance, error));
    if (!instance->terminating)
        instance->gone_ns = env->now_ns + env->cloud.terminate_takes_ns;
    instance->terminating = true;
    return OK;
}

static ErrCode get(void *self, Arena *arena, Symbol provider_id, CloudInstance *ret_instance, CloudError *error) {
    TestEnv *env = self;
    EnvInstance *instance;

    env->cloud.gets++;
    TRY(broken(env, INTENT_GET_INSTANCE, error));
    TRY(find_there(env, provider_id, &instance, error));
    *ret_instance = describe(env, arena, instance);
    return OK;
}

static ErrCode list(void *self, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error) {
    TestEnv *env = self;
    CloudInstanceVec instances = {0};

    env->cloud.lists++;
    TRY(broken(env, INTENT_LIST_INSTANCES, error));
    for (vec_each(EnvInstance, instance, &env->cloud.instances)) {
        if (is_there(env, instance) && env->now_ns - instance->launched_ns >= env->cloud.list_lag_ns)
            vec_push(arena, &instances, describe(env, arena, instance));
    }
    *ret_instances = instances;
    return OK;
}

static ErrCode instance_types(void *self, const NodePool *pool, const InstanceTypeVec **ret_types, CloudError *error) {
    TestEnv *env = self;

    (void)pool;
    if (!env->cloud.types)
        return err_set(&error->err, ERR_NOT_FOUND, "no such NodeClass");
    *ret_types = env->cloud.types;
    return OK;
}

static ErrCode is_drifted(void *self, const NodeClaim *claim, Slice *ret_reason, CloudError *error) {
    TestEnv *env = self;

    (void)claim;
    env->cloud.drift_checks++;
    TRY(broken(env, INTENT_CHECK_DRIFT, error));
    *ret_reason = slice_of(env->cloud.drift);
    return OK;
}

static RepairPolicies repair_policies(void *self, const NodePool *pool) {
    (void)pool;
    return ((TestEnv *)self)->cloud.repair_policies;
}

static ErrCode receive(void *self, Arena *arena, CloudMessageVec *ret_messages, CloudError *error) {
    TestEnv *env = self;
    CloudMessageVec messages = {0};

    TRY(broken(env, INTENT_RECEIVE, error));
    for (vec_each(CloudMessage, message, &env->cloud.messages)) {
        if (message->provider_ids.count && (!env->cloud.messages_most || messages.count < env->cloud.messages_most))
            vec_push(arena, &messages, *message);
    }
    *ret_messages = messages;
    return OK;
}

static ErrCode settle(void *self, uint64_t receipt, CloudError *error) {
    TestEnv *env = self;

    TRY(broken(env, INTENT_SETTLE, error));
    env->cloud.messages.items[receipt].provider_ids.count = 0;
    return OK;
}

void env_send(TestEnv *env, CloudMessageKind kind, const char *provider_id) {
    CloudMessage message = {.kind = kind, .receipt = env->cloud.messages.count};

    vec_push(&env->arena, &message.provider_ids, env_symbol(env, provider_id));
    vec_push(&env->arena, &env->cloud.messages, message);
}

// --- NodeClasses, tags, refreshes

static ErrCode class_resolve(void *self, Arena *arena, Slice name, CloudClass *ret_class, CloudError *error) {
    TestEnv *env = self;
    const CloudClass *found = &env->cloud.node_class;

    env->cloud.lookups++;
    env->cloud.looked_up = arena_text(&env->arena, name);
    TRY(broken(env, INTENT_RESOLVE_CLASS, error));
    *ret_class = *found;
    ret_class->conditions.items =
        arena_copy(arena, found->conditions.items, sizeof *found->conditions.items * found->conditions.count);
    return OK;
}

static ErrCode class_finalize(void *self, Slice name, CloudError *error) {
    TestEnv *env = self;

    (void)name;
    TRY(broken(env, INTENT_FINALIZE_CLASS, error));
    env->cloud.finalized++;
    return OK;
}

static ErrCode tag(void *self, const NodeClaim *claim, CloudError *error) {
    TestEnv *env = self;
    EnvInstance *instance;

    env->cloud.tags++;
    TRY(broken(env, INTENT_TAG, error));
    return find_there(env, claim->provider_id, &instance, error);
}

static ErrCode learn(void *self, const NodeClaim *claim, int64_t memory, CloudError *error) {
    TestEnv *env = self;

    (void)claim;
    env->cloud.learns++;
    TRY(broken(env, INTENT_LEARN, error));
    env->cloud.learned = memory;
    return OK;
}

static uint32_t refreshes(void *self) {
    return ((TestEnv *)self)->cloud.refresh_bits;
}

static ErrCode refresh(void *self, Arena *arena, CloudRefresh what, CloudMessageVec *ret_messages, CloudError *error) {
    TestEnv *env = self;
    CloudMessageVec messages = {0};

    env->cloud.refreshes[what]++;
    TRY(broken(env, INTENT_REFRESH, error));
    for (vec_each(const EnvNews, news, &env->cloud.news)) {
        CloudMessage message = {
            .kind = news->kind, .zone = env_symbol(env, news->zone), .is_repeated = news->is_repeated};

        if (*news->provider_id)
            vec_push(arena, &message.provider_ids, env_symbol(env, news->provider_id));
        vec_push(arena, &messages, message);
    }
    *ret_messages = messages;
    return OK;
}

void env_bring(TestEnv *env, CloudMessageKind kind, const char *provider_id, const char *zone) {
    vec_push(&env->arena, &env->cloud.news, (EnvNews){kind, provider_id, zone, false});
}

void env_find_condition(TestEnv *env, const char *type, const char *status, const char *reason, const char *message) {
    CloudCondition condition = {type, status, slice_of(reason), slice_of(message)};

    for (vec_each(CloudCondition, found, &env->cloud.node_class.conditions)) {
        if (strcmp(found->type, type) == 0) {
            *found = condition;
            return;
        }
    }
    vec_push(&env->arena, &env->cloud.node_class.conditions, condition);
}

void env_find_status(TestEnv *env, const char *yaml) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Value *status = arena_new(&env->arena, Value);

    assert_int_equal(yaml_parse(&env->arena, SLICE("test"), slice_of(yaml), NULL, &documents, &warnings, NULL), OK);
    *status = documents.items[0].root;
    env->cloud.node_class.status = status;
}

static const char *const *late_labels(void *self) {
    return ((TestEnv *)self)->cloud.late_labels;
}

Cloud env_cloud_table(TestEnv *env) {
    static const CloudTable plain = {
        .launch = launch,
        .terminate = terminate,
        .reboot = reboot,
        .get = get,
        .list = list,
        .instance_types = instance_types,
        .is_drifted = is_drifted,
        .repair_policies = repair_policies,
        .receive = receive,
        .settle = settle,
    };
    static const CloudTable full = {
        .launch = launch,
        .terminate = terminate,
        .reboot = reboot,
        .get = get,
        .list = list,
        .instance_types = instance_types,
        .is_drifted = is_drifted,
        .repair_policies = repair_policies,
        .receive = receive,
        .settle = settle,
        .late_labels = late_labels,
        .class_resolve = class_resolve,
        .class_finalize = class_finalize,
        .tag = tag,
        .learn = learn,
        .refreshes = refreshes,
        .refresh = refresh,
    };

    return (Cloud){env->cloud.is_plain ? &plain : &full, env};
}
