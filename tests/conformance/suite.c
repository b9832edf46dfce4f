// Runs the cases; the functions that they are written with.
#include "suite.h"

#include "text/value_edit.h"
#include "text/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const CaseEntry *const subjects[] = {
    creation_cases, admission_cases, update_cases,   patch_cases,   status_cases,    deletion_cases,  collection_cases,
    list_cases,     watch_cases,     eviction_cases, binding_cases, karpenter_cases, namespace_cases,
};

// One case as cmocka's test: its number goes into the unique part of its names.
typedef struct {
    Harness *harness;
    const CaseEntry *entry;
    unsigned number;
} Run;

static void case_test(void **state) {
    Run *run = *state;
    Case c = {.harness = run->harness, .kube = run->harness->kube};

    c.id = arena_printf(&c.arena, "%u-%llx", run->number, (unsigned long long)(run->harness->seed & 0xffffff));
    c.ns = arena_printf(&c.arena, "case-%.*s", SLICE_ARG(c.id));
    create(&c, KUBE_NAMESPACE, "{metadata: {name: '${ns}'}}");
    run->entry->run(&c);
    arena_free(&c.arena);
}

SuitePart suite_part(const char *text) {
    SuitePart part = {.alone = !strcmp(text, "alone")};

    if (sscanf(text, "%u/%u", &part.share, &part.shares) != 2)
        part.share = part.shares = 0;
    return part;
}

// Whether the case belongs to the part; `shared`: how many there are before it that do not run alone.
static bool is_of_part(SuitePart part, const CaseEntry *entry, unsigned shared) {
    if (!part.alone && !part.shares)
        return true;
    return entry->alone == part.alone && (part.alone || shared % part.shares + 1 == part.share);
}

// The cases of a part, each with its number in the whole suite; returns how many there are. Without `runs` they are
// only counted.
static unsigned list_runs(Harness *harness, SuitePart part, Run *runs) {
    unsigned number = 0, shared = 0, count = 0;

    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        for (const CaseEntry *entry = subjects[i]; entry->name; entry++, number++) {
            if (is_of_part(part, entry, shared)) {
                if (runs)
                    runs[count] = (Run){harness, entry, number};
                count++;
            }
            shared += !entry->alone;
        }
    }
    return count;
}

int suite_run(Harness *harness, SuitePart part) {
    unsigned count = list_runs(harness, part, NULL);
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    Run *runs = calloc(count, sizeof *runs);
    int failed;

    list_runs(harness, part, runs);
    for (unsigned i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){runs[i].entry->name, case_test, NULL, NULL, &runs[i]};
    failed = _cmocka_run_group_tests("conformance", tests, count, NULL, NULL);
    printf("conformance: %u cases, %d failed\n", count, failed);
    free(tests);
    free(runs);
    return failed;
}

// Texts and objects.

Slice expand(Case *c, const char *text) {
    Slice rest = slice_of(text), result;
    Buffer out = {0};

    while (rest.len) {
        if (slice_starts_with(rest, SLICE("${ns}"))) {
            buffer_append(&out, c->ns);
            rest = slice_from(rest, 5);
        } else if (slice_starts_with(rest, SLICE("${id}"))) {
            buffer_append(&out, c->id);
            rest = slice_from(rest, 5);
        } else {
            buffer_append_char(&out, rest.ptr[0]);
            rest = slice_from(rest, 1);
        }
    }
    buffer_append_char(&out, 0);
    result = arena_slice(&c->arena, (Slice){out.bytes, out.len});
    result.len--;
    buffer_free(&out);
    return result;
}

Slice unique(Case *c, const char *name) {
    return arena_printf(&c->arena, "%s-%.*s", name, SLICE_ARG(c->id));
}

Value parse(Case *c, const char *yaml) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    if (yaml_parse(&c->arena, SLICE("case"), expand(c, yaml), NULL, &documents, &warnings, &err) != OK ||
        documents.count != 1)
        fail_msg("bad YAML in a case: %s\n%s", err.text, yaml);
    return documents.items[0].root;
}

KubeRef ref(Case *c, KubeKind kind, const char *name) {
    return (KubeRef){kind, kube_kind(kind)->namespaced ? c->ns : SLICE(""), expand(c, name)};
}

