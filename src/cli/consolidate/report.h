// What people are told of a cluster's future.
#pragma once

#include "cli/consolidate/future.h"

// Reports, and the sentence about options->explain_node (ERR_NOT_FOUND: there is no such node).
void consolidate_table(Loaded *loaded, const Future *future, Buffer *out);
void consolidate_json(Loaded *loaded, const Future *future, Buffer *out); // docs/plan-json.md
ErrCode consolidate_explain(const PlanOptions *options, Loaded *loaded, const Future *future, Buffer *out, Err *err);
