// One thread applies, one decodes for it, two read the same snapshots. To be run under ThreadSanitizer.
#include <pthread.h>
#include <stdlib.h>

#include "state/support/mirror.h"

enum { EVENTS = 20000, PODS = 300, SNAPSHOT_EVERY = 40, READERS = 2 };

// A snapshot that both readers have, and the last one frees.
typedef struct {
    Snapshot *snapshot;
    uint32_t pods; // what it holds
    int readers;   // atomic: readers that are not done with it
} Shown;

typedef struct {
    State *state;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    StateUpdate *update; // decoded, not applied
    bool update_removes;
    Shown *shown[READERS]; // to be read next
    bool over;
    uint32_t wrong, read; // atomic
} TestEnv;

// --- decoding

static StateUpdate *decode(TestEnv *env, uint32_t event) {
    Arena arena = {0};
    uint32_t number = event * 7919 % PODS;
    Value object = value_map(), *meta = value_put(&arena, &object, SLICE("metadata"), value_map()), *labels, *spec;
    Slice version = arena_printf(&arena, "version-%u", event);
    StateUpdate *update = NULL;
    Err err;

    value_put(&arena, meta, SLICE("name"), value_string(arena_printf(&arena, "pod-%u", number)));
    value_put(&arena, meta, SLICE("uid"), value_string(arena_printf(&arena, "uid-%u-%u", number, event / 1000)));
    value_put(&arena, meta, SLICE("resourceVersion"), value_string(arena_printf(&arena, "%u", event + 1)));
    labels = value_put(&arena, meta, SLICE("labels"), value_map());
    value_put(&arena, labels, SLICE("one"), value_string(version));
    value_put(&arena, labels, SLICE("two"), value_string(version));
    spec = value_put(&arena, &object, SLICE("spec"), value_map());
    value_put(&arena, spec, SLICE("nodeName"), value_string(arena_printf(&arena, "node-%u", event % 37)));
    value_put(&arena, spec, SLICE("priorityClassName"), value_string(arena_printf(&arena, "class-%u", event % 11)));
    value_put(&arena, spec, SLICE("containers"), value_list());
    CHECK(state_decode(state_symbols(env->state), KUBE_POD, &object, &update, &err) == OK, "%s", err.text);
    arena_free(&arena);
    return update;
}

static void *decoder(void *context) {
    TestEnv *env = context;

    for (uint32_t event = 0; event < EVENTS; event++) {
        StateUpdate *update = decode(env, event);

        if (event % 13 == 5) { // it is dropped
            state_update_free(update);
            continue;
        }
        pthread_mutex_lock(&env->lock);
        while (env->update)
            pthread_cond_wait(&env->moved, &env->lock);
        env->update = update;
        env->update_removes = event % 5 == 4;
        pthread_cond_broadcast(&env->moved);
        pthread_mutex_unlock(&env->lock);
    }
    pthread_mutex_lock(&env->lock);
    env->over = true;
    pthread_cond_broadcast(&env->moved);
    pthread_mutex_unlock(&env->lock);
    return NULL;
}

// --- reading

// Each pod is entirely of one event: its two labels are equal, and its names are valid.
static bool is_whole(const Cluster *cluster, const Pod *pod) {
    Symbol one = symbol_find(&cluster->symbols, SLICE("one")), two = symbol_find(&cluster->symbols, SLICE("two"));
    Slice version = symbol_text(&cluster->symbols, labels_get(&pod->labels, one));

    return labels_get(&pod->labels, one) == labels_get(&pod->labels, two) &&
           slice_starts_with(version, SLICE("version-")) &&
           slice_starts_with(symbol_text(&cluster->symbols, pod->name), SLICE("pod-")) &&
           slice_starts_with(symbol_text(&cluster->symbols, pod->node_name), SLICE("node-")) &&
           slice_starts_with(symbol_text(&cluster->symbols, pod->spec->priority_class), SLICE("class-"));
}

