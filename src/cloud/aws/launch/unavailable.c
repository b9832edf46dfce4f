// Marks, sorted by their bytes: an order that nobody sees.
#include "cloud/aws/launch/unavailable.h"

_Static_assert(sizeof(UnavailableMark) == 7 * sizeof(uint32_t), "marks have no padding");

void unavailable_free(UnavailableBook *book) {
    arena_free(&book->arena);
    *book = (UnavailableBook){0};
}

uint32_t unavailable_position(const void *items, size_t size, uint32_t count, const UnavailableMark *mark) {
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (memcmp((const char *)items + size * middle, mark, sizeof *mark) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t position(const UnavailableBook *book, const UnavailableMark *mark) {
    return unavailable_position(book->entries.items, sizeof(UnavailableEntry), book->entries.count, mark);
}

static UnavailableEntry *find(const UnavailableBook *book, const UnavailableMark *mark) {
    uint32_t at = position(book, mark);

    if (at == book->entries.count || memcmp(&book->entries.items[at].mark, mark, sizeof *mark) != 0)
        return NULL;
    return &book->entries.items[at];
}

// --- sequence numbers

// The position of the first type that is not below.
static uint32_t type_position(const UnavailableBook *book, Symbol type) {
    uint32_t low = 0, high = book->types.count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (book->types.items[middle].type < type)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static UnavailableSequence *find_type(const UnavailableBook *book, Symbol type) {
    uint32_t at = type_position(book, type);

    return at < book->types.count && book->types.items[at].type == type ? &book->types.items[at] : NULL;
}

static UnavailableSequence *add_type(UnavailableBook *book, Symbol type) {
    uint32_t at = type_position(book, type);
    UnavailableSequence *added;

    vec_add(&book->arena, &book->types);
    added = &book->types.items[at];
    memmove(added + 1, added, sizeof *added * (book->types.count - 1 - at));
    *added = (UnavailableSequence){type, 0};
    return added;
}

static void advance(UnavailableBook *book, const UnavailableMark *mark) {
    UnavailableSequence *of_type;

    book->changes++;
    if (mark->kind != UNAVAILABLE_OFFERING) {
        book->sequence++;
        return;
    }
    of_type = find_type(book, mark->type);
    if (!of_type)
        of_type = add_type(book, mark->type);
    of_type->sequence++;
}

// Both numbers only grow, so their sum changes with either.
uint64_t unavailable_sequence(const UnavailableBook *book, Symbol type) {
    const UnavailableSequence *of_type = find_type(book, type);

    return book->sequence + (of_type ? of_type->sequence : 0);
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

void unavailable_mark(UnavailableBook *book, const UnavailableMark *mark, int64_t now_ns, int64_t until_ns) {
    UnavailableEntry *entry = find(book, mark);

    if (!entry || entry->until_ns <= now_ns)
        advance(book, mark);
    if (entry)
        entry->until_ns = until_ns;
    else
        insert(book, mark, until_ns);
    if (!book->first_end_ns || until_ns < book->first_end_ns)
        book->first_end_ns = until_ns;
}

void unavailable_sweep(UnavailableBook *book, int64_t now_ns) {
    uint32_t left = 0;
    int64_t first_end_ns = 0;

    if (!book->first_end_ns || book->first_end_ns > now_ns)
        return;
    for (vec_each(const UnavailableEntry, entry, &book->entries)) {
        if (entry->until_ns <= now_ns) {
            advance(book, &entry->mark);
            continue;
        }
        if (!first_end_ns || entry->until_ns < first_end_ns)
            first_end_ns = entry->until_ns;
        book->entries.items[left++] = *entry;
    }
    book->entries.count = left;
    book->first_end_ns = first_end_ns;
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
    capacity_type.capacity_type = offering->capacity_type;
    if (plain.group != NAME_EMPTY || plain.partition) {
        plain.group = NAME_EMPTY;
        plain.partition = 0;
        if (unavailable_has(book, &plain, now_ns))
            return true;
    }
    return unavailable_has(book, &capacity_type, now_ns) ||
           (offering->id != NAME_EMPTY && unavailable_has(book, &reservation, now_ns)) ||
           all_are_marked(book, subnets, subnet_count, now_ns);
}
