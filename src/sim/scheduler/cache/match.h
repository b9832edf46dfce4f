// Selectors, terms, affinities and taints against labels.
#pragma once

#include "sim/scheduler/cache/parts.h"

bool cache_expression_holds(const Symbols *symbols, const Expression *expression, const Labels *labels);
bool cache_selector_selects(const Symbols *symbols, const LabelSelector *selector, const Labels *labels);
bool cache_term_holds(const Symbols *symbols, const NodeTerm *term, const CachePin *pin, const Labels *labels,
                      Symbol node_name);

// nodeSelector and required node affinity.
bool cache_affinity_holds(const Symbols *symbols, const PodSpec *spec, const CachePin *pins, const CacheNode *node);

// The first taint that keeps the pod away, or NULL.
const Taint *cache_taint_in_the_way(const Symbols *symbols, const TolerationVec *tolerations, const TaintVec *taints);
