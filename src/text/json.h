// JSON texts to Values and back. simdjson is used only here (json.cpp).
//
// Grammar: RFC 8259, UTF-8 checked. Several documents may follow each other, separated by white space (what
// `kubectl get -o json` and jq print). Duplicate keys: last wins with a warning that gives both lines, or ERR_INVALID
// when strict.
#pragma once

#include "base/buffer.h"
#include "text/value.h"

// Appends every document of `text` to `documents`. The Values are copies: `text` may be freed. O(length). ERR_INVALID:
// not JSON; the text names file, line and what was expected. ERR_TOO_LARGE: a limit of `options`.
ErrCode json_parse(Arena *arena, Slice file, Slice text, const ParseOptions *options, DocumentVec *documents,
                   WarningVec *warnings, Err *err);

// Who is told what json_read finds. Everything told is valid during the call.
typedef struct {
    void *context;
    // A document. Of a list, which is a map with a list of maps as "items", that member is empty here: its elements
    // follow, one by one.
    void (*document)(void *context, const Document *document);
    void (*element)(void *context, const Value *element);
} JsonSink;

// Reads as json_parse does, with the memory of one document or element at a time, and of the warnings, which are in
// `notes`. On an error the documents and elements before it may have been told already. O(length).
ErrCode json_read(Arena *notes, Slice file, Slice text, const ParseOptions *options, const JsonSink *sink,
                  WarningVec *warnings, Err *err);

// Prints a Value: compact on one line, or with an indentation of two spaces. No newline at the end.
void json_print(Buffer *buffer, const Value *value, bool indented);

// Prints a JSON string with its quotes.
void json_print_string(Buffer *buffer, Slice text);
