// Nodes as instances: names, content, and reading them back. Reference lifecycle.md 8.
#include "cloud/kwok/provider/node.h"

#include "cloud/kwok/provider/choose.h"
#include "model/manifest/object.h"
#include "model/pool_name.h"
#include "text/value_edit.h"

#include <stdlib.h>

// Karpenter assigns Nodes to partitions of kwok controllers; there is one, "a". kwok itself does not know the label.
#define PARTITION_KEY SLICE("kwok-partition")
#define PRICE_KEY     SLICE("eks-node-viewer/instance-price")

enum { LABEL_MAX = 63, CLAIM_PART_MAX = 200, RANDOM_LETTERS = 10 };

// --- names

static bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

Slice kwok_hostname(Slice claim_name) {
    Slice name = claim_name.len > LABEL_MAX ? slice_from(claim_name, claim_name.len - LABEL_MAX) : claim_name;

    while (name.len && !is_alphanumeric(name.ptr[0]))
        name = slice_from(name, 1);
    return name;
}

Slice kwok_node_name(Arena *arena, Slice claim_name, Slice claim_uid) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    Slice name = claim_name.len > CLAIM_PART_MAX ? slice_first(claim_name, CLAIM_PART_MAX) : claim_name;
    char word[RANDOM_LETTERS];
    Random random;

    while (name.len && !is_alphanumeric(name.ptr[name.len - 1]))
        name = slice_first(name, name.len - 1);
    kwok_random_of(claim_uid, 0, &random);
    for (int i = 0; i < RANDOM_LETTERS; i++)
        word[i] = letters[random_below(&random, sizeof letters - 1)];
    return arena_printf(arena, "kwok-%.*s-%.*s-%u", SLICE_ARG(name), RANDOM_LETTERS, word,
                        (unsigned)(random_u64(&random) >> 32));
}

// Cuts the part after the last dash.
static Slice without_last_part(Slice text) {
    ptrdiff_t dash = slice_find_last(text, '-');

    return dash < 0 ? text : slice_first(text, (size_t)dash);
}

// The hostname is the claim's name or, if that was too long, its end; then the Node's name contains all of it if tenon
// created the Node.
Slice kwok_claim_name(Slice node_name, Slice hostname) {
    Slice name = without_last_part(without_last_part(node_name));

    if (!slice_starts_with(name, SLICE("kwok-")))
        return hostname;
    name = slice_from(name, strlen("kwok-"));
    return slice_ends_with(name, hostname) && slice_eq(kwok_hostname(name), hostname) ? name : hostname;
}

// --- instances

static void set_text(Arena *arena, Symbols *symbols, Labels *labels, Slice key, Slice value) {
    labels_set(arena, labels, symbol_intern(symbols, key), symbol_intern(symbols, value));
}

static Labels copy_labels(Arena *arena, const Labels *labels) {
    Labels copy = {.count = labels->count, .capacity = labels->count};

    copy.items = arena_copy(arena, labels->items, labels->count * sizeof *labels->items);
    return copy;
}

// Adds a label for each requirement that allows a single value.
static void set_single_values(Arena *arena, Labels *labels, const Requirements *set) {
    for (vec_each(const Requirement, requirement, set)) {
        if (requirement_operator(requirement) == OP_IN && requirement->values.count == 1)
            labels_set(arena, labels, requirement->key, requirement->values.items[0]);
    }
}

// Labels of the Node; later sources override earlier ones.
static Labels labels_of(Arena *arena, Symbols *symbols, const NodeClaim *claim, const KwokOffer *offer) {
    Labels labels = copy_labels(arena, &claim->meta.labels);

    for (vec_each(const Expression, expression, &claim->spec.requirements)) {
        if (expression->op == OP_IN && expression->values.count == 1)
            labels_set(arena, &labels, expression->key, expression->values.items[0]);
    }
    labels_set(arena, &labels, NAME_INSTANCE_TYPE, offer->type->name);
    set_single_values(arena, &labels, &offer->type->requirements);
    set_single_values(arena, &labels, &offer->offering->requirements);
    set_text(arena, symbols, &labels, PRICE_KEY, arena_printf(arena, "%f", offer->offering->price_per_hour));
    set_text(arena, symbols, &labels, PARTITION_KEY, SLICE("a"));
    set_text(arena, symbols, &labels, symbol_text(symbols, NAME_HOSTNAME),
             kwok_hostname(symbol_text(symbols, claim->meta.name)));
    set_text(arena, symbols, &labels, KWOK_MARK_KEY, KWOK_MARK);
    return labels;
}

