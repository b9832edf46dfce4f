// Reading manifests: texts to documents, documents to the cluster.
//
// JSON is taken object by object while it is parsed, so that of a list of 100,000 pods one at a time is in memory. What
// begins like JSON may be a flow mapping of YAML all the same. When that is found out after objects were taken, all
// texts are read again, and what may be YAML is parsed as a whole before anything of it is taken.
#include "cli/load_manifests.h"

#include "cli/legacy/old_input.h"
#include "kube/crds/strangers.h"
#include "model/manifest/manifest.h"
#include "text/json.h"
#include "text/yaml.h"

// Whether to use the JSON parser, which is faster: JSON is YAML too.
static bool looks_like_json(Slice text) {
    size_t at = slice_starts_with(text, SLICE("\xef\xbb\xbf")) ? 3 : 0;

    while (at < text.len &&
           (text.ptr[at] == ' ' || text.ptr[at] == '\t' || text.ptr[at] == '\n' || text.ptr[at] == '\r'))
        at++;
    return at < text.len && (text.ptr[at] == '{' || text.ptr[at] == '[');
}

static bool is_json_file(const InputText *input) {
    return slice_ends_with(input->file, SLICE(".json"));
}

typedef struct {
    Loaded *loaded;
    ParseOptions parse;
    CrdSchemas *schemas;
    OldInput old;        // objects of older Karpenters, which are read after all others
    uint32_t strangers;  // number of warnings about strangers
    WarningVec warnings; // these, of the present text
    bool careful;        // texts that may be YAML are parsed before anything of them is taken
} ManifestReading;

// --- strangers

enum { STRANGERS_NAMED_MAX = 100 };

// Warns: "stdin:20, NodePool general: spec.limit is no field of it and is ignored; did you mean limits?"
static void warn_of_stranger(ManifestReading *reading, Slice place, const Stranger *stranger) {
    Arena *arena = &reading->loaded->arena;
    Slice text = arena_printf(arena, "%.*s: %.*s is no field of it and is ignored%s%.*s%s", SLICE_ARG(place),
                              SLICE_ARG(stranger->path), stranger->meant.len ? "; did you mean " : "",
                              SLICE_ARG(stranger->meant), stranger->meant.len ? "?" : "");

    if (reading->strangers++ == STRANGERS_NAMED_MAX)
        text = arena_printf(arena, "%.*s: more unknown fields are ignored", SLICE_ARG(place));
    if (reading->strangers <= STRANGERS_NAMED_MAX + 1)
        vec_push(arena, &reading->warnings, (Warning){text, true});
}

static ErrCode take_strangers(ManifestReading *reading, Slice file, const Value *object, const StrangerVec *strangers,
                              Err *err) {
    const Value *kind = value_get_text(object, "kind"), *name = value_at(object, "metadata", "name", NULL);

    for (vec_each(const Stranger, stranger, strangers)) {
        Slice place = arena_printf(&reading->loaded->arena, "%.*s:%u, %.*s %.*s", SLICE_ARG(file), stranger->line,
                                   SLICE_ARG(kind->text), SLICE_ARG(name->text));

        if (stranger->wrong.len)
            return err_set(err, ERR_INVALID, "%.*s: %.*s (%.*s)", SLICE_ARG(stranger->path), SLICE_ARG(stranger->wrong),
                           SLICE_ARG(place));
        warn_of_stranger(reading, place, stranger);
    }
    return OK;
}

// Whether a plan depends on the kind and its CRD is embedded.
static bool has_known_fields(Slice kind) {
    static const char *const kinds[] = {"NodePool", "NodeClaim", "EC2NodeClass", "KWOKNodeClass"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (slice_eq_text(kind, kinds[i]))
            return true;
    }
    return false;
}

// Looks for strangers in an object, or in the items of a List. Objects of these kinds were read before, so they have
// names.
static ErrCode look_for_strangers(ManifestReading *reading, Slice file, const Value *object, Arena *scratch, Err *err) {
    const Value *kind = value_get_text(object, "kind"), *items = value_get_text(object, "items");
    StrangerVec strangers = {0};

    if (!kind || kind->kind != VALUE_STRING)
        return OK;
    if (slice_ends_with(kind->text, SLICE("List")) && items && items->kind == VALUE_LIST) {
        for (vec_each(const Value, item, &items->list))
            TRY(look_for_strangers(reading, file, item, scratch, err));
        return OK;
    }
    if (!has_known_fields(kind->text))
        return OK;
    crd_strangers(reading->schemas, scratch, object, &strangers);
    return take_strangers(reading, file, object, &strangers, err);
}

