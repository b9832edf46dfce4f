// The plan as one JSON object: docs/plan-json.md.
#include "cli/report.h"

#include "text/json.h"
#include "text/quote.h"

#include <math.h>
#include <stdlib.h>

static Value symbol_value(const Report *report, Symbol symbol) {
    return value_string(report_text(report, symbol));
}

#define PUT(report, map, key, value) value_put((report)->arena, (map), SLICE(key), (value))

Value report_requirements(const Report *report, const Requirements *requirements) {
    Symbols *symbols = &report->input->cluster->symbols;
    ExpressionVec expressions = requirements_to_expressions(report->arena, symbols, requirements);
    Value list = value_list();

    for (vec_each(Expression, expression, &expressions)) {
        Value entry = value_map();

        PUT(report, &entry, "key", symbol_value(report, expression->key));
        if (expression->min_values)
            PUT(report, &entry, "minValues", value_int(report->arena, expression->min_values));
        PUT(report, &entry, "operator", value_string(slice_of(operator_text(expression->op))));
        if (expression->values.count) {
            Value values = value_list();

            for (vec_each(Symbol, value, &expression->values))
                value_append(report->arena, &values, symbol_value(report, *value));
            PUT(report, &entry, "values", values);
        }
        value_append(report->arena, &list, entry);
    }
    return list;
}

static int compare_resources(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, ((const ResourceAmount *)a)->resource, ((const ResourceAmount *)b)->resource);
}

Value report_resources(const Report *report, const Resources *resources) {
    Symbols *symbols = &report->input->cluster->symbols;
    Resources sorted = resources_copy(report->arena, resources);
    Value map = value_map();

    if (sorted.count)
        qsort_r(sorted.items, sorted.count, sizeof *sorted.items, compare_resources, symbols);
    for (uint32_t i = 0; i < sorted.count; i++)
        value_put(report->arena, &map, symbol_text(symbols, sorted.items[i].resource),
                  value_string(resource_print(report->arena, sorted.items[i].resource, sorted.items[i].amount)));
    return map;
}

static Value pod_list(const Report *report, const U32Vec *pods) {
    Value list = value_list();

    for (vec_each(uint32_t, pod, pods))
        value_append(report->arena, &list, value_string(report_pod(report, *pod)));
    return list;
}

Value report_choice(const Report *report, const PlannedClaim *claim) {
    Value choice = value_map();

    PUT(report, &choice, "instanceType", symbol_value(report, claim->choice->name));
    PUT(report, &choice, "zone", symbol_value(report, claim->offering->zone));
    PUT(report, &choice, "capacityType", symbol_value(report, claim->offering->capacity_type));
    PUT(report, &choice, "pricePerHour", value_real(report->arena, claim->offering->price_per_hour));
    PUT(report, &choice, "priceEstimated", value_bool(claim->offering->price_estimated));
    return choice;
}

static Value claim_value(const Report *report, const PlannedClaim *claim) {
    Value map = value_map(), types = value_list();

    for (vec_each(const InstanceType *, type, &claim->types))
        value_append(report->arena, &types, symbol_value(report, (*type)->name));
    PUT(report, &map, "name", value_string(claim->name));
    PUT(report, &map, "nodePool", symbol_value(report, claim->pool->meta.name));
    PUT(report, &map, "instanceTypes", types);
    PUT(report, &map, "choice", report_choice(report, claim));
    PUT(report, &map, "requirements", report_requirements(report, &claim->requirements));
    PUT(report, &map, "requests", report_resources(report, &claim->requests));
    PUT(report, &map, "pods", pod_list(report, &claim->pods));
    return map;
}

static Value node_value(const Report *report, const PlannedNode *node) {
    Value map = value_map();

    PUT(report, &map, "name", symbol_value(report, node->node->name));
    PUT(report, &map, "pods", pod_list(report, &node->pods));
    return map;
}

static Value unplaced_value(const Report *report, const UnplacedPod *unplaced) {
    Value map = value_map(), pools = value_list();

    for (vec_each(Reason, reason, &unplaced->reasons)) {
        Value entry = value_map();

        PUT(report, &entry, "name", symbol_value(report, reason->pool));
        PUT(report, &entry, "reason", value_string(slice_of(check_text(reason->check))));
        PUT(report, &entry, "nearestMiss", value_string(reason->nearest_miss));
        value_append(report->arena, &pools, entry);
    }
    PUT(report, &map, "pod", value_string(report_pod(report, unplaced->pod)));
    PUT(report, &map, "message", value_string(unplaced->message));
    PUT(report, &map, "nodePools", pools);
    return map;
}

static Value stats_value(const Report *report) {
    Value stats = value_map();

    PUT(report, &stats, "pods", value_int(report->arena, report->pod_count));
    PUT(report, &stats, "classes", value_int(report->arena, report->plan->class_count));
    PUT(report, &stats, "instanceTypes", value_int(report->arena, report->plan->type_count));
    PUT(report, &stats, "strategy", value_string(slice_of(strategy_text(report->plan->strategy))));
    PUT(report, &stats, "solveMilliseconds", value_real(report->arena, report->solve_milliseconds));
    return stats;
}

static Value real_or_null(const Report *report, double number) {
    return isnan(number) ? value_null() : value_real(report->arena, number);
}

double report_gap_percent(const Plan *plan) {
    if (isnan(plan->floor_per_hour))
        return NAN;
    return plan->floor_per_hour > 0   ? (plan->price_per_hour / plan->floor_per_hour - 1) * 100
           : plan->price_per_hour > 0 ? NAN
                                      : 0;
}

bool report_is_estimated(const Plan *plan) {
    for (vec_each(const PlannedClaim, claim, &plan->claims)) {
        if (claim->offering->price_estimated)
            return true;
    }
    return false;
}

static Value price_value(const Report *report) {
    const Plan *imitation = report->imitation;
    Value price = value_map();

    PUT(report, &price, "perHour", value_real(report->arena, report->plan->price_per_hour));
    PUT(report, &price, "floorPerHour", real_or_null(report, report->plan->floor_per_hour));
    PUT(report, &price, "gapPercent", real_or_null(report, report_gap_percent(report->plan)));
    PUT(report, &price, "emptiestFirstPerHour", real_or_null(report, imitation ? imitation->price_per_hour : NAN));
    PUT(report, &price, "estimated", value_bool(report_is_estimated(report->plan)));
    PUT(report, &price, "source", value_string(report->price_source));
    return price;
}

void report_json(const Report *report, Buffer *out) {
    Value root = value_map(), claims = value_list(), nodes = value_list(), unplaced = value_list();

    for (vec_each(PlannedClaim, claim, &report->plan->claims))
        value_append(report->arena, &claims, claim_value(report, claim));
    for (vec_each(PlannedNode, node, &report->plan->nodes))
        value_append(report->arena, &nodes, node_value(report, node));
    for (vec_each(UnplacedPod, pod, &report->plan->unplaced))
        value_append(report->arena, &unplaced, unplaced_value(report, pod));
    PUT(report, &root, "nodeClaims", claims);
    PUT(report, &root, "existingNodes", nodes);
    PUT(report, &root, "unschedulable", unplaced);
    if (report->input->preferences == PREFERENCES_WEIGH)
        PUT(report, &root, "preferences", report_preferences(report));
    PUT(report, &root, "price", price_value(report));
    PUT(report, &root, "stats", stats_value(report));
    json_print(out, &root, true);
    buffer_append_char(out, '\n');
}
