// The hash of a template, by the table of its members: what is added to that table counts at once.
#include "cloud/aws/template/template_name.h"

#include "model/hash/struct_hash.h"

static uint64_t hash_value(const AwsShape *shape, const void *value);

static bool is_absent(const AwsShape *shape, const void *field) {
    switch (shape->kind) {
    case AWS_STRING:
    case AWS_BLOB:
        return !((const Slice *)field)->ptr;
    case AWS_BOOL:
        return !((const AwsBool *)field)->has;
    case AWS_INTEGER:
        return !((const AwsInteger *)field)->has;
    case AWS_STRUCTURE:
        return !*(const void *const *)field;
    default:
        return !((const AwsItems *)field)->items;
    }
}

// Members by name, so that their order in the table does not matter, but which of two has a value does.
static uint64_t hash_structure(const AwsShape *shape, const void *structure) {
    uint64_t hash = 0;

    for (uint32_t i = 0; i < shape->member_count; i++) {
        const AwsMember *member = &shape->members[i];
        const void *field = (const char *)structure + member->offset;

        if (is_absent(member->shape, field))
            continue;
        if (member->shape->kind == AWS_STRUCTURE)
            field = *(const void *const *)field;
        hash ^= struct_hash_ordered(struct_hash_text(member->name), hash_value(member->shape, field));
    }
    return struct_hash_number(hash);
}

// Elements in their order.
static uint64_t hash_list(const AwsShape *shape, const AwsItems *items) {
    uint64_t hash = struct_hash_number(items->count);

    for (uint32_t i = 0; i < items->count; i++)
        hash = struct_hash_ordered(hash, hash_value(shape->element, aws_items_at(shape, items, i)));
    return hash;
}

static uint64_t hash_value(const AwsShape *shape, const void *value) {
    switch (shape->kind) {
    case AWS_STRING:
    case AWS_BLOB:
        return struct_hash_text(*(const Slice *)value);
    case AWS_BOOL:
        return struct_hash_number(((const AwsBool *)value)->value);
    case AWS_INTEGER:
        return struct_hash_number((uint64_t)((const AwsInteger *)value)->value);
    case AWS_STRUCTURE:
        return hash_structure(shape, value);
    case AWS_LIST:
        return hash_list(shape, value);
    default:
        CHECK(false, "a launch template has no member of kind %d", (int)shape->kind);
        return 0;
    }
}

Slice template_name(Arena *arena, const Ec2LaunchTemplateData *data) {
    uint64_t hash = hash_structure(&shape_of_Ec2LaunchTemplateData, data);

    return arena_printf(arena, TEMPLATE_NAME_PREFIX "%llu", (unsigned long long)hash);
}
