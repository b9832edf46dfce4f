// A case as files, so that other planners and the plan checker can be given the very same input.
#pragma once

#include "cases.h"

// Makes the case and writes <folder>/<case>-<pods>/manifests.json, catalog.json (the list that `--catalog` takes) and
// options.json (the policies). Folders are made. Errors of making the case; ERR_IO: a file cannot be written.
ErrCode write_case(const char *folder, const BenchCase *bench_case, const CaseOptions *of_case, Err *err);

// The same of a scene that is made already, as <folder>/<name>-<pods>/.
ErrCode write_scene(const char *folder, const char *name, uint32_t pods, Scene *scene, Err *err);
