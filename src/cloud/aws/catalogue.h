// The EC2 catalogue: every instance type, where it is offered, and what it costs.
//
// tenon carries one inside (data/ec2.tsv, made by bench/catalogue/generate.py; its README says what each column means
// and where each number comes from), so that a plan needs no account and no network. All records live in the arena of
// the reader; their slices point into the text, which must live as long.
// What the numbers are for: reference aws.md 4.1 to 4.5.
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

typedef struct {
    Slice name; // "us-east-1a"
    Slice id;   // "use1-az2": the mapping of the account that the data was read with; other accounts see other pairs
} Ec2Zone;

enum { EC2_ZONES_MAX = 8 };

typedef struct {
    Slice name;
    Slice currency; // of its prices: "USD", "CNY" in China
    Ec2Zone zones[EC2_ZONES_MAX];
    uint32_t zone_count;
} Ec2Region;
typedef Vec(Ec2Region) Ec2RegionVec;

// What a type costs in a region, and in which of its zones it is offered.
typedef struct {
    double on_demand_per_hour; // 0: unknown
    uint32_t zones;            // bit i: region->zones[i]; 0: not offered in the region
    bool estimated;            // the price was derived from related types, not read from a price list
} Ec2Offer;

// A GPU or inference accelerator, as DescribeInstanceTypes names it.
typedef struct {
    Slice manufacturer, name;
    int64_t count, memory_mib;
} Ec2Device;
typedef Vec(Ec2Device) Ec2DeviceVec;

typedef struct {
    Slice name;
    int64_t count, cores_per_device;
} Ec2Neuron;
typedef Vec(Ec2Neuron) Ec2NeuronVec;

typedef enum { EC2_USAGE_ON_DEMAND = 1, EC2_USAGE_SPOT = 2, EC2_USAGE_CAPACITY_BLOCK = 4 } Ec2Usage;

typedef struct {
    Slice name, family, size; // "m5.large" is "m5" and "large"
    Slice arch;               // Kubernetes' word: "amd64", "arm64"
    Slice hypervisor;         // "nitro", "xen"; empty on bare metal
    Slice manufacturer;       // of the processor: "Intel", "AMD", "AWS"
    bool bare_metal, encryption_in_transit, nested_virtualization, nitro_enclaves, cluster_placement, ena;
    uint32_t usages; // Ec2Usage bits
    int64_t cpus, memory_mib;
    U32Vec cards; // maximum interfaces by network card; [0] is the default card
    int64_t ipv4_per_interface, efa_interfaces;
    int64_t branch_interfaces;                             // pod ENIs; 0: no trunking
    int64_t network_mbps, ebs_mbps, storage_gb, clock_mhz; // -1: none, or not known
    bool storage_is_nvme;
    int64_t ebs_attachments;        // volumes that can be attached, the root volume included
    bool attachments_are_dedicated; // else network interfaces take from the same number
    Ec2DeviceVec gpus, accelerators;
    Ec2NeuronVec neurons;
    const Ec2Offer *offers; // one per region of the catalogue
    uint32_t spot_percent;  // of the on-demand price, typical for the family
} Ec2Type;
typedef Vec(Ec2Type) Ec2TypeVec;

typedef struct {
    Ec2RegionVec regions;
    Ec2TypeVec types; // sorted by name, each once
} Ec2Catalogue;

// The text of the catalogue in the binary. It lives as long as the process.
Slice ec2_catalogue_embedded(void);

// Reads the whole of `text`; `file` is for messages. O(length).
// ERR_INVALID: not a catalogue of the version this tenon reads; the text names file, line and column.
ErrCode ec2_catalogue_parse(Arena *arena, Slice file, Slice text, Ec2Catalogue *ret_catalogue, Err *err);

// A region by name, or NULL. O(regions).
const Ec2Region *ec2_catalogue_region(const Ec2Catalogue *catalogue, Slice name);
// A type by name, or NULL. O(log types).
const Ec2Type *ec2_catalogue_type(const Ec2Catalogue *catalogue, Slice name);

// The offer of a type in a region of the same catalogue; its `zones` are 0 where there is none.
const Ec2Offer *ec2_offer(const Ec2Catalogue *catalogue, const Ec2Type *type, const Ec2Region *region);
// Per hour in the region's currency; 0: not offered or not known. The spot price is an estimate: a fixed percentage.
double ec2_price_on_demand(const Ec2Catalogue *catalogue, const Ec2Type *type, const Ec2Region *region);
double ec2_price_spot(const Ec2Catalogue *catalogue, const Ec2Type *type, const Ec2Region *region);
