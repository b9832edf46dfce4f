// Snapshots of NodeClasses, held by counting.
#include "cloud/aws/provider/class_snapshot.h"

#include "cloud/aws/provider/class/record.h"

#include <stdlib.h>

const ClassSnapshot *provider_class_hold(AwsProvider *provider, Slice name) {
    ProviderClasses *classes = provider->classes;
    ClassSnapshot *snapshot;
    ClassRecord *record;

    pthread_mutex_lock(&classes->lock);
    record = class_record_find(classes, name);
    snapshot = record ? record->snapshot : NULL;
    if (snapshot)
        __atomic_add_fetch(&snapshot->holders, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&classes->lock);
    return snapshot;
}

void provider_class_release(const ClassSnapshot *snapshot) {
    ClassSnapshot *own = (ClassSnapshot *)(uintptr_t)snapshot; // the count is all that changes

    if (!own || __atomic_sub_fetch(&own->holders, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    arena_free(&own->arena);
    free(own);
}
