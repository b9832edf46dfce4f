// Any text as a catalogue of instance types: a list in KWOK's JSON, or the EC2 catalogue. What is read becomes types.
#include "support/fuzz.h"

#include "cloud/aws/instance_types.h"
#include "cloud/kwok/types.h"
#include "model/names.h"

static void read_kwok(Arena *arena, Symbols *symbols, Slice text) {
    InstanceTypeVec types;

    (void)kwok_types_read(arena, symbols, SLICE("fuzz.json"), text, &types, &(Err){0});
}

static void read_ec2(Arena *arena, Symbols *symbols, Slice text) {
    Ec2Catalogue catalogue;
    InstanceTypeVec types;

    if (ec2_catalogue_parse(arena, SLICE("fuzz.tsv"), text, &catalogue, &(Err){0}) != OK)
        return;
    for (vec_each(const Ec2Region, region, &catalogue.regions)) {
        Ec2TypeOptions options = EC2_TYPE_OPTIONS(region->name);

        (void)ec2_instance_types(arena, symbols, &catalogue, &options, NULL, &types, &(Err){0});
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Slice text = {(const char *)bytes, size};
    Arena arena = {0};
    Symbols symbols;

    names_init(&symbols);
    if (slice_starts_with(text, SLICE("tenon")))
        read_ec2(&arena, &symbols, text);
    else
        read_kwok(&arena, &symbols, text);
    symbols_free(&symbols);
    arena_free(&arena);
    return 0;
}
