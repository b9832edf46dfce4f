// Makes random events and records the facts.
#include "state/support/history.h"
#include "base/time.h"

#include <stdio.h>
#include <stdlib.h>

#define HUGE_MEMORY "9000000000000000000"

static const struct {
    KubeKind kube;
    const char *word;
} kinds[HISTORY_KINDS] = {
    [HISTORY_POD] = {KUBE_POD, "pod"},
    [HISTORY_NODE] = {KUBE_NODE, "node"},
    [HISTORY_CLAIM] = {KUBE_NODE_CLAIM, "claim"},
    [HISTORY_ATTACHMENT] = {KUBE_VOLUME_ATTACHMENT, "attachment"},
    [HISTORY_BUDGET] = {KUBE_POD_DISRUPTION_BUDGET, "budget"},
    [HISTORY_VOLUME_CLAIM] = {KUBE_PERSISTENT_VOLUME_CLAIM, "volume"},
};

void history_init(History *history, uint64_t seed) {
    *history = (History){.mirror = mirror_new()};
    random_seed(&history->random, seed);
}

KubeKind history_kube(HistoryKind kind) {
    return kinds[kind].kube;
}

const char *history_word(HistoryKind kind) {
    return kinds[kind].word;
}

Symbol history_symbol(History *history, const char *what, int number) {
    Arena *arena = &history->mirror->arena;

    return mirror_symbol(history->mirror, arena_text(arena, arena_printf(arena, "%s-%d", what, number)));
}

Symbol history_ns(History *history, HistoryKind kind, int at) {
    if (kind == HISTORY_POD || kind == HISTORY_BUDGET || kind == HISTORY_VOLUME_CLAIM)
        return history_symbol(history, "shop", at % NAMESPACES);
    return NAME_EMPTY;
}

bool history_chance(History *history, uint32_t percent) {
    return random_chance(&history->random, percent);
}

static uint32_t below(History *history, uint32_t bound) {
    return (uint32_t)random_below(&history->random, bound);
}

static int pick(History *history, uint32_t bound, uint32_t none_percent) {
    return history_chance(history, none_percent) ? -1 : (int)below(history, bound);
}

// --- objects

static const char *meta_of(History *history, HistoryKind kind, int at, const Fact *fact, const char *labels) {
    Arena *arena = &history->mirror->arena;
    Slice ns = symbol_text(state_symbols(history->mirror->state), history_ns(history, kind, at));

    return arena_text(arena,
                      arena_printf(arena,
                                   "metadata: {%s%.*s%s name: %s-%d, uid: uid-%u, resourceVersion: '%u', labels: "
                                   "{v: '%d'%s}%s",
                                   ns.len ? "namespace: " : "", SLICE_ARG(ns), ns.len ? "," : "", kinds[kind].word, at,
                                   fact->uid, fact->revision, fact->version, labels,
                                   fact->deleting ? ", deletionTimestamp: '2026-01-05T00:00:00Z'" : ""));
}

static Value pod_object(History *history, int at, const Fact *pod) {
    static const char *const phases[] = {"Pending", "Running", "Succeeded", "Failed"};
    char owners[512] = "", node[32] = "";
    int len = 0;

    if (pod->owner >= 0)
        len += snprintf(owners + len, sizeof owners - (size_t)len,
                        "{apiVersion: apps/v1, kind: %s, name: o, uid: owner-%d}",
                        pod->daemon     ? "DaemonSet"
                        : pod->stateful ? "StatefulSet"
                                        : "ReplicaSet",
                        pod->owner);
    if (pod->second_owner >= 0)
        snprintf(owners + len, sizeof owners - (size_t)len, "%s{apiVersion: v1, kind: Job, name: j, uid: owner-%d}",
                 len ? ", " : "", pod->second_owner);
    if (pod->node >= 0)
        snprintf(node, sizeof node, "nodeName: node-%d, ", pod->node);
    return mirror_object(history->mirror,
                         "{%s, ownerReferences: [%s]}, spec: {%scontainers: [{name: m, resources: {requests: {cpu: "
                         "'%d', memory: '%s', example.com/gpu-%d: '%d'}}}]}, status: {phase: %s%s}}",
                         meta_of(history, HISTORY_POD, at, pod, ""), owners, node, pod->cpu,
                         pod->huge ? HUGE_MEMORY : "1", pod->cpu % 3, pod->cpu % 2, phases[pod->phase],
                         pod->unschedulable ? ", conditions: [{type: PodScheduled, reason: Unschedulable}]" : "");
}

