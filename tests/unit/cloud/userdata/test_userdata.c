// User data of each family, byte by byte: upstream's area "launch templates", user data (pkg/providers/launchtemplate
// with its golden files, pkg/providers/amifamily/bootstrap). Reference aws.md 5.5.
#include "cloud/aws/userdata/bottlerocket_version.h"
#include "cloud/aws/userdata/userdata.h"
#include "cloud/support/class.h"
#include "harness/test.h"

typedef struct {
    const char *name, *family;
    const char *kubelet; // YAML, or NULL
    const char *custom;
    const char *text; // the whole; NULL: see `error`
    const char *error;
    enum {
        DNS = 1,
        RAID0 = 2,
        NO_CA = 4,
        NO_LABELS = 8,
        IPV6 = 16,
        OLD_IMAGE = 32,
        NO_CIDR = 64,
        NEW_IMAGE = 128
    } with;
} Row;

#define MIME_HEAD "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"//\"\n\n"
#define SHELL     "--//\nContent-Type: text/x-shellscript; charset=\"us-ascii\"\n\n"
#define CONFIG    "--//\nContent-Type: application/node.eks.aws\n\n"
#define MIME_END  "\n--//--\n"
#define LABELS    "a=b,karpenter.sh/capacity-type=on-demand"
#define TAINTS    "foo=bar:NoExecute,karpenter.sh/unregistered:NoExecute"
#define AL2_START                                                                                                      \
    SHELL "#!/bin/bash -xe\nexec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1\n"         \
          "/etc/eks/bootstrap.sh 'test-cluster' --apiserver-endpoint 'https://test-cluster' "
#define AL2_CA              "--b64-cluster-ca 'Y2EK'"
#define AL2_FLAGS           "--node-labels=\"" LABELS "\" --register-with-taints=\"" TAINTS "\" --max-pods="
#define AL2_END(pods, more) " \\\n--use-max-pods false \\\n--kubelet-extra-args '" AL2_FLAGS pods more "'"
#define AL2_PLAIN           AL2_START AL2_CA AL2_END("110", "")

#define NODE_CONFIG(instance, kubelet)                                                                                 \
    CONFIG "# Karpenter Generated NodeConfig\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nmetadata: {}\n"     \
           "spec:\n  cluster:\n    apiServerEndpoint: https://test-cluster\n    certificateAuthority: Y2EK\n"          \
           "    cidr: 10.100.0.0/16\n    name: test-cluster\n  containerd: {}\n  instance:\n" instance "  kubelet:\n"  \
           "    config:\n" kubelet "    flags:\n    - --node-labels=\"" LABELS "\"\n"
#define NO_STORAGE "    localStorage: {}\n"
#define REGISTER                                                                                                       \
    "      registerWithTaints:\n      - effect: NoExecute\n        key: foo\n        value: bar\n"                     \
    "      - effect: NoExecute\n        key: karpenter.sh/unregistered\n"
#define CONFIG_PLAIN NODE_CONFIG(NO_STORAGE, "      maxPods: 110\n" REGISTER)

#define BR_CLUSTER "api-server = 'https://test-cluster'\ncluster-certificate = 'Y2EK'\ncluster-name = 'test-cluster'\n"
#define BR_NODE                                                                                                        \
    "\n[settings.kubernetes.node-labels]\na = 'b'\n'karpenter.sh/capacity-type' = 'on-demand'\n"                       \
    "\n[settings.kubernetes.node-taints]\nfoo = ['bar:NoExecute']\n'karpenter.sh/unregistered' = [':NoExecute']\n"
#define BR_START "[settings]\n[settings.kubernetes]\n" BR_CLUSTER
#define BR_PLAIN BR_START "max-pods = 110\n" BR_NODE
#define BR_STORAGE(directories)                                                                                        \
    "[settings]\n[settings.bootstrap-commands]\n[settings.bootstrap-commands.000-mount-instance-storage]\n"            \
    "commands = [['apiclient', 'ephemeral-storage', 'init'], ['apiclient', 'ephemeral-storage', 'bind'" directories    \
    "]]\nessential = true\nmode = 'always'\n\n[settings.kubernetes]\n" BR_CLUSTER "max-pods = 110\n" BR_NODE

