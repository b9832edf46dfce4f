// Entries as a sorted array.
#include "cloud/aws/launch/trouble_book.h"

static const int64_t SWEEP_NS = NS_PER_MIN;

void trouble_book_free(TroubleBook *book) {
    arena_free(&book->arena);
    book->entries.count = 0;
}

static uint32_t position(const TroubleBook *book, const UnavailableMark *offering) {
    return unavailable_position(book->entries.items, sizeof(TroubleEntry), book->entries.count, offering);
}

static TroubleEntry *find(const TroubleBook *book, const UnavailableMark *offering) {
    uint32_t at = position(book, offering);

    if (at == book->entries.count || memcmp(&book->entries.items[at].offering, offering, sizeof *offering) != 0)
        return NULL;
    return &book->entries.items[at];
}

static TroubleEntry *add(TroubleBook *book, const UnavailableMark *offering) {
    uint32_t at = position(book, offering);
    TroubleEntry *entry;

    vec_add(&book->arena, &book->entries);
    entry = &book->entries.items[at];
    memmove(entry + 1, entry, sizeof *entry * (book->entries.count - 1 - at));
    *entry = (TroubleEntry){.offering = *offering};
    return entry;
}

int64_t trouble_book_failed(TroubleBook *book, const UnavailableMark *offering, int64_t now_ns) {
    TroubleEntry *entry = find(book, offering);

    if (!entry)
        entry = add(book, offering);
    entry->trouble = trouble_failed(book->is_plain ? (Trouble){0} : entry->trouble, now_ns);
    return entry->trouble.until_ns;
}

void trouble_book_launched(TroubleBook *book, const UnavailableMark *offering, int64_t now_ns) {
    TroubleEntry *entry = find(book, offering);

    if (entry)
        entry->trouble = trouble_launched(entry->trouble, now_ns);
}

// --- launches under way

static uint32_t room_of(const TroubleBook *book, const UnavailableMark *offering, int64_t now_ns) {
    const TroubleEntry *entry = book->is_plain ? NULL : find(book, offering);
    uint32_t allowed;

    if (!entry)
        return UINT32_MAX;
    allowed = trouble_allows(&entry->trouble, now_ns);
    return allowed > entry->under_way ? allowed - entry->under_way : 0;
}

uint32_t trouble_book_begin(TroubleBook *book, ShareOfferingVec *offerings, uint32_t launches, bool is_last,
                            int64_t now_ns) {
    uint32_t shared;

    for (vec_each(ShareOffering, offering, offerings))
        offering->room = offering->is_cramped ? 0 : room_of(book, &offering->offering, now_ns);
    shared = launch_share(offerings, launches, is_last);
    for (vec_each(ShareOffering, offering, offerings)) {
        TroubleEntry *entry = offering->is_left_out ? NULL : find(book, &offering->offering);

        offering->is_counted = entry != NULL;
        if (entry)
            entry->under_way += shared;
    }
    return shared;
}

void trouble_book_end(TroubleBook *book, const ShareOfferingVec *offerings, uint32_t launches) {
    for (vec_each(const ShareOffering, offering, offerings)) {
        if (offering->is_counted)
            find(book, &offering->offering)->under_way -= launches;
    }
}

void trouble_book_sweep(TroubleBook *book, int64_t now_ns) {
    uint32_t kept = 0;

    if (now_ns < book->sweep_ns)
        return;
    for (vec_each(const TroubleEntry, entry, &book->entries)) {
        if (entry->under_way || !trouble_is_over(&entry->trouble, now_ns))
            book->entries.items[kept++] = *entry;
    }
    book->entries.count = kept;
    book->sweep_ns = now_ns + SWEEP_NS;
}
