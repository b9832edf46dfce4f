// Instance types for tests, from texts.
#include "sched/support/world_parts.h"

#include "text/yaml.h"

static const TypeText standard_types[] = {
    {.name = "small", .capacity = "cpu: 2, memory: 4Gi, pods: 10", .price = 0.1},
    {.name = "medium", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.2},
    {.name = "large", .capacity = "cpu: 8, memory: 16Gi, pods: 10", .price = 0.4},
    {.name = "huge", .capacity = "cpu: 16, memory: 32Gi, pods: 10", .price = 0.8},
    {.name = "arm", .capacity = "cpu: 16, memory: 128Gi, pods: 10", .arch = "arm64", .price = 0.9},
};

static const double SPOT_SHARE = 0.6; // of the price

bool word_in(const char *list, Slice word) {
    for (Slice each = next_word(&list); each.len; each = next_word(&list)) {
        if (slice_eq(each, word))
            return true;
    }
    return false;
}

Slice next_word(const char **at) {
    size_t skip = strspn(*at, " ,"), len = strcspn(*at + skip, " ,");
    Slice word = {*at + skip, len};

    *at += skip + len;
    return word;
}

typedef struct {
    World *world;
    Cluster *cluster;
} Maker;

static const Value *parse(const Maker *maker, const char *before, const char *text, const char *after) {
    Arena *arena = &maker->cluster->arena;
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};
    Slice whole = arena_printf(arena, "%s%s%s", before, text ? text : "", after);

    CHECK(yaml_parse(arena, SLICE("type"), whole, &(ParseOptions){.strict = true}, &documents, &warnings, &err) == OK,
          "%s", err.text);
    CHECK(documents.count == 1, "\"%.*s\" is no fragment of a type", SLICE_ARG(whole));
    return &documents.items[0].root;
}

static Symbol symbol(const Maker *maker, const char *text) {
    return symbol_intern(&maker->cluster->symbols, slice_of(text));
}

static Resources make_resources(const Maker *maker, const char *text) {
    const Value *map = parse(maker, "{", text, "}");
    Resources list = {0};

    for (vec_each(ValueMember, member, &map->map)) {
        Symbol resource = symbol_intern(&maker->cluster->symbols, member->key);
        int64_t amount;

        CHECK(quantity_parse(member->value.text, resource_scale(resource), &amount, NULL) == OK, "\"%s\"", text);
        resources_set(&maker->cluster->arena, &list, resource, amount);
    }
    return list;
}

static void require(const Maker *maker, Requirements *set, const Expression *expression) {
    Requirement requirement = requirement_make(&maker->cluster->arena, &maker->cluster->symbols, expression);

    requirements_add(&maker->cluster->arena, &maker->cluster->symbols, set, &requirement);
}

static void require_words(const Maker *maker, Requirements *set, Symbol key, const char *words) {
    Expression expression = {.key = key, .op = OP_IN};

    for (Slice word = next_word(&words); word.len; word = next_word(&words))
        vec_push(&maker->cluster->arena, &expression.values, symbol_intern(&maker->cluster->symbols, word));
    require(maker, set, &expression);
}

// IN(…), EXISTS(…) and the like, as they stand in a manifest.
static void require_text(const Maker *maker, Requirements *set, const char *text) {
    static const Operator operators[] = {OP_IN, OP_NOT_IN, OP_EXISTS, OP_DOES_NOT_EXIST, OP_GT, OP_LT, OP_GTE, OP_LTE};
    const Value *list = parse(maker, "[", text, "]");

    for (vec_each(Value, entry, &list->list)) {
        const Value *values = value_get_text(entry, "values");
        Expression expression = {.key = symbol_intern(&maker->cluster->symbols, value_get_text(entry, "key")->text)};

        for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
            if (slice_eq_text(value_get_text(entry, "operator")->text, operator_text(operators[i])))
                expression.op = operators[i];
        }
        for (uint32_t i = 0; values && i < values->list.count; i++)
            vec_push(&maker->cluster->arena, &expression.values,
                     symbol_intern(&maker->cluster->symbols, values->list.items[i].text));
        require(maker, set, &expression);
    }
}

