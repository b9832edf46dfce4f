// Random lives of claims: failing launches, lost replies, processes that die between two intents, lists that lag,
// vanished instances, claims and Nodes deleted by hand, Nodes with one providerID. Invariants, checked after every step
// from the test's own records: no instance of a claim that should stay is terminated, and no registered claim is
// deleted without cause. At the end, without faults, the remaining claims become Nodes, and deleted ones leave nothing
// behind. Prints its seed on failure.
#include "ctl/claim/garbage_collection.h"
#include "ctl/claim/hydration.h"
#include "ctl/claim/orphans.h"
#include "ctl/node/termination.h"
#include "ctl/support/claim_env.h"
#include "ctl/support/env_parts.h"

enum { CLAIMS = 5, STEPS = 70, SEEDS = 150 };

// What was done to a claim.
typedef struct {
    char name[16], node[32];
    bool made, touched; // touched: it or its Node was deleted, or its instance was lost, so it may be deleted
} Life;

typedef struct {
    uint64_t seed;
    Random random;
    TestEnv *env;
    Life lives[CLAIMS];
    uint32_t restarts, faults, collected;
} Play;

static bool chance(Play *play, uint32_t percent) {
    return random_chance(&play->random, percent);
}

static void check(const Play *play, bool holds, const char *what, const char *about) {
    if (!holds)
        fail_msg("seed %llu: %s: %s", (unsigned long long)play->seed, about, what);
}

static bool has_claim(Play *play, const Life *life) {
    return life->made && env_has(play->env, KUBE_NODE_CLAIM, life->name);
}

static bool is_deleting(Play *play, KubeKind kind, const char *name) {
    return *env_part(play->env, kind, name, "metadata.deletionTimestamp") != '\0';
}

static bool is_up(Play *play, const EnvInstance *instance) {
    return instance && (!instance->terminating || env_now_ns(play->env) < instance->gone_ns);
}

// Provider ids are "kwok://<claim>".
static EnvInstance *instance_of(Play *play, const Life *life) {
    char id[32];

    snprintf(id, sizeof id, "kwok://%s", life->name);
    return env_instance(play->env, id);
}

// --- kubelets and the cloud controller manager

static void join(Play *play, const Life *life) {
    env_put(play->env,
            "{kind: Node, metadata: {name: %s}, spec: {providerID: 'kwok://%s', taints: [{key: "
            "karpenter.sh/unregistered, effect: NoExecute}]}, status: {conditions: [Ready=False/Kubelet]}}",
            life->node, life->name);
}

static void live_kubelet(Play *play, Life *life, uint32_t percent) {
    bool up = is_up(play, instance_of(play, life)), has_node = env_has(play->env, KUBE_NODE, life->node);

    if (up && !has_node && !life->touched && chance(play, percent))
        join(play, life);
    else if (up && has_node && chance(play, percent))
        put_named_node_ready(play->env, life->node);
    else if (!up && has_node && !is_deleting(play, KUBE_NODE, life->node)) {
        env_put(play->env, "{kind: Node, metadata: {name: %s}, status: {conditions: [Ready=Unknown/Kubelet]}}",
                life->node);
        env_delete(play->env, KUBE_NODE, life->node);
        life->touched = true;
    }
}

// --- faults

static void break_something(Play *play) {
    static const struct {
        IntentType type;
        ErrCode code;
    } faults[] = {
        {INTENT_PATCH, ERR_IO},           {INTENT_PATCH, ERR_CONFLICT},      {INTENT_PATCH, ERR_TIMEOUT},
        {INTENT_REMOVE, ERR_IO},          {INTENT_LAUNCH, ERR_IO},           {INTENT_LAUNCH, ERR_CAPACITY},
        {INTENT_LAUNCH, ERR_THROTTLED},   {INTENT_TERMINATE, ERR_THROTTLED}, {INTENT_LIST_INSTANCES, ERR_TIMEOUT},
        {INTENT_GET_INSTANCE, ERR_DENIED}};
    uint32_t at = random_below(&play->random, sizeof faults / sizeof *faults);
    uint32_t times = 1 + random_below(&play->random, 3);
    uint32_t broken = 0;

    for (int i = 0; i < ENV_BREAKS_MAX; i++)
        broken += play->env->breaks[i].times > 0;
    if (broken > ENV_BREAKS_MAX / 2)
        return;
    play->faults++;
    if (faults[at].code != ERR_CAPACITY && faults[at].code != ERR_CONFLICT && chance(play, 50))
        env_lose_answer(play->env, faults[at].type, times, ERR_TIMEOUT, "no answer");
    else
        env_break(play->env, faults[at].type, times, faults[at].code, "broken");
}

