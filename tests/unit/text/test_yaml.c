// Reading YAML as Kubernetes' tools do, bounds and complaints, and printing YAML that can be read again.
#include "base/random.h"
#include "harness/test.h"
#include "text/json.h"
#include "text/support/reading.h"
#include "text/yaml.h"
#include "text/yaml_vectors.h"

#include <stdio.h>

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static Outcome outcome;
static Arena inputs; // texts that are read

static void finish(void) {
    reading_end(&outcome);
    arena_free(&inputs);
}

static void end(void) {
    finish();
}

AFTER_EACH(end);

static void read_text(const char *text) {
    reading_begin(&outcome, yaml_parse, slice_of(text), NULL);
}

static void read_with(const char *text, ParseOptions options) {
    reading_begin(&outcome, yaml_parse, slice_of(text), &options);
}

static void assert_error(ErrCode code, const char *text) {
    assert_string_equal(outcome.err.text, text);
    assert_int_equal(outcome.code, code);
}

static void assert_documents(const char *text) {
    assert_string_equal(outcome_text(&outcome), text);
    assert_int_equal(outcome.code, OK);
}

// A text that was put together piece by piece.
static const char *take(Buffer *buffer) {
    const char *text = arena_text(&inputs, buffer_slice(buffer));

    buffer_free(buffer);
    return text;
}

// --- meaning

// Asserts that the YAML is equal to the JSON text, in any order of members, as Go sorts them.
static void assert_means(const char *yaml, const char *json) {
    Outcome expected;

    if (!json || !*json) {
        assert_reads(yaml_parse, yaml, json);
        return;
    }
    read_text(yaml);
    reading_begin(&expected, json_parse, slice_of(json), NULL);
    assert_int_equal(expected.code, OK);
    if (outcome.documents.count != 1 || !value_eq(&outcome.documents.items[0].root, &expected.documents.items[0].root))
        fail_msg("%s\ngave %s\nexpected %s", yaml, outcome_text(&outcome), json);
    reading_end(&expected);
    finish();
}

TEST(texts_mean_what_kubectl_takes_them_for) {
    for (size_t i = 0; i < sizeof yaml_vectors / sizeof *yaml_vectors; i++)
        assert_means(yaml_vectors[i].yaml, yaml_vectors[i].json);
}

TEST(documents_are_read_one_by_one) {
    read_text("a: 1\n---\n- b\n---\n# nothing\n---\n~\n...\n---\nword\n--- {c: 2}\n");
    assert_documents("{\"a\":1}\n[\"b\"]\n\"word\"\n{\"c\":2}");
    assert_true(slice_eq(outcome.documents.items[2].file, SLICE("in.txt")));
}

TEST(documents_are_appended) {
    read_text("a: 1\n");
    assert_int_equal(yaml_parse(&outcome.arena, SLICE("more"), SLICE("b: 2\n"), NULL, &outcome.documents, NULL, NULL),
                     OK);
    assert_documents("{\"a\":1}\n{\"b\":2}");
    assert_true(slice_eq(outcome.documents.items[1].file, SLICE("more")));
}

