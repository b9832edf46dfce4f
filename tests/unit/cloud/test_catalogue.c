// The EC2 catalogue: the file in the binary can be read and agrees with AWS' documentation; broken texts are refused
// with file, line and column.
#include "cloud/aws/catalogue.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/time.h"
static Arena arena;
static Ec2Catalogue catalogue;

static void read_embedded(void) {
    Err err = {0};

    if (ec2_catalogue_parse(&arena, SLICE("ec2.tsv"), ec2_catalogue_embedded(), &catalogue, &err) != OK) {
        fail_msg("%s", err.text);
    }
}

static void free_arena(void) {
    arena_free(&arena);
}

BEFORE_ALL(read_embedded);
AFTER_ALL(free_arena);

static const Ec2Type *type_of(const char *name) {
    const Ec2Type *type = ec2_catalogue_type(&catalogue, slice_of(name));

    assert_non_null(type);
    return type;
}

static const Ec2Region *region_of(const char *name) {
    const Ec2Region *region = ec2_catalogue_region(&catalogue, slice_of(name));

    assert_non_null(region);
    return region;
}

static void assert_slice(Slice got, const char *expected) {
    if (!slice_eq_text(got, expected))
        fail_msg("expected \"%s\", got \"%.*s\"", expected, SLICE_ARG(got));
}

TEST(the_embedded_file_holds_all_types_and_regions) {
    static const char *const regions[] = {"us-east-1",    "us-east-2",      "us-west-2",      "eu-west-1",
                                          "eu-central-1", "ap-northeast-1", "ap-northeast-2", "ap-southeast-1",
                                          "ap-south-1",   "us-gov-west-1",  "us-gov-east-1",  "cn-north-1"};

    assert_true(catalogue.types.count > 1300);
    assert_true(catalogue.regions.count >= 30);
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
        region_of(regions[i]);
}

TEST(m5_large_is_what_aws_documents) {
    const Ec2Type *type = type_of("m5.large");

    assert_slice(type->family, "m5");
    assert_slice(type->size, "large");
    assert_slice(type->arch, "amd64");
    assert_slice(type->hypervisor, "nitro");
    assert_slice(type->manufacturer, "Intel");
    assert_int_equal(type->cpus, 2);
    assert_int_equal(type->memory_mib, 8192);
    assert_int_equal(type->cards.count, 1);
    assert_int_equal(type->cards.items[0], 3);
    assert_int_equal(type->ipv4_per_interface, 10);
    assert_int_equal(type->branch_interfaces, 9);
    assert_int_equal(type->network_mbps, 750);
    assert_int_equal(type->ebs_mbps, 4750);
    assert_int_equal(type->ebs_attachments, 27);
    assert_false(type->attachments_are_dedicated);
    assert_int_equal(type->storage_gb, -1);
    assert_int_equal(type->clock_mhz, 3100);
    assert_int_equal(type->usages, EC2_USAGE_ON_DEMAND | EC2_USAGE_SPOT);
    assert_true(type->ena && type->cluster_placement);
    assert_false(type->bare_metal || type->encryption_in_transit || type->nested_virtualization);
}

TEST(accelerators_and_cards_are_read) {
    const Ec2Type *gpu = type_of("p4d.24xlarge"), *neuron = type_of("inf2.24xlarge"), *wide = type_of("p5.48xlarge");

    assert_int_equal(gpu->gpus.count, 1);
    assert_int_equal(gpu->gpus.items[0].count, 8);
    assert_slice(gpu->gpus.items[0].manufacturer, "NVIDIA");
    assert_slice(gpu->gpus.items[0].name, "A100");
    assert_int_equal(gpu->gpus.items[0].memory_mib, 40960);
    assert_int_equal(gpu->storage_gb, 8000);
    assert_true(gpu->storage_is_nvme);
    assert_int_equal(gpu->efa_interfaces, 4);
    assert_int_equal(gpu->cards.count, 4);
    assert_int_equal(neuron->neurons.items[0].count, 6);
    assert_int_equal(neuron->neurons.items[0].cores_per_device, 2);
    assert_int_equal(wide->cards.count, 32);
    assert_true(wide->usages & EC2_USAGE_CAPACITY_BLOCK);
}

TEST(prices_differ_by_region) {
    const Ec2Type *type = type_of("m5.large");

    assert_true(ec2_price_on_demand(&catalogue, type, region_of("us-east-1")) == 0.096);
    assert_true(ec2_price_on_demand(&catalogue, type, region_of("us-west-2")) == 0.096);
    assert_true(ec2_price_on_demand(&catalogue, type, region_of("ap-northeast-2")) == 0.118);
    assert_true(ec2_price_on_demand(&catalogue, type, region_of("eu-west-1")) == 0.107);
    assert_slice(region_of("cn-north-1")->currency, "CNY");
}

