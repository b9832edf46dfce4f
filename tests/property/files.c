// Reading and writing files for the programs of this folder.
#include "files.h"

#include "text/json.h"
#include "text/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

ErrCode case_read_text(Arena *arena, const char *path, Slice *ret_text, Err *err) {
    FILE *file = fopen(path, "rb");
    Buffer buffer = {0};
    char block[65536];
    size_t length;

    if (!file)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    while ((length = fread(block, 1, sizeof block, file)) > 0)
        buffer_append(&buffer, (Slice){block, length});
    fclose(file);
    *ret_text = arena_slice(arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return OK;
}

ErrCode case_write_text(const char *path, Slice text, Err *err) {
    FILE *file = fopen(path, "wb");
    bool written;

    if (!file)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    written = fwrite(text.ptr, 1, text.len, file) == text.len;
    if (fclose(file) != 0 || !written)
        return err_set(err, ERR_IO, "%s: cannot write", path);
    return OK;
}

ErrCode case_make_folder(const char *path, Err *err) {
    char part[4096];

    if (strlen(path) >= sizeof part)
        return err_set(err, ERR_TOO_LARGE, "%s: path too long", path);
    for (size_t i = 1; i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return err_set(err, ERR_IO, "%s: %s", part, strerror(errno));
    }
    return OK;
}

static ErrCode parse(Arena *arena, const char *path, DocumentVec *documents, Err *err) {
    WarningVec warnings = {0};
    ParseOptions options = {0};
    Slice text;

    TRY(case_read_text(arena, path, &text, err));
    if (slice_ends_with(slice_of(path), SLICE(".json")))
        return json_parse(arena, slice_of(path), text, &options, documents, &warnings, err);
    return yaml_parse(arena, slice_of(path), text, &options, documents, &warnings, err);
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static bool is_manifest(const char *path) {
    Slice name = slice_of(path);

    return slice_ends_with(name, SLICE(".yaml")) || slice_ends_with(name, SLICE(".yml")) ||
           slice_ends_with(name, SLICE(".json"));
}

static ErrCode read_below(Arena *arena, const char *path, bool named, DocumentVec *documents, Err *err) {
    struct dirent **entries;
    struct stat status;
    ErrCode code = OK;
    int count;

    if (stat(path, &status) != 0)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return named || is_manifest(path) ? parse(arena, path, documents, err) : OK;
    count = scandir(path, &entries, is_visible, alphasort);
    if (count < 0)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (code == OK)
            code = read_below(arena, arena_text(arena, arena_printf(arena, "%s/%s", path, entries[i]->d_name)), false,
                              documents, err);
        free(entries[i]);
    }
    free(entries);
    return code;
}

ErrCode case_read_manifests(Arena *arena, const char *path, DocumentVec *documents, Err *err) {
    return read_below(arena, path, true, documents, err);
}

ErrCode case_read_document(Arena *arena, const char *path, Value *ret_value, Err *err) {
    DocumentVec documents = {0};

    TRY(parse(arena, path, &documents, err));
    if (documents.count != 1)
        return err_set(err, ERR_INVALID, "%s: expected one document, got %u", path, documents.count);
    *ret_value = documents.items[0].root;
    return OK;
}
