// XML as events: names, character data, what is refused, and the bounds.
#include "base/buffer.h"
#include "harness/test.h"
#include "text/xml.h"

typedef struct {
    Buffer told; // "<name" when it begins, "text>" when it ends
    const char *skipped;
    ErrCode stop_with;
} Told;

static bool on_open(void *context, Slice name) {
    Told *told = context;

    if (told->skipped && slice_eq_text(name, told->skipped))
        return false;
    buffer_append_char(&told->told, '<');
    buffer_append(&told->told, name);
    buffer_append_char(&told->told, ' ');
    return true;
}

static ErrCode on_close(void *context, Slice name, Slice text, Err *err) {
    Told *told = context;

    buffer_append(&told->told, text);
    buffer_append_char(&told->told, '>');
    if (told->stop_with != OK)
        return err_set(err, told->stop_with, "stopped at %.*s", SLICE_ARG(name));
    return OK;
}

static ErrCode read_with(Told *told, const char *xml, const XmlLimits *limits, Err *err) {
    XmlSink sink = {told, on_open, on_close};

    told->told.len = 0;
    return xml_read(slice_of(xml), limits, &sink, err);
}

static void assert_told(const char *xml, const char *skipped, const char *wanted) {
    Told told = {.skipped = skipped};
    Err err;

    if (read_with(&told, xml, NULL, &err) != OK)
        fail_msg("%s: %s", xml, err.text);
    buffer_append_char(&told.told, 0);
    assert_string_equal(told.told.bytes, wanted);
    buffer_free(&told.told);
}

static void assert_refused(const char *xml, const XmlLimits *limits, ErrCode code, const char *text) {
    Told told = {0};
    Err err = {0};

    assert_int_equal(read_with(&told, xml, limits, &err), code);
    assert_string_equal(err.text, text);
    buffer_free(&told.told);
}

TEST(elements_are_told_with_their_text) {
    assert_told("<a><b>1</b><b>2</b><c/></a>", NULL, "<a <b 1><b 2><c >>");
}

TEST(text_of_several_pieces_is_told_as_one) {
    assert_told("<a>x &amp; <![CDATA[<y>]]> &#x6f22;<!-- no --><?pi?>!</a>", NULL, "<a x & <y> \xe6\xbc\xa2!>");
}

TEST(text_around_children_is_not_theirs) {
    assert_told("<a>x<b>1</b>y</a>", NULL, "<a <b 1>y>");
}

TEST(attributes_and_prefixes_are_no_part_of_a_name) {
    assert_told("<n:a xmlns:n=\"http://x/\"><n:b c=\"d\">1</n:b></n:a>", NULL, "<a <b 1>>");
    assert_told("<a:/>", NULL, "<a: >"); // not well-formed with name spaces, which expat is not asked to know
}

TEST(nothing_is_told_of_what_the_sink_leaves_out) {
    assert_told("<a><b>1<c>2</c><b>3</b></b>4<c>5</c></a>", "b", "<a <c 5>>");
}

TEST(other_encodings_are_told_in_utf_8) {
    assert_told("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xe9</a>", NULL, "<a \xc3\xa9>");
}

TEST(long_texts_are_read_in_pieces) {
    size_t len = 3 << 20;
    Buffer xml = {0};
    Told told = {0};

    buffer_append(&xml, SLICE("<a>"));
    for (size_t i = 0; i < len; i++)
        buffer_append_char(&xml, 'x');
    buffer_append(&xml, SLICE("</a>"));
    buffer_append_char(&xml, 0);
    assert_int_equal(read_with(&told, xml.bytes, NULL, NULL), OK);
    assert_int_equal(told.told.len, len + sizeof "<a >" - 1);
    buffer_free(&xml);
    buffer_free(&told.told);
}

TEST(documents_that_are_not_well_formed_are_refused_with_their_line) {
    assert_refused("", NULL, ERR_INVALID, "not XML: no element found (line 1)");
    assert_refused("<a>\n<b></a>", NULL, ERR_INVALID, "not XML: mismatched tag (line 2)");
    assert_refused("<a><b>1</b>", NULL, ERR_INVALID, "not XML: no element found (line 1)");
    assert_refused("<a/><b/>", NULL, ERR_INVALID, "not XML: junk after document element (line 1)");
    assert_refused("<a>\xff</a>", NULL, ERR_INVALID, "not XML: not well-formed (invalid token) (line 1)");
    assert_refused("<a>&b;</a>", NULL, ERR_INVALID, "not XML: undefined entity (line 1)");
}

TEST(a_document_type_is_refused_before_anything_expands) {
    const char *refusal = "XML with a document type declaration, which is refused";

    assert_refused("<!DOCTYPE a [<!ENTITY b \"bb\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>", NULL, ERR_INVALID, refusal);
    assert_refused("<!DOCTYPE html><html/>", NULL, ERR_INVALID, refusal);
    assert_refused("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", NULL, ERR_INVALID, refusal);
}

TEST(depth_elements_and_bytes_are_bounded) {
    assert_refused("<a><b><c/></b></a>", &(XmlLimits){.depth_max = 2}, ERR_TOO_LARGE,
                   "XML nested deeper than 2 (line 1)");
    assert_refused("<a><b/><b/></a>", &(XmlLimits){.elements_max = 2}, ERR_TOO_LARGE,
                   "XML of more than 2 elements (line 1)");
    assert_refused("<a></a>", &(XmlLimits){.bytes_max = 6}, ERR_TOO_LARGE, "XML of 7 bytes, more than 6");
}

TEST(bounds_count_what_is_left_out) {
    Told told = {.skipped = "b"};

    assert_int_equal(read_with(&told, "<a><b><c/></b></a>", &(XmlLimits){.depth_max = 2}, NULL), ERR_TOO_LARGE);
    assert_int_equal(read_with(&told, "<a><b><c/></b></a>", &(XmlLimits){.elements_max = 2}, NULL), ERR_TOO_LARGE);
    assert_int_equal(
        read_with(&told, "<a><b><c/></b></a>", &(XmlLimits){.depth_max = 3, .elements_max = 3, .bytes_max = 18}, NULL),
        OK);
    buffer_free(&told.told);
}

TEST(the_sink_can_end_the_reading) {
    Told told = {.stop_with = ERR_RANGE};
    Err err;

    assert_int_equal(read_with(&told, "<a><b>1</b><c>2</c></a>", NULL, &err), ERR_RANGE);
    assert_string_equal(err.text, "stopped at b");
    assert_int_equal(told.told.len, sizeof "<a <b 1>" - 1);
    buffer_free(&told.told);
}
