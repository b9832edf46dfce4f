// Facts of the cluster, and the probes of the start. Upstream: pkg/operator, pkg/providers/version.
#include "cloud/aws/provider/cluster.h"

#include "cloud/aws/provider/class_bed.h"
#include "cloud/support/ec2_answers.h"

FIXTURE(ClassBed, bed_new, bed_free);

static void answer_types(ClassBed *bed) {
    BED_RULE(bed, .action = "DescribeInstanceTypes", .match = "MaxResults",
             .reply = {.body = EC2_TYPES(EC2_TYPE("m5.large"), "")});
    BED_RULE(bed, .action = "DescribeInstanceTypeOfferings",
             .reply = {.body = EC2_OFFERS(EC2_OFFER("m5.large", "us-east-1a"), "")});
}

static void assert_text(Slice text, const char *expected) {
    if (!slice_eq_text(text, expected))
        fail_msg("\"%.*s\" instead of \"%s\"", SLICE_ARG(text), expected);
}

static ErrCode probe(ClassBed *bed, Err *err) {
    *err = (Err){0};
    return aws_provider_probe(bed->provider, err);
}

// --- facts

TEST_F(ClassBed, bed, facts_of_the_settings) {
    ClusterFacts facts = provider_cluster_facts(bed->provider, &bed->arena);

    assert_text(facts.endpoint, "https://c.example");
    assert_text(facts.ca_bundle, "Y2E=");
    assert_text(facts.dns_ip, "10.100.0.10");
    assert_text(facts.service_cidr, "");
    assert_int_equal(facts.minor, 34);
    assert_int_equal(bed_calls(bed, "DescribeCluster"), 0);
}

TEST_F(ClassBed, bed, a_bundle_of_the_settings_goes_first) {
    bed->config.settings.cluster_ca_bundle = SLICE("b3RoZXI=");
    bed_restart(bed);
    assert_text(provider_cluster_facts(bed->provider, &bed->arena).ca_bundle, "b3RoZXI=");
}

// R118: what the settings leave out is asked of EKS.
TEST_F(ClassBed, bed, facts_of_eks) {
    ClusterFacts facts;

    bed->config.settings.cluster_endpoint = SLICE("");
    bed_restart(bed);
    assert_text(provider_cluster_facts(bed->provider, &bed->arena).endpoint, "");
    assert_int_equal(provider_version_refresh(bed->provider, NULL), OK);
    facts = provider_cluster_facts(bed->provider, &bed->arena);
    assert_text(facts.endpoint, "https://eks.example");
    assert_text(facts.arn, "arn:aws:eks:c");
    assert_text(facts.service_cidr, "10.100.0.0/16");
    assert_int_equal(facts.minor, 34);
}

TEST_F(ClassBed, bed, the_range_of_services_is_asked_for_once) {
    Slice cidr;

    assert_int_equal(provider_service_cidr(bed->provider, &bed->arena, &cidr, NULL), OK);
    assert_text(cidr, "10.100.0.0/16");
    assert_int_equal(provider_service_cidr(bed->provider, &bed->arena, &cidr, NULL), OK);
    assert_int_equal(bed_calls(bed, "DescribeCluster"), 1);
}

TEST(ranges_of_services) {
    static const struct {
        const char *network, *cidr;
    } clusters[] = {
        {"{\"serviceIpv4Cidr\": \"10.0.0.0/16\", \"serviceIpv6Cidr\": \"fd00::/108\"}", "10.0.0.0/16"},
        {"{\"serviceIpv6Cidr\": \"fd00::/108\"}", "fd00::/108"},
        {"{}", NULL},
        {"null", NULL},
    };

    for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++) {
        ClassBed *bed = bed_new();
        Slice cidr = {0};
        ErrCode code;

        BED_RULE(bed, .action = "DescribeCluster",
                 .reply = {.body = arena_printf(&bed->arena, "{\"cluster\": {\"kubernetesNetworkConfig\": %s}}",
                                                clusters[i].network)
                                       .ptr});
        code = provider_service_cidr(bed->provider, &bed->arena, &cidr, &bed->error);
        assert_int_equal(code, clusters[i].cidr ? OK : ERR_INVALID);
        if (code == OK)
            assert_text(cidr, clusters[i].cidr);
        bed_free(bed);
    }
}

// --- versions

