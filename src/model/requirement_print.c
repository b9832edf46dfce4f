// Requirements as text and as the expressions of the API.
#include "model/requirement.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"

enum { PRINTED_VALUES_MAX = 5 };

const char *operator_text(Operator op) {
    static const char *const texts[] = {
        [OP_IN] = "In", [OP_NOT_IN] = "NotIn", [OP_EXISTS] = "Exists", [OP_DOES_NOT_EXIST] = "DoesNotExist",
        [OP_GT] = "Gt", [OP_LT] = "Lt",        [OP_GTE] = "Gte",       [OP_LTE] = "Lte",
    };

    return texts[op];
}

// Compares symbols by text. The context is a pointer to the pointer to the symbols, so that these may be const.
static int by_text(const void *a, const void *b, void *symbols) {
    return symbol_cmp(*(const Symbols **)symbols, *(const Symbol *)a, *(const Symbol *)b);
}

static SymbolVec values_by_text(Arena *arena, const Symbols *symbols, const SymbolVec *values) {
    SymbolVec sorted = {.count = values->count, .capacity = values->count};

    if (values->count) {
        sorted.items = arena_copy(arena, values->items, values->count * sizeof *values->items);
        qsort_r(sorted.items, sorted.count, sizeof *sorted.items, by_text, &symbols);
    }
    return sorted;
}

static void print_values(Arena *arena, Buffer *buffer, const Symbols *symbols, const SymbolVec *values) {
    SymbolVec sorted = values_by_text(arena, symbols, values);

    buffer_append(buffer, SLICE(" ["));
    for (uint32_t i = 0; i < sorted.count && i < PRINTED_VALUES_MAX; i++)
        buffer_printf(buffer, "%s%.*s", i ? " " : "", SLICE_ARG(symbol_text(symbols, sorted.items[i])));
    if (sorted.count > PRINTED_VALUES_MAX)
        buffer_printf(buffer, " and %u others", sorted.count - PRINTED_VALUES_MAX);
    buffer_append_char(buffer, ']');
}

Slice requirement_print(Arena *arena, const Symbols *symbols, const Requirement *requirement) {
    Operator op = requirement_operator(requirement);
    Buffer buffer = {0};
    Slice text;

    buffer_printf(&buffer, "%.*s %s", SLICE_ARG(symbol_text(symbols, requirement->key)), operator_text(op));
    if (op == OP_IN || op == OP_NOT_IN)
        print_values(arena, &buffer, symbols, &requirement->values);
    if (requirement->has_gte)
        buffer_printf(&buffer, " >=%" PRId64, requirement->gte);
    if (requirement->has_lte)
        buffer_printf(&buffer, " <=%" PRId64, requirement->lte);
    if (requirement->min_values)
        buffer_printf(&buffer, " minValues %" PRId32, requirement->min_values);
    text = arena_slice(arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}

static int by_slice(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

Slice requirements_print(Arena *arena, const Symbols *symbols, const Requirements *set) {
    SliceVec texts = {0};
    Buffer buffer = {0};
    Slice text;

    for (uint32_t i = 0; i < set->count; i++) {
        if (set->items[i].key != NAME_HOSTNAME)
            vec_push(arena, &texts, requirement_print(arena, symbols, &set->items[i]));
    }
    if (texts.count)
        qsort(texts.items, texts.count, sizeof *texts.items, by_slice);
    for (uint32_t i = 0; i < texts.count; i++)
        buffer_printf(&buffer, "%s%.*s", i ? ", " : "", SLICE_ARG(texts.items[i]));
    text = arena_slice(arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}

static void add_bound(Arena *arena, Symbols *symbols, ExpressionVec *to, const Requirement *requirement, Operator op) {
    Expression *expression = vec_add(arena, to);
    int64_t bound = op == OP_GTE ? requirement->gte : requirement->lte;

    *expression = (Expression){.key = requirement->key, .op = op, .min_values = requirement->min_values};
    vec_push(arena, &expression->values, symbol_intern(symbols, arena_printf(arena, "%" PRId64, bound)));
}

// Adds the expressions of a requirement. Bounds and excluded values are separate ones: the API allows a key several
// times.
static void add_expressions(Arena *arena, Symbols *symbols, ExpressionVec *to, const Requirement *requirement) {
    Operator op = requirement_operator(requirement);

    if (requirement->has_gte)
        add_bound(arena, symbols, to, requirement, OP_GTE);
    if (requirement->has_lte)
        add_bound(arena, symbols, to, requirement, OP_LTE);
    if (op == OP_EXISTS && (requirement->has_gte || requirement->has_lte))
        return;
    vec_push(arena, to,
             (Expression){.key = requirement->key,
                          .op = op,
                          .values = values_by_text(arena, symbols, &requirement->values),
                          .min_values = requirement->min_values});
}

static int by_key(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, ((const Requirement *)a)->key, ((const Requirement *)b)->key);
}

ExpressionVec requirements_to_expressions(Arena *arena, Symbols *symbols, const Requirements *set) {
    Requirements sorted = requirements_copy(arena, set);
    ExpressionVec expressions = {0};

    if (sorted.count)
        qsort_r(sorted.items, sorted.count, sizeof *sorted.items, by_key, symbols);
    for (uint32_t i = 0; i < sorted.count; i++)
        add_expressions(arena, symbols, &expressions, &sorted.items[i]);
    return expressions;
}
