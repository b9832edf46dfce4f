// Files to texts.
#include "cli/files.h"

#include "base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define FILE_MAX ((size_t)2 << 30)

// --- streams, whose length is not known before their end

enum { PIECE_FIRST = 1 << 16, PIECE_LARGEST = 32 << 20 };

// The pieces of a stream. They are freed while the text is put together, so that it is hardly ever in memory twice.
typedef struct Piece Piece;
struct Piece {
    Piece *next;
    size_t len, capacity;
    char bytes[];
};

static Piece *piece_new(const Piece *before) {
    size_t capacity = !before ? PIECE_FIRST : before->capacity < PIECE_LARGEST ? before->capacity * 2 : PIECE_LARGEST;
    Piece *piece = alloc_raw(sizeof *piece + capacity);

    *piece = (Piece){.capacity = capacity};
    return piece;
}

// Reads up to the end, or somewhat more than FILE_MAX. Returns the first piece, never NULL.
static Piece *read_pieces(FILE *stream, size_t *ret_len) {
    Piece *first = piece_new(NULL), *last = first;
    size_t len = 0, count;

    while ((count = fread(last->bytes + last->len, 1, last->capacity - last->len, stream)) > 0) {
        last->len += count;
        len += count;
        if (len > FILE_MAX)
            break;
        if (last->len == last->capacity)
            last = last->next = piece_new(last);
    }
    *ret_len = len;
    return first;
}

// Copies the pieces to `to` (NULL: nowhere) and frees them.
static void pieces_move(Piece *piece, char *to) {
    while (piece) {
        Piece *next = piece->next;

        if (to) {
            memcpy(to, piece->bytes, piece->len);
            to += piece->len;
        }
        free(piece);
        piece = next;
    }
}

static Slice read_stream(Arena *arena, FILE *stream) {
    size_t len;
    Piece *first = read_pieces(stream, &len);
    bool whole = !ferror(stream) && len <= FILE_MAX;
    char *bytes = whole ? arena_alloc_raw(arena, len) : NULL;

    pieces_move(first, bytes);
    return (Slice){bytes, len};
}

// --- files

// Reads what is in the file now; nothing of one that is too large.
static Slice read_sized(Arena *arena, FILE *stream, size_t size) {
    char *bytes;

    if (size > FILE_MAX)
        return (Slice){NULL, size};
    bytes = arena_alloc_raw(arena, size);
    return (Slice){bytes, fread(bytes, 1, size, stream)};
}

static ErrCode read_open(Arena *arena, FILE *stream, const char *name, InputText *ret_text, Err *err) {
    struct stat info;
    bool sized = fstat(fileno(stream), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 && ftello(stream) == 0;
    Slice text = sized ? read_sized(arena, stream, (size_t)info.st_size) : read_stream(arena, stream);

    if (ferror(stream))
        return err_set(err, ERR_IO, "%s: %s", name, strerror(errno));
    if (text.len > FILE_MAX)
        return err_set(err, ERR_TOO_LARGE, "%s: larger than 2 GiB", name);
    *ret_text = (InputText){slice_of(arena_text(arena, slice_of(name))), text};
    return OK;
}

ErrCode file_read(Arena *arena, const char *path, InputText *ret_text, Err *err) {
    bool standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rb");
    ErrCode code;

    if (!stream)
        return err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s", path, strerror(errno));
    code = read_open(arena, stream, standard ? "stdin" : path, ret_text, err);
    if (!standard)
        fclose(stream);
    return code;
}

// Which files of folders are read: by the ends of their names. Ends with NULL.
static const char *const manifest_ends[] = {".yaml", ".yml", ".json", NULL};
static const char *const configuration_ends[] = {".yaml", ".yml", ".json", ".tf", NULL};

static bool has_end(const char *name, const char *const *ends) {
    for (; *ends; ends++) {
        if (slice_ends_with(slice_of(name), slice_of(*ends)))
            return true;
    }
    return false;
}

static ErrCode read_path(Arena *arena, const char *path, const char *const *ends, InputTextVec *inputs, Err *err);

// Reads an entry of a folder. Linked folders are skipped, as in kubectl: they may form cycles.
static ErrCode read_entry(Arena *arena, const char *path, const char *name, const char *const *ends,
                          InputTextVec *inputs, Err *err) {
    struct stat info;

    if (name[0] == '.' || lstat(path, &info) != 0)
        return OK;
    if (!S_ISDIR(info.st_mode) && !has_end(name, ends))
        return OK;
    if (S_ISLNK(info.st_mode) && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return OK;
    return read_path(arena, path, ends, inputs, err);
}

// Reads a folder, its entries sorted by name, so that the result does not depend on the file system.
static ErrCode read_folder(Arena *arena, const char *path, const char *const *ends, InputTextVec *inputs, Err *err) {
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    ErrCode code = OK;

    if (count < 0)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        Slice child = arena_printf(arena, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", entries[i]->d_name);

        if (code == OK)
            code = read_entry(arena, child.ptr, entries[i]->d_name, ends, inputs, err);
        free(entries[i]);
    }
    free(entries);
    return code;
}

static ErrCode read_path(Arena *arena, const char *path, const char *const *ends, InputTextVec *inputs, Err *err) {
    struct stat info;
    InputText text;

    if (strcmp(path, "-") != 0) {
        if (stat(path, &info) != 0)
            return err_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
        if (S_ISDIR(info.st_mode))
            return read_folder(arena, path, ends, inputs, err);
    }
    TRY(file_read(arena, path, &text, err));
    vec_push(arena, inputs, text);
    return OK;
}

ErrCode files_read(Arena *arena, const char *path, InputTextVec *inputs, Err *err) {
    return read_path(arena, path, manifest_ends, inputs, err);
}

ErrCode configuration_read(Arena *arena, const char *path, InputTextVec *inputs, Err *err) {
    uint32_t before = inputs->count;

    TRY(read_path(arena, path, configuration_ends, inputs, err));
    if (inputs->count == before)
        return err_set(err, ERR_NOT_FOUND, "%s has no .yaml, .yml, .json or .tf file", path);
    return OK;
}

ErrCode manifests_read(Arena *arena, const char *path, InputTextVec *inputs, Err *err) {
    uint32_t before = inputs->count;

    TRY(files_read(arena, path, inputs, err));
    if (inputs->count == before)
        return err_set(err, ERR_NOT_FOUND, "no manifests: %s has no .yaml, .yml or .json file", path);
    return OK;
}
