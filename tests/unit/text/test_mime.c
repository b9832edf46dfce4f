// Multipart messages: read, written, and what is refused.
#include "harness/test.h"
#include "text/mime.h"

#define HEAD "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"B\"\n\n"

typedef struct {
    const char *name, *text;
    const char *parts; // "header: value; …|body" of each, with ~ behind; NULL: refused
    const char *error;
} Row;

static const Row rows[] = {
    {"one part", HEAD "--B\nA: b\n\nbody\n--B--\n", "A: b;|body~", NULL},
    {"two parts", HEAD "--B\n\none\n--B\n\ntwo\n--B--", "|one~|two~", NULL},
    {"no parts", HEAD "--B--\n", "", NULL},
    {"an empty body", HEAD "--B\nA: b\n\n\n--B--\n", "A: b;|~", NULL},
    {"a body of no line", HEAD "--B\nA: b\n\n--B--\n", "A: b;|~", NULL},
    {"an empty line at the end of a body", HEAD "--B\n\nx\n\n--B--\n", "|x\n~", NULL},
    {"Content-Type first", "Content-Type: multipart/mixed; boundary=B\nMIME-Version: 1.0\n\n--B\n\nx\n--B--", "|x~",
     NULL},
    {"names in other case", "content-type: Multipart/Mixed; BOUNDARY=B\n\n--B\n\nx\n--B--", "|x~", NULL},
    {"parameters before the boundary", "Content-Type: multipart/mixed; charset=\"a;b\"; boundary=B\n\n--B\n\nx\n--B--",
     "|x~", NULL},
    {"a header on two lines", "Content-Type: multipart/mixed;\n boundary=\"B\"\n\n--B\n\nx\n--B--", "|x~", NULL},
    {"carriage returns", "Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nA: b\r\n\r\nx\r\ny\r\n--B--\r\n",
     "A: b;|x\r\ny~", NULL},
    {"what stands before the first part", HEAD "This is a message.\n--B\n\nx\n--B--", "|x~", NULL},
    {"what stands behind the last part", HEAD "--B\n\nx\n--B--\nmore\n--B\n", "|x~", NULL},
    {"white space around it", "\n \t" HEAD "--B\n\nx\n--B--\n\n", "|x~", NULL},
    {"white space behind a boundary", HEAD "--B \t\n\nx\n--B-- \n", "|x~", NULL},
    {"a line that begins like a boundary", HEAD "--B\n\n--Bx\n--\n--B--", "|--Bx\n--~", NULL},
    {"a boundary of slashes", "Content-Type: multipart/mixed; boundary=\"//\"\n\n--//\n\nx\n--//--", "|x~", NULL},
    {"no headers", "x\n", NULL, "MIME, line 1: expected a header (name: value), got \"x\""},
    {"nothing", "", NULL, "MIME: expected a Content-Type of multipart/…, got \"\""},
    {"one type alone", "Content-Type: text/plain\n\nx", NULL, "MIME: expected a Content-Type of multipart/…"},
    {"no boundary", "Content-Type: multipart/mixed\n\nx", NULL, "MIME: the Content-Type has no boundary"},
    {"an empty boundary", "Content-Type: multipart/mixed; boundary=\"\"\n\nx", NULL,
     "MIME: the Content-Type has no boundary"},
    {"a boundary that is not closed", "Content-Type: multipart/mixed; boundary=\"B\n\n--B--", NULL,
     "MIME: the Content-Type has no boundary"},
    {"a boundary that never comes", HEAD "--C--\n", NULL, "MIME: no boundary (--B) in it"},
    {"no end", HEAD "--B\n\nx\n", NULL, "MIME, line 6: the part that ends here has no boundary (--B) behind it"},
    {"a part's header without a colon", HEAD "--B\nA b\n\nx\n--B--", NULL, "MIME, line 5: expected a header"},
    {"a header's name with a space", HEAD "--B\nA b: c\n\nx\n--B--", NULL, "MIME, line 5: expected a header"},
    {"a header that continues nothing", HEAD "--B\n a: b\n\nx\n--B--", NULL, "MIME, line 5: expected a header"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static Slice print_parts(Arena *arena, const MimePartVec *parts) {
    Slice text = SLICE("");

    for (vec_each(const MimePart, part, parts)) {
        for (vec_each(const MimeHeader, header, &part->headers))
            text = arena_printf(arena, "%.*s%.*s: %.*s;", SLICE_ARG(text), SLICE_ARG(header->name),
                                SLICE_ARG(header->value));
        text = arena_printf(arena, "%.*s|%.*s~", SLICE_ARG(text), SLICE_ARG(part->body));
    }
    return text;
}

TEST_EACH(const Row, row, messages_are_read, list_rows) {
    Arena arena = {0};
    MimePartVec parts = {0};
    Err err = {0};
    ErrCode code = mime_read(&arena, slice_of(row->text), &parts, &err);

    if (row->parts) {
        if (code != OK)
            fail_msg("%s", err.text);
        assert_string_equal(arena_text(&arena, print_parts(&arena, &parts)), row->parts);
    } else {
        assert_int_equal(code, ERR_INVALID);
        if (!slice_starts_with(slice_of(err.text), slice_of(row->error)))
            fail_msg("got \"%s\"", err.text);
    }
    arena_free(&arena);
}

TEST(a_message_is_told_by_its_beginning) {
    assert_true(mime_is_message(SLICE("MIME-Version: 1.0")));
    assert_true(mime_is_message(SLICE("\n\t Content-Type: x")));
    assert_false(mime_is_message(SLICE("#!/bin/bash\nContent-Type: x")));
    assert_false(mime_is_message(SLICE("")));
}

TEST(what_is_written_reads_as_it_was) {
    static const char wanted[] = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"//\"\n\n--//\nA: b\n\n"
                                 "x\n\n--//\n\ny\n--//--\n";
    Arena arena = {0};
    MimePartVec parts = {0}, again = {0};
    Buffer out = {0};

    assert_int_equal(mime_read(&arena, SLICE(HEAD "--B\r\nA: b\r\n\r\nx\r\n\r\n--B\n\ny\n--B--"), &parts, NULL), OK);
    mime_write(&out, SLICE("//"), &parts);
    assert_true(slice_eq_text(buffer_slice(&out), wanted));
    assert_int_equal(mime_read(&arena, buffer_slice(&out), &again, NULL), OK);
    assert_int_equal(again.count, 2);
    assert_true(slice_eq_text(mime_header(&again.items[0], SLICE("a")), "b"));
    assert_int_equal(mime_header(&again.items[0], SLICE("c")).len, 0);
    buffer_free(&out);
    arena_free(&arena);
}

TEST(bounds_hold) {
    Arena arena = {0};
    MimePartVec parts = {0};
    Buffer text = {0};
    Slice large = {arena_alloc(&arena, MIME_BYTES_MAX + 1), MIME_BYTES_MAX + 1};

    assert_int_equal(mime_read(&arena, large, &parts, NULL), ERR_TOO_LARGE);
    buffer_append(&text, SLICE(HEAD));
    for (int i = 0; i <= MIME_PARTS_MAX; i++)
        buffer_append(&text, SLICE("--B\n\nx\n"));
    buffer_append(&text, SLICE("--B--\n"));
    assert_int_equal(mime_read(&arena, buffer_slice(&text), &parts, NULL), ERR_TOO_LARGE);
    text.len = 0;
    for (int i = 0; i <= MIME_HEADERS_MAX; i++)
        buffer_append(&text, SLICE("A: b\n"));
    assert_int_equal(mime_read(&arena, buffer_slice(&text), &parts, NULL), ERR_TOO_LARGE);
    assert_int_equal(parts.count, 0);
    buffer_free(&text);
    arena_free(&arena);
}
