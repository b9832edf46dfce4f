// Problem: data shared by the parts of the yardstick: items, contents, families of claims, columns, rules.
#pragma once

#include "checker/place.h"
#include "checker/read.h"
#include "checker/topology.h"
#include "exact/exact.h"
#include "exact/program.h"

enum { ITEMS_MAX = 30, CONTENTS_MAX = 1 << 15, COLUMNS_MAX = 60000, FAMILIES_MAX = 20000 };

// Pods that are equal to every rule.
typedef struct {
    uint32_t class_index, count;
    uint32_t stride;      // weight of its digit in a content's number
    U32Vec pods;          // indexes into World.pods
    const Pod *pod;       // the first
    const Pool *heaviest; // heaviest pool that could serve one on a new node, see judge_heaviest_home
} Item;

// A domain of a key: the symbol of a value, or one of these.
enum { DOMAIN_ABSENT = INDEX_NONE - 1, DOMAIN_OPEN = INDEX_NONE - 2 };

// Everything that rules between nodes read of a node: its domains by key, and the spreads it counts for.
typedef struct {
    U32Vec domains;
    uint64_t counted;
} Cell;

// An offering that claims of a family may be launched as.
typedef struct {
    const Type *type;
    const Offering *offering;
    Amounts daemons;
    uint32_t cell;
    uint32_t accepts; // bit set of the items that fit there alone
    uint32_t soft;    // those of them that do not tolerate a PreferNoSchedule taint
} Way;
typedef Vec(Way) WayVec;

// Claims with equal pool and requirements. If the pool has no minValues, a claim is one of its ways; else it lists all
// types that can hold its pods.
typedef struct {
    const Claim *claim;
    const Value *requirements; // of the claim, as written
    bool wants_values;
    uint32_t soft; // items that mind a PreferNoSchedule taint of its pool
    WayVec ways;   // grouped by type
} Family;
typedef Vec(Family) FamilyVec;

// Indices of Excuse. `some`: one of them must hold (empty: none needs to); `all`: each must.
typedef struct {
    U32Vec some, all;
} Excuses;

// A content on a node or claim, at a price.
typedef struct {
    uint32_t content, cell;
    uint32_t node;   // index into World.nodes, INDEX_NONE: a new claim
    uint32_t family; // of a claim
    const Way *way;  // NULL: all types of the family that hold the content and are not larger than `charge`
    double price;
    Amounts charge;     // counted against the limits of the pool
    Symbol reservation; // INDEX_NONE: none
    uint32_t next;      // column with the same content and group
    Excuses excuses;    // promises: why its pods may be there
} Column;
typedef Vec(Column) ColumnVec;

typedef struct {
    uint32_t class_index;
    const Spread *spread;
    uint32_t key, owners, matched; // index of the key, bits of items
    U32Vec reachable;              // domains that pools could open
} SpreadRule;

typedef struct {
    uint32_t key, owners, matched;
} AntiRule;

// One term of a class's required affinity.
typedef struct {
    uint32_t key;    // INDEX_NONE: the hostname
    uint32_t owners; // items of the class
    uint32_t others; // items of other classes that match all its terms
    U32Vec seeds;    // domains (hostname: nodes) where a bound pod matches
    bool may_start;  // the first pod of the group may go anywhere
} AffinityRule;

// Items that may not share a domain with a bound pod.
typedef struct {
    uint32_t key, domain, items;
} Forbidden;

// At most `most` of the items on one host.
typedef struct {
    uint32_t items;
    int64_t most;
    const Spread *spread;
    uint32_t class_index;
} HostRule;

// A pool accepts an item on a new node of that cell.
typedef struct {
    uint32_t item, cell;
    int64_t weight;
    const Pool *limited; // NULL: a pool without limits
    Amounts charge;      // that the node adds to its limits
    bool soft;           // the item does not tolerate a PreferNoSchedule taint of the pool
} Served;

