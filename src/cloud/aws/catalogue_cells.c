// The cells of a `type` line, one parser per column. bench/catalogue/README.md explains the columns.
#include "cloud/aws/catalogue_cells.h"

// Parses a price like "0.096": digits with an optional point, at most 15 digits; exact to the nearest double.
static bool parse_price(Slice text, double *ret_price) {
    int64_t digits = 0, scale = 1;
    bool fraction = false;

    if (text.len == 0 || text.len > 16)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        digits = digits * 10 + (text.ptr[i] - '0');
        scale *= fraction ? 10 : 1;
    }
    *ret_price = (double)digits / (double)scale;
    return digits > 0;
}

typedef ErrCode (*CellReader)(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type);

#define COUNT_CELL(column_name, field)                                                                                 \
    static ErrCode read_##column_name(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {  \
        return catalogue_count(cell, &type->field)                                                                     \
                   ? OK                                                                                                \
                   : catalogue_fail(reader, column, "a number up to 1000000000", cell);                                \
    }
#define OPTIONAL_CELL(column_name, field)                                                                              \
    static ErrCode read_##column_name(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {  \
        type->field = -1;                                                                                              \
        return cell.len == 0 || catalogue_count(cell, &type->field)                                                    \
                   ? OK                                                                                                \
                   : catalogue_fail(reader, column, "a number up to 1000000000 or nothing", cell);                     \
    }

COUNT_CELL(cpus, cpus)
COUNT_CELL(memory, memory_mib)
COUNT_CELL(ipv4, ipv4_per_interface)
COUNT_CELL(efa, efa_interfaces)
COUNT_CELL(branch, branch_interfaces)
OPTIONAL_CELL(network, network_mbps)
OPTIONAL_CELL(ebs, ebs_mbps)
OPTIONAL_CELL(clock, clock_mhz)

