// Numbers, booleans, dates and times of TOML: words without quotation marks.
#include "text/quote.h"
#include "text/toml/toml_scalar.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { WORD_MAX = 400 }; // more digits than any number needs

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word_character(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' || c == '_' ||
           c == '.' || c == ':';
}

// --- dates and times

// Reads `count` digits and the character behind them, unless that is 0. False: they are not there.
static bool read_digits(Slice *text, size_t count, char behind, int *ret_number) {
    int number = 0;

    if (text->len < count + (behind != 0))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!is_digit(text->ptr[i]))
            return false;
        number = number * 10 + (text->ptr[i] - '0');
    }
    if (behind && text->ptr[count] != behind)
        return false;
    *text = slice_from(*text, count + (behind != 0));
    *ret_number = number;
    return true;
}

static bool read_date(Slice *text) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day;
    bool leap;

    if (!read_digits(text, 4, '-', &year) || !read_digits(text, 2, '-', &month) || !read_digits(text, 2, 0, &day) ||
        month < 1 || month > 12)
        return false;
    leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day >= 1 && day <= days[month - 1] + (month == 2 && leap);
}

static bool read_time(Slice *text) {
    int hour, minute, second;
    size_t digits = 0;

    if (!read_digits(text, 2, ':', &hour) || !read_digits(text, 2, ':', &minute) || !read_digits(text, 2, 0, &second) ||
        hour > 23 || minute > 59 || second > 60)
        return false;
    if (!slice_starts_with(*text, SLICE(".")))
        return true;
    while (digits + 1 < text->len && is_digit(text->ptr[digits + 1]))
        digits++;
    *text = slice_from(*text, digits + 1);
    return digits > 0;
}

// The rest of a time: nothing, Z, or +hh:mm.
static bool read_offset(Slice text) {
    int hour, minute;

    if (!text.len || slice_eq_text(text, "Z") || slice_eq_text(text, "z"))
        return true;
    if (text.ptr[0] != '+' && text.ptr[0] != '-')
        return false;
    text = slice_from(text, 1);
    return read_digits(&text, 2, ':', &hour) && read_digits(&text, 2, 0, &minute) && !text.len && hour < 24 &&
           minute < 60;
}

static bool looks_like_date(Slice word) {
    return word.len >= 10 && is_digit(word.ptr[3]) && word.ptr[4] == '-';
}

static bool looks_like_time(Slice word) {
    return word.len >= 8 && is_digit(word.ptr[0]) && word.ptr[2] == ':';
}

static bool is_date_or_time(Slice word) {
    if (looks_like_time(word))
        return read_time(&word) && !word.len;
    if (!read_date(&word))
        return false;
    if (!word.len)
        return true;
    word = slice_from(word, 1); // T, t or a space
    return read_time(&word) && read_offset(word);
}

// --- numbers

// Copies the word without underscores, which must stand between digits. False: one does not.
static bool strip_underscores(Slice word, char *text) {
    size_t len = 0;

    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] != '_') {
            text[len++] = word.ptr[i];
            continue;
        }
        if (i == 0 || i + 1 == word.len || !isxdigit((unsigned char)word.ptr[i - 1]) ||
            !isxdigit((unsigned char)word.ptr[i + 1]))
            return false;
    }
    text[len] = '\0';
    return true;
}

// The base that a prefix tells; 10: there is none.
static int base_of(const char *text) {
    if (text[0] != '0')
        return 10;
    switch (text[1]) {
    case 'x':
        return 16;
    case 'o':
        return 8;
    case 'b':
        return 2;
    default:
        return 10;
    }
}

static const char *skip_digits(const char *text) {
    while (is_digit(*text))
        text++;
    return text;
}