static Value machine_object(History *history, HistoryKind kind, int at, const Fact *fact, const char *rest) {
    char pool[64] = "", labels[256] = "";

    if (fact->pool >= 0)
        snprintf(pool, sizeof pool, ", karpenter.sh/nodepool: pool-%d", fact->pool);
    snprintf(labels, sizeof labels, "%s%s%s%s", pool, fact->managed ? ", karpenter.kwok.sh/kwoknodeclass: c" : "",
             fact->initialised ? ", karpenter.sh/initialized: 'true'" : "",
             fact->typed ? ", node.kubernetes.io/instance-type: t" : "");
    return mirror_object(history->mirror, "{%s}, %s}", meta_of(history, kind, at, fact, labels), rest);
}

static Value node_object(History *history, int at, const Fact *node) {
    char rest[256], provider[64] = "";

    if (node->provider >= 0)
        snprintf(provider, sizeof provider, "spec: {providerID: 'kwok://%d'}, ", node->provider);
    snprintf(rest, sizeof rest, "%sstatus: {capacity: {cpu: '%d', memory: '%s'}}", provider, node->cpu,
             node->huge      ? HUGE_MEMORY
             : node->cpu % 2 ? "0"
                             : "7");
    return machine_object(history, HISTORY_NODE, at, node, rest);
}

static Value claim_object(History *history, int at, const Fact *claim) {
    char rest[512], status[256] = "";

    if (claim->provider >= 0)
        snprintf(status, sizeof status, "providerID: 'kwok://%d', capacity: {cpu: '%d', memory: '9'}, ",
                 claim->provider, claim->cpu);
    snprintf(
        rest, sizeof rest,
        "spec: {requirements: [], nodeClassRef: {group: g, kind: K, name: c}, resources: {requests: {cpu: '%d'}}}, "
        "status: {%sconditions: [{type: InstanceTerminating, status: '%s'}]}",
        claim->claim_cpu, status, claim->terminating ? "True" : "False");
    return machine_object(history, HISTORY_CLAIM, at, claim, rest);
}

static Value object_of(History *history, HistoryKind kind, int at, const Fact *fact) {
    switch (kind) {
    case HISTORY_POD:
        return pod_object(history, at, fact);
    case HISTORY_NODE:
        return node_object(history, at, fact);
    case HISTORY_CLAIM:
        return claim_object(history, at, fact);
    case HISTORY_ATTACHMENT:
        return mirror_object(history->mirror, "{%s}, spec: {nodeName: node-%d, source: {}}}",
                             meta_of(history, kind, at, fact, ""), fact->node);
    default:
        return mirror_object(history->mirror, "{%s}, spec: {}}", meta_of(history, kind, at, fact, ""));
    }
}

// --- what changes

static void change_pod(History *history, Fact *pod, bool fresh) {
    if (fresh) {
        pod->owner = pick(history, OWNERS, 20);
        pod->second_owner = pick(history, OWNERS, 80);
        pod->daemon = history_chance(history, 20);
        pod->stateful = history_chance(history, 30);
        pod->cpu = 1 + (int)below(history, 5);
        pod->huge = history_chance(history, 8);
    }
    if (pod->node < 0)
        pod->node = pick(history, NODES, 50);
    if (pod->phase < 2)
        pod->phase = (int)below(history, history_chance(history, 20) ? 4 : 2);
    pod->deleting |= history_chance(history, 15);
    pod->unschedulable = history_chance(history, 50);
    if (history_chance(history, 10)) { // an object may change owners and even its requests
        pod->owner = pick(history, OWNERS, 50);
        pod->cpu = 1 + (int)below(history, 5);
    }
}

