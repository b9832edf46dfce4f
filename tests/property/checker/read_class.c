// Pod specs to classes: selectors, terms, tolerations, spread and affinity rules.
#include "checker/read_requests.h"

#include "text/json.h"

// matchLabelKeys become "key In [the pod's value]", mismatchLabelKeys "key NotIn [it]"; keys the pod lacks do not
// count.
static void add_label_keys(World *world, const Value *term, const char *member, Operator op, const LabelVec *labels,
                           Selector *selector) {
    U32Vec keys = judge_read_symbols(world, judge_read_list(term, member));

    for (uint32_t i = 0; i < keys.count; i++) {
        Symbol value = judge_label_get(labels, keys.items[i]);
        U32Vec values = {0};

        if (value == INDEX_NONE || selector->is_nil)
            continue;
        vec_push(world->arena, &values, value);
        vec_push(world->arena, &selector->expressions,
                 (Expression){keys.items[i], op, judge_states_of_expression(&world->symbols, op, values), 0});
    }
}

// Namespaces of a term: the listed ones and those that the selector picks; the pod's own when neither is given.
static void read_term_namespaces(World *world, const Value *value, Symbol own, AffinityTerm *term) {
    bool has_selector = judge_read_has(value, "namespaceSelector");

    term->namespaces = judge_read_symbols(world, judge_read_list(value, "namespaces"));
    if (has_selector) {
        Selector selector = judge_read_selector(world, value_get_text(value, "namespaceSelector"));

        term->every_namespace = selector.expressions.count == 0;
        for (vec_each(Namespace, ns, &world->namespaces)) {
            if (judge_selector_matches(world, &selector, &ns->labels))
                vec_push(world->arena, &term->namespaces, ns->name);
        }
    } else if (term->namespaces.count == 0) {
        vec_push(world->arena, &term->namespaces, own);
    }
}

static AffinityTermVec read_affinity_terms(World *world, const Value *affinity, const PodClass *class) {
    const Value *list = judge_read_list(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
    AffinityTermVec terms = {0};

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        const Value *item = &list->list.items[i];
        AffinityTerm term = {.key = judge_read_symbol(world, item, "topologyKey")};

        term.selector = judge_read_selector(world, value_get_text(item, "labelSelector"));
        add_label_keys(world, item, "matchLabelKeys", OPERATOR_IN, &class->labels, &term.selector);
        add_label_keys(world, item, "mismatchLabelKeys", OPERATOR_NOT_IN, &class->labels, &term.selector);
        read_term_namespaces(world, item, class->ns, &term);
        vec_push(world->arena, &terms, term);
    }
    return terms;
}

static void print_part(Buffer *buffer, const Value *value) {
    buffer_append_char(buffer, '|');
    if (value)
        json_print(buffer, value, false);
}

// A text that is equal for constraints which count the same pods on the same nodes.
static Symbol spread_identity(World *world, const PodClass *class, const Value *spec, const Value *item,
                              const Spread *spread) {
    Buffer buffer = {0};
    U32Vec keys = judge_read_symbols(world, judge_read_list(item, "matchLabelKeys"));
    Symbol identity;

    buffer_printf(&buffer, "%u|%u|%lld|%lld", class->ns, spread->key, (long long)spread->max_skew,
                  (long long)spread->min_domains);
    print_part(&buffer, value_get_text(item, "labelSelector"));
    for (uint32_t i = 0; i < keys.count; i++)
        buffer_printf(&buffer, "|%u=%u", keys.items[i], judge_label_get(&class->labels, keys.items[i]));
    if (spread->honor_affinity) {
        const Value *affinity = value_at(spec, "affinity", "nodeAffinity", NULL);

        print_part(&buffer, value_get_text(spec, "nodeSelector"));
        print_part(&buffer,
                   affinity ? value_get_text(affinity, "requiredDuringSchedulingIgnoredDuringExecution") : NULL);
    }
    buffer_append_char(&buffer, spread->honor_taints ? 'T' : 't');
    if (spread->honor_taints)
        print_part(&buffer, value_get_text(spec, "tolerations"));
    // A node counts only if it has the keys of all constraints of the pod.
    const Value *list = judge_read_list(spec, "topologySpreadConstraints");
    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        if (!slice_eq_text(judge_read_text(&list->list.items[i], "whenUnsatisfiable"), "ScheduleAnyway"))
            buffer_printf(&buffer, "|%.*s", SLICE_ARG(judge_read_text(&list->list.items[i], "topologyKey")));
    }
    identity = symbol_intern(&world->symbols, buffer_slice(&buffer));
    buffer_free(&buffer);
    return identity;
}

