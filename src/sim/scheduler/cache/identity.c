// Identities as bytes, and copies of members that outlive their object.
#include "sim/scheduler/cache/identity.h"

#include "base/buffer.h"

void cache_write_number(Buffer *buffer, uint64_t number) {
    buffer_append(buffer, (Slice){(const char *)&number, sizeof number});
}

static void write_symbols(Buffer *buffer, const SymbolVec *symbols) {
    cache_write_number(buffer, symbols->count);
    for (uint32_t i = 0; i < symbols->count; i++)
        cache_write_number(buffer, symbols->items[i]);
}

static void write_expressions(Buffer *buffer, const ExpressionVec *expressions) {
    cache_write_number(buffer, expressions->count);
    for (vec_each(const Expression, expression, expressions)) {
        cache_write_number(buffer, expression->key);
        cache_write_number(buffer, expression->op);
        write_symbols(buffer, &expression->values);
    }
}

void cache_write_selector(Buffer *buffer, const LabelSelector *selector) {
    cache_write_number(buffer, selector != NULL);
    if (selector)
        write_expressions(buffer, &selector->expressions);
}

void cache_write_term(Buffer *buffer, const PodAffinityTerm *term) {
    cache_write_number(buffer, term->topology_key);
    cache_write_selector(buffer, term->selector);
    write_symbols(buffer, &term->namespaces);
    cache_write_selector(buffer, term->namespace_selector);
    write_symbols(buffer, &term->match_label_keys);
    write_symbols(buffer, &term->mismatch_label_keys);
    cache_write_number(buffer, (uint64_t)term->weight);
}

static void write_affinity(Buffer *buffer, const PodAffinity *affinity) {
    cache_write_number(buffer, affinity->required.count);
    for (vec_each(const PodAffinityTerm, term, &affinity->required))
        cache_write_term(buffer, term);
    cache_write_number(buffer, affinity->preferred.count);
    for (vec_each(const PodAffinityTerm, term, &affinity->preferred))
        cache_write_term(buffer, term);
}

static void write_node_terms(Buffer *buffer, const NodeTermVec *terms) {
    cache_write_number(buffer, terms->count);
    for (vec_each(const NodeTerm, term, terms)) {
        write_expressions(buffer, &term->expressions);
        cache_write_number(buffer, term->has_match_fields);
        cache_write_number(buffer, (uint64_t)term->weight);
    }
}

static void write_spread(Buffer *buffer, const TopologySpread *spread) {
    cache_write_number(buffer, spread->topology_key);
    cache_write_number(buffer, (uint64_t)spread->max_skew);
    cache_write_number(buffer, (uint64_t)spread->min_domains);
    cache_write_number(buffer, (uint64_t)spread->schedule_anyway << 2 | (uint64_t)spread->ignore_node_affinity << 1 |
                                   spread->honor_node_taints);
    cache_write_selector(buffer, spread->selector);
    write_symbols(buffer, &spread->match_label_keys);
}

static void write_node_side(Buffer *buffer, const PodSpec *spec) {
    cache_write_number(buffer, spec->requests.count);
    for (vec_each(const ResourceAmount, amount, &spec->requests)) {
        cache_write_number(buffer, amount->resource);
        cache_write_number(buffer, (uint64_t)amount->amount);
    }
    cache_write_number(buffer, spec->node_selector.count);
    for (vec_each(const Label, label, &spec->node_selector))
        cache_write_number(buffer, (uint64_t)label->key << 32 | label->value);
    cache_write_number(buffer, spec->has_required_node_terms);
    write_node_terms(buffer, &spec->required_node_terms);
    write_node_terms(buffer, &spec->preferred_node_terms);
    cache_write_number(buffer, spec->tolerations.count);
    for (vec_each(const Toleration, toleration, &spec->tolerations)) {
        cache_write_number(buffer, (uint64_t)toleration->key << 32 | toleration->value);
        cache_write_number(buffer, (uint64_t)toleration->op << 8 | (uint64_t)toleration->effect);
    }
    cache_write_number(buffer, spec->host_ports.count);
    for (vec_each(const HostPort, port, &spec->host_ports))
        cache_write_number(buffer, (uint64_t)port->ip << 32 | (uint64_t)port->port << 8 | (uint64_t)port->protocol);
}

void cache_write_shape(Buffer *buffer, const PodSpec *spec, int32_t priority, const CacheExtras *extras) {
    cache_write_number(buffer, (uint64_t)priority);
    cache_write_number(buffer, extras ? (uint64_t)extras->scored_cpu_milli : 0);
    cache_write_number(buffer, extras ? (uint64_t)extras->scored_mem_bytes : 0);
    cache_write_number(buffer, extras && extras->never_preempt);
    // end of CACHE_EXTRAS_BYTES
    write_node_side(buffer, spec);
    write_affinity(buffer, &spec->affinity);
    write_affinity(buffer, &spec->anti_affinity);
    cache_write_number(buffer, spec->spreads.count);
    for (vec_each(const TopologySpread, spread, &spec->spreads))
        write_spread(buffer, spread);
}

