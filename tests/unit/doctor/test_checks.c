// Every check with facts that are well and facts that are not, from the texts that they are read from. Reference
// legacy.md 1 and 7 (the rows that name `doctor` and `lint`).
#include "doctor/checks.h"
#include "doctor/gather.h"
#include "doctor/terraform.h"

#include "harness/test.h"
#include "text/yaml.h"

#include <stdlib.h>

typedef struct {
    Arena arena;
    CheckResultVec results;
} Case;

// What one check says of a manifest (or dump) and a Terraform text: "ok", "skipped", or "warning: <text> | <fix>".
static const char *examine(Case *run, const char *id, const char *yaml, const char *terraform) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    HclBlockVec blocks = {0};
    Facts facts = {0};
    Err err;
    const Finding *finding;

    if (yaml_parse(&run->arena, SLICE("a.yaml"), slice_of(yaml), &(ParseOptions){0}, &documents, &warnings, &err) !=
            OK ||
        hcl_read(&run->arena, SLICE("a.tf"), slice_of(terraform), &blocks, &err) != OK)
        fail_msg("%s", err.text);
    gather_duplicates(&run->arena, SLICE("a.yaml"), &warnings, &facts);
    terraform_gather(&run->arena, &blocks, &facts);
    gather_documents(&run->arena, &documents, &facts);
    checks_run(&run->arena, &facts, &run->results);
    for (vec_each(const CheckResult, result, &run->results)) {
        if (strcmp(result->id, id) != 0)
            continue;
        finding = result->findings.items;
        if (!result->findings.count)
            return check_status_text(result->status);
        return arena_text(&run->arena,
                          arena_printf(&run->arena, "%s %u: %.*s | %.*s", check_status_text(finding->status),
                                       finding->place.line, SLICE_ARG(finding->text), SLICE_ARG(finding->fix)));
    }
    fail_msg("there is no check %s", id);
    return "";
}

#define OLD_POOL(name, spec)                                                                                           \
    "---\napiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: " name                                \
    "}\nspec: {providerRef: {name: t}, " spec "}\n"
#define OLD_CLASS(spec)                                                                                                \
    "---\napiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: t}\nspec: {" spec "}\n"
#define SELECTORS "subnetSelector: {team: web, env: \"a,b\"}, securityGroupSelector: {team: web}"
#define POOL(name, version, more, node)                                                                                \
    "---\napiVersion: karpenter.sh/" version "\nkind: NodePool\nmetadata: {name: " name "}\nspec: {" more              \
    "template: {spec: {nodeClassRef: {name: c}, " node "}}}\n"
#define CLASS(spec) "---\napiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: c}\nspec: {" spec "}\n"
#define TERMS       "subnetSelectorTerms: [{tags: {team: web}}], securityGroupSelectorTerms: [{tags: {team: web}}]"
#define SUBNET(id, zone, free, key, value)                                                                             \
    "{SubnetId: " id ", AvailabilityZone: " zone ", AvailableIpAddressCount: " free ", Tags: [{Key: " key              \
    ", Value: " value "}]}"
#define GROUP(id, tags) "{GroupId: " id ", GroupName: " id "-name, Tags: [" tags "]}"
#define LETS_IN(protocol, from, to)                                                                                    \
    "---\n{SecurityGroups: [{GroupId: g-1, Tags: [" CLUSTER "], IpPermissions: [{IpProtocol: " protocol                \
    ", FromPort: " from ", ToPort: " to "}]}]}\n"
#define WEB     "{Key: team, Value: web}"
#define CLUSTER "{Key: kubernetes.io/cluster/k, Value: owned}"
#define AUTH(user, groups)                                                                                             \
    "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: aws-auth}\ndata:\n  mapRoles: |\n    - rolearn: "          \
    "arn:aws:iam::1:role/path/nodes\n      username: " user "\n      groups: " groups "\n"
#define NODES  "[system:bootstrappers, system:nodes]"
#define JOINED "system:node:{{EC2PrivateDNSName}}"
#define KARPENTER(replicas)                                                                                            \
    "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: karpenter}, spec: {replicas: " replicas "}}\n"
#define NODE(labels) "---\n{apiVersion: v1, kind: Node, metadata: {name: n, labels: {" labels "}}}\n"
#define SETTINGS(data)                                                                                                 \
    "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: karpenter-global-settings}, data: {" data "}}\n"
