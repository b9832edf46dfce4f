// Karpenter's runtime validation of one requirement, with its messages. Reference scheduling.md 1.2.
#include "model/validate/expression_complaint.h"

#include "base/buffer.h"
#include "model/well_known.h"

typedef struct {
    Arena *arena;
    const Symbols *symbols;
    const Expression *expression;
    Slice key; // normalised
    Buffer text;
} Complaints;

// Starts the next message; the caller prints it.
static Buffer *next(Complaints *complaints) {
    if (complaints->text.len)
        buffer_append(&complaints->text, SLICE("; "));
    return &complaints->text;
}

static Slice value_text(const Complaints *complaints, uint32_t i) {
    return symbol_text(complaints->symbols, complaints->expression->values.items[i]);
}

// Labels whose possible values are known.
static const char *const capacity_types[] = {"on-demand", "reserved", "spot", NULL};
static const char *const tenancies[] = {"dedicated", "default", NULL};

static const char *const *known_values(Slice key) {
    if (slice_eq_text(key, "karpenter.sh/capacity-type"))
        return capacity_types;
    return slice_eq_text(key, "karpenter.k8s.aws/instance-tenancy") ? tenancies : NULL;
}

static bool is_one_of(Slice text, const char *const *texts) {
    while (*texts) {
        if (slice_eq_text(text, *texts++))
            return true;
    }
    return false;
}

// Prints the values, "[a b]"; without those in `known`, if given.
static void append_values(Complaints *complaints, const char *const *known) {
    const char *space = "";

    buffer_append_char(&complaints->text, '[');
    for (uint32_t i = 0; i < complaints->expression->values.count; i++) {
        Slice value = value_text(complaints, i);

        if (known && is_one_of(value, known))
            continue;
        buffer_printf(&complaints->text, "%s%.*s", space, SLICE_ARG(value));
        space = " ";
    }
    buffer_append_char(&complaints->text, ']');
}

static void append_known(Complaints *complaints, const char *const *known) {
    for (uint32_t i = 0; known[i]; i++)
        buffer_printf(&complaints->text, "%s%s", i ? " " : "[", known[i]);
    buffer_append_char(&complaints->text, ']');
}

// Checks that enough values are known ones. Unknown values besides them are harmless: they never match.
static void check_known_values(Complaints *complaints) {
    const Expression *expression = complaints->expression;
    const char *const *known = known_values(complaints->key);
    int32_t valid = 0;

    if (!known || expression->op != OP_IN || expression->values.count == 0)
        return;
    for (uint32_t i = 0; i < expression->values.count; i++)
        valid += is_one_of(value_text(complaints, i), known);
    if (valid > 0 && valid >= expression->min_values)
        return;

    buffer_append(next(complaints),
                  valid ? SLICE("not enough valid values found in ") : SLICE("no valid values found in "));
    append_values(complaints, NULL);
    buffer_printf(&complaints->text, " for %.*s, expected ", SLICE_ARG(complaints->key));
    if (valid)
        buffer_printf(&complaints->text, "at least %d valid values from: ", (int)expression->min_values);
    else
        buffer_append(&complaints->text, SLICE("one of: "));
    append_known(complaints, known);
    buffer_append(&complaints->text, SLICE(", got: "));
    append_values(complaints, known);
}

static void check_texts(Complaints *complaints) {
    Slice complaint = label_key_complaint(complaints->key);

    if (complaint.len)
        buffer_printf(next(complaints), "key %.*s is not a qualified name, %.*s", SLICE_ARG(complaints->key),
                      SLICE_ARG(complaint));
    for (uint32_t i = 0; i < complaints->expression->values.count; i++) {
        Slice value = value_text(complaints, i);

        complaint = label_value_complaint(value);
        if (complaint.len)
            buffer_printf(next(complaints), "invalid value %.*s for key %.*s, %.*s", SLICE_ARG(value),
                          SLICE_ARG(complaints->key), SLICE_ARG(complaint));
    }
}

static bool is_bound(Operator op) {
    return op == OP_GT || op == OP_LT || op == OP_GTE || op == OP_LTE;
}

static bool is_natural(const Complaints *complaints) {
    int64_t number;

    return complaints->expression->values.count == 1 && slice_to_int64(value_text(complaints, 0), &number) &&
           number >= 0;
}

static void check_count(Complaints *complaints) {
    const Expression *expression = complaints->expression;
    const char *problem = NULL;

    if (expression->op == OP_IN && expression->values.count == 0)
        problem = "must have a value defined";
    else if (expression->op == OP_IN && (int64_t)expression->values.count < expression->min_values)
        problem = "must have at least minimum number of values defined in 'values' field";
    else if (is_bound(expression->op) && !is_natural(complaints))
        problem = "must have a single positive integer value";

    if (problem)
        buffer_printf(next(complaints), "key %.*s with operator %s %s", SLICE_ARG(complaints->key),
                      operator_text(expression->op), problem);
}

Slice expression_complaint(Arena *arena, Symbols *symbols, const Expression *expression) {
    Symbol key = label_key_normalize(symbols, expression->key);
    Complaints complaints = {
        .arena = arena, .symbols = symbols, .expression = expression, .key = symbol_text(symbols, key)};
    Slice restriction = label_restriction(arena, symbols, key);
    Slice text;

    if (restriction.len)
        buffer_append(next(&complaints), restriction);
    check_known_values(&complaints);
    check_texts(&complaints);
    check_count(&complaints);

    text = arena_slice(arena, buffer_slice(&complaints.text));
    buffer_free(&complaints.text);
    return text;
}
