// Profiles: found, made, deleted.
#include "cloud/aws/lookup/profile.h"

#include "cloud/aws/nodeclass/class_tags.h"
#include "model/hash/struct_hash.h"

#include <inttypes.h>

enum { NAME_MAX_LEN = 128, PAGE = 1000 };

// --- names

static Slice hashed_name(Arena *arena, const ProfileWish *wish, Slice unique) {
    Slice text =
        arena_printf(arena, "%.*s%.*s%.*s", SLICE_ARG(wish->region), SLICE_ARG(wish->class_name), SLICE_ARG(unique));

    return arena_printf(arena, "%.*s_%" PRIu64, SLICE_ARG(wish->cluster), struct_hash_text(text));
}

// Upstream has a random UUID where this has the class's uid and the role.
Slice profile_name(Arena *arena, const ProfileWish *wish) {
    return hashed_name(
        arena, wish,
        arena_printf(arena, "%.*s/%.*s", SLICE_ARG(wish->class_uid), SLICE_ARG(profile_role_name(wish->role))));
}

Slice profile_legacy_name(Arena *arena, const ProfileWish *wish) {
    return hashed_name(arena, wish, SLICE(""));
}

Slice profile_cluster_path(Arena *arena, const ProfileWish *wish) {
    return arena_printf(arena, "/karpenter/%.*s/%.*s/", SLICE_ARG(wish->region), SLICE_ARG(wish->cluster));
}

Slice profile_class_path(Arena *arena, const ProfileWish *wish) {
    return arena_printf(arena, "%.*s%.*s/", SLICE_ARG(profile_cluster_path(arena, wish)), SLICE_ARG(wish->class_uid));
}

Slice profile_role_name(Slice role) {
    return slice_after_last(role, '/');
}

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_+=,.@-", c) != NULL);
}

bool profile_name_is_valid(Slice name) {
    for (size_t i = 0; i < name.len; i++) {
        if (!is_name_char(name.ptr[i]))
            return false;
    }
    return name.len > 0 && name.len <= NAME_MAX_LEN;
}

// --- one profile

// The profile; NULL: there is none of that name.
static ErrCode get(AwsClient *client, Arena *arena, Slice name, const IamInstanceProfile **ret_profile, Err *err) {
    IamGetInstanceProfileInput input = {.instance_profile_name = name};
    IamGetInstanceProfileOutput output;
    AwsOutcome outcome = {0};
    ErrCode code = aws_call(client, arena, &iam_get_instance_profile, &input, NULL, &output, &outcome, err);

    *ret_profile = NULL;
    if (code != OK)
        return outcome.kind == AWS_NOT_FOUND ? OK : code;
    if (!output.instance_profile)
        return err_set(err, ERR_INVALID, "iam GetInstanceProfile: the answer has no profile");
    *ret_profile = output.instance_profile;
    return OK;
}

static bool has_role(const IamInstanceProfile *profile, Slice role) {
    return profile->roles.count && slice_eq(profile->roles.items[0].role_name, profile_role_name(role));
}

static ErrCode remove_role(AwsClient *client, Arena *arena, Slice name, Slice role, Err *err) {
    IamRemoveRoleFromInstanceProfileInput input = {name, role};
    AwsOutcome outcome = {0};
    ErrCode code = aws_call(client, arena, &iam_remove_role_from_instance_profile, &input, NULL, NULL, &outcome, err);

    return code != OK && outcome.kind == AWS_NOT_FOUND ? OK : code;
}

static ErrCode remove_roles(AwsClient *client, Arena *arena, const IamInstanceProfile *profile, Slice name, Err *err) {
    for (vec_each(const IamRole, role, &profile->roles))
        TRY(remove_role(client, arena, name, role->role_name, err));
    return OK;
}

ErrCode profile_delete(AwsClient *client, Arena *arena, Slice name, Err *err) {
    IamDeleteInstanceProfileInput input = {name};
    const IamInstanceProfile *profile;
    AwsOutcome outcome = {0};
    ErrCode code;

    TRY(get(client, arena, name, &profile, err));
    if (!profile)
        return OK;
    TRY(remove_roles(client, arena, profile, name, err));
    code = aws_call(client, arena, &iam_delete_instance_profile, &input, NULL, NULL, &outcome, err);
    return code != OK && outcome.kind == AWS_NOT_FOUND ? OK : code;
}

// --- making one

static ErrCode create(AwsClient *client, Arena *arena, const ProfileWish *wish, Slice name, AwsOutcome *outcome,
                      Err *err) {
    IamCreateInstanceProfileInput input = {name, profile_class_path(arena, wish), {0}};
    Ec2TagVec tags = class_tags(arena, wish->tags, &(Ec2Owner){wish->cluster, {0}, wish->class_name});
    IamCreateInstanceProfileOutput output;

    for (vec_each(const Ec2Tag, tag, &tags)) {
        if (!slice_eq_text(tag->key, "karpenter.sh/nodepool") &&
            !slice_eq_text(tag->key, "topology.kubernetes.io/region"))
            vec_push(arena, &input.tags, (IamTag){tag->key, tag->value});
    }
    vec_push(arena, &input.tags, (IamTag){SLICE("topology.kubernetes.io/region"), wish->region});
    return aws_call(client, arena, &iam_create_instance_profile, &input, NULL, &output, outcome, err);
}

