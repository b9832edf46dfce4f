// Assertions about the last plan of a world. A failing one prints the plan first.
#include "base/buffer.h"
#include "harness/test.h"
#include "sched/support/world_parts.h"

#include <stdio.h>
#include <stdlib.h>

// --- texts of a plan

static Slice text_of(const World *world, Symbol symbol) {
    return symbol_text(&world->input.cluster->symbols, symbol);
}

static Slice pod_name(const World *world, uint32_t pod) {
    return text_of(world, world->input.pending.items[pod].pod->name);
}

static void append_pods(const World *world, Buffer *text, const U32Vec *pods) {
    for (vec_each(uint32_t, pod, pods))
        buffer_printf(text, "%s%.*s", pod == pods->items ? "" : " ", SLICE_ARG(pod_name(world, *pod)));
}

static void append_types(const World *world, Buffer *text, const PlannedClaim *claim) {
    for (vec_each(const InstanceType *, type, &claim->types))
        buffer_printf(text, "%s%.*s", type == claim->types.items ? "" : " ", SLICE_ARG(text_of(world, (*type)->name)));
}

static void append_choice(const World *world, Buffer *text, const PlannedClaim *claim) {
    buffer_printf(text, "%.*s %.*s %.*s", SLICE_ARG(text_of(world, claim->choice->name)),
                  SLICE_ARG(text_of(world, claim->offering->zone)),
                  SLICE_ARG(text_of(world, claim->offering->capacity_type)));
}

static void print_plan(World *world) {
    Buffer text = {0};

    for (vec_each(PlannedClaim, claim, &world->plan.claims)) {
        Slice requirements = requirements_print(&world->arena, &world->input.cluster->symbols, &claim->requirements);

        buffer_printf(&text, "claim %.*s: ", SLICE_ARG(claim->name));
        append_choice(world, &text, claim);
        buffer_printf(&text, ", types ");
        append_types(world, &text, claim);
        buffer_printf(&text, "\n  pods ");
        append_pods(world, &text, &claim->pods);
        buffer_printf(&text, "\n  requirements %.*s\n", SLICE_ARG(requirements));
    }
    for (vec_each(PlannedNode, node, &world->plan.nodes)) {
        buffer_printf(&text, "node %.*s: pods ", SLICE_ARG(text_of(world, node->node->name)));
        append_pods(world, &text, &node->pods);
        buffer_append_char(&text, '\n');
    }
    for (vec_each(UnplacedPod, pod, &world->plan.unplaced))
        buffer_printf(&text, "pending %.*s: %.*s\n", SLICE_ARG(pod_name(world, pod->pod)), SLICE_ARG(pod->message));
    fprintf(stderr, "--- the plan\n%.*s---\n", (int)text.len, text.bytes);
    buffer_free(&text);
}

// Compares, and frees the text.
static void compare(World *world, Buffer *actual, const char *expected, const char *file, int line) {
    const char *text = arena_text(&world->arena, buffer_slice(actual));

    buffer_free(actual);
    if (strcmp(text, expected) != 0)
        print_plan(world);
    _assert_string_equal(text, expected, file, line);
}

// --- where pods are

typedef struct {
    const char *name;
    int count;
} Count;
typedef Vec(Count) CountVec;

static void count_at(World *world, CountVec *counts, Slice name) {
    for (vec_each(Count, known, counts)) {
        if (slice_eq_text(name, known->name)) {
            known->count++;
            return;
        }
    }
    vec_push(&world->arena, counts, (Count){arena_text(&world->arena, name), 1});
}

// "app=web tier=x" of a pod, "" of any.
static bool has_labels(const World *world, const Pod *pod, const char *labels) {
    for (Slice word = next_word(&labels); word.len; word = next_word(&labels)) {
        ptrdiff_t equals = slice_find(word, '=');
        Symbol key = symbol_find(&world->input.cluster->symbols, slice_first(word, (size_t)equals));
        Symbol value = symbol_find(&world->input.cluster->symbols, slice_from(word, (size_t)equals + 1));

        if (key == INDEX_NONE || value == INDEX_NONE || labels_get(&pod->labels, key) != value)
            return false;
    }
    return true;
}

// The one value that a claim's node will have, or "?".
static Slice claim_value(const World *world, const PlannedClaim *claim, Symbol key) {
    const Requirement *requirement = requirements_get(&claim->requirements, key);
    Symbol label = labels_get(&claim->labels, key);

    if (requirement && requirement_operator(requirement) == OP_IN && requirement->values.count == 1)
        return text_of(world, requirement->values.items[0]);
    return label != INDEX_NONE ? text_of(world, label) : SLICE("?");
}

