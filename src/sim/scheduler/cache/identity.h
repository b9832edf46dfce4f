// Identities: byte strings that are equal if two things are equal to the scheduler; and copies.
#pragma once

#include "sim/scheduler/cache/parts.h"

void cache_write_number(Buffer *buffer, uint64_t number);
void cache_write_selector(Buffer *buffer, const LabelSelector *selector);
void cache_write_term(Buffer *buffer, const PodAffinityTerm *term);
void cache_write_shape(Buffer *buffer, const PodSpec *spec, int32_t priority, const CacheExtras *extras);
LabelSelector *cache_copy_selector(Arena *arena, const LabelSelector *selector);
PodSpec cache_copy_spec(Arena *arena, const PodSpec *spec);
SymbolVec cache_copy_symbols(Arena *arena, const SymbolVec *symbols);
Labels cache_copy_labels(Arena *arena, const Labels *labels);
void cache_copy_taints(Arena *arena, const TaintVec *taints, TaintVec *ret_taints);
