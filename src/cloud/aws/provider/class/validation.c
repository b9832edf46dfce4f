// The condition ValidationSucceeded: what can be seen without EC2, then dry runs. Reference aws.md 1.5, 7.1.
#include "cloud/aws/nodeclass/class_tags.h"
#include "cloud/aws/nodeclass/kubelet_rules.h"
#include "cloud/aws/provider/class/steps.h"
#include "text/json.h"

static const int64_t PERIOD_NS = 10 * NS_PER_MIN, GOOD_NS = 25 * NS_PER_MIN, SPREAD_NS = 10 * NS_PER_MIN,
                     SOON_NS = 10 * NS_PER_S;

static ClassAnswer with_status(const char *status, Slice reason, Slice message) {
    return (ClassAnswer){.status = status, .reason = reason, .message = message, .for_ns = PERIOD_NS};
}

static ClassAnswer ask_again_soon(void) {
    return (ClassAnswer){.for_ns = SOON_NS};
}

static bool is_of_the_moment(ErrCode code) {
    return code == ERR_THROTTLED || code == ERR_TIMEOUT || code == ERR_IO;
}

// --- what needs no dry run. Status NULL and no time: nothing is wrong.

// Nodes of AL2023 are told the addresses of Services.
static ClassAnswer check_cidr(ClassTurn *turn) {
    CloudError error = {0};
    Slice cidr;

    if (!slice_eq_text(turn->class.ami_family, "AL2023") ||
        provider_service_cidr(turn->provider, turn->arena, &cidr, &error) == OK)
        return (ClassAnswer){0};
    if (is_of_the_moment(error.err.code))
        return ask_again_soon();
    return with_status("False", SLICE("ClusterCIDRResolutionFailed"),
                       arena_slice(turn->arena, slice_of(error.err.text)));
}

static ClassAnswer check_kubelet(ClassTurn *turn) {
    const AmiFamily *family = ami_family(turn->class.ami_family);
    KubeletFinding finding = {0};

    if (family)
        finding = kubelet_check(turn->arena, turn->class.launch.kubelet, family,
                                turn->provider->config.settings.node_class_cel);
    return finding.reason.len ? with_status("False", finding.reason, finding.message) : (ClassAnswer){0};
}

static Slice stored_status(const ClassTurn *turn, uint32_t condition) {
    for (vec_each(const Condition, stored, &turn->class.conditions)) {
        Slice type = symbol_text(&turn->provider->symbols, stored->type);

        if (slice_eq_text(type, class_conditions[condition]) &&
            stored->observed_generation == turn->class.meta.generation)
            return symbol_text(&turn->provider->symbols, stored->status);
    }
    return SLICE("Unknown");
}

static ClassAnswer check_dependencies(ClassTurn *turn) {
    static const uint32_t needed[] = {CLASS_CONDITION_AMIS, CLASS_CONDITION_INSTANCE_PROFILE,
                                      CLASS_CONDITION_SECURITY_GROUPS, CLASS_CONDITION_SUBNETS};
    const char *status = NULL;

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        const ClassPart *part = &turn->record->parts[needed[i]];
        Slice found = part->has_answered ? slice_of(part->answer.status) : stored_status(turn, needed[i]);

        if (slice_eq_text(found, "False"))
            status = "False";
        else if (!slice_eq_text(found, "True") && !status)
            status = "Unknown";
    }
    return status ? with_status(status, SLICE("DependenciesNotReady"),
                                SLICE("Awaiting AMI, Instance Profile, Security Group, and Subnet resolution"))
                  : (ClassAnswer){0};
}

static ClassAnswer check_tags(ClassTurn *turn) {
    Slice complaint = class_tags_complaint(turn->arena, &turn->class.launch.tags);

    return complaint.len ? with_status("False", SLICE("TagValidationFailed"), complaint) : (ClassAnswer){0};
}

static ClassAnswer check_all(ClassTurn *turn) {
    ClassAnswer (*const checks[])(ClassTurn *) = {check_cidr, check_kubelet, check_dependencies, check_tags};

    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        ClassAnswer answer = checks[i](turn);

        if (answer.status || answer.for_ns)
            return answer;
    }
    return (ClassAnswer){0};
}

// --- dry runs, remembered

// Of all that a launch template and a fleet depend on.
static uint64_t trial_key(ClassTurn *turn) {
    EC2NodeClass *class = &turn->class;
    Value amis = class_amis_value(turn->arena, &turn->provider->symbols, &class->found.amis);
    Value groups = class_groups_value(turn->arena, &class->found.security_groups);
    uint64_t subnets = 0, key;
    Buffer text = {0};

    json_print(&text, value_get_text(&turn->object, "spec"), false);
    json_print(&text, &amis, false);
    json_print(&text, &groups, false);
    buffer_printf(&text, "%.*s %.*s", SLICE_ARG(class->found.instance_profile), SLICE_ARG(turn->facts.endpoint));
    for (vec_each(const SubnetStatus, subnet, &class->subnets)) // in any order
        subnets ^= slice_hash(symbol_text(&turn->provider->symbols, subnet->id));
    key = slice_hash(buffer_slice(&text)) ^ subnets;
    buffer_free(&text);
    return key;
}

// Rights that are missing are asked for again sooner: somebody is about to grant them.
static int64_t holds_ns(const ClassTurn *turn, const ClassAnswer *answer) {
    if (strcmp(answer->status, "True") != 0)
        return PERIOD_NS;
    return GOOD_NS + (int64_t)(slice_hash(turn->uid) % (uint64_t)SPREAD_NS);
}

static void remember(ClassTurn *turn, Arena *arena, const ClassAnswer *answer, uint64_t key) {
    ClassTrial *trial = &turn->record->trial;

    arena_free(&trial->arena);
    *trial = (ClassTrial){.arena = *arena,
                          .status = answer->status,
                          .reason = answer->reason,
                          .message = answer->message,
                          .key = key,
                          .until = mono_after(turn->now.now, holds_ns(turn, answer))};
}

static ClassAnswer of_trial(const ClassTurn *turn) {
    const ClassTrial *trial = &turn->record->trial;
    ClassAnswer answer = with_status(trial->status, trial->reason, trial->message);
    int64_t left_ns = mono_left(turn->now.now, trial->until);

    answer.for_ns = left_ns > 0 && left_ns < PERIOD_NS ? left_ns : PERIOD_NS;
    return answer;
}

static ClassAnswer try_out(ClassTurn *turn) {
    ClassTrial *trial = &turn->record->trial;
    uint64_t key = trial_key(turn);
    ClassAnswer answer = {0};
    Arena arena = {0};
    Err err = {0};
    ErrCode code;

    if (trial->status && trial->key == key && !mono_reached(turn->now.now, trial->until))
        return of_trial(turn);
    code = class_dry_run(turn, &arena, &answer, &err);
    if (code == OK) {
        remember(turn, &arena, &answer, key);
        return of_trial(turn);
    }
    arena_free(&arena);
    if (!is_of_the_moment(code))
        err_set(&trial->failure, code, "validating: %s", err.text);
    return ask_again_soon();
}

ClassAnswer class_validate(ClassTurn *turn) {
    ClassAnswer answer;

    turn->record->trial.failure.code = OK;
    answer = check_all(turn);
    if (answer.status || answer.for_ns)
        return answer;
    if (turn->provider->config.settings.disable_dry_run)
        return with_status("True", (Slice){0}, (Slice){0});
    return try_out(turn);
}