static Slice node_value(const World *world, const NodeView *node, Symbol key) {
    Symbol label = labels_get(&node->labels, key);

    return label != INDEX_NONE ? text_of(world, label) : SLICE("?");
}

static void count_planned(World *world, CountVec *counts, const U32Vec *pods, Slice value, const char *labels) {
    for (vec_each(uint32_t, pod, pods)) {
        if (has_labels(world, world->input.pending.items[*pod].pod, labels))
            count_at(world, counts, value);
    }
}

static bool is_counted(const World *world, const Pod *pod, const NodeView *node, const char *labels) {
    if (pod->node_name != node->name || pod_is_terminal(pod) || !has_labels(world, pod, labels))
        return false;
    for (vec_each(PendingPod, pending, &world->input.pending)) {
        if (pending->pod == pod)
            return false; // on a deleting node: it is planned again
    }
    return true;
}

// `key` NAME_EMPTY: per node.
static CountVec count_all(World *world, Symbol key, const char *labels) {
    CountVec counts = {0};

    for (vec_each(NodeView, node, &world->input.nodes)) {
        Slice value = key == NAME_EMPTY ? text_of(world, node->name) : node_value(world, node, key);

        for (vec_each(Pod, pod, &world->input.cluster->pods)) {
            if (is_counted(world, pod, node, labels))
                count_at(world, &counts, value);
        }
    }
    for (vec_each(PlannedNode, node, &world->plan.nodes))
        count_planned(world, &counts, &node->pods,
                      key == NAME_EMPTY ? text_of(world, node->node->name) : node_value(world, node->node, key),
                      labels);
    for (vec_each(PlannedClaim, claim, &world->plan.claims))
        count_planned(world, &counts, &claim->pods, key == NAME_EMPTY ? claim->name : claim_value(world, claim, key),
                      labels);
    return counts;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const Count *)a)->name, ((const Count *)b)->name);
}

static int by_count(const void *a, const void *b) {
    return ((const Count *)b)->count - ((const Count *)a)->count;
}

void assert_domains_(World *world, const char *key, const char *labels, const char *expected, const char *file,
                     int line) {
    CountVec counts = count_all(world, symbol_intern(&world->input.cluster->symbols, slice_of(key)), labels);
    Buffer text = {0};

    if (counts.count)
        qsort(counts.items, counts.count, sizeof *counts.items, by_name);
    for (vec_each(Count, count, &counts))
        buffer_printf(&text, "%s%s=%d", count == counts.items ? "" : " ", count->name, count->count);
    compare(world, &text, expected, file, line);
}

void assert_per_node_(World *world, const char *labels, const char *expected, const char *file, int line) {
    CountVec counts = count_all(world, NAME_EMPTY, labels);
    Buffer text = {0};

    if (counts.count)
        qsort(counts.items, counts.count, sizeof *counts.items, by_count);
    for (vec_each(Count, count, &counts))
        buffer_printf(&text, "%s%d", count == counts.items ? "" : " ", count->count);
    compare(world, &text, expected, file, line);
}

static bool holds(const World *world, const U32Vec *pods, const char *pod) {
    for (vec_each(uint32_t, each, pods)) {
        if (slice_eq_text(pod_name(world, *each), pod))
            return true;
    }
    return false;
}

const char *world_place(World *world, const char *pod) {
    for (vec_each(PlannedClaim, claim, &world->plan.claims)) {
        if (holds(world, &claim->pods, pod))
            return arena_text(&world->arena, claim->name);
    }
    for (vec_each(PlannedNode, node, &world->plan.nodes)) {
        if (holds(world, &node->pods, pod))
            return arena_text(&world->arena, text_of(world, node->node->name));
    }
    return "";
}

void assert_pods_on_(World *world, const char *place, const char *expected, const char *file, int line) {
    Buffer text = {0};

    for (vec_each(PlannedClaim, claim, &world->plan.claims)) {
        if (slice_eq_text(claim->name, place))
            append_pods(world, &text, &claim->pods);
    }
    for (vec_each(PlannedNode, node, &world->plan.nodes)) {
        if (slice_eq_text(text_of(world, node->node->name), place))
            append_pods(world, &text, &node->pods);
    }
    compare(world, &text, expected, file, line);
}

// --- what is left over

void assert_pending_(World *world, const char *expected, const char *file, int line) {
    Buffer text = {0};

    for (vec_each(UnplacedPod, pod, &world->plan.unplaced))
        buffer_printf(&text, "%s%.*s", text.len ? " " : "", SLICE_ARG(pod_name(world, pod->pod)));
    compare(world, &text, expected, file, line);
}

