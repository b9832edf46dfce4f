// CatalogueReader: the state of parsing the catalogue's text, and helpers, for the files that parse it. Private to
// src/cloud/aws.
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

// Removes the part before `separator` from the front of `rest` and returns it; all of `rest` when there is none.
Slice catalogue_take(Slice *rest, char separator);

// Reports "<file>:<line>: <column>: expected <expected>, got \"<got>\"" and returns ERR_INVALID.
ErrCode catalogue_fail(const CatalogueReader *reader, const char *column, const char *expected, Slice got);

// Parses a number from 0 to 10^9, so that the product of two fits int64.
bool catalogue_count(Slice text, int64_t *ret_number);
