// Patches that another client's write comes before: made again when what they were made of is still so (ctl/intent.h,
// `given`).
#include "base/time.h"
#include "engine/support/engine_env.h"
#include "model/names.h"
#include "text/value_edit.h"

static void marker_observe(void *self, Turn *turn, const StateChange *change);

static Value *label_mark(Arena *arena, const char *mark) {
    Value *object = arena_new(arena, Value);

    *object = value_map();
    value_put(arena, value_make(arena, object, "metadata", "labels", NULL), SLICE("mark"),
              value_string(slice_of(mark)));
    return object;
}

// Makes mark=done of mark=wanted, as long as it is.
static void marker_reconcile(void *self, Turn *turn, Key key) {
    const Namespace *namespace =
        state_namespace(turn->state, state_find(turn->state, KUBE_NAMESPACE, NAME_EMPTY, key.name));
    Symbol mark =
        namespace ? labels_get(&namespace->meta.labels, symbol_intern(turn->symbols, SLICE("mark"))) : INDEX_NONE;

    (void)self;
    if (mark == INDEX_NONE || !slice_eq_text(symbol_text(turn->symbols, mark), "wanted"))
        return;
    turn_patch(turn, KUBE_NAMESPACE, NAME_EMPTY, key.name, KUBE_OBJECT, label_mark(turn->arena, "done"),
               namespace->meta.revision);
    vec_last(turn->intents)->given = label_mark(turn->arena, "wanted");
}

static const Controller marker = {.name = "marker", .observe = marker_observe, .reconcile = marker_reconcile};

static void marker_observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    if (change->kind == KUBE_NAMESPACE)
        turn_enqueue(turn, &marker, (Key){NAME_EMPTY, change->name}, 0);
}

// An API server at which somebody else writes before each of tenon's patches.
static EngineEnv *bed;
static const char *label; // that is written
static uint32_t other_writes, writes_left;

static ErrCode patch_second(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                            Value *ret_object, KubeError *error) {
    (void)self;
    if (writes_left) {
        writes_left--;
        other_writes++;
        engine_env_patch(bed, KUBE_NAMESPACE, KUBE_OBJECT, "a",
                         arena_printf(&bed->arena, "{metadata: {labels: {%s: x%u}}}", label, other_writes).ptr);
    }
    return kube_patch(bed->kube, arena, manager, ref, part, patch, ret_object, error);
}

// Runs the marker for a second, with so many writes of others before its patches.
static EngineCounts mark_beside(const char *written, uint32_t writes) {
    static const Controller *const controllers[] = {&marker};
    static KubeTable table;
    EngineCounts counts;

    bed = engine_env_new(controllers, 1);
    table = *bed->config.kube.table;
    table.patch = patch_second;
    bed->config.kube.table = &table;
    label = written;
    other_writes = 0;
    writes_left = writes;
    engine_env_create(bed, KUBE_NAMESPACE, "{metadata: {name: a, labels: {mark: wanted}}}");
    engine_env_start(bed);
    engine_env_run(bed, NS_PER_S);
    counts = engine_counts(bed->engine);
    return counts;
}

static Slice mark_of_a(void) {
    Value object;

    assert_int_equal(kube_get(bed->kube, &bed->arena, (KubeRef){KUBE_NAMESPACE, {0}, SLICE("a")}, &object, NULL), OK);
    return kube_text(&object, "metadata", "labels", "mark", NULL);
}

TEST(a_write_to_other_members_does_not_matter) {
    EngineCounts counts = mark_beside("other", 3);

    assert_int_equal(other_writes, 3);
    assert_int_equal(counts.failures, 0);
    assert_int_equal(counts.intents[INTENT_PATCH], 1);
    assert_true(slice_eq_text(mark_of_a(), "done"));
    engine_env_free(bed);
}

TEST(a_write_to_what_the_patch_was_made_of_is_a_conflict) {
    EngineCounts counts = mark_beside("mark", 1);

    assert_int_equal(counts.failures, 1);
    assert_true(slice_eq_text(mark_of_a(), "x1"));
    engine_env_free(bed);
}

TEST(it_is_tried_five_times) {
    EngineCounts counts = mark_beside("other", 5);

    assert_int_equal(other_writes, 5);
    assert_int_equal(counts.failures, 1);
    assert_int_equal(counts.intents[INTENT_PATCH], 2); // by the next reconcile
    assert_true(slice_eq_text(mark_of_a(), "done"));
    engine_env_free(bed);
}
