// Prices: the market's at present of spot, the catalogue's on demand.
#include "aws/service/ec2_spot_price.h"
#include "aws/service/pricing.h"
#include "sim/wire/wire_parts.h"

enum { SPOT_PAGE = 1000, PRODUCTS_PAGE = 100 };

WireFault wire_describe_spot_prices(WireCall *call) {
    const Ec2DescribeSpotPriceHistoryInput *input = call->input;
    Ec2DescribeSpotPriceHistoryOutput *output = call->output;
    const Ec2Catalogue *catalogue = sim_account_catalogue(call->aws->cloud);
    const Ec2Region *region = sim_account_region(call->aws->cloud);
    uint32_t zones = region->zone_count, from, to;

    output->next_token = wire_page(call->arena, input->next_token, input->max_results, SPOT_PAGE,
                                   catalogue->types.count * zones, &from, &to);
    for (uint32_t i = from; i < to; i++) {
        const Ec2Type *type = &catalogue->types.items[i / zones];
        double price = sim_account_spot_price(call->aws->cloud, type, i % zones);

        if (price > 0)
            vec_push(call->arena, &output->spot_price_history,
                     (Ec2SpotPrice){.availability_zone = region->zones[i % zones].name,
                                    .instance_type = type->name,
                                    .spot_price = arena_printf(call->arena, "%.9f", price),
                                    .timestamp = aws_time(world_now_ns(call->aws->world))});
    }
    return wire_fine();
}

// Whether the request is for machines without a hypervisor, which are a list of their own.
static bool wants_metal(const PricingGetProductsInput *input) {
    for (vec_each(const PricingFilter, filter, &input->filters)) {
        if (slice_eq_text(filter->field, "productFamily"))
            return slice_contains(filter->value, SLICE("bare metal"));
    }
    return false;
}

static Slice product(Arena *arena, const Ec2Type *type, double price) {
    return arena_printf(arena,
                        "{\"product\":{\"attributes\":{\"instanceType\":\"%.*s\"}},\"terms\":{\"OnDemand\":{\"t\":"
                        "{\"priceDimensions\":{\"d\":{\"pricePerUnit\":{\"USD\":\"%.10f\"}}}}}}}",
                        SLICE_ARG(type->name), price);
}

WireFault wire_get_products(WireCall *call) {
    const PricingGetProductsInput *input = call->input;
    PricingGetProductsOutput *output = call->output;
    const Ec2Catalogue *catalogue = sim_account_catalogue(call->aws->cloud);
    const Ec2Region *region = sim_account_region(call->aws->cloud);
    bool is_metal = wants_metal(input);
    uint32_t from, to;

    output->next_token = wire_page(call->arena, input->next_token, input->max_results, PRODUCTS_PAGE,
                                   catalogue->types.count, &from, &to);
    for (uint32_t i = from; i < to; i++) {
        const Ec2Type *type = &catalogue->types.items[i];
        double price = ec2_price_on_demand(catalogue, type, region);

        if (price > 0 && type->bare_metal == is_metal)
            vec_push(call->arena, &output->price_list, product(call->arena, type, price));
    }
    return wire_fine();
}
