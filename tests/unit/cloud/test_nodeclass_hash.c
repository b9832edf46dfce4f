// The golden vectors of the EC2NodeClass hash: upstream's area "hash" (pkg/apis/v1/ec2nodeclass_hash_test.go, 1.15.1).
// Reference aws.md 1.4.
#include "cloud/aws/nodeclass_hash.h"
#include "harness/test.h"
#include "text/yaml.h"

#include <stdio.h>

#define EBS_BUT(rest)                                                                                                  \
    "deleteOnTermination: false, encrypted: false, iops: 0, kmsKeyID: fakeKMSKeyID, snapshotID: fakeSnapshot, "        \
    "throughput: 0, volumeSize: 2G, volumeType: standard" rest
#define DEVICES(first, ebs)                                                                                            \
    "  blockDeviceMappings: [{deviceName: map-device-1" first                                                          \
    ", ebs: {" EBS_BUT(ebs) "}}, {deviceName: map-device-2}]\n"
#define METADATA(rest)                                                                                                 \
    "  metadataOptions: {httpEndpoint: disabled, httpProtocolIPv6: disabled, httpPutResponseHopLimit: 1, httpTokens: " \
    "optional" rest "}\n"

// The last one of two fields with one name counts: what a case says is written after the base.
static const char base[] = "spec:\n  role: role-1\n  tags: {keyTag-1: valueTag-1, keyTag-2: valueTag-2}\n"
                           "  context: fake-context\n  detailedMonitoring: false\n  associatePublicIPAddress: false\n"
                           "  userData: userdata-test-1\n" METADATA("") DEVICES("", "");

static ErrCode try_hash(const char *first, const char *lines, uint64_t *ret_hash, Err *err) {
    Arena arena = {0};
    ParseOptions options = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Slice text = arena_printf(&arena, "%s%s", first, lines);
    ErrCode code;

    if (yaml_parse(&arena, SLICE("class"), text, &options, &documents, &warnings, err) != OK)
        fail_msg("%s", err->text);
    code = ec2_node_class_hash(&arena, &documents.items[0].root, SLICE("test-ca-bundle"), ret_hash, err);
    arena_free(&arena);
    return code;
}

static uint64_t hash_after(const char *first, const char *lines) {
    uint64_t hash = 0;
    Err err = {0};

    if (try_hash(first, lines, &hash, &err) != OK)
        fail_msg("%s", err.text);
    return hash;
}

static uint64_t hash_of(const char *lines) {
    return hash_after(base, lines);
}

#define BASE UINT64_C(11148166120438674859)

typedef struct {
    const char *lines;
    uint64_t hash;
} Vector;

