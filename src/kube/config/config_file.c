// Files that a kubeconfig names.
#include "kube/config/config_file.h"

#include "text/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 4 << 20 };

static ErrCode fail_file(const char *path, int number, Err *err) {
    return err_set(err, number == ENOENT || number == ENOTDIR ? ERR_NOT_FOUND : ERR_IO, "%s: %s", path,
                   strerror(number));
}

// Appends the rest of the file. Returns an errno, or 0.
static int read_all(int fd, Buffer *text) {
    char block[8192];

    while (text->len <= FILE_BYTES_MAX) {
        ssize_t got = read(fd, block, sizeof block);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : 0;
        buffer_append(text, (Slice){block, (size_t)got});
    }
    return EFBIG;
}

ErrCode config_read_file(Arena *arena, const char *path, Slice *ret_text, Err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC), failed;
    Buffer text = {0};

    if (fd < 0)
        return fail_file(path, errno, err);
    failed = read_all(fd, &text);
    close(fd);
    if (!failed)
        *ret_text = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return failed ? fail_file(path, failed, err) : OK;
}

Slice config_path_beside(Arena *arena, Slice file, Slice path) {
    Slice folder = slice_first(file, (size_t)(slice_find_last(file, '/') + 1));

    if (slice_starts_with(path, SLICE("/")) || !folder.len)
        return path;
    return arena_printf(arena, "%.*s%.*s", SLICE_ARG(folder), SLICE_ARG(path));
}
