// Labels, label selectors, taints and tolerations, as Kubernetes defines them.
#pragma once

#include "model/requirement.h"

typedef struct {
    Symbol key, value;
} Label;

// Labels, sorted by key symbol, each key once.
typedef struct {
    Label *items;
    uint32_t count, capacity; // grows as a Vec
} Labels;

// The value of a key; INDEX_NONE: absent. O(log labels).
Symbol labels_get(const Labels *labels, Symbol key);
void labels_set(Arena *arena, Labels *labels, Symbol key, Symbol value);
bool labels_eq(const Labels *a, const Labels *b);

// LabelSelector: all expressions must match (matchLabels are OP_IN expressions). Only OP_IN, OP_NOT_IN, OP_EXISTS,
// OP_DOES_NOT_EXIST occur. Without expressions it matches everything; a NULL LabelSelector pointer matches nothing.
typedef struct {
    ExpressionVec expressions;
} LabelSelector;

// O(expressions × log labels).
bool selector_matches(const LabelSelector *selector, const Labels *labels);

typedef enum { EFFECT_NONE, EFFECT_NO_SCHEDULE, EFFECT_PREFER_NO_SCHEDULE, EFFECT_NO_EXECUTE } TaintEffect;

typedef struct {
    Symbol key, value;
    TaintEffect effect;
} Taint;
typedef Vec(Taint) TaintVec;

typedef enum { TOLERATION_EQUAL, TOLERATION_EXISTS, TOLERATION_LT, TOLERATION_GT } TolerationOp;

typedef struct {
    Symbol key, value; // empty key with Exists: every taint
    TolerationOp op;
    TaintEffect effect; // EFFECT_NONE: every effect
} Toleration;
typedef Vec(Toleration) TolerationVec;

const char *taint_effect_text(TaintEffect effect);
bool toleration_tolerates(const Symbols *symbols, const Toleration *toleration, const Taint *taint);
// Whether the taint is removed by others while a node starts up; key and effect decide. Reference lifecycle.md 0.1.
bool taint_is_ephemeral(const Symbols *symbols, const Taint *taint);
bool taint_is_tolerated(const Symbols *symbols, const Taint *taint, const TolerationVec *tolerations);
// Whether all taints are tolerated; `prefer_counts`: including PreferNoSchedule, for which kube-scheduler never refuses
// a node.
bool taints_are_tolerated(const Symbols *symbols, const TaintVec *taints, const TolerationVec *tolerations,
                          bool prefer_counts);
// "key=value:Effect", or "key:Effect" without a value.
Slice taint_print(Arena *arena, const Symbols *symbols, const Taint *taint);
