// Strands: turns by virtual time, one at a time, and ends in a hurry.
#include "base/buffer.h"
#include "harness/test.h"
#include "sim/controller/strand.h"

typedef struct {
    World *world;
    Strands *strands;
    Buffer told;
} Bed;

typedef struct {
    Bed *bed;
    char name;
    int64_t rest_ns;
    uint32_t times;
} Task;

static void tell(Task *task, char what) {
    buffer_printf(&task->bed->told, "%c%c ", task->name, what);
}

static void work(void *context) {
    Task *task = context;

    for (uint32_t i = 0; i < task->times; i++) {
        tell(task, '.');
        if (!strands_rest(task->bed->strands, task->rest_ns)) {
            tell(task, '!');
            return;
        }
    }
}

static void ended(void *context) {
    tell(context, '$');
}

static void begin(void *context) {
    Task *task = context;

    strands_begin(task->bed->strands, work, ended, task);
}

static Bed *bed_new(void) {
    static Bed bed;

    bed = (Bed){.world = world_new(&(WorldConfig){.seed = 1})};
    bed.strands = strands_new(bed.world);
    return &bed;
}

static void bed_free(Bed *bed) {
    strands_free(bed->strands);
    world_free(bed->world);
    buffer_free(&bed->told);
}

static void set(Bed *bed, Task *task, int64_t in_ns) {
    task->bed = bed;
    world_alarm(bed->world, world_now_ns(bed->world) + in_ns, begin, task);
}

TEST(strands_take_turns_by_virtual_time) {
    Bed *bed = bed_new();
    Task a = {.name = 'a', .rest_ns = 10, .times = 3}, b = {.name = 'b', .rest_ns = 15, .times = 2};

    set(bed, &a, 1);
    set(bed, &b, 2);
    world_run(bed->world, world_now_ns(bed->world) + 100);
    // a at 1, 11, 21, its end at 31; b at 2, 17, its end at 32
    assert_true(slice_eq_text(buffer_slice(&bed->told), "a. b. a. b. a. a$ b$ "));
    bed_free(bed);
}

TEST(who_does_not_wait_ends_at_once) {
    Bed *bed = bed_new();
    Task a = {.name = 'a', .rest_ns = 0, .times = 3};

    set(bed, &a, 1);
    world_run(bed->world, world_now_ns(bed->world) + 1);
    assert_true(slice_eq_text(buffer_slice(&bed->told), "a. a. a. a$ "));
    bed_free(bed);
}

// Nobody is told of the ends, and their alarms do not ring later.
TEST(in_a_hurry_all_end_without_waiting) {
    Bed *bed = bed_new();
    Task a = {.name = 'a', .rest_ns = 10, .times = 3}, b = {.name = 'b', .rest_ns = 15, .times = 2};

    set(bed, &a, 1);
    set(bed, &b, 2);
    world_run(bed->world, world_now_ns(bed->world) + 5);
    strands_hurry(bed->strands);
    assert_true(slice_eq_text(buffer_slice(&bed->told), "a. b. a! b! "));
    world_run(bed->world, world_now_ns(bed->world) + 100);
    assert_true(slice_eq_text(buffer_slice(&bed->told), "a. b. a! b! "));
    set(bed, &b, 1); // a thread that was hurried is used again
    world_run(bed->world, world_now_ns(bed->world) + 100);
    assert_true(slice_eq_text(buffer_slice(&bed->told), "a. b. a! b! b. b. b$ "));
    bed_free(bed);
}
