// Shapes that no call of tenon's has, in all protocols: flat lists, maps, blobs, numbers that are none. botocore's
// protocol tests (make aws-wire) have more of them.
#include "aws/support/wire.h"

#include <math.h>

#define ITEM(X, T) X(T, STRING, name, "Name") X(T, BLOB, data, "Data")
AWS_STRUCT(Item, ITEM);
AWS_SHAPE(Item, ITEM);

typedef struct {
    Slice key;
    Item value;
} ItemEntry;
typedef Vec(ItemEntry) ItemMap;

static const AwsShape flat_strings = {
    .kind = AWS_LIST, .size = sizeof(Slice), .element = &aws_shape_string, .is_flat = true};
static const AwsShape named_items = {
    .kind = AWS_LIST, .size = sizeof(Item), .element = &shape_of_Item, .element_name = "item"};
static const AwsShape item_map = {.kind = AWS_MAP,
                                  .size = sizeof(ItemEntry),
                                  .element = &shape_of_Item,
                                  .value_offset = offsetof(ItemEntry, value),
                                  .key_name = "K",
                                  .value_name = "V",
                                  .is_flat = true};
static const AwsShape http_date = {.kind = AWS_TIME, .time_format = AWS_TIME_HTTP_DATE};

typedef struct {
    SliceVec flat;
    ItemVec items;
    ItemMap map;
    AwsStringMap strings;
    AwsReal real;
    AwsTime date;
    AwsBool yes;
    AwsInteger number;
} All;

static const AwsMember members_of_all[] = {
    {SLICE_INIT("Flat"), &flat_strings, offsetof(All, flat)},
    {SLICE_INIT("Items"), &named_items, offsetof(All, items)},
    {SLICE_INIT("Map"), &item_map, offsetof(All, map)},
    {SLICE_INIT("Strings"), &aws_shape_string_map, offsetof(All, strings)},
    {SLICE_INIT("Real"), &aws_shape_real, offsetof(All, real)},
    {SLICE_INIT("Date"), &http_date, offsetof(All, date)},
    {SLICE_INIT("Yes"), &aws_shape_bool, offsetof(All, yes)},
    {SLICE_INIT("Number"), &aws_shape_integer, offsetof(All, number)},
};
static const AwsShape shape_of_all = {.kind = AWS_STRUCTURE,
                                      .size = sizeof(All),
                                      .members = members_of_all,
                                      .member_count = sizeof members_of_all / sizeof *members_of_all};

static const AwsService query = {.api_version = "1", .protocol = AWS_QUERY};
static const AwsService json = {.json_target = "T", .protocol = AWS_JSON_1_1};
static const AwsOperation do_query = {.service = &query, .name = "Do", .input = &shape_of_all, .output = &shape_of_all};
static const AwsOperation do_json = {.service = &json, .name = "Do", .input = &shape_of_all, .output = &shape_of_all};

FIXTURE(Wire, wire_new, wire_free);

static Slice two[] = {SLICE_INIT("x"), SLICE_INIT("y")};
static Item one[] = {{SLICE_INIT("n"), SLICE_INIT("\xff\x00")}};
static ItemEntry entries[] = {{SLICE_INIT("k"), {SLICE_INIT("n"), {0}}}};
static AwsStringEntry strings[] = {{SLICE_INIT("a"), SLICE_INIT("b")}};

static All make_all(void) {
    return (All){.flat = VEC_OF(two),
                 .items = VEC_OF(one),
                 .map = VEC_OF(entries),
                 .strings = VEC_OF(strings),
                 .real = aws_real(-INFINITY),
                 .date = aws_time(0),
                 .yes = aws_bool(true),
                 .number = aws_integer(INT64_MIN)};
}

static void assert_all(const All *all) {
    assert_int_equal(all->flat.count, 2);
    assert_slice(all->flat.items[1], "y");
    assert_int_equal(all->items.count, 1);
    assert_true(slice_eq(all->items.items[0].data, (Slice){"\xff\x00", 2}));
    assert_int_equal(all->map.count, 1);
    assert_slice(all->map.items[0].key, "k");
    assert_slice(all->map.items[0].value.name, "n");
    assert_null(all->map.items[0].value.data.ptr);
    assert_slice(aws_string_map_get(&all->strings, SLICE("a")), "b");
    assert_true(all->real.has && isinf(all->real.value) && all->real.value < 0);
    assert_true(all->date.has);
    assert_int_equal(all->date.ns, 0);
    assert_true(all->yes.has && all->yes.value);
    assert_true(all->number.has && all->number.value == INT64_MIN);
}

