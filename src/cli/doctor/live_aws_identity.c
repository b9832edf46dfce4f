// Instance profiles first, since these name roles; then the policies of all roles.
#include "cli/doctor/live_aws_identity.h"

#include "aws/service/iam.h"
#include "cloud/aws/lookup/profile.h"

enum { POLICIES_PAGE = 100 };

static void read_profile(const AwsReading *aws, Slice name, Slice object) {
    IamGetInstanceProfileInput input = {.instance_profile_name = name};
    IamGetInstanceProfileOutput output;
    FactProfile profile = {.name = name, .object = object};

    profile.code = live_aws_ask(aws, "iam:GetInstanceProfile", &iam_get_instance_profile, &input, &output);
    if (profile.code == OK && output.instance_profile && output.instance_profile->roles.count)
        profile.role = output.instance_profile->roles.items[0].role_name;
    vec_push(aws->reading->arena, &aws->reading->facts->live.profiles, profile);
}

static Slice object_of(const AwsReading *aws, const FactClass *class) {
    return arena_printf(aws->reading->arena, "%.*s %.*s", SLICE_ARG(class->kind), SLICE_ARG(class->name));
}

static void read_profiles(const AwsReading *aws) {
    const Facts *facts = aws->reading->facts;

    for (vec_each(const FactClass, class, &facts->classes)) {
        if (class->profile.len)
            read_profile(aws, class->profile, object_of(aws, class));
    }
    if (facts->profile.is_given && facts->profile.value.len)
        read_profile(aws, facts->profile.value, SLICE("ConfigMap karpenter-global-settings"));
}

// --- roles

static void add_role(const AwsReading *aws, Slice name, Slice object) {
    FactRoleVec *roles = &aws->reading->facts->live.roles;

    if (!name.len)
        return;
    for (vec_each(const FactRole, role, roles)) {
        if (slice_eq(role->name, name))
            return;
    }
    vec_push(aws->reading->arena, roles, (FactRole){.name = name, .object = object});
}

static void add_roles(const AwsReading *aws) {
    const Facts *facts = aws->reading->facts;

    for (vec_each(const FactClass, class, &facts->classes))
        add_role(aws, profile_role_name(class->role), object_of(aws, class));
    for (vec_each(const FactProfile, profile, &facts->live.profiles))
        add_role(aws, profile->role, profile->object);
}

typedef struct {
    Arena *arena;
    FactRole *role;
} PolicyReading;

static bool take_policies(void *context, const void *output) {
    const PolicyReading *reading = context;
    const IamListAttachedRolePoliciesOutput *page = output;

    for (vec_each(const IamAttachedPolicy, policy, &page->attached_policies))
        vec_push(reading->arena, &reading->role->policies, arena_slice(reading->arena, policy->policy_arn));
    return true;
}

static void read_policies(const AwsReading *aws, FactRole *role) {
    IamListAttachedRolePoliciesInput input = {.role_name = role->name, .max_items = aws_integer(POLICIES_PAGE)};
    PolicyReading reading = {aws->reading->arena, role};

    role->call = live_aws_list_beside(aws, "iam:ListAttachedRolePolicies", &iam_list_attached_role_policies, &input,
                                      &(AwsPageVisitor){take_policies, &reading});
}

void live_read_identity(const AwsReading *aws) {
    read_profiles(aws);
    add_roles(aws);
    for (vec_each(FactRole, role, &aws->reading->facts->live.roles))
        read_policies(aws, role);
}
