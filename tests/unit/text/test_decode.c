// The table-driven decoder: each kind of field, and the exact words of each complaint.
#include "harness/test.h"
#include "text/decode.h"
#include "text/json.h"

#include <stdio.h>

#include <string.h>

typedef struct {
    Slice key;
    Symbol operator;
    U32Vec values;
} Requirement;

typedef struct {
    int64_t cpu_milli;
    bool has_cpu;
} Limits;

typedef struct {
    Slice name;
    Symbol kind;
    bool paused, has_paused;
    int32_t weight;
    int64_t generation;
    double price;
    int64_t created_ns;
    Limits limits;
    const Limits *overhead;
    Vec(Requirement) requirements;
    U32Vec zones;
    const Value *raw;
} Pool;

static ErrCode decode_cpu(Decoder *decoder, const Value *value, void *ret_field, Err *err) {
    Err why;

    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    if (quantity_parse(value->text, QUANTITY_MILLI, ret_field, &why) != OK)
        return decode_fail(decoder, value, err, "%s", why.text);
    return OK;
}

static const Field limits_fields[] = {
    {"cpu", FIELD_CUSTOM, false, offsetof(Limits, cpu_milli), offsetof(Limits, has_cpu), NULL, decode_cpu},
};
static const FieldTable limits_table = FIELD_TABLE(Limits, limits_fields);

static const Field requirement_fields[] = {
    FIELD(Requirement, key, "key", FIELD_STRING, .required = true),
    FIELD(Requirement, operator, "operator", FIELD_SYMBOL, .required = true),
    FIELD(Requirement, values, "values", FIELD_SYMBOLS),
};
static const FieldTable requirement_table = FIELD_TABLE(Requirement, requirement_fields);

static const Field pool_fields[] = {
    FIELD(Pool, name, "name", FIELD_STRING, .required = true),
    FIELD(Pool, kind, "kind", FIELD_SYMBOL),
    {"paused", FIELD_BOOL, false, offsetof(Pool, paused), offsetof(Pool, has_paused), NULL, NULL},
    FIELD(Pool, weight, "weight", FIELD_INT32),
    FIELD(Pool, generation, "generation", FIELD_INT64),
    FIELD(Pool, price, "price", FIELD_REAL),
    FIELD(Pool, created_ns, "created", FIELD_TIME),
    FIELD(Pool, limits, "limits", FIELD_OBJECT, .table = &limits_table),
    FIELD(Pool, overhead, "overhead", FIELD_POINTER, .table = &limits_table),
    FIELD(Pool, requirements, "requirements", FIELD_LIST, .table = &requirement_table),
    FIELD(Pool, zones, "zones", FIELD_SYMBOLS),
    FIELD(Pool, raw, "raw", FIELD_VALUE),
};
static const FieldTable pool_table = FIELD_TABLE(Pool, pool_fields);

static const Field root_fields[] = {FIELD(Pool, name, "spec", FIELD_OBJECT, .table = &pool_table)};
static const FieldTable root_table = FIELD_TABLE(Pool, root_fields);

static Arena arena, text_arena;
static Symbols symbols;
static Pool pool;
static Err err;

static void begin(void) {
    symbols_init(&symbols);
}

static void end(void) {
    symbols_free(&symbols);
    arena_free(&arena);
    arena_free(&text_arena);
}

BEFORE_EACH(begin);
AFTER_EACH(end);

static ErrCode decode(const char *json) {
    Decoder decoder = {.arena = &arena, .symbols = &symbols, .file = SLICE("pools.yaml")};
    DocumentVec documents = {0};

    pool = (Pool){0};
    err = (Err){0};
    assert_int_equal(json_parse(&text_arena, SLICE("x"), slice_of(json), NULL, &documents, NULL, NULL), OK);
    return decode_object(&decoder, &documents.items[0].root, &root_table, &pool, &err);
}

static void assert_complaint(const char *json, const char *complaint) {
    ErrCode code = decode(json);

    if (code != ERR_INVALID || strcmp(err.text, complaint) != 0)
        fail_msg("%s\ngave     %s\nexpected %s", json, err.text, complaint);
}

