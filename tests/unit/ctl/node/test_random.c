// Random terminating nodes, with random pods, tiers, budgets, deadlines, lost instances, failures and restarts.
// Invariants, checked after every step from the test's own records: no pod is deleted earlier than its deadline allows,
// tiers are kept in order, no protected pod is evicted, no instance ends while pods wait, no finalizer is removed
// before the instance is gone, and the NodeClaim's not before the Node's. At the end, without anything that blocks,
// everything is gone. Prints its seed on failure.
#include "base/random.h"
#include "ctl/claim/lifecycle.h"
#include "ctl/node_env.h"
#include "durations.h"
#include "text/duration.h"

enum { NODES = 3, PODS_MAX = 30, BUDGETS = 4, STEPS = 120, SEEDS = 300 };

typedef struct {
    char name[16];
    uint32_t node, tier;
    bool tolerates, mirror, finalizer;
    int64_t grace_s, protected_until_ns; // INT64_MAX: for good; 0: never
    bool gone, deleting;
    bool may_be_gone; // evicted or not is unknown: it is gone at the end of a step in which the process died
    int64_t deleted_ns;
} Guest;

typedef struct {
    uint64_t seed;
    Random random;
    TestEnv *env;
    int64_t start_ns;
    Guest guests[PODS_MAX];
    uint32_t guest_count;
    int64_t deadlines[NODES]; // the earliest that was set; INT64_MAX: none
    bool volume[NODES], lost[NODES], released[NODES];
    uint32_t evictions, deletions, refusals;
} Play;

static bool chance(Play *play, uint32_t percent) {
    return random_chance(&play->random, percent);
}

static void check(const Play *play, bool holds, const char *what, const char *line) {
    if (!holds)
        fail_msg("seed %llu: %s: %s", (unsigned long long)play->seed, what, line);
}

// --- what is there

static Guest *guest_of(Play *play, const char *name) {
    for (uint32_t i = 0; i < play->guest_count; i++) {
        if (strcmp(play->guests[i].name, name) == 0)
            return &play->guests[i];
    }
    fail_msg("no pod %s", name);
    return NULL;
}

static void add_guest(Play *play, uint32_t node) {
    static const int64_t graces[] = {0, 1, 10, 30, 120, 600};
    Guest *guest = &play->guests[play->guest_count];
    char meta[512] = "", spec[256], node_name[16];

    *guest = (Guest){
        .node = node, .tier = random_below(&play->random, 4), .grace_s = graces[random_below(&play->random, 6)]};
    snprintf(guest->name, sizeof guest->name, "p%u", play->guest_count++);
    snprintf(node_name, sizeof node_name, "node-%u", node);
    guest->tolerates = chance(play, 10);
    guest->mirror = chance(play, 5);
    guest->finalizer = chance(play, 5);
    if (guest->tier & 1 || guest->mirror)
        strcat(meta,
               guest->mirror ? owned_by(play->env, KUBE_NODE, node_name) : owned_by(play->env, KUBE_DAEMON_SET, "d"));
    if (guest->mirror)
        guest->tier &= 2;
    if (guest->finalizer)
        strcat(meta, ", finalizers: [example.com/stuck]");
    if (chance(play, 15)) {
        guest->protected_until_ns = chance(play, 50) ? INT64_MAX : play->start_ns + SECONDS(45);
        strcat(meta, guest->protected_until_ns == INT64_MAX ? DO_NOT_DISRUPT
                                                            : ", annotations: {karpenter.sh/do-not-disrupt: 45s}");
    }
    snprintf(spec, sizeof spec, "%s%s, terminationGracePeriodSeconds: %d", guest->tier & 2 ? CRITICAL : "",
             guest->tolerates ? TOLERATES : "", (int)guest->grace_s);
    put_pod_on(play->env, node_name, guest->name, meta, spec);
    env_put(play->env, "{kind: Pod, metadata: {name: %s, labels: {app: b%u}}}", guest->name,
            random_below(&play->random, BUDGETS + 2));
}

static void set_room(Play *play, uint32_t budget, int room) {
    char name[8];

    snprintf(name, sizeof name, "b%u", budget);
    put_budget(play->env, name, name, room);
}

