// The instance types of a scene in the format of `--catalog` (cloud/kwok/types.h).
#include "write_parts.h"

// Labels that a catalogue entry says by other means, or that its reader derives.
static bool is_implied(const SceneWriter *writer, Symbol key) {
    return key == NAME_INSTANCE_TYPE || key == NAME_ARCH || key == NAME_OS || key == NAME_ZONE ||
           key == NAME_CAPACITY_TYPE || slice_starts_with(text_of(writer, key), SLICE("karpenter.kwok.sh/"));
}

static ExpressionVec expressions_of(SceneWriter *writer, const Requirements *set, bool with_implied) {
    ExpressionVec all = requirements_to_expressions(&writer->scratch, scene_symbols(writer->scene), set), kept = {0};

    for (vec_each(const Expression, expression, &all)) {
        if (with_implied || !is_implied(writer, expression->key))
            vec_push(&writer->scratch, &kept, *expression);
    }
    return kept;
}

static void write_offering(SceneWriter *writer, const Offering *offering) {
    ExpressionVec expressions = expressions_of(writer, &offering->requirements, true);

    CHECK(!offering->has_override && offering->reservation_id == NAME_EMPTY, "offering not written");
    json_begin(&writer->json, NO_NAME, '{');
    json_real(&writer->json, SLICE("Price"), offering->price_per_hour);
    json_bool(&writer->json, SLICE("Available"), offering->available);
    write_expressions(writer, SLICE("Requirements"), &expressions);
    json_end(&writer->json, '}');
}

static void write_volume_limits(SceneWriter *writer, const VolumeLimitVec *limits) {
    json_begin(&writer->json, SLICE("volumeLimits"), '{');
    for (vec_each(const VolumeLimit, limit, limits))
        json_int(&writer->json, text_of(writer, limit->driver), limit->count);
    json_end(&writer->json, '}');
}

static void write_type(SceneWriter *writer, const InstanceType *type) {
    const Requirement *arch = requirements_get(&type->requirements, NAME_ARCH);
    const Requirement *systems = requirements_get(&type->requirements, NAME_OS);
    ExpressionVec expressions = expressions_of(writer, &type->requirements, false);

    CHECK(arch && arch->values.count == 1 && systems && systems->values.count, "a type without platform");
    json_begin(&writer->json, NO_NAME, '{');
    write_symbol(writer, SLICE("name"), type->name);
    write_symbol(writer, SLICE("architecture"), arch->values.items[0]);
    json_begin(&writer->json, SLICE("operatingSystems"), '[');
    for (vec_each(const Symbol, system, &systems->values))
        write_symbol(writer, NO_NAME, *system);
    json_end(&writer->json, ']');
    write_amounts(writer, SLICE("resources"), &type->capacity, true);
    write_amounts(writer, SLICE("overhead"), &type->overhead, true);
    json_begin(&writer->json, SLICE("offerings"), '[');
    for (vec_each(const Offering, offering, &type->offerings))
        write_offering(writer, offering);
    json_end(&writer->json, ']');
    write_expressions(writer, SLICE("requirements"), &expressions);
    write_volume_limits(writer, &type->volume_limits);
    json_end(&writer->json, '}');
}

void write_catalogue(SceneWriter *writer) {
    json_begin(&writer->json, NO_NAME, '[');
    for (vec_each(const InstanceType, type, &writer->scene->types)) {
        ArenaMark mark = arena_mark(&writer->scratch);

        write_type(writer, type);
        arena_rewind(&writer->scratch, mark);
    }
    json_end(&writer->json, ']');
}
