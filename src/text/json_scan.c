// Finding the ends of JSON values.
#include "text/json_scan.h"

#include <assert.h>

// --- brackets, 64 bytes at a time

enum { BLOCK = 64, VECTOR = 16 };
typedef uint8_t Bytes __attribute__((vector_size(VECTOR)));

// One bit for each byte, which is 0 or 255.
static inline uint64_t bits_of(Bytes bytes) {
#ifdef __SSE2__ // has it in one instruction
    typedef char Chars __attribute__((vector_size(VECTOR)));

    return (uint32_t)__builtin_ia32_pmovmskb128((Chars)bytes);
#else
    const Bytes bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint64_t ones = UINT64_C(0x0101010101010101);
    Bytes own = bytes & bit;
    uint64_t halves[2];

    memcpy(halves, &own, sizeof halves);
    return (halves[0] * ones) >> 56 | (halves[1] * ones) >> 56 << 8; // each sum of eight different bits
#endif
}

// Where `c` is in a block.
static inline uint64_t where(const Bytes *block, uint8_t c) {
    uint64_t bits = 0;

    for (unsigned i = 0; i < BLOCK / VECTOR; i++)
        bits |= bits_of((Bytes)(block[i] == c)) << (i * VECTOR);
    return bits;
}

// The bytes that a '\\' escapes. `carry`: whether the first one is, then whether the one after the block is.
static inline uint64_t escaped_by(uint64_t backslashes, uint64_t *carry) {
    uint64_t escaped = *carry;

    *carry = 0;
    for (uint64_t left = backslashes & ~escaped; left;) {
        uint64_t first = left & -left;

        escaped |= first << 1;
        *carry = first >> (BLOCK - 1);
        left &= ~(first | first << 1); // what is escaped escapes nothing
    }
    return escaped;
}

// The bits from each quote to before the next one. `carry`: whether the block begins in a string, then whether it ends
// in one; no bit or all.
static inline uint64_t strings_of(uint64_t quotes, uint64_t *carry) {
    uint64_t inside = quotes;

    for (unsigned shift = 1; shift < BLOCK; shift *= 2)
        inside ^= inside << shift;
    inside ^= *carry;
    *carry = (inside >> (BLOCK - 1)) ? UINT64_MAX : 0;
    return inside;
}

typedef struct {
    uint64_t opening, closing;
} Brackets;

// The brackets outside of strings in the first `len` bytes of a block, whose other bytes are blank.
static Brackets brackets_in(JsonNesting *nesting, const Bytes *block, size_t len) {
    uint64_t escaped = escaped_by(where(block, '\\'), &nesting->escaped);
    uint64_t strings = strings_of(where(block, '"') & ~escaped, &nesting->in_string);
    Bytes folded[BLOCK / VECTOR];

    static_assert(('[' | 0x20) == '{' && (']' | 0x20) == '}', "both kinds of brackets differ in one bit");
    for (unsigned i = 0; i < BLOCK / VECTOR; i++)
        folded[i] = block[i] | 0x20;
    if (len < BLOCK)
        nesting->escaped = escaped >> len & 1;
    return (Brackets){where(folded, '{') & ~strings, where(folded, '}') & ~strings};
}

// Counts the brackets one by one, up to the one that closes the outermost; returns its place, or BLOCK.
static unsigned count_brackets(JsonNesting *nesting, Brackets brackets) {
    for (uint64_t left = brackets.opening | brackets.closing; left; left &= left - 1) {
        if (brackets.opening & left & -left)
            nesting->depth++;
        else if (--nesting->depth == 0)
            return (unsigned)__builtin_ctzll(left);
    }
    return BLOCK;
}

const char *json_nesting_end(JsonNesting *nesting, const char *at, const char *end) {
    size_t len;

    for (; at < end; at += len) {
        Bytes block[BLOCK / VECTOR];
        Brackets brackets;
        size_t closing;
        unsigned place;

        len = (size_t)(end - at) < BLOCK ? (size_t)(end - at) : BLOCK;
        if (len < BLOCK)
            memset(block, ' ', sizeof block);
        memcpy(block, at, len);
        brackets = brackets_in(nesting, block, len);
        closing = (size_t)__builtin_popcountll(brackets.closing);
        if (nesting->depth > closing) {
            nesting->depth += (size_t)__builtin_popcountll(brackets.opening) - closing;
            continue;
        }
        place = count_brackets(nesting, brackets);
        if (place < BLOCK)
            return at + place;
    }
    return end;
}

