// Scene: the end state of a plan: all bins (existing nodes, then planned claims) and their pods.
//
// Results are shared by all claims with equal pool, types and requirements, and by all pods of a class in a bin, so
// that large plans are cheap to check.
#pragma once

#include "checker/rules.h"

typedef struct {
    const Type *type;
    const Offering *offering;
} Candidate;
typedef Vec(Candidate) CandidateVec;

// Possible launches of a claim; shared by claims with the same identity.
typedef struct {
    Symbol identity;
    const Claim *claim; // the first of them
    CandidateVec candidates;
} Launch;
typedef Vec(Launch) LaunchVec;

typedef struct {
    const Node *node; // one of the two
    const Claim *claim;
    uint32_t launch; // index, of a claim
    Symbol name;
    Symbol hostname; // value of kubernetes.io/hostname; of a claim a unique one
} Bin;
typedef Vec(Bin) BinVec;

// Pods of one class in one bin.
typedef struct {
    uint32_t class_index, bin, count;
    bool is_new;         // planned; else already bound
    bool is_terminating; // bound, with a deletion timestamp
    Symbol pod;          // one of the pods
} Group;
typedef Vec(Group) GroupVec;

// Possible values of a label on a bin.
typedef struct {
    bool missing; // the label may be missing
    bool open;    // infinitely many values
    U32Vec values;
} Domain;

typedef struct {
    World *world;
    Symbol hostname_key;
    BinVec bins;
    LaunchVec launches;
    GroupVec groups;
    IndexMap launch_index;              // symbol of the identity
    IndexMap domain_index, holds_index; // launch or node with key, with class
    Vec(Domain) domains;
} Scene;

// Makes the scene of the World's plan. O(pods + claims + launches × types × offerings).
void judge_scene_make(World *world, Scene *ret_scene);

Domain judge_scene_domain(Scene *scene, uint32_t bin, Symbol key);
// The only value of a domain; INDEX_NONE: it may be missing, or has several.
Symbol judge_domain_only(const Domain *domain);
bool judge_domain_has(const Domain *domain, Symbol value);
// Whether two different bins may have the same value.
bool judge_domains_may_meet(const Domain *a, const Domain *b);

// Whether required node affinity and nodeSelector of a class match a bin, whatever is launched.
bool judge_scene_class_holds(Scene *scene, uint32_t class_index, uint32_t bin);
const TaintVec *judge_bin_taints(const Bin *bin);
