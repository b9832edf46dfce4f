// The algebra of requirements. Values are sorted by symbol, so set operations are merges.
#include "model/requirement.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b) {
    Symbol x = *(const Symbol *)a, y = *(const Symbol *)b;

    return (x > y) - (x < y);
}

static int by_number_context(const void *a, const void *b, void *unused) {
    (void)unused;
    return by_number(a, b);
}

// The values sorted, each once.
static SymbolVec values_make(Arena *arena, const SymbolVec *from) {
    SymbolVec values = {.capacity = from->count};

    if (from->count == 0)
        return values;
    values.items = arena_copy(arena, from->items, from->count * sizeof *from->items);
    qsort_r(values.items, from->count, sizeof *values.items, by_number_context, NULL);
    for (uint32_t i = 0; i < from->count; i++) {
        if (values.count == 0 || *vec_last(&values) != values.items[i])
            values.items[values.count++] = values.items[i];
    }
    return values;
}

static bool values_contain(const SymbolVec *values, Symbol value) {
    return values->count && bsearch(&value, values->items, values->count, sizeof value, by_number) != NULL;
}

static bool is_bounded(const Requirement *requirement) {
    return requirement->has_gte || requirement->has_lte;
}

static bool is_within(const Symbols *symbols, const Requirement *bounds, Symbol value) {
    int64_t number;

    if (!is_bounded(bounds))
        return true;
    if (!slice_to_int64(symbol_text(symbols, value), &number))
        return false;
    return (!bounds->has_gte || number >= bounds->gte) && (!bounds->has_lte || number <= bounds->lte);
}

static bool bounds_cross(const Requirement *bounds) {
    return bounds->has_gte && bounds->has_lte && bounds->gte > bounds->lte;
}

// Sets the bound of Gt, Lt, Gte or Lte. One that cannot be satisfied leaves the empty set that the caller prepared.
static void set_bound(const Symbols *symbols, const Expression *expression, Requirement *requirement) {
    Operator op = expression->op;
    int64_t bound;

    if (expression->values.count != 1 || !slice_to_int64(symbol_text(symbols, expression->values.items[0]), &bound))
        return;
    if (op == OP_GT && __builtin_add_overflow(bound, 1, &bound))
        return;
    if (op == OP_LT && __builtin_sub_overflow(bound, 1, &bound))
        return;

    requirement->complement = true;
    if (op == OP_GT || op == OP_GTE) {
        requirement->has_gte = true;
        requirement->gte = bound;
    } else {
        requirement->has_lte = true;
        requirement->lte = bound;
    }
}

Requirement requirement_make(Arena *arena, Symbols *symbols, const Expression *expression) {
    Requirement requirement = {
        .key = label_key_normalize(symbols, expression->key),
        .min_values = expression->min_values,
    };

    switch (expression->op) {
    case OP_IN:
        requirement.values = values_make(arena, &expression->values);
        break;
    case OP_NOT_IN:
        requirement.complement = true;
        requirement.values = values_make(arena, &expression->values);
        break;
    case OP_EXISTS:
        requirement.complement = true;
        break;
    case OP_DOES_NOT_EXIST:
        break;
    case OP_GT:
    case OP_LT:
    case OP_GTE:
    case OP_LTE:
        set_bound(symbols, expression, &requirement);
        break;
    }
    return requirement;
}

Requirement requirement_in(Arena *arena, Symbol key, Symbol value) {
    Requirement requirement = {.key = key};

    vec_push(arena, &requirement.values, value);
    return requirement;
}

Operator requirement_operator(const Requirement *requirement) {
    if (requirement->complement)
        return requirement->values.count ? OP_NOT_IN : OP_EXISTS;
    return requirement->values.count ? OP_IN : OP_DOES_NOT_EXIST;
}

bool requirement_has(const Symbols *symbols, const Requirement *requirement, Symbol value) {
    return values_contain(&requirement->values, value) != requirement->complement &&
           is_within(symbols, requirement, value);
}

// The intersection of bounds and the larger minValues, without values.
static Requirement intersect_bounds(const Requirement *a, const Requirement *b) {
    Requirement both = {.key = a->key, .complement = a->complement && b->complement};

    both.has_gte = a->has_gte || b->has_gte;
    both.gte = !b->has_gte || (a->has_gte && a->gte > b->gte) ? a->gte : b->gte;
    both.has_lte = a->has_lte || b->has_lte;
    both.lte = !b->has_lte || (a->has_lte && a->lte < b->lte) ? a->lte : b->lte;
    both.min_values = a->min_values > b->min_values ? a->min_values : b->min_values;
    return both;
}

// Whether the intersection lists a value that at least one side lists: of two finite sets if both list it, of a finite
// set and a complement if only the finite set does, of two complements always.
static bool is_listed(const Requirement *a, bool in_a, const Requirement *b, bool in_b) {
    if (a->complement && b->complement)
        return in_a || in_b;
    return in_a != a->complement && in_b != b->complement;
}