typedef enum { GUARD_LIMIT, GUARD_SPREAD, GUARD_ANTI, GUARD_AFFINITY } GuardKind;

// What can keep a pod from a place in a heavier pool.
typedef struct {
    GuardKind kind;
    uint32_t index;  // LIMIT: into `served`, whose limits are used up; else into the rules of that kind
    uint32_t domain; // SPREAD, ANTI: of the place, which is full; AFFINITY: where the group has started instead
    uint32_t items;  // SPREAD: whether it counts the pod itself; ANTI: items of which one is in the domain
} Guard;

// Each of these places was blocked by one of the guards listed for it.
typedef struct {
    bool is_void;        // one of the places can never be blocked
    Vec(U32Vec) blocked; // per place: into `guards`, ascending; no list contains another one
} Excuse;

// The Excuse of a pod of the item in a cell, for passing by the pools that are heavier than that. `hard`: those alone
// whose taints it does not mind, as the pod did not have to put up with one.
typedef struct {
    uint32_t item, cell;
    int64_t weight;
    bool hard;
    uint32_t excuse;
} KnownExcuse;

typedef struct {
    World world;
    Scene scene; // without a plan
    const ExactQuestion *question;
    Vec(Item) items;
    uint32_t pod_count;
    uint32_t content_count, all; // number of contents; number of the content with all pods
    uint32_t apart[ITEMS_MAX]; // bit set of the items that an item may not share a host with; its own bit if two of it
                               // may not
    bool *content_is_fine;     // by content: whether it may be on one host
    U32Vec keys;               // keys of rules between nodes, except the hostname
    Vec(Cell) cells;
    Vec(HostRule) host_rules;
    Vec(SpreadRule) spreads;
    Vec(AntiRule) antis;
    Vec(AffinityRule) affinities;
    Vec(Forbidden) forbidden;
    FamilyVec families;
    ColumnVec columns;
    ColumnVec every;        // columns before those that are too dear for the plan were dropped
    Amounts *limits_left;   // by pool
    uint32_t *node_accepts; // bits of items, by node
    uint32_t *node_soft;    // those of them that mind a PreferNoSchedule taint
    Vec(Served) served;     // of promises only, as are guards and excuses
    Vec(Guard) guards;
    Vec(Excuse) excuses;
    Vec(KnownExcuse) known_excuses;
    const char *too_large;
} Problem;

static inline uint32_t content_of(const Problem *problem, uint32_t content, uint32_t item) {
    return content / problem->items.items[item].stride % (problem->items.items[item].count + 1);
}
static inline const PodClass *item_class(const Problem *problem, uint32_t item) {
    return &problem->world.classes.items[problem->items.items[item].class_index];
}
// Bit set of the items in a content.
uint32_t content_items(const Problem *problem, uint32_t content);
Amounts content_requests(const Problem *problem, uint32_t content);

// items.c: items, and the rules on one host.
void exact_make_items(Problem *problem);
void exact_judge_contents(Problem *problem);
// Whether the distinct volumes of a content, and of the pods of a node if given, exceed a limit.
bool exact_volumes_exceed(Problem *problem, uint32_t content, const VolumeLimitVec *limits, const Node *node);

// rules.c
void exact_make_rules(Problem *problem);
uint32_t exact_cell(Problem *problem, const Cell *cell);
uint32_t exact_node_cell(Problem *problem, uint32_t node);
uint32_t exact_way_cell(Problem *problem, const Family *family, const Offering *offering);
uint32_t exact_joint_cell(Problem *problem, uint32_t one, uint32_t other);
// Items that rules between nodes exclude from a cell; `node` INDEX_NONE: the cell of a claim.
uint32_t exact_kept_out(const Problem *problem, uint32_t cell, uint32_t node);

// The pods that a spread counts on nodes in a domain before the plan. `ret_exists`: whether a node is there.
int64_t exact_bound_in(Problem *problem, const SpreadRule *rule, uint32_t domain, bool *ret_exists);

