// Filters by name and by tags.
#include "cloud/aws/filters.h"

void ec2_filter_add(Arena *arena, Ec2FilterVec *filters, Slice name, Slice value) {
    Ec2Filter filter = {.name = name};

    vec_push(arena, &filter.values, value);
    vec_push(arena, filters, filter);
}

void ec2_filter_add_tags(Arena *arena, Ec2FilterVec *filters, const TextEntryVec *tags) {
    for (vec_each(const TextEntry, tag, tags)) {
        if (slice_eq_text(tag->value, "*"))
            ec2_filter_add(arena, filters, SLICE("tag-key"), tag->key);
        else
            ec2_filter_add(arena, filters, arena_printf(arena, "tag:%.*s", SLICE_ARG(tag->key)), tag->value);
    }
}
