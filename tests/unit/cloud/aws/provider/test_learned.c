// Memory that nodes taught, and how it outlives a restart: upstream's area "instance types" (providers.instancetype
// .capacity). Reference aws.md 7.5.
#include "cloud/support/provider_world.h"
#include "text/value_edit.h"

#define AMIS                                                                                                           \
    "status:\n  amis:\n  - {id: ami-1, name: one, requirements: [{key: kubernetes.io/arch, operator: In, values: "     \
    "[amd64]}]}\n  - {id: ami-2, name: two, requirements: [{key: kubernetes.io/arch, operator: In, values: "           \
    "[arm64]}]}\n"                                                                                                     \
    "  subnets: [{id: s, zone: us-east-1a, zoneID: use1-az1}]\n"

static ProviderWorld *setup(void) {
    ProviderWorld *w = provider_world("us-east-1", NULL);

    provider_class(w, "default", AMIS);
    memory_pass(w->memory, NS_PER_HOUR);
    return w;
}

FIXTURE(ProviderWorld, setup, provider_world_free);

static void learn(ProviderWorld *w, const char *image, const char *type, int64_t bytes) {
    NodeClaim claim = {.image_id = provider_word(w, image)};

    labels_set(&w->arena, &claim.meta.labels, NAME_INSTANCE_TYPE, provider_word(w, type));
    assert_int_equal(provider_learn(w->provider, &claim, bytes, &w->error), OK);
}

static int64_t memory_of(ProviderWorld *w, const char *type) {
    memory_pass(w->memory, NS_PER_S);
    return resources_get(
        &instance_type_find(provider_types(w->provider, SLICE("default")), provider_word(w, type))->capacity,
        NAME_MEMORY);
}

static const char *kept(ProviderWorld *w, const char *image) {
    const Value *text = w->config_map ? value_at(w->config_map, "data", image, NULL) : NULL;

    return text && text->kind == VALUE_STRING ? arena_text(&w->arena, text->text) : NULL;
}

static void keep(ProviderWorld *w, const char *data) {
    w->config_map = arena_new(&w->arena, Value);
    *w->config_map =
        test_yaml(&w->arena, arena_printf(&w->arena, "metadata: {name: tenon-learned-memory}\n%s", data).ptr);
}

#define LARGE INT64_C(7934472192)

TEST_F(ProviderWorld, w, a_node_teaches_its_type) {
    int64_t computed = memory_of(w, "m5.large"), other = memory_of(w, "m5.xlarge");

    learn(w, "ami-1", "m5.large", LARGE);
    assert_int_equal(memory_of(w, "m5.large"), LARGE);
    assert_int_not_equal(computed, LARGE);
    assert_int_equal(memory_of(w, "m5.xlarge"), other);
}

TEST_F(ProviderWorld, w, the_smallest_counts) {
    learn(w, "ami-1", "m5.large", LARGE);
    learn(w, "ami-1", "m5.large", LARGE + 1);
    assert_int_equal(memory_of(w, "m5.large"), LARGE);
    learn(w, "ami-1", "m5.large", LARGE - 1);
    assert_int_equal(memory_of(w, "m5.large"), LARGE - 1);
}

TEST_F(ProviderWorld, w, another_image_teaches_nothing_of_this_one) {
    int64_t computed = memory_of(w, "m5.large");

    learn(w, "ami-9", "m5.large", LARGE);
    learn(w, "ami-2", "m5.large", LARGE); // of another architecture
    assert_int_equal(memory_of(w, "m5.large"), computed);
}

TEST_F(ProviderWorld, w, a_class_with_new_images_begins_anew_and_goes_back) {
    int64_t computed = memory_of(w, "m5.large");

    learn(w, "ami-1", "m5.large", LARGE);
    provider_class(w, "default",
                   "status:\n  amis: [{id: ami-3, name: one, requirements: []}]\n"
                   "  subnets: [{id: s, zone: us-east-1a, zoneID: use1-az1}]\n");
    assert_int_equal(memory_of(w, "m5.large"), computed);
    provider_class(w, "default", AMIS);
    assert_int_equal(memory_of(w, "m5.large"), LARGE);
}

TEST_F(ProviderWorld, w, a_class_that_comes_later_has_learned_too) {
    learn(w, "ami-1", "m5.large", LARGE);
    provider_class(w, "later", AMIS);
    assert_int_equal(
        resources_get(
            &instance_type_find(provider_types(w->provider, SLICE("later")), provider_word(w, "m5.large"))->capacity,
            NAME_MEMORY),
        LARGE);
}

TEST_F(ProviderWorld, w, the_base_of_the_list_is_not_touched) {
    const InstanceTypeVec *before = provider_types(w->provider, SLICE("default"));
    int64_t computed = memory_of(w, "m5.large");

    learn(w, "ami-1", "m5.large", LARGE);
    assert_int_equal(memory_of(w, "m5.large"), LARGE);
    assert_int_equal(resources_get(&instance_type_find(before, provider_word(w, "m5.large"))->capacity, NAME_MEMORY),
                     computed);
}

// --- kept

TEST_F(ProviderWorld, w, the_first_lesson_makes_the_config_map) {
    learn(w, "ami-1", "m5.large", LARGE);
    assert_int_equal(w->kube_creates, 1);
    assert_string_equal(kept(w, "ami-1"), "m5.large 7934472192 2026-11-23T09:00:00Z\n");
}

