// Instance profiles, and the end of a class. Upstream: pkg/providers/instanceprofile, nodeclass termination,
// instanceprofile.garbagecollection.
#include "cloud/aws/lookup/profile.h"
#include "cloud/aws/provider/class/profiles.h"
#include "cloud/aws/provider/class_bed.h"

#include <stdio.h>

FIXTURE(ClassBed, bed_new, bed_free);

#define REST                                                                                                           \
    "amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{tags: {d: c}}], securityGroupSelectorTerms: "  \
    "[{tags: {d: c}}]"

static ClassProfile *only_profile(ClassBed *bed) {
    ClassProfile *found = NULL;

    for (uint32_t i = 0; i < BED_PROFILES_MAX; i++) {
        if (bed->profiles[i].exists) {
            assert_null(found);
            found = &bed->profiles[i];
        }
    }
    assert_non_null(found);
    return found;
}

static const char *uid_of(ClassBed *bed) {
    Value object;

    assert_int_equal(
        kube_get(bed->kube, &bed->arena, (KubeRef){KUBE_EC2_NODE_CLASS, {0}, SLICE("default")}, &object, NULL), OK);
    return arena_text(&bed->arena, kube_uid(&object));
}

static void add_profile(ClassBed *bed, const char *name, const char *path, const char *role) {
    ClassProfile *profile = bed->profiles;

    while (profile->exists)
        profile++;
    *profile = (ClassProfile){.exists = true};
    snprintf(profile->name, sizeof profile->name, "%s", name);
    snprintf(profile->path, sizeof profile->path, "%s", path);
    snprintf(profile->role, sizeof profile->role, "%s", role);
}

static bool has_profile(ClassBed *bed, const char *name) {
    for (uint32_t i = 0; i < BED_PROFILES_MAX; i++) {
        if (bed->profiles[i].exists && strcmp(bed->profiles[i].name, name) == 0)
            return true;
    }
    return false;
}

// --- names

TEST(names_of_profiles) {
    Arena arena = {0};
    ProfileWish wish = {.cluster = SLICE("test-cluster"),
                        .region = SLICE("us-west-2"),
                        .class_name = SLICE("default"),
                        .class_uid = SLICE("u1"),
                        .role = SLICE("path/to/role")};
    Slice name = profile_name(&arena, &wish);

    // Upstream's golden of the legacy name.
    assert_true(slice_eq_text(profile_legacy_name(&arena, &wish), "test-cluster_4067990795380418201"));
    assert_true(slice_starts_with(name, SLICE("test-cluster_")));
    assert_false(slice_eq(name, profile_legacy_name(&arena, &wish)));
    assert_true(slice_eq_text(profile_class_path(&arena, &wish), "/karpenter/us-west-2/test-cluster/u1/"));
    assert_true(slice_eq_text(profile_role_name(wish.role), "role"));
    wish.role = SLICE("role"); // a path makes no other role
    assert_true(slice_eq(profile_name(&arena, &wish), name));
    wish.role = SLICE("other");
    assert_false(slice_eq(profile_name(&arena, &wish), name));
    assert_true(profile_name_is_valid(name));
    assert_false(profile_name_is_valid(SLICE("a b")));
    assert_false(profile_name_is_valid(SLICE("")));
    assert_false(profile_name_is_valid(arena_printf(&arena, "%0129d", 1)));
    arena_free(&arena);
}

// --- making

