// Parts that the readers share: UTF-8, excerpts and quotes for messages, lines, maps that detect duplicate keys.
#include "harness/test.h"
#include "text/document.h"
#include "text/quote.h"
#include "text/utf8.h"

#include <stdio.h>

static Arena arena;

static void end(void) {
    arena_free(&arena);
}

AFTER_EACH(end);

TEST(each_character_is_utf8) {
    for (uint32_t character = 0; character <= 0x110000; character++) {
        bool surrogate = character >= 0xd800 && character < 0xe000;
        unsigned char bytes[4];
        size_t len, at = 99;
        uint32_t decoded = 0;

        if (character < 0x80) {
            len = 1;
            bytes[0] = (unsigned char)character;
        } else if (character < 0x800) {
            len = 2;
            bytes[0] = (unsigned char)(0xc0 | character >> 6);
        } else if (character < 0x10000) {
            len = 3;
            bytes[0] = (unsigned char)(0xe0 | character >> 12);
        } else {
            len = 4;
            bytes[0] = (unsigned char)(0xf0 | character >> 18);
        }
        for (size_t i = 1; i < len; i++)
            bytes[i] = (unsigned char)(0x80 | (character >> (6 * (len - 1 - i)) & 0x3f));
        if (utf8_decode((Slice){(char *)bytes, len}, &decoded) != (surrogate || character == 0x110000 ? 0 : len) ||
            (!surrogate && character < 0x110000 && decoded != character) ||
            utf8_valid((Slice){(char *)bytes, len}, &at) != (!surrogate && character < 0x110000))
            fail_msg("U+%04X", character);
        for (size_t cut = 1; cut < len; cut++)
            assert_int_equal(utf8_decode((Slice){(char *)bytes, cut}, &decoded), 0);
    }
}

TEST(the_first_bad_byte_is_found) {
    static const char *const bad[] = {"\x80",
                                      "\xbf",
                                      "\xc0\xaf",
                                      "\xc1\xbf",
                                      "\xc3",
                                      "\xc3(",
                                      "\xe0\x80\xaf",
                                      "\xe2\x82",
                                      "\xe2(\x82",
                                      "\xed\xa0\x80",
                                      "\xf0\x80\x80\xaf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xf8\x88\x80\x80\x80",
                                      "\xfe",
                                      "\xff"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (size_t before = 0; before < 20; before++) {
            Slice text =
                arena_printf(&arena, "%.*s\xc3\xa9%sabcdefghijkl", (int)before, "abcdefghijklmnopqrstuvwxyz", bad[i]);
            size_t at = 99;

            assert_false(utf8_valid(text, &at));
            assert_int_equal(at, before + 2);
        }
    }
    assert_true(utf8_valid((Slice){0}, &(size_t){0}));
    assert_true(utf8_valid(SLICE("zone-a \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"), &(size_t){0}));
}

TEST(lines_are_counted_from_one) {
    Slice text = SLICE("a\nb\r\n\nc");

    assert_int_equal(line_of(text, 0), 1);
    assert_int_equal(line_of(text, 1), 1);
    assert_int_equal(line_of(text, 2), 2);
    assert_int_equal(line_of(text, 6), 4);
    assert_int_equal(line_of(text, 999), 4);
}

TEST(excerpts_are_short_and_printable) {
    Slice text = excerpt(&arena, SLICE("0123456789012345678901234567890123456789x"));

    assert_true(slice_eq(text, SLICE("0123456789012345678901234567890123456789...")));
    text = excerpt(&arena, SLICE("a\nb\x1b\x7f"));
    assert_true(slice_eq(text, SLICE("a?b??")));
    text = excerpt(&arena, SLICE("012345678901234567890123456789012345678\xc3\xa9x")); // not in the middle of the é
    assert_true(slice_eq(text, SLICE("012345678901234567890123456789012345678...")));
    assert_int_equal(excerpt(&arena, (Slice){0}).len, 0);
}

TEST(quotes_escape_what_could_harm) {
    assert_string_equal(quote(SLICE("cpu")).text, "\"cpu\"");
    assert_string_equal(quote(SLICE("")).text, "\"\"");
    assert_string_equal(quote(SLICE("a\n\"\\\x1b[0m")).text, "\"a\\x0a\\\"\\\\\\x1b[0m\"");
    assert_string_equal(quote(SLICE("\xc3\xa9\xff")).text, "\"\xc3\xa9\\xff\"");
    assert_string_equal(quote(SLICE("\xe2\x80\xa8")).text, "\"\\xe2\\x80\\xa8\"");
    assert_string_equal(quote(SLICE("0123456789012345678901234567890123456789")).text,
                        "\"0123456789012345678901234567890123456789\"");
    assert_string_equal(quote(SLICE("012345678901234567890123456789012345678\xc3\xa9")).text,
                        "\"012345678901234567890123456789012345678\xe2\x80\xa6\"");
}

TEST(a_map_finds_keys_however_many_there_are) {
    WarningVec warnings = {0};
    Reading reading = reading_start(&arena, SLICE("in"), NULL, &warnings, NULL);
    MapBuilder builder = {0};

    for (uint32_t i = 0; i < 1000; i++) {
        ValueMember member = {arena_printf(&arena, "key%u", i), i + 1, value_bool(false)};

        assert_int_equal(map_builder_put(&reading, &builder, member), OK);
    }
    assert_int_equal(warnings.count, 0);
    for (uint32_t i = 0; i < 1000; i += 100) {
        ValueMember member = {arena_printf(&arena, "key%u", i), 2000, value_bool(true)};

        assert_int_equal(map_builder_put(&reading, &builder, member), OK);
        assert_true(builder.members.items[i].value.boolean);
    }
    assert_int_equal(builder.members.count, 1000);
    assert_int_equal(warnings.count, 10);
    assert_true(slice_eq(warnings.items[1].text,
                         SLICE("in:2000: key \"key100\" is given again (first at line 101); the last one counts")));
}
