#include "cli/run/aws_page.h"

#include "obs/exposition.h"

static void print_types(const MarketFacts *facts, Buffer *page, MetricId id) {
    Exposition out;

    exposition_begin(&out, page, id);
    for (vec_each(const TypeFact, type, &facts->types))
        exposition_sample(&out, &type->name,
                          id == METRIC_TYPE_CPU ? (double)type->milli_cpus / 1000 : (double)type->memory);
}

static void print_availability(const MarketFacts *facts, Buffer *page) {
    Exposition out;

    exposition_begin(&out, page, METRIC_OFFERING_AVAILABLE);
    for (vec_each(const OfferingFact, offering, &facts->offerings))
        exposition_sample(&out, (const Slice[]){offering->type, offering->capacity_type, offering->zone},
                          offering->is_available);
}

static void print_prices(const MarketFacts *facts, Buffer *page) {
    Exposition out;

    exposition_begin(&out, page, METRIC_OFFERING_PRICE);
    for (vec_each(const OfferingFact, offering, &facts->offerings)) {
        if (offering->price_per_hour > 0)
            exposition_sample(&out, (const Slice[]){offering->type, offering->capacity_type, offering->zone},
                              offering->price_per_hour);
    }
}

static void print_troubles(const MarketFacts *facts, Buffer *page, MetricId id) {
    Exposition out;

    exposition_begin(&out, page, id);
    for (vec_each(const TroubleFact, trouble, &facts->troubles))
        exposition_sample(&out, (const Slice[]){trouble->type, trouble->capacity_type, trouble->zone, trouble->group},
                          id == METRIC_OFFERING_LAUNCHES ? trouble->launches : ns_to_s(trouble->left_ns));
}

void aws_page_print(const MarketFacts *facts, Buffer *page) {
    print_types(facts, page, METRIC_TYPE_CPU);
    print_types(facts, page, METRIC_TYPE_MEMORY);
    print_availability(facts, page);
    print_prices(facts, page);
    print_troubles(facts, page, METRIC_OFFERING_UNAVAILABLE);
    print_troubles(facts, page, METRIC_OFFERING_LAUNCHES);
}