static void change_machine(History *history, Fact *fact, bool fresh) {
    if (fresh) {
        fact->pool = pick(history, POOLS, 10);
        fact->claim_cpu = 1 + (int)below(history, 5);
        fact->huge = history_chance(history, 8);
    }
    if (fact->provider < 0 || history_chance(history, 5)) // often set later; some are used twice
        fact->provider = pick(history, NODES, 40);
    if (history_chance(history, 10))
        fact->pool = pick(history, POOLS, 10);
    fact->cpu = 1 + (int)below(history, 9);
    fact->managed = history_chance(history, 50);
    fact->typed = history_chance(history, 50);
    fact->initialised |= history_chance(history, 30);
    fact->terminating |= history_chance(history, 10);
    fact->deleting |= history_chance(history, 10);
}

static void change(History *history, HistoryKind kind, Fact *fact) {
    bool fresh = !fact->alive;

    if (fresh)
        *fact = (Fact){.alive = true,
                       .uid = ++history->uid,
                       .arrival = ++history->arrivals,
                       .node = -1,
                       .owner = -1,
                       .second_owner = -1,
                       .provider = -1};
    fact->revision = ++history->revision;
    fact->version++;
    if (kind == HISTORY_POD)
        change_pod(history, fact, fresh);
    else if (kind == HISTORY_NODE || kind == HISTORY_CLAIM)
        change_machine(history, fact, fresh);
    else if (kind == HISTORY_ATTACHMENT && (fresh || history_chance(history, 20)))
        fact->node = (int)below(history, NODES);
}

// --- events for the State

static void put(History *history, HistoryKind kind, int at, const Fact *old) {
    Fact *fact = &history->facts[kind][at];
    Value object = object_of(history, kind, at, fact);
    const StateChange *change = &history->mirror->change;

    assert_true(mirror_put(history->mirror, kinds[kind].kube, &object));
    assert_int_equal(change->before != NULL, old->alive);
    assert_non_null(change->after);
    if (old->alive && old->uid == fact->uid)
        assert_true(handle_eq(change->handle, old->handle));
    fact->handle = change->handle;
}

static void end(History *history, HistoryKind kind, int at, uint32_t revision) {
    Fact *fact = &history->facts[kind][at];

    history->graves[kind][at][below(history, GRAVES)] = (Grave){*fact, revision};
    fact->alive = false;
}

static void put_changed(History *history, HistoryKind kind, int at) {
    Fact *fact = &history->facts[kind][at], old = *fact;

    change(history, kind, fact);
    put(history, kind, at, &old);
}

// Its deletion was missed.
static void put_another(History *history, HistoryKind kind, int at) {
    Fact *fact = &history->facts[kind][at], old = *fact;

    history->replaced++;
    end(history, kind, at, history->revision + 1);
    change(history, kind, fact);
    put(history, kind, at, &old);
    if (kind == HISTORY_POD && old.node < 0 && old.phase < 2)
        fact->arrival = old.arrival; // it has the place of the former object
}

static void take(History *history, HistoryKind kind, int at) {
    Fact *fact = &history->facts[kind][at];
    Value object;

    fact->revision = ++history->revision;
    object = object_of(history, kind, at, fact);
    end(history, kind, at, fact->revision);
    assert_true(mirror_take(history->mirror, kinds[kind].kube, &object));
    assert_null(history->mirror->change.after);
    assert_true(handle_eq(history->mirror->change.handle, fact->handle));
}

static void tell_late(History *history, HistoryKind kind, int at, const Fact *old) {
    Value late;

    if (!old->alive || !history_chance(history, 30))
        return;
    late = object_of(history, kind, at, old);
    assert_false(mirror_put(history->mirror, kinds[kind].kube, &late));
    history->late++;
}

// A late event of a removed object, which must not bring it back.
static void tell_of_the_gone(History *history, HistoryKind kind, int at) {
    const Grave *grave = &history->graves[kind][at][below(history, GRAVES)];
    Fact older = grave->fact;
    Value late;

    if (grave->fact.revision < 2 || grave->buried < history->forgotten || !history_chance(history, 30))
        return;
    late = object_of(history, kind, at, &grave->fact);
    assert_false(mirror_put(history->mirror, kinds[kind].kube, &late));
    if (history_chance(history, 50)) {
        Value word;

        older.revision--;
        word = object_of(history, kind, at, &older);
        assert_false(mirror_take(history->mirror, kinds[kind].kube, &word));
        assert_false(mirror_put(history->mirror, kinds[kind].kube, &late));
    }
    history->late++;
}

