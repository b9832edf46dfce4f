// Reading JSON document by document and element by element: the same as parsing it, in little memory.
#include "base/random.h"
#include "harness/test.h"
#include "text/json.h"
#include "text/support/gather.h"
#include "text/support/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static void assert_same_warnings(const WarningVec *a, const WarningVec *b) {
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        assert_true(slice_eq(a->items[i].text, b->items[i].text));
        assert_int_equal(a->items[i].mistake, b->items[i].mistake);
    }
}

static void assert_same_documents(const DocumentVec *a, const DocumentVec *b, const char *text) {
    bool same = a->count == b->count;

    for (uint32_t i = 0; same && i < a->count; i++)
        same = slice_eq(a->items[i].file, b->items[i].file) && value_is_same(&a->items[i].root, &b->items[i].root);
    if (!same)
        fail_msg("parsing and reading differ: %s", text);
}

// Reads a text both ways. Returns the code.
static ErrCode assert_same(Slice text, const ParseOptions *options) {
    Outcome parsed, told;
    ErrCode code;

    reading_begin(&parsed, json_parse, text, options);
    reading_begin(&told, json_gather, text, options);
    code = parsed.code;
    if (told.code != code || (code != OK && strcmp(parsed.err.text, told.err.text) != 0))
        fail_msg("%.*s\nparsed: %d %s\nread: %d %s", SLICE_ARG(text), code, parsed.err.text, told.code, told.err.text);
    if (code == OK)
        assert_same_documents(&parsed.documents, &told.documents, text.ptr);
    assert_same_warnings(&parsed.warnings, &told.warnings);
    reading_end(&parsed);
    reading_end(&told);
    return code;
}

static const char list[] = "{\n \"apiVersion\": \"v1\", \"items\": [\n  {\"a\": 1,\n   \"b\": [true, null]},\n"
                           "  {\"c\": {\"\\u00e9\": \"x\\ny\"}}\n\n ,{}],\n \"kind\": \"List\",\n"
                           " \"metadata\": {\"n\":\n-1.50}}\n[7] {\"items\":[{\"d\":\n[]}]}\n";

TEST(json_read_tells_what_json_parse_reads) {
    static const char *const good[] = {
        "",
        "7",
        "[1, 2]\n\n{\"a\": 1}",
        "\xef\xbb\xbf\n{\"items\": [{\"a\":\n1}]}",
        "{\"items\": []}",
        "{\"items\": [{}]}",
        "{\"items\": [1, {\"a\": 2}]}",
        "{\"items\": [{\"a\": 2}, 1]}",
        "{\"items\": {\"a\": 2}}",
        "{\"\\u0069tems\": [{\"a\": 2}]}",
        "{\"\\u0069tems\": [{\"a\": 2}],\n\"items\": [{\"a\": 3}]}",
        "{\"items\": [{\"a\": 2}],\n\"items\": [{\"a\": 3}]}",
        "{\"items\": [{\"items\": [{}, {}]}, {\"items\": 3}]}",
        "{\"kind\": 1,\n\"items\": [{\"a\": 2,\n\"a\": 3}],\n\"kind\": 2}",
        "{\"items\": [{\"a\": 2,\n\"a\": 3},\n{\"b\": 1, \"c\": 2,\n\"b\": 3}],\n\"kind\": 2}\n{\"d\": 1, \"d\": 2}",
        "{\"a\": \"items\", \"b\": \"]}\\\"\", \"items\" : [ {\"]\" : \"}\\\\\"} ] , \"c\": [[]], \"d\": false}",
        list,
    };

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(assert_same(slice_of(good[i]), NULL), OK);
}

