// Parts of objects as JSON. Used by the files that write a case.
#pragma once

#include "json_writer.h"
#include "scene.h"

typedef struct {
    JsonWriter json;
    Arena scratch; // of printed quantities
    Scene *scene;
} SceneWriter;

static inline Slice text_of(const SceneWriter *writer, Symbol symbol) {
    return symbol_text(&writer->scene->cluster.symbols, symbol);
}

void write_symbol(SceneWriter *writer, Slice name, Symbol symbol);
void write_labels(SceneWriter *writer, Slice name, const Labels *labels); // nothing when there are none
void write_amounts(SceneWriter *writer, Slice name, const Resources *amounts, bool with_pods);
void write_expressions(SceneWriter *writer, Slice name, const ExpressionVec *expressions);
void write_taints(SceneWriter *writer, Slice name, const TaintVec *taints); // nothing when there are none
void write_conditions(SceneWriter *writer, const ConditionVec *conditions);
void write_node_class(SceneWriter *writer, const NodeClassRef *ref);
// {apiVersion, kind, metadata: {namespace (NAME_EMPTY: none), name, uid (likewise), labels}: the object stays open.
void write_object(SceneWriter *writer, Slice api_version, Slice kind, const ObjectMeta *meta);

// write_pod.c: a pod; "spec": … of a pod or of a template.
void write_pod(SceneWriter *writer, const Pod *pod);
void write_pod_spec(SceneWriter *writer, const PodSpec *spec, Symbol node_name);
// write_catalogue.c: the list of instance types.
void write_catalogue(SceneWriter *writer);