// Counts compare as texts, so that the plan is printed when they differ.
static void compare_counts(World *world, uint32_t actual, uint32_t expected, const char *what, const char *file,
                           int line) {
    Buffer text = {0};
    Slice wanted = arena_printf(&world->arena, "%u %s", expected, what);

    buffer_printf(&text, "%u %s", actual, what);
    compare(world, &text, wanted.ptr, file, line);
}

void assert_pending_count_(World *world, uint32_t expected, const char *file, int line) {
    compare_counts(world, world->plan.unplaced.count, expected, "pending", file, line);
}

static const UnplacedPod *find_unplaced(World *world, const char *name) {
    for (vec_each(UnplacedPod, pod, &world->plan.unplaced)) {
        if (slice_eq_text(pod_name(world, pod->pod), name))
            return pod;
    }
    return NULL;
}

void assert_message_(World *world, const char *pod, const char *expected, const char *file, int line) {
    const UnplacedPod *unplaced = find_unplaced(world, pod);
    Buffer text = {0};

    buffer_append(&text, unplaced ? unplaced->message : SLICE("(the pod has a place)"));
    compare(world, &text, expected, file, line);
}

void assert_reason_(World *world, const char *pod, uint32_t at, Check check, const char *miss, const char *file,
                    int line) {
    const UnplacedPod *unplaced = find_unplaced(world, pod);
    Slice wanted = arena_printf(&world->arena, "%s: %s", check_text(check), miss);
    Buffer text = {0};

    if (unplaced && at < unplaced->reasons.count)
        buffer_printf(&text, "%s: %.*s", check_text(unplaced->reasons.items[at].check),
                      SLICE_ARG(unplaced->reasons.items[at].nearest_miss));
    compare(world, &text, arena_text(&world->arena, wanted), file, line);
}

// --- claims

void assert_claims_(World *world, uint32_t expected, const char *file, int line) {
    compare_counts(world, world->plan.claims.count, expected, "claims", file, line);
}

// Compares what `append` writes about a claim; "(no such claim)" when there is none.
static void compare_claim(World *world, uint32_t claim, const char *expected,
                          void (*append)(const World *, Buffer *, const PlannedClaim *), const char *file, int line) {
    Buffer text = {0};

    if (claim < world->plan.claims.count)
        append(world, &text, &world->plan.claims.items[claim]);
    else
        buffer_printf(&text, "(no such claim)");
    compare(world, &text, expected, file, line);
}

static void append_pool(const World *world, Buffer *text, const PlannedClaim *claim) {
    buffer_append(text, text_of(world, claim->pool->meta.name));
}

static void append_requests(const World *world, Buffer *text, const PlannedClaim *claim) {
    Arena scratch = {0};

    buffer_append(text, resources_print_json(&scratch, &world->input.cluster->symbols, &claim->requests));
    arena_free(&scratch);
}

void assert_types_(World *world, uint32_t claim, const char *expected, const char *file, int line) {
    compare_claim(world, claim, expected, append_types, file, line);
}

void assert_choice_(World *world, uint32_t claim, const char *expected, const char *file, int line) {
    compare_claim(world, claim, expected, append_choice, file, line);
}

void assert_pool_(World *world, uint32_t claim, const char *expected, const char *file, int line) {
    compare_claim(world, claim, expected, append_pool, file, line);
}

void assert_requests_(World *world, uint32_t claim, const char *expected, const char *file, int line) {
    compare_claim(world, claim, expected, append_requests, file, line);
}

void assert_requirement_(World *world, uint32_t claim, const char *key, const char *expected, const char *file,
                         int line) {
    Symbols *symbols = &world->input.cluster->symbols;
    const Requirement *requirement =
        requirements_get(&world_claim(world, claim)->requirements, symbol_intern(symbols, slice_of(key)));
    Buffer text = {0};

    if (requirement)
        buffer_append(&text, requirement_print(&world->arena, symbols, requirement));
    compare(world, &text, expected, file, line);
}

void assert_label_(World *world, uint32_t claim, const char *key, const char *expected, const char *file, int line) {
    Symbol value =
        labels_get(&world_claim(world, claim)->labels, symbol_intern(&world->input.cluster->symbols, slice_of(key)));
    Buffer text = {0};

    buffer_append(&text, value == INDEX_NONE ? SLICE("(none)") : text_of(world, value));
    compare(world, &text, expected ? expected : "(none)", file, line);
}