static void touch(Play *play, Life *life) {
    EnvInstance *instance = instance_of(play, life);
    bool has_node = env_has(play->env, KUBE_NODE, life->node);

    if (chance(play, 40)) {
        env_delete(play->env, KUBE_NODE_CLAIM, life->name);
    } else if (has_node && chance(play, 40)) {
        env_delete(play->env, KUBE_NODE, life->node);
    } else if (has_node && chance(play, 20)) {
        env_put(play->env, "{kind: Node, metadata: {name: %s-twin}, spec: {providerID: 'kwok://%s'}}", life->node,
                life->name);
    } else if (instance && !instance->terminating) {
        env_lose_instance(play->env, instance->provider_id);
        if (has_node && chance(play, 50)) // without Node only its absence from the cloud shows it
            env_remove(play->env, KUBE_NODE, life->node);
    } else {
        return;
    }
    life->touched = true;
}

static void step(Play *play) {
    static const char *const pauses[] = {"0s", "1s", "5s", "20s", "1m", "3m"};
    Life *life = &play->lives[random_below(&play->random, CLAIMS)];

    if (!life->made && chance(play, 60)) {
        env_put(play->env, "{kind: NodeClaim, metadata: {name: %s}, spec: {terminationGracePeriod: 5m}}", life->name);
        life->made = true;
    } else if (has_claim(play, life) && chance(play, 10)) {
        touch(play, life);
    }
    for (uint32_t i = 0; i < CLAIMS; i++)
        live_kubelet(play, &play->lives[i], 50);
    if (chance(play, 30))
        break_something(play);
    play->env->cloud.list_lag_ns = chance(play, 20) ? 300 * NS_PER_S : 0;
    if (chance(play, 10))
        env_restart(play->env), play->restarts++;
    else if (chance(play, 15))
        env_die_after(play->env, random_below(&play->random, 5)), play->restarts++;
    play->collected += env_times(env_run(play->env, pauses[random_below(&play->random, 6)]), "garbage collecting");
}

// --- invariants

static void check_life(Play *play, Life *life) {
    const EnvInstance *instance = instance_of(play, life);
    bool has = has_claim(play, life), goes = !has || is_deleting(play, KUBE_NODE_CLAIM, life->name);

    if (!life->made || life->touched)
        return;
    check(play, !instance || !instance->terminating || goes, "its instance ended though it stays", life->name);
    if (has && strncmp(env_condition(play->env, KUBE_NODE_CLAIM, life->name, "Registered"), "True", 4) == 0)
        check(play, !goes, "it was registered and goes without cause", life->name);
    if (goes)
        life->touched = true; // no capacity, or too late
}

static void begin(Play *play, uint64_t seed) {
    play->seed = seed;
    random_seed(&play->random, seed);
    play->env = env_new(&claim_lifecycle_controller, NULL);
    env_add(play->env, &claim_hydration_controller);
    env_add(play->env, &claim_collection_controller);
    env_add(play->env, &claim_orphans_controller);
    env_add(play->env, &node_termination_controller);
    for (uint32_t i = 0; i < CLAIMS; i++) {
        play->lives[i] = (Life){0};
        snprintf(play->lives[i].name, sizeof play->lives[i].name, "claim-%u", i);
        snprintf(play->lives[i].node, sizeof play->lives[i].node, "node-%u", i);
    }
}

static void mend(Play *play) {
    for (int i = 0; i < ENV_BREAKS_MAX; i++)
        play->env->breaks[i].times = 0;
    play->env->dying = false;
    play->env->cloud.list_lag_ns = 0;
}

// Runs for some minutes without faults.
static void live_well(Play *play, uint32_t minutes) {
    for (uint32_t minute = 0; minute < minutes; minute++) {
        for (uint32_t i = 0; i < CLAIMS; i++)
            live_kubelet(play, &play->lives[i], 100);
        env_run(play->env, "1m");
    }
}

static void end(Play *play) {
    mend(play);
    live_well(play, 25);
    for (uint32_t i = 0; i < CLAIMS; i++) {
        Life *life = &play->lives[i];

        check_life(play, life);
        if (has_claim(play, life) && !life->touched)
            check(play,
                  strcmp(env_condition(play->env, KUBE_NODE_CLAIM, life->name, "Initialized"), "True/Initialized") == 0,
                  "it never became a Node", life->name);
        if (has_claim(play, life))
            env_delete(play->env, KUBE_NODE_CLAIM, life->name);
        life->touched = true;
    }
    live_well(play, 10);
    for (uint32_t i = 0; i < CLAIMS; i++) {
        check(play, !has_claim(play, &play->lives[i]), "the claim is still there", play->lives[i].name);
        check(play, !env_has(play->env, KUBE_NODE, play->lives[i].node), "the Node is still there",
              play->lives[i].name);
    }
    check(play, env_instances_alive(play->env) == 0, "instances are still there", "all");
    env_free(play->env);
}

TEST(claims_live_and_leave_nothing) {
    Play play = {0};
    uint32_t seeds = test_random_cases(SEEDS);

    for (uint64_t seed = 1; seed <= seeds; seed++) {
        begin(&play, seed);
        for (uint32_t i = 0; i < STEPS; i++) {
            step(&play);
            for (uint32_t life = 0; life < CLAIMS; life++)
                check_life(&play, &play.lives[life]);
        }
        end(&play);
    }
    assert_true(play.restarts > seeds && play.faults > seeds &&
                play.collected > seeds / 10); // else the test checks little
}
