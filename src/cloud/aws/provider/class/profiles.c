// Instance profiles: made for classes, deleted with them, collected when nothing needs them. Reference aws.md 6.3, 7.4.
#include "cloud/aws/provider/class/profiles.h"

#include "cloud/aws/lookup/profile.h"

static const int64_t SHIELD_NS = NS_PER_HOUR;

// --- the shield: profiles that were in use a short while ago

static void drop_shield(ProviderClasses *classes, uint32_t number) {
    free(classes->shielded[number].name);
    classes->shielded[number] = classes->shielded[--classes->shielded_count];
}

static void shield(AwsProvider *provider, Slice name) {
    ProviderClasses *classes = provider->classes;
    Mono now = provider_now(provider).now;
    char *copy;

    if (!name.len)
        return;
    copy = alloc_raw(name.len + 1);
    memcpy(copy, name.ptr, name.len);
    copy[name.len] = '\0';
    pthread_mutex_lock(&classes->lock);
    for (uint32_t i = classes->shielded_count; i-- > 0;) {
        if (slice_eq_text(name, classes->shielded[i].name) || mono_reached(now, classes->shielded[i].until))
            drop_shield(classes, i);
    }
    GROW(classes->shielded, classes->shielded_capacity, classes->shielded_count + 1);
    classes->shielded[classes->shielded_count].name = copy;
    classes->shielded[classes->shielded_count++].until = mono_after(now, SHIELD_NS);
    pthread_mutex_unlock(&classes->lock);
}

static bool is_shielded(AwsProvider *provider, Slice name) {
    ProviderClasses *classes = provider->classes;
    Mono now = provider_now(provider).now;
    bool found = false;

    pthread_mutex_lock(&classes->lock);
    for (uint32_t i = 0; i < classes->shielded_count; i++)
        found |= slice_eq_text(name, classes->shielded[i].name) && !mono_reached(now, classes->shielded[i].until);
    pthread_mutex_unlock(&classes->lock);
    return found;
}

// --- of a class

static ProfileWish wish_of(const AwsProvider *provider, Slice class_name, Slice uid) {
    return (ProfileWish){.cluster = provider->config.settings.cluster_name,
                         .region = provider->region,
                         .class_name = class_name,
                         .class_uid = uid};
}

ErrCode class_profile(ClassTurn *turn, Arena *arena, Slice *ret_name, Err *err) {
    AwsProvider *provider = turn->provider;
    ProfileWish wish = wish_of(provider, slice_of(turn->record->name), turn->uid);
    Slice current = turn->class.found.instance_profile;

    wish.role = turn->class.launch.role;
    wish.tags = &turn->class.launch.tags;
    shield(provider, current);
    shield(provider, profile_name(arena, &wish)); // before it is made, lest it be collected half done
    return profile_ensure(provider->client, arena, &wish, current, ret_name, err);
}

static ErrCode failed(CloudError *error, const Err *err, const char *what) {
    return cloud_fail(error, err->code == ERR_NOT_FOUND ? ERR_IO : err->code, "%s: %s", what, err->text);
}

ErrCode provider_profiles_delete(AwsProvider *provider, Arena *arena, Slice class_name, Slice uid, CloudError *error) {
    ProfileWish wish = wish_of(provider, class_name, uid);
    Slice legacy = profile_legacy_name(arena, &wish);
    SliceVec names = {0};
    Err err = {0};

    if (uid.len && profile_list(provider->client, arena, profile_class_path(arena, &wish), &names, &err) != OK)
        return failed(error, &err, "listing instance profiles");
    if (profile_name_is_valid(legacy))
        vec_push(arena, &names, legacy);
    for (vec_each(const Slice, name, &names)) {
        if (profile_delete(provider->client, arena, *name, &err) != OK)
            return failed(error, &err, "deleting an instance profile");
    }
    return OK;
}

// --- all of the cluster's

static bool is_listed(const SliceVec *list, Slice text) {
    for (vec_each(const Slice, other, list)) {
        if (slice_eq(*other, text))
            return true;
    }
    return false;
}

typedef struct {
    Arena *arena;
    SliceVec names; // of profiles, each once
} Used;

static void note(Used *used, Slice name) {
    if (name.len && !is_listed(&used->names, name))
        vec_push(used->arena, &used->names, arena_slice(used->arena, name));
}

static void note_of_class(void *used, Arena *page, const Value *class) {
    (void)page;
    note(used, kube_text(class, "status", "instanceProfile", NULL));
}

static void note_of_claim(void *used, Arena *page, const Value *claim) {
    (void)page;
    note(used, kube_text(claim, "metadata", "annotations", "karpenter.k8s.aws/instance-profile-name", NULL));
}

static ErrCode add_used(AwsProvider *provider, KubeKind kind,
                        void (*take)(void *used, Arena *page, const Value *object), Used *used, CloudError *error) {
    KubeError fault = {0};

    if (kube_list_each(provider->config.kube, &(KubeListRequest){.kind = kind}, take, used, &fault) == OK)
        return OK;
    return cloud_fail(error, fault.err.code == ERR_NOT_FOUND ? ERR_IO : fault.err.code, "listing %s: %s",
                      kube_kind(kind)->kind.ptr, fault.err.text);
}

// Profiles are listed before what uses them: one that is made meanwhile is not on the list.
static ErrCode collect(AwsProvider *provider, Arena *arena, CloudError *error) {
    ProfileWish wish = wish_of(provider, (Slice){0}, (Slice){0});
    Used used = {.arena = arena};
    SliceVec names = {0};
    ErrCode result = OK;
    Err err = {0};

    if (profile_list(provider->client, arena, profile_cluster_path(arena, &wish), &names, &err) != OK)
        return failed(error, &err, "listing instance profiles");
    TRY(add_used(provider, KUBE_EC2_NODE_CLASS, note_of_class, &used, error));
    TRY(add_used(provider, KUBE_NODE_CLAIM, note_of_claim, &used, error));
    for (vec_each(const Slice, name, &names)) {
        if (!is_listed(&used.names, *name) && !is_shielded(provider, *name) &&
            profile_delete(provider->client, arena, *name, &err) != OK)
            result = failed(error, &err, "deleting an instance profile");
    }
    return result;
}

ErrCode provider_profiles_refresh(AwsProvider *provider, CloudError *error) {
    Arena arena = {0};
    ErrCode code = provider->config.settings.isolated_vpc ? OK : collect(provider, &arena, error);

    arena_free(&arena);
    return code;
}