TEST(empty_texts_have_no_documents) {
    static const char *const texts[] = {"",           "\n\n",       "# words\n", "---\n",
                                        "---\n---\n", "---\n...\n", "null\n",    "\xef\xbb\xbf"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_reads(yaml_parse, texts[i], "");
}

TEST(each_value_and_key_knows_its_line) {
    const Value *root, *list;

    read_text("\xef\xbb\xbf# pools\r\n---\r\nspec:\r\n  a: |\r\n    x\r\n    y\r\n  b:\r\n\r\n  - 1\r\n  - {c: 2}\r\n");
    assert_documents("{\"spec\":{\"a\":\"x\\ny\\n\",\"b\":[1,{\"c\":2}]}}");
    root = &outcome.documents.items[0].root;
    assert_int_equal(root->line, 3);
    assert_int_equal(value_at(root, "spec", NULL)->line, 4);
    assert_int_equal(value_at(root, "spec", "a", NULL)->line, 4);
    list = value_at(root, "spec", "b", NULL);
    assert_int_equal(value_at(root, "spec", NULL)->map.items[1].line, 7);
    assert_int_equal(list->line, 9);
    assert_int_equal(list->list.items[1].line, 10);
    assert_int_equal(value_get_text(&list->list.items[1], "c")->line, 10);
}

TEST(an_alias_stands_where_its_anchor_stood) {
    read_text("a: &x\n  b: 1\nc: *x\n");
    assert_int_equal(value_at(&outcome.documents.items[0].root, "c", "b", NULL)->line, 2);
}

// --- merging

TEST(merged_members_may_be_given_again) {
    read_with("base: &base {cpu: 1, memory: 2}\na:\n  <<: *base\n  cpu: 3\nb:\n  cpu: 4\n  <<: *base\n",
              (ParseOptions){.strict = true});
    assert_documents(
        "{\"base\":{\"cpu\":1,\"memory\":2},\"a\":{\"cpu\":3,\"memory\":2},\"b\":{\"cpu\":1,\"memory\":2}}");
    assert_int_equal(outcome.warnings.count, 0);
}

TEST(a_key_given_twice_is_noticed_beside_a_merge) {
    read_text("base: &base {a: 1}\nx: {<<: *base, a: 2, a: 3}\nz: {a: 4, <<: *base, a: 5}\n");
    assert_documents("{\"base\":{\"a\":1},\"x\":{\"a\":3},\"z\":{\"a\":5}}");
    assert_int_equal(outcome.warnings.count, 2);
}

TEST(large_maps_are_merged_quickly) {
    enum { KEYS = 20000 };
    Buffer text = {0};
    clock_t started = clock();

    buffer_append(&text, SLICE("base: &base\n"));
    for (int i = 0; i < KEYS; i++)
        buffer_printf(&text, "  k%d: 1\n", i);
    buffer_append(&text, SLICE("own:\n  <<: *base\n"));
    for (int i = 0; i < KEYS; i++)
        buffer_printf(&text, "  k%d: 2\n", i);
    read_text(take(&text));
    assert_int_equal(outcome.code, OK);
    assert_int_equal(outcome.warnings.count, 0);
    assert_int_equal(value_at(&outcome.documents.items[0].root, "own", NULL)->map.count, KEYS);
    assert_true((clock() - started) / CLOCKS_PER_SEC < 5);
}

// --- keys given twice

TEST(the_last_of_equal_keys_counts_with_a_warning) {
    read_text("cpu: 1\nmemory: 2\n\n'cpu': 3\n");
    assert_documents("{\"cpu\":3,\"memory\":2}");
    assert_int_equal(outcome.warnings.count, 1);
    assert_string_equal(arena_text(&outcome.arena, outcome.warnings.items[0].text),
                        "in.txt:4: key \"cpu\" is given again (first at line 1); the last one counts");
}

TEST(strict_reading_refuses_equal_keys) {
    read_with("a:\n  cpu: 1\n  cpu: 1\n", (ParseOptions){.strict = true});
    assert_error(ERR_INVALID, "in.txt:3: key \"cpu\" is given again (first at line 2)");
    assert_int_equal(outcome.documents.count, 0);
}

TEST(keys_are_compared_as_they_end_up) {
    static const char *const texts[] = {"1: a\n'1': b\n", "0x10: a\n16: b\n", "yes: a\ntrue: b\n", "1.50: a\n1.5: b\n"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        read_with(texts[i], (ParseOptions){.strict = true});
        assert_int_equal(outcome.code, ERR_INVALID);
        finish();
    }
}

TEST(equal_keys_are_found_among_many) {
    Buffer text = {0};

    for (int i = 0; i < 3000; i++)
        buffer_printf(&text, "key%d: %d\n", i % 2900, i);
    read_text(take(&text));
    assert_int_equal(outcome.code, OK);
    assert_int_equal(outcome.warnings.count, 100);
    assert_int_equal(outcome.documents.items[0].root.map.count, 2900);
}

TEST(not_every_equal_key_is_named) {
    Buffer text = {0};

    for (int i = 0; i < 5000; i++)
        buffer_append(&text, SLICE("a: 1\n"));
    read_text(take(&text));
    assert_int_equal(outcome.warnings.count, 101);
    assert_string_equal(arena_text(&outcome.arena, outcome.warnings.items[100].text),
                        "in.txt:102: more keys are given again; the last one counts");
}

// --- bounds

TEST(a_cycle_of_anchors_is_refused) {
    read_text("a: &a\n  b:\n  - *a\n");
    assert_error(ERR_INVALID, "in.txt:3: alias *a stands inside its own anchor: a cycle");
}

TEST(an_alias_needs_its_anchor_in_the_same_document) {
    read_text("a: &x 1\nb: *x\n---\nc: *x\n");
    assert_error(ERR_INVALID, "in.txt:4: alias *x has no anchor");
    assert_int_equal(outcome.documents.count, 1);
}

static long most_memory_kib(void) {
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

// Nine levels of nine aliases each: 9^9 values when written out.
TEST(the_billion_laughs_are_too_many) {
    Buffer text = {0};
    long before = most_memory_kib();

    buffer_append(&text, SLICE("a0: &a0 lol\n"));
    for (int i = 1; i < 11; i++) {
        buffer_printf(&text, "a%d: &a%d [", i, i);
        for (int j = 0; j < 9; j++)
            buffer_printf(&text, "%s*a%d", j ? ", " : "", i - 1);
        buffer_append(&text, SLICE("]\n"));
    }
    read_text(take(&text));
    assert_error(ERR_TOO_LARGE, "in.txt:8: aliases expand to more than 1000000 values");
    assert_true(arena_used(&outcome.arena) < (1 << 20));
    assert_true(most_memory_kib() - before < 20 << 10);
}

TEST(aliases_within_the_bound_cost_no_copies) {
    Buffer text = {0};

    buffer_append(&text, SLICE("a: &a ["));
    for (int i = 0; i < 900; i++)
        buffer_printf(&text, "%d, ", i);
    buffer_append(&text, SLICE("0]\nb:\n"));
    for (int i = 0; i < 1000; i++)
        buffer_append(&text, SLICE("- *a\n"));
    read_text(take(&text));
    assert_int_equal(outcome.code, OK);
    assert_int_equal(value_at(&outcome.documents.items[0].root, "b", NULL)->list.items[999].list.count, 901);
    assert_true(arena_used(&outcome.arena) < (1 << 20));
}

TEST(many_anchors_are_found_quickly) {
    enum { COUNT = 50000 };
    Buffer text = {0};
    clock_t started = clock();

    for (int i = 0; i < COUNT; i++)
        buffer_printf(&text, "- &anchor%d 1\n", i);
    for (int i = 0; i < COUNT; i++)
        buffer_printf(&text, "- *anchor%d\n", i);
    read_text(take(&text));
    assert_int_equal(outcome.code, OK);
    assert_int_equal(outcome.documents.items[0].root.list.count, 2 * COUNT);
    assert_true((clock() - started) / CLOCKS_PER_SEC < 5);
}

static const char *nested(const char *opening, int levels, const char *middle, const char *closing) {
    Buffer text = {0};

    for (int i = 0; i < levels; i++)
        buffer_append(&text, slice_of(opening));
    buffer_append(&text, slice_of(middle));
    for (int i = 0; i < levels; i++)
        buffer_append(&text, slice_of(closing));
    return take(&text);
}

TEST(nesting_has_a_bound) {
    static const struct {
        const char *opening, *middle, *closing;
    } shapes[] = {{"[", "x", "]"}, {"{a: ", "x", "}"}, {"- ", "x\n", ""}, {"? ", "x\n", ""}, {"[{a: ", "x", "}]"}};

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        read_text(nested(shapes[i].opening, 10000, shapes[i].middle, shapes[i].closing));
        assert_error(ERR_TOO_LARGE, "in.txt:1: nested deeper than 256 levels");
        finish();
    }
    read_text(nested("[", 256, "x", "]"));
    assert_int_equal(outcome.code, OK);
    finish();
    read_with("[[[x]]]", (ParseOptions){.depth_max = 2});
    assert_error(ERR_TOO_LARGE, "in.txt:1: nested deeper than 2 levels");
}

// Each anchor is within the bound of nesting, but the tree of their aliases is not.
TEST(aliases_do_not_get_around_the_bound_of_nesting) {
    read_with("a: &a [[1]]\nb: &b [*a]\nc: [[*b]]\n", (ParseOptions){.depth_max = 6});
    assert_int_equal(outcome.code, OK);
    finish();
    read_with("a: &a [[1]]\nb: &b [*a]\nc: [[*b]]\n", (ParseOptions){.depth_max = 5});
    assert_error(ERR_TOO_LARGE, "in.txt:3: nested deeper than 5 levels");
}

TEST(the_number_of_values_has_a_bound) {
    read_with("[1, 2, 3]\n---\n[1, 2, 3]\n", (ParseOptions){.values_max = 4}); // of each document
    assert_int_equal(outcome.code, OK);
    finish();
    read_with("- 1\n- 2\n- 3\n- 4\n", (ParseOptions){.values_max = 4});
    assert_error(ERR_TOO_LARGE, "in.txt:4: more than 4 values in one document");
    finish();
    read_with("- &a [1, 2]\n- *a\n", (ParseOptions){.values_max = 6});
    assert_error(ERR_TOO_LARGE, "in.txt:2: more than 6 values in one document");
}

// --- complaints

TEST(complaints_name_the_line) {
    static const struct {
        const char *text, *complaint;
    } cases[] = {
        {"a: 1\nb: [1, 2\nc: 3\n",
         "in.txt:3: not YAML: did not find expected ',' or ']' while parsing a flow sequence"},
        {"a: 1\nb: c: d\n", "in.txt:2: not YAML: mapping values are not allowed in this context"},
        {"a: 1\n\tb: 2\n",
         "in.txt:2: not YAML: found a tab character that violates indentation while scanning a plain scalar"},
        {"a: 1\nb: \xff\n", "in.txt:2: not UTF-8"},
        {"a: 1\n\nb: x\x01y\n", "in.txt:3: not YAML: control characters are not allowed"},
        {"a: 1\n? [x, y]\n: 1\n", "in.txt:2: expected a string as key, got list"},
        {"a: 1\n~: 2\n", "in.txt:2: expected a string as key, got null"},
        {"a: 1\nb: {<<: word}\n", "in.txt:2: expected a map to merge, got string"},
        {"a: 1\nb: .inf\n", "in.txt:2: .inf is no number that JSON can say; quote it to mean the text"},
        {"a: 1\nb: !!int many\n", "in.txt:2: \"many\" is not what its tag !!int says"},
        {"a: 1\nb: *nobody\n", "in.txt:2: alias *nobody has no anchor"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        read_text(cases[i].text);
        assert_error(ERR_INVALID, cases[i].complaint);
        finish();
    }
}

TEST(a_nul_is_no_end) {
    reading_begin(&outcome, yaml_parse, (Slice){"a: 1\n\0b: 2\n", 11}, NULL);
    assert_error(ERR_INVALID, "in.txt:2: not YAML: control characters are not allowed");
}

TEST(nobody_has_to_listen) {
    Arena arena = {0};
    DocumentVec documents = {0};

    assert_int_equal(yaml_parse(&arena, SLICE("x"), SLICE("a: 1\na: 2\n"), NULL, &documents, NULL, NULL), OK);
    assert_int_equal(yaml_parse(&arena, SLICE("x"), SLICE("a: ["), NULL, &documents, NULL, NULL), ERR_INVALID);
    assert_int_equal(documents.count, 1);
    arena_free(&arena);
}

// --- printing

static void assert_prints(const char *yaml, const char *expected) {
    Buffer buffer = {0};

    read_text(yaml);
    assert_int_equal(outcome.code, OK);
    yaml_print(&buffer, &outcome.documents.items[0].root);
    assert_string_equal(take(&buffer), expected);
    finish();
}

TEST(values_are_printed_as_kubectl_does) {
    assert_prints(
        "{kind: NodePool, spec: {limits: {cpu: '100'}, weight: 10, taints: [], labels: {}, on: null, ok: true}}",
        "kind: NodePool\nspec:\n  limits:\n    cpu: \"100\"\n  weight: 10\n  taints: []\n  labels: {}\n"
        "  \"true\": null\n  ok: true\n");
    assert_prints("{requirements: [{key: zone, values: [a, b]}, {key: arch}], after: 1}",
                  "requirements:\n- key: zone\n  values:\n  - a\n  - b\n- key: arch\nafter: 1\n");
    assert_prints("[[1, [2, 3]], {a: [4]}, []]", "- - 1\n  - - 2\n    - 3\n- a:\n  - 4\n- []\n");
    assert_prints("word", "word\n");
    assert_prints("[]", "[]\n");
    assert_prints("''", "\"\"\n");
    assert_prints("[-0.0, -0, 1e3, 1e21]", "- -0.0\n- 0\n- 1000\n- 1e+21\n");
}

TEST(texts_are_quoted_only_where_needed) {
    static const char *const plain[] = {
        "m5.large", "us-east-1a", "10.0.0.1", "a:b", "a#b", "1.2.3", "karpenter.sh/nodepool",
        "yEs",      "a b",        "x=y",      "1e",  "0x",  "2Gi",   "100m",
        "nan",      "a,b",        "+",        "._5", "_1",  "-a",    "--a=\"b\""};
    static const char *const quoted[] = {"",
                                         "yes",
                                         "No",
                                         "on",
                                         "y",
                                         "true",
                                         "null",
                                         "~",
                                         "12",
                                         "1.5",
                                         "-1",
                                         "0x1f",
                                         "1e3",
                                         "1_000",
                                         "0o17",
                                         "017",
                                         ".5",
                                         ".inf",
                                         "<<",
                                         "a: b",
                                         "a #b",
                                         "#a",
                                         "a:",
                                         " a",
                                         "a ",
                                         "&a",
                                         "*a",
                                         "!a",
                                         "|",
                                         ">",
                                         "'",
                                         "\"",
                                         "%a",
                                         "@a",
                                         "`a",
                                         "{a",
                                         "]",
                                         "?",
                                         ":",
                                         "=",
                                         "1:20",
                                         "...",
                                         "---",
                                         "- a",
                                         "\n",
                                         "a\tb",
                                         "a\r",
                                         "2026-11-21",
                                         "a\nb",
                                         "\x7f",
                                         "\xc3\xa9",
                                         "--- a",
                                         "[",
                                         "-",
                                         "\xef\xbb\xbfz",
                                         "\xe2\x80\xa8",
                                         "\xc2\x85",
                                         "\xf0\x9f\x98\x80",
                                         "\x1b[31m"};

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        Buffer buffer = {0};
        Value value = value_string(slice_of(plain[i]));

        yaml_print(&buffer, &value);
        assert_int_equal(buffer.len, strlen(plain[i]) + 1);
        read_text(take(&buffer));
        assert_true(value_eq(&value, &outcome.documents.items[0].root));
        finish();
    }
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++) {
        Buffer buffer = {0};
        Value value = value_string(slice_of(quoted[i]));

        yaml_print(&buffer, &value);
        if (buffer.bytes[0] != '"')
            fail_msg("\"%s\" was printed as %.*s", quoted[i], SLICE_ARG(buffer_slice(&buffer)));
        read_text(take(&buffer));
        assert_int_equal(outcome.code, OK);
        assert_true(value_eq(&value, &outcome.documents.items[0].root));
        finish();
    }
}

