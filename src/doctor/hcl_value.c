// A reader of expressions by descent. It gives up on what it does not know: the whole expression is unknown then.
#include "doctor/hcl_value.h"

#include "doctor/hcl_token.h"

typedef struct {
    HclScope *scope;
    HclLexer lexer;
    HclToken token; // not yet taken
    uint32_t depth;
    bool lost; // something was read that is not known here
} Expression;

static Value evaluate(HclScope *scope, Slice text, uint32_t depth);
static Value read_value(Expression *expression);

// Words.

static void advance(Expression *expression) {
    if (++expression->scope->steps > HCL_STEPS_MAX || hcl_next(&expression->lexer, &expression->token, NULL) != OK) {
        expression->lost = true;
        expression->token = (HclToken){.kind = HCL_END};
    }
}

static void skip_lines(Expression *expression) {
    while (expression->token.kind == HCL_NEWLINE)
        advance(expression);
}

static bool take_mark(Expression *expression, char mark) {
    if (!hcl_is_mark(&expression->token, mark))
        return false;
    advance(expression);
    return true;
}

static Value lose(Expression *expression) {
    expression->lost = true;
    return value_null();
}

static bool is_going_on(const Expression *expression) {
    return !expression->lost && expression->token.kind != HCL_END;
}

// Strings: "a-${var.b}".

static bool append_text(Expression *expression, Slice *text, const Value *part) {
    bool is_known =
        (part->kind == VALUE_STRING || part->kind == VALUE_NUMBER) && text->len + part->text.len <= HCL_STRING_MAX;

    if (is_known)
        *text = text->len ? arena_printf(expression->scope->arena, "%.*s%.*s", SLICE_ARG(*text), SLICE_ARG(part->text))
                          : part->text;
    return is_known;
}

// The length of "${…}" with its braces.
static size_t interpolation_length(Slice text) {
    size_t depth = 0;

    for (size_t i = 1; i < text.len; i++) {
        depth += (size_t)(text.ptr[i] == '{');
        if (text.ptr[i] == '}' && --depth == 0)
            return i + 1;
    }
    return text.len;
}

// Length of the leading literal.
static size_t literal_length(Slice text) {
    size_t at = 0;

    while (at < text.len && text.ptr[at] != '\\' &&
           !((text.ptr[at] == '$' || text.ptr[at] == '%') && at + 1 < text.len && text.ptr[at + 1] == '{'))
        at++;
    return at;
}

// What follows a literal: an expression, or an escaped character.
static Value special_part(Expression *expression, Slice rest, size_t *ret_length) {
    *ret_length = rest.len > 1 ? 2 : 1;
    if (*rest.ptr == '\\')
        return rest.len > 1 && (rest.ptr[1] == '"' || rest.ptr[1] == '\\') ? value_string((Slice){rest.ptr + 1, 1})
                                                                           : value_null();
    *ret_length = interpolation_length(rest);
    if (*rest.ptr == '%' || *ret_length < 3)
        return value_null();
    return evaluate(expression->scope, (Slice){rest.ptr + 2, *ret_length - 3}, expression->depth + 1);
}

static Value string_value(Expression *expression, Slice text) {
    Slice result = SLICE("");

    while (text.len) {
        size_t length = literal_length(text);
        Value part = value_string(slice_first(text, length));

        if (!length)
            part = special_part(expression, text, &length);
        if (!append_text(expression, &result, &part))
            return value_null();
        text = slice_from(text, length);
    }
    return value_string(result);
}

// Maps and lists.

static bool is_end_of(Expression *expression, char mark) {
    skip_lines(expression);
    return take_mark(expression, mark) || !is_going_on(expression);
}

static void skip_separator(Expression *expression) {
    skip_lines(expression);
    take_mark(expression, ',');
    skip_lines(expression);
}

static Slice key_text(const Value *key) {
    return key->kind == VALUE_STRING || key->kind == VALUE_NUMBER ? key->text : SLICE("");
}

