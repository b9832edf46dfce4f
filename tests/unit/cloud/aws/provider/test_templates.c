// Launch templates between launches: known, kept for a quarter of an hour, deleted. Upstream's area: the suite of
// launch templates, its cache and hydration (reference aws.md 3.5).
#include "cloud/aws/provider/support/ec2_world.h"

FIXTURE(World, world_new, world_free);

static uint32_t number;

static void launch(World *w) {
    const char *name = arena_printf(&w->arena, "t-%u", ++number).ptr;
    CloudResult result = world_launch_one(w, world_claim(w, name));

    if (result.code != OK)
        fail_msg("%s", result.error.err.text);
}

static void launch_blue(World *w) {
    const char *name = arena_printf(&w->arena, "t-%u", ++number).ptr;

    assert_int_equal(world_launch_one(w, world_claim_with(w, &(WorldClaim){.name = name, .labels = "team: blue"})).code,
                     OK);
}

// launchtemplate: caching, by monotonic time.
TEST_F(World, w, a_template_is_known_for_as_long_as_it_is_used) {
    launch(w);
    for (int i = 0; i < 10; i++) {
        memory_pass(w->memory, 14 * NS_PER_MIN);
        launch(w);
    }
    assert_int_equal(world_calls(w, "DescribeLaunchTemplates"), 2);
    assert_int_equal(world_calls(w, "CreateLaunchTemplate"), 1);
    assert_int_equal(world_calls(w, "DeleteLaunchTemplate"), 0);
}

// launchtemplate: what is created is logged, once.
TEST_F(World, w, a_template_is_logged_when_it_is_created) {
    launch(w);
    assert_true(slice_contains(
        buffer_slice(&w->log),
        slice_of(arena_printf(&w->arena, "created launch template: default: %s\n", w->templates.items[0]).ptr)));
    w->log.len = 0;
    launch(w);
    assert_false(slice_contains(buffer_slice(&w->log), SLICE("created launch template")));
}

// launchtemplate: eviction deletes; here by who launches next.
TEST_F(World, w, a_template_that_nobody_used_for_a_quarter_of_an_hour_is_deleted) {
    launch_blue(w);
    memory_pass(w->memory, 15 * NS_PER_MIN);
    launch(w);
    assert_int_equal(world_calls(w, "DeleteLaunchTemplate"), 1);
    assert_int_equal(w->templates.count, 1);
    launch_blue(w);
    assert_int_equal(w->templates.count, 2);
}

// launchtemplate: NotFound on eviction is ignored.
TEST_F(World, w, a_template_that_somebody_else_deleted_is_forgotten) {
    launch_blue(w);
    w->templates.count = 0;
    memory_pass(w->memory, 15 * NS_PER_MIN);
    launch(w);
    memory_pass(w->memory, 5 * NS_PER_MIN);
    launch(w);
    assert_int_equal(world_calls(w, "DeleteLaunchTemplate"), 1);
}

TEST_F(World, w, a_template_that_cannot_be_deleted_is_tried_again_five_minutes_later) {
    WorldFault *fault = world_fault(w, "DeleteLaunchTemplate", "UnauthorizedOperation");

    fault->times = 1;
    launch_blue(w);
    memory_pass(w->memory, 15 * NS_PER_MIN);
    launch(w);
    launch(w);
    assert_int_equal(world_calls(w, "DeleteLaunchTemplate"), 1);
    memory_pass(w->memory, 5 * NS_PER_MIN);
    launch(w);
    assert_int_equal(world_calls(w, "DeleteLaunchTemplate"), 2);
    assert_int_equal(w->templates.count, 1);
}

// launchtemplate: hydration; those of former processes are deleted in the same way, a few by each launch.
TEST_F(World, w, templates_of_former_processes_are_known_and_deleted) {
    for (uint32_t i = 0; i < 6; i++)
        vec_push(&w->arena, &w->templates, arena_printf(&w->arena, "karpenter.k8s.aws/%u", i).ptr);
    vec_push(&w->arena, &w->templates, "mine");
    launch(w);
    memory_pass(w->memory, 15 * NS_PER_MIN);
    launch(w);
    assert_int_equal(world_calls(w, "DeleteLaunchTemplate"), 4);
    launch(w);
    assert_int_equal(world_calls(w, "DeleteLaunchTemplate"), 6);
    assert_int_equal(w->templates.count, 2); // the user's, and that of the launches
}