static const Vector vectors[] = {
    {"", BASE},
    {"  userData: userdata-test-2\n", UINT64_C(11774429238106843388)},
    {"  tags: {keyTag-1: valueTag-1, keyTag-2: valueTag-2, keyTag-test-3: valueTag-test-3}\n",
     UINT64_C(9327338697296909506)},
    {"  context: context-2\n", UINT64_C(2279761750428738028)},
    {"  detailedMonitoring: true\n", UINT64_C(1936848126751988570)},
    {"  instanceStorePolicy: RAID0\n", UINT64_C(16697988646989909967)},
    {"  associatePublicIPAddress: true\n", UINT64_C(16141801171825097963)},
    {METADATA(", httpEndpoint: enabled"), UINT64_C(14969742554812447671)},
    {METADATA(", httpProtocolIPv6: enabled"), UINT64_C(1581716956216772561)},
    {METADATA(", httpPutResponseHopLimit: 10"), UINT64_C(14046948658064232764)},
    {METADATA(", httpTokens: required"), UINT64_C(1346719102507290084)},
    {DEVICES(", deviceName: map-device-test-3", ""), UINT64_C(8979166653850509463)},
    {DEVICES(", rootVolume: true", ""), UINT64_C(8875796205856543692)},
    {DEVICES("", ", deleteOnTermination: true"), UINT64_C(1470935115846151531)},
    {DEVICES("", ", encrypted: true"), UINT64_C(5252376125396833097)},
    {DEVICES("", ", iops: 10"), UINT64_C(11651419893470054855)},
    {DEVICES("", ", kmsKeyID: test"), UINT64_C(1488385067008138755)},
    {DEVICES("", ", snapshotID: test"), UINT64_C(12786013539168652330)},
    {DEVICES("", ", throughput: 10"), UINT64_C(1873429003468556999)},
    {DEVICES("", ", volumeType: io1"), UINT64_C(6743466905516550702)},
    {DEVICES("", ", volumeSize: 10G"), UINT64_C(10372902467896351912)},
    {"  enclaveOptions: {enabled: true}\n", UINT64_C(7236976372141148292)},
    {"  enclaveOptions: {enabled: false}\n", UINT64_C(12655667132181172925)},
    {"  connectionTracking: {tcpEstablishedTimeout: 300}\n", UINT64_C(1619669030802245540)},
    {"  connectionTracking: {udpStreamTimeout: 120}\n", UINT64_C(13743705849402595405)},
    {"  connectionTracking: {udpTimeout: 45}\n", UINT64_C(17941926745862994490)},
    {"  cpuOptions: {nestedVirtualization: enabled}\n", UINT64_C(6157846767212910604)},
    {"  role: ''\n  instanceProfile: test-instance-profile\n", UINT64_C(10323991363677716244)},
    // What does not count.
    {"  amiSelectorTerms: [{tags: {a: b}}]\n  subnetSelectorTerms: [{id: subnet-1}]\n", BASE},
    {"  securityGroupSelectorTerms: [{id: sg-1}]\n  capacityReservationSelectorTerms: [{id: cr-1}]\n", BASE},
    {"  ipPrefixCount: 3\n", BASE},
    {"  amiFamily: Custom\n", BASE},
    {"  kubelet: {}\n", BASE},
    {"  instanceStorePolicy: null\n", BASE},
    {"  tags: {keyTag-2: valueTag-2, keyTag-1: valueTag-1}\n", BASE},
    {"  blockDeviceMappings: [{deviceName: map-device-2}, {deviceName: map-device-1, ebs: {" EBS_BUT("") "}}]\n", BASE},
    {DEVICES("", ", volumeSize: 2000M"), BASE},
};

// After "role: r"; computed with Karpenter's structures and Go's hashstructure v2.0.2.
static const Vector others[] = {
    {"", UINT64_C(8926278752882205884)},
    {"  tags: {}\n", UINT64_C(2625353418914470680)},
    {"  blockDeviceMappings: []\n", UINT64_C(12142217683699163002)},
    {"  networkInterfaces: []\n", UINT64_C(13625827937666534971)},
    {"  networkInterfaces: [{networkCardIndex: 0, deviceIndex: 0, interfaceType: interface}, {networkCardIndex: 1, "
     "deviceIndex: 2, interfaceType: efa-only}]\n",
     UINT64_C(392189158588920547)},
    {"  placementGroupSelector: {name: group}\n", UINT64_C(3862755404683222507)},
    {"  placementGroupSelector: {id: pg-1}\n", UINT64_C(5703899548075814868)},
    {"  userData: ''\n", UINT64_C(3799019558303271784)},
    {"  metadataOptions: {}\n", UINT64_C(17549638116768677268)},
    {"  kubelet: {maxPods: 10, clusterDNS: [10.0.0.10], kubeReserved: {memory: 1Gi, cpu: 100m}}\n",
     UINT64_C(6429272516619643404)},
    {"  kubelet: {maxPods: 'min(110, max_pods)', kubeReserved: {memory: 'vcpus < 4 && memory_mib > 2 ? 1 : 2'}, "
     "featureGates: {B: true, A: false}, half: 0.5, nothing: null}\n",
     UINT64_C(21883329334708518)},
    {"  kubelet: {a: \"line\\nnext\\ttab \\\"quoted\\\" back\\\\slash \\u2028 \\b \\\\u0008 \\u00e9\"}\n",
     UINT64_C(7404535142014249752)},
};

