// Words to blocks.
#include "doctor/hcl.h"

#include "doctor/hcl_token.h"

typedef struct {
    Arena *arena;
    HclLexer lexer;
} Reader;

static ErrCode refuse(const Reader *reader, const HclToken *token, const char *expected, Err *err) {
    return err_set(err, ERR_INVALID, "%.*s:%u: expected %s", SLICE_ARG(reader->lexer.file), token->line, expected);
}

static ErrCode read_body(Reader *reader, HclBlock *block, uint32_t depth, Err *err);

// An expression goes to the end of its line, but lines in brackets belong together. A '}' ends the block around it,
// too: `set { name = "a" }`.
static ErrCode read_expression(Reader *reader, HclAttribute *attribute, Err *err) {
    HclLexer before = reader->lexer;
    uint32_t depth = 0;
    HclToken token;

    for (;; before = reader->lexer) {
        TRY(hcl_next(&reader->lexer, &token, err));
        if (!attribute->expression.ptr)
            attribute->expression = token.text;
        if (token.kind == HCL_END && depth)
            return refuse(reader, &token, "a closing bracket", err);
        if (!depth && (token.kind == HCL_END || token.kind == HCL_NEWLINE || hcl_is_mark(&token, '}')))
            break;
        depth += (uint32_t)hcl_opens(&token) - (uint32_t)(hcl_closes(&token) && depth);
    }
    attribute->expression.len = (size_t)(token.text.ptr - attribute->expression.ptr);
    reader->lexer = before;
    return OK;
}

static Slice without_quotes(Slice text) {
    return text.len > 1 && *text.ptr == '"' ? slice_first(slice_from(text, 1), text.len - 2) : text;
}

// The labels of a block and its '{'; `token` is what follows its type.
static ErrCode read_labels(Reader *reader, HclBlock *block, HclToken token, Err *err) {
    for (uint32_t count = 0; !hcl_is_mark(&token, '{'); count++) {
        if (token.kind != HCL_WORD && token.kind != HCL_STRING)
            return refuse(reader, &token, "= or {", err);
        if (count < HCL_LABELS_MAX)
            block->labels[count] = without_quotes(token.text);
        TRY(hcl_next(&reader->lexer, &token, err));
    }
    return OK;
}

// An attribute or a block; `name` was read.
static ErrCode read_member(Reader *reader, HclBlock *parent, const HclToken *name, uint32_t depth, Err *err) {
    HclBlock block = {.type = without_quotes(name->text), .file = reader->lexer.file, .line = name->line};
    HclAttribute attribute = {.name = block.type, .line = name->line};
    HclToken token;

    TRY(hcl_next(&reader->lexer, &token, err));
    if (hcl_is_mark(&token, '=')) {
        TRY(read_expression(reader, &attribute, err));
        vec_push(reader->arena, &parent->attributes, attribute);
        return OK;
    }
    TRY(read_labels(reader, &block, token, err));
    TRY(read_body(reader, &block, depth + 1, err));
    vec_push(reader->arena, &parent->blocks, block);
    return OK;
}

// Up to the '}' of the block, or the end of the text.
static ErrCode read_body(Reader *reader, HclBlock *block, uint32_t depth, Err *err) {
    HclToken token;

    if (depth > HCL_DEPTH_MAX)
        return err_set(err, ERR_TOO_LARGE, "%.*s:%u: more than %d blocks in blocks", SLICE_ARG(reader->lexer.file),
                       reader->lexer.line, HCL_DEPTH_MAX);
    for (;;) {
        TRY(hcl_next(&reader->lexer, &token, err));
        if (token.kind == HCL_WORD || token.kind == HCL_STRING)
            TRY(read_member(reader, block, &token, depth, err));
        else if (depth ? hcl_is_mark(&token, '}') : token.kind == HCL_END)
            return OK;
        else if (token.kind != HCL_NEWLINE)
            return refuse(reader, &token, "a name", err);
    }
}

ErrCode hcl_read(Arena *arena, Slice file, Slice text, HclBlockVec *blocks, Err *err) {
    Reader reader = {arena, {.file = file, .text = text, .line = 1}};
    HclBlock root = {0};

    if (text.len > HCL_TEXT_MAX)
        return err_set(err, ERR_TOO_LARGE, "%.*s: larger than %d MiB", SLICE_ARG(file), HCL_TEXT_MAX >> 20);
    TRY(read_body(&reader, &root, 0, err));
    for (vec_each(const HclBlock, block, &root.blocks))
        vec_push(arena, blocks, *block);
    return OK;
}

const HclAttribute *hcl_attribute(const HclBlock *block, const char *name) {
    for (vec_each(const HclAttribute, attribute, &block->attributes)) {
        if (slice_eq_text(attribute->name, name))
            return attribute;
    }
    return NULL;
}
