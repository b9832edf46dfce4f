// The seeds' manifests converted: equal to goldens, with their warnings; converting again changes nothing. Reference
// legacy.md 6.3 and 7 (S12).
#include "cli/legacy/convert.h"

#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>

#define SEEDS TENON_SOURCE_DIR "/tests/seeds/"

typedef struct {
    Arena arena;
    ConvertOptions options;
    Buffer out, messages;
} World;

static World *world_setup(void) {
    return calloc(1, sizeof(World));
}

static void world_teardown(World *world) {
    buffer_free(&world->out);
    buffer_free(&world->messages);
    arena_free(&world->arena);
    free(world);
}

FIXTURE(World, world_setup, world_teardown);

static Slice read_seed(World *world, const char *name) {
    Slice path = arena_printf(&world->arena, SEEDS "%s%c", name, 0);
    FILE *file = fopen(path.ptr, "rb");
    char bytes[1 << 16];
    size_t count;

    if (!file)
        fail_msg("%s cannot be opened", path.ptr);
    count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(count > 0 && count < sizeof bytes);
    return arena_slice(&world->arena, (Slice){bytes, count});
}

static void add_text(World *world, const char *name, Slice text) {
    vec_push(&world->arena, &world->options.inputs, (InputText){slice_of(name), text});
}

static void add_seed(World *world, const char *name) {
    add_text(world, name, read_seed(world, name));
}

static int convert(World *world, ConvertTarget target) {
    world->options.target = target;
    world->out.len = world->messages.len = 0;
    return convert_run(&world->options, &world->out, &world->messages);
}

static void assert_bytes(Slice actual, Slice expected) {
    if (!slice_eq(actual, expected))
        fail_msg("expected:\n%.*s\ngot:\n%.*s", SLICE_ARG(expected), SLICE_ARG(actual));
}

static void assert_golden(World *world, ConvertTarget target, const char *yaml, const char *warnings) {
    assert_int_equal(convert(world, target), 0);
    assert_bytes(buffer_slice(&world->out), read_seed(world, yaml));
    assert_bytes(buffer_slice(&world->messages), read_seed(world, warnings));
}

// Converts what came out, in the other format: the same, and nothing is said.
static void assert_settled(World *world, ConvertTarget target) {
    Slice before = arena_slice(&world->arena, buffer_slice(&world->out));

    world->options.json = true;
    assert_int_equal(convert(world, target), 0);
    world->options.inputs.count = 0;
    add_text(world, "json", arena_slice(&world->arena, buffer_slice(&world->out)));
    world->options.json = false;
    assert_int_equal(convert(world, target), 0);
    assert_bytes(buffer_slice(&world->out), before);
    assert_bytes(buffer_slice(&world->messages), SLICE(""));
}

// R132 R133 R134 R135 R136 R140 R141 R143 R144 R145: seed 001.
TEST_F(World, world, seed_001_becomes_a_pool_and_a_class) {
    add_seed(world, "001-provisioner.yaml");
    assert_golden(world, CONVERT_TO_V1BETA1, "golden/001.v1beta1.yaml", "golden/001.v1beta1.txt");
    assert_golden(world, CONVERT_TO_V1, "golden/001.v1.yaml", "golden/001.v1.txt");
    assert_settled(world, CONVERT_TO_V1);
}

// R017 R019 R020 R021 R022 R043 R044 R045 R046 R047 R048 R049 R050 R051 R052: seed 002.
TEST_F(World, world, seed_002_becomes_a_pool_and_a_class) {
    add_seed(world, "002-provisioner.yaml");
    add_seed(world, "002-awsnodetemplate.yaml");
    assert_golden(world, CONVERT_TO_V1BETA1, "golden/002.v1beta1.yaml", "golden/002.v1beta1.txt");
    assert_golden(world, CONVERT_TO_V1, "golden/002.v1.yaml", "golden/002.v1.txt");
    assert_settled(world, CONVERT_TO_V1);
}

TEST_F(World, world, v1beta1_on_the_way_gives_the_same_v1) {
    Slice direct;

    add_seed(world, "002-provisioner.yaml");
    add_seed(world, "002-awsnodetemplate.yaml");
    assert_int_equal(convert(world, CONVERT_TO_V1), 0);
    direct = arena_slice(&world->arena, buffer_slice(&world->out));
    assert_int_equal(convert(world, CONVERT_TO_V1BETA1), 0);
    assert_settled(world, CONVERT_TO_V1BETA1);
    assert_int_equal(convert(world, CONVERT_TO_V1), 0);
    assert_bytes(buffer_slice(&world->out), direct);
}

// R043: with --strict the key that is given twice is an error, and nothing is printed.
TEST_F(World, world, strict_refuses_what_would_be_a_warning) {
    add_seed(world, "002-provisioner.yaml");
    world->options.strict = true;
    assert_int_equal(convert(world, CONVERT_TO_V1), EXIT_BAD_INPUT);
    assert_int_equal(world->out.len, 0);
    assert_bytes(buffer_slice(&world->messages),
                 SLICE("error: 002-provisioner.yaml:22: W01 key \"requirements\" is given again (first at line 12); "
                       "the last one counts\n"));
}

TEST_F(World, world, no_documents_are_an_error) {
    add_text(world, "empty.yaml", SLICE("# nothing\n"));
    assert_int_equal(convert(world, CONVERT_TO_V1), EXIT_BAD_INPUT);
    assert_bytes(buffer_slice(&world->messages), SLICE("error: no objects passed to convert\n"));
}
