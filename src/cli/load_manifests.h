// Texts of manifests to a Cluster.
#pragma once

#include "cli/load.h"

// Reads all inputs into `loaded`, which is empty, and finishes its cluster. Beside the texts it takes the memory of the
// cluster and of one document or element of a list; for YAML, of one text. Errors as load_input.
ErrCode load_manifests(Loaded *loaded, const PlanOptions *options, Err *err);

// Appends the documents of a text, which is YAML or, by its beginning or the file's name, JSON. Errors as yaml_parse.
ErrCode manifest_parse(Arena *arena, const InputText *input, const ParseOptions *options, DocumentVec *documents,
                       WarningVec *warnings, Err *err);