// --- one text

// What is taken of a text. After the first error nothing more is taken, but the parser goes on: what it says comes
// first.
typedef struct {
    ManifestReading *reading;
    Slice file;
    bool began;              // a document was taken, or refused
    ManifestList list;       // the document whose elements come
    bool has_known_elements; // they are looked at for strangers
    uint32_t warned;         // warnings about strangers of documents before this one
    ErrCode code, stranger_code;
    Err err, stranger_err;
} Taking;

// Ends a document: errors about its strangers, and warnings, count when nothing else was wrong with it.
static void end_document(Taking *taking) {
    WarningVec *warnings = &taking->reading->warnings;

    if (taking->code != OK) {
        warnings->count = taking->warned;
        return;
    }
    taking->warned = warnings->count;
    taking->code = taking->stranger_code;
    taking->err = taking->stranger_err;
}

static void take_strangers_of(Taking *taking, const Value *object) {
    Arena scratch = {0};

    if (taking->stranger_code == OK)
        taking->stranger_code =
            look_for_strangers(taking->reading, taking->file, object, &scratch, &taking->stranger_err);
    arena_free(&scratch);
}

static void take_todays(Taking *taking, const Document *document) {
    const Value *kind = value_get_text(&document->root, "kind");

    taking->code = manifest_list_begin(&taking->reading->loaded->cluster, document, &taking->list, &taking->err);
    if (taking->code != OK)
        return;
    taking->has_known_elements = kind && kind->kind == VALUE_STRING && slice_ends_with(kind->text, SLICE("List"));
    take_strangers_of(taking, &document->root);
}

static void take_document(void *context, const Document *document) {
    Taking *taking = context;
    Document rest = *document;
    Arena scratch = {0};

    end_document(taking);
    taking->began = true;
    if (taking->code == OK &&
        old_input_take(&taking->reading->old, &scratch, document->file, &document->root, &rest.root))
        take_todays(taking, &rest);
    arena_free(&scratch);
}

static void take_todays_element(Taking *taking, const Value *element) {
    taking->code = manifest_list_read(&taking->list, element, &taking->err);
    if (taking->code == OK && taking->has_known_elements)
        take_strangers_of(taking, element);
}

static void take_element(void *context, const Value *element) {
    Taking *taking = context;
    Arena scratch = {0};
    Value rest;

    if (taking->code == OK && old_input_take(&taking->reading->old, &scratch, taking->file, element, &rest))
        take_todays_element(taking, &rest);
    arena_free(&scratch);
}

static void note_all(Loaded *loaded, const WarningVec *warnings) {
    for (vec_each(const Warning, warning, warnings))
        vec_push(&loaded->arena, &loaded->warnings, (Warning){arena_slice(&loaded->arena, warning->text), true});
}

// Ends the text, which was parsed with `code` and these warnings.
static ErrCode end_text(Taking *taking, ErrCode code, const WarningVec *warnings, Err *err) {
    end_document(taking);
    note_all(taking->reading->loaded, warnings);
    if (code != OK)
        return code;
    note_all(taking->reading->loaded, &taking->reading->warnings);
    if (taking->code != OK)
        return err_set(err, taking->code, "%s", taking->err.text);
    return OK;
}

ErrCode manifest_parse(Arena *arena, const InputText *input, const ParseOptions *options, DocumentVec *documents,
                       WarningVec *warnings, Err *err) {
    uint32_t documents_before = documents->count, warnings_before = warnings->count;
    ErrCode code = ERR_INVALID;

    if (looks_like_json(input->text) || is_json_file(input))
        code = json_parse(arena, input->file, input->text, options, documents, warnings, err);
    if (code == ERR_INVALID && !is_json_file(input)) {
        documents->count = documents_before;
        warnings->count = warnings_before;
        code = yaml_parse(arena, input->file, input->text, options, documents, warnings, err);
    }
    return code;
}

