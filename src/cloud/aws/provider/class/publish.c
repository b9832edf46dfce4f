// Publishing: a snapshot is made when anything differs.
#include "cloud/aws/provider/class/steps.h"
#include "cloud/aws/provider/market.h"
#include "model/manifest/object.h"
#include "text/json.h"
#include "text/value_edit.h"

#include <stdlib.h>

// --- equal contents

static int by_id(const void *a, const void *b) {
    return slice_cmp(kube_text(a, "id", NULL), kube_text(b, "id", NULL));
}

// All that a snapshot has, as text; subnets by id, since their order by free addresses changes all the time and nobody
// launches by it.
static char *digest_of(const ClassTurn *turn, const Value *object, Slice hash) {
    const PlacementGroup *placement = &turn->record->parts[CLASS_CONDITION_PLACEMENT_GROUP].answer.placement;
    Value copy = value_copy_tree(turn->arena, object);
    Value *status = value_find_text(&copy, "status");
    Value *subnets = status ? value_find_text(status, "subnets") : NULL;
    Buffer text = {0};
    char *digest;

    if (subnets && subnets->kind == VALUE_LIST && subnets->list.count)
        qsort(subnets->list.items, subnets->list.count, sizeof *subnets->list.items, by_id);
    json_print(&text, &copy, false);
    buffer_printf(&text, " %.*s %.*s %u", SLICE_ARG(hash), SLICE_ARG(placement->id), placement->partitions);
    for (vec_each(const CapacityReservation, reservation, &turn->class.reservations))
        buffer_printf(&text, " %d", reservation->available_count);
    digest = alloc_raw(text.len + 1);
    memcpy(digest, buffer_slice(&text).ptr, text.len);
    digest[text.len] = '\0';
    buffer_free(&text);
    return digest;
}

// --- a snapshot

// The status in the API does not say how much room reservations have.
static void copy_room(const ClassTurn *turn, EC2NodeClass *class) {
    for (vec_each(CapacityReservation, reservation, &class->reservations)) {
        for (vec_each(const CapacityReservation, found, &turn->class.reservations)) {
            if (found->id == reservation->id)
                reservation->available_count = found->available_count;
        }
    }
}

static ErrCode make(const ClassTurn *turn, const Value *object, Slice hash, ClassSnapshot **ret_snapshot, Err *err) {
    const ClassPart *placement = &turn->record->parts[CLASS_CONDITION_PLACEMENT_GROUP];
    const KubeKindInfo *kind = kube_kind(KUBE_EC2_NODE_CLASS);
    ClassSnapshot *snapshot = NEW(ClassSnapshot);
    Arena *arena = &snapshot->arena;
    EC2NodeClass *class = arena_alloc(arena, object_decoded_size(kind->group, kind->kind));
    Value own = value_copy(arena, object);
    ErrCode code = object_decode(arena, &turn->provider->symbols, kind->group, kind->kind, &own, class, err);

    snapshot->holders = 1;
    if (code != OK) {
        provider_class_release(snapshot);
        return code;
    }
    copy_room(turn, class);
    snapshot->class = *class;
    snapshot->name = arena_slice(arena, slice_of(turn->record->name));
    snapshot->hash = arena_slice(arena, hash);
    snapshot->ami_requirements = ami_requirements(arena, &turn->provider->symbols, &snapshot->class.found.amis);
    if (placement->has_answered) {
        snapshot->placement_group_id = arena_slice(arena, placement->answer.placement.id);
        snapshot->placement_partitions = placement->answer.placement.partitions;
    }
    *ret_snapshot = snapshot;
    return OK;
}

static void put(AwsProvider *provider, ClassRecord *record, ClassSnapshot *snapshot) {
    ProviderClasses *classes = provider->classes;
    ClassSnapshot *before;

    pthread_mutex_lock(&classes->lock);
    if (snapshot) {
        snapshot->number = ++classes->numbers;
        snapshot->published = provider_now(provider).now;
    }
    before = record->snapshot;
    record->snapshot = snapshot;
    pthread_mutex_unlock(&classes->lock);
    provider_types_class_changed(provider, slice_of(record->name), snapshot);
    provider_class_release(before);
}

ErrCode class_publish(ClassTurn *turn, const Value *object, Slice hash, Err *err) {
    ClassRecord *record = turn->record;
    char *digest = digest_of(turn, object, hash);
    ClassSnapshot *snapshot;
    ErrCode code;

    if (record->snapshot && record->digest && strcmp(record->digest, digest) == 0) {
        free(digest);
        return OK;
    }
    code = make(turn, object, hash, &snapshot, err);
    if (code != OK) {
        free(digest);
        return code;
    }
    free(record->digest);
    record->digest = digest;
    put(turn->provider, record, snapshot);
    return OK;
}

void class_unpublish(AwsProvider *provider, ClassRecord *record) {
    if (record->snapshot)
        put(provider, record, NULL);
    free(record->digest);
    record->digest = NULL;
}
