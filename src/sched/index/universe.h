// Universe: label values as bits, in which one solve compares requirements.
//
// For every label key that a constraint mentions, all possible values are split into atoms, sets of values that no
// constraint tells apart: each mentioned value is an atom; the integers between two mentioned bounds (Gt, Lt, …) are
// one; all other text is one; and "the node lacks the label" is one. A requirement on the key is then exactly a set of
// atoms, so intersection is AND, and "compatible" is "not empty". A row of bits over all keys (each key starts at a
// word of its own) is the set of values that a node's labels may still have.
//
// A value that is only excluded (NotIn), and that no node, type or offering has, is no atom: excluding it has no effect
// as long as no node is given such a value (universe_is_excluded). So pods that each exclude values of their own need
// no label states of their own.
//
// A universe is made in two steps: everything is mentioned, then universe_freeze. Costs are in mentioned values.
#pragma once

#include "base/bitset.h"
#include "model/labels.h"
#include "model/requirement.h"

typedef struct {
    Symbol key;
    uint32_t first_word, words; // position in a row
    uint32_t value_count;       // atoms 0..value_count-1 are the listed values, sorted by text
    Symbol *values;
    int64_t *cuts; // sorted starts of integer intervals; interval i is [cuts[i-1], cuts[i])
    uint32_t cut_count;
    uint32_t interval, other, absent; // atoms: the first interval; any other text; label absent
    uint32_t atoms;
    IndexMap atom_of;  // listed value to atom
    IndexMap excluded; // values without atom: only excluded, and nothing has them
} LabelKey;

// A conjunction of constraints, interned: equal sets have equal numbers. Keys that are not constrained, or of which
// every atom is allowed, are not in it.
typedef struct {
    uint32_t count;
    uint32_t *keys;   // ascending
    uint64_t **masks; // each `words` of its key
    bool impossible;  // some mask is empty
} LabelSet;
typedef uint32_t LabelSetId;

typedef struct {
    Arena *arena;
    Symbols *symbols;
    IndexMap key_index; // Symbol to index
    Vec(LabelKey) keys;
    Vec(struct {
        SymbolVec values;
        Vec(bool) wanted; // per value: required, or something has it; else only excluded
        Vec(int64_t) cuts;
        bool topology;
    }) mentions;       // parallel to keys until frozen
    uint32_t excluded; // number of values that are only excluded
    uint32_t row_words;
    Vec(LabelSet) sets;
    IndexMap set_index;
} Universe;

enum { LABEL_SET_EMPTY = 0 }; // constrains nothing

void universe_init(Universe *universe, Arena *arena, Symbols *symbols);

// Step 1: mention. Deprecated keys are normalized (label_key_normalize).
void universe_mention_expressions(Universe *universe, const ExpressionVec *expressions);
void universe_mention_labels(Universe *universe, const Labels *labels);
void universe_mention_requirements(Universe *universe, const Requirements *requirements);
// Makes the key a topology key: each of its values becomes an atom (universe_note_had, universe_mention_value).
void universe_mention_topology(Universe *universe, Symbol key);
void universe_mention_value(Universe *universe, Symbol key, Symbol value);

// The keys for which the values of nodes and instance types must be mentioned: topology keys other than the host name,
// and keys with values that are only excluded so far. Made once per solve, after everything else is mentioned.
typedef struct {
    uint32_t symbols; // length of `matters`
    bool *matters;    // per symbol
    bool any;
} KeysHad;
KeysHad universe_keys_had(const Universe *universe, Arena *arena);
// Mentions the values that a node, an instance type or an offering has. O(requirements + values of keys that matter).
void universe_note_had(Universe *universe, const KeysHad *keys, const Requirements *requirements);

void universe_freeze(Universe *universe);

// Step 2: after universe_freeze. Index of a key; INDEX_NONE: not mentioned.
uint32_t universe_key(const Universe *universe, Symbol key);
// Whether the value is excluded by some constraint and has no atom: no label may be given such a value.
bool universe_is_excluded(const Universe *universe, uint32_t key, Symbol value);
// The atom of a label's value.
uint32_t universe_atom(const Universe *universe, uint32_t key, Symbol value);
// Fills `mask` (as many words as the key has) with the atoms that an expression or requirement allows.
void universe_expression_mask(const Universe *universe, uint32_t key, const Expression *expression, uint64_t *mask);
void universe_requirement_mask(const Universe *universe, uint32_t key, const Requirement *requirement, uint64_t *mask);

// A builder of label sets: label_set_start, any label_set_and_…, label_set_finish.
// O(constraints + words of their keys).
typedef struct {
    Universe *universe;
    Arena *scratch;
    uint64_t *row;     // valid for keys that are constrained
    bool *constrained; // per key
    U32Vec keys;       // the constrained keys
} LabelSetBuilder;

LabelSetBuilder label_set_start(Arena *scratch, Universe *universe);
void label_set_and_expressions(LabelSetBuilder *builder, const ExpressionVec *expressions);
// A term of a node selector. As in Kubernetes, no node meets a term without expressions, which terms with matchFields
// alone count as. At least one key must have been mentioned.
void label_set_and_term(LabelSetBuilder *builder, const ExpressionVec *expressions);
void label_set_and_labels(LabelSetBuilder *builder, const Labels *labels); // as nodeSelector: key In [value]
void label_set_and_requirements(LabelSetBuilder *builder, const Requirements *requirements);
void label_set_and_mask(LabelSetBuilder *builder, uint32_t key, const uint64_t *mask);
LabelSetId label_set_finish(LabelSetBuilder *builder);

static inline const LabelSet *label_set(const Universe *universe, LabelSetId id) {
    return &universe->sets.items[id];
}
// The mask of a key in a set; NULL: not constrained. O(log keys).
const uint64_t *label_set_mask(const LabelSet *set, uint32_t key);

// Rows. A row has universe->row_words words and one spare word after them, which is copied with it, so that there is
// something to copy even in a universe without keys.
static inline uint64_t *row_key(const Universe *universe, uint64_t *row, uint32_t key) {
    return row + universe->keys.items[key].first_word;
}
// row &= set. False: some key has no value left, and the row is invalid.
bool row_narrow(const Universe *universe, uint64_t *row, const LabelSet *set);
// Whether everything that `row` allows is allowed by the set: the test for nodes, whose labels cannot be narrowed.
bool row_within(const Universe *universe, const uint64_t *row, const LabelSet *set);
// Whether `row` and the set have a value in common for every key.
bool row_meets(const Universe *universe, const uint64_t *row, const LabelSet *set);