static void read_shown(TestEnv *env, const Shown *shown) {
    Arena arena = {0};
    Cluster cluster;
    uint32_t wrong;

    snapshot_cluster(shown->snapshot, &arena, &cluster);
    wrong = cluster.pods.count != shown->pods;
    for (vec_each(const Pod, pod, &cluster.pods)) {
        Slice made = arena_printf(&arena, "%.*s-made-up", SLICE_ARG(symbol_text(&cluster.symbols, pod->name)));
        Symbol symbol = symbol_intern(&cluster.symbols, made);

        wrong += !is_whole(&cluster, pod) || !slice_eq(symbol_text(&cluster.symbols, symbol), made);
    }
    __atomic_add_fetch(&env->wrong, wrong, __ATOMIC_RELAXED);
    __atomic_add_fetch(&env->read, 1, __ATOMIC_RELAXED);
    arena_free(&arena);
}

static void done_with(Shown *shown) {
    if (__atomic_sub_fetch(&shown->readers, 1, __ATOMIC_ACQ_REL))
        return;
    snapshot_free(shown->snapshot);
    free(shown);
}

typedef struct {
    TestEnv *env;
    int number;
} Reader;

static void *reader(void *context) {
    const Reader *self = context;
    TestEnv *env = self->env;
    Shown *shown;

    do {
        pthread_mutex_lock(&env->lock);
        while (!env->shown[self->number] && !env->over)
            pthread_cond_wait(&env->moved, &env->lock);
        shown = env->shown[self->number];
        env->shown[self->number] = NULL;
        pthread_mutex_unlock(&env->lock);
        if (shown) {
            read_shown(env, shown);
            done_with(shown);
        }
    } while (shown);
    return NULL;
}

// --- the owner

static void show(TestEnv *env) {
    Shown *shown = malloc(sizeof *shown);

    CHECK(shown, "out of memory");
    *shown = (Shown){state_snapshot(env->state), state_count(env->state, KUBE_POD), READERS};
    pthread_mutex_lock(&env->lock);
    for (int i = 0; i < READERS; i++) {
        if (env->shown[i]) // the reader is slow and skips this one
            done_with(env->shown[i]);
        env->shown[i] = shown;
    }
    pthread_cond_broadcast(&env->moved);
    pthread_mutex_unlock(&env->lock);
}

static StateUpdate *next_update(TestEnv *env, bool *ret_removes) {
    StateUpdate *update;

    pthread_mutex_lock(&env->lock);
    while (!env->update && !env->over)
        pthread_cond_wait(&env->moved, &env->lock);
    update = env->update;
    env->update = NULL;
    *ret_removes = env->update_removes;
    pthread_cond_broadcast(&env->moved);
    pthread_mutex_unlock(&env->lock);
    return update;
}

static void apply_all(TestEnv *env) {
    StateUpdate *update;
    StateChange change;
    bool removes;

    for (uint32_t applied = 1; (update = next_update(env, &removes)); applied++) {
        state_apply(env->state, update, removes, &change);
        if (applied % SNAPSHOT_EVERY == 0)
            show(env);
    }
}

TEST(snapshots_are_read_while_the_state_changes) {
    TestEnv env = {.state = state_new(), .lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
    pthread_t threads[1 + READERS];
    Reader readers[READERS];

    assert_int_equal(pthread_create(&threads[0], NULL, decoder, &env), 0);
    for (int i = 0; i < READERS; i++) {
        readers[i] = (Reader){&env, i};
        assert_int_equal(pthread_create(&threads[1 + i], NULL, reader, &readers[i]), 0);
    }
    apply_all(&env);
    for (size_t i = 0; i < 1 + READERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < READERS; i++) {
        if (env.shown[i])
            done_with(env.shown[i]);
    }
    assert_int_equal(env.wrong, 0);
    assert_true(env.read > 0);
    assert_int_equal(state_memory(env.state).snapshots, 0);
    assert_true(state_memory(env.state).chunks_copied > 0);
    print_message("  %u snapshots read\n", env.read);
    state_free(env.state);
}