static Symbol label_or_empty(const Labels *labels, Symbol key) {
    Symbol value = labels_get(labels, key);

    return value == INDEX_NONE ? NAME_EMPTY : value;
}

// Nodes of Karpenter up to v0.31 name their Provisioner alone.
static Symbol pool_of(Symbols *symbols, const Labels *labels) {
    Symbol pool = labels_get(labels, NAME_NODEPOOL), provisioner = labels_get(labels, NAME_PROVISIONER_NAME);

    if (pool == INDEX_NONE && provisioner != INDEX_NONE)
        return pool_of_provisioner(symbols, symbol_text(symbols, provisioner));
    return pool == INDEX_NONE ? NAME_EMPTY : pool;
}

// Sets the members that are read from the labels.
static void read_labels(Symbols *symbols, CloudInstance *instance) {
    instance->instance_type = label_or_empty(&instance->labels, NAME_INSTANCE_TYPE);
    instance->zone = label_or_empty(&instance->labels, NAME_ZONE);
    instance->capacity_type = label_or_empty(&instance->labels, NAME_CAPACITY_TYPE);
    instance->pool = pool_of(symbols, &instance->labels);
}

static Labels annotations_of(Arena *arena, Symbols *symbols, const Labels *annotations) {
    Labels all = copy_labels(arena, annotations);

    set_text(arena, symbols, &all, KWOK_MARK_KEY, KWOK_MARK);
    return all;
}

// The capacity is what the claim requested, as in Karpenter: limits of NodePools count it.
CloudInstance kwok_instance_of_offer(Arena *arena, Symbols *symbols, const NodeClaim *claim, Slice node_name,
                                     const KwokOffer *offer) {
    CloudInstance instance = {
        .provider_id = symbol_intern(symbols, arena_printf(arena, "%s%.*s", KWOK_PREFIX.ptr, SLICE_ARG(node_name))),
        .labels = labels_of(arena, symbols, claim, offer),
        .annotations = annotations_of(arena, symbols, &claim->meta.annotations),
        .capacity = resources_copy(arena, &claim->requests),
        .allocatable = offer->allocatable,
        .claim_name = claim->meta.name,
        .launched_ns = claim->meta.created_ns,
    };

    read_labels(symbols, &instance);
    return instance;
}

CloudInstance kwok_instance_of_claim(Arena *arena, Symbols *symbols, const NodeClaim *claim) {
    CloudInstance instance = {
        .provider_id = claim->provider_id,
        .labels = claim->meta.labels,
        .annotations = annotations_of(arena, symbols, &claim->meta.annotations),
        .capacity = claim->capacity,
        .allocatable = claim->allocatable,
        .claim_name = claim->meta.name,
        .launched_ns = claim->meta.created_ns,
    };

    read_labels(symbols, &instance);
    return instance;
}

static Symbol owner_of(const Symbols *symbols, const Node *node) {
    for (vec_each(const OwnerReference, owner, &node->meta.owners)) {
        if (slice_eq_text(symbol_text(symbols, owner->kind), "NodeClaim"))
            return owner->name;
    }
    return NAME_EMPTY;
}