// Every spot price is a share of the on-demand price; a type without spot has none.
TEST(spot_prices_are_below_on_demand) {
    for (uint32_t i = 0; i < catalogue.types.count; i++) {
        const Ec2Type *type = &catalogue.types.items[i];

        for (uint32_t r = 0; r < catalogue.regions.count; r++) {
            const Ec2Region *region = &catalogue.regions.items[r];
            double price = ec2_price_on_demand(&catalogue, type, region),
                   spot = ec2_price_spot(&catalogue, type, region, 0);

            assert_true(type->usages & EC2_USAGE_SPOT ? spot < price || price == 0 : spot == 0);
            assert_true(price >= 0 && price < 5000);
        }
    }
}

TEST(an_offer_names_zones_of_its_region) {
    const Ec2Region *region = region_of("ap-northeast-2");
    const Ec2Offer *offer = ec2_offer(&catalogue, type_of("r8g.large"), region);

    assert_int_equal(region->zone_count, 4);
    assert_slice(region->zones[0].name, "ap-northeast-2a");
    assert_slice(region->zones[0].id, "apne2-az1");
    assert_int_equal(offer->zones, 7); // a, b and c, not d
    assert_true(offer->estimated);
    assert_true(offer->on_demand_per_hour > 0.13 && offer->on_demand_per_hour < 0.16);
    assert_int_equal(ec2_offer(&catalogue, type_of("c7i.2xlarge"), region_of("cn-north-1"))->zones, 0);
}

TEST(unknown_names_are_not_found) {
    assert_null(ec2_catalogue_type(&catalogue, SLICE("m5.huge")));
    assert_null(ec2_catalogue_type(&catalogue, SLICE("")));
    assert_null(ec2_catalogue_region(&catalogue, SLICE("mars-east-1")));
}

#define HEAD                                                                                                           \
    "tenon-ec2-catalogue\t1\n"                                                                                         \
    "columns\tname\tarch\tcpus\tmemory-mib\thypervisor\tflags\tusage\tcards\tipv4\tefa\tbranch\tnetwork-mbps\t"        \
    "ebs-mbps\tattachments\tstorage-gb\tclock-mhz\tmanufacturer\tgpus\taccelerators\tneuron\toffers\n"                 \
    "region\tus-x\tUSD\tus-xa=x-az1,us-xb=x-az2\nregion\teu-x\tUSD\teu-xa=e-az1\nfamily\tm1\t30\n"

TEST(a_small_text_is_read) {
    Ec2Catalogue small;
    Err err = {0};
    const Ec2Type *type;

    assert_int_equal(ec2_catalogue_parse(&arena, SLICE("small"),
                                         SLICE(HEAD "type\tm1.big\tarm64\t4\t16384\t\tbe\to\t15*2+7\t8\t0\t0\t\t\t12d\t"
                                                    "950!\t\tAWS\t\t\t\tb1.25,*=\n"),
                                         &small, &err),
                     OK);
    type = ec2_catalogue_type(&small, SLICE("m1.big"));
    assert_non_null(type);
    assert_int_equal(type->cards.count, 3);
    assert_int_equal(type->cards.items[2], 7);
    assert_int_equal(type->storage_gb, 950);
    assert_false(type->storage_is_nvme);
    assert_int_equal(type->network_mbps, -1);
    assert_int_equal(type->offers[0].zones, 2);
    assert_true(type->offers[1].on_demand_per_hour == 1.25);
    assert_true(ec2_price_spot(&small, type, &small.regions.items[0], 0) == 0); // usage "o"
}

