// The memory of controllers: made as their table row says, and freed completely.
#include "ctl/common/notes.h"
#include "ctl/controller.h"
#include "harness/test.h"

typedef struct {
    Key key;
    int value;
} Small;

typedef struct {
    Key key;
    int64_t values[10];
} Large;

typedef struct {
    int first;
    NoteTable small, large;
    Arena arena;
    int64_t idle_ns;
} Memory;

static int released;

static void init(void *self, const Settings *settings) {
    ((Memory *)self)->idle_ns = settings->batch_idle_ns;
}

static void release(void *self) {
    arena_free(&((Memory *)self)->arena);
    released++;
}

TEST(memory_is_zeroed_and_its_notes_are_ready) {
    const Controller row = {
        .memory_size = sizeof(Memory),
        .notes = {{offsetof(Memory, small), sizeof(Small)}, {offsetof(Memory, large), sizeof(Large)}},
    };
    Memory *memory = controller_new(&row, &(Settings){0});

    assert_int_equal(memory->first, 0);
    assert_int_equal(memory->idle_ns, 0);
    for (uint32_t i = 1; i <= 100; i++) {
        ((Small *)notes_add(&memory->small, (Key){.name = i}))->value = (int)i;
        ((Large *)notes_add(&memory->large, (Key){.name = i}))->values[9] = i;
    }
    assert_int_equal(((Small *)notes_find(&memory->small, (Key){.name = 70}))->value, 70);
    assert_int_equal(((Large *)notes_find(&memory->large, (Key){.name = 70}))->values[9], 70);
    controller_free(&row, memory); // the address sanitizer reports leaks
}

TEST(release_frees_what_the_memory_owns) {
    const Controller row = {.memory_size = sizeof(Memory), .init = init, .release = release};
    Memory *memory = controller_new(&row, &(Settings){.batch_idle_ns = 7});

    assert_int_equal(memory->idle_ns, 7);
    arena_alloc(&memory->arena, 1000);
    released = 0;
    controller_free(&row, memory);
    assert_int_equal(released, 1);
}

TEST(a_controller_may_have_no_memory) {
    const Controller row = {.name = "none"};

    assert_null(controller_new(&row, &(Settings){0}));
    controller_free(&row, NULL);
}
