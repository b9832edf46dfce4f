#include "cloud/kwok/type_builder.h"

enum { DEFAULT_PODS = 110, DEFAULT_RESERVED_CPU_MILLI = 100, DEFAULT_RESERVED_MEMORY = 10 << 20 };

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether the size is one of AWS: nano, micro, small, medium, large, metal, or digits and "xlarge".
static bool is_aws_size(Slice size) {
    static const char *const sizes[] = {"nano", "micro", "small", "medium", "large", "metal", "xlarge"};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (slice_eq_text(size, sizes[i]))
            return true;
    }
    while (size.len && size.ptr[0] >= '0' && size.ptr[0] <= '9')
        size = slice_from(size, 1);
    return slice_eq(size, SLICE("xlarge"));
}

Slice kwok_size(Slice name, Slice cpu) {
    size_t word = 0;

    while (word < name.len && is_word(name.ptr[word]))
        word++;
    if (word > 0 && word < name.len && name.ptr[word] == '.' && is_aws_size(slice_from(name, word + 1)))
        return slice_from(name, word + 1);
    return cpu;
}

Slice kwok_family(Slice name) {
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '.' || name.ptr[i] == '-')
            return slice_first(name, i);
    }
    return slice_first(name, 1);
}

typedef struct {
    Arena *arena;
    Symbols *symbols;
    Requirements *set;
} Labeller;

static void add_values(const Labeller *labeller, Symbol key, const SymbolVec *values) {
    Expression expression = {.key = key, .op = OP_IN, .values = *values};
    Requirement requirement = requirement_make(labeller->arena, labeller->symbols, &expression);

    requirements_add(labeller->arena, labeller->symbols, labeller->set, &requirement);
}

static void add_text(const Labeller *labeller, Slice key, Slice value) {
    Requirement requirement =
        requirement_in(labeller->arena, symbol_intern(labeller->symbols, key), symbol_intern(labeller->symbols, value));

    requirements_add(labeller->arena, labeller->symbols, labeller->set, &requirement);
}

static void add_once(Arena *arena, SymbolVec *values, Symbol value) {
    for (uint32_t i = 0; i < values->count; i++) {
        if (values->items[i] == value)
            return;
    }
    vec_push(arena, values, value);
}

static Requirements labels_of(Arena *arena, Symbols *symbols, const TypeDraft *draft) {
    Slice name = symbol_text(symbols, draft->name);
    Requirements set = {0};
    Labeller labeller = {arena, symbols, &set};
    SymbolVec zones = {0}, capacity_types = {0};

    for (uint32_t i = 0; i < draft->offerings.count; i++) {
        add_once(arena, &zones, draft->offerings.items[i].zone);
        add_once(arena, &capacity_types, draft->offerings.items[i].capacity_type);
    }
    add_text(&labeller, symbol_text(symbols, NAME_INSTANCE_TYPE), name);
    add_text(&labeller, symbol_text(symbols, NAME_ARCH), symbol_text(symbols, draft->arch));
    add_values(&labeller, NAME_OS, &draft->systems);
    add_values(&labeller, NAME_ZONE, &zones);
    add_values(&labeller, NAME_CAPACITY_TYPE, &capacity_types);
    add_text(&labeller, SLICE("karpenter.kwok.sh/instance-size"), kwok_size(name, draft->cpu));
    add_text(&labeller, SLICE("karpenter.kwok.sh/instance-family"), kwok_family(name));
    add_text(&labeller, SLICE("karpenter.kwok.sh/instance-cpu"), draft->cpu);
    add_text(&labeller, SLICE("karpenter.kwok.sh/instance-memory"), draft->memory);
    requirements_add_all(arena, symbols, &set, &draft->extra);
    return set;
}

InstanceType kwok_build_type(Arena *arena, Symbols *symbols, const TypeDraft *draft) {
    InstanceType type = {.name = draft->name,
                         .requirements = labels_of(arena, symbols, draft),
                         .offerings = draft->offerings,
                         .capacity = resources_copy(arena, &draft->capacity),
                         .overhead = draft->overhead,
                         .volume_limits = draft->volume_limits};

    if (!resources_has(&type.capacity, NAME_PODS))
        resources_set(arena, &type.capacity, NAME_PODS, DEFAULT_PODS);
    if (!draft->has_overhead) {
        resources_set(arena, &type.overhead, NAME_CPU, DEFAULT_RESERVED_CPU_MILLI);
        resources_set(arena, &type.overhead, NAME_MEMORY, DEFAULT_RESERVED_MEMORY);
    }
    return type;
}
