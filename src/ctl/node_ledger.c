// Notes in an array with an index beside it; both are made anew when they are full.
#include "ctl/node_ledger.h"

#include "base/check.h"

enum { NOTES_MIN = 16 };

static uint64_t key_bits(Key key) {
    return (uint64_t)key.ns << 32 | key.name;
}

// A struck note has the key {0}, which no object has.
static Key *note_at(const Ledger *ledger, uint32_t place) {
    return (Key *)(void *)(ledger->notes + place * ledger->note_size);
}

void ledger_free(Ledger *ledger) {
    arena_free(&ledger->arena);
    *ledger = (Ledger){.note_size = ledger->note_size};
}

void *ledger_find(const Ledger *ledger, Key key) {
    uint32_t place = u64_map_get(&ledger->index, key_bits(key));
    Key *note = place == INDEX_NONE ? NULL : note_at(ledger, place);

    return note && key_eq(*note, key) ? note : NULL;
}

// Twice the room for what is there, without what was struck out.
static void make_room(Ledger *ledger) {
    Ledger larger = {.note_size = ledger->note_size, .capacity = ledger_count(ledger) * 2};
    uint32_t at = 0;

    if (larger.capacity < NOTES_MIN)
        larger.capacity = NOTES_MIN;
    larger.notes = arena_alloc_array(&larger.arena, ledger->note_size, larger.capacity);
    for (Key *note = ledger_next(ledger, &at); note; note = ledger_next(ledger, &at)) {
        u64_map_put(&larger.arena, &larger.index, key_bits(*note), larger.count);
        memcpy(note_at(&larger, larger.count++), note, ledger->note_size);
    }
    arena_free(&ledger->arena);
    *ledger = larger;
}

void *ledger_note(Ledger *ledger, Key key) {
    Key *note = ledger_find(ledger, key);

    CHECK(key.name != 0, "a note about nothing");
    if (note)
        return note;
    if (ledger->count == ledger->capacity)
        make_room(ledger);
    note = note_at(ledger, ledger->count);
    memset(note, 0, ledger->note_size);
    *note = key;
    u64_map_put(&ledger->arena, &ledger->index, key_bits(key), ledger->count++);
    return note;
}

void ledger_strike(Ledger *ledger, Key key) {
    Key *note = ledger_find(ledger, key);

    if (!note)
        return;
    *note = (Key){0};
    ledger->struck++;
}

void *ledger_next(const Ledger *ledger, uint32_t *at) {
    while (*at < ledger->count) {
        Key *note = note_at(ledger, (*at)++);

        if (note->name != 0)
            return note;
    }
    return NULL;
}
