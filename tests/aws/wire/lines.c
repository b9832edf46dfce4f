#include "lines.h"

#include "aws/protocol/json_read.h"
#include "text/json.h"

#include <stdio.h>
#include <stdlib.h>

static void answer_text(Value (*answer)(Arena *arena, void *context, const Value *line), void *context, Slice text) {
    Arena arena = {0};
    Buffer out = {0};
    Value line, reply;
    Err err;

    CHECK(aws_json_parse(&arena, text, &line, &err) == OK, "%s", err.text);
    reply = answer(&arena, context, &line);
    json_print(&out, &reply, false);
    buffer_append_char(&out, '\n');
    (void)fwrite(out.bytes, 1, out.len, stdout);
    (void)fflush(stdout);
    buffer_free(&out);
    arena_free(&arena);
}

void answer_lines(Value (*answer)(Arena *arena, void *context, const Value *line), void *context) {
    char *text = NULL;
    size_t capacity = 0;
    ssize_t len;

    while ((len = getline(&text, &capacity, stdin)) > 0)
        answer_text(answer, context, (Slice){text, (size_t)len});
    free(text);
}
