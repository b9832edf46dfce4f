#include "cloud/aws/provider_id.h"

Slice provider_instance_id(Slice provider_id) {
    static const Slice scheme = SLICE_INIT("aws:///");
    Slice path = slice_from(provider_id, scheme.len);
    ptrdiff_t slash = slice_find(path, '/');
    Slice id;

    if (!slice_starts_with(provider_id, scheme) || slash < 0)
        return (Slice){0};
    id = slice_from(path, (size_t)slash + 1);
    return slice_find(id, '/') < 0 ? id : (Slice){0};
}
