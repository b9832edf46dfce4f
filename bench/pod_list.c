// Writing a list of pods from a template in which names stand between '@'.
#include "pod_list.h"

#include "base/random.h"
#include "base/vec.h"
#include "cli/files.h"
#include "text/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum { PODS_PER_DEPLOYMENT = 50, PODS_PER_NODE = 30, DEPLOYMENTS_PER_TEAM = 20, FLUSH_BYTES = 1 << 20 };

const char *const pod_list_form_texts[POD_LIST_FORMS] = {"compact", "indented"};

// What differs between pods; each is "@<name>@" in the template.
typedef struct {
    uint32_t number;
    Random own, of_deployment; // random, with the seed of the pod and of its Deployment
} PodNumbers;

static void put_hex(Buffer *out, Random *random, uint32_t digits) {
    for (uint32_t i = 0; i < digits; i++)
        buffer_append_char(out, "0123456789abcdef"[random_below(random, 16)]);
}

// Letters that Kubernetes puts into generated names.
static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
enum { LETTERS = sizeof letters - 1 };

static void put_letters(Buffer *out, Random *random, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        buffer_append_char(out, letters[random_below(random, LETTERS)]);
}

// The end of a pod's name: three random letters, and two that no other pod of its Deployment has.
static void put_suffix(Buffer *out, PodNumbers *pod) {
    uint32_t index = pod->number % PODS_PER_DEPLOYMENT;

    put_letters(out, &pod->own, 3);
    buffer_append_char(out, letters[index / LETTERS]);
    buffer_append_char(out, letters[index % LETTERS]);
}

static void put_uid(Buffer *out, Random *random) {
    static const uint8_t parts[] = {8, 4, 4, 4, 12};

    for (size_t i = 0; i < sizeof parts; i++) {
        if (i)
            buffer_append_char(out, '-');
        put_hex(out, random, parts[i]);
    }
}

// Puts the text for a name of the template. The generators are copies: a name has one text all over a pod.
static void put_value(Buffer *out, Slice name, PodNumbers pod) {
    uint32_t deployment = pod.number / PODS_PER_DEPLOYMENT, node = pod.number / PODS_PER_NODE;

    if (slice_eq_text(name, "APP"))
        buffer_printf(out, "service-%" PRIu32, deployment);
    else if (slice_eq_text(name, "TEAM"))
        buffer_printf(out, "team-%" PRIu32, deployment / DEPLOYMENTS_PER_TEAM);
    else if (slice_eq_text(name, "HASH"))
        put_letters(out, &pod.of_deployment, 10);
    else if (slice_eq_text(name, "SUFFIX"))
        put_suffix(out, &pod);
    else if (slice_eq_text(name, "UID"))
        put_uid(out, &pod.own);
    else if (slice_eq_text(name, "OWNER"))
        put_uid(out, &pod.of_deployment);
    else if (slice_eq_text(name, "SHA"))
        put_hex(out, &pod.own, 64);
    else if (slice_eq_text(name, "CPU"))
        buffer_printf(out, "%" PRIu32 "m", 50 * (1 + deployment % 20));
    else if (slice_eq_text(name, "MEMORY"))
        buffer_printf(out, "%" PRIu32 "Mi", 64 * (1 + deployment % 16));
    else if (slice_eq_text(name, "NODE"))
        buffer_printf(out, "ip-10-%" PRIu32 "-%" PRIu32 "-1.ec2.internal", node / 256 % 256, node % 256);
    else if (slice_eq_text(name, "HOST"))
        buffer_printf(out, "10.%" PRIu32 ".%" PRIu32 ".1", node / 256 % 256, node % 256);
    else if (slice_eq_text(name, "IP"))
        buffer_printf(out, "10.%" PRIu32 ".%" PRIu32 ".%" PRIu32, node / 256 % 256, node % 256,
                      10 + pod.number % PODS_PER_NODE);
    else if (slice_eq_text(name, "TIME"))
        buffer_printf(out, "2026-11-%02" PRIu32 "T%02" PRIu32 ":%02" PRIu32 ":00Z", 1 + deployment % 28,
                      pod.number / 60 % 24, pod.number % 60);
    else if (slice_eq_text(name, "REVISION"))
        buffer_printf(out, "%" PRIu32, 40000000 + 7 * pod.number);
    else
        CHECK(false, "@%.*s@ in the template", SLICE_ARG(name));
}

// --- the template

// A text, then (but for the last) a name.
typedef struct {
    Slice text, name;
} Piece;
typedef Vec(Piece) PieceVec;

static bool is_name(Slice text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < 'A' || text.ptr[i] > 'Z')
            return false;
    }
    return text.len > 0;
}

// The name that starts at offset `at`, after its '@'; empty: this '@' is text.
static Slice name_at(Slice text, size_t at) {
    Slice rest = slice_from(text, at);
    ptrdiff_t end = slice_find(rest, '@');
    Slice name = slice_first(rest, end < 0 ? 0 : (size_t)end);

    return is_name(name) ? name : slice_first(rest, 0);
}

