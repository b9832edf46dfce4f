// Pages of offers, sorted.
#include "cloud/aws/live/zone_offers.h"

#include <stdlib.h>

enum { PAGE_SIZE = 1000, TEXT_MAX = 64 };

Ec2DescribeInstanceTypeOfferingsInput ec2_zone_offers_query(void) {
    return (Ec2DescribeInstanceTypeOfferingsInput){.location_type = SLICE("availability-zone"),
                                                   .max_results = aws_integer(PAGE_SIZE)};
}

static bool is_name(Slice text) {
    return text.len > 0 && text.len <= TEXT_MAX;
}

static ErrCode add_offer(Ec2ZoneOfferPages *pages, const Ec2InstanceTypeOffering *offering) {
    if (!is_name(offering->instance_type) || !is_name(offering->location))
        return err_set(&pages->failure, ERR_INVALID,
                       "instanceTypeOfferingSet: expected instanceType and location, of at most %d bytes", TEXT_MAX);
    if (pages->offers.count == EC2_ZONE_OFFERS_MAX)
        return err_set(&pages->failure, ERR_TOO_LARGE, "EC2 lists more than %d offerings", EC2_ZONE_OFFERS_MAX);
    vec_push(pages->arena, &pages->offers,
             (Ec2ZoneOffer){arena_slice(pages->arena, offering->instance_type),
                            arena_slice(pages->arena, offering->location)});
    return OK;
}

void ec2_zone_offers_add(Ec2ZoneOfferPages *pages, const Ec2DescribeInstanceTypeOfferingsOutput *page) {
    pages->is_complete = slice_is_empty(page->next_token);
    for (vec_each(const Ec2InstanceTypeOffering, offering, &page->instance_type_offerings)) {
        if (pages->failure.code != OK || add_offer(pages, offering) != OK)
            return;
    }
}

static int compare(const void *a, const void *b) {
    const Ec2ZoneOffer *x = a, *y = b;
    int order = slice_cmp(x->type, y->type);

    return order ? order : slice_cmp(x->zone, y->zone);
}

ErrCode ec2_zone_offers_end(Ec2ZoneOfferPages *pages, Ec2ZoneOfferVec *ret_offers, Err *err) {
    Ec2ZoneOfferVec offers = pages->offers;
    uint32_t kept = 0;

    if (pages->failure.code != OK)
        return err_set(err, pages->failure.code, "%s", pages->failure.text);
    if (!pages->is_complete)
        return err_set(err, ERR_IO, "EC2's list of offerings lacks its last page");
    if (offers.count == 0)
        return err_set(err, ERR_NOT_FOUND, "EC2 lists no offerings of instance types");
    qsort(offers.items, offers.count, sizeof *offers.items, compare);
    for (uint32_t i = 0; i < offers.count; i++) {
        if (kept == 0 || compare(&offers.items[i], &offers.items[kept - 1]))
            offers.items[kept++] = offers.items[i];
    }
    offers.count = kept;
    *ret_offers = offers;
    return OK;
}

bool ec2_zone_offers_eq(const Ec2ZoneOfferVec *a, const Ec2ZoneOfferVec *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (compare(&a->items[i], &b->items[i]))
            return false;
    }
    return true;
}
