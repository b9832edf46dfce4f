// Text of others inside messages: quoted, cut when long, with nothing in it that could break a line or a terminal.
#pragma once

#include "base/arena.h"
#include "base/slice.h"

enum { QUOTE_BYTES_MAX = 40 };

typedef struct {
    char text[QUOTE_BYTES_MAX * 4 + sizeof "\"…\""]; // an escaped byte takes four
} Quote;

// "cpu", "1.5 \x07", "1111111111…". Used in printf's arguments: quote(name).text lives to the end of the statement.
Quote quote(Slice text);

// The whole text without quotes, as tables show it: itself when nothing in it could break a line or a terminal, else a
// copy in `arena` with that escaped ("a\x1b[2Jb"). Quotes and backslashes stay as they are. O(length).
Slice printable(Arena *arena, Slice text);