// Namespaced objects go into the case's namespace unless they say otherwise.
static Value parse_object(Case *c, KubeKind kind, const char *yaml) {
    Value object = parse(c, yaml), *meta = value_find_text(&object, "metadata");

    if (kube_kind(kind)->namespaced && meta && meta->kind == VALUE_MAP && !value_find_text(meta, "namespace"))
        value_put(&c->arena, meta, SLICE("namespace"), value_string(c->ns));
    return object;
}

static void must(Case *c, ErrCode code, const char *what) {
    if (code != OK)
        fail_msg("%s: %s (%s)", what, c->error.err.text, err_code_text(code));
}

// Calls.

static ErrCode create_from(Case *c, KubeKind kind, const char *yaml, Value *ret_object) {
    Value object = parse_object(c, kind, yaml);

    return kube_create(c->kube, &c->arena, SLICE("conformance"), kind, &object, ret_object, &c->error);
}

ErrCode try_create(Case *c, KubeKind kind, const char *yaml) {
    Value object;

    return create_from(c, kind, yaml, &object);
}

Value create(Case *c, KubeKind kind, const char *yaml) {
    Value object = value_null();

    must(c, create_from(c, kind, yaml, &object), "create");
    return object;
}

Value get(Case *c, KubeKind kind, const char *name) {
    Value object = value_null();

    must(c, kube_get(c->kube, &c->arena, ref(c, kind, name), &object, &c->error), "get");
    return object;
}

bool exists(Case *c, KubeKind kind, const char *name) {
    Value object;
    ErrCode code = kube_get(c->kube, &c->arena, ref(c, kind, name), &object, &c->error);

    if (code != ERR_NOT_FOUND)
        must(c, code, "get");
    return code == OK;
}

ErrCode try_update(Case *c, KubeKind kind, KubePart part, const Value *object) {
    return kube_update(c->kube, &c->arena, SLICE("conformance"), kind, part, object, NULL, &c->error);
}

Value update(Case *c, KubeKind kind, KubePart part, const Value *object) {
    Value result = value_null();

    must(c, kube_update(c->kube, &c->arena, SLICE("conformance"), kind, part, object, &result, &c->error), "update");
    return result;
}

static ErrCode patch_with(Case *c, KubeRef object, KubePart part, KubePatchType type, const char *body,
                          Value *ret_object) {
    Value parsed = parse(c, body);
    KubePatch patch = {.type = type, .body = &parsed};

    return kube_patch(c->kube, &c->arena, SLICE("conformance"), object, part, &patch, ret_object, &c->error);
}

ErrCode try_patch(Case *c, KubeKind kind, const char *name, KubePart part, KubePatchType type, const char *patch) {
    Value result;

    return patch_with(c, ref(c, kind, name), part, type, patch, &result);
}

Value merge(Case *c, KubeKind kind, const char *name, KubePart part, const char *patch) {
    Value result = value_null();

    must(c, patch_with(c, ref(c, kind, name), part, KUBE_PATCH_MERGE, patch, &result), "merge patch");
    return result;
}

Value strategic(Case *c, KubeKind kind, const char *name, KubePart part, const char *patch) {
    Value result = value_null();

    must(c, patch_with(c, ref(c, kind, name), part, KUBE_PATCH_STRATEGIC, patch, &result), "strategic merge patch");
    return result;
}

ErrCode try_delete(Case *c, KubeKind kind, const char *name, const KubeDeletion *deletion) {
    return kube_remove(c->kube, ref(c, kind, name), deletion, &c->error);
}

void del(Case *c, KubeKind kind, const char *name) {
    must(c, try_delete(c, kind, name, NULL), "delete");
}

ErrCode try_evict(Case *c, const char *name, const KubeDeletion *deletion) {
    return kube_evict(c->kube, ref(c, KUBE_POD, name), deletion, &c->error);
}

KubeList list(Case *c, KubeKind kind, const char *labels, const char *fields) {
    KubeListRequest request = {kind, .ns = kube_kind(kind)->namespaced ? c->ns : SLICE(""), expand(c, labels),
                               expand(c, fields)};
    KubeList result = {0};

    must(c, kube_list(c->kube, &c->arena, &request, &result, &c->error), "list");
    return result;
}

Value make_pod(Case *c, const char *name, const char *labels, const char *node) {
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             "{metadata: {name: '%s', labels: {%s}}, spec: {schedulerName: nobody, %s%s%s containers: [{name: main, "
             "image: 'registry.example/app:1'}]}}",
             name, labels, node ? "nodeName: '" : "", node ? node : "", node ? "'," : "");
    return create(c, KUBE_POD, yaml);
}

