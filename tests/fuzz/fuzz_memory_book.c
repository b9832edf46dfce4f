// Any text as what a ConfigMap holds of learned memory (8,192 rows at most). What is read is written, and read again to
// the same.
#include "base/time.h"
#include "cloud/aws/live/memory_book.h"
#include "support/fuzz.h"

static void check_again(Arena *arena, const MemoryBook *book, int64_t now_ns) {
    Value data = memory_book_data(arena, book, now_ns);
    uint32_t ignored;
    MemoryBook again = memory_book_read(arena, &data, now_ns, &ignored);

    CHECK(ignored == 0 && again.rows.count <= book->rows.count, "rows that are not read again");
    for (vec_each(const LearnedMemory, row, &book->rows)) {
        int64_t bytes = memory_book_get(&again, row->image, row->type, now_ns);

        CHECK(bytes == memory_book_get(book, row->image, row->type, now_ns) || bytes == 0, "another memory");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const int64_t now_ns = 1000 * NS_PER_DAY;
    Arena arena = {0};
    Slice text = {(const char *)bytes, size};
    Value data = value_map();
    uint32_t ignored;
    MemoryBook book;

    value_put(&arena, &data, SLICE("ami-1"), value_string(slice_first(text, size / 2)));
    value_put(&arena, &data, SLICE("ami-0"), value_string(slice_from(text, size / 2)));
    book = memory_book_read(&arena, &data, now_ns, &ignored);
    CHECK(book.rows.count <= MEMORY_BOOK_MAX, "too many rows");
    check_again(&arena, &book, now_ns);
    arena_free(&arena);
    return 0;
}