TEST(json_read_complains_as_json_parse_does) {
    static const char *const bad[] = {
        "{\"items\": [{\"a\": 2}",
        "{\"items\": [{\"a\": 2}]",
        "{\"items\": [{\"a\": 2},]}",
        "{\"items\": [{\"a\": 2} {\"a\": 2}]}",
        "{\"items\": [{\"a\": 2}]]",
        "{\"items\": [{\"a\": 2}], }",
        "{\"items\": [{\"a\": 2}] \"b\": 1}",
        "{\"items\": [\n{\"a\": 2},\n{\"a\": 2]}]}",
        "{\"items\": [\n{\"a\": 2},\n{\"a\": nul}]}",
        "{\"items\": [\n{\"a\": 2},\n{\"a\" 1}],\n\"kind\": tru}",
        "{\"items\": [\n{\"a\": 2},\n{\"a\": 3}],\n\"kind\": tru}",
        "{\"items\": [\n{\"a\": 2},\n{\"a\": \"\\x\"}]}",
        "{\"items\": [\n{\"a\": 2, \"a\": 3},\n{\"a\": \"\x01\"}]}",
        "{\"items\": [\n{\"a\": \"\xff\"}]}",
        "{\"items\": [{\"a\": 2}]}\n{\"b\": }",
        "{\"items\": [{\"a\": 2}]} x",
        "{1: [{\"a\": 2}]}",
        "{\"a\": ], \"items\": [{\"a\": 2}]}",
        "{\"a\"\\\"\", \"b\": \"c\"d\": [{\"e\\\"\": 7}}\n",
        "{\"items\": [{\"a\\\\\": \\\\\"b\"}]}",
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(assert_same(slice_of(bad[i]), NULL), ERR_INVALID);
}

TEST(json_read_has_the_bounds_of_json_parse) {
    ParseOptions strict = {.strict = true}, flat = {.depth_max = 3}, few = {.values_max = 8};
    const char *deep = "{\"items\": [{\"a\": 1},\n{\"b\": {\"c\":\n1}}]}",
               *many = "{\"items\": [{\"a\": 1}, {\"b\": 2},\n{\"c\": 3,\n\"d\": 4}]}";

    assert_int_equal(assert_same(SLICE("{\"items\": [{\"a\": 1},\n{\"b\": 1, \"b\": 2}]}"), &strict), ERR_INVALID);
    assert_int_equal(assert_same(slice_of(deep), &flat), ERR_TOO_LARGE);
    assert_int_equal(assert_same(slice_of(many), &few), ERR_TOO_LARGE);
    few.values_max = 9;
    assert_int_equal(assert_same(slice_of(many), &few), OK);
    few.values_max = 2; // fewer than elements
    assert_int_equal(assert_same(slice_of(many), &few), ERR_TOO_LARGE);
}

TEST(a_list_cut_anywhere_is_read_as_it_is_parsed) {
    for (size_t len = 0; len < sizeof list; len++) {
        char *copy = malloc(len + 1);

        memcpy(copy, list, len);
        assert_same((Slice){copy, len}, NULL);
        free(copy);
    }
}

TEST(a_list_with_changed_bytes_is_read_as_it_is_parsed) {
    Random random;
    int good = 0;

    random_seed(&random, 20261122);
    for (int round = 0; round < 20000; round++) {
        char copy[sizeof list];

        memcpy(copy, list, sizeof list);
        for (uint32_t i = random_below(&random, 3); i < 3; i++)
            copy[random_below(&random, sizeof list - 1)] = "{}[]\",:\\ 0e-\n\x01\xc3itmsa"[random_below(&random, 20)];
        good += assert_same((Slice){copy, sizeof list - 1}, NULL) == OK;
    }
    assert_true(good > 500);
}

// --- memory

typedef struct {
    unsigned documents, elements;
    uint32_t last_line;
} Counts;

static void count_document(void *context, const Document *document) {
    ((Counts *)context)->documents++;
    assert_int_equal(value_get_text(&document->root, "items")->list.count, 0);
    assert_int_equal(value_get_text(&document->root, "kind")->line, 1 + 200000 + 1);
}

static void count_element(void *context, const Value *element) {
    Counts *counts = context;

    assert_int_equal(element->line, ++counts->elements + 1);
    counts->last_line = element->line;
}

static long peak_kib(void) {
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

TEST(a_long_list_takes_the_memory_of_one_element) {
    enum { ELEMENTS = 200000, MORE_KIB_MAX = 12 << 10 }; // 24 MB of text; 16 bytes of memory for each element's place
    Counts counts = {0};
    JsonSink sink = {&counts, count_document, count_element};
    WarningVec warnings = {0};
    Arena notes = {0};
    Buffer text = {0};
    Err err;
    long before;

    buffer_append(&text, SLICE("{\"items\": ["));
    for (int i = 0; i < ELEMENTS; i++)
        buffer_printf(&text,
                      "%s\n{\"metadata\": {\"name\": \"pod-%d\", \"labels\": {\"a\": \"b\", \"c\": \"d\"}}, "
                      "\"spec\": {\"containers\": [{\"name\": \"main\"}]}}",
                      i ? "," : "", i);
    buffer_append(&text, SLICE("\n],\"kind\": \"List\"}"));
    before = peak_kib();
    assert_int_equal(json_read(&notes, SLICE("x"), buffer_slice(&text), NULL, &sink, &warnings, &err), OK);
    if (!SANITIZED)
        assert_true(peak_kib() - before < MORE_KIB_MAX);
    assert_int_equal(counts.documents, 1);
    assert_int_equal(counts.elements, ELEMENTS);
    assert_int_equal(arena_used(&notes), 0);
    buffer_free(&text);
    arena_free(&notes);
}
