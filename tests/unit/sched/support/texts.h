// Texts that a test makes for its world, freed after each test of the program.
#pragma once

#include "base/arena.h"
#include "harness/test.h"

static Arena texts;

static void free_texts(void) {
    arena_free(&texts);
    texts = (Arena){0};
}

AFTER_EACH(free_texts);

#define TEXT(...) (arena_printf(&texts, __VA_ARGS__).ptr)
