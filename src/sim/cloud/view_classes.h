// NodeClasses of a view.
#pragma once

#include "sim/cloud/cloud_parts.h"

// ERR_NOT_FOUND: no such NodeClass. ERR_INVALID: it cannot be read as one.
ErrCode cloud_view_class(SimView *view, const NodeClassRef *ref, ViewClass **ret_class, ClassEntry **ret_entry,
                         CloudError *error);
void cloud_view_class_free(ViewClass *class);
