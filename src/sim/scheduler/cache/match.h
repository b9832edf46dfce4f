// Matching of selectors, terms, affinities and taints.
#pragma once

#include "sim/scheduler/cache/parts.h"

bool cache_expression_holds(const Symbols *symbols, const Expression *expression, const Labels *labels);
bool cache_selector_selects(const Symbols *symbols, const LabelSelector *selector, const Labels *labels);
bool cache_term_holds(const Symbols *symbols, const NodeTerm *term, const CachePin *pin, const Labels *labels,
                      Symbol node_name);

// Whether nodeSelector and required node affinity match the node.
bool cache_affinity_holds(const Symbols *symbols, const PodSpec *spec, const CachePin *pins, const CacheNode *node);

// The first taint that the pod does not tolerate, or NULL.
const Taint *cache_taint_in_the_way(const Symbols *symbols, const TolerationVec *tolerations, const TaintVec *taints);
