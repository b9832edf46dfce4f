// Expressions on labels: of node affinity, of NodePool requirements, and of label selectors.
#include "model/decode/expressions.h"

static const char *const operator_words[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"};
enum { SELECTOR_OPERATORS = OP_DOES_NOT_EXIST + 1, NODE_OPERATORS = OP_LT + 1, POOL_OPERATORS = OP_LTE + 1 };

typedef struct {
    Expression expression;
    const Value *op;
} ExpressionRecord;

static const Field expression_fields[] = {
    FIELD(ExpressionRecord, expression.key, "key", FIELD_SYMBOL, .required = true),
    FIELD(ExpressionRecord, op, "operator", FIELD_VALUE, .required = true),
    FIELD(ExpressionRecord, expression.values, "values", FIELD_SYMBOLS, ),
    FIELD(ExpressionRecord, expression.min_values, "minValues", FIELD_INT32, ),
};
static const FieldTable expression_table = FIELD_TABLE(ExpressionRecord, expression_fields);

// Checks the number of values of an operator, as the API server does (NodePools have their own messages:
// validate/validate.c).
static ErrCode check_value_count(Decoder *decoder, const Value *value, const Expression *expression, Err *err) {
    uint32_t count = expression->values.count;
    const char *op = operator_text(expression->op);

    switch (expression->op) {
    case OP_IN:
    case OP_NOT_IN:
        if (count == 0)
            return decode_fail(decoder, value, err, "values must be given for the operator %s", op);
        break;
    case OP_EXISTS:
    case OP_DOES_NOT_EXIST:
        if (count)
            return decode_fail(decoder, value, err, "values must not be given for the operator %s", op);
        break;
    case OP_GT:
    case OP_LT:
    case OP_GTE:
    case OP_LTE:
        if (count != 1)
            return decode_fail(decoder, value, err, "the operator %s needs exactly one value", op);
        break;
    }
    return OK;
}

static ErrCode decode_expression(Decoder *decoder, const Value *value, size_t operators, Expression *ret_expression,
                                 Err *err) {
    ExpressionRecord record = {0};
    size_t op;

    TRY(decode_object(decoder, value, &expression_table, &record, err));
    decode_enter(decoder, SLICE("operator"));
    TRY(decode_word(decoder, record.op, operator_words, operators, &op, err));
    decode_leave(decoder);
    record.expression.op = (Operator)op;
    record.expression.line = value->line;
    if (operators < POOL_OPERATORS) {
        record.expression.min_values = 0;
        TRY(check_value_count(decoder, value, &record.expression, err));
    }
    *ret_expression = record.expression;
    return OK;
}

static ErrCode decode_expressions(Decoder *decoder, const Value *value, size_t operators, ExpressionVec *ret_vec,
                                  Err *err) {
    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    for (uint32_t i = 0; i < value->list.count; i++) {
        decode_enter_index(decoder, i);
        TRY(decode_expression(decoder, &value->list.items[i], operators, vec_add(decoder->arena, ret_vec), err));
        decode_leave(decoder);
    }
    return OK;
}

ErrCode decode_node_expressions(Decoder *decoder, const Value *value, void *ret_expressions, Err *err) {
    return decode_expressions(decoder, value, NODE_OPERATORS, ret_expressions, err);
}

ErrCode decode_pool_requirements(Decoder *decoder, const Value *value, void *ret_expressions, Err *err) {
    return decode_expressions(decoder, value, POOL_OPERATORS, ret_expressions, err);
}

// Label selectors.

static ErrCode decode_match_labels(Decoder *decoder, const Value *value, void *ret_expressions, Err *err) {
    ExpressionVec *expressions = ret_expressions;
    Labels labels;

    TRY(decode_labels(decoder, value, &labels, err));
    for (uint32_t i = 0; i < labels.count; i++) {
        Expression *expression = vec_add(decoder->arena, expressions);

        expression->key = labels.items[i].key;
        expression->op = OP_IN;
        vec_push(decoder->arena, &expression->values, labels.items[i].value);
    }
    return OK;
}

static ErrCode decode_match_expressions(Decoder *decoder, const Value *value, void *ret_expressions, Err *err) {
    return decode_expressions(decoder, value, SELECTOR_OPERATORS, ret_expressions, err);
}

static const Field selector_fields[] = {
    FIELD_CUSTOM_WITH(LabelSelector, expressions, "matchLabels", decode_match_labels, ),
    FIELD_CUSTOM_WITH(LabelSelector, expressions, "matchExpressions", decode_match_expressions, ),
};
static const FieldTable selector_table = FIELD_TABLE(LabelSelector, selector_fields);

ErrCode decode_selector(Decoder *decoder, const Value *value, void *ret_selector, Err *err) {
    LabelSelector *selector = arena_new(decoder->arena, LabelSelector);

    TRY(decode_object(decoder, value, &selector_table, selector, err));
    *(const LabelSelector **)ret_selector = selector;
    return OK;
}

ErrCode decode_map_selector(Decoder *decoder, const Value *value, void *ret_selector, Err *err) {
    LabelSelector *selector = arena_new(decoder->arena, LabelSelector);

    TRY(decode_match_labels(decoder, value, &selector->expressions, err));
    *(const LabelSelector **)ret_selector = selector;
    return OK;
}

// Node selectors.

static ErrCode decode_match_fields(Decoder *decoder, const Value *value, void *ret_present, Err *err) {
    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    *(bool *)ret_present = value->list.count > 0;
    return OK;
}

static const Field node_term_fields[] = {
    FIELD_CUSTOM_WITH(NodeTerm, expressions, "matchExpressions", decode_node_expressions, ),
    FIELD_CUSTOM_WITH(NodeTerm, has_match_fields, "matchFields", decode_match_fields, ),
};
const FieldTable node_term_table = FIELD_TABLE(NodeTerm, node_term_fields);

static const Field node_selector_fields[] = {
    {.name = "nodeSelectorTerms",
     .kind = FIELD_LIST,
     .required = true,
     .has_offset = SIZE_MAX,
     .table = &node_term_table},
};
const FieldTable node_selector_table = FIELD_TABLE(NodeTermVec, node_selector_fields);
