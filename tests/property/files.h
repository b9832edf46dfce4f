// Reading and writing files for the programs of this folder.
#pragma once

#include "base/buffer.h"
#include "text/value.h"

// The whole of a file, in `arena`. ERR_IO.
ErrCode case_read_text(Arena *arena, const char *path, Slice *ret_text, Err *err);
// Replaces a file. ERR_IO.
ErrCode case_write_text(const char *path, Slice text, Err *err);
// Makes a folder and its parents unless they exist. ERR_IO.
ErrCode case_make_folder(const char *path, Err *err);
// Every document of a JSON or YAML file, or of all *.yaml, *.yml and *.json below a folder in the order of their paths.
ErrCode case_read_manifests(Arena *arena, const char *path, DocumentVec *documents, Err *err);
// The one document of a JSON (or YAML) file.
ErrCode case_read_document(Arena *arena, const char *path, Value *ret_value, Err *err);
