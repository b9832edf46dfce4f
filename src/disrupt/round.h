// What the methods of one pass share: candidates, what budgets leave, the planner, and the commands found so far.
#pragma once

#include "disrupt/candidate.h"
#include "disrupt/pass.h"
#include "disrupt/pool_budgets.h"
#include "disrupt/whatif.h"

typedef struct {
    Arena *arena;
    const DisruptFacts *facts;
    const DisruptOptions *options;
    NodePods node_pods;
    Whatif *whatif;
    PoolBudgetsVec budgets;
    DisruptionCandidateVec candidates[DISRUPTION_CLASS_COUNT]; // all, blocked ones too
    bool has_candidates[DISRUPTION_CLASS_COUNT];
    bool *is_gone;       // per node: of a command of this round
    bool *is_held;       // per node: the fleet search would have it go, but what it saves may not last
    bool *is_restless;   // per pool of the facts: consolidation waits for it (worth/rest.h); NULL: for none
    uint32_t noted;      // bits of the reasons for which pools without a budget were named
    bool is_held_back;   // a budget, or the planner's deadline, kept a method from looking at a node
    bool found_wasteful; // a command of emptiness or consolidation was found
    DisruptPass *pass;
} Round;

typedef Vec(const DisruptionCandidate *) CandidateList;

// `ret_pass` is cleared, and filled by the functions below. Everything lives in `arena` but the planner's answers:
// round_close frees them. O(nodes × pools + pods × budgets).
void round_open(Round *round, Arena *arena, const DisruptFacts *facts, const DisruptOptions *options,
                DisruptPass *ret_pass);
void round_close(Round *round);
// Whether somebody wants the pass to end.
bool round_is_cancelled(const Round *round);

// All nodes with a NodeClaim, as methods of the class see them; made when first asked for, with notes of what blocks
// them.
const DisruptionCandidateVec *round_all(Round *round, DisruptionClass class);

// The nodes that the method may choose from, in the order of the facts. Counts them as eligible, and notes why others
// are not and which pools have no budget.
CandidateList round_candidates(Round *round, DisruptMethod method);

// How many nodes of the candidate's pool may go yet for the method's reason.
uint32_t round_budget(const Round *round, const DisruptionCandidate *candidate, DisruptMethod method);

// Of a list in its order, those whose pools have a budget for them; the round is held back if one has not.
CandidateList round_within_budgets(Round *round, const CandidateList *list, DisruptMethod method);

// By price for a unit of disruption, highest first; equal ones in their order. O(count × log).
void candidates_sort_by_savings(CandidateList *list);

U32Vec round_nodes(Arena *arena, const CandidateList *list);

// Asks what becomes of the candidates' pods. The round is held back when the planner does not know.
void round_ask(Round *round, const CandidateList *list, WhatifDestinations destinations, WhatifAnswer *ret_answer);
// The same question about one node, and about all of its pods: also those that must not be evicted now.
void round_ask_for_all(Round *round, const DisruptionCandidate *candidate, WhatifAnswer *ret_answer);

// A command for the nodes, without replacements; `answer` (may be NULL) says where their pods go.
DisruptCommand command_make(Arena *arena, DisruptMethod method, const CandidateList *list, const WhatifAnswer *answer);
// The same with all new nodes of the answer as replacements.
DisruptCommand command_make_replacing(Arena *arena, DisruptMethod method, const CandidateList *list,
                                      const WhatifAnswer *answer);
// Adds a replacement: it costs what its launch is expected to.
void command_add_replacement(Arena *arena, DisruptCommand *command, const PlannedClaim *claim);

// What it saves, by what its replacements are expected to cost now.
void command_value(DisruptCommand *command);

// The command is part of the pass: its nodes and budgets are taken, and its pods are on their way for what-ifs.
void round_take(Round *round, const DisruptCommand *command);

// There may be more to be found at that time.
void round_look_again(Round *round, int64_t at_ns);

void round_note_node(Round *round, uint32_t node, const char *reason, Slice text);
void round_note_pool(Round *round, Symbol pool, const char *reason, Slice text);