// A word is a key by itself, though it looks like a name.
static Value read_key(Expression *expression) {
    Value key = value_string(expression->token.text);

    if (expression->token.kind != HCL_WORD)
        return read_value(expression);
    advance(expression);
    return key;
}

static void read_member(Expression *expression, Value *map) {
    Value key = read_key(expression), value;

    if (!take_mark(expression, '=') && !take_mark(expression, ':')) {
        lose(expression); // `for`, for one
        return;
    }
    value = read_value(expression);
    value_put(expression->scope->arena, map, key_text(&key), key_text(&key).len ? value : value_null());
}

static Value read_map(Expression *expression) {
    Value map = value_map();

    while (!is_end_of(expression, '}')) {
        read_member(expression, &map);
        skip_separator(expression);
        if (map.map.count > HCL_MEMBERS_MAX)
            return lose(expression);
    }
    return map;
}

static Value read_list(Expression *expression, char end) {
    Value list = value_list();

    while (!is_end_of(expression, end)) {
        if (expression->token.kind == HCL_WORD && slice_eq(expression->token.text, SLICE("for")))
            return lose(expression);
        value_append(expression->scope->arena, &list, read_value(expression));
        skip_separator(expression);
        if (list.list.count > HCL_MEMBERS_MAX)
            return lose(expression);
    }
    return list;
}

// Functions.

void hcl_merge(Arena *arena, Value *map, const Value *from) {
    if (from->kind != VALUE_MAP || map->map.count + from->map.count > HCL_MEMBERS_MAX) {
        value_put(arena, map, SLICE(""), value_null());
        return;
    }
    for (vec_each(const ValueMember, member, &from->map))
        value_put(arena, map, member->key, member->value);
}

static Value merge(HclScope *scope, const Value *arguments, uint32_t count) {
    Value map = value_map();

    for (uint32_t i = 0; i < count; i++) {
        hcl_merge(scope->arena, &map, &arguments[i]);
        scope->steps += arguments[i].kind == VALUE_MAP ? arguments[i].map.count : 0;
    }
    return map;
}

static Value member_of(const Value *map, Slice key) {
    const Value *found = value_get(map, key);

    return found ? *found : value_null();
}

static Value lookup(HclScope *scope, const Value *arguments, uint32_t count) {
    const Value *found;

    (void)scope;
    if (count < 2 || arguments->kind != VALUE_MAP)
        return value_null();
    found = value_get(arguments, key_text(&arguments[1]));
    if (found)
        return *found;
    return count > 2 && !value_get(arguments, SLICE("")) ? arguments[2] : value_null();
}

static Value first(HclScope *scope, const Value *arguments, uint32_t count) {
    (void)scope;
    return count ? *arguments : value_null();
}

static const struct {
    const char *name;
    Value (*value)(HclScope *scope, const Value *arguments, uint32_t count);
} functions[] = {{"merge", merge},    {"lookup", lookup}, {"tomap", first},
                 {"tostring", first}, {"tolist", first},  {"toset", first}};

static Value call(Expression *expression, Slice name) {
    Value arguments = read_list(expression, ')');

    if (arguments.kind != VALUE_LIST)
        return value_null();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (slice_eq_text(name, functions[i].name))
            return functions[i].value(expression->scope, arguments.list.items, arguments.list.count);
    }
    return value_null();
}

// Names: var.a, local.b. Everything else is known when it runs.

static Value variable(HclScope *scope, Slice name, uint32_t depth) {
    for (vec_each(const HclBlock, block, scope->blocks)) {
        const HclAttribute *preset = hcl_attribute(block, "default");

        if (slice_eq(block->type, SLICE("variable")) && slice_eq(block->labels[0], name))
            return preset ? evaluate(scope, preset->expression, depth + 1) : value_null();
    }
    return value_null();
}

static Value local(HclScope *scope, Slice name, uint32_t depth) {
    for (vec_each(const HclBlock, block, scope->blocks)) {
        if (!slice_eq(block->type, SLICE("locals")))
            continue;
        for (vec_each(const HclAttribute, attribute, &block->attributes)) {
            if (slice_eq(attribute->name, name))
                return evaluate(scope, attribute->expression, depth + 1);
        }
    }
    return value_null();
}

