// The EC2 catalogue: all instance types, with their zones and prices.
//
// live/live_catalogue.h makes one from what EC2 answers. Another is embedded in tenon (data/ec2.tsv, made by
// bench/catalogue/generate.py; its README explains each column and the source of each number), so that a plan needs no
// account and no network. All records are in the arena of the reader; their slices point into the text, which must live
// as long. How the numbers are used: reference aws.md 4.1 to 4.5.
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

typedef struct {
    Slice name; // "us-east-1a"
    Slice id;   // "use1-az2": as mapped for the account that the data comes from; other accounts have other pairs.
                // Empty: not known
} Ec2Zone;

enum { EC2_ZONES_MAX = 31 }; // bits of Ec2Offer.zones; zones, and local zones that the account has opted into

typedef struct {
    Slice name;
    Slice currency; // of its prices: "USD", in China "CNY"
    Ec2Zone zones[EC2_ZONES_MAX];
    uint32_t zone_count;
} Ec2Region;
typedef Vec(Ec2Region) Ec2RegionVec;

// Price of a type in a region, and the zones that offer it.
typedef struct {
    double on_demand_per_hour;   // 0: unknown
    uint32_t zones;              // bit i: region->zones[i]; 0: not offered in the region
    bool estimated;              // the price was derived from related types, not read from a price list
    const double *spot_per_hour; // for each of region->zones, 0: unknown; NULL: spot prices are estimated
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
    Slice arch;               // as Kubernetes names it: "amd64", "arm64"
    Slice hypervisor;         // "nitro", "xen"; empty on bare metal
    Slice manufacturer;       // of the processor: "Intel", "AMD", "AWS"
    bool bare_metal, encryption_in_transit, nested_virtualization, nitro_enclaves, cluster_placement, ena;
    uint32_t usages; // Ec2Usage bits
    int64_t cpus, memory_mib;
    U32Vec cards;          // maximum number of network interfaces by network card; not empty
    uint32_t default_card; // index of the card that carries the addresses of pods
    int64_t ipv4_per_interface, efa_interfaces;
    int64_t branch_interfaces;                             // pod ENIs; 0: no trunking
    int64_t network_mbps, ebs_mbps, storage_gb, clock_mhz; // -1: none, or unknown
    bool storage_is_nvme;
    int64_t ebs_attachments;        // volumes that can be attached, including the root volume
    bool attachments_are_dedicated; // else network interfaces count against the same limit
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

// The text of the embedded catalogue; lives as long as the process.
Slice ec2_catalogue_embedded(void);

// Parses `text`; `file` is for messages. O(length). ERR_INVALID: not a catalogue of the version that this tenon reads;
// the text names file, line and column.
ErrCode ec2_catalogue_parse(Arena *arena, Slice file, Slice text, Ec2Catalogue *ret_catalogue, Err *err);

// The region of that name, or NULL. O(regions).
const Ec2Region *ec2_catalogue_region(const Ec2Catalogue *catalogue, Slice name);
// The type of that name, or NULL. O(log types).
const Ec2Type *ec2_catalogue_type(const Ec2Catalogue *catalogue, Slice name);

// An architecture in EC2's words ("x86_64", "arm64") as Kubernetes calls it; empty: one that nodes do not have.
Slice ec2_arch(Slice architecture);

// The offer of a type in a region of the same catalogue; its `zones` are 0 where there is none.
const Ec2Offer *ec2_offer(const Ec2Catalogue *catalogue, const Ec2Type *type, const Ec2Region *region);
// Prices per hour in the region's currency; 0: not offered, or unknown. `zone` is an index of region->zones. A spot
// price is an estimate, a fixed percentage of the on-demand price, where the offer has none.
double ec2_price_on_demand(const Ec2Catalogue *catalogue, const Ec2Type *type, const Ec2Region *region);
double ec2_price_spot(const Ec2Catalogue *catalogue, const Ec2Type *type, const Ec2Region *region, uint32_t zone);
