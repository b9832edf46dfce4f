// Memory learned from nodes: upstream's area "instance types" (providers.instancetype.capacity). Reference aws.md 7.5.
#include "base/time.h"
#include "cloud/aws/live/memory_book.h"
#include "cloud/support/class.h"
#include "harness/test.h"

#include <stdio.h>

static Arena arena;

static void end(void) {
    arena_free(&arena);
    arena = (Arena){0};
}

AFTER_EACH(end);

static const int64_t NOW = 1000 * NS_PER_DAY; // 1972-09-27

// m5.large on ami-1 has been seen with 100 bytes at NOW. Then a node is seen.
typedef struct {
    const char *name;
    const char *image, *type;
    int64_t bytes, after_ns;
    bool is_news;
    int64_t then; // what m5.large on ami-1 has then
} Row;

static const Row rows[] = {
    {"instance types: a node with less memory", "ami-1", "m5.large", 90, 1, true, 90},
    {"instance types: a node with more memory", "ami-1", "m5.large", 110, 1, false, 100},
    {"instance types: the same within a day", "ami-1", "m5.large", 100, NS_PER_DAY - 1, false, 100},
    {"instance types: the same a day later", "ami-1", "m5.large", 100, NS_PER_DAY, true, 100},
    {"instance types: more, days later", "ami-1", "m5.large", 110, 59 * NS_PER_DAY, false, 100},
    {"instance types: more, when it is forgotten", "ami-1", "m5.large", 110, 60 * NS_PER_DAY, true, 110},
    {"instance types: of another image", "ami-2", "m5.large", 90, 1, true, 100},
    {"instance types: of another type", "ami-1", "m5.xlarge", 90, 1, true, 100},
    {"instance types: of no image", "", "m5.large", 90, 1, false, 100},
    {"instance types: of what is no image", "i-1", "m5.large", 90, 1, false, 100},
    {"instance types: of no type", "ami-1", "", 90, 1, false, 100},
    {"instance types: of a type of two words", "ami-1", "m5 large", 90, 1, false, 100},
    {"instance types: of no memory", "ami-1", "m5.large", 0, 1, false, 100},
    {"instance types: of less than no memory", "ami-1", "m5.large", -1, 1, false, 100},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const Row, row, memory_of_nodes_is_learned, list_rows) {
    MemoryBook book = {0};
    int64_t then = NOW + row->after_ns;

    assert_true(memory_book_learn(&arena, &book, SLICE("ami-1"), SLICE("m5.large"), 100, NOW));
    assert_true(memory_book_learn(&arena, &book, slice_of(row->image), slice_of(row->type), row->bytes, then) ==
                row->is_news);
    assert_int_equal(memory_book_get(&book, SLICE("ami-1"), SLICE("m5.large"), then), row->then);
    assert_int_equal(memory_book_get(&book, SLICE("ami-1"), SLICE("m5.large"), then + 60 * NS_PER_DAY), 0);
    if (row->is_news)
        assert_int_equal(memory_book_get(&book, slice_of(row->image), slice_of(row->type), then), row->bytes);
}

TEST(a_book_outlives_a_restart) {
    MemoryBook book = {0}, again;
    uint32_t ignored = 7;
    Value data;

    memory_book_learn(&arena, &book, SLICE("ami-2"), SLICE("m5.large"), 5, NOW);
    memory_book_learn(&arena, &book, SLICE("ami-1"), SLICE("m5.xlarge"), 6, NOW);
    memory_book_learn(&arena, &book, SLICE("ami-1"), SLICE("m5.large"), 7, NOW - NS_PER_DAY);
    memory_book_learn(&arena, &book, SLICE("ami-3"), SLICE("m5.large"), 8, NOW - 60 * NS_PER_DAY); // forgotten
    data = memory_book_data(&arena, &book, NOW);
    assert_int_equal(data.map.count, 2);
    assert_true(slice_eq_text(data.map.items[0].value.text,
                              "m5.large 7 1972-09-26T00:00:00Z\nm5.xlarge 6 1972-09-27T00:00:00Z\n"));
    again = memory_book_read(&arena, &data, NOW, &ignored);
    assert_int_equal(ignored, 0);
    assert_int_equal(again.rows.count, 3);
    assert_int_equal(again.rows.items[0].seen_ns, NOW - NS_PER_DAY);
    assert_int_equal(memory_book_get(&again, SLICE("ami-2"), SLICE("m5.large"), NOW), 5);
}

