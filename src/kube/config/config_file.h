// Files that a kubeconfig names.
#pragma once

#include "kube/config/config_parts.h"

// Reads a file of at most a few MiB into the arena. ERR_NOT_FOUND, ERR_IO: the text names the file.
ErrCode config_read_file(Arena *arena, const char *path, Slice *ret_text, Err *err);

// `path` if it is absolute, else `path` relative to the folder of `file`.
Slice config_path_beside(Arena *arena, Slice file, Slice path);
