// What users write: keys by their own names and by aliases, every operator, labels of their own, taints, limits, TTLs.
#include "old/generate.h"

#include <string.h>

#define PICK(random, ...)                                                                                              \
    ((const char *const[]){                                                                                            \
        __VA_ARGS__})[random_below((random), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))]

static const char *const requirements[] = {
    "kubernetes.io/arch\", \"operator\": \"In\", \"values\": [\"arm64\"]",
    "kubernetes.io/arch\", \"operator\": \"In\", \"values\": [\"arm64\", \"amd64\"]",
    "kubernetes.io/arch\", \"operator\": \"Exists",
    "beta.kubernetes.io/arch\", \"operator\": \"In\", \"values\": [\"arm64\"]",
    "kubernetes.io/os\", \"operator\": \"In\", \"values\": [\"linux\"]",
    "karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"spot\"]",
    "karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"spot\", \"on-demand\"]",
    "karpenter.sh/capacity-type\", \"operator\": \"NotIn\", \"values\": [\"spot\"]",
    "topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"ap-northeast-2a\", \"ap-northeast-2c\"]",
    "topology.kubernetes.io/zone\", \"operator\": \"NotIn\", \"values\": [\"ap-northeast-2a\"]",
    "node.kubernetes.io/instance-type\", \"operator\": \"In\", \"values\": [\"t4g.medium\", \"m5.large\"]",
    "node.kubernetes.io/instance-type\", \"operator\": \"In\", \"values\": [\"p9.large\"]",
    "node.kubernetes.io/instance-type\", \"operator\": \"NotIn\", \"values\": [\"c5a.large\"]",
    "karpenter.k8s.aws/instance-family\", \"operator\": \"NotIn\", \"values\": [\"m5\", \"c5a\"]",
    "karpenter.k8s.aws/instance-category\", \"operator\": \"In\", \"values\": [\"c\", \"m\", \"r\", \"t\"]",
    "karpenter.k8s.aws/instance-category\", \"operator\": \"NotIn\", \"values\": [\"t\"]",
    "karpenter.k8s.aws/instance-generation\", \"operator\": \"Gt\", \"values\": [\"3\"]",
    "karpenter.k8s.aws/instance-generation\", \"operator\": \"Lt\", \"values\": [\"5\"]",
    "karpenter.k8s.aws/instance-hypervisor\", \"operator\": \"In\", \"values\": [\"nitro\"]",
    "karpenter.k8s.aws/instance-cpu\", \"operator\": \"Gt\", \"values\": [\"2\"]",
    "karpenter.k8s.aws/instance-cpu\", \"operator\": \"Lt\", \"values\": [\"8\"]",
    "eks.amazonaws.com/capacityType\", \"operator\": \"In\", \"values\": [\"ON_DEMAND\"]",
    "example.com/team\", \"operator\": \"In\", \"values\": [\"a\", \"b\"]",
    "example.com/team\", \"operator\": \"NotIn\", \"values\": [\"a\"]",
    "example.com/team\", \"operator\": \"Exists",
};
enum { REQUIREMENTS = sizeof requirements / sizeof *requirements };

// The Exists rows leave their last text open, the others end with a list.
static void print_requirement(Buffer *out, const char *row, bool is_first) {
    bool is_open = row[strlen(row) - 1] != ']';

    buffer_printf(out, "%s{\"key\": \"%s%s}", is_first ? "" : ", ", row, is_open ? "\"" : "");
}

static void print_requirements(Random *random, Buffer *out) {
    uint32_t count = random_below(random, 6);

    if (random_chance(random, 10))
        return;
    buffer_append(out, SLICE(", \"requirements\": ["));
    for (uint32_t i = 0; i < count; i++)
        print_requirement(out, requirements[random_below(random, REQUIREMENTS)], i == 0);
    buffer_append_char(out, ']');
}

static void maybe(Random *random, uint32_t percent, Buffer *out, const char *member) {
    if (random_chance(random, percent))
        buffer_printf(out, ", %s", member);
}

static void print_end_of_nodes(Random *random, Buffer *out, bool is_wrong) {
    bool consolidates = random_chance(random, 40);

    if (is_wrong || (!consolidates && random_chance(random, 60)))
        buffer_printf(out, ", \"ttlSecondsAfterEmpty\": %u", random_below(random, 600));
    if (is_wrong || consolidates)
        buffer_append(out, SLICE(", \"consolidation\": {\"enabled\": true}"));
    else
        maybe(random, 20, out, "\"consolidation\": {\"enabled\": false}");
    if (random_chance(random, 50))
        buffer_printf(out, ", \"ttlSecondsUntilExpired\": %u", random_below(random, 3000000));
}

static void print_selector(Random *random, Buffer *out, const char *name) {
    buffer_printf(out, "\"%s\": {\"team\": \"%s\"", name, PICK(random, "web", "web,db", "*", "db"));
    maybe(random, 40, out, "\"karpenter.sh/discovery\": \"main\"");
    maybe(random, 20, out, "\"env\": \"prod, test\"");
    buffer_append_char(out, '}');
}

static void print_aws(Random *random, Buffer *out) {
    print_selector(random, out, "subnetSelector");
    buffer_append(out, SLICE(", "));
    print_selector(random, out, "securityGroupSelector");
    maybe(random, 60, out, "\"instanceProfile\": \"nodes\"");
    maybe(random, 50, out, "\"amiFamily\": \"Bottlerocket\"");
    maybe(random, 30, out, "\"tags\": {\"a\": \"b\"}");
    maybe(random, 20, out, "\"metadataOptions\": {\"httpTokens\": \"required\"}");
    maybe(
        random, 20, out,
        "\"blockDeviceMappings\": [{\"deviceName\": \"/dev/xvda\", \"ebs\": {\"volumeSize\": \"30Gi\", \"volumeType\": "
        "\"gp3\"}}]");
}