void settle(Case *c) {
    c->harness->settle(c->harness);
}

// Reading.

static const Value *step(const Value *value, Slice name) {
    int64_t index;

    if (value && value->kind == VALUE_LIST && slice_to_int64(name, &index) && index >= 0 &&
        index < (int64_t)value->list.count)
        return &value->list.items[index];
    return value_get(value, name);
}

static const Value *find(const Value *object, const char *path) {
    Slice rest = slice_of(path);

    while (object && rest.len) {
        ptrdiff_t dot = slice_find(rest, '.');

        object = step(object, dot < 0 ? rest : slice_first(rest, (size_t)dot));
        rest = dot < 0 ? SLICE("") : slice_from(rest, (size_t)dot + 1);
    }
    return object;
}

Slice at(const Value *object, const char *path) {
    const Value *value = find(object, path);

    if (!value)
        return SLICE("");
    if (value->kind == VALUE_BOOL)
        return value->boolean ? SLICE("true") : SLICE("false");
    return value->kind == VALUE_STRING || value->kind == VALUE_NUMBER ? value->text : SLICE("(not a scalar)");
}

bool has(const Value *object, const char *path) {
    return find(object, path) != NULL;
}

void assert_slice_eq(Slice slice, const char *expected, const char *file, int line) {
    if (slice_eq_text(slice, expected))
        return;
    print_error("expected \"%s\", got \"%.*s\"\n", expected, SLICE_ARG(slice));
    _fail(file, line);
}

void assert_failed(Case *c, ErrCode code, KubeReason reason, const char *text) {
    if (c->error.err.code != code || c->error.reason != reason)
        fail_msg("expected %s (%s), got %s (%s): %s", err_code_text(code), kube_reason_text(reason),
                 err_code_text(c->error.err.code), kube_reason_text(c->error.reason), c->error.err.text);
    if (text && !slice_contains(slice_of(c->error.err.text), expand(c, text)))
        fail_msg("expected a text with \"%s\", got \"%s\"", expand(c, text).ptr, c->error.err.text);
}

// Watches.

static bool note(void *context, const KubeEvent *event) {
    static const char *const words[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ENDED"};
    Notes *notes_ = context;
    Slice about = event->object ? kube_name(event->object) : SLICE("");

    if (event->type == KUBE_ENDED)
        about = slice_of(kube_reason_text(event->error->reason));
    vec_push(&notes_->arena, &notes_->told,
             event->initial_end ? SLICE("INITIAL END")
                                : arena_printf(&notes_->arena, "%s%s%.*s", words[event->type], about.len ? " " : "",
                                               SLICE_ARG(about)));
    if (event->revision)
        notes_->revision = event->revision;
    if (event->object)
        notes_->last = value_copy(&notes_->arena, event->object);
    if (event->error)
        notes_->end = *event->error;
    return true;
}

ErrCode try_watch(Case *c, const KubeWatchRequest *request) {
    Notes nothing = {0};
    ErrCode code = kube_watch(c->kube, request, (KubeSink){note, &nothing}, &nothing.watch, &c->error);

    if (code == OK) {
        settle(c);
        kube_unwatch(c->kube, nothing.watch);
        if (nothing.end.err.code != OK) { // a REST client is told only by the stream
            c->error = nothing.end;
            code = c->error.err.code;
        }
    }
    arena_free(&nothing.arena);
    return code;
}

Notes *watch(Case *c, const KubeWatchRequest *request) {
    Notes *notes_ = calloc(1, sizeof *notes_);

    must(c, kube_watch(c->kube, request, (KubeSink){note, notes_}, &notes_->watch, &c->error), "watch");
    return notes_;
}

Slice notes(Case *c, Notes *notes_) {
    Slice joined = SLICE("");

    settle(c);
    for (vec_each(const Slice, told, &notes_->told))
        joined = arena_printf(&c->arena, "%.*s%s%.*s", SLICE_ARG(joined), joined.len ? ", " : "", SLICE_ARG(*told));
    notes_->told.count = 0;
    return joined;
}

void unwatch(Case *c, Notes *notes_) {
    kube_unwatch(c->kube, notes_->watch);
    arena_free(&notes_->arena);
    free(notes_);
}
