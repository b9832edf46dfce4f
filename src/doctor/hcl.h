// HCL, the language of Terraform, as far as tags are told in it: blocks, attributes, and the value of an expression
// where it stands in the text.
//
// The structure is read at once; expressions are kept as text and evaluated when someone asks. What depends on anything
// that is not in the text (data sources, other modules, most functions) is unknown, and an unknown value never becomes
// a claim. Grammar: HCL native syntax specification, without what Terraform never writes at the end of a line.
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

enum {
    HCL_TEXT_MAX = 4 << 20,   // bytes of one file
    HCL_DEPTH_MAX = 32,       // of blocks in blocks, of values in values, of names that lead to names
    HCL_LABELS_MAX = 2,       // of a block; further ones are dropped
    HCL_STEPS_MAX = 100000,   // of all evaluations of a scope; afterwards values are unknown
    HCL_MEMBERS_MAX = 200,    // of a map or list; of longer ones not all is known
    HCL_STRING_MAX = 1 << 16, // bytes; longer ones are unknown
};

typedef struct {
    Slice name, expression;
    uint32_t line;
} HclAttribute;

typedef struct HclBlock HclBlock;
typedef Vec(HclBlock) HclBlockVec;
struct HclBlock {
    Slice type;                   // "resource"
    Slice labels[HCL_LABELS_MAX]; // "aws_subnet", "private"; empty: absent
    Slice file;
    uint32_t line;
    Vec(HclAttribute) attributes;
    HclBlockVec blocks;
};

// Appends the blocks of a text, which must live as long as they. O(length). ERR_INVALID: not HCL, "<file>:<line>: …";
// ERR_TOO_LARGE: a maximum above.
ErrCode hcl_read(Arena *arena, Slice file, Slice text, HclBlockVec *blocks, Err *err);

// The first attribute of that name; NULL: absent. O(attributes).
const HclAttribute *hcl_attribute(const HclBlock *block, const char *name);
