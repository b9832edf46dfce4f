// Quote: foreign text inside messages, quoted, truncated, and with everything escaped that could break a line or a
// terminal.
#pragma once

#include "base/arena.h"
#include "base/slice.h"

enum { QUOTE_BYTES_MAX = 40 };

typedef struct {
    char text[QUOTE_BYTES_MAX * 4 + sizeof "\"…\""]; // an escaped byte takes four
} Quote;

// Quotes a text: "cpu", "1.5 \x07", "1111111111…". For printf arguments: quote(name).text lives until the end of the
// statement.
Quote quote(Slice text);

// The whole text without quotes, for tables: itself if nothing in it could break a line or a terminal, else a copy in
// `arena` with that escaped ("a\x1b[2Jb"). Quotes and backslashes are kept. O(length).
Slice printable(Arena *arena, Slice text);
