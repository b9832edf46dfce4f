// Instance profiles. Every role exists.
#include "aws/service/iam.h"
#include "sim/wire/wire_parts.h"

enum { PAGE = 100 };

static WireProfile *find(const SimAws *aws, Slice name) {
    for (vec_each(WireProfile, profile, &aws->profiles)) {
        if (slice_eq(profile->name, name))
            return profile;
    }
    return NULL;
}

static WireFault not_there(void) {
    return (WireFault){404, "NoSuchEntity", SLICE("there is no such instance profile")};
}

static IamInstanceProfile show(Arena *arena, const WireProfile *profile) {
    IamInstanceProfile shown = {.instance_profile_name = profile->name, .path = profile->path};

    if (profile->role.len)
        vec_push(arena, &shown.roles, (IamRole){profile->role});
    return shown;
}

static const IamInstanceProfile *shown(Arena *arena, const WireProfile *profile) {
    IamInstanceProfile *copy = arena_new(arena, IamInstanceProfile);

    *copy = show(arena, profile);
    return copy;
}

WireFault wire_get_profile(WireCall *call) {
    const IamGetInstanceProfileInput *input = call->input;
    const WireProfile *profile = find(call->aws, input->instance_profile_name);

    if (!profile)
        return not_there();
    ((IamGetInstanceProfileOutput *)call->output)->instance_profile = shown(call->arena, profile);
    return wire_fine();
}

WireFault wire_create_profile(WireCall *call) {
    const IamCreateInstanceProfileInput *input = call->input;
    Arena *arena = &call->aws->arena;
    WireProfile *profile;

    if (find(call->aws, input->instance_profile_name))
        return (WireFault){409, "EntityAlreadyExists", SLICE("there is one of that name")};
    profile = vec_add(arena, &call->aws->profiles);
    *profile = (WireProfile){.name = arena_slice(arena, input->instance_profile_name),
                             .path = arena_slice(arena, input->path)};
    ((IamCreateInstanceProfileOutput *)call->output)->instance_profile = shown(call->arena, profile);
    return wire_fine();
}

WireFault wire_add_role(WireCall *call) {
    const IamAddRoleToInstanceProfileInput *input = call->input;
    WireProfile *profile = find(call->aws, input->instance_profile_name);

    if (!profile)
        return not_there();
    if (profile->role.len)
        return (WireFault){409, "LimitExceeded", SLICE("a profile has one role at most")};
    profile->role = arena_slice(&call->aws->arena, input->role_name);
    return wire_fine();
}

WireFault wire_remove_role(WireCall *call) {
    const IamRemoveRoleFromInstanceProfileInput *input = call->input;
    WireProfile *profile = find(call->aws, input->instance_profile_name);

    if (!profile || !slice_eq(profile->role, input->role_name))
        return not_there();
    profile->role = (Slice){0};
    return wire_fine();
}

WireFault wire_delete_profile(WireCall *call) {
    const IamDeleteInstanceProfileInput *input = call->input;
    WireProfile *profile = find(call->aws, input->instance_profile_name);

    if (!profile)
        return not_there();
    if (profile->role.len)
        return (WireFault){409, "DeleteConflict", SLICE("it has a role")};
    *profile = *vec_last(&call->aws->profiles);
    call->aws->profiles.count--;
    return wire_fine();
}

WireFault wire_list_profiles(WireCall *call) {
    const IamListInstanceProfilesInput *input = call->input;
    IamListInstanceProfilesOutput *output = call->output;
    uint32_t from, to;

    output->marker =
        wire_page(call->arena, input->marker, input->max_items, PAGE, call->aws->profiles.count, &from, &to);
    for (uint32_t i = from; i < to; i++) {
        const WireProfile *profile = &call->aws->profiles.items[i];

        if (slice_starts_with(profile->path, input->path_prefix))
            vec_push(call->arena, &output->instance_profiles, show(call->arena, profile));
    }
    return wire_fine();
}
