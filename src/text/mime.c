// Multipart messages: read line by line, written in one form.
#include "text/mime.h"

#include "text/quote.h"

#include <strings.h>

typedef struct {
    Slice rest;
    uint32_t line; // of the next one
    Slice start;   // text from the beginning of the last line
} Lines;

// The next line without its end. False: there is none.
static bool next_line(Lines *lines, Slice *ret_line) {
    ptrdiff_t end = slice_find(lines->rest, '\n');
    Slice line = end < 0 ? lines->rest : slice_first(lines->rest, (size_t)end);

    if (!lines->rest.len)
        return false;
    lines->start = lines->rest;
    lines->rest = slice_from(lines->rest, end < 0 ? lines->rest.len : (size_t)end + 1);
    lines->line++;
    if (line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    *ret_line = line;
    return true;
}

static bool same_word(Slice a, Slice b) {
    return a.len == b.len && (a.len == 0 || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

static bool is_header_name(Slice name) {
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] <= ' ' || name.ptr[i] > '~')
            return false;
    }
    return name.len > 0;
}

// Reads headers up to the empty line behind them, or to the end.
static ErrCode read_headers(Arena *arena, Lines *lines, MimeHeaderVec *ret_headers, Err *err) {
    Slice line;

    while (next_line(lines, &line) && line.len) {
        ptrdiff_t colon = slice_find(line, ':');

        if ((line.ptr[0] == ' ' || line.ptr[0] == '\t') && ret_headers->count) {
            MimeHeader *last = vec_last(ret_headers);

            last->value = arena_printf(arena, "%.*s %.*s", SLICE_ARG(last->value), SLICE_ARG(slice_trim(line)));
            continue;
        }
        if (colon < 0 || !is_header_name(slice_first(line, (size_t)colon)))
            return err_set(err, ERR_INVALID, "MIME, line %u: expected a header (name: value), got %s", lines->line,
                           quote(line).text);
        if (ret_headers->count == MIME_HEADERS_MAX)
            return err_set(err, ERR_TOO_LARGE, "MIME, line %u: more than %d headers", lines->line, MIME_HEADERS_MAX);
        vec_push(arena, ret_headers,
                 (MimeHeader){slice_first(line, (size_t)colon), slice_trim(slice_from(line, (size_t)colon + 1))});
    }
    return OK;
}

Slice mime_header(const MimePart *part, Slice name) {
    for (vec_each(const MimeHeader, header, &part->headers)) {
        if (same_word(header->name, name))
            return header->value;
    }
    return SLICE("");
}

// A parameter's value at the start of `text`: a word, or a text in quotation marks. ret_rest: what follows it.
static Slice read_parameter(Slice text, Slice *ret_rest) {
    size_t end = 0;

    if (text.len && text.ptr[0] == '"') {
        ptrdiff_t close = slice_find(slice_from(text, 1), '"');

        *ret_rest = close < 0 ? SLICE("") : slice_from(text, (size_t)close + 2);
        return close < 0 ? SLICE("") : slice_first(slice_from(text, 1), (size_t)close);
    }
    while (end < text.len && text.ptr[end] != ';')
        end++;
    *ret_rest = slice_from(text, end);
    return slice_trim(slice_first(text, end));
}

// The boundary in a value of Content-Type; empty: none.
static Slice find_boundary(Slice type) {
    ptrdiff_t at = slice_find(type, ';');

    while (at >= 0) {
        Slice rest = slice_trim(slice_from(type, (size_t)at + 1)), value;
        ptrdiff_t equals = slice_find(rest, '=');

        if (equals < 0)
            return SLICE("");
        value = read_parameter(slice_trim(slice_from(rest, (size_t)equals + 1)), &type);
        if (same_word(slice_trim(slice_first(rest, (size_t)equals)), SLICE("boundary")))
            return value;
        at = slice_find(type, ';');
    }
    return SLICE("");
}

typedef enum { LINE_OTHER, LINE_PART, LINE_END } LineKind;

static LineKind line_kind(Slice line, Slice boundary) {
    Slice rest;

    if (!slice_starts_with(line, SLICE("--")) || !slice_starts_with(slice_from(line, 2), boundary))
        return LINE_OTHER;
    rest = slice_from(line, 2 + boundary.len);
    if (slice_starts_with(rest, SLICE("--")) && !slice_trim(slice_from(rest, 2)).len)
        return LINE_END;
    return slice_trim(rest).len ? LINE_OTHER : LINE_PART;
}

