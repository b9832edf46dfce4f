// Internals of SimAws, shared by its files. Private to src/sim/wire.
#pragma once

#include "aws/service/ec2_launch.h"
#include "base/map.h"
#include "sim/cloud/account.h"
#include "sim/wire/answer.h"
#include "sim/wire/wire.h"

#define WIRE_ACCOUNT "123456789012"

typedef struct {
    Slice id, name;
    Ec2TagVec tags; // its own
    Ec2LaunchTemplateData data;
    SimUserData user_data;
    bool is_deleted;
} WireTemplate;

// A fleet that was asked for with a token.
typedef struct {
    Slice token;
    uint64_t request; // hash of it
    Ec2CreateFleetOutput output;
} WireFleet;

// What EC2 knows of an instance beside the market.
typedef struct {
    Slice id, subnet_id;
    Ec2TagVec tags;
    SliceVec groups;
} WireInstance;

typedef struct {
    Slice name, path, role; // role empty: none
} WireProfile;

typedef struct {
    bool is_deleted;
    int64_t hidden_until_ns;
} WireMessage;

typedef struct WireLate WireLate;

// An answer that is kept.
typedef struct {
    uint64_t request; // hash of it
    Slice body;
} WireKept;

struct SimAws {
    World *world;
    SimCloud *cloud;
    SimView *view; // in the world's symbols
    Arena arena;   // of what stays
    Random random;
    SimAwsFaults faults;
    Vec(WireTemplate *) templates;
    Vec(WireFleet) fleets;
    IndexMap fleets_by_token, instances_by_id;
    Vec(WireInstance) instances; // by number
    Vec(WireProfile) profiles;
    Vec(WireMessage) messages; // by number of the cloud's notice
    WireLate *late;
    Vec(WireKept) kept;
    uint32_t made; // numbers of ids
    SimAwsCounts counts;
};

// A request that has arrived.
typedef struct {
    SimAws *aws;
    Arena *arena; // of the answer
    Slice body;
    const SimAwsHost *host; // NULL: nobody waits for the answer
    const void *input;      // a struct of the operation's input shape
    void *output;           // zeroed, of its output shape
} WireCall;

typedef WireFault (*WireHandler)(WireCall *call);

// What answers each operation; ends with one of NULL (services.c). The handlers are in the files named above them.
typedef struct {
    const AwsOperation *operation;
    WireHandler handle;
    bool is_lasting; // the same request has the same answer, which is kept
} WireService;
extern const WireService wire_services[];

static inline WireFault wire_fine(void) {
    return (WireFault){0};
}

static inline WireFault wire_refuse(const char *code, const char *message) {
    return (WireFault){400, code, slice_of(message)};
}

// --- for all (services.c)

// What EC2 answers to a call before it looks at it, by what the market says: throttling, faults of its own.
WireFault wire_refuse_call(SimAws *aws, SimApi api);

// Which of `count` things the page of a token has: those in [*ret_from, *ret_to), at most `most`. Gives the token of
// the next page; absent: this is the last.
Slice wire_page(Arena *arena, Slice token, AwsInteger wanted, uint32_t most, uint32_t count, uint32_t *ret_from,
                uint32_t *ret_to);

// Whether the next thing, of those that are counted by *at from 0 on, is on the page.
static inline bool wire_is_on_page(uint32_t *at, uint32_t from, uint32_t to) {
    uint32_t number = (*at)++;

    return number >= from && number < to;
}

// Whether a thing passes all filters. `has` tells whether a property of it, a filter's name, has a value.
bool wire_passes(const Ec2FilterVec *filters, bool (*has)(const void *thing, Slice name, Slice value),
                 const void *thing);
bool wire_tags_have(const Ec2TagVec *tags, Slice filter, Slice value); // of "tag:KEY" and "tag-key"
void wire_tag(Arena *arena, Ec2TagVec *tags, Slice key, Slice value);  // sets or replaces; the texts are copied
Slice wire_tag_of(const Ec2TagVec *tags, const char *key);             // empty: none

// --- launches (templates.c, fleets.c)

WireTemplate *wire_template(const SimAws *aws, Slice id, Slice name); // NULL: none
WireFault wire_create_template(WireCall *call);
WireFault wire_describe_templates(WireCall *call);
WireFault wire_delete_template(WireCall *call);
WireFault wire_create_fleet(WireCall *call);
WireFault wire_run_instances(WireCall *call);

// --- instances (instances.c)

WireInstance *wire_instance(SimAws *aws, uint32_t number); // makes room for it
WireFault wire_describe_instances(WireCall *call);
WireFault wire_terminate_instances(WireCall *call);
WireFault wire_reboot_instances(WireCall *call);
WireFault wire_create_tags(WireCall *call);
WireFault wire_describe_status(WireCall *call);

// --- what there is (types.c, prices.c, furniture.c)

WireFault wire_describe_types(WireCall *call);
WireFault wire_describe_offerings(WireCall *call);
WireFault wire_describe_spot_prices(WireCall *call);
WireFault wire_get_products(WireCall *call);
Slice wire_subnet_zone(const SimAws *aws, Slice subnet_id); // empty: no such subnet
WireFault wire_describe_subnets(WireCall *call);
WireFault wire_describe_groups(WireCall *call);
WireFault wire_describe_images(WireCall *call);
WireFault wire_get_parameter(WireCall *call);
WireFault wire_describe_cluster(WireCall *call);
WireFault wire_describe_reservations(WireCall *call);
WireFault wire_describe_placement_groups(WireCall *call);

// --- IAM (profiles.c)

WireFault wire_get_profile(WireCall *call);
WireFault wire_create_profile(WireCall *call);
WireFault wire_add_role(WireCall *call);
WireFault wire_remove_role(WireCall *call);
WireFault wire_delete_profile(WireCall *call);
WireFault wire_list_profiles(WireCall *call);

// --- the queue (queue.c)

WireFault wire_get_queue_url(WireCall *call);
WireFault wire_receive(WireCall *call);
WireFault wire_delete_message(WireCall *call);