// Copies.

SymbolVec cache_copy_symbols(Arena *arena, const SymbolVec *symbols) {
    SymbolVec copy = {0};

    for (uint32_t i = 0; i < symbols->count; i++)
        vec_push(arena, &copy, symbols->items[i]);
    return copy;
}

static ExpressionVec copy_expressions(Arena *arena, const ExpressionVec *expressions) {
    ExpressionVec copy = {0};

    for (vec_each(const Expression, expression, expressions)) {
        Expression *to = vec_add(arena, &copy);

        *to = *expression;
        to->values = cache_copy_symbols(arena, &expression->values);
    }
    return copy;
}

LabelSelector *cache_copy_selector(Arena *arena, const LabelSelector *selector) {
    LabelSelector *copy;

    if (!selector)
        return NULL;
    copy = arena_new(arena, LabelSelector);
    copy->expressions = copy_expressions(arena, &selector->expressions);
    return copy;
}

Labels cache_copy_labels(Arena *arena, const Labels *labels) {
    Labels copy = {.count = labels->count, .capacity = labels->count};

    if (labels->count)
        copy.items = arena_copy(arena, labels->items, labels->count * sizeof *labels->items);
    return copy;
}

void cache_copy_taints(Arena *arena, const TaintVec *taints, TaintVec *ret_taints) {
    TaintVec copy = {0};

    for (vec_each(const Taint, taint, taints))
        vec_push(arena, &copy, *taint);
    *ret_taints = copy;
}

static PodAffinityTermVec copy_terms(Arena *arena, const PodAffinityTermVec *terms) {
    PodAffinityTermVec copy = {0};

    for (vec_each(const PodAffinityTerm, term, terms)) {
        PodAffinityTerm *to = vec_add(arena, &copy);

        *to = *term;
        to->selector = cache_copy_selector(arena, term->selector);
        to->namespace_selector = cache_copy_selector(arena, term->namespace_selector);
        to->namespaces = cache_copy_symbols(arena, &term->namespaces);
        to->match_label_keys = cache_copy_symbols(arena, &term->match_label_keys);
        to->mismatch_label_keys = cache_copy_symbols(arena, &term->mismatch_label_keys);
    }
    return copy;
}

static NodeTermVec copy_node_terms(Arena *arena, const NodeTermVec *terms) {
    NodeTermVec copy = {0};

    for (vec_each(const NodeTerm, term, terms)) {
        NodeTerm *to = vec_add(arena, &copy);

        *to = *term;
        to->expressions = copy_expressions(arena, &term->expressions);
    }
    return copy;
}

static TopologySpreadVec copy_spreads(Arena *arena, const TopologySpreadVec *spreads) {
    TopologySpreadVec copy = {0};

    for (vec_each(const TopologySpread, spread, spreads)) {
        TopologySpread *to = vec_add(arena, &copy);

        *to = *spread;
        to->selector = cache_copy_selector(arena, spread->selector);
        to->match_label_keys = cache_copy_symbols(arena, &spread->match_label_keys);
    }
    return copy;
}

// Without volumes: those belong to a single pod.
PodSpec cache_copy_spec(Arena *arena, const PodSpec *spec) {
    PodSpec copy = *spec;

    copy.requests = resources_copy(arena, &spec->requests);
    copy.node_selector = cache_copy_labels(arena, &spec->node_selector);
    copy.required_node_terms = copy_node_terms(arena, &spec->required_node_terms);
    copy.preferred_node_terms = copy_node_terms(arena, &spec->preferred_node_terms);
    copy.affinity.required = copy_terms(arena, &spec->affinity.required);
    copy.affinity.preferred = copy_terms(arena, &spec->affinity.preferred);
    copy.anti_affinity.required = copy_terms(arena, &spec->anti_affinity.required);
    copy.anti_affinity.preferred = copy_terms(arena, &spec->anti_affinity.preferred);
    copy.spreads = copy_spreads(arena, &spec->spreads);
    memset(&copy.tolerations, 0, sizeof copy.tolerations);
    for (vec_each(const Toleration, toleration, &spec->tolerations))
        vec_push(arena, &copy.tolerations, *toleration);
    memset(&copy.host_ports, 0, sizeof copy.host_ports);
    for (vec_each(const HostPort, port, &spec->host_ports))
        vec_push(arena, &copy.host_ports, *port);
    memset(&copy.volumes, 0, sizeof copy.volumes);
    return copy;
}
