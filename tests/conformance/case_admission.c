// Defaults and rules of built-in kinds: what a pod, node, workload or budget gets and must have.
#include "suite.h"

static void a_pod_gets_its_defaults(Case *c) {
    Value pod = make_pod(c, "p", "", NULL);

    assert_at(&pod, "spec.restartPolicy", "Always");
    assert_at(&pod, "spec.terminationGracePeriodSeconds", "30");
    assert_at(&pod, "spec.dnsPolicy", "ClusterFirst");
    assert_at(&pod, "spec.priority", "0");
    assert_at(&pod, "spec.preemptionPolicy", "PreemptLowerPriority");
    assert_at(&pod, "status.phase", "Pending");
    assert_at(&pod, "status.qosClass", "BestEffort");
}

static void a_pod_tolerates_short_trouble_of_its_node(Case *c) {
    Value pod = make_pod(c, "p", "", NULL);

    assert_at(&pod, "spec.tolerations.0.key", "node.kubernetes.io/not-ready");
    assert_at(&pod, "spec.tolerations.1.key", "node.kubernetes.io/unreachable");
    assert_at(&pod, "spec.tolerations.1.tolerationSeconds", "300");
}

static void limits_are_requests_when_none_are_given(Case *c) {
    Value pod =
        create(c, KUBE_POD,
               "{metadata: {name: p}, spec: {schedulerName: nobody, containers: [{name: a, image: i, resources: "
               "{limits: {cpu: '1', memory: 1Gi}}}]}}");

    assert_at(&pod, "spec.containers.0.resources.requests.cpu", "1");
    assert_at(&pod, "status.qosClass", "Guaranteed");
}

