// Reading documents: which objects are read, and by which reader.
#include "model/manifest/manifest.h"

#include "model/manifest/kinds.h"

// Known kinds that are ignored: the words after "… is ignored".
static const struct {
    const char *group, *kind, *reason;
} unread_kinds[] = {
    {"batch", "CronJob", "its Jobs are planned when they exist"},
    {"tenon.sh", "Scenario", "tenon sim runs it"},
    {"karpenter.sh", "Provisioner", "tenon reads the objects of Karpenter v1 (NodePool, NodeClaim, EC2NodeClass)"},
    {"karpenter.sh", "Machine", "tenon reads the objects of Karpenter v1 (NodePool, NodeClaim, EC2NodeClass)"},
    {"karpenter.sh", "NodePool", "tenon reads the objects of Karpenter v1 (NodePool, NodeClaim, EC2NodeClass)"},
    {"karpenter.sh", "NodeClaim", "tenon reads the objects of Karpenter v1 (NodePool, NodeClaim, EC2NodeClass)"},
    {"karpenter.k8s.aws", "EC2NodeClass",
     "tenon reads the objects of Karpenter v1 (NodePool, NodeClaim, EC2NodeClass)"},
    {"karpenter.k8s.aws", "AWSNodeTemplate",
     "tenon reads the objects of Karpenter v1 (NodePool, NodeClaim, EC2NodeClass)"},
};

static const char *why_unread(Slice group, Slice kind) {
    for (size_t i = 0; i < sizeof unread_kinds / sizeof *unread_kinds; i++) {
        if (slice_eq_text(group, unread_kinds[i].group) && slice_eq_text(kind, unread_kinds[i].kind))
            return unread_kinds[i].reason;
    }
    return NULL;
}

// Splits "karpenter.sh/v1" into group and version; "v1": the core group.
static void split_api_version(Slice api_version, Slice *ret_group, Slice *ret_version) {
    ptrdiff_t slash = slice_find(api_version, '/');

    *ret_group = slash < 0 ? SLICE("") : slice_first(api_version, (size_t)slash);
    *ret_version = slash < 0 ? api_version : slice_from(api_version, (size_t)slash + 1);
}

static IgnoredKind *ignored_find(ManifestState *state, uint64_t hash, Slice api_version, Slice kind) {
    uint32_t cursor = 0, at;

    while ((at = index_map_next(&state->ignored_index, hash, &cursor)) != INDEX_NONE) {
        IgnoredKind *known = &state->ignored.items[at];

        if (slice_eq(known->kind, kind) && slice_eq(known->api_version, api_version))
            return known;
    }
    return NULL;
}

// Counts an ignored object; manifest_finish gives one warning per kind.
static void ignore(ManifestReader *reader, Slice api_version, Slice kind, const Value *object) {
    ManifestState *state = reader->state;
    Arena *arena = &reader->cluster->arena;
    uint64_t hash = hash_combine(slice_hash(api_version), slice_hash(kind));
    IgnoredKind *known = ignored_find(state, hash, api_version, kind);
    Slice group, version;

    if (known) {
        known->count++;
        return;
    }
    split_api_version(api_version, &group, &version);
    index_map_add(arena, &state->ignored_index, hash, state->ignored.count);
    vec_push(arena, &state->ignored,
             (IgnoredKind){
                 .api_version = arena_slice(arena, api_version),
                 .kind = arena_slice(arena, kind),
                 .reason = why_unread(group, kind),
                 .count = 1,
                 .file = reader->decoder.file,
                 .line = object->line,
             });
}

// Reads a string member that must be present and not empty.
static ErrCode required_text(ManifestReader *reader, const Value *map, const char *name, Slice *ret_text, Err *err) {
    const Value *value = value_get(map, slice_of(name));

    decode_enter(&reader->decoder, slice_of(name));
    if (!value || value->kind == VALUE_NULL || (value->kind == VALUE_STRING && value->text.len == 0))
        return decode_fail(&reader->decoder, map, err, "required");
    TRY(decode_expect(&reader->decoder, value, VALUE_STRING, err));
    decode_leave(&reader->decoder);
    *ret_text = value->text;
    return OK;
}

static ErrCode identify(ManifestReader *reader, const ObjectKind *kind, const Value *object, ObjectPlace *ret_place,
                        Err *err) {
    const Value *meta = value_get_text(object, "metadata"), *ns = value_get_text(meta, "namespace");
    Decoder *decoder = &reader->decoder;
    ObjectPlace place = {.kind = kind, .file = decoder->file, .line = object->line};
    Slice name = {0};

    decode_enter(decoder, SLICE("metadata"));
    if (!meta || meta->kind == VALUE_NULL)
        return decode_fail(decoder, object, err, "required");
    TRY(decode_expect(decoder, meta, VALUE_MAP, err));
    TRY(required_text(reader, meta, "name", &name, err));
    place.name = symbol_intern(decoder->symbols, name);
    if (kind->namespaced) {
        place.ns = NAME_DEFAULT_NAMESPACE;
        if (ns && ns->kind == VALUE_STRING && ns->text.len)
            place.ns = symbol_intern(decoder->symbols, ns->text);
    }
    decode_leave(decoder);
    *ret_place = place;
    return OK;
}