#define WINDOWS(custom, more)                                                                                          \
    "<powershell>\n" custom                                                                                            \
    "[string]$EKSBootstrapScriptFile = \"$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1\"\n"                   \
    "& $EKSBootstrapScriptFile -EKSClusterName 'test-cluster' -APIServerEndpoint 'https://test-cluster' "              \
    "-Base64ClusterCA 'Y2EK' -KubeletExtraArgs '--node-labels=\"" LABELS "\" --register-with-taints=\"" TAINTS         \
    "\" --max-pods=" more "\n</powershell>\n"

static const Row rows[] = {
    // AL2
    {"launch templates: AL2: plain (R018)", "AL2", NULL, "", MIME_HEAD AL2_PLAIN MIME_END, NULL, 0},
    {"launch templates: AL2: cluster DNS", "AL2", NULL, "",
     MIME_HEAD AL2_START AL2_CA " \\\n--dns-cluster-ip '10.0.100.10'" AL2_END("110", "") MIME_END, NULL, DNS},
    {"launch templates: AL2: cluster DNS of IPv6", "AL2", NULL, "",
     MIME_HEAD AL2_START AL2_CA " \\\n--ip-family ipv6 \\\n--dns-cluster-ip 'fd4b:121b:812b::a'" AL2_END("110", "")
         MIME_END,
     NULL, IPV6},
    {"launch templates: AL2: cluster DNS of the user", "AL2", "{clusterDNS: [10.0.0.99]}", "",
     MIME_HEAD AL2_START AL2_CA " \\\n--dns-cluster-ip '10.0.0.99'" AL2_END("110", "") MIME_END, NULL, DNS},
    {"launch templates: AL2: cluster DNS that is no address counts as IPv6", "AL2", "{clusterDNS: [x]}", "",
     MIME_HEAD AL2_START AL2_CA " \\\n--ip-family ipv6 \\\n--dns-cluster-ip 'x'" AL2_END("110", "") MIME_END, NULL, 0},
    {"launch templates: AL2: without a CA", "AL2", NULL, "", MIME_HEAD AL2_START AL2_END("110", "") MIME_END, NULL,
     NO_CA},
    {"launch templates: AL2: local disks", "AL2", NULL, "", MIME_HEAD AL2_PLAIN " \\\n--local-disks raid0" MIME_END,
     NULL, RAID0},
    {"launch templates: AL2: pods of the user", "AL2", "{maxPods: 20}", "",
     MIME_HEAD AL2_START AL2_CA AL2_END("20", "") MIME_END, NULL, 0},
    {"launch templates: AL2: pods by an expression", "AL2", "{maxPods: 'max_pods / 2'}", "",
     MIME_HEAD AL2_START AL2_CA AL2_END("110", "") MIME_END, NULL, 0},
    {"launch templates: AL2: pods per core", "AL2", "{podsPerCore: 2}", "",
     MIME_HEAD AL2_START AL2_CA AL2_END("110", " --pods-per-core=2") MIME_END, NULL, 0},
    {"launch templates: AL2: reserved (R177)", "AL2",
     "{systemReserved: {memory: 20Gi, cpu: 500m}, kubeReserved: {ephemeral-storage: 1Gi}}", "",
     MIME_HEAD AL2_START AL2_CA AL2_END("110", " --system-reserved=\"cpu=500m,memory=20Gi\" "
                                               "--kube-reserved=\"ephemeral-storage=1Gi\"") MIME_END,
     NULL, 0},
    {"launch templates: AL2: reserved by an expression", "AL2", "{kubeReserved: {cpu: vcpus * 2}}", "",
     MIME_HEAD AL2_START AL2_CA AL2_END("110", "") MIME_END, NULL, 0},
    {"launch templates: AL2: evictions", "AL2",
     "{evictionHard: {memory.available: 10%, nodefs.available: 15%}, evictionSoft: {memory.available: 10%}, "
     "evictionSoftGracePeriod: {memory.available: 60s}, evictionMaxPodGracePeriod: 300}",
     "",
     MIME_HEAD AL2_START AL2_CA AL2_END(
         "110", " --eviction-hard=\"memory.available<10%,nodefs.available<15%\" --eviction-soft=\"memory.available<"
                "10%\" --eviction-soft-grace-period=\"memory.available=1m0s\" --eviction-max-pod-grace-period=300")
         MIME_END,
     NULL, 0},
    {"launch templates: AL2: image collection and quota", "AL2",
     "{imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 10, cpuCFSQuota: false}", "",
     MIME_HEAD AL2_START AL2_CA AL2_END(
         "110", " --image-gc-high-threshold=50 --image-gc-low-threshold=10 --cpu-cfs-quota=false") MIME_END,
     NULL, 0},
    {"launch templates: AL2: without labels and taints", "AL2", NULL, "",
     MIME_HEAD AL2_START AL2_CA " \\\n--use-max-pods false \\\n--kubelet-extra-args '--max-pods=110'" MIME_END, NULL,
     NO_LABELS},
    {"launch templates: AL2: a script of the user", "AL2", NULL, "#!/bin/bash\necho x\n",
     MIME_HEAD SHELL "#!/bin/bash\necho x\n\n" AL2_PLAIN MIME_END, NULL, 0},
    {"launch templates: AL2: a script without a last newline", "AL2", NULL, "#!/bin/bash",
     MIME_HEAD SHELL "#!/bin/bash\n" AL2_PLAIN MIME_END, NULL, 0},
    {"launch templates: AL2: a script with carriage returns", "AL2", NULL, "#!/bin/bash\r\necho x\r\n",
     MIME_HEAD SHELL "#!/bin/bash\necho x\n\n" AL2_PLAIN MIME_END, NULL, 0},
    {"launch templates: AL2: a message of the user", "AL2", NULL,
     "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"B\"\n\n--B\nContent-Type: text/x-shellscript; "
     "charset=\"us-ascii\"\n\n#!/bin/bash\necho x\n\n--B--\n",
     MIME_HEAD SHELL "#!/bin/bash\necho x\n\n" AL2_PLAIN MIME_END, NULL, 0},
    {"launch templates: AL2: a message with its type first", "AL2", NULL,
     "Content-Type: multipart/mixed; boundary=B\nMIME-Version: 1.0\n\n--B\nContent-Type: text/cloud-config\n\n"
     "runcmd: []\n--B--",
     MIME_HEAD "--//\nContent-Type: text/cloud-config\n\nruncmd: []\n" AL2_PLAIN MIME_END, NULL, 0},
    {"launch templates: AL2: a message behind empty lines", "AL2", NULL,
     "\n\n  MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: a/b\n\nx\n--B--\n\n",
     MIME_HEAD "--//\nContent-Type: a/b\n\nx\n" AL2_PLAIN MIME_END, NULL, 0},
    {"launch templates: AL2: a message of two parts, with their headers", "AL2", NULL,
     "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\nmime-version: 1.0\ncontent-type: a/b\n\nx\n"
     "--B\n\ny\n--B--\n",
     MIME_HEAD "--//\nContent-Type: a/b\nMime-Version: 1.0\n\nx\n--//\n\ny\n" AL2_PLAIN MIME_END, NULL, 0},
    {"launch templates: AL2: a message that is none", "AL2", NULL, "MIME-Version: 1.0\nwhatever\n", NULL,
     "spec.userData: MIME, line 2: expected a header", 0},
    {"launch templates: AL2: a message without a boundary", "AL2", NULL,
     "MIME-Version: 1.0\nContent-Type: multipart/mixed\n\nx", NULL,
     "spec.userData: MIME: the Content-Type has no boundary", 0},
    {"launch templates: AL2: a message without an end", "AL2", NULL,
     "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\n\nx\n", NULL, "spec.userData: MIME, line",
     0},
    {"launch templates: AL2: a message of one part", "AL2", NULL, "Content-Type: text/plain\n\nx", NULL,
     "expected a Content-Type of multipart", 0},
    // AL2023
    {"launch templates: AL2023: plain", "AL2023", NULL, "", MIME_HEAD CONFIG_PLAIN MIME_END, NULL, 0},
    {"launch templates: AL2023: cluster DNS", "AL2023", NULL, "",
     MIME_HEAD NODE_CONFIG(NO_STORAGE, "      clusterDNS:\n      - 10.0.100.10\n      maxPods: 110\n" REGISTER)
         MIME_END,
     NULL, DNS},
    {"launch templates: AL2023: local disks", "AL2023", NULL, "",
     MIME_HEAD NODE_CONFIG("    localStorage:\n      strategy: RAID0\n", "      maxPods: 110\n" REGISTER) MIME_END,
     NULL, RAID0},
    {"launch templates: AL2023: no service CIDR", "AL2023", NULL, "", NULL, "service CIDR is not known", NO_CIDR},
    {"launch templates: AL2023: any field of the kubelet", "AL2023",
     "{topologyManagerPolicy: restricted, maxPods: 20, cpuManagerPolicy: static, shutdownGracePeriod: 30s}", "",
     MIME_HEAD NODE_CONFIG(NO_STORAGE, "      cpuManagerPolicy: static\n      maxPods: 20\n" REGISTER
                                       "      shutdownGracePeriod: 30s\n      topologyManagerPolicy: restricted\n")
         MIME_END,
     NULL, 0},
    {"launch templates: AL2023: reserved, sorted", "AL2023", "{kubeReserved: {memory: 1Gi, cpu: 100m}}", "",
     MIME_HEAD NODE_CONFIG(NO_STORAGE, "      kubeReserved:\n        cpu: 100m\n        memory: 1Gi\n"
                                       "      maxPods: 110\n" REGISTER) MIME_END,
     NULL, 0},
    {"launch templates: AL2023: pods by an expression", "AL2023", "{maxPods: 'max_pods / 2'}", "",
     MIME_HEAD NODE_CONFIG(NO_STORAGE, "      maxPods: 110\n" REGISTER) MIME_END, NULL, 0},
    {"launch templates: AL2023: cluster DNS of the user", "AL2023", "{clusterDNS: [10.0.0.99]}", "",
     MIME_HEAD NODE_CONFIG(NO_STORAGE, "      clusterDNS:\n      - 10.0.0.99\n      maxPods: 110\n" REGISTER) MIME_END,
     NULL, DNS},
    {"launch templates: AL2023: evictions", "AL2023",
     "{evictionHard: {memory.available: 5%}, evictionSoft: {memory.available: 10%}, evictionSoftGracePeriod: "
     "{memory.available: 1m30s}, evictionMaxPodGracePeriod: 60}",
     "",
     MIME_HEAD NODE_CONFIG(NO_STORAGE, "      evictionHard:\n        memory.available: 5%\n"
                                       "      evictionMaxPodGracePeriod: 60\n"
                                       "      evictionSoft:\n        memory.available: 10%\n"
                                       "      evictionSoftGracePeriod:\n        memory.available: 1m30s\n"
                                       "      maxPods: 110\n" REGISTER) MIME_END,
     NULL, 0},
    {"launch templates: AL2023: image collection, quota, pods per core", "AL2023",
     "{imageGCHighThresholdPercent: 80, imageGCLowThresholdPercent: 50, cpuCFSQuota: false, podsPerCore: 2}", "",
     MIME_HEAD NODE_CONFIG(NO_STORAGE, "      cpuCFSQuota: false\n      imageGCHighThresholdPercent: 80\n"
                                       "      imageGCLowThresholdPercent: 50\n      maxPods: 110\n"
                                       "      podsPerCore: 2\n" REGISTER) MIME_END,
     NULL, 0},
    {"launch templates: AL2023: a boolean and a size that only the kubelet knows", "AL2023",
     "{serializeImagePulls: false, containerLogMaxSize: 10Mi}", "",
     MIME_HEAD NODE_CONFIG(NO_STORAGE, "      containerLogMaxSize: 10Mi\n      maxPods: 110\n" REGISTER
                                       "      serializeImagePulls: false\n") MIME_END,
     NULL, 0},
    {"launch templates: AL2023: a NodeConfig of the user", "AL2023", NULL,
     "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n",
     MIME_HEAD CONFIG "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n\n" CONFIG_PLAIN MIME_END, NULL, 0},
    {"launch templates: AL2023: a script of the user", "AL2023", NULL, "#!/bin/bash\necho x\n",
     MIME_HEAD SHELL "#!/bin/bash\necho x\n\n" CONFIG_PLAIN MIME_END, NULL, 0},
    {"launch templates: AL2023: a message of the user", "AL2023", NULL,
     "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"//\"\n\n--//\nContent-Type: "
     "application/node.eks.aws\n\nkind: NodeConfig\n\n--//\nContent-Type: text/x-shellscript; "
     "charset=\"us-ascii\"\n\n#!/bin/sh\n--//--\n",
     MIME_HEAD CONFIG "kind: NodeConfig\n\n" SHELL "#!/bin/sh\n" CONFIG_PLAIN MIME_END, NULL, 0},
    {"launch templates: AL2023: a broken message", "AL2023", NULL, "Content-Type: x\n\n", NULL, "spec.userData: MIME",
     0},
    // Bottlerocket
    {"launch templates: Bottlerocket: plain", "Bottlerocket", NULL, "", BR_PLAIN, NULL, 0},
    {"launch templates: Bottlerocket: cluster DNS", "Bottlerocket", NULL, "",
     BR_START "cluster-dns-ip = '10.0.100.10'\nmax-pods = 110\n" BR_NODE, NULL, DNS},
    {"launch templates: Bottlerocket: the user's sections stay", "Bottlerocket", NULL,
     "[settings.ntp]\ntime-servers = ['169.254.169.123']\n[settings.network]\nhostname = \"test.local\"\n"
     "hosts = [[\"10.0.0.0\", [\"a.example.com\"]]]\n[settings.kubernetes]\ncloud-provider = 'external'\n",
     "[settings]\n[settings.kubernetes]\napi-server = 'https://test-cluster'\ncloud-provider = 'external'\n"
     "cluster-certificate = 'Y2EK'\ncluster-name = 'test-cluster'\nmax-pods = 110\n" BR_NODE
     "\n[settings.network]\nhostname = 'test.local'\nhosts = [['10.0.0.0', ['a.example.com']]]\n"
     "\n[settings.ntp]\ntime-servers = ['169.254.169.123']\n",
     NULL, 0},
    {"launch templates: Bottlerocket: labels are merged and ours win", "Bottlerocket", NULL,
     "[settings.kubernetes.node-labels]\na = 'other'\nz = 'y'\n",
     BR_START "max-pods = 110\n\n[settings.kubernetes.node-labels]\na = 'b'\n'karpenter.sh/capacity-type' = "
              "'on-demand'\nz = 'y'\n\n[settings.kubernetes.node-taints]\nfoo = ['bar:NoExecute']\n"
              "'karpenter.sh/unregistered' = [':NoExecute']\n",
     NULL, 0},
    {"launch templates: Bottlerocket: taints are replaced", "Bottlerocket", NULL,
     "[settings.kubernetes.node-taints]\nold = ['x:NoSchedule']\n", BR_PLAIN, NULL, 0},
    {"launch templates: Bottlerocket: the cluster is ours", "Bottlerocket", NULL,
     "[settings.kubernetes]\ncluster-name = 'other'\napi-server = 'x'\nmax-pods = 5\n", BR_PLAIN, NULL, 0},
    {"launch templates: Bottlerocket: several addresses of the user stay", "Bottlerocket", NULL,
     "[settings.kubernetes]\ncluster-dns-ip = ['10.0.0.1', '10.0.0.2']\n",
     BR_START "cluster-dns-ip = ['10.0.0.1', '10.0.0.2']\nmax-pods = 110\n" BR_NODE, NULL, 0},
    {"launch templates: Bottlerocket: unknown keys are dropped", "Bottlerocket", NULL,
     "[settings.kubernetes]\nunknown = 1\n", BR_PLAIN, NULL, 0},
    {"launch templates: Bottlerocket: what is no setting is dropped", "Bottlerocket", NULL, "[other]\na = 1\n",
     BR_PLAIN, NULL, 0},
    {"launch templates: Bottlerocket: the kubelet's settings", "Bottlerocket",
     "{maxPods: 20, evictionHard: {memory.available: 12%}, evictionSoft: {memory.available: 20%}, "
     "evictionSoftGracePeriod: {memory.available: 90s}, evictionMaxPodGracePeriod: 60, kubeReserved: {cpu: 100m}, "
     "systemReserved: {memory: 1Gi}, imageGCHighThresholdPercent: 80, imageGCLowThresholdPercent: 50, cpuCFSQuota: "
     "false}",
     "",
     BR_START "max-pods = 20\neviction-max-pod-grace-period = 60\nimage-gc-high-threshold-percent = '80'\n"
              "image-gc-low-threshold-percent = '50'\ncpu-cfs-quota-enforced = false\n" BR_NODE
              "\n[settings.kubernetes.eviction-hard]\n'memory.available' = '12%'\n"
              "\n[settings.kubernetes.eviction-soft]\n'memory.available' = '20%'\n"
              "\n[settings.kubernetes.eviction-soft-grace-period]\n'memory.available' = '1m30s'\n"
              "\n[settings.kubernetes.kube-reserved]\ncpu = '100m'\n"
              "\n[settings.kubernetes.system-reserved]\nmemory = '1Gi'\n",
     NULL, 0},
    {"launch templates: Bottlerocket: evictions of the kubelet replace the user's", "Bottlerocket",
     "{evictionHard: {memory.available: 12%}}", "[settings.kubernetes.eviction-hard]\n\"nodefs.available\" = \"5%\"\n",
     BR_START "max-pods = 110\n" BR_NODE "\n[settings.kubernetes.eviction-hard]\n'memory.available' = '12%'\n", NULL,
     0},
    {"launch templates: Bottlerocket: local disks, version unknown", "Bottlerocket", NULL, "",
     BR_STORAGE(", '--dirs', '/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods'"), NULL, RAID0},
    {"launch templates: Bottlerocket: local disks before 1.46", "Bottlerocket", NULL, "",
     BR_STORAGE(", '--dirs', '/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods'"), NULL, RAID0 | OLD_IMAGE},
    {"launch templates: Bottlerocket: local disks from 1.46", "Bottlerocket", NULL, "", BR_STORAGE(""), NULL,
     RAID0 | NEW_IMAGE},
    {"launch templates: Bottlerocket: local disks beside commands of the user", "Bottlerocket", NULL,
     "[settings.bootstrap-commands.111-say-hello]\ncommands = [['echo', 'hello']]\nmode = 'always'\n"
     "essential = true\n",
     "[settings]\n[settings.bootstrap-commands]\n[settings.bootstrap-commands.000-mount-instance-storage]\n"
     "commands = [['apiclient', 'ephemeral-storage', 'init'], ['apiclient', 'ephemeral-storage', 'bind']]\n"
     "essential = true\nmode = 'always'\n\n[settings.bootstrap-commands.111-say-hello]\ncommands = [['echo', "
     "'hello']]\nmode = 'always'\nessential = true\n\n[settings.kubernetes]\n" BR_CLUSTER "max-pods = 110\n" BR_NODE,
     NULL, RAID0 | NEW_IMAGE},
    {"launch templates: Bottlerocket: broken TOML", "Bottlerocket", NULL, "#!/bin/bash\n[broken", NULL,
     "spec.userData: TOML, line 2: ", 0},
    {"launch templates: Bottlerocket: settings that are no table", "Bottlerocket", NULL, "settings = 1\n", NULL,
     "settings and settings.kubernetes must be tables", 0},
    {"launch templates: Bottlerocket: without a CA", "Bottlerocket", NULL, "",
     "[settings]\n[settings.kubernetes]\napi-server = 'https://test-cluster'\ncluster-name = 'test-cluster'\n"
     "max-pods = 110\n" BR_NODE,
     NULL, NO_CA},
    // Windows
    {"launch templates: Windows: plain", "Windows2022", NULL, "", WINDOWS("", "110'"), NULL, 0},
    {"launch templates: Windows: cluster DNS", "Windows2025", NULL, "", WINDOWS("", "110' -DNSClusterIP '10.0.100.10'"),
     NULL, DNS},
    {"launch templates: Windows: a script of the user", "Windows2019", NULL, "Write-Host \"x\"",
     WINDOWS("Write-Host \"x\"\n", "110'"), NULL, 0},
    {"launch templates: Windows: the kubelet's settings", "Windows2022", "{podsPerCore: 3, maxPods: 30}", "",
     WINDOWS("", "30 --pods-per-core=3'"), NULL, 0},
    // Custom
    {"launch templates: Custom: the user's alone", "Custom", "{maxPods: 1}", "#!/bin/bash\r\nx", "#!/bin/bash\r\nx",
     NULL, DNS},
    {"launch templates: Custom: nothing", "Custom", NULL, "", "", NULL, 0},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static UserDataOptions options_of(Arena *arena, const Row *row, Value *kubelet) {
    static TextEntry labels[] = {{SLICE_INIT("a"), SLICE_INIT("b")},
                                 {SLICE_INIT("karpenter.sh/capacity-type"), SLICE_INIT("on-demand")}};
    static NodeTaint taints[] = {{SLICE_INIT("foo"), SLICE_INIT("bar"), SLICE_INIT("NoExecute")},
                                 {SLICE_INIT("karpenter.sh/unregistered"), SLICE_INIT(""), SLICE_INIT("NoExecute")}};
    UserDataOptions options = {.family = ami_family(slice_of(row->family)),
                               .cluster_name = SLICE("test-cluster"),
                               .cluster_endpoint = SLICE("https://test-cluster"),
                               .ca_bundle = row->with & NO_CA ? SLICE("") : SLICE("Y2EK"),
                               .service_cidr = row->with & NO_CIDR ? SLICE("") : SLICE("10.100.0.0/16"),
                               .max_pods = 110,
                               .raid0 = row->with & RAID0,
                               .custom = slice_of(row->custom)};

    if (row->with & DNS)
        options.dns_ip = SLICE("10.0.100.10");
    if (row->with & IPV6)
        options.dns_ip = SLICE("fd4b:121b:812b::a");
    if (row->with & OLD_IMAGE)
        options.image_version = SLICE("1.45.9");
    if (row->with & NEW_IMAGE)
        options.image_version = SLICE("1.46.0");
    if (!(row->with & NO_LABELS)) {
        options.labels = (TextEntryVec){labels, 2, 2};
        options.taints = (NodeTaintVec){taints, 2, 2};
    }
    if (row->kubelet) {
        *kubelet = test_yaml(arena, row->kubelet);
        options.kubelet = kubelet;
    }
    return options;
}

TEST_EACH(const Row, row, user_data_is_as_the_family_wants_it, list_rows) {
    Arena arena = {0};
    Value kubelet;
    UserDataOptions options = options_of(&arena, row, &kubelet);
    UserData data = {.text = SLICE("untouched")};
    Err err = {0};
    ErrCode code = user_data_write(&arena, &options, &data, &err);

    if (row->error) {
        assert_int_equal(code, ERR_INVALID);
        if (!strstr(err.text, row->error))
            fail_msg("got \"%s\"", err.text);
        assert_true(slice_eq_text(data.text, "untouched"));
    } else if (code != OK || !slice_eq_text(data.text, row->text)) {
        fail_msg("%s: got %s\n%.*s\nwanted\n%s", row->name, err.text, SLICE_ARG(data.text), row->text);
    }
    arena_free(&arena);
}

TEST(bottlerocket_tells_what_it_dropped) {
    Arena arena = {0};
    UserDataOptions options = {.family = ami_family(SLICE("Bottlerocket")),
                               .custom = SLICE("[settings.kubernetes]\nx = 1\nmax-pods = 3\ny = 2\n")};
    UserData data;

    assert_int_equal(user_data_write(&arena, &options, &data, NULL), OK);
    assert_int_equal(data.dropped.count, 2);
    assert_true(slice_eq_text(data.dropped.items[0], "x"));
    arena_free(&arena);
}

// --- versions of Bottlerocket

typedef struct {
    const char *name, *lines, *version;
    bool directories;
} VersionRow;

#define BR_TERMS(terms) "  amiFamily: Bottlerocket\n  amiSelectorTerms: [" terms "]\n"
#define BR_IMAGE        "bottlerocket-aws-k8s-1.34-x86_64-v1.44.1-0123abcd"
#define BR_STATUS(id, name)                                                                                            \
    "status:\n  amis: [{id: " id ", name: " name                                                                       \
    ", requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}]\n"

static const VersionRow version_rows[] = {
    {"Bottlerocket: version of an alias", BR_TERMS("{alias: bottlerocket@v1.45.0}"), "1.45.0", true},
    {"Bottlerocket: version of an alias without the letter", BR_TERMS("{alias: bottlerocket@1.46.0}"), "1.46.0", false},
    {"Bottlerocket: the latest counts as new", BR_TERMS("{alias: bottlerocket@latest}"), "latest", false},
    {"Bottlerocket: version in a term's name", BR_TERMS("{name: " BR_IMAGE "}"), "1.44.1", true},
    {"Bottlerocket: version in the name of an image by id", BR_TERMS("{id: ami-1}") BR_STATUS("ami-1", BR_IMAGE),
     "1.44.1", true},
    {"Bottlerocket: version in the name of any image", BR_TERMS("{tags: {a: b}}") BR_STATUS("ami-7", BR_IMAGE),
     "1.44.1", true},
    {"Bottlerocket: version of an image of another system",
     BR_TERMS("{tags: {a: b}}") BR_STATUS("ami-7", "other-v1.2.3"), "", true},
    {"Bottlerocket: version unknown", BR_TERMS("{tags: {a: b}}"), "", true},
    {"Bottlerocket: version 2", BR_TERMS("{alias: bottlerocket@v2.0.0}"), "2.0.0", false},
    {"Bottlerocket: version 1.45.0", BR_TERMS("{alias: bottlerocket@v1.45.0}"), "1.45.0", true},
    {"Bottlerocket: version 1.46.0", BR_TERMS("{alias: bottlerocket@v1.46.0}"), "1.46.0", false},
    {"Bottlerocket: version 1.47.0", BR_TERMS("{alias: bottlerocket@v1.47.0}"), "1.47.0", false},
    {"Bottlerocket: version 1.9.0", BR_TERMS("{alias: bottlerocket@v1.9.0}"), "1.9.0", true},
    {"Bottlerocket: version 1", BR_TERMS("{alias: bottlerocket@v1}"), "1", true},
    {"Bottlerocket: version 1.46", BR_TERMS("{alias: bottlerocket@v1.46}"), "1.46", true},
    {"Bottlerocket: version abc.def.ghi", BR_TERMS("{alias: bottlerocket@vabc.def.ghi}"), "abc.def.ghi", true},
    {"Bottlerocket: a version that is none", BR_TERMS("{alias: bottlerocket@vx}"), "x", true},
};

static void list_versions(TestCases *cases) {
    for (size_t i = 0; i < sizeof version_rows / sizeof *version_rows; i++)
        test_case(cases, version_rows[i].name, (void *)(uintptr_t)&version_rows[i]);
}

TEST_EACH(const VersionRow, row, versions_of_bottlerocket_are_found, list_versions) {
    TestClass *test = test_class(row->lines);
    Slice version = bottlerocket_version(&test->class.launch.ami_terms, &test->class.found.amis);

    if (!slice_eq_text(version, row->version))
        fail_msg("%s: got %.*s", row->name, SLICE_ARG(version));
    assert_int_equal(bottlerocket_needs_directories(version), row->directories);
    test_class_free(test);
}
