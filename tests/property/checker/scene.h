// The end state of a plan: all bins (nodes that exist, then planned claims) and who is in them.
//
// Questions about a claim are answered once for all claims with equal pool, types and requirements, and once for all
// pods of a class in a bin, so that large plans stay cheap to judge.
#pragma once

#include "checker/rules.h"

typedef struct {
    const Type *type;
    const Offering *offering;
} Candidate;
typedef Vec(Candidate) CandidateVec;

// What a claim may be launched as; shared by claims of one identity.
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
    Symbol hostname; // value of kubernetes.io/hostname; of a claim one that nobody else has
} Bin;
typedef Vec(Bin) BinVec;

// Pods of one class in one bin.
typedef struct {
    uint32_t class_index, bin, count;
    bool is_new;         // planned, else bound already
    bool is_terminating; // bound, with a deletion timestamp
    Symbol pod;          // one of them
} Group;
typedef Vec(Group) GroupVec;

// The values that a label may have on a bin.
typedef struct {
    bool missing; // may lack it
    bool open;    // infinitely many
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

// Fills `ret_scene` from the plan that the world has read. O(pods + claims + launches × types × offerings).
void judge_scene_make(World *world, Scene *ret_scene);

Domain judge_scene_domain(Scene *scene, uint32_t bin, Symbol key);
// The one value of a domain, INDEX_NONE when it is missing or open.
Symbol judge_domain_only(const Domain *domain);
bool judge_domain_has(const Domain *domain, Symbol value);
// Whether two bins that are not the same may have the same value.
bool judge_domains_may_meet(const Domain *a, const Domain *b);

// Whether required node affinity and nodeSelector of a class hold on a bin, whatever is launched.
bool judge_scene_class_holds(Scene *scene, uint32_t class_index, uint32_t bin);
const TaintVec *judge_bin_taints(const Bin *bin);