static void set_deadline(Play *play, uint32_t node) {
    int64_t at_ns = env_now_ns(play->env) + SECONDS(random_below(&play->random, 150));
    Arena arena = {0};
    char claim[16];

    at_ns -= at_ns % SECONDS(1);
    snprintf(claim, sizeof claim, "claim-%u", node);
    if (env_has(play->env, KUBE_NODE_CLAIM, claim) && at_ns < play->deadlines[node]) {
        env_put(play->env,
                "{kind: NodeClaim, metadata: {name: %s, annotations: "
                "{karpenter.sh/nodeclaim-termination-timestamp: '%.*s'}}}",
                claim, SLICE_ARG(time_print(&arena, at_ns)));
        play->deadlines[node] = at_ns;
    }
    arena_free(&arena);
}

static void set_up_play(Play *play, uint64_t seed) {
    *play = (Play){.seed = seed};
    random_seed(&play->random, seed);
    play->env = env_new(&node_termination_controller, NULL);
    env_add(play->env, &eviction_queue_controller);
    env_add(play->env, &claim_lifecycle_controller);
    play->start_ns = env_now_ns(play->env);
    for (uint32_t node = 0; node < NODES; node++) {
        char node_name[16], claim[16];

        snprintf(node_name, sizeof node_name, "node-%u", node);
        snprintf(claim, sizeof claim, "claim-%u", node);
        put_node(play->env, node_name, claim);
        play->deadlines[node] = INT64_MAX;
        for (uint32_t pods = random_below(&play->random, 8); pods > 0; pods--)
            add_guest(play, node);
        if (chance(play, 30)) {
            play->volume[node] = true;
            env_put(play->env,
                    "{kind: VolumeAttachment, metadata: {name: va-%u}, spec: {attacher: ebs, nodeName: node-%u, "
                    "source: {persistentVolumeName: v}}}",
                    node, node);
        }
        if (chance(play, 60))
            set_deadline(play, node);
    }
    for (uint32_t budget = 0; budget < BUDGETS; budget++)
        set_room(play, budget, (int)random_below(&play->random, 3));
}

// --- invariants, from the test's own records

static bool is_waiting(const Guest *guest, int64_t now_ns) {
    if (guest->gone || guest->may_be_gone || guest->tolerates || guest->mirror)
        return false;
    return !guest->deleting || now_ns <= guest->deleted_ns + SECONDS(60);
}

static bool may_be_forced(const Play *play, const Guest *guest, int64_t now_ns) {
    int64_t deadline_ns = play->deadlines[guest->node];

    if (deadline_ns == INT64_MAX)
        return false;
    return guest->deleting ? guest->deleted_ns > deadline_ns : now_ns > deadline_ns - SECONDS(guest->grace_s);
}

static void check_eviction(Play *play, const Guest *guest, int64_t now_ns, const char *line) {
    check(play, !guest->gone && !guest->deleting, "evicted though it goes already", line);
    check(play, !guest->mirror && !guest->tolerates, "evicted though it may stay", line);
    check(play, now_ns >= guest->protected_until_ns, "evicted though it is protected", line);
    for (uint32_t i = 0; i < play->guest_count; i++) {
        const Guest *other = &play->guests[i];

        check(play,
              other->node != guest->node || other->tier >= guest->tier || !is_waiting(other, now_ns) ||
                  may_be_forced(play, other, now_ns),
              other->name, line);
    }
}

static void check_deletion(Play *play, const Guest *guest, int64_t now_ns, int64_t grace_s, const char *line) {
    int64_t left_s = (play->deadlines[guest->node] - now_ns) / SECONDS(1);

    check(play, !guest->mirror && !guest->tolerates, "deleted though it may stay", line);
    check(play, may_be_forced(play, guest, now_ns), "deleted before the deadline allows", line);
    check(play, grace_s == (left_s > 1 ? left_s : 1), "not the grace that is left", line);
}

static bool is_instance_gone(Play *play, uint32_t node, int64_t now_ns) {
    const EnvInstance *instance;
    char provider_id[32];

    snprintf(provider_id, sizeof provider_id, "kwok://claim-%u", node);
    instance = env_instance(play->env, provider_id);
    return instance->terminating && now_ns >= instance->gone_ns;
}

static void check_termination(Play *play, uint32_t node, int64_t now_ns, const char *line) {
    if (is_instance_gone(play, node, now_ns)) // lost, or terminated before a late pod was bound
        return;
    for (uint32_t i = 0; i < play->guest_count; i++)
        check(play, play->guests[i].node != node || !is_waiting(&play->guests[i], now_ns), play->guests[i].name, line);
    check(play, !play->volume[node] || now_ns > play->deadlines[node], "ended before its volume was detached", line);
}

