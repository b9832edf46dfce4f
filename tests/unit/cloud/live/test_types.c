// Instance types and their zones from EC2's answers: upstream's area "instance types" (pkg/providers/instancetype).
// Reference aws.md 4.1, 4.2, 4.4. The answers are XML, read by the client's own tables.
#include "aws/service/operations.h"
#include "cloud/aws/live/type_pages.h"
#include "cloud/aws/live/zone_offers.h"
#include "cloud/support/ec2_answers.h"
#include "harness/test.h"

static Arena arena;
static Ec2Catalogue baked;

static void begin(void) {
    arena = (Arena){0};
    assert_int_equal(ec2_catalogue_parse(&arena, SLICE("ec2.tsv"), ec2_catalogue_embedded(), &baked, NULL), OK);
}

static void end(void) {
    arena_free(&arena);
}

BEFORE_EACH(begin);
AFTER_EACH(end);

static const char *replace(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);

    assert_non_null(at);
    return arena_printf(&arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)).ptr;
}

static void read_page(const AwsOperation *operation, const char *body, void *ret_output) {
    const AwsAnswer answer = {.status = 200, .body = slice_of(body)};
    AwsFault fault = {0};
    Err err = {0};

    if (aws_read(&arena, operation, &answer, ret_output, &fault, &err) != OK)
        fail_msg("%s", err.text);
    assert_int_equal(fault.status, 0);
}

static ErrCode read_types(const char *body, Ec2TypeVec *ret_types, Err *err) {
    Ec2TypePages pages = {.arena = &arena, .baked = &baked};
    Ec2DescribeInstanceTypesOutput page = {0};

    read_page(&ec2_describe_instance_types, body, &page);
    ec2_types_add(&pages, &page);
    return ec2_types_end(&pages, ret_types, err);
}

static Slice print_devices(const char *name, const Ec2DeviceVec *devices) {
    Slice text = SLICE("");

    for (vec_each(const Ec2Device, device, devices))
        text = arena_printf(&arena, "%.*s %s=%lldx%.*s/%.*s/%lld", SLICE_ARG(text), name, (long long)device->count,
                            SLICE_ARG(device->manufacturer), SLICE_ARG(device->name), (long long)device->memory_mib);
    return text;
}

static const char *print_type(const Ec2Type *type) {
    Slice cards = SLICE(""), neurons = SLICE("");

    for (vec_each(const uint32_t, most, &type->cards))
        cards = arena_printf(&arena, "%.*s,%u", SLICE_ARG(cards), *most);
    for (vec_each(const Ec2Neuron, neuron, &type->neurons))
        neurons = arena_printf(&arena, "%.*s neuron=%lldx%.*s/%lld", SLICE_ARG(neurons), (long long)neuron->count,
                               SLICE_ARG(neuron->name), (long long)neuron->cores_per_device);
    return arena_printf(
               &arena,
               "%.*s=%.*s/%.*s %.*s cpu=%lld mib=%lld %.*s %.*s use=%u cards%.*s@%u ipv4=%lld efa=%lld eni=%lld "
               "net=%lld ebs=%lld disk=%lld%s clock=%lld volumes=%lld%s%s%s%s%s%s%s spot=%u%%%.*s%.*s%.*s",
               SLICE_ARG(type->name), SLICE_ARG(type->family), SLICE_ARG(type->size), SLICE_ARG(type->arch),
               (long long)type->cpus, (long long)type->memory_mib, SLICE_ARG(type->hypervisor),
               SLICE_ARG(type->manufacturer), type->usages, SLICE_ARG(cards), type->default_card,
               (long long)type->ipv4_per_interface, (long long)type->efa_interfaces, (long long)type->branch_interfaces,
               (long long)type->network_mbps, (long long)type->ebs_mbps, (long long)type->storage_gb,
               type->storage_is_nvme ? "n" : "", (long long)type->clock_mhz, (long long)type->ebs_attachments,
               type->attachments_are_dedicated ? "d" : "s", type->bare_metal ? " metal" : "",
               type->encryption_in_transit ? " encrypts" : "", type->nested_virtualization ? " nested" : "",
               type->nitro_enclaves ? " enclaves" : "", type->cluster_placement ? " cluster" : "",
               type->ena ? " ena" : "", type->spot_percent, SLICE_ARG(print_devices("gpu", &type->gpus)),
               SLICE_ARG(print_devices("accelerator", &type->accelerators)), SLICE_ARG(neurons))
        .ptr;
}