typedef struct {
    const char *first;
    const Vector *vector;
} HashRow;

static void add_vectors(TestCases *cases, HashRow *rows, char (*names)[32], const char *first, const char *kind,
                        const Vector *some, size_t count) {
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof *names, "hash: %s %zu", kind, i);
        rows[i] = (HashRow){first, &some[i]};
        test_case(cases, names[i], &rows[i]);
    }
}

enum { VECTORS = sizeof vectors / sizeof *vectors, OTHERS = sizeof others / sizeof *others };

static void list_vectors(TestCases *cases) {
    static HashRow rows[VECTORS + OTHERS];
    static char names[VECTORS + OTHERS][32];

    add_vectors(cases, rows, names, base, "upstream's", vectors, VECTORS);
    add_vectors(cases, rows + VECTORS, names + VECTORS, "spec:\n  role: r\n", "further", others, OTHERS);
}

TEST_EACH(const HashRow, row, hashes_are_karpenters, list_vectors) {
    uint64_t hash = hash_after(row->first, row->vector->lines);

    if (hash != row->vector->hash)
        fail_msg("%sexpected %ju, got %ju", row->vector->lines, (uintmax_t)row->vector->hash, (uintmax_t)hash);
}

TEST(an_alias_says_the_family) {
    assert_int_equal(hash_of("  amiSelectorTerms: [{alias: al2023@latest}]\n"), hash_of("  amiFamily: AL2023\n"));
    assert_int_equal(hash_of("  amiSelectorTerms: [{alias: windows2022@latest}]\n"),
                     hash_of("  amiFamily: Windows2022\n"));
    assert_int_equal(hash_of("  amiSelectorTerms: [{alias: al2@latest}]\n  amiFamily: Custom\n"), BASE);
    assert_int_not_equal(hash_of("  amiFamily: AL2023\n"), BASE);
}

TEST(the_order_of_the_kubelets_settings_does_not_count) {
    assert_int_equal(hash_of("  kubelet: {maxPods: 10, kubeReserved: {memory: 1Gi, cpu: 100m}}\n"),
                     hash_of("  kubelet: {kubeReserved: {cpu: 100m, memory: 1Gi}, maxPods: 10}\n"));
    assert_int_not_equal(hash_of("  kubelet: {maxPods: 12}\n"), hash_of("  kubelet: {maxPods: 21}\n"));
}

TEST(a_field_of_another_type_is_told) {
    static const struct {
        const char *lines, *text;
    } wrong[] = {
        {"  userData: 1\n", "EC2NodeClass: userData: expected a string, got number"},
        {"  tags: {a: 1}\n", "EC2NodeClass: tags: expected strings in it, got number"},
        {"  tags: []\n", "EC2NodeClass: tags: expected a map, got list"},
        {"  detailedMonitoring: 'yes'\n", "EC2NodeClass: detailedMonitoring: expected true or false, got string"},
        {"  metadataOptions: x\n", "EC2NodeClass: metadataOptions: expected a map, got string"},
        {METADATA(", httpPutResponseHopLimit: x"),
         "EC2NodeClass: httpPutResponseHopLimit: expected an integer, got string"},
        {"  blockDeviceMappings: {}\n", "EC2NodeClass: blockDeviceMappings: expected a list, got map"},
        {"  blockDeviceMappings: [x]\n", "EC2NodeClass: blockDeviceMappings: expected maps in it, got string"},
        {DEVICES("", ", volumeSize: true"), "EC2NodeClass: volumeSize: expected a quantity, got bool"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t hash = 1;
        Err err = {0};

        assert_int_equal(try_hash(base, wrong[i].lines, &hash, &err), ERR_INVALID);
        assert_string_equal(err.text, wrong[i].text);
        assert_int_equal(hash, 1);
    }
}