TEST_F(ClassBed, bed, a_profile_is_made_for_a_role) {
    const ClassProfile *profile;
    const char *sent;

    bed_class(bed, "{role: teams/a/node-role, tags: {team: a}, " REST "}");
    assert_int_equal(bed_resolve(bed), OK);
    profile = only_profile(bed);
    assert_string_equal(profile->role, "node-role");
    assert_string_equal(profile->path, arena_printf(&bed->arena, "/karpenter/us-east-1/c/%s/", uid_of(bed)).ptr);
    assert_string_equal(bed_status(bed, "instanceProfile"), arena_printf(&bed->arena, "\"%s\"", profile->name).ptr);
    sent = bed_sent(bed, "CreateInstanceProfile");
    assert_non_null(strstr(sent, "Key=team"));
    assert_non_null(strstr(sent, "Key=kubernetes.io%2Fcluster%2Fc"));
    assert_non_null(strstr(sent, "Key=eks%3Aeks-cluster-name"));
    assert_non_null(strstr(sent, "Key=karpenter.k8s.aws%2Fec2nodeclass"));
    assert_non_null(strstr(sent, "Key=topology.kubernetes.io%2Fregion"));
    assert_null(strstr(sent, "nodepool"));
}

TEST_F(ClassBed, bed, a_given_profile_is_not_asked_about) {
    bed_class(bed, "{instanceProfile: mine, " REST "}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_status(bed, "instanceProfile"), "\"mine\"");
    assert_int_equal(bed_calls(bed, "GetInstanceProfile"), 0);
    assert_int_equal(bed_profile_count(bed), 0);
}

TEST_F(ClassBed, bed, the_profile_of_the_status_stays) {
    add_profile(bed, "random-name", "/karpenter/us-east-1/c/x/", "node-role");
    bed_patch_class(bed, KUBE_STATUS, "{status: {instanceProfile: random-name}}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_status(bed, "instanceProfile"), "\"random-name\"");
    assert_int_equal(bed_calls(bed, "CreateInstanceProfile"), 0);
    assert_int_equal(bed_resolve(bed), OK); // by what is remembered of the first lookup
    assert_string_equal(bed_status(bed, "instanceProfile"), "\"random-name\"");
    assert_int_equal(bed_calls(bed, "GetInstanceProfile"), 1);
}

TEST_F(ClassBed, bed, another_role_gets_another_profile) {
    const char *before;

    assert_int_equal(bed_resolve(bed), OK);
    before = bed_status(bed, "instanceProfile");
    bed_write_back(bed);
    bed_patch_class(bed, KUBE_OBJECT, "{spec: {role: other}}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_not_equal(bed_status(bed, "instanceProfile"), before);
    assert_int_equal(bed_profile_count(bed), 2); // instances may still have the former one
    bed_write_back(bed);
    bed_patch_class(bed, KUBE_OBJECT, "{spec: {role: node-role}}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_status(bed, "instanceProfile"), before);
    assert_int_equal(bed_profile_count(bed), 2);
}

TEST_F(ClassBed, bed, a_profile_that_lost_its_role_gets_it_again) {
    assert_int_equal(bed_resolve(bed), OK);
    bed_write_back(bed);
    only_profile(bed)->role[0] = '\0';
    bed_pass(bed, 15 * NS_PER_MIN);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(only_profile(bed)->role, "node-role");
}

TEST_F(ClassBed, bed, a_profile_that_was_deleted_is_made_again) {
    assert_int_equal(bed_resolve(bed), OK);
    bed_write_back(bed);
    only_profile(bed)->exists = false;
    bed_pass(bed, 15 * NS_PER_MIN);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(only_profile(bed)->role, "node-role");
}

// The process dies between two calls: what it made is found, and completed.
TEST_F(ClassBed, bed, a_kill_between_creation_and_role) {
    BED_RULE(bed, .action = "AddRoleToInstanceProfile", .reply = bed_lost);
    BED_RULE(bed, .action = "DeleteInstanceProfile", .reply = bed_lost);
    BED_RULE(bed, .action = "RemoveRoleFromInstanceProfile", .reply = bed_lost);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(only_profile(bed)->role, "");
    bed_clear_rules(bed);
    bed_restart(bed);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(only_profile(bed)->role, "node-role");
    assert_string_equal(bed_condition(bed, "InstanceProfileReady"), "True");
}

// Answers that are lost after their effect: no second profile, none without a role.
TEST(lost_answers_of_iam) {
    static const char *const actions[] = {"CreateInstanceProfile", "AddRoleToInstanceProfile", "GetInstanceProfile"};

    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        ClassBed *bed = bed_new();

        BED_RULE(bed, .action = actions[i], .reply = bed_lost, .is_done_first = true, .times = 3);
        assert_int_equal(bed_resolve(bed), OK);
        bed_pass(bed, NS_PER_S);
        assert_int_equal(bed_resolve(bed), OK);
        assert_string_equal(bed_condition(bed, "InstanceProfileReady"), "True");
        assert_string_equal(only_profile(bed)->role, "node-role");
        bed_free(bed);
    }
}

TEST_F(ClassBed, bed, failed_profile_creation_cleans_up) {
    BED_RULE(bed, .action = "AddRoleToInstanceProfile", .reply = bed_fault(bed, "AccessDenied", "iam:PassRole"));
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed->class.failure.code, ERR_DENIED);
    assert_int_equal(bed_profile_count(bed), 0);
}

