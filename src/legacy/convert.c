// The converter: documents to items, items to v1beta1, these to v1.
#include "legacy/convert.h"

#include "legacy/convert_parts.h"

#include "text/value_edit.h"

#include <inttypes.h>

static Slice text_at(const Value *value) {
    return value && value->kind == VALUE_STRING ? value->text : SLICE("");
}

// Reading.

// kubectl's List, or an API server's ProvisionerList.
static bool is_list(const Value *object) {
    const Value *items = value_get_text(object, "items");

    return slice_ends_with(text_at(value_get_text(object, "kind")), SLICE("List")) && items &&
           items->kind == VALUE_LIST;
}

static void add_object(Arena *arena, Slice file, const Value *object, ItemVec *items) {
    if (is_list(object)) {
        for (vec_each(const Value, element, &value_get_text(object, "items")->list))
            add_object(arena, file, element, items);
        return;
    }
    vec_push(arena, items, (Item){.file = file, .value = *object, .kind = old_kind_of(object)});
}

static ErrCode read_settings(Conversion *conversion, const ItemVec *items, Err *err) {
    for (vec_each(const Item, item, items))
        TRY(convert_settings(conversion, item, err));
    return OK;
}

static ErrCode read_all(Conversion *conversion, Err *err) {
    const ConvertRequest *request = conversion->request;
    ItemVec settings = {0};

    for (vec_each(const Document, document, &request->documents))
        add_object(conversion->arena, document->file, &document->root, &conversion->items);
    for (vec_each(const Document, document, &request->settings))
        add_object(conversion->arena, document->file, &document->root, &settings);
    TRY(read_settings(conversion, &conversion->items, err));
    return read_settings(conversion, &settings, err);
}

// To v1beta1.

// What an API server would have dropped.
static void prune(const Conversion *conversion, Item *item) {
    OldStrangerVec strangers = {0};

    item->value = old_prune(conversion->arena, item->kind, &item->value, &strangers);
    for (vec_each(const OldStranger, stranger, &strangers))
        convert_note(conversion, item, "W02", stranger->line, "%.*s is no field of it and is left out%s%.*s%s",
                     SLICE_ARG(stranger->path), stranger->meant.len ? "; did you mean " : "",
                     SLICE_ARG(stranger->meant), stranger->meant.len ? "?" : "");
}

static ErrCode lift(Conversion *conversion, Item *item, ItemVec *lifted, Err *err) {
    switch (item->kind) {
    case OLD_PROVISIONER:
        prune(conversion, item);
        return convert_provisioner(conversion, item, lifted, err);
    case OLD_NODE_TEMPLATE:
        prune(conversion, item);
        return convert_node_template(conversion, item, lifted, err);
    case OLD_MACHINE:
        convert_note(conversion, item, "W22", item->value.line,
                     "it is left out: nodes of the old kind are replaced, not converted; taint them "
                     "karpenter.sh/legacy=true:NoSchedule and let them drift, or delete the Provisioner with "
                     "--cascade=foreground");
        return OK;
    case OLD_KINDS:
        convert_scan(conversion, item);
        break;
    case OLD_BETA_POOL:
    case OLD_BETA_CLAIM:
    case OLD_BETA_CLASS:
        break;
    }
    vec_push(conversion->arena, lifted, *item);
    return OK;
}

// Whether names are compared. Nodes are not among them: there may be many.
static bool is_compared(OldKind kind) {
    return kind == OLD_BETA_POOL || kind == OLD_BETA_CLASS;
}

static ErrCode lift_all(Conversion *conversion, Err *err) {
    ItemVec lifted = {0};
    uint32_t compared = 0;

    for (vec_each(Item, item, &conversion->items)) {
        uint32_t before = lifted.count;

        TRY(lift(conversion, item, &lifted, err));
        for (uint32_t i = before; i < lifted.count; i++)
            compared += is_compared(lifted.items[i].kind);
        if (compared > CONVERT_OLD_MAX)
            return convert_fail(item, ERR_TOO_LARGE, err, "more than %d pools and classes to convert in one input",
                                CONVERT_OLD_MAX);
    }
    conversion->items = lifted;
    return OK;
}

// To v1.

static ErrCode upgrade_all(Conversion *conversion, Err *err) {
    for (vec_each(Item, item, &conversion->items)) {
        if (item->kind == OLD_BETA_POOL || item->kind == OLD_BETA_CLAIM)
            TRY(upgrade_pool(conversion, item, err));
        else if (item->kind == OLD_BETA_CLASS)
            TRY(upgrade_class(conversion, item, err));
    }
    convert_expiration(conversion);
    convert_kubelets(conversion);
    return OK;
}

// Two objects of one name would overwrite each other.

static bool is_same_object(const Value *a, const Value *b) {
    return slice_eq(text_at(value_get_text(a, "kind")), text_at(value_get_text(b, "kind"))) &&
           slice_eq(text_at(value_at(a, "metadata", "name", NULL)), text_at(value_at(b, "metadata", "name", NULL)));
}

static bool may_be_twin(const Item *item) {
    Slice kind = text_at(value_get_text(&item->value, "kind"));

    return slice_starts_with(text_at(value_get_text(&item->value, "apiVersion")), SLICE("karpenter.")) &&
           (slice_eq(kind, SLICE("NodePool")) || slice_eq(kind, SLICE("EC2NodeClass")));
}

static ErrCode refuse_twins(const Conversion *conversion, Err *err) {
    ItemVec ours = {0};

    for (vec_each(const Item, item, &conversion->items)) {
        if (may_be_twin(item))
            vec_push(conversion->arena, &ours, *item);
    }
    for (uint32_t i = 0; i < ours.count; i++) {
        for (uint32_t k = 0; k < i && ours.items[i].kind != OLD_KINDS; k++) {
            if (is_same_object(&ours.items[i].value, &ours.items[k].value))
                return convert_fail(&ours.items[i], ERR_INVALID, err,
                                    "another object of line %" PRIu32 " would have its name", ours.items[k].value.line);
        }
    }
    return OK;
}

static ErrCode convert(Conversion *conversion, Err *err) {
    TRY(read_all(conversion, err));
    TRY(lift_all(conversion, err));
    if (conversion->request->target == CONVERT_TO_V1)
        TRY(upgrade_all(conversion, err));
    return refuse_twins(conversion, err);
}

ErrCode legacy_convert(Arena *arena, const ConvertRequest *request, Converted *ret_converted, Err *err) {
    Converted converted = {0};
    Conversion conversion = {.arena = arena, .request = request, .warnings = &converted.warnings};
    ErrCode code;

    names_init(&conversion.symbols);
    code = convert(&conversion, err);
    for (uint32_t i = 0; code == OK && i < conversion.items.count; i++)
        vec_push(arena, &converted.objects, conversion.items.items[i].value);
    symbols_free(&conversion.symbols);
    if (code == OK)
        *ret_converted = converted;
    return code;
}
