// Canonical requests: method, path, query, headers, their names, and the hash of the body, a line each.
#include "aws/sign/canonical.h"

#include "base/vec.h"

#include <stdlib.h>

// --- the path

// Takes the first segment off the path; false: there is none.
static bool next_part(Slice *rest, char separator, Slice *ret_part) {
    ptrdiff_t end;

    if (!rest->ptr)
        return false;
    end = slice_find(*rest, separator);
    *ret_part = end < 0 ? *rest : slice_first(*rest, (size_t)end);
    *rest = end < 0 ? (Slice){0} : slice_from(*rest, (size_t)end + 1);
    return true;
}

// Encodes the path once more, without "." and ".." and doubled slashes.
static void write_path(Arena *arena, Buffer *buffer, Slice path) {
    bool ends_in_slash = slice_ends_with(path, SLICE("/"));
    SliceVec segments = {0};
    Slice segment;

    while (next_part(&path, '/', &segment)) {
        if (slice_eq_text(segment, ".."))
            segments.count -= segments.count > 0;
        else if (segment.len && !slice_eq_text(segment, "."))
            vec_push(arena, &segments, segment);
    }
    for (uint32_t i = 0; i < segments.count; i++)
        url_add_segment(buffer, segments.items[i]);
    if (!segments.count || ends_in_slash)
        buffer_append_char(buffer, '/');
}

// --- the query

typedef struct {
    Slice name, value;
} Pair;

static int compare_pairs(const void *a, const void *b) {
    const Pair *x = a, *y = b;
    int order = slice_cmp(x->name, y->name);

    return order ? order : slice_cmp(x->value, y->value);
}

// What is encoded stays as it is; other bytes that must be encoded are.
static Slice encode_rest(Arena *arena, Slice text) {
    Buffer encoded = {0};
    Slice copy, part;
    bool is_first = true;

    while (next_part(&text, '%', &part)) {
        if (!is_first)
            buffer_append_char(&encoded, '%');
        url_add_encoded(&encoded, part);
        is_first = false;
    }
    copy = arena_slice(arena, buffer_slice(&encoded));
    buffer_free(&encoded);
    return copy;
}

static void write_query(Arena *arena, Buffer *buffer, Slice query) {
    Vec(Pair) pairs = {0};
    Slice text;

    if (!query.len)
        return;
    while (next_part(&query, '&', &text)) {
        ptrdiff_t equals = slice_find(text, '=');
        Slice name = equals < 0 ? text : slice_first(text, (size_t)equals);
        Slice value = equals < 0 ? (Slice){0} : slice_from(text, (size_t)equals + 1);

        vec_push(arena, &pairs, (Pair){encode_rest(arena, name), encode_rest(arena, value)});
    }
    if (pairs.count)
        qsort(pairs.items, pairs.count, sizeof *pairs.items, compare_pairs);
    for (uint32_t i = 0; i < pairs.count; i++)
        buffer_printf(buffer, "%s%.*s=%.*s", i ? "&" : "", SLICE_ARG(pairs.items[i].name),
                      SLICE_ARG(pairs.items[i].value));
}

// --- the headers

typedef struct {
    Slice name; // in lower case
    Slice value;
    uint32_t place; // as given: values of one name keep their order
} Header;

static int compare_headers(const void *a, const void *b) {
    const Header *x = a, *y = b;
    int order = slice_cmp(x->name, y->name);

    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static Slice lower(Arena *arena, Slice text) {
    char *copy = arena_copy(arena, text.ptr, text.len);

    for (size_t i = 0; i < text.len; i++) {
        if (copy[i] >= 'A' && copy[i] <= 'Z')
            copy[i] = (char)(copy[i] - 'A' + 'a');
    }
    return (Slice){copy, text.len};
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Without spaces at both ends; several in a row become one.
static void write_value(Buffer *buffer, Slice value) {
    value = slice_trim(value);
    for (size_t i = 0; i < value.len; i++) {
        if (!is_space(value.ptr[i]))
            buffer_append_char(buffer, value.ptr[i]);
        else if (!is_space(value.ptr[i - 1]))
            buffer_append_char(buffer, ' ');
    }
}

static void add_header(Arena *arena, Header *headers, uint32_t *count, const HttpHeader *header) {
    headers[*count] = (Header){lower(arena, header->name), header->value, *count};
    (*count)++;
}

static void write_headers(Arena *arena, Buffer *buffer, const AwsSignable *signable, const HttpHeader *more,
                          uint32_t more_count, Slice *ret_signed) {
    Header *headers = arena_array(arena, Header, signable->header_count + more_count + 1);
    const HttpHeader host = {SLICE("host"), signable->host};
    uint32_t count = 0;
    Buffer names = {0};

    add_header(arena, headers, &count, &host);
    for (uint32_t i = 0; i < signable->header_count; i++)
        add_header(arena, headers, &count, &signable->headers[i]);
    for (uint32_t i = 0; i < more_count; i++)
        add_header(arena, headers, &count, &more[i]);
    qsort(headers, count, sizeof *headers, compare_headers);
    for (uint32_t i = 0; i < count; i++) {
        bool is_same = i && slice_eq(headers[i].name, headers[i - 1].name);

        if (!is_same)
            buffer_printf(&names, "%s%.*s", i ? ";" : "", SLICE_ARG(headers[i].name));
        buffer_printf(buffer, "%s%.*s%c", is_same || !i ? "" : "\n", is_same ? 0 : (int)headers[i].name.len,
                      headers[i].name.ptr, is_same ? ',' : ':');
        write_value(buffer, headers[i].value);
    }
    *ret_signed = arena_slice(arena, buffer_slice(&names));
    buffer_printf(buffer, "\n\n%.*s\n", SLICE_ARG(*ret_signed));
    buffer_free(&names);
}

void aws_canonical_write(Arena *arena, Buffer *buffer, const AwsSignable *signable, const HttpHeader *more,
                         uint32_t more_count, Slice *ret_signed) {
    char digest[AWS_DIGEST_HEX + 1];

    buffer_printf(buffer, "%s\n", signable->method);
    write_path(arena, buffer, signable->path);
    buffer_append_char(buffer, '\n');
    write_query(arena, buffer, signable->query);
    buffer_append_char(buffer, '\n');
    write_headers(arena, buffer, signable, more, more_count, ret_signed);
    aws_digest_hex(signable->body, digest);
    buffer_append(buffer, slice_of(digest));
}