ErrCode kwok_instance_of_node(Arena *arena, Symbols *symbols, const Value *value, CloudInstance *ret_instance,
                              Err *err) {
    Node *node = arena_alloc(arena, object_decoded_size(SLICE(""), SLICE("Node")));
    CloudInstance instance;

    TRY(object_decode(arena, symbols, SLICE(""), SLICE("Node"), value, node, err));
    instance = (CloudInstance){
        .provider_id = node->provider_id,
        .labels = node->meta.labels,
        .annotations = annotations_of(arena, symbols, &node->meta.annotations),
        .capacity = node->capacity,
        .allocatable = node->allocatable,
        .claim_name = owner_of(symbols, node),
        .launched_ns = node->meta.created_ns,
        .terminating = node->meta.deleting,
    };
    if (instance.claim_name == NAME_EMPTY)
        instance.claim_name = symbol_intern(
            symbols, kwok_claim_name(symbol_text(symbols, node->meta.name),
                                     symbol_text(symbols, label_or_empty(&node->meta.labels, NAME_HOSTNAME))));
    read_labels(symbols, &instance);
    *ret_instance = instance;
    return OK;
}

// --- the Node to create

static int by_key(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, ((const Label *)a)->key, ((const Label *)b)->key);
}

static Value write_labels(Arena *arena, const Symbols *symbols, const Labels *labels) {
    Labels sorted = copy_labels(arena, labels);
    Symbols table = *symbols;
    Value map = value_map();

    if (sorted.count)
        qsort_r(sorted.items, sorted.count, sizeof *sorted.items, by_key, &table);
    for (vec_each(const Label, label, &sorted))
        value_put(arena, &map, symbol_text(symbols, label->key), value_string(symbol_text(symbols, label->value)));
    return map;
}

static int by_resource(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, ((const ResourceAmount *)a)->resource, ((const ResourceAmount *)b)->resource);
}

static Value write_resources(Arena *arena, const Symbols *symbols, const Resources *list) {
    Resources sorted = resources_copy(arena, list);
    Symbols table = *symbols;
    Value map = value_map();

    if (sorted.count)
        qsort_r(sorted.items, sorted.count, sizeof *sorted.items, by_resource, &table);
    for (vec_each(const ResourceAmount, amount, &sorted))
        value_put(arena, &map, symbol_text(symbols, amount->resource),
                  value_string(resource_print(arena, amount->resource, amount->amount)));
    return map;
}

// Spec with the taint that keeps pods away until the claim is registered.
static Value write_spec(Arena *arena, const Symbols *symbols, const CloudInstance *instance) {
    Value spec = value_map(), *taint;

    value_put(arena, &spec, SLICE("providerID"), value_string(symbol_text(symbols, instance->provider_id)));
    taint = value_append(arena, value_put(arena, &spec, SLICE("taints"), value_list()), value_map());
    value_put(arena, taint, SLICE("key"), value_string(symbol_text(symbols, NAME_UNREGISTERED)));
    value_put(arena, taint, SLICE("effect"), value_string(slice_of(taint_effect_text(EFFECT_NO_EXECUTE))));
    return spec;
}

Value kwok_node_of_instance(Arena *arena, const Symbols *symbols, Slice name, const CloudInstance *instance) {
    const KubeKindInfo *kind = kube_kind(KUBE_NODE);
    Value node = value_map(), *meta, *status;

    value_put(arena, &node, SLICE("apiVersion"), value_string(kind->api_version));
    value_put(arena, &node, SLICE("kind"), value_string(kind->kind));
    meta = value_put(arena, &node, SLICE("metadata"), value_map());
    value_put(arena, meta, SLICE("name"), value_string(name));
    value_put(arena, meta, SLICE("labels"), write_labels(arena, symbols, &instance->labels));
    value_put(arena, meta, SLICE("annotations"), write_labels(arena, symbols, &instance->annotations));
    value_put(arena, &node, SLICE("spec"), write_spec(arena, symbols, instance));
    status = value_put(arena, &node, SLICE("status"), value_map());
    value_put(arena, status, SLICE("capacity"), write_resources(arena, symbols, &instance->capacity));
    value_put(arena, status, SLICE("allocatable"), write_resources(arena, symbols, &instance->allocatable));
    value_put(arena, status, SLICE("phase"), value_string(SLICE("Pending")));
    return node;
}
