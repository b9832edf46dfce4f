// The controllers of NodeClasses, tags, learned memory and refreshes in an engine, on a cloud that has all of it: what
// completions hand over lives as long as the controllers need it. Reference aws.md 7.
#include "engine/support/engine_env.h"

#include "ctl/class/class.h"
#include "ctl/cloud/controllers.h"
#include "ctl/cloud/refresh.h"
#include "text/value_edit.h"

static const Controller *const all[] = {&class_controller, &class_hash_controller, &claim_tagging_controller,
                                        &learned_capacity_controller,
#define X(name, ...) &refresh_##name##_controller,
                                        CLOUD_REFRESHES(X)
#undef X
};

typedef struct {
    EngineEnv *env;
    Settings settings;
    const Symbols *symbols; // of the engine's State
    uint32_t lookups, finalized, tags, refreshes[CLOUD_REFRESH_COUNT];
    int64_t learned;
    bool is_impaired; // the instance of claim a
} Book;

// Everything is made in the call's arena, as providers do.
static ErrCode class_resolve(void *self, Arena *arena, Slice name, CloudClass *ret_class, CloudError *error) {
    Book *book = self;
    Value *status = arena_new(arena, Value);

    (void)error;
    book->lookups++;
    *status = value_map();
    value_put(arena, status, SLICE("instanceProfile"), value_string(arena_printf(arena, "of-%.*s", SLICE_ARG(name))));
    *ret_class = (CloudClass){
        .status = status,
        .hash = {arena_printf(arena, "karpenter.k8s.aws/ec2nodeclass-hash"), arena_printf(arena, "77")},
        .hash_version = {arena_printf(arena, "karpenter.k8s.aws/ec2nodeclass-hash-version"), arena_printf(arena, "v6")},
        .after_ns = 5 * NS_PER_MIN,
    };
    vec_push(arena, &ret_class->conditions,
             (CloudCondition){"SubnetsReady", "True", (Slice){0}, arena_printf(arena, "found")});
    vec_push(arena, &ret_class->notices,
             (CloudNotice){false, arena_printf(arena, "Looked"), arena_printf(arena, "up")});
    return OK;
}

static ErrCode class_finalize(void *self, Slice name, CloudError *error) {
    (void)name, (void)error;
    ((Book *)self)->finalized++;
    return OK;
}

static ErrCode tag(void *self, const NodeClaim *claim, CloudError *error) {
    (void)claim, (void)error;
    ((Book *)self)->tags++;
    return OK;
}

static ErrCode learn(void *self, const NodeClaim *claim, int64_t memory, CloudError *error) {
    (void)claim, (void)error;
    ((Book *)self)->learned = memory;
    return OK;
}

static uint32_t refreshes(void *self) {
    (void)self;
    return (1u << CLOUD_REFRESH_COUNT) - 1;
}

static ErrCode refresh(void *self, Arena *arena, CloudRefresh what, CloudMessageVec *ret_messages, CloudError *error) {
    Book *book = self;

    (void)error;
    book->refreshes[what]++;
    if (what == CLOUD_REFRESH_HEALTH && book->is_impaired) {
        CloudMessage message = {.kind = CLOUD_MESSAGE_HOST_IMPAIRED};

        vec_push(arena, &message.provider_ids, symbol_find(book->symbols, SLICE("aws:///z/i-1")));
        vec_push(arena, ret_messages, message);
    }
    return OK;
}

// The environment's table has what is not about classes.
static EngineEnv *class_engine(Book *book, CloudTable *table) {
    EngineEnv *env = engine_env_new(all, sizeof all / sizeof *all);

    *book = (Book){.env = env};
    *table = *env->config.cloud.table;
    table->class_resolve = class_resolve;
    table->class_finalize = class_finalize;
    table->tag = tag;
    table->learn = learn;
    table->refreshes = refreshes;
    table->refresh = refresh;
    env->config.cloud = (Cloud){table, book};
    book->settings = settings_default();
    book->settings.looks_up_classes = true;
    env->config.settings = &book->settings;
    engine_env_create(env, KUBE_EC2_NODE_CLASS,
                      "{metadata: {name: default}, spec: {role: r, amiSelectorTerms: [{alias: al2023@latest}], "
                      "subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}}");
    engine_env_create(env, KUBE_NODE_CLAIM,
                      "{metadata: {name: a, finalizers: [karpenter.sh/termination]}, spec: {requirements: [], "
                      "nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}}");
    engine_env_patch(env, KUBE_NODE_CLAIM, KUBE_STATUS, "a",
                     "{status: {providerID: 'aws:///z/i-1', nodeName: node-a, conditions: [{type: Registered, status: "
                     "'True', reason: Registered, message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}]}}");
    engine_env_create(env, KUBE_NODE,
                      "{metadata: {name: node-a, labels: {karpenter.sh/registered: 'true', "
                      "karpenter.k8s.aws/ec2nodeclass: default}}, spec: {providerID: 'aws:///z/i-1'}}");
    engine_env_patch(env, KUBE_NODE, KUBE_STATUS, "node-a", "{status: {capacity: {memory: 7Gi}}}");
    return env;
}