TEST(lines_that_are_none_are_passed_over) {
    Value data =
        test_yaml(&arena, "{ami-1: \"a.b 1 1972-09-26T00:00:00Z\\na.b 2 1972-09-26T00:00:00Z\\nc.d 0 "
                          "1972-09-26T00:00:00Z\\ne.f 1\\n\\ng.h 1 2200-01-01T00:00:00Z\\n\", ami-2: 3, other: "
                          "\"a.b 1 1972-09-26T00:00:00Z\"}");
    uint32_t ignored;
    MemoryBook book = memory_book_read(&arena, &data, NOW, &ignored);

    assert_int_equal(ignored, 6);
    assert_int_equal(book.rows.count, 2);
    assert_int_equal(memory_book_get(&book, SLICE("ami-1"), SLICE("a.b"), NOW), 1);
    assert_int_equal(book.rows.items[1].seen_ns, NOW); // not the future
    book = memory_book_read(&arena, NULL, NOW, &ignored);
    assert_int_equal(ignored + book.rows.count, 0);
}

TEST(a_full_book_forgets_what_was_seen_first) {
    MemoryBook book = {0};

    for (int i = 0; i <= MEMORY_BOOK_MAX; i++) {
        char image[24];

        snprintf(image, sizeof image, "ami-%05d", (i * 7919) % (MEMORY_BOOK_MAX + 1));
        assert_true(memory_book_learn(&arena, &book, slice_of(image), SLICE("a.b"), 1, NOW + i));
    }
    assert_int_equal(book.rows.count, MEMORY_BOOK_MAX);
    assert_int_equal(memory_book_get(&book, SLICE("ami-00000"), SLICE("a.b"), NOW), 0); // the first
    assert_int_equal(memory_book_get(&book, SLICE("ami-07919"), SLICE("a.b"), NOW), 1); // the second
}

// The memory replaces that of types which start from the image; thresholds stay.
TEST(capacity_is_what_nodes_with_the_same_image_had) {
    TestClass *test = test_class("");
    InstanceType *arm = test_type(test, "m6g.large"), *intel = test_type(test, "m5.large");
    int64_t arm_memory = resources_get(&arm->capacity, NAME_MEMORY);
    Resources overhead = resources_copy(&arena, &intel->overhead);
    Expression is_amd64 = {.key = NAME_ARCH, .op = OP_IN};
    AmiStatusVec amis = {0};
    AmiRequirementsVec requirements;
    MemoryBook book = {0};

    vec_push(&arena, &is_amd64.values, symbol_intern(&test->symbols, SLICE("amd64")));
    vec_push(&arena, &amis, (AmiStatus){.id = SLICE("ami-1")});
    vec_push(&arena, &amis.items[0].requirements, is_amd64);
    requirements = ami_requirements(&arena, &test->symbols, &amis);
    memory_book_learn(&arena, &book, SLICE("ami-1"), SLICE("m5.large"), 7000000000, NOW);
    memory_book_learn(&arena, &book, SLICE("ami-1"), SLICE("m6g.large"), 7000000000, NOW); // cannot start from it
    memory_book_apply(&book, &arena, &test->symbols, &amis, &requirements, NOW, &test->types);
    assert_int_equal(resources_get(&intel->capacity, NAME_MEMORY), 7000000000);
    assert_int_equal(resources_get(&arm->capacity, NAME_MEMORY), arm_memory);
    assert_true(resources_eq(&intel->overhead, &overhead));
    test_class_free(test);
}