static void add_offering(const Maker *maker, InstanceType *type, const OfferingText *text) {
    Offering *offering = vec_add(&maker->cluster->arena, &type->offerings);
    const char *capacity_type = text->capacity_type ? text->capacity_type : "on-demand";

    offering->zone = symbol(maker, text->zone);
    offering->capacity_type = symbol(maker, capacity_type);
    offering->price_per_hour = text->price;
    offering->available = !text->unavailable;
    require_words(maker, &offering->requirements, NAME_ZONE, text->zone);
    require_words(maker, &offering->requirements, NAME_CAPACITY_TYPE, capacity_type);
    if (text->reservation) {
        offering->reservation_id = symbol(maker, text->reservation);
        offering->reservation_capacity = text->count;
        require_words(maker, &offering->requirements, NAME_RESERVATION_ID, text->reservation);
    }
    offering->has_override = text->capacity || text->overhead;
    offering->capacity_override = make_resources(maker, text->capacity);
    offering->overhead_override = make_resources(maker, text->overhead);
}

// Adds an offering for each zone and capacity type.
static void add_offerings(const Maker *maker, InstanceType *type, const TypeText *text) {
    const char *zones = text->zones ? text->zones : "a b c";

    for (Slice zone = next_word(&zones); zone.len; zone = next_word(&zones)) {
        const char *kinds = text->capacity_types ? text->capacity_types : "spot on-demand";

        for (Slice kind = next_word(&kinds); kind.len; kind = next_word(&kinds)) {
            OfferingText offering = {.zone = arena_text(&maker->world->arena, zone),
                                     .capacity_type = arena_text(&maker->world->arena, kind),
                                     .price = text->price * (slice_eq_text(kind, "spot") ? SPOT_SHARE : 1)};

            add_offering(maker, type, &offering);
        }
    }
}

static void add_volume_limits(const Maker *maker, InstanceType *type, const char *text) {
    Resources limits = make_resources(maker, text);

    for (uint32_t i = 0; i < limits.count; i++)
        vec_push(&maker->cluster->arena, &type->volume_limits,
                 (VolumeLimit){.driver = limits.items[i].resource, .has_count = true, .count = limits.items[i].amount});
}

// zone and capacity-type of a type are those of its offerings.
static void require_offered(const Maker *maker, InstanceType *type, Symbol key) {
    Expression expression = {.key = key, .op = OP_IN};

    for (vec_each(Offering, offering, &type->offerings))
        vec_push(&maker->cluster->arena, &expression.values,
                 key == NAME_ZONE ? offering->zone : offering->capacity_type);
    require(maker, &type->requirements, &expression);
}

static InstanceType make_type(const Maker *maker, const TypeText *text) {
    InstanceType type = {.name = symbol(maker, text->name),
                         .capacity = make_resources(maker, text->capacity),
                         .overhead = make_resources(maker, text->overhead)};

    add_offerings(maker, &type, text);
    for (vec_each(OfferingText, offering, &maker->world->offerings)) {
        if (strcmp(offering->type, text->name) == 0)
            add_offering(maker, &type, offering);
    }
    require_words(maker, &type.requirements, NAME_INSTANCE_TYPE, text->name);
    require_words(maker, &type.requirements, NAME_ARCH, text->arch ? text->arch : "amd64");
    require_words(maker, &type.requirements, NAME_OS, text->systems ? text->systems : "linux");
    require_offered(maker, &type, NAME_ZONE);
    require_offered(maker, &type, NAME_CAPACITY_TYPE);
    require_text(maker, &type.requirements, text->labels);
    add_volume_limits(maker, &type, text->volume_limits);
    return type;
}

const InstanceTypeVec *world_types(World *world, Cluster *cluster, const char *names) {
    InstanceTypeVec *types = arena_new(&cluster->arena, InstanceTypeVec);
    Maker maker = {world, cluster};
    const TypeText *texts = world->types.count ? world->types.items : standard_types;
    uint32_t count = world->types.count ? world->types.count : sizeof standard_types / sizeof *standard_types;

    for (uint32_t i = 0; i < count; i++) {
        if (!names || word_in(names, slice_of(texts[i].name)))
            vec_push(&cluster->arena, types, make_type(&maker, &texts[i]));
    }
    return types;
}
