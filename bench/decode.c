// Three ways a list of pods is read: as Values alone, as `tenon plan` reads it, and as a watch delivers it.
#include "decode.h"

#include "base/time.h"
#include "child.h"
#include "cli/files.h"
#include "cli/load.h"
#include "kube/rest/unread.h"
#include "pod_list.h"
#include "state/state.h"
#include "text/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The context of a part, which runs in a child.
typedef struct {
    const DecodeOptions *options;
    const char *path; // of the list
} Part;

typedef struct {
    uint64_t bytes, pods;
    int64_t ns, cpu_ns;
    uint64_t rss_before, rss_peak; // before: with the text in memory
} Figures;

static ErrCode read_list(Arena *arena, const char *path, PlanOptions *ret_options, Err *err) {
    PlanOptions options = {0};

    TRY(manifests_read(arena, path, &options.inputs, err));
    *ret_options = options;
    return OK;
}

static void begin(Figures *figures, size_t bytes) {
    figures->bytes = bytes;
    figures->rss_before = rss_now();
    figures->ns = -clock_system_mono().ns;
    figures->cpu_ns = -cpu_now_ns();
}

static void end(Figures *figures) {
    figures->cpu_ns += cpu_now_ns();
    figures->ns += clock_system_mono().ns;
    figures->rss_peak = rss_peak();
}

// --- the parts

static void ignore_document(void *context, const Document *document) {
    (void)context, (void)document;
}

static void count_element(void *context, const Value *element) {
    (void)element;
    ++*(uint64_t *)context;
}

static ErrCode parse_list(const void *context, void *ret_figures, Err *err) {
    const Part *part = context;
    Figures *figures = ret_figures;
    JsonSink sink = {&figures->pods, ignore_document, count_element};
    WarningVec warnings = {0};
    Arena arena = {0};
    PlanOptions options;
    const InputText *input;

    TRY(read_list(&arena, part->path, &options, err));
    input = &options.inputs.items[0];
    begin(figures, input->text.len);
    TRY(json_read(&arena, input->file, input->text, NULL, &sink, &warnings, err));
    end(figures);
    return OK;
}

static ErrCode load_list(const void *context, void *ret_figures, Err *err) {
    const Part *part = context;
    Figures *figures = ret_figures;
    Arena arena = {0};
    PlanOptions options;
    Loaded loaded;

    TRY(read_list(&arena, part->path, &options, err));
    begin(figures, options.inputs.items[0].text.len);
    TRY(load_input(&options, &loaded, err));
    end(figures);
    figures->pods = loaded.cluster.pods.count;
    return OK;
}

// An event of a watch, as kube/rest reads it and the engine stores it.
typedef struct {
    Symbols *symbols;
    Arena arena;
    uint64_t pods;
    ErrCode code;
    Err *err;
} Watch;

static bool take_event(void *context, Slice text) {
    Watch *watch = context;
    ArenaMark mark = arena_mark(&watch->arena);
    DocumentVec documents = {0};
    StateUpdate *update;

    watch->code = json_parse(&watch->arena, SLICE("event"), text, NULL, &documents, NULL, watch->err);
    if (watch->code == OK)
        watch->code = state_decode(watch->symbols, KUBE_POD, value_get_text(&documents.items[0].root, "object"),
                                   &update, watch->err);
    arena_rewind(&watch->arena, mark);
    if (watch->code != OK)
        return false;
    state_update_free(update);
    watch->pods++;
    return true;
}

static bool feed(JsonFilter *filter, Slice bytes) {
    enum { RECEIVED = 16 << 10 }; // libcurl's pieces

    for (; bytes.len; bytes = slice_from(bytes, RECEIVED)) {
        if (!json_filter_feed(filter, slice_first(bytes, RECEIVED)))
            return false;
    }
    return true;
}

static ErrCode watch_pods(const void *context, void *ret_figures, Err *err) {
    const uint32_t events = 2000; // in memory; they come again and again
    const DecodeOptions *options = ((const Part *)context)->options;
    State *state = state_new();
    Watch watch = {.symbols = state_symbols(state), .err = err};
    JsonFilter *filter = calloc(1, sizeof *filter);
    Figures *figures = ret_figures;
    Buffer text = {0};
    bool fed = true;

    TRY(pod_events_write(&text, events, options->seed, err));
    filter->bytes_max = 16 << 20;
    filter->take = take_event;
    filter->context = &watch;
    rest_drop_unread(filter, KUBE_POD, "object");
    begin(figures, text.len * ((options->pods + events - 1) / events));
    while (fed && watch.pods < options->pods)
        fed = feed(filter, buffer_slice(&text));
    end(figures);
    figures->pods = watch.pods;
    if (!fed && watch.code == OK)
        return err_set(err, ERR_INVALID, "the filter refused an event");
    return watch.code;
}

// --- running them

static const struct {
    const char *name;
    ErrCode (*run)(const void *context, void *ret_figures, Err *err);
} parts[] = {{"parse", parse_list}, {"plan", load_list}, {"watch", watch_pods}};
enum { PARTS = sizeof parts / sizeof *parts, WATCH = PARTS - 1 };

static ErrCode run_part(size_t which, const Part *part, const char *form, Err *err) {
    Figures best = {0};

    for (uint32_t i = 0; i < part->options->repeat; i++) {
        Figures figures;

        TRY(child_run(parts[which].run, part, &figures, sizeof figures, part->options->limit_seconds, err));
        if (!i || figures.cpu_ns < best.cpu_ns)
            best = figures;
    }
    printf("%-8s %-10s %8" PRIu64 " %9.1f %8.3f %8.3f %9.1f %10.1f %9.1f\n", parts[which].name, form, best.pods,
           (double)best.bytes / 1e6, (double)best.ns / 1e9, (double)best.cpu_ns / 1e9,
           (double)best.bytes * 1e3 / (double)best.cpu_ns, (double)best.rss_before / 1e6, (double)best.rss_peak / 1e6);
    fflush(stdout);
    return OK;
}

static ErrCode run_form(const DecodeOptions *options, PodListForm form, const char *path, Err *err) {
    Part part = {options, path};

    TRY(pod_list_write(path, form, options->pods, options->seed, err));
    for (size_t i = 0; i < PARTS; i++) {
        if (i != WATCH || form == POD_LIST_COMPACT)
            TRY(run_part(i, &part, pod_list_form_texts[form], err));
    }
    return OK;
}

// Runs all forms with the list in the file at `path`.
static ErrCode run_forms(const DecodeOptions *options, const char *path, Err *err) {
    printf("%-8s %-10s %8s %9s %8s %8s %9s %10s %9s\n", "part", "form", "pods", "MB", "s", "CPU s", "MB/CPU s",
           "MB before", "MB peak");
    for (PodListForm form = 0; form < POD_LIST_FORMS; form++) {
        DecodeOptions of_form = *options;

        // Indented text is three times as long, and no file may be larger than 2 GiB.
        of_form.pods = form == POD_LIST_COMPACT ? options->pods : (options->pods + 3) / 4;
        TRY(run_form(&of_form, form, path, err));
    }
    return OK;
}

ErrCode decode_case_run(const DecodeOptions *options, Err *err) {
    char path[] = "/tmp/tenon-bench-XXXXXX";
    int file = mkstemp(path);
    ErrCode code;

    if (file < 0)
        return err_set(err, ERR_IO, "%s: %m", path);
    close(file);
    code = run_forms(options, path, err);
    unlink(path);
    return code;
}
