// SimAws: AWS in front of the simulated market. What the real client sends over a transport in memory is read, carried
// out on a SimCloud and answered in AWS's formats: EC2, IAM, SSM, SQS, EKS and the price list, as far as tenon calls
// them. docs/design/sim-wire.md describes it.
//
// The way there is bad: requests and replies are lost, come late, come twice, are cut. How bad is drawn from the
// world's seed. Everything takes virtual time; nothing here waits for anything else.
#pragma once

#include "aws/transport/transport.h"
#include "sim/cloud/cloud_sim.h"
#include "sim/world.h"

typedef struct SimAws SimAws;

// Of so many thousand requests, each drawn for itself.
typedef struct {
    uint32_t lost;       // never arrive; the connection breaks
    uint32_t late;       // the same for the sender, but they arrive up to ten seconds later
    uint32_t unanswered; // take effect, and the reply is lost
    uint32_t cut;        // the reply ends in its middle
    uint32_t doubled;    // arrive twice
    uint32_t throttled;  // are refused
} SimAwsFaults;

// Makes it and adds it to the world, which owns it. `faults` NULL: drawn from the world's seed.
SimAws *sim_aws_new(World *world, SimCloud *cloud, const SimAwsFaults *faults);

// The process that calls: a life of a simulated tenon.
typedef struct {
    // Lets time pass. False: the process has died meanwhile, or had before; nothing that it still does has an effect.
    bool (*rest)(void *self, int64_t ns);
    Moment (*now)(void *self);
    bool (*is_cut_off)(void *self); // its network reaches nobody
    void *self;
} SimAwsHost;

// The transport of a process; the line outlives it.
typedef struct {
    SimAws *aws;
    SimAwsHost host;
} SimAwsLine;
AwsTransport sim_aws_transport(SimAwsLine *line);

typedef struct {
    uint64_t requests; // that arrived
    uint64_t fleets, repeated_fleets;
    SimAwsFaults faults; // numbers of requests that had them
} SimAwsCounts;
SimAwsCounts sim_aws_counts(const SimAws *aws);
