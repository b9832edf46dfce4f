// NodeClasses: the list of what is remembered, and a lookup from its beginning to its end.
#include "cloud/aws/provider/classes.h"

#include "cloud/aws/nodeclass_hash.h"
#include "cloud/aws/provider/class/profiles.h"
#include "cloud/aws/provider/class/steps.h"
#include "cloud/aws/provider/launches.h"
#include "model/manifest/object.h"
#include "text/value_edit.h"

#include <inttypes.h>
#include <stdlib.h>

ProviderClasses *provider_classes_new(AwsProvider *provider) {
    ProviderClasses *classes = NEW(ProviderClasses);

    (void)provider;
    CHECK(pthread_mutex_init(&classes->lock, NULL) == 0, "no mutex");
    parameter_book_init(&classes->parameters);
    return classes;
}

void provider_classes_free(ProviderClasses *classes) {
    for (uint32_t i = 0; i < classes->count; i++) {
        provider_class_release(classes->records[i]->snapshot);
        class_record_free(classes->records[i]);
    }
    for (uint32_t i = 0; i < classes->shielded_count; i++)
        free(classes->shielded[i].name);
    free(classes->records);
    free(classes->shielded);
    parameter_book_destroy(&classes->parameters);
    pthread_mutex_destroy(&classes->lock);
    free(classes);
}

// Ends with the record: there is no such class.
static void drop(AwsProvider *provider, ClassRecord *record) {
    class_unpublish(provider, record);
    class_record_remove(provider->classes, record);
}

static ErrCode is_taken(CloudError *error, Slice name) {
    return cloud_fail(error, ERR_CONFLICT, "EC2NodeClass \"%.*s\" is being looked up already", SLICE_ARG(name));
}

// --- a lookup

static void copy_member(Arena *arena, const Value *from, Value *to, const char *key) {
    const Value *member = value_get(from, slice_of(key));

    if (member)
        value_put(arena, to, slice_of(key), *member);
}

// The object without what changes often and nobody reads here: labels, annotations, fields' managers.
static Value without_decoration(Arena *arena, const Value *object) {
    static const char *const kept[] = {"name", "uid", "generation", "creationTimestamp", "deletionTimestamp"};
    const Value *metadata = value_get_text(object, "metadata");
    Value plain = value_map(), *own;

    copy_member(arena, object, &plain, "apiVersion");
    copy_member(arena, object, &plain, "kind");
    own = value_put(arena, &plain, SLICE("metadata"), value_map());
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        copy_member(arena, metadata, own, kept[i]);
    copy_member(arena, object, &plain, "spec");
    copy_member(arena, object, &plain, "status");
    return value_copy_tree(arena, &plain);
}

static ErrCode read_object(AwsProvider *provider, Arena *arena, Slice name, Value *ret_object, CloudError *error) {
    KubeError fault = {0};
    ErrCode code =
        kube_get(provider->config.kube, arena, (KubeRef){KUBE_EC2_NODE_CLASS, {0}, name}, ret_object, &fault);

    return code == OK ? OK : cloud_fail(error, code, "EC2NodeClass \"%.*s\": %s", SLICE_ARG(name), fault.err.text);
}

// `ret_refused`: why it cannot be a class at all, which an old object says; empty: it can.
static ErrCode begin(ClassTurn *turn, Slice *ret_refused, CloudError *error) {
    AwsProvider *provider = turn->provider;
    const KubeKindInfo *kind = kube_kind(KUBE_EC2_NODE_CLASS);
    EC2NodeClass *class = arena_alloc(turn->arena, object_decoded_size(kind->group, kind->kind));
    ClassRecord *record = turn->record;
    Value object;
    Err err;

    TRY(read_object(provider, turn->arena, slice_of(record->name), &object, error));
    *ret_refused = kube_text(&object, "metadata", "annotations", "tenon.sh/refused", NULL);
    turn->object = without_decoration(turn->arena, &object);
    if (object_decode(turn->arena, &provider->symbols, kind->group, kind->kind, &turn->object, class, &err) != OK)
        return cloud_fail(error, ERR_INVALID, "%s", err.text);
    turn->class = *class;
    turn->uid = kube_uid(&turn->object);
    turn->facts = provider_cluster_facts(provider, turn->arena);
    turn->now = provider_now(provider);
    if (!record->uid || !slice_eq_text(turn->uid, record->uid)) {
        class_record_forget(record);
        record->uid = class_text(turn->uid);
    }
    return OK;
}

static Slice hash_of(const ClassTurn *turn) {
    Arena scratch = {0};
    uint64_t hash;
    Slice text = SLICE("");
    Err err;

    if (ec2_node_class_hash(&scratch, &turn->object, turn->facts.ca_bundle, &hash, &err) == OK)
        text = arena_printf(turn->arena, "%" PRIu64, hash);
    else
        provider_log(turn->provider, AWS_LOG_ERROR, "EC2NodeClass cannot be hashed", slice_of(turn->record->name), "%s",
                     err.text);
    arena_free(&scratch);
    return text;
}