static void read_spreads(World *world, const Value *spec, PodClass *class) {
    const Value *list = judge_read_list(spec, "topologySpreadConstraints");

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        const Value *item = &list->list.items[i];
        Spread spread = {.key = judge_read_symbol(world, item, "topologyKey"),
                         .max_skew = judge_read_int(item, "maxSkew", 1),
                         .min_domains = judge_read_int(item, "minDomains", 0),
                         .honor_affinity = !slice_eq_text(judge_read_text(item, "nodeAffinityPolicy"), "Ignore"),
                         .honor_taints = slice_eq_text(judge_read_text(item, "nodeTaintsPolicy"), "Honor"),
                         .selector = judge_read_selector(world, value_get_text(item, "labelSelector"))};

        if (slice_eq_text(judge_read_text(item, "whenUnsatisfiable"), "ScheduleAnyway")) {
            class->has_preferences = true;
            continue;
        }
        add_label_keys(world, item, "matchLabelKeys", OPERATOR_IN, &class->labels, &spread.selector);
        spread.identity = spread_identity(world, class, spec, item, &spread);
        vec_push(world->arena, &class->spreads, spread);
    }
}

static void read_ports(World *world, const Value *spec, PodClass *class) {
    const Value *containers = judge_read_list(spec, "containers");

    for (uint32_t i = 0; i < judge_read_count(containers); i++) {
        const Value *ports = judge_read_list(&containers->list.items[i], "ports");

        for (uint32_t k = 0; k < judge_read_count(ports); k++) {
            const Value *item = &ports->list.items[k];
            Slice ip = judge_read_text(item, "hostIP"), protocol = judge_read_text(item, "protocol");

            if (judge_read_int(item, "hostPort", 0) > 0)
                vec_push(world->arena, &class->ports,
                         (HostPort){symbol_intern(&world->symbols, ip.len ? ip : SLICE("0.0.0.0")),
                                    symbol_intern(&world->symbols, protocol.len ? protocol : SLICE("TCP")),
                                    judge_read_int(item, "hostPort", 0)});
        }
    }
}

static void read_node_affinity(World *world, const Value *spec, PodClass *class) {
    const Value *affinity = value_at(spec, "affinity", "nodeAffinity", NULL);
    const Value *required =
        affinity ? value_get_text(affinity, "requiredDuringSchedulingIgnoredDuringExecution") : NULL;
    const Value *list = judge_read_list(required, "nodeSelectorTerms");

    class->has_terms = required && required->kind == VALUE_MAP;
    for (uint32_t i = 0; i < judge_read_count(list); i++)
        vec_push(world->arena, &class->terms, judge_read_node_term(world, &list->list.items[i]));
    if (judge_read_count(judge_read_list(affinity, "preferredDuringSchedulingIgnoredDuringExecution")) > 0)
        class->has_preferences = true;
}

static void read_pod_affinity(World *world, const Value *spec, PodClass *class) {
    const Value *affinity = value_at(spec, "affinity", "podAffinity", NULL);
    const Value *anti = value_at(spec, "affinity", "podAntiAffinity", NULL);

    class->affinity = read_affinity_terms(world, affinity, class);
    class->anti_affinity = read_affinity_terms(world, anti, class);
    if (judge_read_count(judge_read_list(affinity, "preferredDuringSchedulingIgnoredDuringExecution")) > 0 ||
        judge_read_count(judge_read_list(anti, "preferredDuringSchedulingIgnoredDuringExecution")) > 0)
        class->has_preferences = true;
}

