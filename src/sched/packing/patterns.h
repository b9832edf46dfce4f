// Patterns: a kind of node and what goes into one. A pool of them, and packings made of them node by node.
#pragma once

#include "sched/packing/knapsack.h"
#include "sched/packing/master.h"

typedef struct {
    uint32_t item, count;
} PatternPart;

typedef struct {
    uint32_t kind;
    uint32_t part_count;
    PatternPart *parts; // by item
} Pattern;
typedef Vec(Pattern) PatternVec;

typedef struct {
    Arena *arena;
    const Packing *packing;
    Knapsack knapsack;
    PatternVec patterns; // distinct
    IndexMap index;
    uint32_t *counts; // per item: work
} Patterns;

// How often a pattern is used.
typedef struct {
    uint32_t pattern, times;
} PatternUse;

// Whole nodes that hold items: a packing, or a part of one.
typedef struct {
    Vec(PatternUse) uses;
    double price;          // per hour
    uint32_t *left;        // per item: not in a node
    uint32_t *supply_left; // per supply
    uint64_t items_left;
} PatternPlan;

void patterns_init(Patterns *patterns, Arena *arena, const Packing *packing);

// The number of a pattern, added when it is new. `counts` per item. O(items).
uint32_t patterns_add(Patterns *patterns, uint32_t kind, const uint32_t *counts);

// A plan without nodes.
void pattern_plan_start(const Patterns *patterns, PatternPlan *ret_plan);
void pattern_plan_copy(const Patterns *patterns, const PatternPlan *plan, PatternPlan *ret_plan);
// How often the pattern still fits in what is left, at most `times`.
uint32_t pattern_plan_fit(const Patterns *patterns, const PatternPlan *plan, uint32_t pattern, uint32_t times);
void pattern_plan_use(Patterns *patterns, PatternPlan *plan, uint32_t pattern, uint32_t times);

// How patterns are chosen one after the other.
typedef struct {
    const double *worth; // per item
    double size_bonus;   // what large items are worth more: small ones find room later
    uint32_t steps;      // of branching per question
    uint64_t work;       // elementary operations: after that the rest is left over
} GreedyRule;

// Adds nodes until nothing is left that fits anywhere, or the work is done: each time the kind and content that are
// worth most per price. Kinds free of charge first. O(nodes' patterns × kinds asked again × knapsack).
void pattern_plan_fill(Patterns *patterns, PatternPlan *plan, const GreedyRule *rule);

// A pattern as a column of the master program, in memory of `arena`.
void pattern_to_column(const Patterns *patterns, Arena *arena, uint32_t number, MasterColumn *ret_column);
