// Old objects aside, then into the cluster.
#include "cli/legacy/old_input.h"

#include "legacy/convert.h"
#include "legacy/objects.h"
#include "legacy/present/present.h"
#include "model/manifest/manifest.h"
#include "text/value_edit.h"

#include <inttypes.h>

static bool is_text(const Value *value, const char *text) {
    return value && value->kind == VALUE_STRING && slice_eq_text(value->text, text);
}

static void keep(OldInput *input, DocumentVec *documents, Slice file, const Value *object) {
    vec_push(input->arena, documents, ((Document){arena_slice(input->arena, file), value_copy(input->arena, object)}));
}

static void keep_settings(OldInput *input, Slice file, const Value *object) {
    input->settings.count = 0;
    keep(input, &input->settings, file, object);
}

static bool is_list(const Value *object) {
    const Value *kind = value_get_text(object, "kind"), *items = value_get_text(object, "items");

    return kind && kind->kind == VALUE_STRING && slice_ends_with(kind->text, SLICE("List")) && items &&
           items->kind == VALUE_LIST;
}

// A List without what was taken of it.
static Value take_elements(OldInput *input, Arena *scratch, Slice file, const Value *list) {
    Value rest = value_map(), items = value_list();

    for (vec_each(const Value, item, &value_get_text(list, "items")->list)) {
        Value left;

        if (old_input_take(input, scratch, file, item, &left))
            value_append(scratch, &items, left);
    }
    for (vec_each(const ValueMember, member, &list->map))
        value_put(scratch, &rest, member->key, slice_eq_text(member->key, "items") ? items : member->value);
    rest.line = list->line;
    return rest;
}

static bool take_single(OldInput *input, Arena *scratch, Slice file, const Value *object, Value *ret_rest) {
    const Value *kind = value_get_text(object, "kind");
    OldKind old = old_kind_of(object);

    *ret_rest = *object;
    if (old == OLD_PROVISIONER || old == OLD_NODE_TEMPLATE || old == OLD_MACHINE)
        keep(input, &input->objects, file, object);
    else if (old != OLD_KINDS)
        keep(input, &input->beta, file, object);
    else if (is_text(kind, "Node") && node_is_old(object))
        *ret_rest = present_node(scratch, object);
    else if (is_text(kind, "ConfigMap") && is_global_settings(object))
        keep_settings(input, file, object);
    return old == OLD_KINDS;
}

bool old_input_take(OldInput *input, Arena *scratch, Slice file, const Value *object, Value *ret_rest) {
    if (!is_list(object))
        return take_single(input, scratch, file, object, ret_rest);
    *ret_rest = take_elements(input, scratch, file, object);
    return true;
}

// --- into the cluster

static ErrCode read(Loaded *loaded, Slice file, const Value *object, Err *err) {
    return manifest_read(&loaded->cluster, &(Document){file, *object}, err);
}

static const Value *find_template(const OldInput *input, Slice name) {
    for (vec_each(const Document, document, &input->objects)) {
        if (old_kind_of(&document->root) == OLD_NODE_TEMPLATE && slice_eq(kube_name(&document->root), name))
            return &document->root;
    }
    return NULL;
}

// A value that cannot be read is as if it were not there, with a warning.
static PresentSettings read_settings(const OldInput *input, Loaded *loaded) {
    PresentSettings settings = {0};
    BadSettingVec bad = {0};

    for (vec_each(const Document, document, &input->settings)) {
        global_settings_read(&loaded->arena, &document->root, &settings.global, &bad);
        for (vec_each(const BadSetting, one, &bad))
            vec_push(&loaded->arena, &loaded->warnings,
                     ((Warning){arena_printf(&loaded->arena,
                                             "%.*s:%" PRIu32 ": ConfigMap " GLOBAL_SETTINGS_NAME
                                             ": data.%.*s: %.*s; it is ignored",
                                             SLICE_ARG(document->file), document->root.line, SLICE_ARG(one->key),
                                             SLICE_ARG(one->expected)),
                                true}));
    }
    return settings;
}

static ErrCode read_provisioner(const OldInput *input, Loaded *loaded, const PresentSettings *settings,
                                const Document *document, Err *err) {
    const Value *template = find_template(input, provisioner_template(&document->root));
    PresentedProvisioner presented;

    TRY(present_provisioner(&loaded->arena, settings, document->file, &document->root, template, &presented,
                            &loaded->warnings, err));
    TRY(read(loaded, document->file, &presented.pool, err));
    return presented.has_class ? read(loaded, document->file, &presented.class, err) : OK;
}

static ErrCode read_template(Loaded *loaded, const PresentSettings *settings, const Document *document, Err *err) {
    Value class;

    TRY(present_template(&loaded->arena, settings, document->file, &document->root, &class, err));
    return read(loaded, document->file, &class, err);
}

static ErrCode read_old(const OldInput *input, Loaded *loaded, const PresentSettings *settings,
                        const Document *document, Err *err) {
    Value claim;

    switch (old_kind_of(&document->root)) {
    case OLD_PROVISIONER:
        return read_provisioner(input, loaded, settings, document, err);
    case OLD_NODE_TEMPLATE:
        return read_template(loaded, settings, document, err);
    default:
        claim = present_machine(&loaded->arena, &document->root);
        return read(loaded, document->file, &claim, err);
    }
}

static ErrCode read_beta(const OldInput *input, Loaded *loaded, Err *err) {
    ConvertRequest request = {.documents = input->beta, .target = CONVERT_TO_V1};
    Converted converted;

    TRY(legacy_convert(&loaded->arena, &request, &converted, err));
    for (vec_each(const Value, object, &converted.objects))
        TRY(read(loaded, input->beta.items[0].file, object, err));
    return OK;
}

ErrCode old_input_finish(const OldInput *input, Loaded *loaded, Err *err) {
    PresentSettings settings = read_settings(input, loaded);

    for (vec_each(const Document, document, &input->objects))
        TRY(read_old(input, loaded, &settings, document, err));
    return input->beta.count ? read_beta(input, loaded, err) : OK;
}