// Parses all of a text before it takes its documents.
static ErrCode read_whole(ManifestReading *reading, const InputText *input, Err *err) {
    Taking taking = {.reading = reading, .file = input->file};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Arena scratch = {0};
    ErrCode code = manifest_parse(&scratch, input, &reading->parse, &documents, &warnings, err);

    reading->warnings = (WarningVec){0};
    for (uint32_t i = 0; i < documents.count && code == OK; i++)
        take_document(&taking, &documents.items[i]);
    code = end_text(&taking, code, &warnings, err);
    arena_free(&scratch);
    return code;
}

// Takes the objects of a JSON text while it is parsed. ERR_INVALID with `ret_again`: it may be YAML, and objects of it
// were taken.
static ErrCode read_json(ManifestReading *reading, const InputText *input, bool *ret_again, Err *err) {
    Taking taking = {.reading = reading, .file = input->file};
    JsonSink sink = {&taking, take_document, take_element};
    uint32_t warned = reading->loaded->cluster.warnings.count;
    WarningVec warnings = {0};
    ErrCode code;

    reading->warnings = (WarningVec){0};
    code = json_read(&reading->loaded->arena, input->file, input->text, &reading->parse, &sink, &warnings, err);
    if (code == ERR_INVALID && !is_json_file(input)) {
        *ret_again = taking.began;
        return taking.began ? code : read_whole(reading, input, err);
    }
    if (code != OK) // what was found in its objects is of no interest
        reading->loaded->cluster.warnings.count = warned;
    return end_text(&taking, code, &warnings, err);
}

static ErrCode read_texts(ManifestReading *reading, const InputTextVec *inputs, bool *ret_again, Err *err) {
    for (vec_each(const InputText, input, inputs)) {
        if (is_json_file(input) || (looks_like_json(input->text) && !reading->careful))
            TRY(read_json(reading, input, ret_again, err));
        else
            TRY(read_whole(reading, input, err));
    }
    return OK;
}

static void start_over(Loaded *loaded) {
    cluster_free(&loaded->cluster);
    cluster_init(&loaded->cluster);
    loaded->warnings = (WarningVec){0};
}

static ErrCode read_inputs(Loaded *loaded, const PlanOptions *options, Err *err) {
    ManifestReading reading = {
        .loaded = loaded,
        .parse = {.strict = options->strict},
        .schemas = crd_schemas_new(&loaded->arena),
        .old = {.arena = &loaded->arena},
    };
    bool again = false;
    ErrCode code = read_texts(&reading, &options->inputs, &again, err);

    if (again) {
        start_over(loaded);
        reading.strangers = 0;
        reading.old = (OldInput){.arena = &loaded->arena};
        reading.careful = true;
        code = read_texts(&reading, &options->inputs, &again, err);
    }
    return code == OK ? old_input_finish(&reading.old, loaded, err) : code;
}

// --- all texts

static ErrCode refuse_mistakes(const WarningVec *warnings, Err *err) {
    for (vec_each(const Warning, warning, warnings)) {
        if (warning->mistake)
            return err_set(err, ERR_INVALID, "%.*s", SLICE_ARG(warning->text));
    }
    return OK;
}

// Refuses input without objects: it is a mistake, and a plan of it would look like good news.
static ErrCode refuse_nothing(const Loaded *loaded, Err *err) {
    if (loaded->cluster.object_count)
        return OK;
    TRY(refuse_mistakes(&loaded->cluster.warnings, err)); // everything there was could not be represented
    if (loaded->cluster.warnings.count)
        return err_set(err, ERR_INVALID,
                       "no object of the input is of a kind that tenon reads; docs/plan.md lists them");
    return err_set(err, ERR_INVALID,
                   "the input is empty: expected objects of Kubernetes, as kubectl get -o yaml prints "
                   "them");
}

ErrCode load_manifests(Loaded *loaded, const PlanOptions *options, Err *err) {
    TRY(read_inputs(loaded, options, err));
    TRY(manifest_finish(&loaded->cluster, err));
    TRY(refuse_nothing(loaded, err));
    if (!options->strict)
        return OK;
    TRY(refuse_mistakes(&loaded->warnings, err));
    return refuse_mistakes(&loaded->cluster.warnings, err);
}