TEST(each_kind_of_field_is_read) {
    assert_int_equal(
        decode("{\"spec\": {\"name\": \"default\", \"kind\": \"NodePool\", \"paused\": true, \"weight\": -7,"
               "\"generation\": 9007199254740993, \"price\": 0.096, \"created\": \"1970-01-01T00:00:02Z\","
               "\"limits\": {\"cpu\": \"1500m\"}, \"overhead\": {\"cpu\": \"2\"}, \"zones\": [\"a\", \"b\"],"
               "\"requirements\": [{\"key\": \"k\", \"operator\": \"In\", \"values\": [\"v\"]},"
               "{\"key\": \"l\", \"operator\": \"Exists\"}], \"raw\": [1, {}], \"more\": \"ignored\"}}"),
        OK);
    assert_true(slice_eq(pool.name, SLICE("default")));
    assert_int_equal(pool.kind, symbol_find(&symbols, SLICE("NodePool")));
    assert_true(pool.paused && pool.has_paused);
    assert_int_equal(pool.weight, -7);
    assert_true(pool.generation == INT64_C(9007199254740993));
    assert_true(pool.price == 0.096);
    assert_true(pool.created_ns == INT64_C(2000000000));
    assert_true(pool.limits.cpu_milli == 1500 && pool.limits.has_cpu);
    assert_true(pool.overhead->cpu_milli == 2000);
    assert_int_equal(pool.zones.count, 2);
    assert_int_equal(pool.zones.items[1], symbol_find(&symbols, SLICE("b")));
    assert_int_equal(pool.requirements.count, 2);
    assert_true(slice_eq(pool.requirements.items[1].key, SLICE("l")));
    assert_int_equal(pool.requirements.items[0].values.count, 1);
    assert_int_equal(pool.requirements.items[1].values.count, 0);
    assert_int_equal(pool.raw->list.count, 2);
}

TEST(null_counts_as_absent) {
    assert_int_equal(decode("{\"spec\": {\"name\": \"a\", \"paused\": null, \"weight\": null, \"overhead\": null,"
                            "\"zones\": null, \"requirements\": null, \"raw\": null, \"limits\": null}}"),
                     OK);
    assert_false(pool.has_paused);
    assert_null(pool.overhead);
    assert_null(pool.raw);
    assert_int_equal(pool.zones.count + pool.requirements.count, 0);
    assert_int_equal(decode("{\"spec\": null}"), OK);
    assert_int_equal(decode("{}"), OK);
    assert_complaint("{\"spec\": {\"name\": null}}", "spec.name: required (pools.yaml:1)");
}

// The Value and its text may be freed after the struct is filled.
TEST(nothing_points_into_the_text) {
    char text[] = "{\"spec\": {\"name\": \"default\", \"kind\": \"NodePool\", \"requirements\": [{\"key\": \"zone\", "
                  "\"operator\": \"In\"}]}}";

    assert_int_equal(decode(text), OK);
    memset(text, 'x', sizeof text - 1);
    arena_free(&text_arena);
    assert_true(slice_eq(pool.name, SLICE("default")));
    assert_true(slice_eq(symbol_text(&symbols, pool.kind), SLICE("NodePool")));
    assert_true(slice_eq(pool.requirements.items[0].key, SLICE("zone")));
}

TEST(a_complaint_names_path_expectation_and_place) {
    assert_complaint("5", "expected map, got number (pools.yaml:1)");
    assert_complaint("{\"spec\":\n[]}", "spec: expected map, got list (pools.yaml:2)");
    assert_complaint("{\"spec\": {}}", "spec.name: required (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\":\n5}}", "spec.name: expected string, got number; quote it (pools.yaml:2)");
    assert_complaint("{\"spec\": {\"name\": true}}", "spec.name: expected string, got bool; quote it (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": [1]}}", "spec.name: expected string, got list (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"kind\": {}}}",
                     "spec.kind: expected string, got map (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"paused\": \"yes\"}}",
                     "spec.paused: expected bool, got string (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"weight\": \"10\"}}",
                     "spec.weight: expected number, got string (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"weight\": 1.5}}",
                     "spec.weight: expected an integer of 32 bits, got 1.5 (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"weight\": 2147483648}}",
                     "spec.weight: expected an integer of 32 bits, got 2147483648 (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"generation\": 9223372036854775808}}",
                     "spec.generation: expected an integer of 64 bits, got 9223372036854775808 (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"price\": 1e999}}",
                     "spec.price: expected a finite number (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"created\": \"soon\"}}",
                     "spec.created: expected a time such as 2026-11-21T05:00:00Z, got \"soon\" (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"limits\": 1}}",
                     "spec.limits: expected map, got number (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"overhead\": []}}",
                     "spec.overhead: expected map, got list (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"zones\": \"a\"}}",
                     "spec.zones: expected list, got string (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"zones\": [\"a\",\n\"b\",\n7]}}",
                     "spec.zones[2]: expected string, got number; quote it (pools.yaml:3)");
}

