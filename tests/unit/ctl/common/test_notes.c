// Notes by key, against a plain array; memory is bounded by the present keys.
#include "base/random.h"
#include "ctl/common/notes.h"
#include "harness/test.h"

typedef struct {
    Key key;
    uint64_t value;
} Entry;

enum { KEYS = 200, STEPS = 20000 };

static Key key_of(uint32_t number) {
    return (Key){.ns = number % 7, .name = number + 1};
}

TEST(notes_are_what_was_written) {
    NoteTable notes = {.note_size = sizeof(Entry)};
    uint64_t values[KEYS] = {0}, present = 0;
    Random random;

    random_seed(&random, 7);
    for (uint64_t step = 1; step <= STEPS; step++) {
        uint32_t number = random_below(&random, KEYS);
        Entry *entry = notes_find(&notes, key_of(number));

        assert_int_equal(entry != NULL, values[number] != 0);
        if (entry)
            assert_int_equal(entry->value, values[number]);
        if (random_chance(&random, 50)) {
            notes_remove(&notes, key_of(number));
            present -= values[number] != 0;
            values[number] = 0;
        } else {
            entry = notes_add(&notes, key_of(number));
            assert_int_equal(entry->value, values[number]);
            present += values[number] == 0;
            entry->value = values[number] = step;
        }
        assert_int_equal(notes_count(&notes), present);
    }
    notes_free(&notes);
}

TEST(iteration_is_in_the_order_of_adding) {
    NoteTable notes = {.note_size = sizeof(Entry)};
    uint32_t at = 0, expected = 0;

    for (uint32_t i = 0; i < 50; i++)
        ((Entry *)notes_add(&notes, key_of(i)))->value = i;
    for (uint32_t i = 0; i < 50; i += 3)
        notes_remove(&notes, key_of(i));
    for (Entry *entry = notes_next(&notes, &at); entry; entry = notes_next(&notes, &at)) {
        expected += expected % 3 == 0;
        assert_int_equal(entry->value, expected++);
    }
    assert_int_equal(expected, 50);
    notes_free(&notes);
}

TEST(memory_follows_what_is_there) {
    NoteTable notes = {.note_size = sizeof(Entry)};

    for (uint32_t i = 0; i < 100000; i++) {
        notes_add(&notes, (Key){.name = i + 1});
        if (i >= 10)
            notes_remove(&notes, (Key){.name = i - 9});
    }
    assert_int_equal(notes_count(&notes), 10);
    assert_true(arena_used(&notes.arena) < 8192);
    notes_free(&notes);
}
