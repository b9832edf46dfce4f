// The cells of a line that describes an instance type.
#pragma once

#include "cloud/aws/catalogue_reader.h"

// The name of a column of `type` lines, NULL past the last.
const char *catalogue_column(uint32_t index);

// Reads the cells of a `type` line (what follows its first tab). ERR_INVALID.
ErrCode catalogue_read_cells(const CatalogueReader *reader, Slice cells, Ec2Type *ret_type);