// families.c
ErrCode exact_make_families(Problem *problem, Err *err);
// The types of a family that can hold a content, and the price; false: too few of them.
typedef struct {
    Vec(const Type *) types;
    Amounts charge;
    double price;
    const Way *choice;
    uint32_t cell;
} Launchable;
bool exact_launchable(Problem *problem, const Family *family, uint32_t content, const Amounts *box,
                      Launchable *ret_launchable);

// weights.c: finds Served of all pools.
void exact_find_served(Problem *problem);
// Whether a node in cell `one` is in the domains of cell `other` that rules of the item look at, or, where a claim is
// open to several, in one of these.
bool exact_is_same_place(const Problem *problem, uint32_t item, uint32_t one, uint32_t other);
// The weight of the heaviest pool without limits that accepts a content on one node of the same domains, and has no
// taint that the items `minding` mind; INT64_MIN: none.
int64_t exact_content_weight(Problem *problem, uint32_t content, uint32_t cell, uint32_t minding);
// Whether an item can only be where its company is.
bool exact_needs_company(const Problem *problem, uint32_t item);
// How much of what the limits of its pool have left a place needs, as a share.
double exact_share_of_limits(const Problem *problem, const Served *served);
int64_t exact_limit_slack(const Problem *problem, const Pool *pool, const Amounts *charge, uint32_t resource);

// excuses.c: whether the pods of a content may be in a claim of that pool. `soft`: items that mind a taint of its.
bool exact_find_excuses(Problem *problem, const Pool *pool, uint32_t soft, uint32_t content, uint32_t cell,
                        Excuses *ret_excuses);
// Those of the items that have a place for certain, in the cell, where they do not mind a taint.
uint32_t exact_hard_items(Problem *problem, uint32_t items, uint32_t cell);
// Why a pod of the item may put up with a taint in the cell: index of an Excuse.
uint32_t exact_soft_excuse(Problem *problem, uint32_t item, uint32_t cell);
// Adds these excuses of all of the items.
void exact_excuse_soft(Problem *problem, uint32_t items, uint32_t cell, Excuses *excuses);

// columns.c
void exact_make_columns(Problem *problem);
// bound.c: drops columns that cannot be part of a plan with all pods at `cap` or less.
void exact_drop_dear_columns(Problem *problem, double cap);

static inline uint32_t column_domain(const Problem *problem, const Column *column, uint32_t key) {
    return problem->cells.items[column->cell].domains.items[key];
}
// The number of pods of these items in a column.
static inline uint32_t column_pods(const Problem *problem, const Column *column, uint32_t items) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < problem->items.count; i++)
        count += items >> i & 1 ? content_of(problem, column->content, i) : 0;
    return count;
}

// guards.c: rows that let a column with excuses be used only if one of them holds. `first`: variable of the first
// column. Returns the variable of each guard; 0: it has none.
const int *exact_add_guard_rows(Problem *problem, Program *program, int first);

// A variable that is 1 only where the claims of a plan leave too little of the pool's limits for the charge.
int exact_short_of_limits(Problem *problem, Program *program, int first, const Pool *pool, const Amounts *charge);

// soft.c: no pod puts up with a soft taint while a claim without it could grow for the pod. Adds rows against that
// where a solution does so, and returns whether there are any.
bool exact_cut_soft(Problem *problem, Program *program, int first, const double *values);

// waste.c: a limit is not used up by claims that one claim could be. Adds a row against such claims in a solution, and
// returns whether there are any.
bool exact_cut_waste(Problem *problem, Program *program, int first, const int *guard_variables, const double *values);

// kinds.c
uint32_t exact_kinds(const Problem *problem);

// search.c
typedef struct {
    uint32_t column, times;
} Use;
typedef Vec(Use) UseVec;
// plan.c
Slice exact_write_plan(Problem *problem, const UseVec *uses);