// Counts a pod that an API server accepts and tenon cannot represent, with a warning: the rest of the cluster is read.
static void set_aside(Cluster *cluster, const Err *why) {
    cluster->set_aside++;
    cluster_warn_mistake(cluster, "left out, because it cannot be read: %s", why->text);
}

// What an object says that it is, or its list says of it. Empty: nothing yet.
typedef struct {
    Slice api_version, kind;
} Typing;

static ErrCode read_object(ManifestReader *reader, const Value *object, const Typing *typing, Err *err) {
    Decoder *decoder = &reader->decoder;
    const ObjectKind *row;
    Slice group, version;
    ObjectPlace place;
    ErrCode code;

    split_api_version(typing->api_version, &group, &version);
    row = object_kind_find(group, typing->kind);
    if (!row || (row->version && !slice_eq_text(version, row->version))) {
        ignore(reader, typing->api_version, typing->kind, object);
        return OK;
    }
    decoder->kind = slice_of(row->kind);
    TRY(identify(reader, row, object, &place, err));
    decoder->ns = symbol_text(decoder->symbols, place.ns);
    decoder->name = symbol_text(decoder->symbols, place.name);
    code = row->read(reader, row, object, &place, err);
    if (code != ERR_RANGE || !row->makes_pods)
        return code;
    set_aside(reader->cluster, err);
    return OK;
}

// Elements of a typed list ("PodList") may lack apiVersion and kind, as the API itself returns them.
static Typing element_typing(const Typing *of_list) {
    Slice kind = slice_first(of_list->kind, of_list->kind.len - 4);

    return (Typing){kind.len ? of_list->api_version : SLICE(""), kind};
}

// An object's apiVersion and kind, and whether it is a list.
static ErrCode read_type(ManifestReader *reader, const Value *object, const Typing *given, Typing *ret_typing,
                         bool *ret_is_list, Err *err) {
    Typing typing = *given;

    reader->decoder.depth = 0;
    reader->decoder.kind = reader->decoder.ns = reader->decoder.name = (Slice){0};
    TRY(decode_expect(&reader->decoder, object, VALUE_MAP, err));
    if (typing.kind.len == 0 || value_get_text(object, "kind")) {
        TRY(required_text(reader, object, "apiVersion", &typing.api_version, err));
        TRY(required_text(reader, object, "kind", &typing.kind, err));
    }
    *ret_typing = typing;
    *ret_is_list =
        slice_ends_with(typing.kind, SLICE("List")) && (typing.kind.len == 4 || value_get_text(object, "items"));
    return OK;
}

static ErrCode read_value(ManifestReader *reader, const Value *object, const Typing *given, Err *err);

static ErrCode read_list(ManifestReader *reader, const Value *list, const Typing *of_elements, Err *err) {
    const Value *items = value_get_text(list, "items");

    if (!items || items->kind == VALUE_NULL)
        return OK;
    decode_enter(&reader->decoder, SLICE("items"));
    TRY(decode_expect(&reader->decoder, items, VALUE_LIST, err));
    decode_leave(&reader->decoder);
    for (uint32_t i = 0; i < items->list.count; i++)
        TRY(read_value(reader, &items->list.items[i], of_elements, err));
    return OK;
}

static ErrCode read_value(ManifestReader *reader, const Value *object, const Typing *given, Err *err) {
    Typing typing, of_elements;
    bool is_list;

    TRY(read_type(reader, object, given, &typing, &is_list, err));
    if (!is_list)
        return read_object(reader, object, &typing, err);
    of_elements = element_typing(&typing);
    return read_list(reader, object, &of_elements, err);
}

static ManifestReader reader_of(Cluster *cluster, Slice file) {
    return (ManifestReader){
        .decoder = {.arena = &cluster->arena, .symbols = &cluster->symbols, .file = file},
        .cluster = cluster,
        .state = manifest_state(cluster),
    };
}

ErrCode manifest_list_begin(Cluster *cluster, const Document *document, ManifestList *ret_list, Err *err) {
    ManifestList list = {.cluster = cluster, .file = arena_slice(&cluster->arena, document->file)};
    ManifestReader reader = reader_of(cluster, list.file);
    Typing typing, of_elements;

    TRY(read_type(&reader, &document->root, &(Typing){0}, &typing, &list.is_list, err));
    if (list.is_list) {
        of_elements = element_typing(&typing);
        list.api_version = of_elements.api_version;
        list.kind = of_elements.kind;
        TRY(read_list(&reader, &document->root, &of_elements, err));
    } else {
        TRY(read_object(&reader, &document->root, &typing, err));
    }
    *ret_list = list;
    return OK;
}

ErrCode manifest_list_read(const ManifestList *list, const Value *element, Err *err) {
    ManifestReader reader = reader_of(list->cluster, list->file);

    if (!list->is_list)
        return OK;
    return read_value(&reader, element, &(Typing){list->api_version, list->kind}, err);
}

ErrCode manifest_read(Cluster *cluster, const Document *document, Err *err) {
    ManifestList list;

    return manifest_list_begin(cluster, document, &list, err);
}
