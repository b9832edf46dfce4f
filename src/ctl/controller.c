// Memory of controllers, and the NoteTables in it.
#include "ctl/controller.h"

#include "base/alloc.h"
#include "ctl/common/notes.h"

static NoteTable *table_at(const Controller *controller, void *self, int number) {
    return controller->notes[number].note_size ? (NoteTable *)(void *)((char *)self + controller->notes[number].place)
                                               : NULL;
}

void *controller_new(const Controller *controller, const Settings *settings) {
    void *self = controller->memory_size ? alloc_zeroed(1, controller->memory_size) : NULL;

    for (int i = 0; i < CONTROLLER_NOTES_MAX; i++) {
        NoteTable *table = table_at(controller, self, i);

        if (table)
            *table = (NoteTable){.note_size = controller->notes[i].note_size};
    }
    if (controller->init)
        controller->init(self, settings);
    return self;
}

void controller_free(const Controller *controller, void *self) {
    if (controller->release && self)
        controller->release(self);
    for (int i = 0; i < CONTROLLER_NOTES_MAX && self; i++) {
        NoteTable *table = table_at(controller, self, i);

        if (table)
            notes_free(table);
    }
    free(self);
}
