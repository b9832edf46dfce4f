// Limits, warnings and duplicate keys of the YAML and JSON readers.
#include "text/document.h"

#include "text/utf8.h"

#include <stdarg.h>
#include <stdio.h>

Reading reading_start(Arena *arena, Slice file, const ParseOptions *options, WarningVec *warnings, Err *err) {
    Reading reading = {.arena = arena, .notes = arena, .file = file, .warnings = warnings, .err = err};

    reading.strict = options && options->strict;
    reading.depth_max = options && options->depth_max ? options->depth_max : DEPTH_MAX_DEFAULT;
    reading.values_max = options && options->values_max ? options->values_max : VALUES_MAX_DEFAULT;
    return reading;
}

ErrCode reading_fail(const Reading *reading, ErrCode code, uint32_t line, const char *format, ...) {
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set(reading->err, code, "%.*s:%u: %s", SLICE_ARG(reading->file), line, text);
}

ErrCode reading_refuse(const Reading *reading, uint32_t line, uint32_t depth) {
    if (depth > reading->depth_max)
        return reading_fail(reading, ERR_TOO_LARGE, line, "nested deeper than %u levels", reading->depth_max);
    return reading_fail(reading, ERR_TOO_LARGE, line, "more than %u values in one document", reading->values_max);
}

enum { LINEAR_KEYS = 16 };

static uint32_t find_member(const MapBuilder *builder, Slice key) {
    uint32_t cursor = 0, found;

    if (builder->members.count <= LINEAR_KEYS) {
        for (uint32_t i = 0; i < builder->members.count; i++) {
            if (slice_eq(builder->members.items[i].key, key))
                return i;
        }
        return INDEX_NONE;
    }
    while ((found = index_map_next(&builder->index, slice_hash(key), &cursor)) != INDEX_NONE) {
        if (slice_eq(builder->members.items[found].key, key))
            break;
    }
    return found;
}

// Adds a member without its value.
static ValueMember *add_member(Reading *reading, MapBuilder *builder, Slice key, uint32_t line) {
    ValueMember *member = vec_add(reading->arena, &builder->members);
    uint32_t count = builder->members.count;

    member->key = key;
    member->line = line;
    if (count > LINEAR_KEYS) {
        for (uint32_t i = count == LINEAR_KEYS + 1 ? 0 : count - 1; i < count; i++)
            index_map_add(reading->arena, &builder->index, slice_hash(builder->members.items[i].key), i);
    }
    return member;
}

ValueMember *map_builder_add(Reading *reading, MapBuilder *builder, Slice key, uint32_t line) {
    return find_member(builder, key) == INDEX_NONE ? add_member(reading, builder, key, line) : NULL;
}

static ErrCode note_duplicate(Reading *reading, const ValueMember *member, uint32_t first_line) {
    Slice key = excerpt(reading->notes, member->key);

    if (reading->strict)
        return reading_fail(reading, ERR_INVALID, member->line, "key \"%.*s\" is given again (first at line %u)",
                            SLICE_ARG(key), first_line);
    reading->duplicates++;
    if (!reading->warnings || reading->duplicates > DUPLICATES_NAMED_MAX + 1)
        return OK;
    if (reading->duplicates > DUPLICATES_NAMED_MAX)
        vec_push(reading->notes, reading->warnings,
                 (Warning){arena_printf(reading->notes, "%.*s:%u: more keys are given again; the last one counts",
                                        SLICE_ARG(reading->file), member->line),
                           true});
    else
        vec_push(reading->notes, reading->warnings,
                 (Warning){arena_printf(reading->notes,
                                        "%.*s:%u: key \"%.*s\" is given again (first at line %u); the last one counts",
                                        SLICE_ARG(reading->file), member->line, SLICE_ARG(key), first_line),
                           true});
    return OK;
}

ErrCode map_builder_put(Reading *reading, MapBuilder *builder, ValueMember member) {
    uint32_t found = find_member(builder, member.key);

    if (found == INDEX_NONE) {
        add_member(reading, builder, member.key, member.line)->value = member.value;
        return OK;
    }
    if (found < builder->merged.count && builder->merged.items[found])
        builder->merged.items[found] = false;
    else
        TRY(note_duplicate(reading, &member, builder->members.items[found].line));
    builder->members.items[found] = member;
    return OK;
}

void map_builder_merge(Reading *reading, MapBuilder *builder, ValueMember member) {
    uint32_t found = find_member(builder, member.key);

    if (found != INDEX_NONE) {
        builder->members.items[found].value = member.value;
        return;
    }
    while (builder->merged.count < builder->members.count)
        vec_push(reading->arena, &builder->merged, false);
    vec_push(reading->arena, &builder->merged, true);
    add_member(reading, builder, member.key, member.line)->value = member.value;
}

void documents_add(Arena *arena, DocumentVec *documents, Document document) {
    vec_push(arena, documents, document);
}

Slice excerpt(Arena *arena, Slice text) {
    enum { SHOWN = 40 };
    size_t len = text.len < SHOWN ? text.len : SHOWN;
    char *copy;

    while (len < text.len && len > 0 && ((unsigned char)text.ptr[len] & 0xc0) == 0x80)
        len--; // not inside a UTF-8 character
    copy = arena_alloc(arena, len + 4);
    for (size_t i = 0; i < len; i++)
        copy[i] = (unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f ? '?' : text.ptr[i];
    if (len == text.len)
        return (Slice){copy, len};
    memcpy(copy + len, "...", 3);
    return (Slice){copy, len + 3};
}

bool utf8_valid(Slice text, size_t *ret_at) {
    const uint64_t high_bits = UINT64_C(0x8080808080808080);

    for (size_t i = 0; i < text.len;) {
        uint64_t word = high_bits;
        uint32_t character;
        size_t len;

        if (text.len - i >= sizeof word)
            memcpy(&word, text.ptr + i, sizeof word);
        if (!(word & high_bits)) { // eight ASCII bytes
            i += sizeof word;
            continue;
        }
        len = utf8_decode(slice_from(text, i), &character);
        if (!len) {
            *ret_at = i;
            return false;
        }
        i += len;
    }
    return true;
}

uint32_t line_of(Slice text, size_t offset) {
    uint32_t line = 1;

    for (size_t i = 0; i < offset && i < text.len; i++)
        line += text.ptr[i] == '\n';
    return line;
}