#define MADE(tags)                                                                                                     \
    "resource \"aws_subnet\" \"a\" {\n tags = " tags                                                                   \
    "\n}\nresource \"aws_security_group\" \"g\" {\n tags = { team = \"web\" }\n}\n"
#define HINTED                                                                                                         \
    "---\nkind: Service\nmetadata: {namespace: shop, name: web, annotations: {service.kubernetes.io/topology-mode: "
#define OLD_HINTED                                                                                                     \
    "---\nkind: Service\nmetadata: {namespace: shop, name: web, annotations: "                                         \
    "{service.kubernetes.io/topology-aware-hints: auto}}\n"
#define WORKER(name, zone, cpu)                                                                                        \
    "---\n{kind: Node, metadata: {name: \"" name "\", labels: {topology.kubernetes.io/zone: " zone                     \
    "}}, status: {allocatable: {cpu: " cpu "}, conditions: [{type: Ready, status: \"True\"}]}}\n"
#define READY(endpoints)                                                                                               \
    "---\n{kind: EndpointSlice, metadata: {namespace: shop, name: web-1, labels: {kubernetes.io/service-name: web}}, " \
    "endpoints: [" endpoints "]}\n"
#define SPOT "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}]"

typedef struct {
    const char *name, *check, *yaml, *terraform, *said;
} Row;