TEST_F(World, w, templates_of_former_processes_that_cannot_be_listed_delay_nothing) {
    WorldFault *fault = world_fault(w, "DescribeLaunchTemplates", "UnauthorizedOperation");

    fault->times = 1;
    launch(w);
    launch(w);
    assert_int_equal(world_calls(w, "DescribeLaunchTemplates"), 2);
    memory_pass(w->memory, 5 * NS_PER_MIN);
    launch(w);
    assert_int_equal(world_calls(w, "DescribeLaunchTemplates"), 3);
    assert_true(slice_contains(buffer_slice(&w->log), SLICE("failed listing launch templates")));
}

// launchtemplate: a template that is there already is used; one that is there no longer is made.
TEST_F(World, w, a_template_that_another_process_made_meanwhile_is_used) {
    world_fault(w, "CreateLaunchTemplate", "InvalidLaunchTemplateName.AlreadyExistsException");
    launch(w);
    assert_int_equal(world_calls(w, "CreateLaunchTemplate"), 2);
    assert_int_equal(world_calls(w, "CreateFleet"), 2);
    assert_int_equal(w->templates.count, 1);
}

// launchtemplate: types of two architectures have two templates, asked for together.
TEST(templates_of_several_groups_are_asked_for_in_one_question) {
    World *w = world_new_with("", "m5.large: s:a:0.05; m6g.large arch=arm64: s:a:0.04; m7g.large arch=arm64 pods=58: "
                                  "s:a:0.06");

    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, OK);
    assert_int_equal(world_calls(w, "DescribeLaunchTemplates"), 2);
    assert_int_equal(world_calls(w, "CreateLaunchTemplate"), 3);
    assert_string_equal(w->instances.items[0].image, "ami-arm");
    w->templates.count = 2;
    world_restart(w);
    assert_int_equal(world_launch_one(w, world_claim(w, "n-2")).code, OK);
    assert_int_equal(world_calls(w, "CreateLaunchTemplate"), 4);
    world_free(w);
}

// nodeclass finalizer: deletes every template of the class; a failure keeps the finalizer.
TEST_F(World, w, a_classes_templates_are_all_deleted) {
    CloudError error = {0};

    launch(w);
    launch_blue(w);
    assert_int_equal(provider_templates_delete(w->provider, SLICE("default"), &error), OK);
    assert_int_equal(w->templates.count, 0);
    assert_non_null(strstr(world_body(w, "DescribeLaunchTemplates"), "ec2nodeclass"));
    launch(w);
    assert_int_equal(w->templates.count, 1);
}

typedef struct {
    const char *action, *code;
    ErrCode result;
    uint32_t left;
} DeletionRow;

static void list_deletions(TestCases *cases) {
    static DeletionRow rows[] = {
        {"DeleteLaunchTemplate", "UnauthorizedOperation", ERR_DENIED, 1},
        {"DeleteLaunchTemplate", "InternalFailure", ERR_INVALID, 1},
        {"DescribeLaunchTemplates", "UnauthorizedOperation", ERR_DENIED, 2},
        {"DeleteLaunchTemplate", "InvalidLaunchTemplateName.NotFoundException", OK, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].code, &rows[i]);
}

TEST_EACH(DeletionRow, row, templates_that_could_not_be_deleted_are_an_error, list_deletions) {
    World *w = world_new();
    CloudError error = {0};

    launch(w);
    launch_blue(w);
    world_fault(w, row->action, row->code);
    assert_int_equal(provider_templates_delete(w->provider, SLICE("default"), &error), row->result);
    assert_int_equal(w->templates.count, row->left);
    assert_int_equal(provider_templates_delete(w->provider, SLICE("default"), &error), OK);
    assert_int_equal(w->templates.count, 0);
    world_free(w);
}