static void check_release_of_node(Play *play, uint32_t node, int64_t now_ns, const char *line) {
    check(play, is_instance_gone(play, node, now_ns), "released before its instance was gone", line);
    play->released[node] = true;
}

static void check_release_of_claim(Play *play, uint32_t node, int64_t now_ns, const char *line) {
    check(play, is_instance_gone(play, node, now_ns), "released before its instance was gone", line);
    check(play, play->released[node], "the NodeClaim went before its Node", line);
}

static void is_going(Guest *guest, int64_t now_ns, int64_t grace_s) {
    int64_t at_ns = now_ns + SECONDS(grace_s);

    if (!guest->deleting || at_ns < guest->deleted_ns)
        guest->deleted_ns = at_ns;
    guest->deleting = true;
    if (grace_s == 0 && !guest->finalizer)
        guest->gone = true;
}

static void check_line(Play *play, int64_t from_ns, const char *line) {
    char when[32], name[32];
    int64_t at_ns;
    int grace_s;
    uint32_t node;

    assert_int_equal(sscanf(line, "+%31s", when), 1);
    assert_int_equal(duration_parse(slice_of(when), &at_ns, NULL), OK);
    at_ns += from_ns;
    line += strlen(when) + 2;
    if (sscanf(line, "evict pod/default/%31s", name) == 1) {
        check_eviction(play, guest_of(play, name), at_ns, line);
        guest_of(play, name)->may_be_gone = !env_has(play->env, KUBE_POD, name);
    } else if (sscanf(line, "delete pod/default/%31s", name) == 1) {
        check(play, sscanf(line, "delete pod/default/%31s grace=%ds", name, &grace_s) == 2, "deleted, not evicted",
              line);
        check_deletion(play, guest_of(play, name), at_ns, grace_s, line);
        play->deletions++;
        is_going(guest_of(play, name), at_ns, grace_s);
    } else if (sscanf(line, "event Normal pod/default/%31s Evicted", name) == 1 && strstr(line, " Evicted:")) {
        play->evictions++;
        is_going(guest_of(play, name), at_ns, guest_of(play, name)->grace_s);
    } else if (sscanf(line, "terminate kwok://claim-%u", &node) == 1) {
        check_termination(play, node, at_ns, line);
    } else if (sscanf(line, "patch node/node-%u {", &node) == 1 && strstr(line, "$delete")) {
        check_release_of_node(play, node, at_ns, line);
    } else if (sscanf(line, "patch nodeclaim/claim-%u locked {", &node) == 1 && strstr(line, "\"finalizers\":[]")) {
        check_release_of_claim(play, node, at_ns, line);
    }
    play->refusals += strstr(line, "violates a PDB") != NULL;
}

// --- random steps

static void look_at_pods(Play *play) {
    for (uint32_t i = 0; i < play->guest_count; i++) {
        Guest *guest = &play->guests[i];
        const Pod *pod = state_pod(env_state(play->env), env_find(play->env, KUBE_POD, guest->name));

        guest->gone = !pod;
        guest->may_be_gone = false;
        guest->deleting = pod && pod->deleting;
        guest->deleted_ns = pod ? pod->deleted_ns : 0;
    }
}

static void let_pods_end(Play *play, bool finalizers) {
    for (uint32_t i = 0; i < play->guest_count; i++) {
        Guest *guest = &play->guests[i];

        if (!guest->gone && guest->deleting && guest->deleted_ns <= env_now_ns(play->env) &&
            (!guest->finalizer || finalizers) && chance(play, 70))
            env_remove(play->env, KUBE_POD, guest->name);
    }
}

static void step(Play *play, const char *duration) {
    int64_t from_ns = env_now_ns(play->env);
    const char *history;

    look_at_pods(play);
    history = env_run(play->env, duration);
    for (const char *line = history, *end; (end = strchr(line, '\n')); line = end + 1) {
        char text[1024];

        snprintf(text, sizeof text, "%.*s", (int)(end - line), line);
        check_line(play, from_ns, text);
    }
    look_at_pods(play);
}

// The node does not report any more; its instance may be gone.
static void lose_node(Play *play, uint32_t node) {
    char name[32];

    snprintf(name, sizeof name, "node-%u", node);
    if (!env_has(play->env, KUBE_NODE, name))
        return;
    env_put(play->env, "{kind: Node, metadata: {name: %s}, status: {conditions: [Ready=Unknown]}}", name);
    snprintf(name, sizeof name, "kwok://claim-%u", node);
    if (!chance(play, 50))
        return;
    env_lose_instance(play->env, name);
    play->lost[node] = true;
}

