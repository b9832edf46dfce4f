// Problem: data shared by the parts of the yardstick: items, contents, families of claims, columns, rules.
#pragma once

#include "checker/place.h"
#include "checker/read.h"
#include "checker/topology.h"
#include "exact/exact.h"

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
    WayVec ways; // grouped by type
} Family;
typedef Vec(Family) FamilyVec;

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
    U32Vec guards;      // promises: Served of heavier pools, of one of which the limits must be used up
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
} Served;

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
    Amounts *limits_left;   // by pool
    uint32_t *node_accepts; // bits of items, by node
    Vec(Served) served;     // of promises only
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

// weights.c: the weight of the heaviest pool without limits that accepts an item on a new node, in the domains of the
// cell if rules between nodes concern the item; an item that needs company on its host, with all of the content.
// INT64_MIN: none.
void exact_find_served(Problem *problem);
int64_t exact_served_weight(Problem *problem, uint32_t item, uint32_t content, uint32_t cell);
// The same of pools with limits that are heavier than that: the index of the Served that needs the least of them.
uint32_t exact_served_within_limits(const Problem *problem, uint32_t item, uint32_t cell, int64_t heavier_than);
int64_t exact_limit_slack(const Problem *problem, const Pool *pool, const Amounts *charge, uint32_t resource);

// columns.c
void exact_make_columns(Problem *problem);
// bound.c: drops columns that cannot be part of a plan with all pods at `cap` or less.
void exact_drop_dear_columns(Problem *problem, double cap);

// kinds.c
uint32_t exact_kinds(const Problem *problem);

// search.c
typedef struct {
    uint32_t column, times;
} Use;
typedef Vec(Use) UseVec;
// plan.c
Slice exact_write_plan(Problem *problem, const UseVec *uses);
