// TOML: cases of the specification 1.0, what is refused, and writing.
#include "harness/test.h"
#include "text/json.h"
#include "text/toml/toml.h"

typedef struct {
    const char *name, *text;
    const char *json;  // NULL: refused
    const char *error; // how the message starts
} Row;

static const Row rows[] = {
    {"nothing", "", "{}", NULL},
    {"a comment", "# all of it\n", "{}", NULL},
    {"a pair", "key = \"value\" # comment", "{\"key\":\"value\"}", NULL},
    {"bare keys", "bare_key = 1\nbare-key = 2\n1234 = 3", "{\"bare_key\":1,\"bare-key\":2,\"1234\":3}", NULL},
    {"quoted keys", "\"127.0.0.1\" = 1\n'quoted \"value\"' = 2\n\"\" = 3",
     "{\"127.0.0.1\":1,\"quoted \\\"value\\\"\":2,\"\":3}", NULL},
    {"dotted keys", "physical.color = 'orange'\nsite.\"google.com\" = true\nphysical . shape = 'round'",
     "{\"physical\":{\"color\":\"orange\",\"shape\":\"round\"},\"site\":{\"google.com\":true}}", NULL},
    {"the order of the text", "z = 1\na = 2\n[m]\n[b]\n", "{\"z\":1,\"a\":2,\"m\":{},\"b\":{}}", NULL},
    {"escapes", "s = \"tab\\t quote\\\" back\\\\ \\u00e9 \\U0001F600\"",
     "{\"s\":\"tab\\t quote\\\" back\\\\ \xc3\xa9 \xf0\x9f\x98\x80\"}", NULL},
    {"literal strings", "s = 'C:\\Users\\nodejs'", "{\"s\":\"C:\\\\Users\\\\nodejs\"}", NULL},
    {"strings of several lines", "s = \"\"\"\nRoses\nViolets\\\n   red\"\"\"", "{\"s\":\"Roses\\nVioletsred\"}", NULL},
    {"literal strings of several lines", "s = '''\na 'b' \\c\n'''", "{\"s\":\"a 'b' \\\\c\\n\"}", NULL},
    {"integers", "i = [+99, 42, 0, -17, 1_000, 0xDEAD_BEEF, 0o755, 0b1101]",
     "{\"i\":[99,42,0,-17,1000,3735928559,493,13]}", NULL},
    {"the greatest integers", "i = [9223372036854775807, -9223372036854775808]",
     "{\"i\":[9223372036854775807,-9223372036854775808]}", NULL},
    {"floats stay floats", "f = [1.0, 3.1415, -0.01, 5e+22, 1e06, 6.626e-34]",
     "{\"f\":[1.0,3.1415,-0.01,5e+22,1000000.0,6.626e-34]}", NULL},
    {"booleans", "b = [true, false]", "{\"b\":[true,false]}", NULL},
    {"dates and times are texts", "d = [1979-05-27T07:32:00Z, 1979-05-27, 07:32:00, 1979-05-27T07:32:00]",
     "{\"d\":[\"1979-05-27T07:32:00Z\",\"1979-05-27\",\"07:32:00\",\"1979-05-27T07:32:00\"]}", NULL},
    {"arrays of arrays", "a = [ [ 1, 2 ], [\"a\", 'b'], # mixed\n ]", "{\"a\":[[1,2],[\"a\",\"b\"]]}", NULL},
    {"arrays of mixed kinds", "a = [0.1, 'x', {b = 1}]", "{\"a\":[0.1,\"x\",{\"b\":1}]}", NULL},
    {"tables", "[table-1]\nkey1 = 1\n[table-2]\nkey1 = 2", "{\"table-1\":{\"key1\":1},\"table-2\":{\"key1\":2}}", NULL},
    {"tables in tables", "[dog.\"tater.man\"]\ntype.name = 'pug'",
     "{\"dog\":{\"tater.man\":{\"type\":{\"name\":\"pug\"}}}}", NULL},
    {"a table behind its inner one", "[x.y]\n[x]\na = 1", "{\"x\":{\"y\":{},\"a\":1}}", NULL},
    {"inline tables", "p = { x = 1, y.z = 2 }", "{\"p\":{\"x\":1,\"y\":{\"z\":2}}}", NULL},
    {"arrays of tables", "[[p]]\nname = 'a'\n[[p]]\n[[p]]\nname = 'b'\n[p.q]\nr = 1",
     "{\"p\":[{\"name\":\"a\"},{},{\"name\":\"b\",\"q\":{\"r\":1}}]}", NULL},
    {"carriage returns", "a = 1\r\nb = 2\r\n", "{\"a\":1,\"b\":2}", NULL},
    // refused
    {"a key without a value", "key = # INVALID", NULL, "TOML, line 1: "},
    {"two pairs on a line", "first = 'Tom' last = 'P'", NULL, "TOML, line 1: "},
    {"no key", "= 1", NULL, "TOML, line 1: "},
    {"a key twice", "name = 'a'\nname = 'b'", NULL, "TOML, line 2: "},
    {"a key twice, once quoted", "spelling = 1\n\"spelling\" = 2", NULL, "TOML, line 2: "},
    {"a table twice", "[fruit]\na = 1\n[fruit]\nb = 2", NULL, "TOML, line 3: "},
    {"a table where a value is", "a = 1\n[a.b]", NULL, "TOML, line 2: "},
    {"a table where an array is", "a = []\n[[a]]", NULL, "TOML, line 2: "},
    {"an inline table that grows", "a = {b = 1}\na.c = 2", NULL, "TOML, line 2: "},
    {"an inline table with a comma at its end", "a = {b = 1,}", NULL, "TOML, line 1: "},
    {"a string that does not end", "a = 'x\nb = 1", NULL, "TOML, line 1: "},
    {"an unknown escape", "a = \"\\q\"", NULL, "TOML, line 1: "},
    {"a zero in front", "a = 042", NULL, "TOML, line 1: "},
    {"an integer of more than 64 bits", "a = 9223372036854775808", NULL, "TOML, line 1: "},
    {"a float without digits", "a = .7", NULL, "TOML, line 1: "},
    {"infinity", "ok = 1\na = inf", NULL, "TOML, line 2: expected a finite number"},
    {"not a number", "a = nan", NULL, "TOML, line 1: expected a finite number"},
    {"a shell script", "#!/bin/bash\necho x\n", NULL, "TOML, line 2: "},
    {"a day that is none", "a = 2026-02-30", NULL, "TOML, line 1: "},
    {"a byte that is no UTF-8", "a = '\xff'", NULL, "TOML, line 1: "},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static Slice json_of(Arena *arena, const Value *value) {
    Buffer text = {0};
    Slice copy;

    json_print(&text, value, false);
    copy = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return copy;
}

// What was read, written and read again is the same.
static void assert_round(Arena *arena, const Value *value) {
    Buffer text = {0};
    Value again;
    Err err = {0};

    toml_print(&text, value);
    if (toml_parse(arena, buffer_slice(&text), &again, &err) != OK)
        fail_msg("%s in\n%.*s", err.text, SLICE_ARG(buffer_slice(&text)));
    assert_true(value_eq(value, &again));
    buffer_free(&text);
}

TEST_EACH(const Row, row, documents_are_read, list_rows) {
    Arena arena = {0};
    Value value = {0};
    Err err = {0};
    ErrCode code = toml_parse(&arena, slice_of(row->text), &value, &err);

    if (row->json) {
        if (code != OK)
            fail_msg("%s", err.text);
        assert_string_equal(arena_text(&arena, json_of(&arena, &value)), row->json);
        assert_round(&arena, &value);
    } else {
        assert_int_equal(code, ERR_INVALID);
        if (!slice_starts_with(slice_of(err.text), slice_of(row->error)))
            fail_msg("got \"%s\"", err.text);
    }
    arena_free(&arena);
}

TEST(bounds_hold) {
    Arena arena = {0};
    Value value = {0};
    Buffer text = {0};

    buffer_append(&text, SLICE("a = "));
    for (int i = 0; i < 2 * TOML_DEPTH_MAX; i++)
        buffer_append_char(&text, '[');
    assert_int_equal(toml_parse(&arena, buffer_slice(&text), &value, NULL), ERR_TOO_LARGE);
    assert_int_equal(
        toml_parse(&arena, (Slice){arena_alloc(&arena, TOML_BYTES_MAX + 1), TOML_BYTES_MAX + 1}, &value, NULL),
        ERR_TOO_LARGE);
    buffer_free(&text);
    arena_free(&arena);
}

TEST(lines_of_values_are_known) {
    Arena arena = {0};
    Value value;

    assert_int_equal(toml_parse(&arena, SLICE("a = 1\n\n[b]\nc = [\n  2]\n"), &value, NULL), OK);
    assert_int_equal(value.map.items[0].line, 1);
    assert_int_equal(value.map.items[1].line, 3);
    assert_int_equal(value_at(&value, "b", "c", NULL)->list.items[0].line, 5);
    arena_free(&arena);
}

typedef struct {
    const char *name, *json, *toml;
} Written;

static const Written written[] = {
    {"write: nothing", "{}", ""},
    {"write: values before tables", "{\"t\":{\"a\":1},\"b\":\"x\"}", "b = 'x'\n\n[t]\na = 1\n"},
    {"write: headings follow each other", "{\"a\":{\"b\":{\"c\":1},\"d\":{}}}", "[a]\n[a.b]\nc = 1\n\n[a.d]\n"},
    {"write: keys", "{\"a.b\":1,\"a/b\":2,\"\":3,\"it's\":4}", "'a.b' = 1\n'a/b' = 2\n'' = 3\n\"it's\" = 4\n"},
    {"write: texts", "{\"a\":\"it's\",\"b\":\"\\n\\u0001\",\"c\":\"\\\\\",\"d\":\"\\t\"}",
     "a = \"it's\"\nb = \"\\n\\u0001\"\nc = '\\'\nd = '\t'\n"},
    {"write: numbers", "{\"a\":1,\"b\":1.5,\"c\":1e3,\"d\":99999999999999999999}",
     "a = 1\nb = 1.5\nc = 1e3\nd = 99999999999999999999.0\n"},
    {"write: null is left out", "{\"a\":null,\"b\":[1,null]}", "b = [1]\n"},
    {"write: lists of maps are sections", "{\"a\":[{\"b\":1},{\"c\":{\"d\":2}}]}",
     "[[a]]\nb = 1\n\n[[a]]\n[a.c]\nd = 2\n"},
    {"write: mixed lists are on one line", "{\"a\":[1,{\"b\":true,\"n\":null,\"c\":[]}]}",
     "a = [1, {b = true, c = []}]\n"},
};

static void list_written(TestCases *cases) {
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        test_case(cases, written[i].name, (void *)(uintptr_t)&written[i]);
}

TEST_EACH(const Written, row, documents_are_written, list_written) {
    Arena arena = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Buffer text = {0};

    assert_int_equal(
        json_parse(&arena, SLICE("-"), slice_of(row->json), &(ParseOptions){0}, &documents, &warnings, NULL), OK);
    toml_print(&text, &documents.items[0].root);
    buffer_append_char(&text, '\0');
    assert_string_equal(text.bytes, row->toml);
    buffer_free(&text);
    arena_free(&arena);
}