static Row rows[] = {
    {"R043: a key twice", "duplicate-keys", OLD_POOL("p", "weight: 1, weight: 2"), "",
     "warning 5: key \"weight\" is given again (first at line 5); the last one counts | put both values under one key, "
     "or "
     "remove the one that is not meant"},
    {"R139: a misplaced member", "unknown-fields",
     OLD_POOL("p", "consolidation: {enabled: true, ttlSecondsUntilExpired: 5}"), "",
     "warning 5: spec.consolidation.ttlSecondsUntilExpired is no field of it, and is dropped without a word | move it "
     "to "
     "spec.ttlSecondsUntilExpired"},
    {"R138: what the webhook refused", "refused",
     OLD_POOL("p", "ttlSecondsAfterEmpty: 1, consolidation: {enabled: true}"), "",
     "error 2: validation failed: expected exactly one, got both: spec.consolidation.enabled, "
     "spec.ttlSecondsAfterEmpty | "
     "change it as the message says"},
    {"a wrong type", "refused", OLD_POOL("p", "weight: heavy"), "",
     "error 2: spec.weight: expected number, got string (a.yaml:5, Provisioner p) | change it as the message says"},
    {"nothing to refuse", "refused", OLD_POOL("p", "weight: 1"), "", "ok"},

    {"R134: a label that says nothing", "label-keys",
     OLD_POOL("p", "requirements: [{key: eks.amazonaws.com/capacityType, operator: In, values: [SPOT]}]"), "",
     "warning 2: eks.amazonaws.com/capacityType is a mere label of nodes; did you mean karpenter.sh/capacity-type? | "
     "write "
     "karpenter.sh/capacity-type"},
    {"R134: in v1", "label-keys",
     POOL("p", "v1", "", "requirements: [{key: eks.amazonaws.com/capacityType, operator: In, values: [SPOT]}]"), "",
     "warning 2: eks.amazonaws.com/capacityType is a mere label of nodes; did you mean karpenter.sh/capacity-type? | "
     "write "
     "karpenter.sh/capacity-type"},
    {"a label of one's own", "label-keys",
     OLD_POOL("p", "requirements: [{key: example.com/kind, operator: In, values: [a]}]"), "", "ok"},

    {"R036: two pools alike", "exclusive-pools", OLD_POOL("p", "weight: 1") OLD_POOL("q", "weight: 1"), "",
     "warning 7: a pod without a selector may go to it or to Provisioner p: both have the weight 1 and the same taints "
     "| "
     "give them different weights, or one of them a taint"},
    {"R036: a weight", "exclusive-pools", OLD_POOL("p", "weight: 1") OLD_POOL("q", "weight: 2"), "", "ok"},
    {"R036: a taint", "exclusive-pools",
     OLD_POOL("p", "") POOL("q", "v1beta1", "", "taints: [{key: k, effect: NoSchedule}]"), "", "ok"},
    {"R036: a soft taint", "exclusive-pools",
     OLD_POOL("p", "") POOL("q", "v1beta1", "", "taints: [{key: k, effect: PreferNoSchedule}]"), "",
     "warning 7: a pod without a selector may go to it or to Provisioner p: both have the weight 0 and the same taints "
     "| "
     "give them different weights, or one of them a taint"},

    {"R183: shorter than a boot", "short-ttl", OLD_POOL("p", "ttlSecondsUntilExpired: 60"), "",
     "error 2: spec.ttlSecondsUntilExpired: 60 s are shorter than a boot may take (300 s): nodes expire before their "
     "pods "
     "run | set spec.ttlSecondsUntilExpired to hours, or leave it out"},
    {"R183: in v1", "short-ttl", POOL("p", "v1", "", "expireAfter: 4m"), "",
     "error 2: spec.template.spec.expireAfter: 240 s are shorter than a boot may take (300 s): nodes expire before "
     "their "
     "pods run | set spec.template.spec.expireAfter to hours, or leave it out"},
    {"R183 R181: in v1beta1", "short-ttl", POOL("p", "v1beta1", "disruption: {expireAfter: 4m}, ", ""), "",
     "error 2: spec.disruption.expireAfter: 240 s are shorter than a boot may take (300 s): nodes expire before their "
     "pods "
     "run | set spec.disruption.expireAfter to hours, or leave it out"},
    {"R183: long enough", "short-ttl", OLD_POOL("p", "ttlSecondsUntilExpired: 300"), "", "ok"},
    {"R183: for ever", "short-ttl", POOL("p", "v1", "", "expireAfter: Never"), "", "ok"},

    {"R038: another class", "class-reference", OLD_POOL("p", "") CLASS(TERMS), "",
     "error 2: its class t is not there | name one that is there, or give its manifest with -f, too"},
    {"R038: its class", "class-reference", OLD_POOL("p", "") OLD_CLASS(SELECTORS), "", "ok"},
    {"no class at all", "class-reference", OLD_POOL("p", ""), "", "skipped"},

    {"no selector", "selectors", CLASS("subnetSelectorTerms: [{tags: {a: b}}]"), "",
     "error 2: spec.securityGroupSelectorTerms: it selects no security group | select by a tag, such as "
     "karpenter.sh/discovery, and aws ec2 create-tags --resources sg-ID --tags "
     "Key=karpenter.sh/discovery,Value=CLUSTER"},
    {"R015 R016: selectors", "selectors", OLD_CLASS(SELECTORS), "", "ok"},
    {"a launch template has groups", "selectors", OLD_CLASS("subnetSelector: {a: b}, launchTemplate: mine"), "", "ok"},

    {"R182: a tag that is not set", "terraform-tags", OLD_CLASS(SELECTORS), MADE("{ team = \"web\" }"),
     "error 5: spec.subnetSelector wants the tags env=a,b, and the Terraform of a.tf sets them on no subnet | set the "
     "tags "
     "where they are made, or aws ec2 create-tags --resources subnet-ID --tags 'Key=team,Value=web' "
     "'Key=env,Value=a,b'"},
    {"R182: one of the values", "terraform-tags", OLD_CLASS(SELECTORS), MADE("{ team = \"web\", env = \"b\" }"), "ok"},
    {"R182: another value", "terraform-tags", OLD_CLASS(SELECTORS), MADE("{ team = \"web\", env = \"c\" }"),
     "error 5: spec.subnetSelector wants the tags env=a,b, and the Terraform of a.tf sets them on no subnet | set the "
     "tags "
     "where they are made, or aws ec2 create-tags --resources subnet-ID --tags 'Key=team,Value=web' "
     "'Key=env,Value=a,b'"},
    {"R182: a value that is not known", "terraform-tags", OLD_CLASS(SELECTORS),
     MADE("{ team = \"web\", env = module.x.y }"), "ok"},
    {"R182: tags that are not known", "terraform-tags", OLD_CLASS(SELECTORS), MADE("module.x.tags"), "ok"},
    {"R182: tags of the provider", "terraform-tags", OLD_CLASS(SELECTORS),
     "provider \"aws\" {\n default_tags {\n tags = { env = \"a\" }\n }\n}\n" MADE("{ team = \"web\" }"), "ok"},
    {"R182: tags of another subnet", "terraform-tags", OLD_CLASS(SELECTORS),
     MADE("{ team = \"web\" }") "resource \"aws_subnet\" \"b\" {\n tags = { env = \"a\" }\n}\n",
     "error 5: spec.subnetSelector: no subnet of the Terraform has all of these tags | aws ec2 create-tags --resources "
     "subnet-ID --tags 'Key=team,Value=web' 'Key=env,Value=a,b'"},
    {"R182: the module of the VPC", "terraform-tags", CLASS("subnetSelectorTerms: [{tags: {team: web}}]"),
     "module \"v\" {\n source = \"terraform-aws-modules/vpc/aws\"\n private_subnet_tags = { team = \"web\" }\n}\n",
     "ok"},
    {"R182: subnets that are made elsewhere", "terraform-tags", CLASS("subnetSelectorTerms: [{tags: {team: web}}]"),
     "variable \"x\" {}\n",
     "warning 5: spec.subnetSelectorTerms wants the tags team=web, and the Terraform of a.tf makes no subnet that has "
     "them "
     "| set the tags where they are made, or aws ec2 create-tags --resources subnet-ID --tags 'Key=team,Value=web'"},
    {"R182: ids", "terraform-tags", CLASS("subnetSelectorTerms: [{id: subnet-1}]"), "variable \"x\" {}\n", "ok"},
    {"R182: a tag apart", "terraform-tags", CLASS("subnetSelectorTerms: [{tags: {team: web}}]"),
     "resource \"aws_ec2_tag\" \"t\" {\n key = \"team\"\n value = \"web\"\n}\n", "ok"},

    {"R015 R113: subnets that AWS lists", "subnets",
     OLD_CLASS(SELECTORS) "---\n{Subnets: [" SUBNET("s-1", "z", "9", "team", "web") "]}\n", "",
     "error 5: spec.subnetSelector: no subnet that AWS lists fits it | aws ec2 create-tags --resources subnet-ID "
     "--tags "
     "'Key=team,Value=web' 'Key=env,Value=a,b'"},
    {"R015: with a wildcard", "subnets",
     CLASS("subnetSelectorTerms: [{tags: {team: w*b}}]") "---\n{Subnets: [" SUBNET("s-1", "z", "9", "team",
                                                                                   "wob") "]}\n",
     "", "ok"},
    {"R015: by its id", "subnets",
     CLASS("subnetSelectorTerms: [{id: s-2}, {id: s-1}]") "---\n{Subnets: [" SUBNET("s-1", "z", "9", "a", "b") "]}\n",
     "", "ok"},
    {"R016: a group by its name", "security-groups",
     CLASS("securityGroupSelectorTerms: [{name: g-1-name}]") "---\n{SecurityGroups: [" GROUP("g-1", "") "]}\n", "",
     "ok"},
    {"R016: no group", "security-groups", CLASS(TERMS) "---\n{SecurityGroups: [" GROUP("g-1", CLUSTER) "]}\n", "",
     "error 5: spec.securityGroupSelectorTerms: no security group that AWS lists fits it | aws ec2 create-tags "
     "--resources "
     "sg-ID --tags 'Key=team,Value=web'"},

    {"R121: nobody is let in", "webhook-port", OLD_POOL("p", "") OLD_CLASS(SELECTORS) LETS_IN("tcp", "443", "8442"), "",
     "warning 12: no security group of the nodes lets anybody in on TCP port 8443, where the webhooks of Provisioners "
     "are answered | aws ec2 authorize-security-group-ingress --group-id g-1 --protocol tcp --port 8443 "
     "--source-group sg-OF-THE-CONTROL-PLANE"},
    {"R121: another protocol", "webhook-port", OLD_POOL("p", "") LETS_IN("udp", "0", "65535"), "",
     "warning 7: no security group of the nodes lets anybody in on TCP port 8443, where the webhooks of Provisioners "
     "are answered | aws ec2 authorize-security-group-ingress --group-id g-1 --protocol tcp --port 8443 "
     "--source-group sg-OF-THE-CONTROL-PLANE"},
    {"R121: the port", "webhook-port", OLD_POOL("p", "") LETS_IN("tcp", "8443", "8443"), "", "ok"},
    {"R121: everything", "webhook-port", OLD_POOL("p", "") LETS_IN("\"-1\"", "0", "0"), "", "ok"},
    {"R121: not known", "webhook-port", OLD_POOL("p", "") "---\n{SecurityGroups: [" GROUP("g-1", CLUSTER) "]}\n", "",
     "skipped"},
    {"R121: no webhooks", "webhook-port", CLASS(TERMS) LETS_IN("tcp", "443", "443"), "", "skipped"},

    {"the cluster's tag twice", "security-group-twice",
     CLASS(TERMS) "---\n{SecurityGroups: [" GROUP("g-1", WEB ", " CLUSTER) ", " GROUP("g-2", WEB ", " CLUSTER) "]}\n",
     "",
     "error 7: its nodes get g-1 and g-2, which both have the tag kubernetes.io/cluster/k: load balancers of Services "
     "are "
     "not made | aws ec2 delete-tags --resources g-2 --tags 'Key=kubernetes.io/cluster/k'"},
    {"the cluster's tag once", "security-group-twice",
     CLASS(TERMS) "---\n{SecurityGroups: [" GROUP("g-1", WEB ", " CLUSTER) ", " GROUP("g-2", CLUSTER) "]}\n", "", "ok"},
    {"the module of EKS makes two", "security-group-twice", CLASS(TERMS),
     "module \"e\" {\n source = \"terraform-aws-modules/eks/aws\"\n cluster_name = \"k\"\n tags = { team = \"web\" "
     "}\n}\n",
     "error 1: its nodes get module.e.cluster_primary_security_group and module.e.node_security_group, which both have "
     "the "
     "tag kubernetes.io/cluster/k: load balancers of Services are not made | aws ec2 delete-tags --resources "
     "module.e.node_security_group --tags 'Key=kubernetes.io/cluster/k'"},
    {"the module of EKS makes one", "security-group-twice", CLASS(TERMS),
     "module \"e\" {\n source = \"terraform-aws-modules/eks/aws\"\n cluster_name = \"k\"\n tags = { team = \"web\" }\n "
     "create_node_security_group = false\n}\n",
     "ok"},

    {"no addresses", "free-addresses",
     CLASS(TERMS) "---\n{Subnets: [" SUBNET("s-1", "z", "0", "team", "web") ", " SUBNET("s-2", "z", "0", "a",
                                                                                        "b") "]}\n",
     "",
     "error 7: s-1 in z has 0 free addresses | add a CIDR block with subnets of the same tags: aws ec2 "
     "associate-vpc-cidr-block"},
    {"few addresses", "free-addresses", CLASS(TERMS) "---\n{Subnets: [" SUBNET("s-1", "z", "15", "team", "web") "]}\n",
     "",
     "warning 7: s-1 in z has 15 free addresses | add a CIDR block with subnets of the same tags: aws ec2 "
     "associate-vpc-cidr-block"},
    {"enough addresses", "free-addresses",
     CLASS(TERMS) "---\n{Subnets: [" SUBNET("s-1", "z", "16", "team", "web") "]}\n", "", "ok"},
    {"a zone without a subnet", "zones",
     POOL("p", "v1", "", "requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [y, z]}]")
         CLASS(TERMS) "---\n{Subnets: [" SUBNET("s-1", "y", "20", "team", "web") "]}\n",
     "",
     "warning 2: it wants nodes in z, where its class has no subnet | tag a subnet of that zone as the others are, or "
     "remove the zone"},

    {"R008: no role, no profile", "node-role", OLD_CLASS(SELECTORS) SETTINGS("aws.clusterName: k"), "",
     "error 2: its nodes have neither a role nor an instance profile | set spec.instanceProfile, or "
     "aws.defaultInstanceProfile in karpenter-global-settings"},
    {"R008: the settings may name one", "node-role", OLD_CLASS(SELECTORS), "",
     "warning 2: its nodes have neither a role nor an instance profile, unless the settings name one | set "
     "spec.instanceProfile, or aws.defaultInstanceProfile in karpenter-global-settings"},
    {"R122: the settings name one", "node-role", OLD_CLASS(SELECTORS) SETTINGS("aws.defaultInstanceProfile: nodes"), "",
     "ok"},
    {"R127: the chart names one", "node-role", OLD_CLASS(SELECTORS),
     "resource \"helm_release\" \"k\" {\n chart = \"karpenter\"\n set {\n name = "
     "\"settings.aws.defaultInstanceProfile\"\n "
     "value = aws_iam_instance_profile.x.name\n }\n}\n",
     "ok"},

    {"R009: the role is there", "aws-auth", CLASS("role: nodes") AUTH(JOINED, NODES), "", "ok"},
    {"R009: another role", "aws-auth", CLASS("role: others") AUTH(JOINED, NODES), "",
     "error 7: aws-auth has no entry by which nodes of the role others may join | eksctl create iamidentitymapping "
     "--cluster CLUSTER --arn arn:aws:iam::ACCOUNT:role/others --username 'system:node:{{EC2PrivateDNSName}}' --group "
     "system:bootstrappers --group system:nodes"},
    {"R009: without a group", "aws-auth", CLASS("role: nodes") AUTH(JOINED, "[system:nodes]"), "",
     "error 7: aws-auth has the role nodes without the username and the groups of nodes | eksctl create "
     "iamidentitymapping --cluster CLUSTER --arn arn:aws:iam::ACCOUNT:role/nodes --username "
     "'system:node:{{EC2PrivateDNSName}}' --group system:bootstrappers --group system:nodes"},
    {"R009: with another name", "aws-auth", CLASS("instanceProfile: p") AUTH("admin", NODES), "",
     "error 7: aws-auth has no entry by which nodes of the role NODE_ROLE may join | eksctl create iamidentitymapping "
     "--cluster CLUSTER --arn arn:aws:iam::ACCOUNT:role/NODE_ROLE --username 'system:node:{{EC2PrivateDNSName}}' "
     "--group "
     "system:bootstrappers --group system:nodes"},
    {"R123: roles in Terraform", "aws-auth", CLASS("role: nodes"),
     "module \"a\" {\n source = \"terraform-aws-modules/eks/aws//modules/aws-auth\"\n aws_auth_roles = [{ rolearn = "
     "module.x.arn, username = \"system:node:{{EC2PrivateDNSName}}\", groups = [\"system:nodes\", "
     "\"system:bootstrappers\"] }]\n}\n",
     "ok"},
    {"R009: an access entry", "aws-auth", CLASS("role: nodes"), "resource \"aws_eks_access_entry\" \"n\" {}\n", "ok"},

    {"spot without its role", "spot-role", OLD_POOL("p", SPOT) "---\n{Roles: [{RoleName: x}]}\n", "",
     "error 2: it allows Spot instances, and the account has no AWSServiceRoleForEC2Spot | aws iam "
     "create-service-linked-role --aws-service-name spot.amazonaws.com"},
    {"spot with its role", "spot-role", OLD_POOL("p", SPOT) "---\n{Roles: [{RoleName: AWSServiceRoleForEC2Spot}]}\n",
     "", "ok"},
    {"spot, and Terraform that does not make it", "spot-role", POOL("p", "v1", "", ""), "variable \"x\" {}\n",
     "warning 2: it allows Spot instances, and the Terraform does not make AWSServiceRoleForEC2Spot, which an account "
     "needs once | aws iam create-service-linked-role --aws-service-name spot.amazonaws.com"},
    {"spot, and Terraform that makes it", "spot-role", POOL("p", "v1", "", ""),
     "resource \"aws_iam_service_linked_role\" \"s\" {\n aws_service_name = \"spot.amazonaws.com\"\n}\n", "ok"},
    {"R046: a Provisioner without a word is on-demand", "spot-role", OLD_POOL("p", "") "---\n{Roles: []}\n", "",
     "skipped"},

    {"more replicas than nodes", "replicas", KARPENTER("2") NODE("a: b") NODE("karpenter.sh/nodepool: p"), "",
     "error 2: 2 replicas keep apart from each other and off Karpenter's nodes, and there are 1 other nodes | kubectl "
     "-n "
     "karpenter scale deployment karpenter --replicas=1"},
    {"a node for each replica", "replicas", KARPENTER("2") NODE("a: b") NODE(""), "", "ok"},
    {"nodes of a Provisioner", "replicas", KARPENTER("1") NODE("karpenter.sh/provisioner-name: p"), "",
     "error 2: 1 replicas keep apart from each other and off Karpenter's nodes, and there are 0 other nodes | kubectl "
     "-n "
     "karpenter scale deployment karpenter --replicas=1"},

    {"R084: no queue", "interruption-queue", SETTINGS("aws.interruptionQueueName: \"\""), "",
     "warning 2: no interruption queue is named: Spot instances are taken away without a drain | make the queue and "
     "its "
     "rules, and name it: --set settings.interruptionQueue=CLUSTER (before 0.33 settings.aws.interruptionQueueName)"},
    {"R084: a queue", "interruption-queue", SETTINGS("aws.interruptionQueueName: q"), "", "ok"},
    {"R084: a queue that nobody makes", "interruption-queue", SETTINGS("aws.interruptionQueueName: q"),
     "variable \"x\" {}\n",
     "warning 2: an interruption queue is named, and the Terraform makes none | add module \"karpenter\" of "
     "terraform-aws-modules/eks, or aws_sqs_queue and its rules"},
    {"R128: the chart's queue", "interruption-queue", CLASS(TERMS),
     "resource \"helm_release\" \"k\" {\n chart = \"oci://public.ecr.aws/karpenter/karpenter\"\n set = [{ name = "
     "\"settings.interruptionQueue\", value = \"q\" }]\n}\nresource \"aws_sqs_queue\" \"q\" {}\n",
     "ok"},
    {"no settings", "interruption-queue", CLASS(TERMS), "", "skipped"},

    {"R166: a pod for each zone", "topology-hints",
     HINTED "Auto}}\n" WORKER("1", "a", "2") WORKER("2", "b", "2") READY("{}, {}"), "", "ok"},
    {"R166: the old annotation", "topology-hints",
     OLD_HINTED WORKER("1", "a", "2") WORKER("2", "b", "2") READY("{conditions: {ready: false}}, {}"), "",
     "warning 2: 1 ready endpoints are too few for the zones' shares of CPU (a 50 %, b 50 %), so it gets no topology "
     "hints | kubectl -n shop scale deployment DEPLOYMENT --replicas=2"},
    {"R166: more CPU in one zone", "topology-hints",
     HINTED "Auto}}\n" WORKER("1", "a", "9") WORKER("2", "b", "1") READY("{}, {}"), "",
     "warning 2: 2 ready endpoints are too few for the zones' shares of CPU (a 90 %, b 10 %), so it gets no topology "
     "hints | kubectl -n shop scale deployment DEPLOYMENT --replicas=4"},
    {"R166: a node without a zone", "topology-hints", HINTED "Auto}}\n" WORKER("1", "a", "2") WORKER("2", "\"\"", "2"),
     "",
     "warning 7: it has no zone, so no Service gets topology hints | kubectl label node 2 "
     "topology.kubernetes.io/zone=ZONE"},
    {"R166: one zone", "topology-hints", HINTED "Auto}}\n" WORKER("1", "a", "2") READY("{}"), "",
     "warning 2: all nodes are in a, so it gets no topology hints | let a NodePool make nodes in another zone, or "
     "remove "
     "the annotation"},
    {"R166: a Service that does not ask", "topology-hints", HINTED "Disabled}}\n" WORKER("1", "a", "2"), "", "skipped"},

    {"R118 R126: an old chart", "versions", CLASS(TERMS),
     "module \"e\" {\n source = \"terraform-aws-modules/eks/aws\"\n cluster_version = \"1.32\"\n}\nresource "
     "\"helm_release\" \"k\" {\n chart = \"karpenter\"\n version = \"v0.27.0\"\n}\n",
     "warning 5: Karpenter v0.27.0 was never made for Kubernetes 1.32 | install 0.28 or newer; tenon convert --to v1 "
     "makes "
     "the manifests of 1.x"},
    {"a chart of its time", "versions", CLASS(TERMS),
     "module \"e\" {\n source = \"terraform-aws-modules/eks/aws\"\n cluster_version = \"1.25\"\n}\nresource "
     "\"helm_release\" \"k\" {\n chart = \"karpenter\"\n version = \"v0.27.0\"\n}\n",
     "ok"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

TEST_EACH(Row, row, what_a_check_says, list_rows) {
    Case run = {0};

    assert_string_equal(examine(&run, row->check, row->yaml, row->terraform), row->said);
    arena_free(&run.arena);
}

// A check that no row breaks would be none. Those of a live cluster are in test_check_live.c.
TEST(every_check_is_seen_to_find_something) {
    Case run = {0};

    examine(&run, "refused", CLASS(TERMS), "");
    for (vec_each(const CheckResult, result, &run.results)) {
        bool is_seen = result->note && strncmp(result->note, "a live cluster", strlen("a live cluster")) == 0;

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            is_seen = is_seen || (strcmp(rows[i].check, result->id) == 0 && strchr(rows[i].said, '|'));
        if (!is_seen)
            fail_msg("no row has a finding of %s", result->id);
    }
    arena_free(&run.arena);
}
