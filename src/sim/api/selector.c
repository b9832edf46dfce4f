// Parsing and matching selectors.
#include "sim/api/selector.h"

// Cuts white space at both ends.
static Slice trim(Slice text) {
    while (text.len && (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
        text = slice_from(text, 1);
    while (text.len && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t'))
        text.len--;
    return text;
}

// Removes and returns the text before the next comma outside of parentheses.
static Slice take_term(Slice *text) {
    int depth = 0;
    size_t at = 0;
    Slice term;

    for (; at < text->len; at++) {
        char c = text->ptr[at];

        depth += (c == '(') - (c == ')');
        if (c == ',' && depth == 0)
            break;
    }
    term = slice_first(*text, at);
    *text = slice_from(*text, at + 1);
    return trim(term);
}

static bool is_key(Slice key) {
    for (size_t i = 0; i < key.len; i++) {
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./", key.ptr[i]))
            return false;
    }
    return key.len > 0;
}

// Parses "(a,b)".
static bool parse_values(Arena *arena, Slice text, SliceVec *values) {
    text = trim(text);
    if (text.len < 2 || text.ptr[0] != '(' || text.ptr[text.len - 1] != ')')
        return false;
    text = slice_from(slice_first(text, text.len - 1), 1);
    do
        vec_push(arena, values, take_term(&text));
    while (text.len);
    return true;
}

// Parses "key in (a,b)", "key notin (a)", "key", "!key".
static bool parse_set(Arena *arena, Slice text, SelectTerm *ret_term) {
    ptrdiff_t space = slice_find(text, ' ');
    SelectTerm term = {.op = SELECT_EXISTS};
    Slice rest;

    if (text.len && text.ptr[0] == '!') {
        term.op = SELECT_NOT_EXISTS;
        term.key = trim(slice_from(text, 1));
    } else if (space < 0) {
        term.key = text;
    } else {
        term.key = slice_first(text, (size_t)space);
        rest = trim(slice_from(text, (size_t)space));
        term.op = slice_starts_with(rest, SLICE("notin")) ? SELECT_NOT_IN : SELECT_IN;
        if (!slice_starts_with(rest, term.op == SELECT_IN ? SLICE("in") : SLICE("notin")) ||
            !parse_values(arena, slice_from(rest, term.op == SELECT_IN ? 2 : 5), &term.values))
            return false;
    }
    *ret_term = term;
    return is_key(term.key);
}

// Parses "key=value", "key==value", "key!=value"; false: there is no '=' outside of a set.
static bool parse_equality(Arena *arena, Slice text, SelectTerm *ret_term) {
    ptrdiff_t equals = slice_find(text, '=');
    SelectTerm term = {.op = SELECT_IN};
    size_t value;

    if (equals <= 0)
        return false;
    value = (size_t)equals + 1;
    term.key = slice_first(text, (size_t)equals);
    if (term.key.ptr[term.key.len - 1] == '!') {
        term.op = SELECT_NOT_IN;
        term.key.len--;
    } else if (value < text.len && text.ptr[value] == '=') {
        value++;
    }
    term.key = trim(term.key);
    vec_push(arena, &term.values, trim(slice_from(text, value)));
    *ret_term = term;
    return is_key(term.key);
}

static ErrCode parse(Arena *arena, Slice text, bool sets, Selector *ret_selector, Err *err) {
    Selector selector = {0};
    Slice all = text = arena_slice(arena, text);

    while (trim(text).len) {
        Slice part = take_term(&text);
        SelectTerm term;

        if (!parse_equality(arena, part, &term) && !(sets && parse_set(arena, part, &term)))
            return err_set(err, ERR_INVALID, "unable to parse requirement: \"%.*s\" in selector \"%.*s\"",
                           SLICE_ARG(part), SLICE_ARG(all));
        vec_push(arena, &selector.terms, term);
    }
    *ret_selector = selector;
    return OK;
}

ErrCode selector_parse_labels(Arena *arena, Slice text, Selector *ret_selector, Err *err) {
    return parse(arena, text, true, ret_selector, err);
}

ErrCode selector_parse_fields(Arena *arena, Slice text, Selector *ret_selector, Err *err) {
    return parse(arena, text, false, ret_selector, err);
}

static bool read_expression(Arena *arena, const Value *expression, SelectTerm *ret_term) {
    static const char *const words[] = {
        [SELECT_IN] = "In",
        [SELECT_NOT_IN] = "NotIn",
        [SELECT_EXISTS] = "Exists",
        [SELECT_NOT_EXISTS] = "DoesNotExist",
    };
    const Value *key = value_get_text(expression, "key"), *op = value_get_text(expression, "operator");
    const Value *values = value_get_text(expression, "values");

    if (!key || key->kind != VALUE_STRING || !op || op->kind != VALUE_STRING)
        return false;
    *ret_term = (SelectTerm){.key = key->text, .op = SELECT_IN};
    while (!slice_eq_text(op->text, words[ret_term->op])) {
        if (ret_term->op++ == SELECT_NOT_EXISTS)
            return false;
    }
    for (uint32_t i = 0; values && values->kind == VALUE_LIST && i < values->list.count; i++) {
        if (values->list.items[i].kind != VALUE_STRING)
            return false;
        vec_push(arena, &ret_term->values, values->list.items[i].text);
    }
    return true;
}

bool selector_read(Arena *arena, const Value *object, Selector *ret_selector) {
    const Value *labels = value_get_text(object, "matchLabels");
    const Value *expressions = value_get_text(object, "matchExpressions");
    Selector selector = {0};

    if (!object || object->kind != VALUE_MAP)
        return false;
    if (labels && labels->kind == VALUE_MAP) {
        for (vec_each(const ValueMember, label, &labels->map)) {
            SelectTerm term = {.key = label->key, .op = SELECT_IN};

            if (label->value.kind != VALUE_STRING)
                return false;
            vec_push(arena, &term.values, label->value.text);
            vec_push(arena, &selector.terms, term);
        }
    }
    if (expressions && expressions->kind == VALUE_LIST) {
        for (vec_each(const Value, expression, &expressions->list)) {
            if (!read_expression(arena, expression, vec_add(arena, &selector.terms)))
                return false;
        }
    }
    *ret_selector = selector;
    return true;
}

bool select_term_holds(const SelectTerm *term, bool present, Slice value) {
    bool listed = false;

    if (term->op == SELECT_EXISTS || term->op == SELECT_NOT_EXISTS)
        return present == (term->op == SELECT_EXISTS);
    for (uint32_t i = 0; present && i < term->values.count && !listed; i++)
        listed = slice_eq(term->values.items[i], value);
    return listed == (term->op == SELECT_IN);
}

bool selector_matches_map(const Selector *selector, const Value *labels) {
    for (vec_each(const SelectTerm, term, &selector->terms)) {
        const Value *value = value_get(labels, term->key);
        bool present = value && value->kind == VALUE_STRING;

        if (!select_term_holds(term, present, present ? value->text : SLICE("")))
            return false;
    }
    return true;
}
