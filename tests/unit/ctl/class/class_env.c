#include "ctl/class/class_env.h"

Settings class_settings(void) {
    Settings settings = env_settings();

    settings.node_class_group = SLICE("karpenter.k8s.aws");
    settings.node_class_kind = SLICE("EC2NodeClass");
    settings.node_class_label = SLICE("karpenter.k8s.aws/ec2nodeclass");
    settings.looks_up_classes = true;
    return settings;
}

TestEnv *class_env(const Controller *controller) {
    Settings settings = class_settings();
    TestEnv *env = env_new(controller, &settings);
    CloudClass *found = &env_cloud(env)->node_class;

    found->hash = (TextEntry){SLICE("karpenter.k8s.aws/ec2nodeclass-hash"), SLICE("77")};
    found->hash_version = (TextEntry){SLICE("karpenter.k8s.aws/ec2nodeclass-hash-version"), SLICE("v6")};
    found->after_ns = 5 * NS_PER_MIN;
    env_find_status(env, "{subnets: [{id: subnet-1, zone: test-zone-a, zoneID: tz1}], instanceProfile: profile-1}");
    env_find_condition(env, "SubnetsReady", "True", "", "");
    env_find_condition(env, "AMIsReady", "True", "", "");
    return env;
}

void class_put(TestEnv *env) {
    env_put(env, "{kind: EC2NodeClass, metadata: {name: default}, spec: {role: r, amiSelectorTerms: [{alias: "
                 "al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}}");
}

void class_put_claim(TestEnv *env, const char *name, const char *metadata) {
    env_put(env, "{kind: NodeClaim, metadata: {name: %s%s}, spec: {" EC2_REF "}}", name, metadata);
}
