// Text of others inside messages: quoted, cut when long, with nothing in it that could break a line or a terminal.
#pragma once

#include "base/slice.h"

enum { QUOTE_BYTES_MAX = 40 };

typedef struct {
    char text[QUOTE_BYTES_MAX * 4 + sizeof "\"…\""]; // an escaped byte takes four
} Quote;

// "cpu", "1.5 \x07", "1111111111…". Used in printf's arguments: quote(name).text lives to the end of the statement.
Quote quote(Slice text);
