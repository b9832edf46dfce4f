#include "obs/subject.h"

static Slice label_text(const Symbols *symbols, const ObjectMeta *meta, Slice key) {
    Symbol symbol = symbol_find(symbols, key);
    Symbol value = symbol == INDEX_NONE ? INDEX_NONE : labels_get(&meta->labels, symbol);

    return value == INDEX_NONE ? SLICE("") : symbol_text(symbols, value);
}

// Sets the label values of LABELS_CLAIM and LABELS_HOST.
static void take_more(const Symbols *symbols, Subject *subject) {
    static const Slice keys[] = {
        SLICE_INIT("karpenter.sh/nodepool"),
        SLICE_INIT("karpenter.k8s.aws/ec2nodeclass"),
        SLICE_INIT("karpenter.kwok.sh/kwoknodeclass"),
        SLICE_INIT("karpenter.sh/initialized"),
    };

    subject->more_count = subject->kind == KUBE_NODE ? 4 : subject->kind == KUBE_NODE_CLAIM ? 3 : 0;
    for (uint32_t i = 0; i < subject->more_count; i++)
        subject->more[i] = label_text(symbols, subject->meta, keys[i]);
}

bool subject_of(const Symbols *symbols, KubeKind kind, const void *body, Subject *ret_subject) {
    Subject subject = {.kind = kind, .has_deprecated = kind != KUBE_NODE, .meta = body};

    switch (kind) {
    case KUBE_NODE_CLAIM:
        subject.first = METRIC_NODECLAIM_CONDITION_COUNT;
        subject.conditions = &((const NodeClaim *)body)->conditions;
        break;
    case KUBE_NODE_POOL:
        subject.first = METRIC_NODEPOOL_CONDITION_COUNT;
        subject.conditions = &((const NodePool *)body)->conditions;
        break;
    case KUBE_NODE:
        subject.first = METRIC_NODE_CONDITION_COUNT;
        subject.conditions = &((const Node *)body)->conditions;
        break;
    case KUBE_EC2_NODE_CLASS:
        subject.first = METRIC_EC2NODECLASS_CONDITION_COUNT;
        subject.conditions = &((const EC2NodeClass *)body)->conditions;
        break;
    case KUBE_KWOK_NODE_CLASS:
        subject.first = METRIC_KWOKNODECLASS_CONDITION_COUNT;
        subject.conditions = &((const KWOKNodeClass *)body)->conditions;
        break;
    default:
        return false;
    }
    take_more(symbols, &subject);
    *ret_subject = subject;
    return true;
}
