// Dry runs: a launch template that is made and deleted again, a fleet and an instance that are only asked about.
// Reference aws.md 7.1.
#include "cloud/aws/provider/class/steps.h"
#include "cloud/aws/provider/class/trial.h"

enum { USER_DATA_MAX = 16384 };

// An answer to the trial, when a call was refused in a way that says something of the class or of our rights.
static ClassAnswer refused(const ClassTry *trial, const char *reason, const char *what, const AwsOutcome *outcome) {
    return (ClassAnswer){.status = "False",
                         .reason = slice_of(reason),
                         .message = arena_printf(trial->answers, "%s: %.*s", what, SLICE_ARG(outcome->fault.message))};
}

// --- the calls. Status NULL: nothing is wrong.

static const AwsCallOptions once = {.attempts_max = 1};

static ErrCode make_template(ClassTry *trial, ClassAnswer *ret_answer, Err *err) {
    AwsOutcome outcome = {0};
    Ec2CreateLaunchTemplateOutput output;
    ErrCode code;

    if (trial->user_data_bytes > USER_DATA_MAX) {
        *ret_answer = (ClassAnswer){.status = "False",
                                    .reason = SLICE("UserDataSizeLimitExceeded"),
                                    .message = arena_printf(trial->answers, "user data has %zu bytes, EC2 takes %d",
                                                            trial->user_data_bytes, USER_DATA_MAX)};
        return OK;
    }
    code = aws_call(trial->turn->provider->client, trial->arena, &ec2_create_launch_template, &trial->template, &once,
                    &output, &outcome, err);
    if (outcome.kind == AWS_DENIED) {
        *ret_answer = refused(trial, "CreateLaunchTemplateAuthCheckFailed",
                              "Controller isn't authorized to call ec2:CreateLaunchTemplate", &outcome);
        return OK;
    }
    if (outcome.kind == AWS_USER_DATA_TOO_LARGE) {
        *ret_answer = refused(trial, "UserDataSizeLimitExceeded", "user data is too large", &outcome);
        return OK;
    }
    return outcome.kind == AWS_ALREADY_EXISTS ? OK : code;
}

static void delete_template(ClassTry *trial) {
    Ec2DeleteLaunchTemplateInput input = {.launch_template_name = trial->template.launch_template_name};
    Ec2DeleteLaunchTemplateOutput output;
    AwsOutcome outcome = {0};
    Err err = {0};

    if (aws_call(trial->turn->provider->client, trial->arena, &ec2_delete_launch_template, &input, NULL, &output,
                 &outcome, &err) != OK &&
        outcome.kind != AWS_NOT_FOUND)
        provider_log(trial->turn->provider, AWS_LOG_ERROR, "launch template of a validation is left",
                     slice_of(trial->turn->record->name), "%s", err.text);
}

static ErrCode try_fleet(ClassTry *trial, ClassAnswer *ret_answer, Err *err) {
    Fleet fleet = {.symbols = &trial->symbols,
                   .class = &trial->snapshot->class,
                   .owner = class_try_owner(trial),
                   .choice = &trial->choice,
                   .subnets = &trial->subnets,
                   .groups = &trial->groups,
                   .placement_group_id = trial->snapshot->placement_group_id,
                   .has_partitions = trial->snapshot->placement_partitions > 0};
    Ec2CreateFleetInput input;
    Ec2CreateFleetOutput output;
    AwsOutcome outcome = {0};
    CloudError error = {0};
    ErrCode code;

    vec_push(trial->arena, &fleet.template_names, trial->template.launch_template_name);
    vec_push(trial->arena, &fleet.claims, trial->turn->uid);
    if (fleet_request(trial->arena, &fleet, &input, &error) != OK)
        return err_set(err, error.err.code, "%s", error.err.text);
    input.dry_run = aws_bool(true);
    input.client_token = (Slice){0}; // nothing is to be found again
    code =
        aws_call(trial->turn->provider->client, trial->arena, &ec2_create_fleet, &input, &once, &output, &outcome, err);
    if (outcome.kind != AWS_DENIED)
        return code;
    *ret_answer =
        refused(trial, "CreateFleetAuthCheckFailed", "Controller isn't authorized to call ec2:CreateFleet", &outcome);
    return OK;
}

// Interfaces of the template have no subnet, so that the request has to repeat them.
static void set_interfaces(const ClassTry *trial, Slice subnet, Ec2RunInstancesInput *input) {
    const NetworkInterfaceVec *interfaces = &trial->snapshot->class.network_interfaces;
    Ec2NetworkInterfaceSpecification first = {.device_index = aws_integer(0), .subnet_id = subnet};

    for (vec_each(const NetworkInterface, interface, interfaces))
        vec_push(trial->arena, &input->network_interfaces,
                 (Ec2NetworkInterfaceSpecification){.device_index = aws_integer(interface->device_index),
                                                    .network_card_index = aws_integer(interface->card_index),
                                                    .interface_type = symbol_text(&trial->symbols, interface->type),
                                                    .subnet_id = subnet});
    if (!interfaces->count)
        vec_push(trial->arena, &input->network_interfaces, first);
}