TEST(broken_texts_are_refused_with_their_place) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "bad.tsv:1: line: expected \"tenon-ec2-catalogue\", a tab and version 1, got \"\""},
        {"tenon-ec2-catalogue\t2\n", "bad.tsv:1: line: expected \"tenon-ec2-catalogue\", a tab and version 1"},
        {"tenon-ec2-catalogue\t1\nnonsense\n", "bad.tsv:2: line: expected source, columns, region, family or type"},
        {"tenon-ec2-catalogue\t1\ncolumns\tname\tcpus\n", "bad.tsv:2: columns: expected arch, got \"cpus\""},
        {"tenon-ec2-catalogue\t1\ntype\tm1.a\n", "bad.tsv:2: type: expected a line \"columns\" above"},
        {HEAD "type\tm1.big\tarm64\tmany\t", "bad.tsv:6: cpus: expected a number up to 1000000000, got \"many\""},
        {HEAD "type\tm1.big\tarm64", "bad.tsv:6: cpus: expected a cell, got \"arm64\""},
        {HEAD "type\tm2.big\tarm64\t", "bad.tsv:6: name: expected a type whose family has a line above"},
        {HEAD "type\tm1\tarm64\t", "bad.tsv:6: name: expected FAMILY.SIZE, got \"m1\""},
        {HEAD "type\tm1.big\tmips\t1\t", "bad.tsv:6: arch: expected amd64 or arm64, got \"mips\""},
        {HEAD "family\tm2\t200\n", "bad.tsv:6: family: expected a name and a percentage from 1 to 100, got \"200\""},
        {HEAD "region\tus-x\tUSD\tus-xa=1\n", "bad.tsv:6: region: expected a name that is new, got \"us-x\""},
        {HEAD "region\tus-y\tUSD\tus-xa=1\n", "bad.tsv:6: region: expected REGIONLETTER=ZONE-ID, got \"us-xa\""},
        {HEAD "type\tm1.a\tarm64\t4\t1\t\t\to\t3\t8\t0\t0\t\t\t12d\t\t\tAWS\t\t\t\tb1.2.5\n",
         "bad.tsv:6: offers: expected"},
        {HEAD "type\tm1.a\tarm64\t4\t1\t\t\to\t3\t8\t0\t0\t\t\t12d\t\t\tAWS\t\t\t\tz1\n",
         "bad.tsv:6: offers: expected at least"},
        {HEAD "type\tm1.a\tarm64\t4\t1\t\t\to\t3\t8\t0\t0\t\t\t12d\t\t\tAWS\t\t\t\t*1,*1,*1\n",
         "bad.tsv:6: offers: expected no more"},
        {HEAD "type\tm1.a\tarm64\t4\t1\t\tz\to\t3\t8\t0\t0\t\t\t12d\t\t\tAWS\t\t\t\t*1\n",
         "bad.tsv:6: flags: expected"},
        {HEAD "type\tm1.a\tarm64\t4\t1\t\t\to\t\t8\t0\t0\t\t\t12d\t\t\tAWS\t\t\t\t*1\n",
         "bad.tsv:6: cards: expected at least"},
        {HEAD "type\tm1.a\tarm64\t4\t1\t\t\to\t3\t8\t0\t0\t\t\t12\t\t\tAWS\t\t\t\t*1\n",
         "bad.tsv:6: attachments: expected"},
        {HEAD "type\tm1.a\tarm64\t4\t1\t\t\to\t3\t8\t0\t0\t\t\t12d\t\t\tAWS\tGPU\t\t\t*1\n",
         "bad.tsv:6: gpus: expected"},
        {HEAD "type\tm1.b\tarm64\t4\t1\t\t\to\t3\t8\t0\t0\t\t\t12d\t\t\tAWS\t\t\t\t*1\n"
              "type\tm1.a\tarm64\t4\t1\t\t\to\t3\t8\t0\t0\t\t\t12d\t\t\tAWS\t\t\t\t*1\n",
         "bad.tsv:7: name: expected types sorted by name, each once, got \"m1.a\""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Ec2Catalogue untouched = {.types.count = 77};
        Err err = {0};

        assert_int_equal(ec2_catalogue_parse(&arena, SLICE("bad.tsv"), slice_of(cases[i].text), &untouched, &err),
                         ERR_INVALID);
        if (!slice_starts_with(slice_of(err.text), slice_of(cases[i].message)))
            fail_msg("case %zu: expected \"%s…\", got \"%s\"", i, cases[i].message, err.text);
        assert_int_equal(untouched.types.count, 77);
    }
}

// A truncated file is refused or, cut between two lines, a smaller catalogue; nothing is read past its end.
TEST(cut_texts_never_crash) {
    Slice text = ec2_catalogue_embedded();
    size_t refused = 0;

    for (size_t len = 0; len < 40000; len += 97) {
        Arena scratch = {0};
        Ec2Catalogue ignored;
        char *copy = malloc(len ? len : 1); // exactly as long as the cut text, so that ASan sees a read past it

        memcpy(copy, text.ptr, len);
        refused += ec2_catalogue_parse(&scratch, SLICE("cut"), (Slice){copy, len}, &ignored, NULL) != OK;
        free(copy);
        arena_free(&scratch);
    }
    assert_true(refused > 200);
}

TEST(reading_is_quick) {
    Mono begin;
    double best = 1e9;

    for (int i = 0; i < 5; i++) {
        Arena scratch = {0};
        Ec2Catalogue ignored;
        double milliseconds;

        begin = clock_system_mono();
        assert_int_equal(ec2_catalogue_parse(&scratch, SLICE("ec2.tsv"), ec2_catalogue_embedded(), &ignored, NULL), OK);
        milliseconds = ns_to_s(mono_since(clock_system_mono(), begin)) * 1e3;
        best = milliseconds < best ? milliseconds : best;
        arena_free(&scratch);
    }
    print_message("%u types, %u regions, %zu bytes read in %.2f ms\n", catalogue.types.count, catalogue.regions.count,
                  ec2_catalogue_embedded().len, best);
    assert_true(best < 100); // unoptimised, with sanitizers, on a busy machine
}
