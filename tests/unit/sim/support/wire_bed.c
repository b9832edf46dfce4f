#include "sim/support/wire_bed.h"

#include "base/alloc.h"
#include "net/base64.h"

static bool rest_for(void *self, int64_t ns) {
    WireBed *bed = self;

    if (ns > 0 && !bed->is_dead)
        world_run(bed->world, world_now_ns(bed->world) + ns);
    return !bed->is_dead;
}

static Moment moment_of(void *self) {
    int64_t now_ns = world_now_ns(((WireBed *)self)->world);

    return (Moment){.now = {now_ns}, .wall_ns = now_ns};
}

static bool is_cut_off(void *self) {
    return ((WireBed *)self)->is_cut_off;
}

static const char *variable(void *context, const char *name) {
    (void)context;
    return !strcmp(name, "AWS_ACCESS_KEY_ID")       ? "AKIATEST"
           : !strcmp(name, "AWS_SECRET_ACCESS_KEY") ? "secret"
           : !strcmp(name, "AWS_REGION")            ? "us-east-1"
                                                    : NULL;
}

static ErrCode read_file(void *context, Arena *arena, Slice path, Slice *ret_text, Err *err) {
    (void)context, (void)arena, (void)path, (void)ret_text;
    return err_set(err, ERR_NOT_FOUND, "no files");
}

WireBed *wire_bed_new(SimCloudConfig config, SimAwsFaults faults) {
    static const AwsEnvironment environment = {variable, read_file, NULL};
    AwsSessionOptions options = {.environment = &environment, .seed = 1};
    WireBed *bed = NEW(WireBed);

    bed->world = world_new(&(WorldConfig){.seed = 1});
    assert_int_equal(sim_cloud_new(bed->world, &config, &bed->cloud, NULL), OK);
    bed->aws = sim_aws_new(bed->world, bed->cloud, &faults);
    bed->line = (SimAwsLine){bed->aws, {rest_for, moment_of, is_cut_off, bed}};
    options.transport = sim_aws_transport(&bed->line);
    assert_int_equal(aws_session_open(&options, &bed->session, NULL), OK);
    return bed;
}

void wire_bed_free(WireBed *bed) {
    aws_session_close(bed->session);
    world_free(bed->world);
    arena_free(&bed->arena);
    free(bed);
}

AwsClient *wire_bed_client(WireBed *bed) {
    return aws_session_client(bed->session);
}

void wire_bed_pass(WireBed *bed, int64_t ns) {
    world_run(bed->world, world_now_ns(bed->world) + ns);
}

void wire_bed_template(WireBed *bed, const char *name, const char *user_data) {
    Ec2LaunchTemplateData data = {.image_id = SLICE("ami-1"),
                                  .user_data = base64_encode(&bed->arena, slice_of(user_data))};
    Ec2CreateLaunchTemplateInput input = {.launch_template_name = slice_of(name), .launch_template_data = &data};
    Ec2CreateLaunchTemplateOutput output;

    assert_int_equal(
        aws_call(wire_bed_client(bed), &bed->arena, &ec2_create_launch_template, &input, NULL, &output, NULL, NULL),
        OK);
}

Ec2CreateFleetInput wire_bed_fleet(WireBed *bed, const char *template, const char *token, uint32_t count) {
    Ec2LaunchTemplateSpecification *named = arena_new(&bed->arena, Ec2LaunchTemplateSpecification);
    Ec2TargetCapacity *target = arena_new(&bed->arena, Ec2TargetCapacity);
    Ec2CreateFleetInput input = {.type = SLICE("instant"), .client_token = slice_of(token), .target_capacity = target};
    Ec2FleetTemplateConfig config = {.launch_template_specification = named};
    Ec2TagSpecification tags = {.resource_type = SLICE("instance")};

    named->launch_template_name = slice_of(template);
    target->total_target_capacity = aws_integer(count);
    target->default_target_capacity_type = SLICE("on-demand");
    vec_push(&bed->arena, &config.overrides,
             (Ec2FleetOverride){.instance_type = SLICE("m5.large"), .subnet_id = SLICE("subnet-us-east-1a")});
    vec_push(&bed->arena, &input.launch_template_configs, config);
    vec_push(&bed->arena, &tags.tags, (Ec2Tag){SLICE("tenon.sh/launch"), slice_of(token)});
    vec_push(&bed->arena, &input.tag_specifications, tags);
    return input;
}

uint32_t wire_bed_given(const Ec2CreateFleetOutput *output) {
    uint32_t count = 0;

    for (vec_each(const Ec2FleetInstances, some, &output->instances))
        count += some->instance_ids.count;
    return count;
}
