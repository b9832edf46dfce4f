// Files and streams to texts.
#include "base/arena.h"
#include "cli/files.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static Arena arena;
static char path[] = "/tmp/tenon-files-XXXXXX";

static void begin(void) {
    strcpy(path + sizeof path - 7, "XXXXXX");
    close(mkstemp(path));
}

static void end(void) {
    unlink(path);
    arena_free(&arena);
}

BEFORE_EACH(begin);
AFTER_EACH(end);

static char byte_at(size_t at) {
    return (char)('a' + at % 23 + at / 65536 % 3);
}

static void write_bytes(const char *to, size_t len) {
    FILE *file = fopen(to, "wb");

    for (size_t i = 0; i < len; i++)
        putc(byte_at(i), file);
    fclose(file);
}

static void assert_bytes(Slice text, size_t len) {
    assert_int_equal(text.len, len);
    for (size_t i = 0; i < len; i++) {
        if (text.ptr[i] != byte_at(i))
            fail_msg("byte %zu of %zu", i, len);
    }
}

static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 3 * 65536, 1000000};
enum { SIZES = sizeof sizes / sizeof *sizes };

TEST(a_file_is_read_as_it_is) {
    for (size_t i = 0; i < SIZES; i++) {
        InputText text;
        Err err;

        write_bytes(path, sizes[i]);
        assert_int_equal(file_read(&arena, path, &text, &err), OK);
        assert_true(slice_eq_text(text.file, path));
        assert_bytes(text.text, sizes[i]);
    }
}

// A pipe does not say how long it is.
TEST(a_pipe_is_read_to_its_end) {
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    for (size_t i = 0; i < SIZES; i++) {
        pid_t writer = fork();
        InputText text;
        Err err;

        if (writer == 0) {
            write_bytes(path, sizes[i]);
            _exit(0);
        }
        assert_int_equal(file_read(&arena, path, &text, &err), OK);
        assert_bytes(text.text, sizes[i]);
        waitpid(writer, NULL, 0);
    }
}

TEST(what_cannot_be_read_is_named) {
    InputText text;
    Err err;

    assert_int_equal(file_read(&arena, "/nowhere/x.yaml", &text, &err), ERR_NOT_FOUND);
    assert_string_equal(err.text, "/nowhere/x.yaml: No such file or directory");
    assert_int_equal(file_read(&arena, "/tmp", &text, &err), ERR_IO);
    assert_string_equal(err.text, "/tmp: Is a directory");
    assert_int_equal(truncate(path, (off_t)((2ll << 30) + 1)), 0); // sparse
    assert_int_equal(file_read(&arena, path, &text, &err), ERR_TOO_LARGE);
    assert_non_null(strstr(err.text, ": larger than 2 GiB"));
}