// What an m5.large becomes when `from` in its answer is `to`: a part of its line, or the message of the list's failure.
typedef struct {
    const char *name, *from, *to, *wanted;
} Row;

#define CARDS "<networkCardIndex>0</networkCardIndex><maximumNetworkInterfaces>3</maximumNetworkInterfaces></item>"
#define SECOND                                                                                                         \
    "<item><networkCardIndex>1</networkCardIndex><maximumNetworkInterfaces>7</maximumNetworkInterfaces></item>"
#define ADD  "<bareMetal>false</bareMetal>" // stands for what is added
#define SAYS "instance type \"m5.large\": "

static const Row rows[] = {
    {"instance types: name, family, size", ADD, "", "m5.large=m5/large amd64 cpu=2 mib=8192 nitro Intel use=3 "},
    {"instance types: all of Nitro's words", ADD, "", "ebs=4750 disk=-1 clock=3100 volumes=27s cluster ena spot="},
    {"instance types: bandwidth and pod ENIs are those of tables", ADD, "", " eni=9 net=750 "},
    {"instance types: no hypervisor on metal", ADD "<hypervisor>nitro</hypervisor>", "<bareMetal>true</bareMetal>",
     "mib=8192  Intel use=3 "},
    {"instance types: bare metal", ADD, "<bareMetal>true</bareMetal>", "volumes=27s metal cluster"},
    {"instance types: arm64", "x86_64", "arm64", " arm64 cpu"},
    {"instance types: the first architecture that is known", "<item>x86_64<", "<item>i386</item><item>x86_64<",
     " amd64 cpu"},
    {"instance types: on demand alone", "<item>spot</item>", "", " use=1 "},
    {"instance types: capacity blocks", "<item>spot</item>", "<item>capacity-block</item>", " use=5 "},
    {"instance types: a use that is new", "<item>spot</item>", "<item>barter</item>", " use=1 "},
    {"instance types: clock speeds are rounded", "3.1<", "2.6996<", "clock=2700 "},
    {"instance types: no clock speed", "<sustainedClockSpeedInGhz>3.1</sustainedClockSpeedInGhz>", "", "clock=-1 "},
    {"instance types: EBS bandwidth only where it is the default", "default<", "supported<", " ebs=-1 "},
    {"instance types: local NVMe", ADD,
     "<instanceStorageInfo><totalSizeInGB>75</totalSizeInGB><nvmeSupport>required</nvmeSupport></instanceStorageInfo>",
     " disk=75n "},
    {"instance types: local disks without NVMe", ADD,
     "<instanceStorageInfo><totalSizeInGB>75</totalSizeInGB><nvmeSupport>unsupported</nvmeSupport>"
     "</instanceStorageInfo>",
     " disk=75 "},
    {"instance types: volumes on a limit of their own", "shared<", "dedicated<", " volumes=27d"},
    {"instance types: volumes that EC2 does not count", "<maximumEbsAttachments>27</maximumEbsAttachments>", "",
     " volumes=27s"},
    {"instance types: nested virtualization", "</processorInfo>",
     "<supportedFeatures><item>nested-virtualization</item></supportedFeatures></processorInfo>", " nested "},
    {"instance types: another feature", "</processorInfo>",
     "<supportedFeatures><item>amd-sev-snp</item></supportedFeatures></processorInfo>", "volumes=27s cluster"},
    {"instance types: enclaves", "unsupported</nitro", "supported</nitro", " enclaves "},
    {"instance types: encryption in transit", "Supported>false<", "Supported>true<", " encrypts "},
    {"instance types: no ENA", "required</ena", "unsupported</ena", " cluster spot="},
    {"instance types: no cluster placement", "<item>cluster</item>", "<item>spread</item>", "volumes=27s ena"},
    {"instance types: EFA", "</networkInfo>",
     "<efaInfo><maximumEfaInterfaces>4</maximumEfaInterfaces></efaInfo></networkInfo>", " efa=4 "},
    {"instance types: two network cards, in any order", "<item>" CARDS, SECOND "<item>" CARDS, " cards,3,7@0 "},
    {"instance types: the second card is the default", "Index>0</defaultNetworkCardIndex><networkCards>",
     "Index>1</defaultNetworkCardIndex><networkCards>" SECOND, " cards,3,7@1 "},
    {"instance types: a GPU", ADD,
     "<gpuInfo><gpus><item><name>T4</name><manufacturer>NVIDIA</manufacturer><count>4</count><memoryInfo>"
     "<sizeInMiB>16384</sizeInMiB></memoryInfo></item></gpus></gpuInfo>",
     " gpu=4xNVIDIA/T4/16384"},
    {"instance types: an inference accelerator", ADD,
     "<inferenceAcceleratorInfo><accelerators><member><name>Inferentia</name><manufacturer>AWS</manufacturer>"
     "<count>1</count></member></accelerators></inferenceAcceleratorInfo>",
     " accelerator=1xAWS/Inferentia/0"},
    {"instance types: Neuron", ADD,
     "<neuronInfo><neuronDevices><item><count>6</count><name>Inferentia2</name><coreInfo><count>2</count></coreInfo>"
     "</item></neuronDevices></neuronInfo>",
     " neuron=6xInferentia2/2"},
    {"instance types: a type that tables lack has its family's spot prices", "m5.large", "m5.huge",
     "m5.huge=m5/huge amd64"},
    {"instance types: of a family that is new, spot costs as on demand", "m5.large", "zz9.large", " spot=100%"},
    {"instance types: a Mac is left out", "x86_64<", "arm64_mac<", "EC2 lists no instance types"},
    // One that cannot be read fails the list.
    {"instance types: without a size", "m5.large", "m5.", "instance type \"m5.\": instanceType: expected FAMILY.SIZE"},
    {"instance types: without CPUs", "<defaultVCpus>2</defaultVCpus>", "", SAYS "vCpuInfo.defaultVCpus: expected a nu"},
    {"instance types: without memory", "<memoryInfo><sizeInMiB>8192</sizeInMiB></memoryInfo>", "",
     SAYS "memoryInfo: expected a structure"},
    {"instance types: with less than no memory", "8192<", "-1<", SAYS "memoryInfo.sizeInMiB: expected a number"},
    {"instance types: with too much memory", "8192<", "1000000001<", SAYS "memoryInfo.sizeInMiB: expected a number"},
    {"instance types: without network cards", "<item>" CARDS, "", SAYS "networkInfo.networkCards: expected 1 to 64"},
    {"instance types: with a card of no number", "<networkCardIndex>0</networkCardIndex>", "",
     SAYS "networkInfo.networkCards: expected each index once"},
    {"instance types: with a default card that is none", "Index>0</default", "Index>1</default",
     SAYS "networkInfo.defaultNetworkCardIndex: expected the index of a card"},
    {"instance types: without addresses", "<ipv4AddressesPerInterface>10</ipv4AddressesPerInterface>", "",
     SAYS "networkInfo.ipv4AddressesPerInterface: expected a number"},
    {"instance types: with a clock of no time", "3.1<", "-3.1<", SAYS "processorInfo.sustainedClockSpeedInGhz: exp"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const Row, row, a_type_is_read, list_rows) {
    Ec2TypeVec types = {0};
    Err err = {0};
    bool is_read = read_types(replace(EC2_TYPES(EC2_TYPE("m5.large"), ""), row->from, row->to), &types, &err) == OK;
    const char *got = is_read ? print_type(&types.items[0]) : err.text;

    if (!strstr(got, row->wanted))
        fail_msg("expected \"%s\", got \"%s\"", row->wanted, got);
    assert_true(is_read || types.count == 0);
}

TEST(pages_make_a_sorted_list_with_each_type_once) {
    Ec2TypePages pages = {.arena = &arena, .baked = &baked};
    Ec2DescribeInstanceTypesOutput page = {0};
    const char *text = EC2_TYPES(EC2_TYPE("m5.large") EC2_TYPE("m5.large"), "");
    Ec2TypeVec types;

    read_page(&ec2_describe_instance_types, text, &page);
    page.next_token = SLICE("more");
    ec2_types_add(&pages, &page);
    read_page(&ec2_describe_instance_types, replace(text, "m5.large", "c5.large"), &page);
    page.next_token = SLICE("");
    ec2_types_add(&pages, &page);
    assert_int_equal(ec2_types_end(&pages, &types, NULL), OK);
    assert_int_equal(types.count, 2);
    assert_true(slice_eq_text(types.items[0].name, "c5.large"));
}

// A part of a list is never taken for the list.
TEST(a_list_without_its_last_page_fails) {
    Ec2TypePages pages = {.arena = &arena, .baked = &baked};
    Ec2DescribeInstanceTypesOutput page = {0};
    Ec2TypeVec types = {0};
    Err err = {0};

    assert_int_equal(ec2_types_end(&pages, &types, &err), ERR_IO);
    read_page(&ec2_describe_instance_types, EC2_TYPES(EC2_TYPE("m5.large"), ""), &page);
    page.next_token = SLICE("more");
    ec2_types_add(&pages, &page);
    assert_int_equal(ec2_types_end(&pages, &types, &err), ERR_IO);
    assert_string_equal(err.text, "EC2's list of instance types lacks its last page");
    assert_int_equal(types.count, 0);
}

TEST(a_change_of_any_type_changes_the_digest) {
    const char *text = EC2_TYPES(EC2_TYPE("m5.large"), "");
    Ec2TypeVec first, same, other;

    assert_int_equal(read_types(text, &first, NULL), OK);
    assert_int_equal(read_types(text, &same, NULL), OK);
    assert_int_equal(read_types(replace(text, "4750", "4751"), &other, NULL), OK);
    assert_true(ec2_types_digest(&first) == ec2_types_digest(&same));
    assert_true(ec2_types_digest(&first) != ec2_types_digest(&other));
}

static ErrCode read_offers(const char *items, Slice token, Ec2ZoneOfferVec *ret_offers) {
    Ec2ZoneOfferPages pages = {.arena = &arena};
    Ec2DescribeInstanceTypeOfferingsOutput page = {0};

    read_page(&ec2_describe_instance_type_offerings,
              arena_printf(&arena,
                           "<DescribeInstanceTypeOfferingsResponse><instanceTypeOfferingSet>%s</"
                           "instanceTypeOfferingSet></DescribeInstanceTypeOfferingsResponse>",
                           items)
                  .ptr,
              &page);
    page.next_token = token;
    ec2_zone_offers_add(&pages, &page);
    return ec2_zone_offers_end(&pages, ret_offers, NULL);
}

#define OFFER(type, zone) "<item><instanceType>" type "</instanceType><location>" zone "</location></item>"

TEST(offers_are_sorted_and_each_there_once) {
    Ec2ZoneOfferVec offers, same, other;

    assert_int_equal(read_offers(OFFER("m5.large", "b") OFFER("c5.large", "b") OFFER("m5.large", "a")
                                     OFFER("m5.large", "b"),
                                 SLICE(""), &offers),
                     OK);
    assert_int_equal(offers.count, 3);
    assert_true(slice_eq_text(offers.items[0].type, "c5.large"));
    assert_true(slice_eq_text(offers.items[1].zone, "a"));
    assert_int_equal(
        read_offers(OFFER("m5.large", "a") OFFER("m5.large", "b") OFFER("c5.large", "b"), SLICE(""), &same), OK);
    assert_int_equal(
        read_offers(OFFER("m5.large", "a") OFFER("m5.large", "c") OFFER("c5.large", "b"), SLICE(""), &other), OK);
    assert_true(ec2_zone_offers_eq(&offers, &same));
    assert_false(ec2_zone_offers_eq(&offers, &other));
}

TEST(offers_are_whole_or_none) {
    Ec2ZoneOfferVec offers = {0};

    assert_int_equal(read_offers(OFFER("m5.large", "a"), SLICE("more"), &offers), ERR_IO);
    assert_int_equal(read_offers("", SLICE(""), &offers), ERR_NOT_FOUND);
    assert_int_equal(read_offers(OFFER("m5.large", "a") OFFER("", "a"), SLICE(""), &offers), ERR_INVALID);
    assert_int_equal(offers.count, 0);
}
