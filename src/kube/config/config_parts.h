// What the files of the configuration share.
#pragma once

#include "kube/config/config.h"
#include "text/value.h"

// Reads a file of at most a few MiB into the arena. ERR_NOT_FOUND, ERR_IO: the text names the file.
ErrCode config_read_file(Arena *arena, const char *path, Slice *ret_text, Err *err);

// `path` as it is when absolute, else below the folder of `file`.
Slice config_path_beside(Arena *arena, Slice file, Slice path);

// What a context names in the files of a list, first come, first served. NULL: none.
typedef struct {
    const Value *entry; // the "cluster", "user" or "context" below the name
    Slice file;         // that it stands in
} ConfigEntry;

// Fills the members of `config` that a cluster, and a user, speak of.
ErrCode config_read_cluster(Arena *arena, ConfigEntry cluster, KubeConfig *config, Err *err);
ErrCode config_read_user(Arena *arena, ConfigEntry cluster, ConfigEntry user, KubeConfig *config, Err *err);
