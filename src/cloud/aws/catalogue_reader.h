// Shared by the two files that read the catalogue's text: the state of reading, and small helpers.
// Not for use outside src/cloud/aws.
#pragma once

#include "cloud/aws/catalogue.h"

typedef struct {
    Slice name;
    uint32_t spot_percent;
} CatalogueFamily;

typedef struct {
    Arena *arena;
    Slice file;
    uint32_t line;
    Ec2Catalogue catalogue;
    Vec(CatalogueFamily) families;
    bool has_columns;
    Err *err;
} CatalogueReader;

// Takes what stands before `separator` off the front of `rest`; the whole when there is none.
Slice catalogue_take(Slice *rest, char separator);

// Reports "<file>:<line>: <column>: expected <expected>, got \"<got>\"" and returns ERR_INVALID.
ErrCode catalogue_fail(const CatalogueReader *reader, const char *column, const char *expected, Slice got);

// A number that is not negative and at most 10^9: products of two counts must fit.
bool catalogue_count(Slice text, int64_t *ret_number);
