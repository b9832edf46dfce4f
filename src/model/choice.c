// Error messages for words that are not in a list.
#include "model/choice.h"

#include "base/buffer.h"
#include "text/document.h"
#include "text/nearest.h"

// Former names of values of Karpenter's enumerations; used only where `now` is in the list.
static const struct {
    Slice before, now;
    const char *hint;
} renamed[] = {
    {SLICE_INIT("WhenUnderutilized"), SLICE_INIT("WhenEmptyOrUnderutilized"),
     "Karpenter v1 calls it WhenEmptyOrUnderutilized"},
    {SLICE_INIT("Expired"), SLICE_INIT("Drifted"), "since Karpenter v1 no budget holds expiration back"},
    {SLICE_INIT("Ubuntu"), SLICE_INIT("Custom"),
     "since Karpenter v1 it is Custom, with the image given in amiSelectorTerms"},
};

static bool is_among(const Slice *words, size_t count, Slice word) {
    for (size_t i = 0; i < count; i++) {
        if (slice_eq(words[i], word))
            return true;
    }
    return false;
}

// Appends the present name of a former value, or the most similar word.
static void append_hint(Buffer *text, const Slice *words, size_t count, Slice got) {
    Nearest nearest = {.text = got};

    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        if (!slice_eq(got, renamed[i].before) || !is_among(words, count, renamed[i].now))
            continue;
        buffer_printf(text, "; %s", renamed[i].hint);
        return;
    }
    for (size_t i = 0; i < count; i++)
        nearest_offer(&nearest, words[i]);
    if (nearest.word.len)
        buffer_printf(text, "; did you mean %.*s?", SLICE_ARG(nearest.word));
}

Slice choice_complaint(Arena *arena, const Slice *words, size_t count, Slice got) {
    Buffer text = {0};
    Slice complaint;

    buffer_append(&text, SLICE("expected one of "));
    for (size_t i = 0; i < count; i++)
        buffer_printf(&text, "%s%.*s", i ? ", " : "", SLICE_ARG(words[i]));
    buffer_printf(&text, ", got \"%.*s\"", SLICE_ARG(excerpt(arena, got)));
    append_hint(&text, words, count, got);
    complaint = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return complaint;
}

ErrCode decode_word(Decoder *decoder, const Value *value, const char *const *words, size_t count, size_t *ret_index,
                    Err *err) {
    Slice *list;

    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    for (size_t i = 0; i < count; i++) {
        if (slice_eq_text(value->text, words[i])) {
            *ret_index = i;
            return OK;
        }
    }
    list = arena_array(decoder->arena, Slice, count);
    for (size_t i = 0; i < count; i++)
        list[i] = slice_of(words[i]);
    return decode_fail(decoder, value, err, "%.*s",
                       SLICE_ARG(choice_complaint(decoder->arena, list, count, value->text)));
}