static Ec2RunInstancesInput instance_request(const ClassTry *trial, Slice subnet) {
    static const char *const made[] = {"instance", "volume", "network-interface"};
    const EC2NodeClass *class = &trial->snapshot->class;
    Ec2LaunchTemplateSpecification *template = arena_new(trial->arena, Ec2LaunchTemplateSpecification);
    Ec2Owner own = class_try_owner(trial);
    Ec2TagVec tags = class_tags(trial->arena, &class->launch.tags, &own);
    Ec2RunInstancesInput input = {
        .dry_run = aws_bool(true),
        .min_count = aws_integer(1),
        .max_count = aws_integer(1),
        .launch_template = template,
        .instance_type = symbol_text(&trial->symbols, trial->groups.items[0].types.items[0]->name),
    };

    template->launch_template_name = trial->template.launch_template_name;
    template->version = SLICE("$Latest");
    set_interfaces(trial, subnet, &input);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        vec_push(trial->arena, &input.tag_specifications, (Ec2TagSpecification){slice_of(made[i]), tags});
    return input;
}

// What the refusal of the first subnet means.
static ErrCode judge_instance(const ClassTry *trial, const AwsOutcome *outcome, ErrCode code, ClassAnswer *ret_answer,
                              Err *err) {
    if (outcome->kind == AWS_DENIED) {
        *ret_answer = refused(trial, "RunInstancesAuthCheckFailed",
                              "Controller isn't authorized to call ec2:RunInstances", outcome);
        return OK;
    }
    if (outcome->kind != AWS_PROFILE_MISSING)
        return code;
    if (!trial->snapshot->class.launch.instance_profile.len) // made just now: EC2 will see it soon
        return err_set(err, ERR_IO, "EC2 does not know the instance profile yet");
    *ret_answer = refused(trial, "InstanceProfileNotFound", "EC2 does not know spec.instanceProfile", outcome);
    return OK;
}

static ErrCode try_instance(ClassTry *trial, ClassAnswer *ret_answer, Err *err) {
    AwsOutcome first = {0};
    ErrCode first_code = OK;

    for (vec_each(const SubnetStatus, subnet, &trial->snapshot->class.subnets)) {
        Ec2RunInstancesInput input = instance_request(trial, symbol_text(&trial->symbols, subnet->id));
        AwsOutcome outcome = {0};
        Err ignored;
        bool is_first = first_code == OK;
        ErrCode code = aws_call(trial->turn->provider->client, trial->arena, &ec2_run_instances, &input, &once, NULL,
                                &outcome, is_first ? err : &ignored);

        if (code == OK)
            return OK;
        if (is_first) {
            first_code = code;
            first = outcome;
        }
        if (code == ERR_THROTTLED) // more of them make it worse
            break;
    }
    return first_code == OK ? OK : judge_instance(trial, &first, first_code, ret_answer, err);
}

// --- all of it

static ErrCode run(ClassTry *trial, ClassAnswer *ret_answer, Err *err) {
    ClassAnswer answer = {0};
    ErrCode code = make_template(trial, &answer, err);

    if (code != OK || answer.status) {
        *ret_answer = answer;
        return code;
    }
    code = try_fleet(trial, &answer, err);
    if (code == OK && !answer.status)
        code = try_instance(trial, &answer, err);
    delete_template(trial);
    if (code == OK && !answer.status)
        answer.status = "True";
    *ret_answer = answer;
    return code;
}

ErrCode class_dry_run(ClassTurn *turn, Arena *arena, ClassAnswer *ret_answer, Err *err) {
    AwsProvider *provider = turn->provider;
    SymbolHolder holder = {.table = provider->symbols.table};
    Arena scratch = {0};
    ClassTry trial = {.turn = turn, .arena = &scratch, .answers = arena, .symbols = {provider->symbols.table, &holder}};
    ErrCode code;

    trial.snapshot = provider_class_hold(provider, slice_of(turn->record->name));
    if (!trial.snapshot)
        return err_set(err, ERR_IO, "the class is gone");
    code = class_try_prepare(&trial, err);
    if (code == OK)
        code = run(&trial, ret_answer, err);
    provider_class_release(trial.snapshot);
    symbol_holder_free(&holder);
    arena_free(&scratch);
    return code;
}