// A pod that was bound before the taint was seen.
static void add_late_guest(Play *play, uint32_t node) {
    char name[16];

    snprintf(name, sizeof name, "node-%u", node);
    if (play->guest_count < PODS_MAX && env_has(play->env, KUBE_NODE, name))
        add_guest(play, node);
}

static void disturb(Play *play) {
    static const IntentType types[] = {INTENT_PATCH, INTENT_REMOVE, INTENT_EVICT, INTENT_TERMINATE,
                                       INTENT_GET_INSTANCE};
    static const ErrCode codes[] = {ERR_IO, ERR_TIMEOUT, ERR_THROTTLED, ERR_DENIED};
    uint32_t node = random_below(&play->random, NODES);

    if (chance(play, 20))
        set_room(play, random_below(&play->random, BUDGETS), (int)random_below(&play->random, 3));
    if (chance(play, 3))
        set_deadline(play, node);
    if (chance(play, 1))
        lose_node(play, node);
    if (chance(play, 3))
        add_late_guest(play, node);
    if (chance(play, 2) && play->volume[node]) {
        char name[16];

        snprintf(name, sizeof name, "va-%u", node);
        env_remove(play->env, KUBE_VOLUME_ATTACHMENT, name);
        play->volume[node] = false;
    }
    // The checks would count the pod of a failed deletion as gone.
    if (chance(play, 5)) {
        IntentType type = types[random_below(&play->random, 5)];

        if (type != INTENT_REMOVE)
            env_break(play->env, type, 1, codes[random_below(&play->random, 4)], "bad luck");
    }
    if (chance(play, 2))
        env_restart(play->env);
    if (chance(play, 2))
        env_die_after(play->env, random_below(&play->random, 4));
}

static void let_everything_go(Play *play) {
    look_at_pods(play);
    for (uint32_t budget = 0; budget < BUDGETS; budget++)
        set_room(play, budget, 100);
    for (uint32_t i = 0; i < play->guest_count; i++) {
        Guest *guest = &play->guests[i];

        guest->protected_until_ns = 0;
        if (!guest->gone)
            env_put(play->env, "{kind: Pod, metadata: {name: %s, annotations: null}}", guest->name);
    }
    for (uint32_t node = 0; node < NODES; node++) {
        char name[16];

        snprintf(name, sizeof name, "va-%u", node);
        if (play->volume[node])
            env_remove(play->env, KUBE_VOLUME_ATTACHMENT, name);
        play->volume[node] = false;
    }
}

static void play_one(uint64_t seed, Play *play) {
    static const char *const durations[] = {"1ms", "100ms", "1s", "1s", "3s"};

    set_up_play(play, seed);
    for (uint32_t node = 0; node < NODES; node++) {
        bool claim = chance(play, 40);
        char name[16];

        snprintf(name, sizeof name, claim ? "claim-%u" : "node-%u", node);
        env_delete(play->env, claim ? KUBE_NODE_CLAIM : KUBE_NODE, name);
    }
    for (uint32_t i = 0; i < STEPS; i++) {
        disturb(play);
        step(play, durations[random_below(&play->random, 5)]);
        let_pods_end(play, false);
    }
    let_everything_go(play);
    for (uint32_t i = 0; i < 3000 && env_count(play->env, KUBE_NODE) + env_count(play->env, KUBE_NODE_CLAIM) > 0; i++) {
        step(play, "1s");
        let_pods_end(play, true);
    }
    check(play, env_count(play->env, KUBE_NODE) == 0, "a node never ends", "");
    check(play, env_count(play->env, KUBE_NODE_CLAIM) == 0, "a claim never ends", "");
    check(play, env_instances_alive(play->env) == 0, "an instance is left", "");
    env_free(play->env);
}

TEST(nodes_end_in_order) {
    uint32_t evictions = 0, deletions = 0, refusals = 0, lost = 0, seeds = test_random_cases(SEEDS);

    for (uint64_t seed = 1; seed <= seeds; seed++) {
        static _Thread_local Play play;

        play_one(seed, &play);
        for (uint32_t node = 0; node < NODES; node++)
            lost += play.lost[node];
        evictions += play.evictions;
        deletions += play.deletions;
        refusals += play.refusals;
    }
    print_message("%u plays: %u evictions, %u forced deletions, %u refusals, %u lost\n", seeds, evictions, deletions,
                  refusals, lost);
    assert_true(evictions > seeds && deletions > seeds && refusals > seeds &&
                lost > seeds / 10); // else the test checks little
}