TEST(long_keys_read_back) {
    for (size_t len = 900; len < 1200; len += 7) {
        Arena arena = {0};
        char *key = arena_alloc_raw(&arena, len);
        Value map = value_map(), list = value_list();
        Buffer buffer = {0};

        memset(key, 'k', len);
        value_put(&arena, &map, (Slice){key, len}, value_string(SLICE("value")));
        value_put(&arena, &map, SLICE("short"), value_null());
        value_append(&arena, &list, map);
        yaml_print(&buffer, &list);
        read_text(take(&buffer));
        assert_int_equal(outcome.code, OK);
        assert_true(value_eq(&list, &outcome.documents.items[0].root));
        finish();
        arena_free(&arena);
    }
}

// --- round trips

typedef struct {
    Arena *arena;
    Random random;
    int budget; // values left
} Generator;

static Slice any_text(Generator *generator) {
    static const char *const pieces[] = {"a",
                                         "Z",
                                         "0",
                                         "1",
                                         "7",
                                         "-",
                                         ".",
                                         ":",
                                         " ",
                                         ": ",
                                         " #",
                                         "#",
                                         "\n",
                                         "\t",
                                         "\r",
                                         "'",
                                         "\"",
                                         "\\",
                                         "[",
                                         "]",
                                         "{",
                                         "}",
                                         ",",
                                         "&",
                                         "*",
                                         "!",
                                         "|",
                                         ">",
                                         "%",
                                         "@",
                                         "`",
                                         "?",
                                         "~",
                                         "<<",
                                         "null",
                                         "true",
                                         "yes",
                                         "no",
                                         "on",
                                         "0x",
                                         "0o7",
                                         "1e3",
                                         ".inf",
                                         "+",
                                         "_",
                                         "e",
                                         "---",
                                         "...",
                                         "- ",
                                         "? ",
                                         "\xc3\xa9",
                                         "\xc2\x85",
                                         "\x01",
                                         "\x7f",
                                         "\x1b",
                                         "\xe2\x80\xa8",
                                         "\xe2\x80\xa9",
                                         "\xef\xbb\xbf",
                                         "\xef\xbf\xbf",
                                         "\xf0\x9f\x98\x80",
                                         "\xc2\xa0",
                                         "2026-01-01",
                                         "12:30",
                                         "=",
                                         "\\n",
                                         "\\u0041",
                                         "\xed\x9f\xbf",
                                         "\xee\x80\x80",
                                         "karpenter.sh/nodepool"};
    uint32_t count = random_chance(&generator->random, 2) ? 300 : random_below(&generator->random, 6);
    Buffer buffer = {0};
    Slice text;

    for (uint32_t i = 0; i < count; i++)
        buffer_append(&buffer, slice_of(pieces[random_below(&generator->random, sizeof pieces / sizeof *pieces)]));
    text = arena_slice(generator->arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}

static Value any_number(Generator *generator) {
    uint64_t bits = random_u64(&generator->random);
    double number;

    if (random_chance(&generator->random, 50))
        return value_int(generator->arena, (int64_t)bits >> random_below(&generator->random, 64));
    memcpy(&number, &bits, sizeof number);
    if (random_chance(&generator->random, 50) || number - number != 0)
        number = (double)(bits % 100000) / 1000;
    return value_real(generator->arena, number);
}

static Value any_value(Generator *generator, int depth) {
    Value value;
    uint32_t kind = random_below(&generator->random, depth > 6 || generator->budget < 0 ? 4 : 7), count;

    generator->budget--;
    switch (kind) {
    case 0:
        return random_chance(&generator->random, 50) ? value_null() : value_bool(random_chance(&generator->random, 50));
    case 1:
        return any_number(generator);
    case 2:
    case 3:
        return value_string(any_text(generator));
    default:
        value = kind == 4 ? value_list() : value_map();
        count = random_below(&generator->random, 5);
    }
    for (uint32_t i = 0; i < count; i++) {
        Value element = any_value(generator, depth + 1);

        if (value.kind == VALUE_LIST)
            value_append(generator->arena, &value, element);
        else
            value_put(generator->arena, &value, any_text(generator), element);
    }
    return value;
}

// Printing twice and reading in between changes nothing.
TEST(what_is_printed_reads_back) {
    enum { SEED = 20260103, ROUNDS = 20000 };
    Generator generator;

    random_seed(&generator.random, SEED);
    for (int round = 0; round < ROUNDS; round++) {
        Arena arena = {0};
        Buffer buffer = {0};
        Value value;

        generator.arena = &arena;
        generator.budget = 40;
        do
            value = any_value(&generator, 0);
        while (value.kind == VALUE_NULL); // no document
        yaml_print(&buffer, &value);
        read_text(take(&buffer));
        if (outcome.code != OK || outcome.documents.count != 1 || outcome.warnings.count ||
            !value_eq(&value, &outcome.documents.items[0].root)) {
            yaml_print(&buffer, &value);
            fail_msg("seed %d, round %d: %s\n%.*s", SEED, round, outcome.err.text, SLICE_ARG(buffer_slice(&buffer)));
        }
        finish();
        arena_free(&arena);
    }
}
