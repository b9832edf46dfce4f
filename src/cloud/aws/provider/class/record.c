// The list of what is remembered of NodeClasses.
#include "cloud/aws/provider/class/record.h"

#include <stdlib.h>

char *class_text(Slice text) {
    char *copy = alloc_raw(text.len + 1);

    if (text.len)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return copy;
}

void class_record_forget(ClassRecord *record) {
    for (uint32_t i = 0; i < CLASS_CONDITION_COUNT; i++) {
        arena_free(&record->parts[i].arena);
        record->parts[i] = (ClassPart){0};
    }
    arena_free(&record->trial.arena);
    record->trial = (ClassTrial){0};
    free(record->uid);
    record->uid = NULL;
}

void class_record_free(ClassRecord *record) {
    class_record_forget(record);
    free(record->digest);
    free(record->name);
    free(record);
}

ClassRecord *class_record_find(const ProviderClasses *classes, Slice name) {
    for (uint32_t i = 0; i < classes->count; i++) {
        if (slice_eq_text(name, classes->records[i]->name))
            return classes->records[i];
    }
    return NULL;
}

ClassRecord *class_record_take(ProviderClasses *classes, Slice name) {
    ClassRecord *record;

    pthread_mutex_lock(&classes->lock);
    record = class_record_find(classes, name);
    if (!record) {
        record = NEW(ClassRecord);
        record->name = class_text(name);
        GROW(classes->records, classes->capacity, classes->count + 1);
        classes->records[classes->count++] = record;
    } else if (record->is_busy) {
        record = NULL;
    }
    if (record)
        record->is_busy = true;
    pthread_mutex_unlock(&classes->lock);
    return record;
}

void class_record_give_back(ProviderClasses *classes, ClassRecord *record) {
    pthread_mutex_lock(&classes->lock);
    record->is_busy = false;
    pthread_mutex_unlock(&classes->lock);
}

void class_record_remove(ProviderClasses *classes, ClassRecord *record) {
    pthread_mutex_lock(&classes->lock);
    for (uint32_t i = 0; i < classes->count; i++) {
        if (classes->records[i] == record)
            classes->records[i] = classes->records[--classes->count];
    }
    pthread_mutex_unlock(&classes->lock);
    class_record_free(record);
}
