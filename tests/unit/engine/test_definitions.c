// What the State holds of the kinds of 2023 while their definitions come and go: docs/design/legacy.md.
#include "engine/support/engine_env.h"
#include "legacy/bridge/bridge.h"
#include "model/names.h"

#include "harness/test.h"

enum { WITHOUT_MACHINES = BRIDGE_KNOWS_PROVISIONERS | BRIDGE_KNOWS_TEMPLATES };

static Bridge *begin(EngineEnv *env, uint32_t known) {
    Bridge *bridge = bridge_new(env->kube, &(PresentSettings){0});

    env->config.kube = bridge_kube(bridge);
    bridge_know(bridge, known);
    engine_env_create(env, KUBE_PROVISIONER, "{metadata: {name: a}, spec: {providerRef: {name: t}}}");
    engine_env_create(env, KUBE_MACHINE,
                      "{metadata: {name: m1, labels: {karpenter.sh/provisioner-name: a}}, spec: {machineTemplateRef: "
                      "{name: t}}}");
    engine_env_start(env);
    engine_env_run(env, NS_PER_S);
    return bridge;
}

// Others write meanwhile, so that lists are of later revisions than the old objects.
static void know(EngineEnv *env, Bridge *bridge, uint32_t known) {
    static int number;

    engine_env_create(env, KUBE_NAMESPACE, "{metadata: {name: other-%d}}", number++);
    engine_env_run(env, NS_PER_S);
    bridge_know(bridge, known);
    engine_env_run(env, NS_PER_S);
}

static void end(EngineEnv *env, Bridge *bridge) {
    engine_env_free(env);
    bridge_free(bridge);
}

static uint32_t count(EngineEnv *env, KubeKind kind) {
    return state_count(engine_state(env->engine), kind);
}

TEST(what_went_with_its_definition_comes_back_with_it) {
    EngineEnv *env = engine_env_new(NULL, 0);
    Bridge *bridge = begin(env, BRIDGE_KNOWS_ALL);

    assert_int_equal(count(env, KUBE_NODE_CLAIM), 1);
    assert_int_equal(count(env, KUBE_NODE_POOL), 1);
    for (int i = 0; i < 2; i++) {
        know(env, bridge, 0);
        assert_int_equal(count(env, KUBE_NODE_CLAIM), 0);
        assert_int_equal(count(env, KUBE_NODE_POOL), 0);
        know(env, bridge, BRIDGE_KNOWS_ALL);
        assert_int_equal(count(env, KUBE_NODE_CLAIM), 1);
        assert_int_equal(count(env, KUBE_NODE_POOL), 1);
    }
    end(env, bridge);
}

static bool is_refused(EngineEnv *env) {
    const State *state = engine_state(env->engine);
    const NodePool *pool = state_node_pool(state, state_next(state, KUBE_NODE_POOL, HANDLE_NONE));

    assert_non_null(pool);
    return labels_get(&pool->meta.annotations, NAME_REFUSED) != INDEX_NONE;
}

// The Provisioner has the same revision before and after.
TEST(a_provisioner_is_refused_while_there_are_no_machines) {
    EngineEnv *env = engine_env_new(NULL, 0);
    Bridge *bridge = begin(env, WITHOUT_MACHINES);

    assert_true(is_refused(env));
    know(env, bridge, BRIDGE_KNOWS_ALL);
    assert_false(is_refused(env));
    know(env, bridge, WITHOUT_MACHINES);
    assert_true(is_refused(env));
    end(env, bridge);
}