TEST(a_complaint_inside_a_list_names_the_element) {
    assert_complaint("{\"spec\": {\"name\": \"a\", \"requirements\": {}}}",
                     "spec.requirements: expected list, got map (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"requirements\": [\"x\"]}}",
                     "spec.requirements[0]: expected map, got string (pools.yaml:1)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"requirements\": [{\"key\": \"a\", \"operator\": \"In\"},\n"
                     "{\"key\": \"b\",\n\"operator\": 5}]}}",
                     "spec.requirements[1].operator: expected string, got number; quote it (pools.yaml:3)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"requirements\": [{\"key\": \"a\", \"operator\": \"In\"},\n"
                     "{\"key\": \"b\"}]}}",
                     "spec.requirements[1].operator: required (pools.yaml:2)");
    assert_complaint("{\"spec\": {\"name\": \"a\", \"requirements\": [{\"key\": \"a\", \"operator\": \"In\", "
                     "\"values\": [null]}]}}",
                     "spec.requirements[0].values[0]: expected string, got null (pools.yaml:1)");
}

TEST(a_custom_decoder_complains_with_the_path) {
    assert_complaint("{\"spec\": {\"name\": \"a\", \"limits\": {\"cpu\": 4}}}",
                     "spec.limits.cpu: expected string, got number; quote it (pools.yaml:1)");
    assert_int_equal(decode("{\"spec\": {\"name\": \"a\", \"limits\": {\"cpu\": \"4 GB\"}}}"), ERR_INVALID);
    assert_int_equal(strncmp(err.text, "spec.limits.cpu: expected a quantity such as", 44), 0);
    assert_non_null(strstr(err.text, "got \"4 GB\" (pools.yaml:1)"));
}

TEST(keys_with_dots_stand_in_brackets) {
    Decoder decoder = {.arena = &arena, .symbols = &symbols, .file = SLICE("-")};
    Value value = {.kind = VALUE_NUMBER, .line = 9, .text = SLICE("5")};

    decode_enter(&decoder, SLICE("metadata"));
    decode_enter(&decoder, SLICE("labels"));
    decode_enter(&decoder, SLICE("app.kubernetes.io/name"));
    assert_int_equal(decode_expect(&decoder, &value, VALUE_STRING, &err), ERR_INVALID);
    assert_string_equal(err.text,
                        "metadata.labels[\"app.kubernetes.io/name\"]: expected string, got number; quote it (-:9)");
    decode_leave(&decoder);
    decode_enter_index(&decoder, 3);
    decode_enter(&decoder, SLICE(""));
    assert_int_equal(decode_fail(&decoder, &value, &err, "no %s", "good"), ERR_INVALID);
    assert_string_equal(err.text, "metadata.labels[3].: no good (-:9)");
    decode_leave(&decoder);
    decode_leave(&decoder);
    decode_leave(&decoder);
    decode_leave(&decoder);
    assert_int_equal(decoder.depth, 0);
    assert_int_equal(decode_expect(&decoder, &value, VALUE_NUMBER, &err), OK);
}

TEST(long_names_do_not_hide_the_message) {
    Decoder decoder = {.arena = &arena, .symbols = &symbols, .file = SLICE("-")};
    Value value = {.kind = VALUE_MAP, .line = 9};
    char name[2000];

    memset(name, 'x', sizeof name);
    decode_enter(&decoder, (Slice){name, sizeof name});
    assert_int_equal(decode_expect(&decoder, &value, VALUE_STRING, &err), ERR_INVALID);
    assert_non_null(strstr(err.text, ": expected string, got map (-:9)"));
    name[5] = '\n';
    assert_int_equal(decode_expect(&decoder, &value, VALUE_STRING, &err), ERR_INVALID);
    assert_null(strchr(err.text, '\n'));
}
