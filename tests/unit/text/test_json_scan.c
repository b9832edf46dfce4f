// Where JSON values end: against looking at one byte after the other.
#include "base/random.h"
#include "harness/test.h"
#include "text/json_scan.h"

typedef struct {
    size_t depth;
    bool in_string, escaped;
} Simple;

// Offset of the bracket that closes the last open list or map, or the length.
static size_t simple_end(Simple *simple, Slice text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool escaped = simple->escaped;

        simple->escaped = c == '\\' && !escaped;
        if (c == '"' && !escaped)
            simple->in_string = !simple->in_string;
        else if (!simple->in_string && (c == '{' || c == '['))
            simple->depth++;
        else if (!simple->in_string && (c == '}' || c == ']') && --simple->depth == 0)
            return i;
    }
    return text.len;
}

enum { TEXT_MAX = 400 };

// A text that begins with a bracket and has many of the bytes that count.
static Slice draw_text(Random *random, char *text) {
    size_t len = 1 + random_below(random, TEXT_MAX - 1);
    const char *bytes = random_chance(random, 50) ? "{[\"\\ab,:{[\"\\}]" : "{[\"a{[\"}]abcdefghi";

    text[0] = '{';
    for (size_t i = 1; i < len; i++)
        text[i] = bytes[random_below(random, (uint32_t)strlen(bytes))];
    return (Slice){text, len};
}

TEST(the_end_of_a_list_or_map_is_found_however_the_text_is_cut) {
    Random random;
    int found = 0;

    random_seed(&random, 7);
    for (int round = 0; round < 20000; round++) {
        char bytes[TEXT_MAX];
        Slice text = draw_text(&random, bytes);
        size_t cut = random_below(&random, (uint32_t)text.len + 1), expected, got;
        const char *middle = text.ptr + cut, *end = text.ptr + text.len;
        JsonNesting nesting = {0};
        Simple simple = {0};

        expected = simple_end(&simple, text);
        got = (size_t)(json_nesting_end(&nesting, text.ptr, middle) - text.ptr);
        if (got == cut) {
            got += (size_t)(json_nesting_end(&nesting, middle, end) - middle);
            if (got == text.len && (nesting.depth != simple.depth || !nesting.in_string == simple.in_string))
                fail_msg("cut at %zu: another state behind %.*s", cut, SLICE_ARG(text));
        }
        if (got != expected)
            fail_msg("cut at %zu: ends at %zu, not %zu: %.*s", cut, got, expected, SLICE_ARG(text));
        found += got < text.len;
    }
    assert_true(found > 1000 && found < 19000);
}

static void assert_ends(const char *text, size_t expected) {
    assert_int_equal(json_value_end(text, text + strlen(text)) - text, expected);
}

TEST(a_value_ends_behind_its_bracket_its_quote_or_its_word) {
    assert_ends("{} {}", 2);
    assert_ends("[\"]\", [1]] 2", 10);
    assert_ends("\"a\\\"b\" x", 6);
    assert_ends("\"a", 2);
    assert_ends("\"a\\", 3);
    assert_ends("12.5 7", 4);
    assert_ends("null\n", 4);
    assert_ends("] 1", 1);
    assert_ends("[1, {\"a\": 2}", 12);
    assert_ends("", 0);
}

static bool finds(const char *text, uint32_t most, JsonList *ret_list) {
    static Arena arena;
    bool found;

    arena_free(&arena);
    found = json_list_find(&arena, text, text + strlen(text), most, ret_list);
    return found;
}

TEST(a_list_is_cut_at_its_elements) {
    const char *text = "{\"a\": [1], \"items\": [ {\"b\": 1} ,\n{} ], \"c\": null } 7";
    JsonList list;

    assert_true(finds(text, 2, &list));
    assert_int_equal(list.elements.count, 2);
    assert_true(slice_eq(list.before, SLICE("{\"a\": [1], \"items\": [")));
    assert_true(slice_eq(list.elements.items[0], SLICE("{\"b\": 1}")));
    assert_true(slice_eq(list.elements.items[1], SLICE("{}")));
    assert_true(slice_eq(list.after, SLICE("], \"c\": null }")));
    assert_true(slice_eq_text((Slice){list.end, 2}, " 7"));
    assert_false(finds(text, 1, &list)); // too many
}

TEST(what_is_no_list_of_maps_is_not_cut) {
    static const char *const others[] = {
        "[{\"items\": [{}]}]",
        "{\"items\": []}",
        "{\"items\": [{}, 1]}",
        "{\"items\": {}}",
        "{\"items\": [{}]",
        "{\"items\": [{}]]",
        "{\"items\": [{},]}",
        "{\"items\": [{}], \"items\": [{}]}",
        "{\"\\u0069tems\": [{}]}",
        "{\"items\": [{}], \"a\": ]}",
        "{\"items\": [{}], \"a\": x\"\"}",
        "{\"items\": [{}], a: 1}",
        "{}",
        "7",
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        JsonList list;

        if (finds(others[i], 9, &list))
            fail_msg("%s", others[i]);
    }
}