// The text from `from` to `to`, which begins in it, without the line break at its end.
static Slice body_until(Slice from, Slice to) {
    Slice body = slice_first(from, from.len - to.len);

    if (slice_ends_with(body, SLICE("\n")))
        body.len--;
    if (slice_ends_with(body, SLICE("\r")))
        body.len--;
    return body;
}

// Reads one part behind its boundary, up to the next one.
static ErrCode read_part(Arena *arena, Lines *lines, Slice boundary, MimePart *ret_part, LineKind *ret_next, Err *err) {
    Slice line, body;

    TRY(read_headers(arena, lines, &ret_part->headers, err));
    body = lines->rest;
    while (next_line(lines, &line)) {
        *ret_next = line_kind(line, boundary);
        if (*ret_next == LINE_OTHER)
            continue;
        ret_part->body = body_until(body, lines->start);
        return OK;
    }
    return err_set(err, ERR_INVALID, "MIME, line %u: the part that ends here has no boundary (--%.*s) behind it",
                   lines->line, SLICE_ARG(boundary));
}

static ErrCode read_boundary(Arena *arena, Lines *lines, Slice *ret_boundary, Err *err) {
    MimePart message = {0};
    Slice type, boundary;

    TRY(read_headers(arena, lines, &message.headers, err));
    type = mime_header(&message, SLICE("Content-Type"));
    if (type.len < 10 || !same_word(slice_first(type, 10), SLICE("multipart/")))
        return err_set(err, ERR_INVALID, "MIME: expected a Content-Type of multipart/…, got %s", quote(type).text);
    boundary = find_boundary(type);
    if (!boundary.len)
        return err_set(err, ERR_INVALID, "MIME: the Content-Type has no boundary: %s", quote(type).text);
    *ret_boundary = boundary;
    return OK;
}

ErrCode mime_read(Arena *arena, Slice text, MimePartVec *ret_parts, Err *err) {
    Lines lines = {.rest = slice_trim(text)};
    MimePartVec parts = {0};
    LineKind next = LINE_OTHER;
    Slice boundary, line;

    if (text.len > MIME_BYTES_MAX)
        return err_set(err, ERR_TOO_LARGE, "MIME: more than %d bytes", MIME_BYTES_MAX);
    TRY(read_boundary(arena, &lines, &boundary, err));
    while (next == LINE_OTHER) { // what stands before the first part is for old mail readers
        if (!next_line(&lines, &line))
            return err_set(err, ERR_INVALID, "MIME: no boundary (--%.*s) in it", SLICE_ARG(boundary));
        next = line_kind(line, boundary);
    }
    while (next == LINE_PART) {
        if (parts.count == MIME_PARTS_MAX)
            return err_set(err, ERR_TOO_LARGE, "MIME: more than %d parts", MIME_PARTS_MAX);
        TRY(read_part(arena, &lines, boundary, vec_add(arena, &parts), &next, err));
    }
    *ret_parts = parts;
    return OK;
}

bool mime_is_message(Slice text) {
    Slice trimmed = slice_trim(text);

    return slice_starts_with(trimmed, SLICE("MIME-Version:")) || slice_starts_with(trimmed, SLICE("Content-Type:"));
}

static void append_without_cr(Buffer *out, Slice text) {
    for (ptrdiff_t at; (at = slice_find(text, '\r')) >= 0; text = slice_from(text, (size_t)at + 1))
        buffer_append(out, slice_first(text, (size_t)at));
    buffer_append(out, text);
}

void mime_write(Buffer *out, Slice boundary, const MimePartVec *parts) {
    buffer_printf(out, "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"%.*s\"\n\n", SLICE_ARG(boundary));
    for (vec_each(const MimePart, part, parts)) {
        buffer_printf(out, "%s--%.*s\n", part == parts->items ? "" : "\n", SLICE_ARG(boundary));
        for (vec_each(const MimeHeader, header, &part->headers))
            buffer_printf(out, "%.*s: %.*s\n", SLICE_ARG(header->name), SLICE_ARG(header->value));
        buffer_append_char(out, '\n');
        append_without_cr(out, part->body);
    }
    buffer_printf(out, "\n--%.*s--\n", SLICE_ARG(boundary));
}
