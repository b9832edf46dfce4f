// TOML 1.0 to Values and back: the settings of Bottlerocket.
//
// Tables become maps in the order of the text, arrays lists. Integers become decimal numbers, floats numbers with a
// point or an exponent, so that each is written back as what it was. Dates and times become strings, since Values have
// no such kind: they are written back as strings. Line breaks in strings become line feeds.
#pragma once

#include "base/buffer.h"
#include "text/value.h"

enum { TOML_BYTES_MAX = 1 << 20, TOML_DEPTH_MAX = 64 };

// Reads a document: a map. The Values are copies in `arena`: `text` may be freed. O(length).
// ERR_INVALID: not TOML, or inf and nan, which Values cannot express; the text names the line. ERR_TOO_LARGE: more than
// TOML_BYTES_MAX bytes, or deeper than TOML_DEPTH_MAX.
ErrCode toml_parse(Arena *arena, Slice text, Value *ret_document, Err *err);

// Writes a map as a document: what is no table first, then a section for each table, an empty line before it unless it
// follows a heading; strings between apostrophes where they can be, lists on one line. Members in their order. null is
// left out, since TOML has none. A number that is neither an integer of 64 bits nor a float is written as a float.
// O(size).
void toml_print(Buffer *out, const Value *document);
