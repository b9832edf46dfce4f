// Words of HCL. Private to src/doctor.
#pragma once

#include "base/err.h"
#include "base/slice.h"

typedef enum {
    HCL_END,
    HCL_NEWLINE,
    HCL_WORD, // letters, digits, '_', '-'
    HCL_NUMBER,
    HCL_STRING,  // with its quotes
    HCL_HEREDOC, // the lines between its marks
    HCL_MARK,    // one other character
} HclKind;

typedef struct {
    HclKind kind;
    Slice text;
    uint32_t line;
} HclToken;

typedef struct {
    Slice file, text;
    size_t at;
    uint32_t line;
} HclLexer;

// The next word; blanks and comments are passed over. O(its length). ERR_INVALID: a string, comment or heredoc without
// an end.
ErrCode hcl_next(HclLexer *lexer, HclToken *ret_token, Err *err);

// Whether the token is that one character.
bool hcl_is_mark(const HclToken *token, char mark);
bool hcl_opens(const HclToken *token);
bool hcl_closes(const HclToken *token);
