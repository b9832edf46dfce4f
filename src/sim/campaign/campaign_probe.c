// Final check of a random scenario: when all faults are over, three ordinary pods need nodes of a pool of their own.
// Whatever happened before, they must run soon.
#include "sim/campaign/campaign_probe.h"

#include "sim/campaign/campaign_draft.h"
#include "sim/campaign/campaign_pools.h"

enum { BEFORE_END_S = 590, WITHIN_S = 560, PODS = 3 };

void draft_probe(Draft *draft) {
    draft_begin_line(draft, draft->end_s - BEFORE_END_S);
    buffer_printf(
        draft->out,
        "apply: {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: probe, labels: {campaign: "
        "\"1\"}}, spec: {template: {metadata: {labels: {pool: probe}}, spec: {nodeClassRef: {group: %s, kind: "
        "%s, name: default}, requirements: [{key: karpenter.sh/capacity-type, operator: In, values: "
        "[on-demand]}, {key: kubernetes.io/arch, operator: In, values: [amd64]}]}}}}",
        draft_class_group(draft), draft_class_kind(draft));
    draft_end_line(draft);
    draft->has[WORKLOAD_DEPLOYMENT] = true;
    draft_begin_line(draft, draft->end_s - BEFORE_END_S);
    buffer_printf(draft->out,
                  "apply: {apiVersion: apps/v1, kind: Deployment, metadata: {name: probe, namespace: default, labels: "
                  "{campaign: \"1\"}}, spec: {replicas: %d, selector: {matchLabels: {app: probe}}, template: "
                  "{metadata: {labels: {app: probe}}, spec: {nodeSelector: {pool: probe}, priorityClassName: high, "
                  "containers: [{name: c, image: i, resources: {requests: {cpu: 500m, memory: 256Mi}}}]}}}}",
                  PODS);
    draft_end_line(draft);
    draft_begin_line(draft, draft->end_s - BEFORE_END_S);
    buffer_printf(draft->out,
                  "expect: {kind: Pod, namespace: default, labels: app=probe, where: {status.phase: Running}, count: "
                  "%d, within: %ds}",
                  PODS, WITHIN_S);
    draft_end_line(draft);
}
