// Entries in two generations, which are dropped in turn.
#include "cloud/aws/fleet/token_book.h"

static const int64_t TURN_NS = 10 * NS_PER_MIN;

static void generation_free(TokenGeneration *generation) {
    arena_free(&generation->arena);
    *generation = (TokenGeneration){0};
}

void token_book_free(TokenBook *book) {
    generation_free(&book->young);
    generation_free(&book->old);
}

static TokenEntry *find(const TokenGeneration *generation, Slice uid) {
    uint64_t hash = slice_hash(uid);
    uint32_t cursor = 0, at;

    while ((at = index_map_next(&generation->by_uid, hash, &cursor)) != INDEX_NONE) {
        if (slice_eq(generation->entries.items[at].uid, uid))
            return &generation->entries.items[at];
    }
    return NULL;
}

static void turn(TokenBook *book, Mono now) {
    generation_free(&book->old);
    book->old = book->young;
    book->young = (TokenGeneration){0};
    book->turned = now;
}

void token_book_put(TokenBook *book, const TokenEntry *entry, Mono now) {
    TokenGeneration *young = &book->young;
    TokenEntry *kept;

    if (mono_since(now, book->turned) >= TURN_NS)
        turn(book, now);
    kept = find(young, entry->uid);
    if (!kept) {
        index_map_add(&young->arena, &young->by_uid, slice_hash(entry->uid), young->entries.count);
        kept = vec_add(&young->arena, &young->entries);
        kept->uid = arena_slice(&young->arena, entry->uid);
    }
    if (!slice_eq(kept->record.token, entry->record.token))
        kept->record.token = arena_slice(&young->arena, entry->record.token);
    kept->record.rank = entry->record.rank;
    kept->record.count = entry->record.count;
    kept->is_spent = entry->is_spent;
    kept->since = entry->since;
}

const TokenEntry *token_book_get(const TokenBook *book, Slice uid) {
    const TokenEntry *entry = find(&book->young, uid);

    return entry ? entry : find(&book->old, uid);
}