static void not_known_yet(ClassTurn *turn, CloudClass *answer, uint32_t condition) {
    vec_push(turn->arena, &answer->conditions,
             (CloudCondition){class_conditions[condition], "Unknown", SLICE("AwaitingReconciliation"), {0}});
}

// After a start, the class as it was last written is there at once; but nobody may launch with what the status in the
// API leaves out, before it was asked for.
static ErrCode publish_stored(ClassTurn *turn, Slice hash, Err *err) {
    const Ec2LaunchSpec *spec = &turn->class.launch;
    CloudClass stored = {0};
    Value object;

    if (turn->record->snapshot)
        return OK;
    if (spec->placement_group.name.len || spec->placement_group.id.len)
        not_known_yet(turn, &stored, CLASS_CONDITION_PLACEMENT_GROUP);
    if (spec->reservation_terms.count)
        not_known_yet(turn, &stored, CLASS_CONDITION_RESERVATIONS);
    object = class_answered_object(turn, &stored);
    return class_publish(turn, &object, hash, err);
}

static ErrCode answer(ClassTurn *turn, const ClassAnswer *validation, Slice hash, CloudClass *ret_class, Err *err) {
    Value object;

    *ret_class = class_answer(turn, validation, hash);
    object = class_answered_object(turn, ret_class);
    return class_publish(turn, &object, hash, err);
}

// What the class is, but for the validation, is published first: the validation needs instance types.
static ErrCode look_up(ClassTurn *turn, Slice hash, CloudClass *ret_class, Err *err) {
    ClassAnswer validation = {0};

    TRY(publish_stored(turn, hash, err));
    class_parts_ask(turn);
    TRY(answer(turn, &validation, hash, ret_class, err));
    validation = class_validate(turn);
    return answer(turn, &validation, hash, ret_class, err);
}

enum { REFUSED_AGAIN_S = 600 };

// Nothing is asked for it, and what was known of it before is not used any more.
static CloudClass refuse(ClassTurn *turn, Slice why) {
    CloudClass answer = {.after_ns = REFUSED_AGAIN_S * NS_PER_S};

    class_unpublish(turn->provider, turn->record);
    class_record_forget(turn->record);
    vec_push(turn->arena, &answer.conditions,
             (CloudCondition){class_conditions[CLASS_CONDITION_VALIDATION], "False", SLICE("NodeClassRefused"), why});
    return answer;
}

ErrCode provider_class_resolve(AwsProvider *provider, Arena *arena, Slice name, CloudClass *ret_class,
                               CloudError *error) {
    ClassRecord *record = class_record_take(provider->classes, name);
    ClassTurn turn = {.provider = provider, .record = record, .arena = arena};
    Slice refused = {0};
    ErrCode code;
    Err err = {0};

    if (!record)
        return is_taken(error, name);
    code = begin(&turn, &refused, error);
    if (code == ERR_NOT_FOUND) {
        drop(provider, record);
        return code;
    }
    if (code == OK && refused.len)
        *ret_class = refuse(&turn, refused);
    else if (code == OK && look_up(&turn, hash_of(&turn), ret_class, &err) != OK)
        code = cloud_fail(error, err.code == ERR_NOT_FOUND ? ERR_INVALID : err.code, "%s", err.text);
    class_record_give_back(provider->classes, record);
    return code;
}

// --- the end of a class

// What AWS has of the class goes; the object's uid, or, where that is gone, the one that was seen.
static ErrCode remove_made(AwsProvider *provider, Arena *arena, ClassRecord *record, CloudError *error) {
    Slice name = slice_of(record->name), uid;
    Value object;
    ErrCode code = read_object(provider, arena, name, &object, error);

    if (code != OK && code != ERR_NOT_FOUND)
        return code;
    uid = code == OK ? kube_uid(&object) : slice_of(record->uid);
    if (!provider->config.settings.isolated_vpc)
        TRY(provider_profiles_delete(provider, arena, name, uid, error));
    return provider_templates_delete(provider, name, error);
}

ErrCode provider_class_finalize(AwsProvider *provider, Slice name, CloudError *error) {
    ClassRecord *record = class_record_take(provider->classes, name);
    Arena arena = {0};
    ErrCode code;

    if (!record)
        return is_taken(error, name);
    code = remove_made(provider, &arena, record, error);
    if (code == OK)
        drop(provider, record);
    else
        class_record_give_back(provider->classes, record);
    arena_free(&arena);
    return code;
}

// --- images that aliases stand for

ErrCode provider_images_refresh(AwsProvider *provider, CloudError *error) {
    ImageLookup lookup = {.client = provider->client,
                          .book = &provider->classes->parameters,
                          .symbols = &provider->symbols,
                          .now = provider_now(provider)};
    Err err = {0};

    if (lookup_images_recheck(&lookup, &err) == OK)
        return OK;
    return cloud_fail(error, err.code == ERR_NOT_FOUND ? ERR_IO : err.code, "describing images: %s", err.text);
}
