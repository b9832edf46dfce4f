#include "write_parts.h"

void write_symbol(SceneWriter *writer, Slice name, Symbol symbol) {
    json_text(&writer->json, name, text_of(writer, symbol));
}

void write_labels(SceneWriter *writer, Slice name, const Labels *labels) {
    if (!labels->count)
        return;
    json_begin(&writer->json, name, '{');
    for (uint32_t i = 0; i < labels->count; i++)
        write_symbol(writer, text_of(writer, labels->items[i].key), labels->items[i].value);
    json_end(&writer->json, '}');
}

void write_amounts(SceneWriter *writer, Slice name, const Resources *amounts, bool with_pods) {
    json_begin(&writer->json, name, '{');
    for (uint32_t i = 0; i < amounts->count; i++) {
        const ResourceAmount *item = &amounts->items[i];
        ArenaMark mark = arena_mark(&writer->scratch);

        if (item->resource != NAME_PODS || with_pods)
            json_text(&writer->json, text_of(writer, item->resource),
                      resource_print(&writer->scratch, item->resource, item->amount));
        arena_rewind(&writer->scratch, mark);
    }
    json_end(&writer->json, '}');
}

void write_expressions(SceneWriter *writer, Slice name, const ExpressionVec *expressions) {
    json_begin(&writer->json, name, '[');
    for (vec_each(const Expression, expression, expressions)) {
        json_begin(&writer->json, NO_NAME, '{');
        write_symbol(writer, SLICE("key"), expression->key);
        json_text(&writer->json, SLICE("operator"), slice_of(operator_text(expression->op)));
        if (expression->values.count) {
            json_begin(&writer->json, SLICE("values"), '[');
            for (vec_each(const Symbol, value, &expression->values))
                write_symbol(writer, NO_NAME, *value);
            json_end(&writer->json, ']');
        }
        json_end(&writer->json, '}');
    }
    json_end(&writer->json, ']');
}

void write_taints(SceneWriter *writer, Slice name, const TaintVec *taints) {
    if (!taints->count)
        return;
    json_begin(&writer->json, name, '[');
    for (vec_each(const Taint, taint, taints)) {
        json_begin(&writer->json, NO_NAME, '{');
        write_symbol(writer, SLICE("key"), taint->key);
        if (taint->value != NAME_EMPTY)
            write_symbol(writer, SLICE("value"), taint->value);
        json_text(&writer->json, SLICE("effect"), slice_of(taint_effect_text(taint->effect)));
        json_end(&writer->json, '}');
    }
    json_end(&writer->json, ']');
}

void write_conditions(SceneWriter *writer, const ConditionVec *conditions) {
    json_begin(&writer->json, SLICE("conditions"), '[');
    for (vec_each(const Condition, condition, conditions)) {
        json_begin(&writer->json, NO_NAME, '{');
        write_symbol(writer, SLICE("type"), condition->type);
        write_symbol(writer, SLICE("status"), condition->status);
        write_symbol(writer, SLICE("reason"), condition->reason);
        json_text(&writer->json, SLICE("message"), condition->message);
        json_text(&writer->json, SLICE("lastTransitionTime"), SLICE("2026-01-01T00:00:00Z"));
        json_end(&writer->json, '}');
    }
    json_end(&writer->json, ']');
}

void write_node_class(SceneWriter *writer, const NodeClassRef *ref) {
    json_begin(&writer->json, SLICE("nodeClassRef"), '{');
    write_symbol(writer, SLICE("group"), ref->group);
    write_symbol(writer, SLICE("kind"), ref->kind);
    write_symbol(writer, SLICE("name"), ref->name);
    json_end(&writer->json, '}');
}

void write_object(SceneWriter *writer, Slice api_version, Slice kind, const ObjectMeta *meta) {
    json_begin(&writer->json, NO_NAME, '{');
    json_text(&writer->json, SLICE("apiVersion"), api_version);
    json_text(&writer->json, SLICE("kind"), kind);
    json_begin(&writer->json, SLICE("metadata"), '{');
    if (meta->ns != NAME_EMPTY)
        write_symbol(writer, SLICE("namespace"), meta->ns);
    write_symbol(writer, SLICE("name"), meta->name);
    if (meta->uid != NAME_EMPTY)
        write_symbol(writer, SLICE("uid"), meta->uid);
    write_labels(writer, SLICE("labels"), &meta->labels);
    json_end(&writer->json, '}');
}
