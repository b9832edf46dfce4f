// Selectors to terms. Reference legacy.md 3 and 6.3: values with commas are alternatives, keys are all meant.
#include "legacy/convert_parts.h"

#include <inttypes.h>

// The alternatives of one key.
typedef struct {
    Slice key;
    SliceVec values;
} Choice;
typedef Vec(Choice) ChoiceVec;

static bool is_ids(Slice key) {
    return slice_eq(key, SLICE("aws-ids")) || slice_eq(key, SLICE("aws::ids"));
}

static Value id_terms(Arena *arena, Slice ids) {
    Value terms = value_list();
    SliceVec parts = old_alternatives(arena, ids);

    for (vec_each(const Slice, id, &parts))
        put_old_text(arena, value_append(arena, &terms, value_map()), "id", *id);
    return terms;
}

// Name and owners of images are members of a term, everything else is a tag.
static void put_choice(Arena *arena, Value *term, Value *tags, Slice key, Slice value) {
    if (slice_eq(key, SLICE("aws::name")))
        put_old_text(arena, term, "name", value);
    else if (slice_eq(key, SLICE("aws::owners")))
        put_old_text(arena, term, "owner", value);
    else
        value_put(arena, tags, key, value_string(value));
}

// One term for each combination; the last key changes fastest.
static Value product(Arena *arena, const ChoiceVec *choices, uint64_t count) {
    Value terms = value_list();

    for (uint64_t i = 0; i < count; i++) {
        Value *term = value_append(arena, &terms, value_map());
        Value tags = value_map();
        uint64_t block = count, rest = i;

        for (vec_each(const Choice, choice, choices)) {
            block /= choice->values.count;
            put_choice(arena, term, &tags, choice->key, choice->values.items[rest / block]);
            rest %= block;
        }
        if (tags.map.count)
            value_put(arena, term, SLICE("tags"), tags);
    }
    return terms;
}

static const TextPair *ids_of(const TextMap *selector) {
    for (vec_each(const TextPair, pair, selector)) {
        if (is_ids(pair->key))
            return pair;
    }
    return NULL;
}

static ErrCode count_terms(const Item *item, const char *field, uint64_t count, Err *err) {
    if (count <= CONVERT_TERMS_MAX)
        return OK;
    return convert_fail(item, ERR_TOO_LARGE, err, "spec.%s: it would take more than %d terms", field,
                        CONVERT_TERMS_MAX);
}

static ErrCode alternatives(const Conversion *conversion, const Item *item, const TextMap *selector, const char *field,
                            Value *ret_terms, Err *err) {
    Arena *arena = conversion->arena;
    ChoiceVec choices = {0};
    uint64_t count = 1;

    for (vec_each(const TextPair, pair, selector)) {
        Choice choice = {pair->key, old_alternatives(arena, pair->value)};

        count *= choice.values.count;
        TRY(count_terms(item, field, count, err));
        if (choice.values.count > 1)
            convert_note(conversion, item, "W11", pair->line,
                         "spec.%s: the values of %.*s are alternatives, and each is a term of its own", field,
                         SLICE_ARG(pair->key));
        vec_push(arena, &choices, choice);
    }
    *ret_terms = product(arena, &choices, count);
    return OK;
}

ErrCode convert_selector(const Conversion *conversion, const Item *item, const TextMap *selector, const char *field,
                         Value *ret_terms, Err *err) {
    const TextPair *ids = ids_of(selector);

    if (!ids)
        return alternatives(conversion, item, selector, field, ret_terms, err);
    if (selector->count > 1)
        convert_note(conversion, item, "W12", ids->line,
                     "spec.%s: %.*s stands beside other keys, which a term cannot say; the ids alone are kept", field,
                     SLICE_ARG(ids->key));
    *ret_terms = id_terms(conversion->arena, ids->value);
    return count_terms(item, field, ret_terms->list.count, err);
}
