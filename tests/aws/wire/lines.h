// A program that is driven by another one: a line of JSON in, a line of JSON out.
#pragma once

#include "text/value.h"

// Answers each line of the standard input on the standard output, until it ends. A line that is no JSON ends the
// program. `answer`: the reply to a line, in its arena, which lives until the reply is printed.
void answer_lines(Value (*answer)(Arena *arena, void *context, const Value *line), void *context);