static ErrCode no_role(const ProfileWish *wish, Err *err) {
    return err_set(err, ERR_NOT_FOUND,
                   "role \"%.*s\" of spec.role does not exist; see aws iam get-role --role-name %.*s",
                   SLICE_ARG(wish->role), SLICE_ARG(profile_role_name(wish->role)));
}

static ErrCode add_role(AwsClient *client, Arena *arena, const ProfileWish *wish, Slice name, Err *err) {
    IamAddRoleToInstanceProfileInput input = {name, profile_role_name(wish->role)};
    const IamInstanceProfile *profile = NULL;
    AwsOutcome outcome = {0};
    ErrCode code = aws_call(client, arena, &iam_add_role_to_instance_profile, &input, NULL, NULL, &outcome, err);

    if (code == OK)
        return OK;
    if (outcome.kind == AWS_NOT_FOUND && slice_contains(outcome.fault.message, SLICE("role")))
        return no_role(wish, err);
    // An answer that was lost, or another process that was quicker: the profile has its role.
    if (outcome.may_be_done || slice_eq_text(outcome.fault.code, "LimitExceeded")) {
        if (get(client, arena, name, &profile, NULL) == OK && profile && has_role(profile, wish->role))
            return OK;
    }
    return code == ERR_NOT_FOUND ? err_set(err, ERR_IO, "instance profile %.*s is not there yet", SLICE_ARG(name))
                                 : code;
}

// Takes over a profile that is there: one that was made before, by a process that died or with another role.
static ErrCode take_over(AwsClient *client, Arena *arena, const ProfileWish *wish, Slice name, bool *ret_is_complete,
                         Err *err) {
    const IamInstanceProfile *profile;

    TRY(get(client, arena, name, &profile, err));
    if (!profile)
        return err_set(err, ERR_IO, "instance profile %.*s is there and not there", SLICE_ARG(name));
    if (!slice_starts_with(profile->path, profile_cluster_path(arena, wish)))
        return err_set(err, ERR_CONFLICT,
                       "instance profile %.*s was not made for this cluster; see aws iam get-instance-profile",
                       SLICE_ARG(name));
    *ret_is_complete = has_role(profile, wish->role);
    return *ret_is_complete ? OK : remove_roles(client, arena, profile, name, err);
}

static ErrCode make(AwsClient *client, Arena *arena, const ProfileWish *wish, Slice name, Err *err) {
    AwsOutcome outcome = {0};
    bool is_complete = false;
    ErrCode code = create(client, arena, wish, name, &outcome, err);
    bool is_new = code == OK;

    if (!is_new && outcome.kind != AWS_ALREADY_EXISTS)
        return code;
    if (!is_new)
        TRY(take_over(client, arena, wish, name, &is_complete, err));
    if (is_complete)
        return OK;
    code = add_role(client, arena, wish, name, err);
    if (code != OK && is_new)
        (void)profile_delete(client, arena, name, NULL);
    return code;
}

ErrCode profile_ensure(AwsClient *client, Arena *arena, const ProfileWish *wish, Slice current, Slice *ret_name,
                       Err *err) {
    const IamInstanceProfile *profile = NULL;
    Slice name = profile_name(arena, wish);

    if (current.len)
        TRY(get(client, arena, current, &profile, err));
    if (profile && has_role(profile, wish->role)) {
        *ret_name = arena_slice(arena, current);
        return OK;
    }
    TRY(make(client, arena, wish, name, err));
    *ret_name = name;
    return OK;
}

// --- many

typedef struct {
    Arena *arena;
    Slice path;
    SliceVec *names;
} ListPages;

static bool take_profiles(void *context, const void *output) {
    const IamListInstanceProfilesOutput *page = output;
    ListPages *pages = context;

    for (vec_each(const IamInstanceProfile, profile, &page->instance_profiles)) {
        if (profile->instance_profile_name.len && slice_starts_with(profile->path, pages->path))
            vec_push(pages->arena, pages->names, arena_slice(pages->arena, profile->instance_profile_name));
    }
    return true;
}

ErrCode profile_list(AwsClient *client, Arena *arena, Slice path, SliceVec *ret_names, Err *err) {
    IamListInstanceProfilesInput input = {.path_prefix = path, .max_items = aws_integer(PAGE)};
    SliceVec names = {0};
    ListPages pages = {arena, path, &names};
    AwsPageVisitor visitor = {take_profiles, &pages};

    TRY(aws_pages(client, arena, &iam_list_instance_profiles, &input, NULL, &visitor, NULL, err));
    *ret_names = names;
    return OK;
}