static void start(Book *book) {
    engine_env_start(book->env);
    book->symbols = state_symbols(engine_state(book->env->engine));
}

static Value get(EngineEnv *env, KubeKind kind, const char *name) {
    Value object;

    assert_int_equal(kube_get(env->kube, &env->arena, (KubeRef){kind, (Slice){0}, slice_of(name)}, &object, NULL), OK);
    return object;
}

static void check_class(EngineEnv *env) {
    Value class = get(env, KUBE_EC2_NODE_CLASS, "default");
    const Value *finalizers = value_at(&class, "metadata", "finalizers", NULL);

    assert_true(slice_eq_text(kube_text(&class, "status", "instanceProfile", NULL), "of-default"));
    assert_true(
        slice_eq_text(kube_text(&class, "metadata", "annotations", "karpenter.k8s.aws/ec2nodeclass-hash", NULL), "77"));
    assert_non_null(finalizers);
    assert_int_equal(finalizers->list.count, 1);
    assert_int_equal(value_at(&class, "status", "conditions", NULL)->list.count, 2);
}

TEST(a_class_is_looked_up_and_the_rest_is_told) {
    CloudTable table;
    Book book;
    EngineEnv *env = class_engine(&book, &table);

    start(&book);
    engine_env_run(env, NS_PER_MIN);
    check_class(env);
    assert_int_equal(book.lookups, 2); // one for the hash
    assert_int_equal(book.tags, 1);
    assert_int_equal(book.learned, INT64_C(7) << 30);
    for (int i = 0; i < CLOUD_REFRESH_COUNT; i++)
        assert_true(book.refreshes[i] >= 1);
    assert_int_equal(engine_counts(env->engine).failures, 0);
    engine_env_kill(env);
    start(&book);
    engine_env_run(env, NS_PER_MIN);
    assert_int_equal(book.lookups, 3);
    assert_int_equal(engine_counts(env->engine).intents[INTENT_PATCH], 0);
    engine_env_free(env);
}

TEST(an_impaired_host_ends_its_claim_and_then_the_class_may_go) {
    CloudTable table;
    Book book;
    EngineEnv *env = class_engine(&book, &table);
    Value claim;

    start(&book);
    engine_env_run(env, NS_PER_S);
    engine_env_delete(env, KUBE_EC2_NODE_CLASS, "default");
    book.is_impaired = true;
    engine_env_run(env, 2 * NS_PER_MIN);
    claim = get(env, KUBE_NODE_CLAIM, "a");
    assert_true(kube_text(&claim, "metadata", "deletionTimestamp", NULL).len > 0);
    assert_true(kube_text(&claim, "metadata", "annotations", "karpenter.sh/nodeclaim-termination-timestamp", NULL).len);
    assert_int_equal(book.finalized, 0);
    engine_env_patch(env, KUBE_NODE_CLAIM, KUBE_OBJECT, "a", "{metadata: {finalizers: []}}");
    engine_env_run(env, NS_PER_S);
    assert_int_equal(book.finalized, 1);
    assert_string_equal(engine_env_names(env, KUBE_EC2_NODE_CLASS), "");
    engine_env_free(env);
}

static void live_with_a_death(uint64_t step, bool after_call) {
    CloudTable table;
    Book book;
    EngineEnv *env = class_engine(&book, &table);

    env->dies_at_step = step;
    env->dies_after_call = after_call;
    start(&book);
    engine_env_run(env, NS_PER_MIN);
    assert_true(env->died);
    assert_null(env->engine);
    env->dies_at_step = 0;
    start(&book);
    engine_env_run(env, NS_PER_MIN);
    check_class(env);
    assert_true(book.tags >= 1);
    engine_env_free(env);
}

TEST(killed_at_any_step_it_goes_on) {
    for (uint64_t step = 1; step < 16; step++) {
        live_with_a_death(step, false);
        live_with_a_death(step, true);
    }
}