static PieceVec cut(Arena *arena, Slice text) {
    PieceVec pieces = {0};
    size_t start = 0;

    for (size_t at = 0; at < text.len; at++) {
        Slice name = text.ptr[at] == '@' ? name_at(text, at + 1) : (Slice){0};

        if (!name.len)
            continue;
        vec_push(arena, &pieces, (Piece){slice_first(slice_from(text, start), at - start), name});
        at += name.len + 1;
        start = at + 1;
    }
    vec_push(arena, &pieces, (Piece){slice_from(text, start), (Slice){0}});
    return pieces;
}

static ErrCode compact(Arena *arena, Slice file, Slice text, Slice *ret_text, Err *err) {
    DocumentVec documents = {0};
    Buffer out = {0};

    TRY(json_parse(arena, file, text, NULL, &documents, NULL, err));
    json_print(&out, &documents.items[0].root, false);
    *ret_text = arena_slice(arena, buffer_slice(&out));
    buffer_free(&out);
    return OK;
}

static Slice indent(Arena *arena, Slice text) {
    Buffer out = {0};
    Slice result;

    text = slice_trim(text);
    buffer_append(&out, SLICE("        "));
    for (size_t i = 0; i < text.len; i++) {
        buffer_append_char(&out, text.ptr[i]);
        if (text.ptr[i] == '\n')
            buffer_append(&out, SLICE("        "));
    }
    result = arena_slice(arena, buffer_slice(&out));
    buffer_free(&out);
    return result;
}

static ErrCode read_template(Arena *arena, PodListForm form, PieceVec *ret_pieces, Err *err) {
    InputText text;
    Slice in_form;

    TRY(file_read(arena, TENON_SOURCE_DIR "/bench/workloads/pods/pod.json", &text, err));
    if (form == POD_LIST_COMPACT)
        TRY(compact(arena, text.file, text.text, &in_form, err));
    else
        in_form = indent(arena, text.text);
    *ret_pieces = cut(arena, in_form);
    return OK;
}

// --- the list

static void put_pod(Buffer *out, const PieceVec *pieces, uint32_t number, uint64_t seed) {
    PodNumbers pod = {.number = number};

    random_seed(&pod.own, seed + 2 * (uint64_t)number + 1);
    random_seed(&pod.of_deployment, seed + 2 * (uint64_t)(number / PODS_PER_DEPLOYMENT));
    for (vec_each(const Piece, piece, pieces)) {
        buffer_append(out, piece->text);
        if (piece->name.len)
            put_value(out, piece->name, pod);
    }
}

static void flush(Buffer *buffer, FILE *file) {
    (void)!fwrite(buffer->bytes, 1, buffer->len, file); // write_list asks ferror
    buffer->len = 0;
}

static bool write_list(FILE *file, PodListForm form, const PieceVec *pieces, uint32_t pods, uint64_t seed) {
    static const struct {
        const char *begin, *separator, *end;
    } frames[POD_LIST_FORMS] = {
        {"{\"apiVersion\":\"v1\",\"items\":[", ",", "],\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"\"}}\n"},
        {"{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n", ",\n",
         "\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n"},
    };
    Buffer out = {0};

    buffer_append(&out, slice_of(frames[form].begin));
    for (uint32_t i = 0; i < pods; i++) {
        if (i)
            buffer_append(&out, slice_of(frames[form].separator));
        put_pod(&out, pieces, i, seed);
        if (out.len >= FLUSH_BYTES)
            flush(&out, file);
    }
    buffer_append(&out, slice_of(frames[form].end));
    flush(&out, file);
    buffer_free(&out);
    return ferror(file) == 0;
}

ErrCode pod_list_write(const char *path, PodListForm form, uint32_t pods, uint64_t seed, Err *err) {
    Arena arena = {0};
    PieceVec pieces;
    ErrCode code = read_template(&arena, form, &pieces, err);
    FILE *file = code == OK ? fopen(path, "wb") : NULL;

    if (code == OK && !file)
        code = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (file) {
        bool whole = write_list(file, form, &pieces, pods, seed);

        if (fclose(file) != 0 || !whole)
            code = err_set(err, ERR_IO, "%s: not all of it could be written", path);
    }
    arena_free(&arena);
    return code;
}

ErrCode pod_events_write(Buffer *out, uint32_t pods, uint64_t seed, Err *err) {
    Arena arena = {0};
    PieceVec pieces;
    ErrCode code = read_template(&arena, POD_LIST_COMPACT, &pieces, err);

    for (uint32_t i = 0; i < pods && code == OK; i++) {
        buffer_append(out, SLICE("{\"type\":\"ADDED\",\"object\":"));
        put_pod(out, &pieces, i, seed);
        buffer_append(out, SLICE("}\n"));
    }
    arena_free(&arena);
    return code;
}
