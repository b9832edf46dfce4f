// affinity and topologySpreadConstraints of pods.
#include "model/decode/expressions.h"
#include "model/decode/pod.h"

#include <inttypes.h>

// Node affinity.

static ErrCode decode_weight(Decoder *decoder, const Value *value, void *ret_weight, Err *err) {
    int64_t weight;

    TRY(decode_expect(decoder, value, VALUE_NUMBER, err));
    if (!value_to_int64(value, &weight) || weight < 1 || weight > 100)
        return decode_fail(decoder, value, err, "must be in the range 1-100, got %.*s", SLICE_ARG(value->text));
    *(int32_t *)ret_weight = (int32_t)weight;
    return OK;
}

static const Field preferred_node_fields[] = {
    FIELD_CUSTOM_WITH(NodeTerm, weight, "weight", decode_weight, .required = true),
    FIELD_FLAT("preference", node_term_table, .required = true),
};
static const FieldTable preferred_node_table = FIELD_TABLE(NodeTerm, preferred_node_fields);

static const Field node_affinity_fields[] = {
    FIELD_HAS(PodSpec, required_node_terms, has_required_node_terms, "requiredDuringSchedulingIgnoredDuringExecution",
              FIELD_OBJECT, .table = &node_selector_table),
    FIELD(PodSpec, preferred_node_terms, "preferredDuringSchedulingIgnoredDuringExecution", FIELD_LIST,
          .table = &preferred_node_table),
};
static const FieldTable node_affinity_table = FIELD_TABLE(PodSpec, node_affinity_fields);

// Pod affinity.

static const Field term_fields[] = {
    FIELD(PodAffinityTerm, topology_key, "topologyKey", FIELD_SYMBOL, .required = true),
    FIELD_CUSTOM_WITH(PodAffinityTerm, selector, "labelSelector", decode_selector, ),
    FIELD(PodAffinityTerm, namespaces, "namespaces", FIELD_SYMBOLS, ),
    FIELD_CUSTOM_WITH(PodAffinityTerm, namespace_selector, "namespaceSelector", decode_selector, ),
    FIELD(PodAffinityTerm, match_label_keys, "matchLabelKeys", FIELD_SYMBOLS, ),
    FIELD(PodAffinityTerm, mismatch_label_keys, "mismatchLabelKeys", FIELD_SYMBOLS, ),
};
static const FieldTable term_table = FIELD_TABLE(PodAffinityTerm, term_fields);

static const Field preferred_term_fields[] = {
    FIELD_CUSTOM_WITH(PodAffinityTerm, weight, "weight", decode_weight, .required = true),
    FIELD_FLAT("podAffinityTerm", term_table, .required = true),
};
static const FieldTable preferred_term_table = FIELD_TABLE(PodAffinityTerm, preferred_term_fields);

static const Field terms_fields[] = {
    FIELD(PodAffinity, required, "requiredDuringSchedulingIgnoredDuringExecution", FIELD_LIST, .table = &term_table),
    FIELD(PodAffinity, preferred, "preferredDuringSchedulingIgnoredDuringExecution", FIELD_LIST,
          .table = &preferred_term_table),
};
static const FieldTable terms_table = FIELD_TABLE(PodAffinity, terms_fields);

static const Field pod_affinity_fields[] = {
    FIELD_FLAT("nodeAffinity", node_affinity_table, ),
    FIELD(PodSpec, affinity, "podAffinity", FIELD_OBJECT, .table = &terms_table),
    FIELD(PodSpec, anti_affinity, "podAntiAffinity", FIELD_OBJECT, .table = &terms_table),
};
const FieldTable pod_affinity_table = FIELD_TABLE(PodSpec, pod_affinity_fields);

// Topology spread.

static ErrCode decode_when_unsatisfiable(Decoder *decoder, const Value *value, void *ret_anyway, Err *err) {
    static const char *const words[] = {"DoNotSchedule", "ScheduleAnyway"};
    size_t word;

    TRY(DECODE_WORD(decoder, value, words, &word, err));
    *(bool *)ret_anyway = word == 1;
    return OK;
}

static const char *const policy_words[] = {"Honor", "Ignore"};

static ErrCode decode_ignore(Decoder *decoder, const Value *value, void *ret_ignore, Err *err) {
    size_t word;

    TRY(DECODE_WORD(decoder, value, policy_words, &word, err));
    *(bool *)ret_ignore = word == 1;
    return OK;
}

static ErrCode decode_honor(Decoder *decoder, const Value *value, void *ret_honor, Err *err) {
    size_t word;

    TRY(DECODE_WORD(decoder, value, policy_words, &word, err));
    *(bool *)ret_honor = word == 0;
    return OK;
}

static const Field spread_fields[] = {
    FIELD(TopologySpread, topology_key, "topologyKey", FIELD_SYMBOL, .required = true),
    FIELD(TopologySpread, max_skew, "maxSkew", FIELD_INT32, .required = true),
    FIELD_CUSTOM_WITH(TopologySpread, schedule_anyway, "whenUnsatisfiable", decode_when_unsatisfiable,
                      .required = true),
    FIELD(TopologySpread, min_domains, "minDomains", FIELD_INT32, ),
    FIELD_CUSTOM_WITH(TopologySpread, ignore_node_affinity, "nodeAffinityPolicy", decode_ignore, ),
    FIELD_CUSTOM_WITH(TopologySpread, honor_node_taints, "nodeTaintsPolicy", decode_honor, ),
    FIELD_CUSTOM_WITH(TopologySpread, selector, "labelSelector", decode_selector, ),
    FIELD(TopologySpread, match_label_keys, "matchLabelKeys", FIELD_SYMBOLS, ),
};
static const FieldTable spread_table = FIELD_TABLE(TopologySpread, spread_fields);

static ErrCode check_spread(Decoder *decoder, const Value *value, const TopologySpread *spread, Err *err) {
    if (spread->max_skew < 1)
        return decode_fail(decoder, value, err, "maxSkew must be greater than zero, got %" PRId32, spread->max_skew);
    if (value_get_text(value, "minDomains") == NULL || value_get_text(value, "minDomains")->kind == VALUE_NULL)
        return OK;
    if (spread->min_domains < 1)
        return decode_fail(decoder, value, err, "minDomains must be greater than zero, got %" PRId32,
                           spread->min_domains);
    if (spread->schedule_anyway)
        return decode_fail(decoder, value, err, "minDomains can only be used with whenUnsatisfiable: DoNotSchedule");
    return OK;
}

ErrCode decode_spreads(Decoder *decoder, const Value *value, void *ret_spreads, Err *err) {
    TopologySpreadVec *spreads = ret_spreads;

    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    for (uint32_t i = 0; i < value->list.count; i++) {
        TopologySpread *spread = vec_add(decoder->arena, spreads);

        decode_enter_index(decoder, i);
        TRY(decode_object(decoder, &value->list.items[i], &spread_table, spread, err));
        TRY(check_spread(decoder, &value->list.items[i], spread, err));
        decode_leave(decoder);
    }
    return OK;
}