// What admission adds for a RuntimeClass: overhead where the pod has none, its node selector and tolerations.
static ErrCode apply_runtime_class(World *world, const Value *spec, PodClass *class, Err *err) {
    Slice name = judge_read_text(spec, "runtimeClassName");
    Amounts overhead;

    for (uint32_t i = 0; name.len && i < world->runtime_classes.count; i++) {
        const Value *object = world->runtime_classes.items[i], *scheduling = value_get_text(object, "scheduling");

        if (!slice_eq(judge_read_text(value_get_text(object, "metadata"), "name"), name))
            continue;
        if (!judge_read_has(spec, "overhead")) {
            const Value *fixed = value_at(object, "overhead", "podFixed", NULL);

            TRY(judge_read_amounts(world, fixed, &overhead, err));
            judge_amounts_add(&class->requests, &overhead);
        }
        LabelVec labels = judge_read_labels(world, scheduling ? value_get_text(scheduling, "nodeSelector") : NULL);
        for (vec_each(Label, label, &labels))
            vec_push(world->arena, &class->node_selector,
                     (Label){judge_read_key(world, judge_text(world, label->key)), label->value});
        TolerationVec tolerations = judge_read_tolerations(world, judge_read_list(scheduling, "tolerations"));
        for (vec_each(Toleration, toleration, &tolerations))
            vec_push(world->arena, &class->tolerations, *toleration);
    }
    return OK;
}

static bool has_resource_claims(const Value *spec) {
    static const char *const lists[] = {"containers", "initContainers"};

    if (judge_read_count(judge_read_list(spec, "resourceClaims")) > 0)
        return true;
    for (size_t k = 0; k < 2; k++) {
        const Value *list = judge_read_list(spec, lists[k]);

        for (uint32_t i = 0; i < judge_read_count(list); i++) {
            if (judge_read_count(judge_read_list(value_get_text(&list->list.items[i], "resources"), "claims")) > 0)
                return true;
        }
    }
    return false;
}

static ErrCode make_class(World *world, Slice ns, const Value *metadata, const Value *spec, const Value *status,
                          PodClass *ret_class, Err *err) {
    PodClass class = {.ns = symbol_intern(&world->symbols, ns)};
    LabelVec selector = judge_read_labels(world, value_get_text(spec, "nodeSelector"));

    class.labels = judge_read_labels(world, metadata ? value_get_text(metadata, "labels") : NULL);
    for (vec_each(Label, label, &selector))
        vec_push(world->arena, &class.node_selector,
                 (Label){judge_read_key(world, judge_text(world, label->key)), label->value});
    class.tolerations = judge_read_tolerations(world, judge_read_list(spec, "tolerations"));
    class.has_resource_claims = has_resource_claims(spec);
    class.is_gated = judge_read_count(judge_read_list(spec, "schedulingGates")) > 0;
    TRY(judge_read_requests(world, spec, status, &class.requests, err));
    TRY(apply_runtime_class(world, spec, &class, err));
    read_node_affinity(world, spec, &class);
    read_pod_affinity(world, spec, &class);
    read_spreads(world, spec, &class);
    read_ports(world, spec, &class);
    *ret_class = class;
    return OK;
}

// The status, if it changes requests; else NULL, so that pods with and without status are one class.
static const Value *resized_status(const Value *status) {
    const Value *list = judge_read_list(status, "containerStatuses");

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        if (judge_read_has(&list->list.items[i], "resources"))
            return status;
    }
    return NULL;
}

ErrCode judge_read_pod_class(World *world, Slice ns, Slice name, const Value *metadata, const Value *spec,
                             const Value *status, uint32_t *ret_class, Err *err) {
    Buffer buffer = {0};
    uint32_t cursor = 0, found;
    uint64_t hash;
    Symbol text;
    PodClass class;

    status = resized_status(status);
    buffer_printf(&buffer, "%.*s/%.*s", SLICE_ARG(ns), SLICE_ARG(name));
    print_part(&buffer, metadata ? value_get_text(metadata, "labels") : NULL);
    print_part(&buffer, spec);
    print_part(&buffer, status);
    text = symbol_intern(&world->symbols, buffer_slice(&buffer));
    buffer_free(&buffer);
    hash = hash_u64(text);
    while ((found = index_map_next(&world->class_index, hash, &cursor)) != INDEX_NONE) {
        if (world->class_texts.items[found] == text) {
            *ret_class = found;
            return OK;
        }
    }
    TRY(make_class(world, ns, metadata, spec, status, &class, err));
    index_map_add(world->arena, &world->class_index, hash, world->classes.count);
    vec_push(world->arena, &world->class_texts, text);
    *ret_class = world->classes.count;
    vec_push(world->arena, &world->classes, class);
    return OK;
}