static ErrCode read_name(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {
    ptrdiff_t dot = slice_find(cell, '.');

    if (dot <= 0 || (size_t)dot + 1 == cell.len)
        return catalogue_fail(reader, column, "FAMILY.SIZE", cell);
    type->name = cell;
    type->family = slice_first(cell, (size_t)dot);
    type->size = slice_from(cell, (size_t)dot + 1);
    for (uint32_t i = 0; i < reader->families.count; i++) {
        if (slice_eq(reader->families.items[i].name, type->family)) {
            type->spot_percent = reader->families.items[i].spot_percent;
            return OK;
        }
    }
    return catalogue_fail(reader, column, "a type whose family has a line above", cell);
}

static ErrCode read_arch(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {
    type->arch = cell;
    return slice_eq(cell, SLICE("amd64")) || slice_eq(cell, SLICE("arm64"))
               ? OK
               : catalogue_fail(reader, column, "amd64 or arm64", cell);
}

static ErrCode read_hypervisor(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {
    type->hypervisor = cell;
    return cell.len == 0 || slice_eq(cell, SLICE("nitro")) || slice_eq(cell, SLICE("xen"))
               ? OK
               : catalogue_fail(reader, column, "nitro, xen or nothing", cell);
}

static ErrCode read_manufacturer(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {
    type->manufacturer = cell;
    return cell.len ? OK : catalogue_fail(reader, column, "a name", cell);
}

static ErrCode read_flags(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {
    for (size_t i = 0; i < cell.len; i++) {
        switch (cell.ptr[i]) {
        case 'b':
            type->bare_metal = true;
            break;
        case 'e':
            type->encryption_in_transit = true;
            break;
        case 'n':
            type->nested_virtualization = true;
            break;
        case 'v':
            type->nitro_enclaves = true;
            break;
        case 'c':
            type->cluster_placement = true;
            break;
        case 'a':
            type->ena = true;
            break;
        default:
            return catalogue_fail(reader, column, "letters of \"benvca\"", cell);
        }
    }
    return OK;
}

static ErrCode read_usage(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {
    for (size_t i = 0; i < cell.len; i++) {
        ptrdiff_t bit = slice_find(SLICE("osb"), cell.ptr[i]);

        if (bit < 0)
            return catalogue_fail(reader, column, "letters of \"osb\"", cell);
        type->usages |= 1u << bit;
    }
    return OK;
}

// Parses network cards like "3", "15*4", "8+7": runs of cards with the same maximum of interfaces.
static ErrCode read_cards(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {
    for (Slice rest = cell; rest.len;) {
        Slice run = catalogue_take(&rest, '+');
        Slice most = catalogue_take(&run, '*');
        int64_t interfaces, cards = 1;

        if (!catalogue_count(most, &interfaces) || interfaces > 1000 || (run.len && !catalogue_count(run, &cards)) ||
            cards > 64)
            return catalogue_fail(reader, column, "interfaces per card (\"3\", \"15*4\", \"8+7\")", cell);
        while (cards-- > 0)
            vec_push(reader->arena, &type->cards, (uint32_t)interfaces);
    }
    return type->cards.count ? OK : catalogue_fail(reader, column, "at least one network card", cell);
}

static ErrCode read_attachments(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {
    type->attachments_are_dedicated = slice_ends_with(cell, SLICE("d"));
    if (cell.len && (type->attachments_are_dedicated || slice_ends_with(cell, SLICE("s"))) &&
        catalogue_count(slice_first(cell, cell.len - 1), &type->ebs_attachments))
        return OK;
    return catalogue_fail(reader, column, "a number with \"d\" (dedicated) or \"s\" (shared)", cell);
}

static ErrCode read_storage(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {
    type->storage_gb = -1;
    if (cell.len == 0)
        return OK;
    type->storage_is_nvme = !slice_ends_with(cell, SLICE("!"));
    if (catalogue_count(slice_first(cell, cell.len - !type->storage_is_nvme), &type->storage_gb))
        return OK;
    return catalogue_fail(reader, column, "gigabytes, with \"!\" when not NVMe", cell);
}

// Parses devices like "8xNVIDIA/A100/40960;…".
static ErrCode read_devices(const CatalogueReader *reader, const char *column, Slice cell, Ec2DeviceVec *devices) {
    for (Slice rest = cell; rest.len;) {
        Slice part = catalogue_take(&rest, ';');
        Slice count = catalogue_take(&part, 'x');
        Ec2Device *device = vec_add(reader->arena, devices);

        device->manufacturer = catalogue_take(&part, '/');
        device->name = catalogue_take(&part, '/');
        if (!catalogue_count(count, &device->count) || !catalogue_count(part, &device->memory_mib) ||
            device->name.len == 0)
            return catalogue_fail(reader, column, "COUNTxMANUFACTURER/NAME/MIB", cell);
    }
    return OK;
}

static ErrCode read_gpus(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {
    return read_devices(reader, column, cell, &type->gpus);
}

static ErrCode read_accelerators(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {
    return read_devices(reader, column, cell, &type->accelerators);
}

static ErrCode read_neuron(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {
    for (Slice rest = cell; rest.len;) {
        Slice part = catalogue_take(&rest, ';');
        Slice count = catalogue_take(&part, 'x');
        Ec2Neuron *neuron = vec_add(reader->arena, &type->neurons);

        neuron->name = catalogue_take(&part, '/');
        if (!catalogue_count(count, &neuron->count) || !catalogue_count(part, &neuron->cores_per_device))
            return catalogue_fail(reader, column, "COUNTxNAME/CORES", cell);
    }
    return OK;
}

// Takes the zones from the front of an offer: "*" means all of the region, else their last letters.
static Slice take_zones(const Ec2Region *region, Slice cell, uint32_t *ret_zones) {
    uint32_t zones = 0;

    if (slice_starts_with(cell, SLICE("*"))) {
        *ret_zones = (1u << region->zone_count) - 1;
        return slice_from(cell, 1);
    }
    for (; cell.len && cell.ptr[0] >= 'a' && cell.ptr[0] <= 'z'; cell = slice_from(cell, 1)) {
        for (uint32_t i = 0; i < region->zone_count; i++) {
            Slice zone = region->zones[i].name;

            zones |= zone.ptr[zone.len - 1] == cell.ptr[0] ? 1u << i : 0;
        }
    }
    *ret_zones = zones;
    return cell;
}

// One cell per region: "" (not offered), or zones and "0.096" (price), "~0.1" (estimate), "=" (the first region's
// price), "?" (price unknown).
static ErrCode read_offers(const CatalogueReader *reader, const char *column, Slice cell, Ec2Type *type) {
    uint32_t regions = reader->catalogue.regions.count;
    Ec2Offer *offers = arena_array(reader->arena, Ec2Offer, regions);
    uint32_t i = 0;

    for (Slice rest = cell; rest.len; i++) {
        Slice part = catalogue_take(&rest, ',');
        Slice price;

        if (i == regions)
            return catalogue_fail(reader, column, "no more offers than regions", cell);
        if (part.len == 0)
            continue;
        price = take_zones(&reader->catalogue.regions.items[i], part, &offers[i].zones);
        offers[i].estimated = slice_starts_with(price, SLICE("~"));
        if (slice_eq(price, SLICE("=")))
            offers[i].on_demand_per_hour = offers[0].on_demand_per_hour;
        else if (!slice_eq(price, SLICE("?")) &&
                 !parse_price(slice_from(price, offers[i].estimated), &offers[i].on_demand_per_hour))
            return catalogue_fail(reader, column, "zones and a price (\"*0.096\", \"ac=\", \"b~0.1\", \"*?\")", part);
        if (offers[i].zones == 0)
            return catalogue_fail(reader, column, "at least one zone of the region", part);
    }
    type->offers = offers;
    return OK;
}

static const struct {
    const char *name;
    CellReader read;
} columns[] = {
    {"name", read_name},
    {"arch", read_arch},
    {"cpus", read_cpus},
    {"memory-mib", read_memory},
    {"hypervisor", read_hypervisor},
    {"flags", read_flags},
    {"usage", read_usage},
    {"cards", read_cards},
    {"ipv4", read_ipv4},
    {"efa", read_efa},
    {"branch", read_branch},
    {"network-mbps", read_network},
    {"ebs-mbps", read_ebs},
    {"attachments", read_attachments},
    {"storage-gb", read_storage},
    {"clock-mhz", read_clock},
    {"manufacturer", read_manufacturer},
    {"gpus", read_gpus},
    {"accelerators", read_accelerators},
    {"neuron", read_neuron},
    {"offers", read_offers},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

const char *catalogue_column(uint32_t index) {
    return index < COLUMN_COUNT ? columns[index].name : NULL;
}

ErrCode catalogue_read_cells(const CatalogueReader *reader, Slice cells, Ec2Type *ret_type) {
    Ec2Type type = {0};

    for (uint32_t i = 0; i < COLUMN_COUNT; i++) {
        bool is_last = i + 1 == COLUMN_COUNT;

        if (!is_last && slice_find(cells, '\t') < 0)
            return catalogue_fail(reader, columns[i + 1].name, "a cell", cells);
        TRY(columns[i].read(reader, columns[i].name, is_last ? cells : catalogue_take(&cells, '\t'), &type));
    }
    *ret_type = type;
    return OK;
}
