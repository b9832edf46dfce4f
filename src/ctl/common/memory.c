// An arena that holds the struct which holds it.
#include "ctl/common/memory.h"

void *memory_new(size_t size) {
    Arena arena = {0};
    Arena *memory = arena_alloc(&arena, size);

    *memory = arena;
    return memory;
}

void memory_free(void *self) {
    Arena arena = *(Arena *)self;

    arena_free(&arena);
}
