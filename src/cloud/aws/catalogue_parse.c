// Parser of the catalogue's text: lines of tab-separated fields, the first of which is the type of the line.
//
//   tenon-ec2-catalogue  VERSION         first line
//   columns  NAME…                       the columns of `type` lines, exactly those of catalogue_cells.c
//   source   TEXT                        ignored
//   region   NAME CURRENCY ZONE=ID,…     before the first type
//   family   NAME SPOT_PERCENT           before the first type of that family
//   type     one cell per column
#include "cloud/aws/catalogue_cells.h"

static ErrCode read_type(CatalogueReader *reader, Slice rest) {
    const Ec2Type *last = reader->catalogue.types.count ? vec_last(&reader->catalogue.types) : NULL;
    Ec2Type type;

    if (!reader->has_columns)
        return catalogue_fail(reader, "type", "a line \"columns\" above", SLICE(""));
    TRY(catalogue_read_cells(reader, rest, &type));
    if (last && slice_cmp(last->name, type.name) >= 0)
        return catalogue_fail(reader, "name", "types sorted by name, each once", type.name);
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a vector with room has items
    vec_push(reader->arena, &reader->catalogue.types, type);
    return OK;
}

static ErrCode read_columns(CatalogueReader *reader, Slice rest) {
    for (uint32_t i = 0; catalogue_column(i); i++) {
        Slice name = catalogue_take(&rest, '\t');

        if (!slice_eq_text(name, catalogue_column(i)))
            return catalogue_fail(reader, "columns", catalogue_column(i), name);
    }
    reader->has_columns = true;
    return rest.len ? catalogue_fail(reader, "columns", "the end of the line", rest) : OK;
}

static ErrCode read_region(CatalogueReader *reader, Slice rest) {
    Ec2Region region = {0};

    region.name = catalogue_take(&rest, '\t');
    region.currency = catalogue_take(&rest, '\t');
    if (reader->catalogue.types.count)
        return catalogue_fail(reader, "region", "regions before types", region.name);
    if (region.name.len == 0 || ec2_catalogue_region(&reader->catalogue, region.name))
        return catalogue_fail(reader, "region", "a name that is new", region.name);
    if (region.currency.len != 3)
        return catalogue_fail(reader, "region", "a currency", region.currency);
    while (rest.len) {
        Slice zone = catalogue_take(&rest, ',');
        Slice name = catalogue_take(&zone, '=');

        if (name.len <= region.name.len || !slice_starts_with(name, region.name) || zone.len == 0)
            return catalogue_fail(reader, "region", "REGIONLETTER=ZONE-ID", name);
        if (region.zone_count == EC2_ZONES_MAX)
            return catalogue_fail(reader, "region", "at most 31 zones", name);
        region.zones[region.zone_count++] = (Ec2Zone){name, zone};
    }
    vec_push(reader->arena, &reader->catalogue.regions, region);
    return region.zone_count ? OK : catalogue_fail(reader, "region", "at least one zone", region.name);
}

static ErrCode read_family(CatalogueReader *reader, Slice rest) {
    Slice name = catalogue_take(&rest, '\t');
    int64_t percent;

    if (name.len == 0 || !catalogue_count(rest, &percent) || percent < 1 || percent > 100)
        return catalogue_fail(reader, "family", "a name and a percentage from 1 to 100", rest);
    vec_push(reader->arena, &reader->families, (CatalogueFamily){name, (uint32_t)percent});
    return OK;
}

static ErrCode read_line(CatalogueReader *reader, Slice line) {
    Slice kind = catalogue_take(&line, '\t');

    if (slice_eq(kind, SLICE("type")))
        return read_type(reader, line);
    if (slice_eq(kind, SLICE("family")))
        return read_family(reader, line);
    if (slice_eq(kind, SLICE("region")))
        return read_region(reader, line);
    if (slice_eq(kind, SLICE("columns")))
        return read_columns(reader, line);
    return slice_eq(kind, SLICE("source"))
               ? OK
               : catalogue_fail(reader, "line", "source, columns, region, family or type", kind);
}

ErrCode ec2_catalogue_parse(Arena *arena, Slice file, Slice text, Ec2Catalogue *ret_catalogue, Err *err) {
    CatalogueReader reader = {.arena = arena, .file = file, .line = 1, .err = err};
    Slice first = catalogue_take(&text, '\n');

    if (!slice_eq(first, SLICE("tenon-ec2-catalogue\t1")))
        return catalogue_fail(&reader, "line", "\"tenon-ec2-catalogue\", a tab and version 1", first);
    while (text.len) {
        reader.line++;
        TRY(read_line(&reader, catalogue_take(&text, '\n')));
    }
    *ret_catalogue = reader.catalogue;
    return OK;
}
