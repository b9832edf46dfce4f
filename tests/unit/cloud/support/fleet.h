// A fleet for tests: a claim's choice among types of test_launch, subnets, groups and names of templates.
#pragma once

#include "cloud/aws/launch/fleet_request.h"
#include "cloud/support/class.h"
#include "cloud/support/offers.h"

typedef struct {
    TestClass *class; // has the symbols of all
    TestLaunch *launch;
    LaunchChoice choice;
    ZoneSubnetVec subnets; // subnet-<zone> in zones a and b
    TemplateGroupVec groups;
    Fleet fleet; // template names lt-1, lt-2, …; one claim: uid-1
} TestFleet;

// `lines`: of the EC2NodeClass, with images for amd64 (ami-amd) and arm64 (ami-arm) in its status; types and
// requirements as test_launch's. Reservations are of the kinds that their offerings say.
TestFleet *test_fleet(const char *lines, const char *types, const char *requirements);
void test_fleet_free(TestFleet *test);

// uid-1, uid-2, …
void test_fleet_claims(TestFleet *test, uint32_t count);
