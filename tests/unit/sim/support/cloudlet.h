// A small world with a cloud, one EC2NodeClass "default", one NodePool "general", and a program with symbols of its own
// that launches NodeClaims in it. For the tests of src/sim/cloud.
#pragma once

#include "sim/cloud/cloud_sim.h"
#include "sim/support/cluster.h"

typedef struct {
    World *world;
    SimCloud *cloud;
    State *state; // the program's
    SimView *view;
    Cloud table;
    Arena arena;
    uint32_t claims;
} Cloudlet;

// Boots take 10 s, shutdowns 30 s, descriptions do not lag; unless the config says otherwise.
Cloudlet *cloudlet_new(uint64_t seed, SimCloudConfig config);
void cloudlet_free(Cloudlet *cloudlet);

// A NodeClaim in the API server and in the program's State. `requirements` in flow style: "{key: …, operator: In,
// values: […]}, …".
const NodeClaim *cloudlet_claim(Cloudlet *cloudlet, const char *requirements, const char *cpu);
ErrCode cloudlet_launch(Cloudlet *cloudlet, const NodeClaim *claim, CloudInstance *ret_instance, CloudError *error);
// A new claim and its launch, which must succeed. The instance's number.
uint32_t cloudlet_one(Cloudlet *cloudlet, const char *requirements);
// The pool's types; NULL: none.
const InstanceTypeVec *cloudlet_types(Cloudlet *cloudlet);
const Offering *cloudlet_offering(Cloudlet *cloudlet, const char *type, const char *zone, const char *capacity_type);
const SimInstance *cloudlet_instance(const Cloudlet *cloudlet, uint32_t number);
Symbol cloudlet_symbol(const Cloudlet *cloudlet, const char *text); // the program's
void assert_symbol(const Symbols *symbols, Symbol symbol, const char *text);
