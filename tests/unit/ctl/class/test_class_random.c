// Random lives of NodeClasses: specs that change, lookups that fail or find other things, lost replies, processes that
// die between two intents, foreign writes, NodeClaims that come and go, deletion. Invariants after every step: a class
// that has NodeClaims is not finalized, and nothing is looked up without the finalizer. At the end, without faults, the
// status, the conditions and the hashes are what the cloud says. Prints its seed on failure.
#include "base/random.h"
#include "ctl/class/class_env.h"
#include "ctl/support/env_parts.h"

enum { STEPS = 40, SEEDS = 150, CLAIMS = 3 };

typedef struct {
    uint64_t seed;
    Random random;
    TestEnv *env;
    uint32_t found; // numbers what the cloud finds
    uint32_t faults, lives;
    bool is_deleted;
} Play;

static void check(const Play *play, bool holds, const char *what) {
    if (!holds)
        fail_msg("seed %llu: %s", (unsigned long long)play->seed, what);
}

static const char *part(Play *play, const char *path) {
    return env_part(play->env, KUBE_EC2_NODE_CLASS, "default", path);
}

static bool has_class(Play *play) {
    return env_has(play->env, KUBE_EC2_NODE_CLASS, "default");
}

static uint32_t claim_count(Play *play) {
    return env_count(play->env, KUBE_NODE_CLAIM);
}

// --- what happens

static void find_something(Play *play) {
    CloudClass *found = &env_cloud(play->env)->node_class;
    char *text = arena_alloc(&play->env->arena, 80);

    play->found++;
    snprintf(text, 80, "{instanceProfile: profile-%u, subnets: [{id: subnet-%u, zone: z}]}", play->found, play->found);
    env_find_status(play->env, text);
    env_find_condition(play->env, "SubnetsReady", random_chance(&play->random, 70) ? "True" : "False", "Because", "m");
    if (random_chance(&play->random, 50))
        found->hash.value = arena_printf(&play->env->arena, "%u", play->found);
    if (random_chance(&play->random, 20))
        found->hash_version.value = arena_printf(&play->env->arena, "v%u", play->found);
    found->failure.code = random_chance(&play->random, 20) ? ERR_THROTTLED : OK;
}

static void change_spec(Play *play) {
    if (has_class(play))
        env_put(play->env, "{kind: EC2NodeClass, metadata: {name: default}, spec: {role: r%u}}",
                random_below(&play->random, 1000));
}

static void write_strangely(Play *play) {
    static const char *const texts[] = {
        "{kind: EC2NodeClass, metadata: {name: default}, status: {instanceProfile: forged}}",
        "{kind: EC2NodeClass, metadata: {name: default}, status: {conditions: [SubnetsReady=Unknown/Odd]}}",
        "{kind: EC2NodeClass, metadata: {name: default, annotations: {karpenter.k8s.aws/ec2nodeclass-hash: x}}}",
    };

    if (has_class(play) && !play->is_deleted)
        env_put(play->env, "%s", texts[random_below(&play->random, 3)]);
}

static void put_or_take_claim(Play *play) {
    char name[16];

    snprintf(name, sizeof name, "claim-%u", random_below(&play->random, CLAIMS));
    if (env_has(play->env, KUBE_NODE_CLAIM, name))
        env_remove(play->env, KUBE_NODE_CLAIM, name);
    else if (!play->is_deleted)
        class_put_claim(play->env, name, "");
}

static void break_something(Play *play) {
    static const IntentType types[] = {INTENT_PATCH, INTENT_RESOLVE_CLASS, INTENT_FINALIZE_CLASS};
    static const ErrCode codes[] = {ERR_IO, ERR_TIMEOUT, ERR_CONFLICT, ERR_THROTTLED};
    IntentType type = types[random_below(&play->random, 3)];
    ErrCode code = codes[random_below(&play->random, type == INTENT_PATCH ? 4 : 2)];

    play->faults++;
    if (random_chance(&play->random, 50))
        env_break(play->env, type, 1, code, "a fault");
    else
        env_lose_answer(play->env, type, 1, ERR_TIMEOUT, "no answer");
}

