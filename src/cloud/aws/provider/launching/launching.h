// Internals of launches, shared by the files of this folder and cloud/aws/provider/launches.c.
//
// A call for several claims goes this way: the EC2NodeClass of each (classes.c); claims that were launched before and
// may have an instance (resume.c); for the rest what EC2 is to be asked, claims that want the same in one group
// (plan.c); for each group templates, records on the claims, the fleet, and its answer (fleet.c, records.c,
// outcome.c); a fleet goes without offerings that have no room for it (shares.c).
#pragma once

#include "cloud/aws/fleet/found.h"
#include "cloud/aws/fleet/template_book.h"
#include "cloud/aws/fleet/token_book.h"
#include "cloud/aws/launch/fleet_answer.h"
#include "cloud/aws/provider/launches.h"
#include "cloud/aws/provider/neighbours.h"

// How long instances that were asked for may stay out of EC2's descriptions: until then nobody knows that a claim has
// none.
#define LAUNCH_DOUBT_NS (30 * NS_PER_S)

// How long EC2 may not know of an instance that it has launched.
#define LAUNCH_FRESH_NS NS_PER_MIN

struct ProviderLaunches {
    AwsProvider *provider;
    pthread_mutex_t lock; // guards the books below
    SubnetBook subnets;
    TokenBook tokens;
    TokenBook fresh;        // by id of the instance: when it was launched
    TemplateBook templates; // has a lock of its own
};

// An EC2NodeClass of the claims.
typedef struct {
    Slice name;
    const ClassSnapshot *snapshot; // held; NULL: with an error
    InstanceTypeVec types;         // as they are at the beginning of the call
    CloudError unknown;            // code OK: the two above are there
    CloudError closed;             // code OK: it can be launched with (class_gate)
    const AmiFamily *family;
} LaunchClass;

// A claim of the call.
typedef struct {
    const CloudLaunch *launch;
    CloudResult *result;
    Slice uid, name;
    const LaunchClass *class;
    LaunchRecord former; // its last launch; no token: none
    Mono former_since;
    bool is_done; // the result is there
} LaunchItem;
typedef Vec(LaunchItem *) LaunchItemVec;

// The call.
typedef struct {
    AwsProvider *provider;
    ProviderLaunches *launches;
    Arena *arena;  // of the results
    Arena scratch; // until the end of the call
    LaunchItem *items;
    uint32_t count;
    Vec(LaunchClass *) classes;
    ClusterFacts cluster;
} LaunchCall;

// Claims that EC2 is asked for in the same words.
typedef struct {
    const LaunchClass *class;
    Slice pool;
    LaunchChoice choice;
    TemplateFacts facts;
    TemplateGroupVec groups;
    TemplateInputVec templates; // of each group
    uint32_t partition;
    bool requests_efa, min_values_relaxed, price_overlay;
    bool has_min_values; // of any claim
    LaunchItemVec items;
} LaunchPlan;
typedef Vec(LaunchPlan *) LaunchPlanVec;

// --- classes.c

// The class of each claim, each looked at once. Claims whose class is not known, or has no types, are done.
void launch_find_classes(LaunchCall *call);
void launch_release_classes(LaunchCall *call);

// --- resume.c

// Claims that may have an instance of a former launch: done, with the instance, or because nobody knows yet. The others
// have none.
void launch_resume(LaunchCall *call);
// The instances of a token, those that have ended too. `options` may be NULL.
ErrCode launch_find_token(LaunchCall *call, Slice token, const AwsCallOptions *options, FoundInstanceVec *ret_found,
                          Err *err);

// --- plan.c

// Plans for the claims that are not done; those that cannot be planned are done. O(claims) expected, and for each wish
// that differs as launch_choose and template_write.
void launch_make_plans(LaunchCall *call, LaunchPlanVec *ret_plans);
// The same plan for less: of its instance types the cheaper half, all of whose offerings count as available. False:
// there is only one.
bool launch_plan_halve(LaunchCall *call, LaunchPlan *plan);

// --- shares.c

// Launches the claims of a plan, in one fleet or two, as the offerings have room; all are done then.
void launch_shares(LaunchCall *call, LaunchPlan *plan);

// --- fleet.c

// Launches the claims of a plan in one fleet, by the offerings that are available; all are done then.
void launch_fleet(LaunchCall *call, LaunchPlan *plan);

// --- records.c

// Writes on each claim which launch it belongs to. `items` are sorted by uid: their places are their ranks. Claims that
// are gone or cannot be written on are done, and no longer among them. True: all were written on.
bool launch_write_records(LaunchCall *call, LaunchItemVec *items, Slice token);
// Notes in the book of tokens. `is_spent`: the claim has no instance of that launch.
void launch_note(LaunchCall *call, const LaunchItem *item, const LaunchRecord *record, bool is_spent);

// --- outcome.c

void launch_succeed(LaunchCall *call, LaunchItem *item, const InstanceFacts *facts);
void launch_fail(LaunchItem *item, const CloudError *error);
// Counts, for metrics, each offering that the answer to a fleet says nothing was launched of.
void launch_count_failures(LaunchCall *call, const LaunchPlan *plan, const FleetReading *reading);
void launch_fail_all(LaunchItemVec *items, const CloudError *error);