TEST_F(ClassBed, bed, a_role_that_is_missing_is_asked_about_once_a_minute) {
    bed_class(bed, "{role: missing-role, " REST "}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed->class.failure.code, ERR_NOT_FOUND);
    assert_int_equal(bed_profile_count(bed), 0);
    bed_pass(bed, 30 * NS_PER_S);
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed->class.failure.code, ERR_NOT_FOUND);
    assert_int_equal(bed_calls(bed, "AddRoleToInstanceProfile"), 1);
    bed_pass(bed, 30 * NS_PER_S);
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed_calls(bed, "AddRoleToInstanceProfile"), 2);
}

TEST_F(ClassBed, bed, somebody_elses_profile_is_left_alone) {
    Arena *arena = &bed->arena;
    const char *uid = uid_of(bed);
    ProfileWish wish = {.cluster = SLICE("c"),
                        .region = SLICE("us-east-1"),
                        .class_name = SLICE("default"),
                        .class_uid = slice_of(uid),
                        .role = SLICE("node-role")};

    add_profile(bed, arena_text(arena, profile_name(arena, &wish)), "/", "admin");
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed->class.failure.code, ERR_CONFLICT);
    assert_string_equal(only_profile(bed)->role, "admin");
}

// --- the end of a class

TEST_F(ClassBed, bed, the_end_of_a_class_takes_what_was_made) {
    add_profile(bed, "c_other", "/karpenter/us-east-1/c/other-uid/", "r");
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed_profile_count(bed), 2);
    assert_int_equal(provider_class_finalize(bed->provider, SLICE("default"), &bed->error), OK);
    assert_string_equal(only_profile(bed)->name, "c_other");
    assert_null(provider_class_hold(bed->provider, SLICE("default")));
    assert_null(provider_types(bed->provider, SLICE("default")));
    // Once more, and by another process.
    assert_int_equal(provider_class_finalize(bed->provider, SLICE("default"), &bed->error), OK);
    bed_restart(bed);
    assert_int_equal(provider_class_finalize(bed->provider, SLICE("default"), &bed->error), OK);
}

TEST_F(ClassBed, bed, the_legacy_profile_goes_too) {
    Arena *arena = &bed->arena;
    ProfileWish wish = {.cluster = SLICE("c"), .region = SLICE("us-east-1"), .class_name = SLICE("default")};

    add_profile(bed, arena_text(arena, profile_legacy_name(arena, &wish)), "/", "node-role");
    assert_int_equal(provider_class_finalize(bed->provider, SLICE("default"), &bed->error), OK);
    assert_int_equal(bed_profile_count(bed), 0);
}

TEST_F(ClassBed, bed, in_an_isolated_vpc_iam_is_not_asked) {
    bed->config.settings.isolated_vpc = true;
    bed_class(bed, "{instanceProfile: mine, " REST "}");
    bed_restart(bed);
    assert_int_equal(provider_version_refresh(bed->provider, NULL), OK);
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(provider_class_finalize(bed->provider, SLICE("default"), &bed->error), OK);
    assert_int_equal(provider_profiles_refresh(bed->provider, &bed->error), OK);
    assert_null(strstr(buffer_slice(&bed->actions).ptr, "InstanceProfile "));
    assert_null(strstr(buffer_slice(&bed->actions).ptr, "InstanceProfiles"));
}