static void step(Play *play) {
    static const char *const times[] = {"0s", "50ms", "1s", "40s", "7m"};
    uint32_t finalized = env_cloud(play->env)->finalized, claims = claim_count(play);

    switch (random_below(&play->random, 8)) {
    case 0:
        find_something(play);
        break;
    case 1:
        change_spec(play);
        break;
    case 2:
        write_strangely(play);
        break;
    case 3:
        put_or_take_claim(play);
        claims = claim_count(play);
        break;
    case 4:
        if (play->faults < 10)
            break_something(play);
        break;
    case 5:
        if (!env_is_dying(play->env)) {
            env_die_after(play->env, random_below(&play->random, 4));
            play->lives++;
        }
        break;
    default:
        break;
    }
    env_run(play->env, times[random_below(&play->random, 5)]);
    check(play, !claims || env_cloud(play->env)->finalized == finalized, "finalized while NodeClaims use it");
    check(play, has_class(play) || play->is_deleted, "the class went");
    if (has_class(play) && *part(play, "status.instanceProfile"))
        check(play, strstr(part(play, "metadata.finalizers"), "termination") != NULL, "a status without a finalizer");
}

// --- the end

static void calm(Play *play) {
    env_cloud(play->env)->node_class.failure.code = OK;
    for (int i = 0; i < ENV_BREAKS_MAX; i++)
        play->env->breaks[i].times = 0;
    play->env->dying = false;
    env_run(play->env, "30m");
}

static bool has_annotation(Play *play, const TextEntry *wanted) {
    Arena *arena = &play->env->arena;
    Slice path = arena_printf(arena, "metadata.annotations.'%.*s'", SLICE_ARG(wanted->key));
    Slice value = arena_printf(arena, "\"%.*s\"", SLICE_ARG(wanted->value));

    return slice_eq_text(value, part(play, arena_text(arena, path)));
}

static void check_class(Play *play) {
    const CloudClass *found = &env_cloud(play->env)->node_class;
    const char *conditions = part(play, "status.conditions");
    char wanted[64];

    snprintf(wanted, sizeof wanted, "\"profile-%u\"", play->found);
    check(play, strcmp(part(play, "status.instanceProfile"), wanted) == 0, "another instance profile");
    check(play,
          strncmp(env_condition(play->env, KUBE_EC2_NODE_CLASS, "default", "SubnetsReady"),
                  found->conditions.items[0].status, 4) == 0,
          "another condition");
    check(play,
          strncmp(env_condition(play->env, KUBE_EC2_NODE_CLASS, "default", "Ready"), found->conditions.items[0].status,
                  4) == 0,
          "not the sum of the conditions");
    snprintf(wanted, sizeof wanted, "\"observedGeneration\":%s", part(play, "metadata.generation"));
    check(play, strstr(conditions, wanted) != NULL, "conditions of another generation");
    check(play, has_annotation(play, &found->hash), "another hash");
    check(play, has_annotation(play, &found->hash_version), "another version");
    check(play, !strstr(env_run(play->env, "20m"), "patch"), "it goes on writing");
}

static void check_deletion(Play *play) {
    char name[16];

    play->is_deleted = true;
    env_delete(play->env, KUBE_EC2_NODE_CLASS, "default");
    for (int i = 0; i < STEPS / 2 && has_class(play); i++)
        step(play);
    calm(play);
    check(play, has_class(play) == (claim_count(play) > 0), "a finalizer is kept, or was not");
    for (uint32_t i = 0; i < CLAIMS; i++) {
        snprintf(name, sizeof name, "claim-%u", i);
        if (env_has(play->env, KUBE_NODE_CLAIM, name))
            env_remove(play->env, KUBE_NODE_CLAIM, name);
    }
    env_run(play->env, "2m");
    check(play, !has_class(play), "the class does not go");
    check(play, env_cloud(play->env)->finalized > 0, "not finalized");
}

TEST(random_lives_end_as_the_cloud_says) {
    uint32_t lives = 0, faults = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Play play = {.seed = seed, .env = class_env(&class_controller)};

        random_seed(&play.random, seed);
        env_add(play.env, &class_hash_controller);
        find_something(&play);
        class_put(play.env);
        for (int i = 0; i < STEPS; i++)
            step(&play);
        calm(&play);
        check_class(&play);
        check_deletion(&play);
        lives += play.lives;
        faults += play.faults;
        env_free(play.env);
    }
    assert_true(lives > SEEDS && faults > SEEDS); // otherwise it shows nothing
}
