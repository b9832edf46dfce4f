// What the parts of the converter share. Private to src/legacy.
#pragma once

#include "legacy/complaints.h"
#include "legacy/convert.h"
#include "legacy/global_settings.h"

#include "model/names.h"

// An object on its way.
typedef struct {
    Slice file;
    Value value;
    OldKind kind; // OLD_KINDS: it passes as it is
    // While it becomes v1.
    Slice name, class_name; // of a NodePool: the class that it refers to
    const Value *kubelet;   // of a NodePool: what its class has to have; NULL: nothing
} Item;
typedef Vec(Item) ItemVec;

typedef struct {
    Arena *arena;
    const ConvertRequest *request;
    Symbols symbols;
    ItemVec items;
    GlobalSettings settings;
    WarningVec *warnings;
} Conversion;

// Warns: "pools.yaml:7: W04 Provisioner general: <text>".
__attribute__((format(printf, 5, 6))) void convert_note(const Conversion *conversion, const Item *item,
                                                        const char *code, uint32_t line, const char *format, ...);
// Fails in the same form.
__attribute__((format(printf, 4, 5))) ErrCode convert_fail(const Item *item, ErrCode code, Err *err, const char *format,
                                                           ...);

// For the static analyzer, as in base/err.h.
#ifdef __clang_analyzer__
#define convert_fail(item, code, ...) ((void)convert_fail((item), (code), __VA_ARGS__), (code))
#endif

// Fails for complaints, except those that only newer webhooks have.
ErrCode convert_refuse(const Conversion *conversion, const Item *item, const ComplaintVec *complaints, Err *err);

// Trees. `put_old_text` with a literal key; `put_old_copy` copies a member that is there and not null.
void put_old_text(Arena *arena, Value *map, const char *key, Slice text);
void put_old_copy(Arena *arena, Value *map, const char *key, const Value *from, const char *from_key);
Value text_map_value(Arena *arena, const TextMap *map);
// A new object with apiVersion, kind and the metadata that a manifest has: name, labels, annotations, finalizers.
Value converted_object(Arena *arena, const char *api_version, const char *kind, const Value *metadata);

// A name that no EC2NodeClass or AWSNodeTemplate of the input has: `name`, else `name-2` and so on. O(old objects²).
Slice free_class_name(const Conversion *conversion, Slice name);

// The parts by file. An item of an old kind becomes items of v1beta1, which are appended to `items`.
ErrCode convert_provisioner(Conversion *conversion, const Item *item, ItemVec *items, Err *err);
ErrCode convert_node_template(Conversion *conversion, const Item *item, ItemVec *items, Err *err);
enum { PODS_WITHOUT_LIMIT = 110 }; // of a node, where network interfaces do not limit them
// The spec of an EC2NodeClass. `source`: the Value that `aws` was decoded from.
ErrCode convert_aws(Conversion *conversion, const Item *item, const OldAws *aws, const Value *source, Value *ret_spec,
                    Err *err);
// Terms of a selector of a `field` such as "subnetSelector".
ErrCode convert_selector(const Conversion *conversion, const Item *item, const TextMap *selector, const char *field,
                         Value *ret_terms, Err *err);
// Reads the item if it is karpenter-global-settings. ERR_INVALID: a value cannot be read.
ErrCode convert_settings(Conversion *conversion, const Item *item, Err *err);
// An item of v1beta1 becomes v1 in place.
ErrCode upgrade_pool(Conversion *conversion, Item *item, Err *err);
ErrCode upgrade_class(Conversion *conversion, Item *item, Err *err);
// Gives NodeClaims that became v1 the expireAfter of their NodePools.
void convert_expiration(const Conversion *conversion);
// Gives the classes the kubelets of their NodePools; appends a class for each further kubelet.
void convert_kubelets(Conversion *conversion);
// Warns of what other objects say about the old kinds.
void convert_scan(const Conversion *conversion, const Item *item);
