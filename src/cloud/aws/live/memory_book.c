// Rows of learned memory: found, added, printed and read.
#include "cloud/aws/live/memory_book.h"

#include "base/buffer.h"
#include "base/time.h"
#include "cloud/aws/catalogue_reader.h"
#include "text/duration.h"

enum { TEXT_MAX = 64 };
static const int64_t KEPT_NS = 60 * NS_PER_DAY;
static const int64_t MEMORY_MAX = INT64_C(1) << 50;

static int compare(const LearnedMemory *row, Slice image, Slice type) {
    int order = slice_cmp(row->image, image);

    return order ? order : slice_cmp(row->type, type);
}

// The place of the first row that is not less.
static uint32_t find_place(const MemoryBook *book, Slice image, Slice type) {
    uint32_t low = 0, high = book->rows.count;

    // Rows are read in their order, so the end comes first.
    if (high && compare(&book->rows.items[high - 1], image, type) < 0)
        return high;
    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (compare(&book->rows.items[middle], image, type) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static LearnedMemory *find(const MemoryBook *book, Slice image, Slice type) {
    uint32_t place = find_place(book, image, type);

    if (place == book->rows.count || compare(&book->rows.items[place], image, type) != 0)
        return NULL;
    return &book->rows.items[place];
}

static bool is_old(const LearnedMemory *row, int64_t now_ns) {
    return now_ns - row->seen_ns >= KEPT_NS;
}

// Letters, digits and what stands between them: what names of types and images are made of, and keys of a ConfigMap.
static bool is_name(Slice text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'))
            return false;
    }
    return text.len > 0 && text.len <= TEXT_MAX;
}

static bool is_sound(Slice image, Slice type, int64_t bytes) {
    return slice_starts_with(image, SLICE("ami-")) && is_name(image) && is_name(type) && bytes > 0 &&
           bytes <= MEMORY_MAX;
}

static void remove_oldest(MemoryBook *book) {
    uint32_t oldest = 0;

    for (uint32_t i = 1; i < book->rows.count; i++) {
        if (book->rows.items[i].seen_ns < book->rows.items[oldest].seen_ns)
            oldest = i;
    }
    book->rows.count--;
    memmove(&book->rows.items[oldest], &book->rows.items[oldest + 1],
            (book->rows.count - oldest) * sizeof *book->rows.items);
}

static void insert(Arena *arena, MemoryBook *book, Slice image, Slice type, int64_t bytes, int64_t seen_ns) {
    uint32_t place = find_place(book, image, type);

    vec_add(arena, &book->rows);
    memmove(&book->rows.items[place + 1], &book->rows.items[place],
            (book->rows.count - 1 - place) * sizeof *book->rows.items);
    book->rows.items[place] = (LearnedMemory){arena_slice(arena, image), arena_slice(arena, type), bytes, seen_ns};
}

bool memory_book_learn(Arena *arena, MemoryBook *book, Slice image, Slice type, int64_t bytes, int64_t now_ns) {
    LearnedMemory *row = find(book, image, type);

    if (!is_sound(image, type, bytes))
        return false;
    if (!row) {
        if (book->rows.count == MEMORY_BOOK_MAX)
            remove_oldest(book);
        insert(arena, book, image, type, bytes, now_ns);
        return true;
    }
    if (!is_old(row, now_ns) && (bytes > row->bytes || (bytes == row->bytes && now_ns - row->seen_ns < NS_PER_DAY)))
        return false;
    row->bytes = bytes;
    row->seen_ns = now_ns;
    return true;
}

int64_t memory_book_get(const MemoryBook *book, Slice image, Slice type, int64_t now_ns) {
    const LearnedMemory *row = find(book, image, type);

    return row && !is_old(row, now_ns) ? row->bytes : 0;
}

void memory_book_apply(const MemoryBook *book, Arena *arena, const Symbols *symbols, const AmiStatusVec *amis,
                       const AmiRequirementsVec *requirements, int64_t now_ns, InstanceTypeVec *types) {
    for (vec_each(InstanceType, type, types)) {
        const AmiStatus *ami = ami_for_type(symbols, amis, requirements, type);
        int64_t bytes = ami ? memory_book_get(book, ami->id, symbol_text(symbols, type->name), now_ns) : 0;

        if (bytes)
            resources_set(arena, &type->capacity, NAME_MEMORY, bytes);
    }
}

static Slice print_image(Arena *arena, const MemoryBook *book, uint32_t first, uint32_t end, int64_t now_ns) {
    Buffer text = {0};
    Slice copy;

    for (uint32_t i = first; i < end; i++) {
        const LearnedMemory *row = &book->rows.items[i];

        if (!is_old(row, now_ns))
            buffer_printf(&text, "%.*s %lld %.*s\n", SLICE_ARG(row->type), (long long)row->bytes,
                          SLICE_ARG(time_print(arena, row->seen_ns)));
    }
    copy = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return copy;
}

Value memory_book_data(Arena *arena, const MemoryBook *book, int64_t now_ns) {
    Value data = value_map();

    for (uint32_t first = 0, end; first < book->rows.count; first = end) {
        Slice image = book->rows.items[first].image, text;

        for (end = first; end < book->rows.count && slice_eq(book->rows.items[end].image, image);)
            end++;
        text = print_image(arena, book, first, end, now_ns);
        if (text.len)
            value_put(arena, &data, image, value_string(text));
    }
    return data;
}

static bool read_line(Arena *arena, MemoryBook *book, Slice image, Slice line, int64_t now_ns) {
    Slice type = catalogue_take(&line, ' '), number = catalogue_take(&line, ' ');
    int64_t bytes, seen_ns;

    if (!slice_to_int64(number, &bytes) || !is_sound(image, type, bytes) || time_parse(line, &seen_ns, NULL) != OK ||
        book->rows.count == MEMORY_BOOK_MAX || find(book, image, type))
        return false;
    // Long before 1970 is long ago.
    insert(arena, book, image, type, bytes, seen_ns < 0 ? 0 : seen_ns < now_ns ? seen_ns : now_ns);
    return true;
}

MemoryBook memory_book_read(Arena *arena, const Value *data, int64_t now_ns, uint32_t *ret_ignored) {
    MemoryBook book = {0};
    uint32_t ignored = 0;

    if (data && data->kind == VALUE_MAP) {
        for (vec_each(const ValueMember, member, &data->map)) {
            Slice text = member->value.kind == VALUE_STRING ? member->value.text : SLICE("-");

            while (text.len)
                ignored += !read_line(arena, &book, member->key, catalogue_take(&text, '\n'), now_ns);
        }
    }
    *ret_ignored = ignored;
    return book;
}