TEST(versions) {
    static const struct {
        const char *text;
        uint32_t minor; // 0: none
    } texts[] = {{"1.35", 35}, {"v1.35.2", 35}, {"1.35+", 35}, {"1.30-eks-1", 30}, {"1.26", 26}, {"1.99", 99},
                 {"1", 0},     {"", 0},         {"1.", 0},     {"one.two", 0},     {"1.-3", 0}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ClassBed *bed = bed_new();
        bool warned;

        bed_restart(bed);
        buffer_free(&bed->log);
        bed->log = (Buffer){0};
        bed->version = texts[i].text;
        assert_int_equal(provider_version_refresh(bed->provider, &bed->error), texts[i].minor ? OK : ERR_INVALID);
        assert_int_equal(provider_cluster_facts(bed->provider, &bed->arena).minor, texts[i].minor);
        warned = bed->log.len && strstr(buffer_slice(&bed->log).ptr, "1.26 to 1.37");
        assert_true(warned == (texts[i].minor == 99));
        bed_free(bed);
    }
}

// R026: logged when it is another one.
TEST_F(ClassBed, bed, a_version_is_logged_when_it_changes) {
    static const char told[] = "discovered kubernetes version: : 1.";

    assert_non_null(strstr(buffer_slice(&bed->log).ptr, "discovered kubernetes version: : 1.34\n"));
    bed->log.len = 0;
    assert_int_equal(provider_version_refresh(bed->provider, &bed->error), OK);
    bed->version = "v1.34.9";
    assert_int_equal(provider_version_refresh(bed->provider, &bed->error), OK);
    assert_false(slice_contains(buffer_slice(&bed->log), slice_of(told)));
    bed->version = "1.35";
    assert_int_equal(provider_version_refresh(bed->provider, &bed->error), OK);
    assert_true(slice_contains(buffer_slice(&bed->log), SLICE("discovered kubernetes version: : 1.35\n")));
}

TEST_F(ClassBed, bed, a_version_that_cannot_be_asked_stays) {
    bed->version = NULL;
    assert_int_equal(provider_version_refresh(bed->provider, &bed->error), ERR_IO);
    assert_int_equal(provider_cluster_facts(bed->provider, &bed->arena).minor, 34);
}

TEST_F(ClassBed, bed, eks_is_asked_for_the_version) {
    bed->config.settings.eks_control_plane = true;
    bed_restart(bed);
    assert_int_equal(provider_version_refresh(bed->provider, &bed->error), OK);
    assert_int_equal(provider_cluster_facts(bed->provider, &bed->arena).minor, 33);
    bed->config.settings.eks_control_plane = false;
    bed->config.kube_version = NULL;
    bed_restart(bed);
    assert_int_equal(provider_version_refresh(bed->provider, &bed->error), OK);
    assert_int_equal(provider_cluster_facts(bed->provider, &bed->arena).minor, 33);
}

// --- kube-dns

TEST(addresses_of_kube_dns) {
    static const struct {
        const char *service; // NULL: none
        const char *ip;
    } services[] = {
        {NULL, ""},
        {"{clusterIP: None, ports: [{port: 53}]}", ""},
        {"{clusterIP: '10.0.0.9', ports: [{port: 53}]}", "10.0.0.9"},
    };

    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        ClassBed *bed = bed_new();
        Err err;

        assert_int_equal(
            kube_remove(bed->kube, (KubeRef){KUBE_SERVICE, SLICE("kube-system"), SLICE("kube-dns")}, NULL, NULL), OK);
        if (services[i].service)
            bed_create(bed, arena_printf(&bed->arena,
                                         "{apiVersion: v1, kind: Service, metadata: {namespace: kube-system, name: "
                                         "kube-dns}, spec: %s}",
                                         services[i].service)
                                .ptr);
        bed_restart(bed);
        assert_int_equal(provider_cluster_probe(bed->provider, &err), OK); // its failure is only logged
        assert_text(provider_cluster_facts(bed->provider, &bed->arena).dns_ip, services[i].ip);
        assert_true(slice_contains(buffer_slice(&bed->log), SLICE("unable to detect the address of kube-dns")) ==
                    (services[i].ip[0] == '\0'));
        bed_free(bed);
    }
}

TEST_F(ClassBed, bed, kube_dns_is_looked_for_again) {
    bed_restart(bed);
    bed->kube_faults = 1;
    bed->kube_reason = KUBE_REASON_FORBIDDEN;
    assert_int_equal(provider_version_refresh(bed->provider, NULL), OK);
    assert_text(provider_cluster_facts(bed->provider, &bed->arena).dns_ip, "");
    assert_int_equal(provider_version_refresh(bed->provider, NULL), OK);
    assert_text(provider_cluster_facts(bed->provider, &bed->arena).dns_ip, "10.100.0.10");
}

// --- the start