TEST_F(ProviderWorld, w, a_restart_loses_nothing) {
    learn(w, "ami-1", "m5.large", LARGE);
    provider_world_restart(w);
    provider_class(w, "default", AMIS);
    provider_script_reply(w, (Scripted){NULL, NULL, {.code = ERR_IO}, 0, 0});
    provider_types_refresh(w->provider, &w->error);
    assert_int_equal(memory_of(w, "m5.large"), LARGE);
}

TEST_F(ProviderWorld, w, what_was_kept_is_read_before_the_first_lesson) {
    keep(w, "data: {ami-1: \"m5.xlarge 15000000000 2026-11-23T08:00:00Z\\n\"}\n");
    learn(w, "ami-1", "m5.large", LARGE);
    assert_int_equal(memory_of(w, "m5.xlarge"), INT64_C(15000000000));
    assert_int_equal(w->kube_creates, 0);
    assert_int_equal(w->kube_patches, 1);
    assert_non_null(strstr(kept(w, "ami-1"), "m5.xlarge 15000000000"));
    assert_non_null(strstr(kept(w, "ami-1"), "m5.large 7934472192"));
}

TEST_F(ProviderWorld, w, it_is_written_once_a_minute_at_most) {
    learn(w, "ami-1", "m5.large", LARGE);
    for (int i = 0; i < 20; i++)
        learn(w, "ami-1", "m5.large", LARGE - 1 - i);
    assert_int_equal(w->kube_patches, 1); // which found nothing, and made it
    memory_pass(w->memory, NS_PER_MIN);
    provider_learned_write(w->provider);
    assert_int_equal(w->kube_patches, 2);
    assert_non_null(strstr(kept(w, "ami-1"), "m5.large 7934472172 "));
}

TEST_F(ProviderWorld, w, nothing_new_is_not_written) {
    learn(w, "ami-1", "m5.large", LARGE);
    memory_pass(w->memory, NS_PER_HOUR);
    learn(w, "ami-1", "m5.large", LARGE);
    provider_learned_write(w->provider);
    assert_int_equal(w->kube_patches, 1);
}

TEST_F(ProviderWorld, w, what_is_too_old_leaves_the_config_map) {
    keep(w, "data: {ami-0: \"m5.large 7000000000 2026-09-20T08:00:00Z\\n\", other: kept}\n");
    learn(w, "ami-1", "m5.large", LARGE);
    assert_null(kept(w, "ami-0"));
    assert_non_null(kept(w, "ami-1"));
}

TEST_F(ProviderWorld, w, lines_that_cannot_be_read_are_passed_over) {
    keep(w, "data: {ami-1: \"m5.large x y\\nm5.xlarge 15000000000 2026-11-23T08:00:00Z\\n\", ami-2: \"?\"}\n");
    learn(w, "ami-1", "c5.large", LARGE);
    assert_int_equal(memory_of(w, "m5.xlarge"), INT64_C(15000000000));
    assert_true(provider_logged(w, "passed over lines of learned memory that cannot be read"));
}

TEST_F(ProviderWorld, w, what_could_not_be_read_is_not_overwritten) {
    keep(w, "data: {ami-1: \"m5.xlarge 15000000000 2026-11-23T08:00:00Z\\n\"}\n");
    w->kube_get_code = ERR_IO;
    learn(w, "ami-1", "m5.large", LARGE);
    assert_int_equal(w->kube_patches, 0);
    assert_int_equal(memory_of(w, "m5.large"), LARGE);
    w->kube_get_code = OK;
    learn(w, "ami-1", "m5.large", LARGE - 1);
    assert_int_equal(w->kube_gets, 1); // a minute between two tries
    memory_pass(w->memory, NS_PER_MIN);
    learn(w, "ami-1", "m5.large", LARGE - 2);
    assert_int_equal(memory_of(w, "m5.xlarge"), INT64_C(15000000000));
    assert_non_null(strstr(kept(w, "ami-1"), "m5.xlarge 15000000000"));
    assert_non_null(strstr(kept(w, "ami-1"), "m5.large 7934472190"));
}

TEST_F(ProviderWorld, w, a_write_that_fails_is_made_later) {
    w->kube_patch_code = ERR_IO;
    learn(w, "ami-1", "m5.large", LARGE);
    assert_null(w->config_map);
    assert_true(provider_logged(w, "ERROR cannot write learned memory"));
    w->kube_patch_code = OK;
    memory_pass(w->memory, NS_PER_MIN);
    provider_learned_write(w->provider);
    assert_non_null(kept(w, "ami-1"));
}

TEST_F(ProviderWorld, w, missing_rights_are_said_once_and_learning_goes_on) {
    w->kube_get_code = ERR_DENIED;
    for (int i = 0; i < 5; i++) {
        learn(w, "ami-1", "m5.large", LARGE - i);
        memory_pass(w->memory, 2 * NS_PER_MIN);
    }
    assert_int_equal(w->kube_gets, 5);
    assert_true(provider_logged(w, "until tenon may get, create and patch configmaps in namespace kube-system"));
    assert_null(strstr(strstr(w->log.bytes, "configmaps is forbidden") + 1, "configmaps is forbidden"));
    assert_int_equal(memory_of(w, "m5.large"), LARGE - 4);
}

TEST_F(ProviderWorld, w, nonsense_is_not_learned) {
    int64_t computed = memory_of(w, "m5.large");
    NodeClaim nameless = {.image_id = provider_word(w, "ami-1")};

    learn(w, "ami-1", "m5.large", 0);
    learn(w, "ami-1", "m5.large", -1);
    learn(w, "", "m5.large", LARGE);
    assert_int_equal(provider_learn(w->provider, &nameless, LARGE, &w->error), OK);
    assert_int_equal(memory_of(w, "m5.large"), computed);
    assert_int_equal(w->kube_patches, 0);
}
