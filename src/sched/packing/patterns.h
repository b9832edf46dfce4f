// Patterns (a kind of node with a content), a set of them, and packings made of patterns.
#pragma once

#include "sched/packing/knapsack.h"
#include "sched/packing/master.h"

typedef struct {
    uint32_t item, count;
} PatternPart;

typedef struct {
    uint32_t kind;
    uint32_t part_count;
    PatternPart *parts; // sorted by item
} Pattern;
typedef Vec(Pattern) PatternVec;

typedef struct {
    Arena *arena;
    const Packing *packing;
    Knapsack knapsack;
    PatternVec patterns; // distinct
    IndexMap index;
    uint64_t *kinds;    // bits of those that have patterns
    uint64_t look_work; // what it took to look at all main kinds
    uint32_t *counts;   // per item: work space
} Patterns;

// A pattern and the number of its uses.
typedef struct {
    uint32_t pattern, times;
} PatternUse;

// A packing, or part of one: whole nodes with items.
typedef struct {
    Vec(PatternUse) uses;
    double price;          // $ per hour
    uint32_t *left;        // per item: how many are in no node
    uint32_t *supply_left; // per supply: unused nodes
    uint64_t items_left;
} PatternPlan;

void patterns_init(Patterns *patterns, Arena *arena, const Packing *packing);

// The index of a pattern, added when it is new. `counts`: per item. O(items).
uint32_t patterns_add(Patterns *patterns, uint32_t kind, const uint32_t *counts);

// Starts a plan without nodes.
void pattern_plan_start(const Patterns *patterns, PatternPlan *ret_plan);
void pattern_plan_copy(const Patterns *patterns, const PatternPlan *plan, PatternPlan *ret_plan);
// How many times the pattern can be used with the items and supplies that are left, at most `times`.
uint32_t pattern_plan_fit(const Patterns *patterns, const PatternPlan *plan, uint32_t pattern, uint32_t times);
void pattern_plan_use(Patterns *patterns, PatternPlan *plan, uint32_t pattern, uint32_t times);

// How pattern_plan_fill chooses patterns.
typedef struct {
    const double *worth; // per item
    double size_bonus;   // additional worth of large items, as small ones find room later
    uint32_t steps;      // steps of branching per knapsack
    uint64_t work;       // elementary operations, after which the rest is left over
} GreedyRule;

// Adds nodes greedily, until nothing that is left fits anywhere or the work is used up: each time the kind and content
// with the most worth per price, those of price 0 first. O(patterns used × kinds searched again × knapsack).
void pattern_plan_fill(Patterns *patterns, PatternPlan *plan, const GreedyRule *rule);

// A pattern as a column of the master program, in memory of `arena`.
void pattern_to_column(const Patterns *patterns, Arena *arena, uint32_t number, MasterColumn *ret_column);