static Value word_value(Slice word) {
    if (slice_eq(word, SLICE("true")) || slice_eq(word, SLICE("false")))
        return value_string(word); // as AWS has it in tags
    return value_null();
}

static Value named(Expression *expression, Slice root) {
    bool is_variable = slice_eq(root, SLICE("var"));
    Slice name;

    if ((!is_variable && !slice_eq(root, SLICE("local"))) || !take_mark(expression, '.'))
        return word_value(root);
    name = expression->token.text;
    advance(expression);
    return is_variable ? variable(expression->scope, name, expression->depth)
                       : local(expression->scope, name, expression->depth);
}

// Values.

static Value read_word(Expression *expression) {
    Slice word = expression->token.text;

    advance(expression);
    return take_mark(expression, '(') ? call(expression, word) : named(expression, word);
}

static Value read_text(Expression *expression) {
    Slice text = expression->token.text;

    advance(expression);
    return string_value(expression, (Slice){text.ptr + 1, text.len - 2});
}

static Value read_number(Expression *expression) {
    Value number = value_string(expression->token.text);

    advance(expression);
    return number;
}

static Value read_bracket(Expression *expression) {
    Value inner;

    if (take_mark(expression, '{'))
        return read_map(expression);
    if (take_mark(expression, '['))
        return read_list(expression, ']');
    if (!take_mark(expression, '('))
        return lose(expression);
    inner = read_value(expression);
    skip_lines(expression);
    return take_mark(expression, ')') ? inner : lose(expression);
}

static Value read_primary(Expression *expression) {
    switch (expression->token.kind) {
    case HCL_WORD:
        return read_word(expression);
    case HCL_STRING:
        return read_text(expression);
    case HCL_NUMBER:
        return read_number(expression);
    case HCL_MARK:
        return read_bracket(expression);
    case HCL_HEREDOC:
    case HCL_NEWLINE:
    case HCL_END:
        break;
    }
    return lose(expression);
}

// ".name" or "[key]" behind a value.
static Value read_path(Expression *expression, Value value) {
    while (is_going_on(expression)) {
        Value key;

        if (take_mark(expression, '.')) {
            key = value_string(expression->token.text);
            advance(expression);
        } else if (take_mark(expression, '[')) {
            key = read_value(expression);
            if (!take_mark(expression, ']'))
                return lose(expression);
        } else {
            break;
        }
        value = member_of(&value, key_text(&key));
    }
    return value;
}

// "=" behind a key, not the beginning of "==" or "=>".
static bool is_equals_sign(const Expression *expression) {
    Slice rest = slice_from(expression->lexer.text, expression->lexer.at);

    return hcl_is_mark(&expression->token, '=') && !slice_starts_with(rest, SLICE("=")) &&
           !slice_starts_with(rest, SLICE(">"));
}

// What may follow a value: nothing else is known, as `? :`, `+`, `==`.
static bool is_at_edge(const Expression *expression) {
    const HclToken *token = &expression->token;

    return token->kind == HCL_END || token->kind == HCL_NEWLINE || hcl_closes(token) || hcl_is_mark(token, ',') ||
           is_equals_sign(expression) || hcl_is_mark(token, ':');
}

static Value read_value(Expression *expression) {
    Value value;

    if (++expression->depth > HCL_DEPTH_MAX)
        return lose(expression);
    skip_lines(expression);
    value = read_path(expression, read_primary(expression));
    expression->depth--;
    return is_at_edge(expression) ? value : lose(expression);
}

static Value evaluate(HclScope *scope, Slice text, uint32_t depth) {
    Expression expression = {.scope = scope, .lexer = {.text = text, .line = 1}, .depth = depth};
    Value value;

    if (depth > HCL_DEPTH_MAX)
        return value_null();
    advance(&expression);
    value = read_value(&expression);
    return expression.lost ? value_null() : value;
}

Value hcl_value(HclScope *scope, const HclAttribute *attribute) {
    return attribute ? evaluate(scope, attribute->expression, 0) : value_null();
}