// Each call of the end that fails keeps the finalizer; what was done stays done.
TEST(an_end_that_fails_is_tried_again) {
    static const struct {
        const char *action;
        ErrCode code;
    } calls[] = {
        {"ListInstanceProfiles", ERR_DENIED},          {"GetInstanceProfile", ERR_DENIED},
        {"RemoveRoleFromInstanceProfile", ERR_DENIED}, {"DeleteInstanceProfile", ERR_DENIED},
        {"DescribeLaunchTemplates", ERR_DENIED},
    };

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        ClassBed *bed = bed_new();

        assert_int_equal(bed_resolve(bed), OK);
        BED_RULE(bed, .action = calls[i].action, .reply = bed_fault(bed, "AccessDenied", "m"));
        if (provider_class_finalize(bed->provider, SLICE("default"), &bed->error) != calls[i].code)
            fail_msg("%s: %s", calls[i].action, bed->error.err.text);
        bed_clear_rules(bed);
        assert_int_equal(provider_class_finalize(bed->provider, SLICE("default"), &bed->error), OK);
        assert_int_equal(bed_profile_count(bed), 0);
        bed_free(bed);
    }
}

TEST_F(ClassBed, bed, template_deletion_failure_keeps_the_finalizer) {
    assert_int_equal(bed_resolve(bed), OK);
    BED_RULE(bed, .action = "DescribeLaunchTemplates",
             .reply = {.body = "<DescribeLaunchTemplatesResponse><launchTemplates><item><launchTemplateId>lt-1"
                               "</launchTemplateId><launchTemplateName>karpenter.k8s.aws/1</launchTemplateName></item>"
                               "</launchTemplates></DescribeLaunchTemplatesResponse>"});
    BED_RULE(bed, .action = "DeleteLaunchTemplate", .reply = bed_fault(bed, "UnauthorizedOperation", "m"));
    assert_int_equal(provider_class_finalize(bed->provider, SLICE("default"), &bed->error), ERR_DENIED);
    bed_clear_rules(bed);
    assert_int_equal(provider_class_finalize(bed->provider, SLICE("default"), &bed->error), OK);
}

TEST_F(ClassBed, bed, an_api_server_that_fails_ends_no_class) {
    assert_int_equal(bed_resolve(bed), OK);
    bed->kube_faults = 1;
    bed->kube_reason = KUBE_REASON_TIMEOUT;
    assert_int_equal(provider_class_finalize(bed->provider, SLICE("default"), &bed->error), ERR_TIMEOUT);
    assert_int_equal(bed_profile_count(bed), 1);
}

// --- collection

#define CLUSTER_PATH "/karpenter/us-east-1/c/"

TEST_F(ClassBed, bed, profiles_that_nobody_needs_are_collected) {
    assert_int_equal(bed_resolve(bed), OK);
    bed_write_back(bed);
    add_profile(bed, "left", CLUSTER_PATH "gone/", "r");
    add_profile(bed, "of-a-claim", CLUSTER_PATH "gone/", "r");
    add_profile(bed, "of-another-cluster", "/karpenter/us-east-1/c2/gone/", "r");
    add_profile(bed, "of-somebody", "/", "r");
    bed_create(bed, "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: n1, annotations: "
                    "{karpenter.k8s.aws/instance-profile-name: of-a-claim}}, spec: {nodeClassRef: {group: "
                    "karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: []}}");
    assert_int_equal(provider_profiles_refresh(bed->provider, &bed->error), OK);
    assert_int_equal(bed_profile_count(bed), 4);
    assert_false(has_profile(bed, "left"));
}

