// Capacity blocks that are about to end. Reference aws.md 3.6, 7 (capacityreservation.expiration).
#include "cloud/aws/events/reservations.h"
#include "cloud/aws/provider/market.h"
#include "cloud/aws/provider/news_parts.h"

#include <stdlib.h>

// The ids of reservations that are expiring now, or were when they were last described.
static SliceVec find_expiring(AwsProvider *provider, Arena *arena) {
    CapacityReservationVec known = provider_market_reservations(provider, arena);
    Ec2CapacityReservationVec described = {0};
    const Symbols *symbols = &provider->symbols;
    SliceVec ids;

    for (vec_each(const CapacityReservation, reservation, &known)) {
        Ec2CapacityReservation *copy = vec_add(arena, &described);

        copy->capacity_reservation_id = symbol_text(symbols, reservation->id);
        copy->reservation_type = symbol_text(symbols, reservation->type);
        if (reservation->end_ns)
            copy->end_date = aws_time(reservation->end_ns);
    }
    ids = reservations_expiring(arena, &described, provider_now(provider).wall_ns);
    for (vec_each(const CapacityReservation, reservation, &known)) {
        if (slice_eq_text(symbol_text(symbols, reservation->state), "expiring"))
            vec_push(arena, &ids, symbol_text(symbols, reservation->id));
    }
    return ids;
}

static bool has_text(const SliceVec *texts, Slice text) {
    for (vec_each(const Slice, other, texts)) {
        if (slice_eq(*other, text))
            return true;
    }
    return false;
}

static bool is_expiring(const AwsProvider *provider, const SliceVec *ids, const CloudInstance *instance) {
    Symbol reservation = labels_get(&instance->labels, NAME_RESERVATION_ID);

    return reservation != INDEX_NONE && has_text(ids, symbol_text(&provider->symbols, reservation));
}

static bool was_told(const ProviderNews *news, uint64_t hash) {
    for (uint32_t i = 0; i < news->told_ends_count; i++) {
        if (news->told_ends[i] == hash)
            return true;
    }
    return false;
}

// Deals the instances to those that are told for the first time and those that were told before, and remembers all.
static void deal(AwsProvider *provider, Arena *arena, const SymbolVec *provider_ids, CloudMessage *fresh,
                 CloudMessage *repeated) {
    ProviderNews *news = provider->news;
    uint64_t *told = NEW_ARRAY(uint64_t, provider_ids->count);

    pthread_mutex_lock(&news->lock);
    for (uint32_t i = 0; i < provider_ids->count; i++) {
        Symbol provider_id = provider_ids->items[i];

        told[i] = slice_hash(symbol_text(&provider->symbols, provider_id));
        vec_push(arena, was_told(news, told[i]) ? &repeated->provider_ids : &fresh->provider_ids, provider_id);
    }
    free(news->told_ends);
    news->told_ends = told;
    news->told_ends_count = provider_ids->count;
    pthread_mutex_unlock(&news->lock);
}

ErrCode provider_reservations_refresh(AwsProvider *provider, Arena *arena, CloudMessageVec *ret_messages,
                                      CloudError *error) {
    CloudMessage fresh = {.kind = CLOUD_MESSAGE_RESERVATION_ENDING}, repeated = fresh;
    SliceVec expiring = find_expiring(provider, arena);
    CloudMessageVec messages = {0};
    SymbolVec provider_ids = {0};
    KnownInstances known;

    if (expiring.count) {
        TRY(news_known(provider, arena, &known, error));
        for (vec_each(const CloudInstance, instance, known.instances)) {
            if (is_expiring(provider, &expiring, instance))
                vec_push(arena, &provider_ids, instance->provider_id);
        }
    }
    repeated.is_repeated = true;
    deal(provider, arena, &provider_ids, &fresh, &repeated);
    if (fresh.provider_ids.count)
        vec_push(arena, &messages, fresh);
    if (repeated.provider_ids.count)
        vec_push(arena, &messages, repeated);
    *ret_messages = messages;
    return OK;
}
