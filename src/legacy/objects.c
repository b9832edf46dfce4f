// The old kinds, and decoding by kind.
#include "legacy/objects.h"

#include "legacy/fields.h"

#include "text/value_edit.h"

const TextPair *text_map_get(const TextMap *map, Slice key) {
    for (vec_each(const TextPair, pair, map)) {
        if (slice_eq(pair->key, key))
            return pair;
    }
    return NULL;
}

SliceVec old_alternatives(Arena *arena, Slice value) {
    SliceVec parts = {0};

    for (;;) {
        ptrdiff_t comma = slice_find(value, ',');

        vec_push(arena, &parts, slice_trim(comma < 0 ? value : slice_first(value, (size_t)comma)));
        if (comma < 0)
            return parts;
        value = slice_from(value, (size_t)comma + 1);
    }
}

typedef struct {
    const char *group, *version, *kind;
    const FieldTable *table;
    bool is_whole; // the table has all of its members
} KindRow;

static const KindRow kinds[OLD_KINDS] = {
    [OLD_PROVISIONER] = {"karpenter.sh", "v1alpha5", "Provisioner", &provisioner_table, true},
    [OLD_MACHINE] = {"karpenter.sh", "v1alpha5", "Machine", &machine_table, true},
    [OLD_NODE_TEMPLATE] = {"karpenter.k8s.aws", "v1alpha1", "AWSNodeTemplate", &node_template_table, true},
    [OLD_BETA_POOL] = {"karpenter.sh", "v1beta1", "NodePool", &beta_pool_table, false},
    [OLD_BETA_CLAIM] = {"karpenter.sh", "v1beta1", "NodeClaim", &beta_claim_table, false},
    [OLD_BETA_CLASS] = {"karpenter.k8s.aws", "v1beta1", "EC2NodeClass", &beta_class_table, false},
};

static Slice text_of(const Value *value) {
    return value && value->kind == VALUE_STRING ? value->text : SLICE("");
}

static bool is_version(Slice api_version, const KindRow *row) {
    ptrdiff_t slash = slice_find(api_version, '/');

    return slash > 0 && slice_eq_text(slice_first(api_version, (size_t)slash), row->group) &&
           slice_eq_text(slice_from(api_version, (size_t)slash + 1), row->version);
}

OldKind old_kind_of(const Value *object) {
    Slice kind = text_of(value_get_text(object, "kind"));
    Slice api_version = text_of(value_get_text(object, "apiVersion"));

    for (int i = 0; i < OLD_KINDS; i++) {
        if (slice_eq_text(kind, kinds[i].kind) && is_version(api_version, &kinds[i]))
            return (OldKind)i;
    }
    return OLD_KINDS;
}

const char *old_kind_text(OldKind kind) {
    return kinds[kind].kind;
}

ErrCode old_decode(Arena *arena, OldKind kind, Slice file, const Value *object, void *ret_object, Err *err) {
    Decoder decoder = {
        .arena = arena,
        .file = file,
        .kind = slice_of(kinds[kind].kind),
        .name = text_of(value_at(object, "metadata", "name", NULL)),
    };

    return decode_object(&decoder, object, kinds[kind].table, ret_object, err);
}

// What every object has besides, and what is nobody's wish.
static bool is_of_every_kind(Slice name) {
    static const char *const names[] = {"apiVersion", "kind", "metadata", "status"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (slice_eq_text(name, names[i]))
            return true;
    }
    return false;
}

Value old_prune(Arena *arena, OldKind kind, const Value *object, OldStrangerVec *ret_strangers) {
    Value copy = {.kind = VALUE_MAP, .line = object->line}, rest = copy, known;

    if (!kinds[kind].is_whole || object->kind != VALUE_MAP)
        return value_copy_tree(arena, object);
    for (vec_each(const ValueMember, member, &object->map))
        vec_push(arena, is_of_every_kind(member->key) ? &copy.map : &rest.map, *member);
    known = strangers_without(arena, &rest, kinds[kind].table, ret_strangers);
    for (vec_each(const ValueMember, member, &known.map))
        vec_push(arena, &copy.map, *member);
    return copy;
}
