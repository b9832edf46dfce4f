// Reading for tests.
#include "harness/test.h"
#include "text/json.h"

#include <stdio.h>

#include "reading.h"

void reading_begin(Outcome *outcome, ParseText parse, Slice text, const ParseOptions *options) {
    *outcome = (Outcome){0};
    outcome->code =
        parse(&outcome->arena, SLICE("in.txt"), text, options, &outcome->documents, &outcome->warnings, &outcome->err);
}

void reading_end(Outcome *outcome) {
    arena_free(&outcome->arena);
    *outcome = (Outcome){0};
}

const char *outcome_text(Outcome *outcome) {
    Buffer buffer = {0};
    const char *text;

    for (vec_each(const Document, document, &outcome->documents)) {
        if (buffer.len)
            buffer_append_char(&buffer, '\n');
        json_print(&buffer, &document->root, false);
    }
    text = arena_text(&outcome->arena, outcome->code == OK ? buffer_slice(&buffer) : slice_of(outcome->err.text));
    buffer_free(&buffer);
    return text;
}

void assert_reads(ParseText parse, const char *text, const char *expected) {
    Outcome outcome;
    const char *got;

    reading_begin(&outcome, parse, slice_of(text), NULL);
    got = outcome_text(&outcome);
    if (expected ? outcome.code != OK || strcmp(got, expected) != 0 : outcome.code != ERR_INVALID)
        fail_msg("%s\ngave %s\nexpected %s", text, got, expected ? expected : "ERR_INVALID");
    reading_end(&outcome);
}
