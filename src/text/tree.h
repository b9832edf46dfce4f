// Building a tree of Values from the events of a parser: one builder for YAML and JSON.
//
// The builder bounds depth and size, finds duplicate keys, and lays the members of each container side by side in the
// arena once it is closed. Finished containers may be added again elsewhere (aliases): they share their members, so an
// alias costs O(1) memory whatever its size; the size still counts against the bounds, since readers walk it.
#pragma once

#include "base/map.h"
#include "text/value.h"

// How large a tree is when written out.
typedef struct {
    uint32_t values, depth; // a scalar: 1 and 0
} TreeSize;

typedef struct {
    ValueKind kind;
    uint32_t line;
    uint32_t first;    // of its members in `items`
    uint32_t target;   // where the next value goes; INDEX_NONE: a key is awaited
    bool merging;      // the next value is merged into the map
    TreeSize size;     // of what is closed below it so far
    IndexMap index;    // of the keys, once there are many
    ArenaMark indexed; // where the index started in `indexes`
} TreeFrame;

typedef struct {
    Arena *arena;
    Slice file;
    ParseOptions options; // defaults filled in
    WarningVec *warnings; // NULL: none wanted
    Arena scratch, indexes;
    Vec(TreeFrame) frames;
    Vec(ValueMember) items; // the members of all open containers, innermost last; lists use only the values
    uint32_t shared_values; // added through aliases
    Value root;
    TreeSize root_size;
} TreeBuilder;

// Prepares for the first document; tree_free ends. `options` may be NULL.
void tree_init(TreeBuilder *tree, Arena *arena, Slice file, const ParseOptions *options, WarningVec *warnings);
void tree_free(TreeBuilder *tree);

// Forgets a finished document, or what is left of a failed one.
void tree_reset(TreeBuilder *tree);

// Whether the next event must be a key or the end of the map.
bool tree_awaits_key(const TreeBuilder *tree);

// The events. ERR_TOO_LARGE: deeper or more than the options allow. ERR_INVALID: a duplicate key when strict.
ErrCode tree_key(TreeBuilder *tree, Slice key, uint32_t line, Err *err);
ErrCode tree_scalar(TreeBuilder *tree, Value scalar, Err *err);
ErrCode tree_open(TreeBuilder *tree, ValueKind kind, uint32_t line, Err *err);
// Ends the innermost container and hands it out for later sharing.
ErrCode tree_close(TreeBuilder *tree, Value *ret_value, TreeSize *ret_size, Err *err);
// Adds a finished value of this builder's arena once more.
ErrCode tree_share(TreeBuilder *tree, Value value, TreeSize size, Err *err);
// Instead of a key: the next value, a map or a list of maps, gives its members to the open map (YAML's "<<").
void tree_merge_next(TreeBuilder *tree);

// "<file>:<line>: <message>" with that code.
__attribute__((format(printf, 5, 6))) ErrCode tree_fail(const TreeBuilder *tree, uint32_t line, ErrCode code, Err *err,
                                                        const char *format, ...);