// --- values

// The position after the string that starts at `at`, or the end.
static const char *string_end(const char *at, const char *end) {
    at++;
    while ((at = json_string_mark(at, end)) < end) {
        if (*at == '"')
            return at + 1;
        if (end - at < 2)
            return end;
        at += 2;
    }
    return end;
}

static bool is_bracket(char c, char curly) {
    return (c | 0x20) == curly;
}

const char *json_value_end(const char *at, const char *end) {
    JsonNesting nesting = {0};

    if (at < end && *at == '"')
        return string_end(at, end);
    if (at < end && is_bracket(*at, '{')) {
        at = json_nesting_end(&nesting, at, end);
        return at < end ? at + 1 : end;
    }
    while (at < end && !json_is_space(*at))
        at++;
    return at;
}

// --- lists

typedef struct {
    Arena *arena;
    const char *at, *end;
    uint32_t most;
    bool has_items;
    JsonList *list;
} ListScan;

static void skip_space(ListScan *scan) {
    while (scan->at < scan->end && json_is_space(*scan->at))
        scan->at++;
}

// Skips white space and the character `c`. False: something else follows.
static bool take(ListScan *scan, char c) {
    skip_space(scan);
    if (scan->at == scan->end || *scan->at != c)
        return false;
    scan->at++;
    return true;
}

static bool take_element(ListScan *scan) {
    const char *start;

    skip_space(scan);
    start = scan->at;
    if (start == scan->end || *start != '{' || scan->list->elements.count == scan->most)
        return false;
    scan->at = json_value_end(start, scan->end);
    vec_push(scan->arena, &scan->list->elements, (Slice){start, (size_t)(scan->at - start)});
    return true;
}

static bool take_elements(ListScan *scan, const char *document) {
    scan->at++;
    scan->list->before = (Slice){document, (size_t)(scan->at - document)};
    do {
        if (!take_element(scan))
            return false;
    } while (take(scan, ','));
    scan->list->after.ptr = scan->at;
    return take(scan, ']');
}

static bool take_key(ListScan *scan, Slice *ret_key) {
    const char *start;

    if (!take(scan, '"'))
        return false;
    start = scan->at;
    scan->at = json_string_mark(start, scan->end);
    *ret_key = (Slice){start, (size_t)(scan->at - start)};
    return take(scan, '"') && take(scan, ':');
}

// Whether the byte may be of a number, true, false or null.
static bool is_of_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' || c == 'E';
}

// Skips a number or word. Which of them there are, the parser decides.
static bool take_word(ListScan *scan) {
    const char *start = scan->at;

    while (scan->at < scan->end && is_of_word(*scan->at))
        scan->at++;
    return scan->at > start;
}

static bool take_member(ListScan *scan, const char *document) {
    Slice key;

    if (!take_key(scan, &key))
        return false;
    skip_space(scan);
    if (scan->at == scan->end)
        return false;
    if (slice_eq(key, SLICE("items"))) {
        if (scan->has_items || *scan->at != '[')
            return false;
        scan->has_items = true;
        return take_elements(scan, document);
    }
    if (*scan->at != '"' && !is_bracket(*scan->at, '{'))
        return take_word(scan);
    scan->at = json_value_end(scan->at, scan->end);
    return true;
}

bool json_list_find(Arena *arena, const char *at, const char *end, uint32_t most, JsonList *ret_list) {
    JsonList list = {0};
    ListScan scan = {.arena = arena, .at = at, .end = end, .most = most, .list = &list};

    if (!take(&scan, '{'))
        return false;
    do {
        if (!take_member(&scan, at))
            return false;
    } while (take(&scan, ','));
    if (!take(&scan, '}') || !scan.has_items)
        return false;
    list.end = scan.at;
    list.after.len = (size_t)(list.end - list.after.ptr);
    *ret_list = list;
    return true;
}
