// A simulated AWS and a real client of it, whose waits let the world go on.
#pragma once

#include "aws/service/ec2_instance.h"
#include "aws/service/ec2_launch.h"
#include "aws/session.h"
#include "harness/test.h"
#include "sim/wire/wire.h"

typedef struct {
    Arena arena;
    World *world;
    SimCloud *cloud;
    SimAws *aws;
    SimAwsLine line;
    AwsSession *session;
    bool is_cut_off, is_dead;
} WireBed;

WireBed *wire_bed_new(SimCloudConfig config, SimAwsFaults faults);
void wire_bed_free(WireBed *bed);

AwsClient *wire_bed_client(WireBed *bed);
void wire_bed_pass(WireBed *bed, int64_t ns);

// Makes a launch template of that name, with that user data.
void wire_bed_template(WireBed *bed, const char *name, const char *user_data);
// A fleet of on-demand m5.large in us-east-1a. Lives in the bed's arena.
Ec2CreateFleetInput wire_bed_fleet(WireBed *bed, const char *template, const char *token, uint32_t count);
uint32_t wire_bed_given(const Ec2CreateFleetOutput *output); // number of instances
