// Topology: spread, pod affinity and pod anti-affinity as groups that count pods per domain.
//
// A group is one rule: a kind, a topology key, the pods that it counts (namespaces and selectors), and for spread its
// max skew and the nodes that count. Equal rules share a group. The domains of kubernetes.io/hostname are bins; those
// of other keys are atoms of the universe. Nodes of one host name are one domain, a node without the label is in none:
// HostBins says so, where there are such.
//
// There are two counts per domain, since the labels of a bin may not be decided yet: `least` counts pods that certainly
// are in the domain, `most` those that may be. A bin that takes a pod counted by any group on a key is pinned to one
// domain of that key, so the two differ only where a spread's node filter is undecided.
// Behaviour: reference scheduling.md 5.6 and 11; kube-scheduler's PodTopologySpread and InterPodAffinity.
#pragma once

#include "model/objects.h"
#include "sched/index/universe.h"

typedef enum { GROUP_SPREAD, GROUP_AFFINITY, GROUP_ANTI_AFFINITY, GROUP_INVERSE } GroupKind;

// The pods that a term matches: those in one of the namespaces that the selector selects.
typedef struct {
    bool all_namespaces;
    SymbolVec namespaces; // sorted
    const LabelSelector *selector;
} PodMatch;
typedef Vec(PodMatch) PodMatchVec;

// The nodes that a spread counts: those whose labels are within one of the sets (none: all) and, if the taints policy
// asks for it, whose taints are tolerated.
typedef struct {
    Vec(LabelSetId) terms;
    bool honor_taints;
    const TolerationVec *tolerations;
} NodeFilter;

// The bin that counts the pods of a node's host, per node bin; INDEX_NONE: it is no host. All other bins are hosts.
typedef struct {
    const uint32_t *bins;
    uint32_t count;
} HostBins;

typedef struct {
    GroupKind kind;
    Symbol topology_key;
    uint32_t key;   // of the universe; INDEX_NONE for kubernetes.io/hostname
    uint32_t words; // words of a mask of the key
    PodMatchVec matches;
    int32_t max_skew, min_domains;
    uint32_t filter;     // into Topology.filters; INDEX_NONE: every node
    uint64_t *supported; // spread: the domains over which its minimum is taken
    uint32_t supported_count;
    int32_t *least, *most; // per atom of the key
    int32_t *on_bin;       // per bin, for hostname
    uint32_t bin_capacity;
    HostBins hosts;   // for hostname; empty: every bin is a host
    int64_t *total;   // pods counted in all domains, as in `most`; shared by the groups of one pod's required affinity
                      // terms: the first pod may start a domain only when none of them counts any
    bool required;    // some pod has it as a required rule, not only as a preference
    bool waits;       // affinity: the first pod may not start a domain yet, others that it could join may still come
    uint64_t changes; // counts recorded so far
    bool undecided;   // some pod was counted in `most` only because the filter could not tell
} TopologyGroup;

typedef struct {
    Arena *arena;
    Universe *universe;
    const Cluster *cluster;
    Vec(TopologyGroup) groups;
    IndexMap index;
    SliceVec texts; // canonical text of each group, parallel to groups
    Vec(NodeFilter) filters;
    SliceVec filter_texts;
    IndexMap filter_index;
    SliceVec family_texts; // canonical texts of sets of affinity terms that share a total
    IndexMap family_index;
    Vec(int64_t *) family_totals;
} Topology;

void topology_init(Topology *topology, Arena *arena, Universe *universe, const Cluster *cluster);

// The index of the group for a rule, made when new. Its key must have been mentioned as a topology key. `ns`: namespace
// of the pod that has the rule.
uint32_t topology_spread_group(Topology *topology, Symbol ns, const TopologySpread *spread, uint32_t filter);
// The same for affinity and anti-affinity. `terms`: one term, or all required affinity terms, which count together
// (kube-scheduler wants pods that match every term).
uint32_t topology_affinity_group(Topology *topology, Symbol ns, GroupKind kind, Symbol topology_key,
                                 const PodAffinityTerm *terms, uint32_t term_count);
// The index of a node filter, made when new; INDEX_NONE for one that accepts every node.
uint32_t topology_filter(Topology *topology, const NodeFilter *filter);

bool topology_group_selects(const TopologyGroup *group, Symbol ns, const Labels *labels);

// Adds `count` pods (negative: takes them off). `mask`: the domains they may be in, atoms of the key; a single one is
// certain. `certain`: the node filter accepts the bin whatever its labels become.
void topology_record(Topology *topology, TopologyGroup *group, const uint64_t *mask, bool certain, int32_t count);
void topology_record_bin(Topology *topology, TopologyGroup *group, uint32_t bin, int32_t count);

// Tells the groups on hostname of nodes that share a host name or have none, before anything is counted. `bins`: per
// node bin, the first one with its host name; INDEX_NONE: it has none. Spreads and affinity are refused there. What is
// counted on a shared host keeps spread and anti-affinity away from all of its nodes, whereas affinity is to the node
// alone, so that who joins another pod is beside it. Anti-affinity on a node without the label holds on that node.
void topology_share_hosts(Topology *topology, const uint32_t *bins, uint32_t count);

// Counts pods on a node that is being deleted: they keep another pod from starting a domain, but their domain cannot be
// joined there.
void topology_record_elsewhere(TopologyGroup *group, int32_t count);
// Ends `waits`: the first pod of the affinity group may start a domain.
void topology_start(TopologyGroup *group);
// Decides `count` pods that were counted in `most` only: they are in the domain (`counted`), or they are not.
void topology_decide(TopologyGroup *group, uint32_t atom, bool counted, int32_t count);

// Whether it is a spread over the values of a label: those of kubernetes.io/hostname are bins.
// Whether nothing that is placed changes the group's counts: only pods with a node have the rule.
static inline bool topology_is_fixed(const TopologyGroup *group) {
    return group->kind == GROUP_INVERSE && !group->required;
}

static inline bool topology_spreads_label(const TopologyGroup *group) {
    return group->kind == GROUP_SPREAD && group->key != INDEX_NONE;
}

static inline uint32_t topology_host(const TopologyGroup *group, uint32_t bin) {
    return bin < group->hosts.count ? group->hosts.bins[bin] : bin;
}

static inline int32_t topology_on_bin(const TopologyGroup *group, uint32_t bin) {
    bin = topology_host(group, bin);
    return bin < group->bin_capacity ? group->on_bin[bin] : 0;
}

// Removes from `mask` (atoms of the group's key) the domains that a pod may not go to. `self`: the group counts the
// pod. O(atoms).
void topology_allow(const Topology *topology, const TopologyGroup *group, bool self, uint64_t *mask);
// The number of pods that may go to a domain that topology_allow left, at most `limit`.
uint32_t topology_allowance(const TopologyGroup *group, bool self, uint32_t atom, uint32_t limit);
// The least count over the `supported` domains of a spread. O(domains).
int32_t topology_spread_minimum(const TopologyGroup *group);
// Whether no domain of a spread exceeds the least one by more than max skew. O(domains).
bool topology_spread_holds(const TopologyGroup *group);
// The number of pods that a bin (INDEX_NONE: a new one) may still take by a hostname group, at most `limit`.
uint32_t topology_bin_allowance(const TopologyGroup *group, bool self, uint32_t bin, uint32_t limit);
