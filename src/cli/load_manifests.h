// Texts of manifests to a Cluster.
#pragma once

#include "cli/load.h"

// Reads all inputs into `loaded`, which is empty, and finishes its cluster. Beside the texts it takes the memory of the
// cluster and of one document or element of a list; for YAML, of one text. Errors as load_input.
ErrCode load_manifests(Loaded *loaded, const PlanOptions *options, Err *err);
