// Reading files, folders and standard input that are named on the command line.
#pragma once

#include "cli/plan.h"

// Appends the text of a file, of every .yaml, .yml and .json file below a folder (sorted by path), or of standard input
// ("-"). ERR_IO, ERR_NOT_FOUND, ERR_TOO_LARGE (over 2 GiB).
ErrCode files_read(Arena *arena, const char *path, InputTextVec *inputs, Err *err);
// The same; a folder without such a file is ERR_NOT_FOUND.
ErrCode manifests_read(Arena *arena, const char *path, InputTextVec *inputs, Err *err);
// The same with .tf files of folders among them.
ErrCode configuration_read(Arena *arena, const char *path, InputTextVec *inputs, Err *err);
ErrCode file_read(Arena *arena, const char *path, InputText *ret_text, Err *err);
