// Zones that the cluster is shifted away from. Reference aws.md 7.9.
#include "cloud/aws/provider/cluster.h"
#include "cloud/aws/provider/market.h"
#include "cloud/aws/provider/news_parts.h"

// Tells the market which of the shifts hold now.
static void apply(AwsProvider *provider, Arena *arena) {
    ProviderNews *news = provider->news;
    int64_t wall_ns = provider_now(provider).wall_ns;
    SliceVec left = {0};

    pthread_mutex_lock(&news->lock);
    for (vec_each(const ZonalShift, shift, &news->shifts)) {
        if (shift->until_ns > wall_ns)
            vec_push(arena, &left, arena_slice(arena, shift->zone_id));
    }
    pthread_mutex_unlock(&news->lock);
    provider_zones_left(provider, &left);
}

static ErrCode fail(const AwsProvider *provider, CloudError *error, const AwsOutcome *outcome, const Err *err) {
    ErrCode code = outcome->kind == AWS_NOT_FOUND ? ERR_IO : err->code;

    if (outcome->kind == AWS_DENIED)
        return cloud_fail(error, code,
                          "cannot ask for zonal shifts: %s: tenon's role needs arc-zonal-shift:GetManagedResource "
                          "(tenon iam-policy prints the policy), or unset ENABLE_ZONAL_SHIFT",
                          err->text);
    if (outcome->kind == AWS_NOT_FOUND || slice_eq_text(outcome->fault.code, "ResourceNotFoundException"))
        return cloud_fail(error, ERR_IO,
                          "cannot ask for zonal shifts: %s: turn them on for the cluster (aws eks "
                          "update-cluster-config --name %.*s --zonal-shift-config enabled=true), or unset "
                          "ENABLE_ZONAL_SHIFT",
                          err->text, SLICE_ARG(provider->config.settings.cluster_name));
    return provider_fail(error, "cannot ask for zonal shifts", outcome, err);
}

static ErrCode read_shifts(AwsProvider *provider, Arena *arena, Slice arn, CloudError *error) {
    const ArcGetManagedResourceInput input = {.resource_identifier = arn};
    ProviderNews *news = provider->news;
    ArcGetManagedResourceOutput output;
    AwsOutcome outcome;
    Err err;

    if (!arn.len)
        return cloud_fail(error, ERR_IO, "cannot ask for zonal shifts: the ARN of cluster \"%.*s\" is not known yet",
                          SLICE_ARG(provider->config.settings.cluster_name));
    if (aws_call(provider->client, arena, &arc_get_managed_resource, &input, NULL, &output, &outcome, &err) != OK)
        return fail(provider, error, &outcome, &err);
    pthread_mutex_lock(&news->lock);
    arena_free(&news->shifts_arena);
    news->shifts = zonal_shifts_read(&news->shifts_arena, &output, provider_now(provider).wall_ns);
    pthread_mutex_unlock(&news->lock);
    return OK;
}

// --- what is told

static const ToldZone *find_told(const ToldZoneVec *told, Slice zone_id) {
    for (vec_each(const ToldZone, zone, told)) {
        if (slice_eq(zone->zone_id, zone_id))
            return zone;
    }
    return NULL;
}

// The zones that are left now and whose names are known: the others are told when they are.
static ToldZoneVec zones_to_tell(AwsProvider *provider, Arena *arena) {
    ProviderNews *news = provider->news;
    SliceVec ids = {0};
    ToldZoneVec zones = {0};

    pthread_mutex_lock(&news->lock);
    for (vec_each(const ZonalShift, shift, &news->shifts))
        vec_push(arena, &ids, arena_slice(arena, shift->zone_id));
    pthread_mutex_unlock(&news->lock);
    for (vec_each(const Slice, id, &ids)) {
        const ToldZone zone = {*id, provider_zone_of_id(provider, *id)};

        if (zone.zone != NAME_EMPTY)
            vec_push(arena, &zones, zone);
    }
    return zones;
}

static void add_message(Arena *arena, CloudMessageVec *messages, CloudMessageKind kind, Symbol zone, bool is_repeated) {
    vec_push(arena, messages, (CloudMessage){.kind = kind, .zone = zone, .is_repeated = is_repeated});
}

// A zone whose shift goes on is told again even when its name is not known any more.
static CloudMessageVec tell(AwsProvider *provider, Arena *arena) {
    ToldZoneVec zones = zones_to_tell(provider, arena), told = {0};
    ProviderNews *news = provider->news;
    CloudMessageVec messages = {0};
    Arena told_arena = {0};

    pthread_mutex_lock(&news->lock);
    for (vec_each(const ToldZone, former, &news->told_zones)) {
        if (!zonal_shifts_have(&news->shifts, former->zone_id, INT64_MIN))
            add_message(arena, &messages, CLOUD_MESSAGE_ZONE_BACK, former->zone, false);
        else if (!find_told(&zones, former->zone_id))
            vec_push(arena, &zones, (ToldZone){arena_slice(arena, former->zone_id), former->zone});
    }
    for (vec_each(const ToldZone, zone, &zones)) {
        add_message(arena, &messages, CLOUD_MESSAGE_ZONE_LEFT, zone->zone,
                    find_told(&news->told_zones, zone->zone_id) != NULL);
        vec_push(&told_arena, &told, (ToldZone){arena_slice(&told_arena, zone->zone_id), zone->zone});
    }
    arena_free(&news->told_arena);
    news->told_arena = told_arena;
    news->told_zones = told;
    pthread_mutex_unlock(&news->lock);
    return messages;
}

ErrCode news_of_zones(AwsProvider *provider, Arena *arena, Slice arn, CloudMessageVec *ret_messages,
                      CloudError *error) {
    ErrCode code = read_shifts(provider, arena, arn, error);

    apply(provider, arena); // shifts end in time, whether ARC answers or not
    TRY(code);
    *ret_messages = tell(provider, arena);
    return OK;
}

ErrCode provider_zones_refresh(AwsProvider *provider, Arena *arena, CloudMessageVec *ret_messages, CloudError *error) {
    return news_of_zones(provider, arena, provider_cluster_facts(provider, arena).arn, ret_messages, error);
}