static void requests_may_not_be_more_than_limits(Case *c) {
    try_create(
        c, KUBE_POD,
        "{metadata: {name: p}, spec: {containers: [{name: a, image: i, resources: {requests: {cpu: '2'}, limits: "
        "{cpu: '1'}}}]}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "must be less than or equal to cpu limit of 1");
}

static void a_pod_needs_a_container(Case *c) {
    try_create(c, KUBE_POD, "{metadata: {name: p}, spec: {containers: []}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "spec.containers: Required value");
}

static void the_priority_of_a_class_goes_into_the_pod(Case *c) {
    Value pod;

    create(c, KUBE_PRIORITY_CLASS, "{metadata: {name: 'high-${id}'}, value: 1000, preemptionPolicy: Never}");
    pod = create(
        c, KUBE_POD,
        "{metadata: {name: p}, spec: {priorityClassName: 'high-${id}', schedulerName: nobody, containers: [{name: "
        "a, image: i}]}}");
    assert_at(&pod, "spec.priority", "1000");
    assert_at(&pod, "spec.preemptionPolicy", "Never");
    del(c, KUBE_PRIORITY_CLASS, "high-${id}");
}

static void an_unknown_priority_class_is_forbidden(Case *c) {
    try_create(c, KUBE_POD,
               "{metadata: {name: p}, spec: {priorityClassName: none, containers: [{name: a, image: i}]}}");
    assert_failed(c, ERR_DENIED, KUBE_REASON_FORBIDDEN, "no PriorityClass with name none was found");
}

#define IN_RUNTIME(more)                                                                                               \
    "{metadata: {name: p}, spec: {runtimeClassName: 'vm-${id}', schedulerName: nobody, containers: [{name: a, image: " \
    "i}]" more "}}"

static void create_runtime(Case *c) {
    create(c, KUBE_RUNTIME_CLASS,
           "{metadata: {name: 'vm-${id}'}, handler: vm, overhead: {podFixed: {cpu: 250m}}, scheduling: {nodeSelector: "
           "{vm: 'yes'}, tolerations: [{key: vm, operator: Exists, effect: NoSchedule}]}}");
}

static void a_runtime_brings_overhead_and_chooses_nodes(Case *c) {
    Value pod;

    create_runtime(c);
    pod = create(c, KUBE_POD, IN_RUNTIME(", nodeSelector: {disk: ssd}"));
    assert_at(&pod, "spec.overhead.cpu", "250m");
    assert_at(&pod, "spec.nodeSelector.vm", "yes");
    assert_at(&pod, "spec.nodeSelector.disk", "ssd");
    assert_at(&pod, "spec.tolerations.2.key", "vm"); // behind those for short trouble
    del(c, KUBE_RUNTIME_CLASS, "vm-${id}");
}

static void a_pod_does_not_contradict_its_runtime(Case *c) {
    try_create(c, KUBE_POD, IN_RUNTIME(""));
    assert_failed(c, ERR_DENIED, KUBE_REASON_FORBIDDEN, "not found");
    create_runtime(c);
    try_create(c, KUBE_POD, IN_RUNTIME(", nodeSelector: {vm: 'no'}"));
    assert_failed(c, ERR_DENIED, KUBE_REASON_FORBIDDEN, "pod.spec.nodeSelector[vm] = no");
    try_create(c, KUBE_POD, IN_RUNTIME(", overhead: {cpu: '1'}"));
    assert_failed(c, ERR_DENIED, KUBE_REASON_FORBIDDEN,
                  "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    del(c, KUBE_RUNTIME_CLASS, "vm-${id}");
}

static void a_gated_pod_says_so(Case *c) {
    Value pod =
        create(c, KUBE_POD,
               "{metadata: {name: p}, spec: {schedulingGates: [{name: example.com/wait}], containers: [{name: a, "
               "image: i}]}}");

    assert_at(&pod, "status.conditions.0.type", "PodScheduled");
    assert_at(&pod, "status.conditions.0.reason", "SchedulingGated");
}

static void a_new_node_is_tainted_not_ready(Case *c) {
    Value node = create(c, KUBE_NODE, "{metadata: {name: 'node-${id}'}}");

    assert_at(&node, "spec.taints.0.key", "node.kubernetes.io/not-ready");
    assert_at(&node, "spec.taints.0.effect", "NoSchedule");
    del(c, KUBE_NODE, "node-${id}");
}

static void taints_may_not_repeat(Case *c) {
    try_create(
        c, KUBE_NODE,
        "{metadata: {name: 'node-${id}'}, spec: {taints: [{key: a, value: x, effect: NoSchedule}, {key: a, value: "
        "z, effect: NoSchedule}]}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "Duplicate value");
}

static void a_deployment_gets_its_defaults(Case *c) {
    Value deployment =
        create(c, KUBE_DEPLOYMENT,
               "{metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: "
               "{labels: {app: web}}, spec: {containers: [{name: a, image: i}]}}}}");

    assert_at(&deployment, "spec.replicas", "1");
    assert_at(&deployment, "spec.strategy.type", "RollingUpdate");
    assert_at(&deployment, "spec.strategy.rollingUpdate.maxSurge", "25%");
    assert_at(&deployment, "spec.template.spec.restartPolicy", "Always");
}

static void a_selector_must_match_the_template(Case *c) {
    try_create(
        c, KUBE_REPLICA_SET,
        "{metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: "
        "db}}, spec: {containers: [{name: a, image: i}]}}}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "`selector` does not match template `labels`");
}

static void a_job_selects_its_pods_by_its_uid(Case *c) {
    Value job =
        create(c, KUBE_JOB,
               "{metadata: {name: batch}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, "
               "image: i}]}}}}");

    assert_at(&job, "spec.completions", "1");
    assert_at(&job, "spec.backoffLimit", "6");
    assert_true(slice_eq(at(&job, "spec.template.metadata.labels.controller-uid"), kube_uid(&job)));
}

static void a_budget_says_one_thing_only(Case *c) {
    try_create(c, KUBE_POD_DISRUPTION_BUDGET,
               "{metadata: {name: b}, spec: {minAvailable: 1, maxUnavailable: 1, selector: {matchLabels: {a: b}}}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "minAvailable and maxUnavailable cannot be both set");
}

static void a_new_budget_counts_nothing(Case *c) {
    Value budget = create(c, KUBE_POD_DISRUPTION_BUDGET,
                          "{metadata: {name: b}, spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}}");

    assert_at(&budget, "status.disruptionsAllowed", "0");
    assert_at(&budget, "status.expectedPods", "0");
    assert_false(has(&budget, "status.observedGeneration"));
}

static void the_default_storage_class_is_filled_in(Case *c) {
    Value claim;

    create(c, KUBE_STORAGE_CLASS,
           "{metadata: {name: 'zz-${id}', annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}, "
           "provisioner: example.com/x}");
    claim = create(c, KUBE_PERSISTENT_VOLUME_CLAIM,
                   "{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: "
                   "1Gi}}}}");
    assert_slice_eq(at(&claim, "spec.storageClassName"), unique(c, "zz").ptr, __FILE__, __LINE__);
    assert_at(&claim, "status.phase", "Pending");
    del(c, KUBE_STORAGE_CLASS, "zz-${id}");
}

static void a_storage_class_is_delete_and_immediate_unless_it_says_else(Case *c) {
    Value class = create(c, KUBE_STORAGE_CLASS, "{metadata: {name: 'sc-${id}'}, provisioner: example.com/x}");

    assert_at(&class, "reclaimPolicy", "Delete");
    assert_at(&class, "volumeBindingMode", "Immediate");
    try_patch(c, KUBE_STORAGE_CLASS, "sc-${id}", KUBE_OBJECT, KUBE_PATCH_MERGE, "{provisioner: example.com/y}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "field is immutable");
    del(c, KUBE_STORAGE_CLASS, "sc-${id}");
}

static void an_event_lives_beside_what_it_is_about(Case *c) {
    create(c, KUBE_EVENT,
           "{metadata: {name: e1}, involvedObject: {kind: Pod, name: p, namespace: '${ns}'}, reason: Nominated, type: "
           "Normal, message: m, source: {component: karpenter}}");
    try_create(
        c, KUBE_EVENT,
        "{metadata: {name: e2}, involvedObject: {kind: Pod, name: p, namespace: other}, reason: Nominated, type: "
        "Normal, message: m, source: {component: karpenter}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "involvedObject.namespace");
    create(c, KUBE_EVENT,
           "{metadata: {name: 'e3-${id}', namespace: default}, involvedObject: {kind: Node, name: n1}, reason: "
           "Nominated, type: Normal, message: m, source: {component: karpenter}}");
}

const CaseEntry admission_cases[] = {
    CASE(a_pod_gets_its_defaults),
    CASE(a_pod_tolerates_short_trouble_of_its_node),
    CASE(limits_are_requests_when_none_are_given),
    CASE(requests_may_not_be_more_than_limits),
    CASE(a_pod_needs_a_container),
    CASE(the_priority_of_a_class_goes_into_the_pod),
    CASE(an_unknown_priority_class_is_forbidden),
    CASE(a_runtime_brings_overhead_and_chooses_nodes),
    CASE(a_pod_does_not_contradict_its_runtime),
    CASE(a_gated_pod_says_so),
    CASE(a_new_node_is_tainted_not_ready),
    CASE(taints_may_not_repeat),
    CASE(a_deployment_gets_its_defaults),
    CASE(a_selector_must_match_the_template),
    CASE(a_job_selects_its_pods_by_its_uid),
    CASE(a_budget_says_one_thing_only),
    CASE(a_new_budget_counts_nothing),
    CASE(the_default_storage_class_is_filled_in),
    CASE(an_event_lives_beside_what_it_is_about),
    CASE(a_storage_class_is_delete_and_immediate_unless_it_says_else),
    CASES_END,
};
