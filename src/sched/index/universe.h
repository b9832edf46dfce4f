// Label values as bits: the finite world in which one solve compares requirements.
//
// For every label key that a constraint mentions, all possible values are split into atoms that no constraint can
// tell apart: each mentioned value is one; the integers between two mentioned bounds (Gt, Lt, …) are one; all other
// text is one; and "the node lacks the label" is one. A requirement on the key is then exactly a set of atoms, so
// intersection is AND and "compatible" is "not empty". A row of bits over all keys (each key starts at a word of its
// own) describes what a node's labels may still be.
//
// A value that is only ever excluded (NotIn) and that nothing in the world has is no atom: whoever excludes it excludes
// nothing, as long as no node is given such a value (universe_is_excluded). So pods that each keep away from values of
// their own do not tell claims apart.
//
// Made in two steps: mention everything, then universe_freeze. Costs are in mentioned values.
#pragma once

#include "base/bitset.h"
#include "model/labels.h"
#include "model/requirement.h"

typedef struct {
    Symbol key;
    uint32_t first_word, words; // place in a row
    uint32_t value_count;       // atoms 0..value_count-1 are the listed values, sorted by text
    Symbol *values;
    int64_t *cuts; // sorted starts of integer intervals; interval i is [cuts[i-1], cuts[i])
    uint32_t cut_count;
    uint32_t interval, other, absent; // first interval atom; any other text; label absent
    uint32_t atoms;
    IndexMap atom_of;  // listed value to atom
    IndexMap excluded; // values that are only excluded and that nothing has: no atoms
} LabelKey;

// A conjunction of constraints, hash-consed: equal sets have equal numbers. Keys without a constraint are not in it,
// nor those of which every atom is allowed.
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
        Vec(bool) wanted; // per value: asked for, or had by somebody; else only excluded
        Vec(int64_t) cuts;
        bool topology;
    }) mentions;       // parallel to keys until frozen
    uint32_t excluded; // values that are only excluded
    uint32_t row_words;
    Vec(LabelSet) sets;
    IndexMap set_index;
} Universe;

enum { LABEL_SET_EMPTY = 0 }; // constrains nothing

void universe_init(Universe *universe, Arena *arena, Symbols *symbols);

// Step 1. Keys are normalised by the caller's objects or here (label_key_normalize).
void universe_mention_expressions(Universe *universe, const ExpressionVec *expressions);
void universe_mention_labels(Universe *universe, const Labels *labels);
void universe_mention_requirements(Universe *universe, const Requirements *requirements);
// The key's values are domains: each value must become an atom of its own (universe_mention_domain for all of them).
void universe_mention_topology(Universe *universe, Symbol key);
void universe_mention_value(Universe *universe, Symbol key, Symbol value);

// Keys of which it matters what nodes and instance types have: their values are domains (but for the host name, which
// is nobody's concern but the node's), or some are only excluded so far. One for each solve, made once everything else
// is mentioned; none: nobody need be asked.
typedef struct {
    uint32_t symbols; // those that can be among the keys
    bool *matters;    // per symbol
    bool any;
} KeysHad;
KeysHad universe_keys_had(const Universe *universe, Arena *arena);
// What a node, an instance type or an offering has. O(requirements + values of keys that matter).
void universe_note_had(Universe *universe, const KeysHad *keys, const Requirements *requirements);

void universe_freeze(Universe *universe);

// Step 2. Index of a key, or INDEX_NONE when nothing mentions it.
uint32_t universe_key(const Universe *universe, Symbol key);
// Whether somebody keeps away from a value that nothing has: no value to give to a label.
bool universe_is_excluded(const Universe *universe, uint32_t key, Symbol value);
// The atom of a value that a label has.
uint32_t universe_atom(const Universe *universe, uint32_t key, Symbol value);
// Fills `mask` (words of the key) with what an expression or requirement allows.
void universe_expression_mask(const Universe *universe, uint32_t key, const Expression *expression, uint64_t *mask);
void universe_requirement_mask(const Universe *universe, uint32_t key, const Requirement *requirement, uint64_t *mask);

// A builder of conjunctions: start, and things to it, finish to a number. O(constraints and words of their keys).
typedef struct {
    Universe *universe;
    Arena *scratch;
    uint64_t *row;     // filled where something constrains
    bool *constrained; // per key
    U32Vec keys;       // those that are constrained
} LabelSetBuilder;

LabelSetBuilder label_set_start(Arena *scratch, Universe *universe);
void label_set_and_expressions(LabelSetBuilder *builder, const ExpressionVec *expressions);
// A term of a node selector: one without expressions is met by no node, as Kubernetes has it. Terms with matchFields
// alone read as such. At least one key must have been mentioned.
void label_set_and_term(LabelSetBuilder *builder, const ExpressionVec *expressions);
void label_set_and_labels(LabelSetBuilder *builder, const Labels *labels); // as nodeSelector: key In [value]
void label_set_and_requirements(LabelSetBuilder *builder, const Requirements *requirements);
void label_set_and_mask(LabelSetBuilder *builder, uint32_t key, const uint64_t *mask);
LabelSetId label_set_finish(LabelSetBuilder *builder);

static inline const LabelSet *label_set(const Universe *universe, LabelSetId id) {
    return &universe->sets.items[id];
}
// The mask of a key in a set, or NULL when unconstrained. O(log keys).
const uint64_t *label_set_mask(const LabelSet *set, uint32_t key);

// Rows. `row` has universe->row_words words, and room for one more behind them: rows are made and copied with it, so
// that there is always something to copy.
static inline uint64_t *row_key(const Universe *universe, uint64_t *row, uint32_t key) {
    return row + universe->keys.items[key].first_word;
}
// row &= set; false (row then useless) when some key has nothing left.
bool row_narrow(const Universe *universe, uint64_t *row, const LabelSet *set);
// Whether everything that `row` allows is allowed by the set: the test for nodes that cannot be narrowed.
bool row_within(const Universe *universe, const uint64_t *row, const LabelSet *set);
bool row_meets(const Universe *universe, const uint64_t *row, const LabelSet *set);