static void print_provider(Random *random, Buffer *out) {
    if (random_chance(random, 75)) {
        buffer_append(out, SLICE("\"providerRef\": {\"name\": \"t\"}"));
        return;
    }
    buffer_append(out, SLICE("\"provider\": {"));
    print_aws(random, out);
    buffer_append_char(out, '}');
}

static void print_kubelet(Random *random, Buffer *out) {
    if (random_chance(random, 60))
        return;
    buffer_printf(out, ", \"kubeletConfiguration\": {\"evictionMaxPodGracePeriod\": %u", random_below(random, 100));
    maybe(random, 30, out, "\"containerRuntime\": \"containerd\"");
    maybe(random, 30, out, "\"systemReserved\": {\"cpu\": \"100m\"}");
    buffer_append_char(out, '}');
}

static void print_provisioner(Random *random, Buffer *out, uint32_t number, bool is_wrong) {
    buffer_printf(
        out,
        "{\"apiVersion\": \"karpenter.sh/v1alpha5\", \"kind\": \"Provisioner\", \"metadata\": {\"name\": \"p%u\"}, "
        "\"spec\": {",
        number);
    print_provider(random, out);
    print_requirements(random, out);
    maybe(random, 30, out, "\"labels\": {\"team\": \"web\", \"example.com/pool\": \"one\"}");
    maybe(random, 35, out,
          PICK(random, "\"taints\": [{\"key\": \"dedicated\", \"value\": \"batch\", \"effect\": \"NoSchedule\"}]",
               "\"taints\": [{\"key\": \"gpu\", \"effect\": \"NoExecute\"}, {\"key\": \"dedicated\", \"effect\": "
               "\"NoSchedule\"}]"));
    maybe(random, 15, out, "\"startupTaints\": [{\"key\": \"boot\", \"effect\": \"NoSchedule\"}]");
    if (random_chance(random, 40))
        buffer_printf(out, ", \"weight\": %u", 1 + random_below(random, 3));
    if (random_chance(random, 30))
        buffer_printf(out, ", \"limits\": {\"resources\": {\"%s\"}}",
                      PICK(random, "cpu\": \"1", "cpu\": \"2", "cpu\": \"4", "memory\": \"8Gi", "memory\": \"16384Mi"));
    print_end_of_nodes(random, out, is_wrong);
    print_kubelet(random, out);
    buffer_append(out, SLICE("}}, "));
}

void old_objects_generate(Random *random, Buffer *out) {
    uint32_t count = 1 + random_below(random, OLD_PROVISIONERS_MAX);
    bool is_wrong = random_chance(random, 5);

    buffer_append(out, SLICE("{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": ["));
    for (uint32_t i = 0; i < count; i++)
        print_provisioner(random, out, i, is_wrong && i == 0);
    buffer_append(out, SLICE("{\"apiVersion\": \"karpenter.k8s.aws/v1alpha1\", \"kind\": \"AWSNodeTemplate\", "
                             "\"metadata\": {\"name\": \"t\"}, \"spec\": {"));
    print_aws(random, out);
    maybe(random, 20, out, "\"detailedMonitoring\": true");
    buffer_append(out, SLICE("}}]}"));
}

static void print_tolerations(Random *random, Buffer *out) {
    if (random_chance(random, 40))
        return;
    buffer_printf(out, ", \"tolerations\": [{\"key\": \"dedicated\", %s}",
                  PICK(random, "\"operator\": \"Exists\"", "\"operator\": \"Equal\", \"value\": \"batch\"",
                       "\"value\": \"other\"", "\"operator\": \"Exists\", \"effect\": \"NoSchedule\""));
    maybe(random, 30, out, "{\"key\": \"gpu\", \"operator\": \"Exists\"}");
    buffer_append_char(out, ']');
}

static void print_selector_of_pod(Random *random, Buffer *out) {
    if (random_chance(random, 45))
        return;
    buffer_printf(out, ", \"nodeSelector\": {%s}",
                  PICK(random, "\"kubernetes.io/arch\": \"arm64\"", "\"kubernetes.io/arch\": \"amd64\"",
                       "\"topology.kubernetes.io/zone\": \"ap-northeast-2b\"",
                       "\"karpenter.sh/capacity-type\": \"spot\"", "\"karpenter.sh/capacity-type\": \"on-demand\"",
                       "\"karpenter.k8s.aws/instance-category\": \"r\"", "\"example.com/team\": \"a\"",
                       "\"example.com/team\": \"c\"", "\"team\": \"web\"", "\"team\": \"db\"",
                       "\"example.com/pool\": \"one\", \"kubernetes.io/arch\": \"amd64\"",
                       "\"eks.amazonaws.com/capacityType\": \"ON_DEMAND\""));
}

void old_pod_generate(Random *random, uint32_t number, Buffer *out) {
    buffer_printf(
        out,
        "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"pod-%u\"}, \"spec\": {\"containers\": "
        "[{\"name\": \"c\", \"image\": \"i\", \"resources\": {\"requests\": {\"cpu\": \"%s\", \"memory\": "
        "\"%s\"}}}]",
        number, PICK(random, "100m", "1", "1900m", "1901m", "3", "7"), PICK(random, "100Mi", "2Gi", "7Gi", "20Gi"));
    print_tolerations(random, out);
    print_selector_of_pod(random, out);
    buffer_append(out, SLICE("}}"));
}
