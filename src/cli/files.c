// Files to texts.
#include "cli/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { READ_STEP = 1 << 16 };
#define FILE_MAX ((size_t)2 << 30)

static ErrCode read_stream(Arena *arena, FILE *stream, const char *name, InputText *ret_text, Err *err) {
    Buffer buffer = {0};
    static char step[READ_STEP];
    size_t count;
    ErrCode code = OK;

    while ((count = fread(step, 1, sizeof step, stream)) > 0 && buffer.len <= FILE_MAX)
        buffer_append(&buffer, (Slice){step, count});
    if (ferror(stream))
        code = err_set(err, ERR_IO, "%s: %s", name, strerror(errno));
    else if (buffer.len > FILE_MAX)
        code = err_set(err, ERR_TOO_LARGE, "%s: larger than 2 GiB", name);
    else
        *ret_text = (InputText){slice_of(arena_text(arena, slice_of(name))), arena_slice(arena, buffer_slice(&buffer))};
    buffer_free(&buffer);
    return code;
}

ErrCode file_read(Arena *arena, const char *path, InputText *ret_text, Err *err) {
    bool standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rb");
    ErrCode code;

    if (!stream)
        return err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s", path, strerror(errno));
    code = read_stream(arena, stream, standard ? "stdin" : path, ret_text, err);
    if (!standard)
        fclose(stream);
    return code;
}

static bool is_manifest(const char *name) {
    Slice s = slice_of(name);

    return slice_ends_with(s, SLICE(".yaml")) || slice_ends_with(s, SLICE(".yml")) ||
           slice_ends_with(s, SLICE(".json"));
}

// Reads an entry of a folder. Linked folders are skipped, as in kubectl: they may form cycles.
static ErrCode read_entry(Arena *arena, const char *path, const char *name, InputTextVec *inputs, Err *err) {
    struct stat info;

    if (name[0] == '.' || lstat(path, &info) != 0)
        return OK;
    if (!S_ISDIR(info.st_mode) && !is_manifest(name))
        return OK;
    if (S_ISLNK(info.st_mode) && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return OK;
    return files_read(arena, path, inputs, err);
}

// Reads a folder, its entries sorted by name, so that the result does not depend on the file system.
static ErrCode read_folder(Arena *arena, const char *path, InputTextVec *inputs, Err *err) {
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    ErrCode code = OK;

    if (count < 0)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        Slice child = arena_printf(arena, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", entries[i]->d_name);

        if (code == OK)
            code = read_entry(arena, child.ptr, entries[i]->d_name, inputs, err);
        free(entries[i]);
    }
    free(entries);
    return code;
}

ErrCode files_read(Arena *arena, const char *path, InputTextVec *inputs, Err *err) {
    struct stat info;
    InputText text;

    if (strcmp(path, "-") != 0) {
        if (stat(path, &info) != 0)
            return err_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
        if (S_ISDIR(info.st_mode))
            return read_folder(arena, path, inputs, err);
    }
    TRY(file_read(arena, path, &text, err));
    vec_push(arena, inputs, text);
    return OK;
}

ErrCode manifests_read(Arena *arena, const char *path, InputTextVec *inputs, Err *err) {
    uint32_t before = inputs->count;

    TRY(files_read(arena, path, inputs, err));
    if (inputs->count == before)
        return err_set(err, ERR_NOT_FOUND, "no manifests: %s has no .yaml, .yml or .json file", path);
    return OK;
}