// The grammar of decimal numbers: no zero in front, digits on both sides of a point. ret_float: it is no integer.
static bool is_decimal(const char *text, bool *ret_float) {
    const char *digits = text + (*text == '+' || *text == '-'), *end = skip_digits(digits);

    if (end == digits || (*digits == '0' && end > digits + 1))
        return false;
    *ret_float = *end != '\0';
    if (*end == '.') {
        digits = end + 1;
        end = skip_digits(digits);
        if (end == digits)
            return false;
    }
    if (*end == 'e' || *end == 'E') {
        digits = end + 1 + (end[1] == '+' || end[1] == '-');
        end = skip_digits(digits);
        if (end == digits)
            return false;
    }
    return *end == '\0';
}

// A float as a text that a reader takes for one again.
static ErrCode read_float(TomlReader *reader, const char *text, Value *ret_value) {
    double number = strtod(text, NULL);

    if (!isfinite(number))
        return toml_fail(reader, "expected a finite number");
    *ret_value = value_real(reader->arena, number);
    if (slice_find(ret_value->text, '.') < 0 && slice_find(ret_value->text, 'e') < 0)
        ret_value->text = arena_printf(reader->arena, "%.*s.0", SLICE_ARG(ret_value->text));
    return OK;
}

static ErrCode read_number(TomlReader *reader, Slice word, Value *ret_value) {
    char text[WORD_MAX + 1], *end;
    bool is_float = false;
    long long number;
    int base;

    if (!strip_underscores(word, text))
        return toml_fail(reader, "an underscore must stand between digits: %s", quote(word).text);
    base = base_of(text);
    if (base == 10 && !is_decimal(text, &is_float))
        return toml_fail(reader, "expected a value, got %s", quote(word).text);
    if (is_float)
        return read_float(reader, text, ret_value);
    if (base != 10 && (!isxdigit((unsigned char)text[2]) || word.ptr[2] == '_'))
        return toml_fail(reader, "expected digits, got %s", quote(word).text);
    errno = 0;
    number = strtoll(text + (base == 10 ? 0 : 2), &end, base);
    if (*end)
        return toml_fail(reader, "expected a number, got %s", quote(word).text);
    if (errno)
        return toml_fail(reader, "%s does not fit 64 bits", quote(word).text);
    *ret_value = value_int(reader->arena, number);
    return OK;
}

// --- words

// The word at the place; a date may have a time behind a space.
static Slice find_word(const TomlReader *reader) {
    Slice rest = slice_from(reader->text, reader->at);
    size_t len = 0;

    while (len < rest.len && is_word_character(rest.ptr[len]))
        len++;
    if (len == 10 && looks_like_date(slice_first(rest, len)) && rest.len > 13 && rest.ptr[10] == ' ' &&
        looks_like_time(slice_from(rest, 11)))
        for (len++; len < rest.len && is_word_character(rest.ptr[len]);)
            len++;
    return slice_first(rest, len);
}

static bool is_infinite(Slice word) {
    if (word.len && (word.ptr[0] == '+' || word.ptr[0] == '-'))
        word = slice_from(word, 1);
    return slice_eq_text(word, "inf") || slice_eq_text(word, "nan");
}

ErrCode toml_read_word(TomlReader *reader, Value *ret_value) {
    Slice word = find_word(reader);

    if (!word.len)
        return toml_fail(reader, "expected a value, got %s", quote(slice_from(reader->text, reader->at)).text);
    if (word.len > WORD_MAX)
        return toml_fail(reader, "expected a value, got %s", quote(word).text);
    reader->at += word.len;
    if (slice_eq_text(word, "true") || slice_eq_text(word, "false")) {
        *ret_value = value_bool(word.ptr[0] == 't');
        return OK;
    }
    if (is_infinite(word))
        return toml_fail(reader, "expected a finite number, got %s", quote(word).text);
    if (!looks_like_date(word) && !looks_like_time(word))
        return read_number(reader, word, ret_value);
    if (!is_date_or_time(word))
        return toml_fail(reader, "there is no such date or time: %s", quote(word).text);
    *ret_value = value_string(arena_slice(reader->arena, word));
    return OK;
}
