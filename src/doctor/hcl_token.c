// Characters to words.
#include "doctor/hcl_token.h"

#include <ctype.h>

static char peek(const HclLexer *lexer, size_t ahead) {
    return lexer->at + ahead < lexer->text.len ? lexer->text.ptr[lexer->at + ahead] : 0;
}

static bool at_end(const HclLexer *lexer) {
    return lexer->at >= lexer->text.len;
}

static void step(HclLexer *lexer) {
    lexer->line += peek(lexer, 0) == '\n';
    lexer->at++;
}

static ErrCode fail(const HclLexer *lexer, uint32_t line, const char *what, Err *err) {
    return err_set(err, ERR_INVALID, "%.*s:%u: %s has no end", SLICE_ARG(lexer->file), line, what);
}

static void skip_line(HclLexer *lexer) {
    while (!at_end(lexer) && peek(lexer, 0) != '\n')
        lexer->at++;
}

static ErrCode skip_comment(HclLexer *lexer, Err *err) {
    uint32_t line = lexer->line;

    while (!at_end(lexer) && !(peek(lexer, 0) == '*' && peek(lexer, 1) == '/'))
        step(lexer);
    if (at_end(lexer))
        return fail(lexer, line, "a comment", err);
    lexer->at += 2;
    return OK;
}

// Blanks and comments, but not the ends of lines.
static ErrCode skip_blanks(HclLexer *lexer, Err *err) {
    while (!at_end(lexer)) {
        char c = peek(lexer, 0);

        if (c == '#' || (c == '/' && peek(lexer, 1) == '/'))
            skip_line(lexer);
        else if (c == '/' && peek(lexer, 1) == '*')
            TRY(skip_comment(lexer, err));
        else if (c == ' ' || c == '\t' || c == '\r')
            lexer->at++;
        else
            break;
    }
    return OK;
}

// A string may hold expressions in "${…}", and these strings again: depth is that of the braces.
static ErrCode read_string(HclLexer *lexer, Err *err) {
    uint32_t line = lexer->line, depth = 0;
    bool quoted = false; // within the expression

    for (lexer->at++; !at_end(lexer); step(lexer)) {
        char c = peek(lexer, 0);

        if (c == '\\') {
            lexer->at++;
        } else if (!depth && (c == '$' || c == '%') && peek(lexer, 1) == '{') {
            depth = 1;
            lexer->at++;
        } else if (c == '"' && depth) {
            quoted = !quoted;
        } else if (c == '"') {
            lexer->at++;
            return OK;
        } else if (depth && !quoted) {
            depth += (uint32_t)(c == '{') - (uint32_t)(c == '}');
        }
    }
    return fail(lexer, line, "a string", err);
}

static Slice line_here(const HclLexer *lexer) {
    Slice rest = slice_from(lexer->text, lexer->at);
    ptrdiff_t end = slice_find(rest, '\n');

    return end < 0 ? rest : slice_first(rest, (size_t)end);
}

// "<<EOT" or "<<-EOT" and the lines up to one that is EOT alone.
static ErrCode read_heredoc(HclLexer *lexer, HclToken *token, Err *err) {
    uint32_t line = lexer->line;
    Slice mark;

    lexer->at += peek(lexer, 2) == '-' ? 3 : 2;
    mark = slice_trim(line_here(lexer));
    skip_line(lexer);
    for (token->text = slice_from(lexer->text, lexer->at); !at_end(lexer);) {
        step(lexer);
        if (mark.len && slice_eq(slice_trim(line_here(lexer)), mark)) {
            token->text.len = (size_t)(lexer->text.ptr + lexer->at - token->text.ptr);
            skip_line(lexer);
            return OK;
        }
        skip_line(lexer);
    }
    return fail(lexer, line, "a heredoc", err);
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '-' || (unsigned char)c >= 0x80;
}

static void read_word(HclLexer *lexer, HclToken *token) {
    token->kind = isdigit((unsigned char)peek(lexer, 0)) ? HCL_NUMBER : HCL_WORD;
    while (is_word(peek(lexer, 0)) || (token->kind == HCL_NUMBER && peek(lexer, 0) == '.'))
        lexer->at++;
}

static ErrCode read_token(HclLexer *lexer, HclToken *token, Err *err) {
    char c = peek(lexer, 0);

    if (c == '"') {
        token->kind = HCL_STRING;
        return read_string(lexer, err);
    }
    if (is_word(c) && c != '-') {
        read_word(lexer, token);
        return OK;
    }
    token->kind = c == '\n' ? HCL_NEWLINE : HCL_MARK;
    step(lexer);
    return OK;
}

ErrCode hcl_next(HclLexer *lexer, HclToken *ret_token, Err *err) {
    HclToken token;

    TRY(skip_blanks(lexer, err));
    token = (HclToken){HCL_END, slice_from(lexer->text, lexer->at), lexer->line};
    if (at_end(lexer)) {
        *ret_token = token;
        return OK;
    }
    if (peek(lexer, 0) == '<' && peek(lexer, 1) == '<') {
        token.kind = HCL_HEREDOC;
        TRY(read_heredoc(lexer, &token, err));
    } else {
        TRY(read_token(lexer, &token, err));
        token.text.len = (size_t)(lexer->text.ptr + lexer->at - token.text.ptr);
    }
    *ret_token = token;
    return OK;
}

bool hcl_is_mark(const HclToken *token, char mark) {
    return token->kind == HCL_MARK && *token->text.ptr == mark;
}

bool hcl_opens(const HclToken *token) {
    return hcl_is_mark(token, '{') || hcl_is_mark(token, '[') || hcl_is_mark(token, '(');
}

bool hcl_closes(const HclToken *token) {
    return hcl_is_mark(token, '}') || hcl_is_mark(token, ']') || hcl_is_mark(token, ')');
}
