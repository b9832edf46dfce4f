// Topology: spread, pod affinity and pod anti-affinity as groups that count pods per domain.
//
// A group is one rule: a kind, a topology key, the pods it counts (namespaces and selectors), and for spread its skew
// and which nodes count. Rules that say the same share a group. Domains of ordinary keys are atoms of the universe;
// domains of kubernetes.io/hostname are bins.
//
// Two counts per domain keep plans sound where a bin's labels are not settled yet: `least` counts pods that are in the
// domain for certain, `most` those that may be. A bin that takes a pod counted by any group on a key is pinned to one
// domain of that key, so the two differ only where a spread's node filter is undecided.
// Behaviour: reference scheduling.md 5.6 and 11; kube-scheduler's PodTopologySpread and InterPodAffinity.
#pragma once

#include "model/objects.h"
#include "sched/index/universe.h"

typedef enum { GROUP_SPREAD, GROUP_AFFINITY, GROUP_ANTI_AFFINITY, GROUP_INVERSE } GroupKind;

// Which pods: in one of the namespaces and selected, for every part.
typedef struct {
    bool all_namespaces;
    SymbolVec namespaces; // sorted
    const LabelSelector *selector;
} PodMatch;
typedef Vec(PodMatch) PodMatchVec;

// Which nodes a spread counts: labels within one of the sets (none: all), taints tolerated when asked.
typedef struct {
    Vec(LabelSetId) terms;
    bool honor_taints;
    const TolerationVec *tolerations;
} NodeFilter;

typedef struct {
    GroupKind kind;
    Symbol topology_key;
    uint32_t key;   // of the universe; INDEX_NONE for kubernetes.io/hostname
    uint32_t words; // of a mask of the key
    PodMatchVec matches;
    int32_t max_skew, min_domains;
    uint32_t filter;     // into Topology.filters; INDEX_NONE: every node
    uint64_t *supported; // spread: the domains that its minimum is taken over
    uint32_t supported_count;
    int32_t *least, *most; // per atom of the key
    int32_t *on_bin;       // per bin, for hostname
    uint32_t bin_capacity;
    int64_t *total;   // pods counted anywhere, `most`; shared by the groups of one pod's required affinity terms:
                      // the first pod may start a domain only when none of them counts any
    bool required;    // some pod has it as a rule that must hold
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
    SliceVec family_texts; // sets of affinity terms that share a total
    IndexMap family_index;
    Vec(int64_t *) family_totals;
} Topology;

void topology_init(Topology *topology, Arena *arena, Universe *universe, const Cluster *cluster);

// The number of the group for a rule, made when new. Keys must have been mentioned as topology keys. `ns` is the
// namespace of the pod that has the rule.
uint32_t topology_spread_group(Topology *topology, Symbol ns, const TopologySpread *spread, uint32_t filter);
// One required or preferred term of affinity; `terms` are all required ones when they count together (kube-scheduler
// wants pods that match every term).
uint32_t topology_affinity_group(Topology *topology, Symbol ns, GroupKind kind, Symbol topology_key,
                                 const PodAffinityTerm *terms, uint32_t term_count);
// The number of a node filter; INDEX_NONE for one that accepts every node.
uint32_t topology_filter(Topology *topology, const NodeFilter *filter);

bool topology_group_selects(const TopologyGroup *group, Symbol ns, const Labels *labels);

// Adds `count` pods. `mask`: domains they may be in (atoms of the key; one atom: certain); certain says whether the
// node filter accepts the bin for certain.
void topology_record(Topology *topology, TopologyGroup *group, const uint64_t *mask, bool certain, int32_t count);
void topology_record_bin(Topology *topology, TopologyGroup *group, uint32_t bin, int32_t count);

// Pods on a node that is going away: they count for who may be first, but nobody can join them.
void topology_record_elsewhere(TopologyGroup *group, int32_t count);
// Lets the first pod of an affinity group start a domain.
void topology_start(TopologyGroup *group);
// Takes pods that were counted as possible in a domain as certain, or as not there at all.
void topology_decide(TopologyGroup *group, uint32_t atom, bool counted, int32_t count);

static inline int32_t topology_on_bin(const TopologyGroup *group, uint32_t bin) {
    return bin < group->bin_capacity ? group->on_bin[bin] : 0;
}

// Clears from `mask` (atoms of the group's key) the domains where a pod may not go. `self`: the group counts the pod.
// O(atoms).
void topology_allow(const Topology *topology, const TopologyGroup *group, bool self, uint64_t *mask);
// How many pods may go to a domain (or bin) that topology_allow left, at most `limit`.
uint32_t topology_allowance(const TopologyGroup *group, bool self, uint32_t atom, uint32_t limit);
// The least count over the domains that a spread takes its minimum over. O(domains).
int32_t topology_spread_minimum(const TopologyGroup *group);
// Whether no domain of a spread has more than the skew above the least one. O(domains).
bool topology_spread_holds(const TopologyGroup *group);
// For hostname groups: how many pods a bin may still take, at most `limit`; 0: none.
uint32_t topology_bin_allowance(const TopologyGroup *group, bool self, uint32_t bin, uint32_t limit);
