// Marks, sorted by their bytes: an order that nobody sees.
#include "cloud/aws/launch/unavailable.h"

_Static_assert(sizeof(UnavailableMark) == 7 * sizeof(uint32_t), "marks have no padding");

void unavailable_free(UnavailableBook *book) {
    arena_free(&book->arena);
    *book = (UnavailableBook){0};
}

// The position of the first entry that is not below the mark.
static uint32_t position(const UnavailableBook *book, const UnavailableMark *mark) {
    uint32_t low = 0, high = book->entries.count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (memcmp(&book->entries.items[middle].mark, mark, sizeof *mark) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static UnavailableEntry *find(const UnavailableBook *book, const UnavailableMark *mark) {
    uint32_t at = position(book, mark);

    if (at == book->entries.count || memcmp(&book->entries.items[at].mark, mark, sizeof *mark) != 0)
        return NULL;
    return &book->entries.items[at];
}

// --- sequence numbers

static void advance(UnavailableBook *book, const UnavailableMark *mark) {
    UnavailableSequence *added;

    if (mark->kind != UNAVAILABLE_OFFERING) {
        book->sequence++;
        return;
    }
    for (vec_each(UnavailableSequence, of_type, &book->types)) {
        if (of_type->type == mark->type) {
            of_type->sequence++;
            return;
        }
    }
    added = vec_add(&book->arena, &book->types);
    *added = (UnavailableSequence){mark->type, 1};
}

// Both numbers only grow, so their sum changes with either.
uint64_t unavailable_sequence(const UnavailableBook *book, Symbol type) {
    for (vec_each(const UnavailableSequence, of_type, &book->types)) {
        if (of_type->type == type)
            return book->sequence + of_type->sequence;
    }
    return book->sequence;
}

// --- marks

static void insert(UnavailableBook *book, const UnavailableMark *mark, int64_t until_ns) {
    uint32_t at = position(book, mark);
    UnavailableEntry *entry;

    vec_add(&book->arena, &book->entries);
    entry = &book->entries.items[at];
    memmove(entry + 1, entry, sizeof *entry * (book->entries.count - 1 - at));
    *entry = (UnavailableEntry){*mark, until_ns};
}

void unavailable_mark(UnavailableBook *book, const UnavailableMark *mark, int64_t now_ns) {
    int64_t until_ns = now_ns + UNAVAILABLE_FOR_NS;
    UnavailableEntry *entry = find(book, mark);

    if (!entry || entry->until_ns <= now_ns)
        advance(book, mark);
    if (entry)
        entry->until_ns = until_ns;
    else
        insert(book, mark, until_ns);
}

void unavailable_sweep(UnavailableBook *book, int64_t now_ns) {
    uint32_t left = 0;

    for (vec_each(const UnavailableEntry, entry, &book->entries)) {
        if (entry->until_ns > now_ns)
            book->entries.items[left++] = *entry;
        else
            advance(book, &entry->mark);
    }
    book->entries.count = left;
}

bool unavailable_has(const UnavailableBook *book, const UnavailableMark *mark, int64_t now_ns) {
    const UnavailableEntry *entry = find(book, mark);

    return entry && entry->until_ns > now_ns;
}

// --- offerings

static bool all_are_marked(const UnavailableBook *book, const Symbol *subnets, uint32_t count, int64_t now_ns) {
    for (uint32_t i = 0; i < count; i++) {
        UnavailableMark mark = {.kind = UNAVAILABLE_SUBNET, .id = subnets[i]};

        if (!unavailable_has(book, &mark, now_ns))
            return false;
    }
    return count > 0;
}

bool unavailable_offering(const UnavailableBook *book, const UnavailableMark *offering, const Symbol *subnets,
                          uint32_t subnet_count, int64_t now_ns) {
    UnavailableMark plain = *offering, capacity_type = {.kind = UNAVAILABLE_CAPACITY_TYPE},
                    reservation = {.kind = UNAVAILABLE_RESERVATION, .id = offering->id};

    plain.id = NAME_EMPTY;
    if (unavailable_has(book, &plain, now_ns))
        return true;
    plain.group = NAME_EMPTY;
    plain.partition = 0;
    capacity_type.capacity_type = offering->capacity_type;
    return unavailable_has(book, &plain, now_ns) || unavailable_has(book, &capacity_type, now_ns) ||
           (offering->id != NAME_EMPTY && unavailable_has(book, &reservation, now_ns)) ||
           all_are_marked(book, subnets, subnet_count, now_ns);
}