TEST_F(Wire, wire, forms_have_all_shapes) {
    All all = make_all();

    assert_string_equal(wire_write(wire, &do_query, &all),
                        "Action=Do&Version=1&Flat.1=x&Flat.2=y&Items.item.1.Name=n&Items.item.1.Data=%2FwA%3D&"
                        "Map.1.K=k&Map.1.V.Name=n&Strings.entry.1.key=a&Strings.entry.1.value=b&Real=-Infinity&"
                        "Date=Thu%2C%2001%20Jan%201970%2000%3A00%3A00%20GMT&Yes=true&Number=-9223372036854775808");
}

TEST_F(Wire, wire, xml_has_all_shapes) {
    All all = {0};

    assert_int_equal(wire_read(wire, &do_query,
                               "<DoResponse><DoResult><Flat>x</Flat><Items><item><Name>n</Name><Data>/wA=</Data></item>"
                               "</Items><Flat>y</Flat><Map><K>k</K><Other/><V><Name>n</Name></V></Map><Strings><entry>"
                               "<key>a</key><value>b</value></entry></Strings><Real>-Infinity</Real>"
                               "<Date>Thu, 01 Jan 1970 00:00:00 "
                               "GMT</Date><Yes>true</Yes><Number>-9223372036854775808</Number></DoResult></DoResponse>",
                               &all),
                     OK);
    assert_all(&all);
}

TEST_F(Wire, wire, json_has_all_shapes) {
    All all = make_all(), again = {0};
    const char *body = wire_write(wire, &do_json, &all);

    assert_string_equal(body,
                        "{\"Flat\":[\"x\",\"y\"],\"Items\":[{\"Name\":\"n\",\"Data\":\"/wA=\"}],"
                        "\"Map\":{\"k\":{\"Name\":\"n\"}},\"Strings\":{\"a\":\"b\"},\"Real\":\"-Infinity\","
                        "\"Date\":\"Thu, 01 Jan 1970 00:00:00 GMT\",\"Yes\":true,\"Number\":-9223372036854775808}");
    assert_int_equal(wire_read(wire, &do_json, body, &again), OK);
    assert_all(&again);
}

TEST_F(Wire, wire, members_of_a_path_are_not_in_the_body) {
    static const AwsService rest = {.protocol = AWS_REST_JSON};
    static const AwsOperation post = {
        .service = &rest, .name = "Do", .method = "POST", .path = "/of/{Name}/it", .input = &shape_of_Item};
    Item item = {.name = SLICE("a/b"), .data = SLICE("x")}, without_data = {.name = SLICE("a")};

    assert_string_equal(wire_write(wire, &post, &item), "{\"Data\":\"eA==\"}");
    assert_string_equal(wire->message.method, "POST");
    assert_slice(wire->message.path, "/of/a%2Fb/it");
    assert_int_equal(wire->message.header_count, 1);
    assert_slice(wire->message.headers[0].value, "application/json");
    assert_string_equal(wire_write(wire, &post, &without_data), "{}");
}

TEST_F(Wire, wire, numbers_without_text_are_absent) {
    All all = {0};

    assert_int_equal(wire_read(wire, &do_query,
                               "<DoResponse><DoResult><Real> </Real><Date/><Items/><Yes/><Number/></DoResult>"
                               "</DoResponse>",
                               &all),
                     OK);
    assert_false(all.real.has || all.date.has || all.yes.has || all.number.has);
    assert_non_null(all.items.items);
}

TEST_F(Wire, wire, scalars_of_other_kinds_are_refused) {
    static const char *const xml[] = {"<Real>1.</Real>",
                                      "<Yes>yes</Yes>",
                                      "<Number>1.5</Number>",
                                      "<Number>9223372036854775808</Number>",
                                      "<Real>nan</Real>",
                                      "<Date>x</Date>",
                                      "<Items><item><Data>/</Data></item></Items>"};
    static const char *const texts[] = {"\"Real\":true",  "\"Yes\":1",      "\"Number\":\"1\"",
                                        "\"Number\":1.5", "\"Real\":\"x\"", "\"Date\":{}",
                                        "\"Flat\":\"x\"", "\"Items\":[1]",  "\"Items\":[{\"Data\":\"/\"}]",
                                        "\"Map\":[]"};
    All all = {0};

    for (size_t i = 0; i < sizeof xml / sizeof *xml; i++) {
        Slice body = arena_printf(&wire->arena, "<DoResponse><DoResult>%s</DoResult></DoResponse>", xml[i]);

        assert_int_equal(wire_read(wire, &do_query, arena_text(&wire->arena, body), &all), ERR_INVALID);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Slice body = arena_printf(&wire->arena, "{%s}", texts[i]);

        assert_int_equal(wire_read(wire, &do_json, arena_text(&wire->arena, body), &all), ERR_INVALID);
    }
}
