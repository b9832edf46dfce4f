// Reading in tests: a text in, the result as short text.
#pragma once

#include "text/value.h"

typedef ErrCode (*ParseText)(Arena *arena, Slice file, Slice text, const ParseOptions *options, DocumentVec *documents,
                             WarningVec *warnings, Err *err);

// The outcome of one reading. Everything lives in `arena`; reading_end frees it.
typedef struct {
    Arena arena;
    DocumentVec documents;
    WarningVec warnings;
    ErrCode code;
    Err err;
} Outcome;

// Reads "in.txt".
void reading_begin(Outcome *outcome, ParseText parse, Slice text, const ParseOptions *options);
void reading_end(Outcome *outcome);

// All documents as compact JSON, one a line; of a failed reading its error.
const char *outcome_text(Outcome *outcome);

// Fails the test unless reading `text` gives `expected`: documents as above, or NULL for "not accepted".
void assert_reads(ParseText parse, const char *text, const char *expected);
