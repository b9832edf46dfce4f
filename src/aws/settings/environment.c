// The process's environment and the machine's files.
#include "aws/settings/environment.h"

#include "base/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 1 << 20, PIECE = 4096 };

static const char *system_variable(void *context, const char *name) {
    (void)context;
    return getenv(name);
}

// Reads until the end, in pieces: tokens of pods come from file systems that tell no sizes.
static ErrCode read_all(int fd, const char *path, Buffer *text, Err *err) {
    char piece[PIECE];
    ssize_t count;

    while ((count = read(fd, piece, sizeof piece)) != 0) {
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        if (text->len + (size_t)count > FILE_BYTES_MAX)
            return err_set(err, ERR_TOO_LARGE, "%s: more than %d bytes", path, FILE_BYTES_MAX);
        buffer_append(text, (Slice){piece, (size_t)count});
    }
    OPENSSL_cleanse(piece, sizeof piece);
    return OK;
}

static ErrCode system_read_file(void *context, Arena *arena, Slice path, Slice *ret_text, Err *err) {
    const char *name = arena_text(arena, path);
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    Buffer text = {0};
    ErrCode code;

    (void)context;
    if (fd < 0)
        return err_set(err, errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_IO, "%s: %s", name,
                       strerror(errno));
    code = read_all(fd, name, &text, err);
    close(fd);
    if (code == OK)
        *ret_text = arena_slice(arena, buffer_slice(&text));
    if (text.bytes)
        OPENSSL_cleanse(text.bytes, text.len);
    buffer_free(&text);
    return code;
}

const AwsEnvironment aws_environment_system = {system_variable, system_read_file, NULL};

Slice aws_variable(const AwsEnvironment *environment, const char *name) {
    return slice_trim(slice_of(environment->variable(environment->context, name)));
}
