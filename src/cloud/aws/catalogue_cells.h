// The cells of a `type` line of the catalogue.
#pragma once

#include "cloud/aws/catalogue_reader.h"

// The name of a column of `type` lines, NULL past the last.
const char *catalogue_column(uint32_t index);

// Parses the cells of a `type` line (after its first tab). ERR_INVALID.
ErrCode catalogue_read_cells(const CatalogueReader *reader, Slice cells, Ec2Type *ret_type);