typedef struct {
    History *history;
    HistoryKind kind;
    bool told[NAMES];
} Told;

static void hear(void *context, const StateChange *change) {
    Told *told = context;
    Slice name = symbol_text(state_symbols(told->history->mirror->state), change->name);
    int at = atoi(strrchr(name.ptr, '-') + 1);

    assert_non_null(change->before);
    assert_null(change->after);
    assert_false(told->told[at]);
    assert_true(handle_eq(change->handle, told->history->facts[told->kind][at].handle));
    told->told[at] = true;
}

// A list of the objects at an earlier revision, some of them newer. Objects that it lacks are gone unless they are
// newer than the list.
static void relist(History *history, HistoryKind kind) {
    uint32_t past = below(history, 30), revision = history->revision > past ? history->revision - past : 1;
    Told told = {.history = history, .kind = kind};
    bool gone[NAMES] = {0};

    state_relist_begin(history->mirror->state, kinds[kind].kube, false);
    for (int at = 0; at < NAMES; at++) {
        Fact *fact = &history->facts[kind][at];
        uint32_t dice = below(history, 10);
        Value same;

        gone[at] = dice >= 7 && fact->alive && fact->revision <= revision;
        if (dice >= 7 || (!fact->alive && dice >= 2))
            continue;
        if (dice == 1 && fact->alive) {
            put_another(history, kind, at);
        } else if (dice < 3) {
            put_changed(history, kind, at);
        } else {
            same = object_of(history, kind, at, fact);
            assert_false(mirror_put(history->mirror, kinds[kind].kube, &same));
        }
    }
    state_relist_end(history->mirror->state, kinds[kind].kube, revision, hear, &told);
    history->relists++;
    for (int at = 0; at < NAMES; at++) {
        assert_int_equal(told.told[at], gone[at]);
        if (gone[at])
            end(history, kind, at, revision);
        history->relisted_away += gone[at];
    }
}

// Marks that only the process has.
static void mark(History *history, HistoryKind kind, Fact *fact) {
    if (kind == HISTORY_CLAIM && history_chance(history, 20)) {
        fact->marked = history_chance(history, 70);
        state_mark_deleting(history->mirror->state, fact->handle, fact->marked);
    }
    if (kind == HISTORY_NODE && history_chance(history, 20)) {
        fact->nominated_until = 1 + below(history, 1000);
        state_nominate(history->mirror->state, fact->handle, (Mono){fact->nominated_until});
    }
}

void history_step(History *history) {
    static const HistoryKind often[] = {HISTORY_POD,    HISTORY_POD,         HISTORY_POD,   HISTORY_NODE,
                                        HISTORY_NODE,   HISTORY_CLAIM,       HISTORY_CLAIM, HISTORY_ATTACHMENT,
                                        HISTORY_BUDGET, HISTORY_VOLUME_CLAIM};
    HistoryKind kind = often[below(history, sizeof often / sizeof *often)];
    int at = (int)below(history, NAMES);
    Fact *fact = &history->facts[kind][at], old = *fact;

    if (history_chance(history, 2)) {
        relist(history, kind);
        return;
    }
    if (history_chance(history, 1)) {
        uint32_t before = history->revision - below(history, 100) % (history->revision + 1);

        history->forgotten = before > history->forgotten ? before : history->forgotten;
        state_forget_removed(history->mirror->state, before, UINT32_MAX);
    }
    if (fact->alive && history_chance(history, 22))
        take(history, kind, at);
    else if (fact->alive && history_chance(history, 8))
        put_another(history, kind, at);
    else
        put_changed(history, kind, at);
    tell_late(history, kind, at, &old);
    tell_of_the_gone(history, kind, at);
    if (fact->alive)
        mark(history, kind, fact);
}