// Found by bench/aws/scale.py: 5,000 NodeClaims in one answer were more than is read.
TEST_F(ClassBed, bed, profiles_of_claims_on_later_pages_are_needed) {
    add_profile(bed, "of-the-last-claim", CLUSTER_PATH "gone/", "r");
    for (uint32_t i = 0; i <= 500; i++)
        bed_create(bed,
                   arena_printf(&bed->arena,
                                "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: n%03u, annotations: "
                                "{karpenter.k8s.aws/instance-profile-name: %s}}, spec: {nodeClassRef: {group: "
                                "karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: []}}",
                                i, i == 500 ? "of-the-last-claim" : "of-others")
                       .ptr);
    assert_int_equal(provider_profiles_refresh(bed->provider, &bed->error), OK);
    assert_true(has_profile(bed, "of-the-last-claim"));
}

TEST_F(ClassBed, bed, a_former_profile_is_kept_for_an_hour) {
    const char *before;

    assert_int_equal(bed_resolve(bed), OK);
    before = only_profile(bed)->name;
    bed_write_back(bed);
    bed_patch_class(bed, KUBE_OBJECT, "{spec: {role: other}}");
    assert_int_equal(bed_resolve(bed), OK);
    bed_write_back(bed);
    assert_int_equal(provider_profiles_refresh(bed->provider, &bed->error), OK);
    assert_int_equal(bed_profile_count(bed), 2);
    bed_pass(bed, 61 * NS_PER_MIN);
    assert_int_equal(provider_profiles_refresh(bed->provider, &bed->error), OK);
    assert_int_equal(bed_profile_count(bed), 1);
    assert_false(has_profile(bed, before));
}

// What is in use has to be known before anything is deleted.
TEST(a_collection_that_cannot_see_deletes_nothing) {
    for (uint32_t fault = 0; fault < 3; fault++) {
        ClassBed *bed = bed_new();

        add_profile(bed, "left", CLUSTER_PATH "gone/", "r");
        if (fault == 0)
            BED_RULE(bed, .action = "ListInstanceProfiles", .reply = bed_fault(bed, "AccessDenied", "m"));
        bed->kube_faults = fault;
        bed->kube_reason = KUBE_REASON_INTERNAL_ERROR;
        assert_int_not_equal(provider_profiles_refresh(bed->provider, &bed->error), OK);
        assert_int_equal(bed_profile_count(bed), 1);
        bed_free(bed);
    }
}

TEST_F(ClassBed, bed, one_profile_that_stays_does_not_hold_up_others) {
    add_profile(bed, "a-left", CLUSTER_PATH "gone/", "r");
    add_profile(bed, "b-left", CLUSTER_PATH "gone/", "r");
    BED_RULE(bed, .action = "DeleteInstanceProfile", .match = "a-left", .reply = bed_fault(bed, "AccessDenied", "m"));
    assert_int_equal(provider_profiles_refresh(bed->provider, &bed->error), ERR_DENIED);
    assert_true(has_profile(bed, "a-left"));
    assert_false(has_profile(bed, "b-left"));
}

// Found by the simulator's campaign over AWS's API: the name was the lookup's that had read the status, and was read on
// after it was freed.
TEST_F(ClassBed, bed, a_profile_of_the_status_outlives_the_lookup_that_read_it) {
    CloudClass class;
    char first[200];

    assert_int_equal(bed_resolve(bed), OK);
    snprintf(first, sizeof first, "%s", bed_status(bed, "instanceProfile"));
    bed_write_back(bed);
    bed_pass(bed, 16 * NS_PER_MIN); // it is asked for again, and found
    for (int i = 0; i < 3; i++) {
        Arena arena = {0};
        CloudError error;

        assert_int_equal(provider_class_resolve(bed->provider, &arena, SLICE("default"), &class, &error), OK);
        arena_free(&arena);
        bed_pass(bed, NS_PER_MIN);
    }
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_status(bed, "instanceProfile"), first);
}