Requirement requirement_intersect(Arena *arena, const Symbols *symbols, const Requirement *a, const Requirement *b) {
    Requirement both = intersect_bounds(a, b);
    uint32_t i = 0, j = 0;

    if (bounds_cross(&both))
        return (Requirement){.key = a->key, .min_values = both.min_values};
    while (i < a->values.count || j < b->values.count) {
        Symbol x = i < a->values.count ? a->values.items[i] : UINT32_MAX;
        Symbol y = j < b->values.count ? b->values.items[j] : UINT32_MAX;
        Symbol value = x < y ? x : y;

        if (is_listed(a, x == value, b, y == value) && is_within(symbols, &both, value))
            vec_push(arena, &both.values, value);
        i += x == value;
        j += y == value;
    }
    if (!both.complement)
        both.has_gte = both.has_lte = false, both.gte = both.lte = 0;
    return both;
}

bool requirement_intersects(const Symbols *symbols, const Requirement *a, const Requirement *b) {
    Requirement both = intersect_bounds(a, b);
    const Requirement *finite = a->complement ? b : a;
    const Requirement *other = a->complement ? a : b;

    if (bounds_cross(&both))
        return false;
    if (both.complement)
        return true;
    for (uint32_t i = 0; i < finite->values.count; i++) {
        Symbol value = finite->values.items[i];

        if (values_contain(&other->values, value) != other->complement && is_within(symbols, &both, value))
            return true;
    }
    return false;
}

bool requirement_eq(const Requirement *a, const Requirement *b) {
    return a->key == b->key && a->complement == b->complement && a->has_gte == b->has_gte && a->has_lte == b->has_lte &&
           (!a->has_gte || a->gte == b->gte) && (!a->has_lte || a->lte == b->lte) && a->min_values == b->min_values &&
           a->values.count == b->values.count &&
           (a->values.count == 0 ||
            memcmp(a->values.items, b->values.items, a->values.count * sizeof *a->values.items) == 0);
}

bool requirements_eq(const Requirements *a, const Requirements *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!requirement_eq(&a->items[i], &b->items[i]))
            return false;
    }
    return true;
}

// Index of a key, or of where it would be inserted.
static uint32_t find(const Requirements *set, Symbol key) {
    uint32_t low = 0, high = set->count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (set->items[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const Requirement *requirements_get(const Requirements *set, Symbol key) {
    uint32_t at = find(set, key);

    return at < set->count && set->items[at].key == key ? &set->items[at] : NULL;
}

void requirements_add(Arena *arena, const Symbols *symbols, Requirements *set, const Requirement *requirement) {
    Requirement added = *requirement; // `requirement` may be in the array that grows
    uint32_t at = find(set, added.key);

    if (at < set->count && set->items[at].key == added.key) {
        set->items[at] = requirement_intersect(arena, symbols, &set->items[at], &added);
        return;
    }
    if (set->count == set->capacity)
        set->items = vec_grow(arena, set->items, sizeof *set->items, set->count, &set->capacity);
    memmove(&set->items[at + 1], &set->items[at], (set->count - at) * sizeof *set->items);
    set->items[at] = added;
    set->count++;
}

void requirements_add_all(Arena *arena, const Symbols *symbols, Requirements *set, const Requirements *other) {
    for (uint32_t i = 0; i < other->count; i++)
        requirements_add(arena, symbols, set, &other->items[i]);
}

void requirements_remove(Requirements *set, Symbol key) {
    uint32_t at = find(set, key);

    if (at == set->count || set->items[at].key != key)
        return;
    set->count--;
    memmove(&set->items[at], &set->items[at + 1], (set->count - at) * sizeof *set->items);
}

Requirements requirements_copy(Arena *arena, const Requirements *set) {
    Requirements copy = {.count = set->count, .capacity = set->count};

    if (set->count)
        copy.items = arena_copy(arena, set->items, set->count * sizeof *set->items);
    return copy;
}

// Whether a node without the label satisfies it: DoesNotExist, or NotIn without bounds.
static bool allows_absence(const Requirement *requirement) {
    Operator op = requirement_operator(requirement);

    return op == OP_DOES_NOT_EXIST || (op == OP_NOT_IN && !is_bounded(requirement));
}

static bool is_compatible(const Symbols *symbols, const Requirement *a, const Requirement *b) {
    return requirement_intersects(symbols, a, b) || (allows_absence(a) && allows_absence(b));
}

bool requirements_intersect(const Symbols *symbols, const Requirements *a, const Requirements *b, Symbol *ret_key) {
    Symbol first = INDEX_NONE;

    for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
        const Requirement *x = &a->items[i], *y = &b->items[j];

        if (x->key == y->key && !is_compatible(symbols, x, y)) {
            if (first == INDEX_NONE || symbol_cmp(symbols, x->key, first) < 0)
                first = x->key;
            if (!ret_key)
                return false;
        }
        i += x->key <= y->key;
        j += y->key <= x->key;
    }
    if (first == INDEX_NONE)
        return true;
    *ret_key = first;
    return false;
}
