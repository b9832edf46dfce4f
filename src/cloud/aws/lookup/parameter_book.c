// Parameters, in a short list.
#include "cloud/aws/lookup/parameter_book.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void parameter_book_init(ParameterBook *book) {
    *book = (ParameterBook){0};
    CHECK(pthread_mutex_init(&book->lock, NULL) == 0, "no mutex");
}

static void drop(ParameterBook *book, uint32_t number) {
    free(book->items[number].path);
    free(book->items[number].value);
    book->items[number] = book->items[--book->count];
}

void parameter_book_destroy(ParameterBook *book) {
    while (book->count)
        drop(book, book->count - 1);
    free(book->items);
    pthread_mutex_destroy(&book->lock);
}

static char *heap_text(Slice text) {
    char *copy = alloc_raw(text.len + 1);

    if (text.len)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return copy;
}

Slice parameter_book_get(ParameterBook *book, Arena *arena, Slice path, Mono now) {
    Slice value = SLICE("");

    pthread_mutex_lock(&book->lock);
    for (uint32_t i = 0; i < book->count; i++) {
        const BookedParameter *item = &book->items[i];

        if (slice_eq_text(path, item->path) && !mono_reached(now, item->until))
            value = arena_slice(arena, slice_of(item->value));
    }
    pthread_mutex_unlock(&book->lock);
    return value;
}

void parameter_book_put(ParameterBook *book, Slice path, Slice value, bool is_mutable, Mono now, Mono until) {
    pthread_mutex_lock(&book->lock);
    for (uint32_t i = book->count; i-- > 0;) {
        if (slice_eq_text(path, book->items[i].path) || mono_reached(now, book->items[i].until))
            drop(book, i);
    }
    GROW(book->items, book->capacity, book->count + 1);
    book->items[book->count++] = (BookedParameter){heap_text(path), heap_text(value), is_mutable, until};
    pthread_mutex_unlock(&book->lock);
}

static bool is_listed(const SliceVec *list, Slice text) {
    for (vec_each(const Slice, other, list)) {
        if (slice_eq(*other, text))
            return true;
    }
    return false;
}

SliceVec parameter_book_mutable(ParameterBook *book, Arena *arena) {
    SliceVec values = {0};

    pthread_mutex_lock(&book->lock);
    for (uint32_t i = 0; i < book->count; i++) {
        Slice value = slice_of(book->items[i].value);

        if (book->items[i].is_mutable && !is_listed(&values, value))
            vec_push(arena, &values, arena_slice(arena, value));
    }
    pthread_mutex_unlock(&book->lock);
    return values;
}

void parameter_book_forget(ParameterBook *book, Slice value) {
    pthread_mutex_lock(&book->lock);
    for (uint32_t i = book->count; i-- > 0;) {
        if (slice_eq_text(value, book->items[i].value))
            drop(book, i);
    }
    pthread_mutex_unlock(&book->lock);
}
