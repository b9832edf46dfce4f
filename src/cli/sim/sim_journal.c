// Recording of a run: a head with the scenario and its seed, then one JSON object per line, as the engine wrote it. The
// same scenario must produce the same lines again.
#include "cli/sim/sim_parts.h"

#include "base/alloc.h"
#include "cli/files.h"
#include "text/json.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct SimRecording {
    FILE *file;
    const char *path;
};

// A line of the file: {"at": nanoseconds since 1970, members of the engine's line}
static Slice stamp(Buffer *buffer, int64_t now_ns, Slice line) {
    buffer->len = 0;
    buffer_printf(buffer, "{\"at\":%" PRId64 ",%.*s", now_ns, (int)line.len - 1, line.ptr + 1);
    return buffer_slice(buffer);
}

// --- writing

static void put_texts(Buffer *head, const InputTextVec *texts) {
    for (vec_each(const InputText, text, texts)) {
        buffer_append(head, text == texts->items ? SLICE("{") : SLICE(","));
        json_print_string(head, text->file);
        buffer_append_char(head, ':');
        json_print_string(head, text->text);
    }
    buffer_append_char(head, '}');
}

ErrCode sim_recording_open(const char *path, const InputTextVec *texts, uint64_t seed, SimRecording **ret_recording,
                           Err *err) {
    SimRecording *recording = NEW(SimRecording);
    Buffer head = {0};

    recording->path = path;
    recording->file = fopen(path, "we");
    if (!recording->file) {
        free(recording);
        return err_set(err, ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
    }
    buffer_printf(&head, "{\"journal\":\"tenon.sh/v1alpha1\",\"seed\":%" PRIu64 ",\"files\":", seed);
    put_texts(&head, texts);
    fprintf(recording->file, "%.*s}\n", SLICE_ARG(buffer_slice(&head)));
    buffer_free(&head);
    *ret_recording = recording;
    return OK;
}

static void record(void *self, int64_t now_ns, Slice line) {
    SimRecording *recording = self;
    Buffer buffer = {0};
    Slice text = stamp(&buffer, now_ns, line);

    fprintf(recording->file, "%.*s\n", SLICE_ARG(text));
    buffer_free(&buffer);
}

Journal sim_recording_journal(SimRecording *recording) {
    return (Journal){record, recording};
}

ErrCode sim_recording_close(SimRecording *recording, Err *err) {
    const char *path = recording->path;
    bool failed = ferror(recording->file) != 0;

    failed |= fclose(recording->file) != 0;
    free(recording);
    return failed ? err_set(err, ERR_IO, "%s: cannot be written: %s", path, strerror(errno)) : OK;
}

// --- replaying

struct SimReplay {
    const char *path;
    Slice rest; // lines that have not been compared yet
    uint64_t line, differs_at;
    Arena arena; // of the description of a difference
    Slice expected, got;
    Buffer buffer;
};

static Slice take_line(Slice *rest) {
    ptrdiff_t end = slice_find(*rest, '\n');
    Slice line = end < 0 ? *rest : slice_first(*rest, (size_t)end);

    *rest = end < 0 ? SLICE("") : slice_from(*rest, (size_t)end + 1);
    return line;
}

static ErrCode refuse_head(const char *path, Err *err) {
    return err_set(err, ERR_INVALID, "%s:1: expected the head of a journal, as tenon sim --record writes it", path);
}

// Reads the head: the first file is the scenario, the others are those it refers to.
static ErrCode read_head(Arena *arena, const char *path, Slice head, InputTextVec *ret_texts, uint64_t *ret_seed,
                         Err *err) {
    ParseOptions options = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    const Value *root, *files;
    int64_t seed;

    TRY(json_parse(arena, slice_of(path), head, &options, &documents, &warnings, err));
    if (documents.count != 1)
        return refuse_head(path, err);
    root = &documents.items[0].root;
    files = value_get_text(root, "files");
    if (!slice_eq_text(kube_text(root, "journal", NULL), "tenon.sh/v1alpha1") || !files || files->kind != VALUE_MAP ||
        !files->map.count || !value_to_int64(value_get_text(root, "seed"), &seed))
        return refuse_head(path, err);
    for (vec_each(const ValueMember, member, &files->map)) {
        if (member->value.kind != VALUE_STRING)
            return refuse_head(path, err);
        vec_push(arena, ret_texts, (InputText){member->key, member->value.text});
    }
    *ret_seed = (uint64_t)seed;
    return OK;
}

ErrCode sim_replay_open(Arena *arena, const char *path, InputTextVec *ret_texts, uint64_t *ret_seed,
                        SimReplay **ret_replay, Err *err) {
    InputText input;
    SimReplay *replay;

    TRY(file_read(arena, path, &input, err));
    TRY(read_head(arena, path, take_line(&input.text), ret_texts, ret_seed, err));
    replay = NEW(SimReplay);
    replay->path = path;
    replay->rest = input.text;
    replay->line = 1;
    *ret_replay = replay;
    return OK;
}

static void compare(void *self, int64_t now_ns, Slice line) {
    SimReplay *replay = self;
    Slice expected, got;

    if (replay->differs_at)
        return;
    replay->line++;
    expected = take_line(&replay->rest);
    got = stamp(&replay->buffer, now_ns, line);
    if (slice_eq(expected, got))
        return;
    replay->differs_at = replay->line;
    replay->expected = arena_slice(&replay->arena, expected);
    replay->got = arena_slice(&replay->arena, got);
}

Journal sim_replay_journal(SimReplay *replay) {
    return (Journal){compare, replay};
}

ErrCode sim_replay_close(SimReplay *replay, Err *err) {
    ErrCode code = OK;

    if (replay->differs_at)
        code = err_set(err, ERR_CONFLICT, "%s:%" PRIu64 ": the run went another way\n  journal: %.*s\n  now:     %.*s",
                       replay->path, replay->differs_at, SLICE_ARG(replay->expected), SLICE_ARG(replay->got));
    else if (replay->rest.len)
        code = err_set(err, ERR_CONFLICT, "%s:%" PRIu64 ": the run ended before its journal", replay->path,
                       replay->line + 1);
    arena_free(&replay->arena);
    buffer_free(&replay->buffer);
    free(replay);
    return code;
}