TEST_F(ClassBed, bed, a_start) {
    Err err;

    bed->config.settings.cluster_endpoint = SLICE("");
    bed_restart(bed);
    answer_types(bed);
    if (probe(bed, &err) != OK)
        fail_msg("%s", err.text);
    assert_non_null(strstr(buffer_slice(&bed->actions).ptr, "DescribeInstanceTypes Action=DescribeInstanceTypes"));
    assert_text(provider_cluster_facts(bed->provider, &bed->arena).endpoint, "https://eks.example");
    assert_true(provider_market_is_confirmed(bed->provider));
    assert_int_equal(provider_cluster_facts(bed->provider, &bed->arena).minor, 34);
}

// Each failure names what mends it, and nothing after it is asked.
TEST(starts_that_fail) {
    static const struct {
        const char *action, *match, *code;
        bool has_endpoint, has_version;
        ErrCode expected;
        const char *says;
    } starts[] = {
        {"DescribeInstanceTypes", "DryRun", "UnauthorizedOperation", true, true, ERR_DENIED,
         "allow ec2:DescribeInstanceTypes"},
        {"DescribeInstanceTypes", "DryRun", "AuthFailure", true, true, ERR_DENIED, "aws sts get-caller-identity"},
        {"DescribeInstanceTypes", "DryRun", "lost", true, true, ERR_IO, "--dry-run --region us-east-1"},
        {"DescribeInstanceTypes", "DryRun", "RequestLimitExceeded", true, true, ERR_THROTTLED, "cannot be asked"},
        {"DescribeCluster", NULL, "json AccessDeniedException", false, true, ERR_DENIED, "allow eks:DescribeCluster"},
        {"DescribeCluster", NULL, "json ResourceNotFoundException", false, true, ERR_NOT_FOUND,
         "aws eks describe-cluster --name c"},
        {"DescribeCluster", NULL, "lost", false, true, ERR_IO, "--cluster-endpoint"},
        {NULL, NULL, NULL, true, false, ERR_IO, "kubectl version"},
        {"DescribeInstanceTypes", "MaxResults", "UnauthorizedOperation", true, true, ERR_DENIED,
         "unable to list instance types"},
        {"DescribeInstanceTypeOfferings", NULL, "UnauthorizedOperation", true, true, ERR_DENIED,
         "ec2:DescribeInstanceTypeOfferings"},
    };

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        ClassBed *bed = bed_new();
        const char *code = starts[i].code;
        ErrCode got;
        Err err;

        if (!starts[i].has_endpoint)
            bed->config.settings.cluster_endpoint = SLICE("");
        bed_restart(bed);
        if (!starts[i].has_version)
            bed->version = NULL;
        answer_types(bed);
        if (code)
            BED_RULE(bed, .action = starts[i].action, .match = starts[i].match,
                     .reply = strcmp(code, "lost") == 0        ? bed_lost
                              : strncmp(code, "json ", 5) == 0 ? bed_json_fault(bed, code + 5)
                                                               : bed_fault(bed, code, "m"));
        got = probe(bed, &err);
        if (got != starts[i].expected || !strstr(err.text, starts[i].says))
            fail_msg("start %zu: %s: %s", i, err_code_text(got), err.text);
        bed_free(bed);
    }
}

TEST_F(ClassBed, bed, a_cluster_without_an_endpoint_yet) {
    Err err;

    bed->config.settings.cluster_endpoint = SLICE("");
    bed_restart(bed);
    BED_RULE(bed, .action = "DescribeCluster", .reply = {.body = "{\"cluster\": {\"version\": \"1.34\"}}"});
    assert_int_equal(probe(bed, &err), ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "EKS says no endpoint of the cluster yet"));
}

TEST_F(ClassBed, bed, zonal_shifts_need_the_clusters_name) {
    Err err;

    bed->config.settings.enable_zonal_shift = true;
    bed_restart(bed);
    answer_types(bed);
    BED_RULE(bed, .action = "DescribeCluster", .reply = bed_json_fault(bed, "AccessDeniedException"), .times = 1);
    assert_int_equal(probe(bed, &err), ERR_DENIED);
    assert_int_equal(probe(bed, &err), OK);
    assert_text(provider_cluster_facts(bed->provider, &bed->arena).arn, "arn:aws:eks:c");
}

TEST_F(ClassBed, bed, an_answer_without_a_cluster) {
    Slice cidr;

    BED_RULE(bed, .action = "DescribeCluster", .reply = {.body = "{}"});
    assert_int_equal(provider_service_cidr(bed->provider, &bed->arena, &cidr, &bed->error), ERR_INVALID);
}
