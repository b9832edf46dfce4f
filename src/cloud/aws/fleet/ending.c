// TerminateInstances.
#include "cloud/aws/fleet/ending.h"

#include "aws/service/ec2_instance.h"

enum { TOGETHER_MAX = 500, DENIALS_MAX = 3 };

static bool is_ending(Slice state) {
    return slice_eq_text(state, "shutting-down");
}

// What the answer says of an id.
static ErrCode read_change(const Ec2TerminateInstancesOutput *output, Slice id, Err *err) {
    for (vec_each(const Ec2InstanceStateChange, change, &output->terminating_instances)) {
        Slice state = change->current_state ? change->current_state->name : (Slice){0};

        if (!slice_eq(change->instance_id, id))
            continue;
        if (is_ending(state))
            return OK;
        if (slice_eq_text(state, "terminated"))
            return err_set(err, ERR_NOT_FOUND, "the instance %.*s has ended", SLICE_ARG(id));
        return err_set(err, ERR_IO, "the instance %.*s is \"%.*s\" after it was to be terminated", SLICE_ARG(id),
                       SLICE_ARG(state));
    }
    return err_set(err, ERR_IO, "EC2 answered nothing about the instance %.*s", SLICE_ARG(id));
}

static void end_one(AwsClient *client, Slice id, Ending *ending) {
    Ec2TerminateInstancesOutput output = {0};
    Ec2TerminateInstancesInput input = {0};
    AwsOutcome outcome = {0};
    Arena arena = {0};

    *ending = (Ending){0};
    vec_push(&arena, &input.instance_ids, id);
    ending->code = aws_call(client, &arena, &ec2_terminate_instances, &input, NULL, &output, &outcome, &ending->err);
    if (ending->code == OK)
        ending->code = read_change(&output, id, &ending->err);
    ending->is_unknown = outcome.kind == AWS_NOT_FOUND;
    if (ending->code == ERR_NOT_FOUND && outcome.fault.status && outcome.kind != AWS_NOT_FOUND)
        ending->code = ending->err.code = ERR_IO;
    arena_free(&arena);
}

// Whether asking one by one may go better than asking for all did.
static bool is_worth_single_calls(const AwsOutcome *outcome) {
    return outcome->fault.status != 0 && outcome->kind != AWS_THROTTLED && outcome->kind != AWS_TRANSIENT;
}

static void end_together(AwsClient *client, const Slice *ids, uint32_t count, Ending *endings) {
    Ec2TerminateInstancesOutput output = {0};
    Ec2TerminateInstancesInput input = {0};
    AwsOutcome outcome = {0};
    Arena arena = {0};
    uint32_t denials = 0; // of single calls: rights that are missing for all are missing for the rest
    Err err = {0};
    ErrCode code;

    for (uint32_t i = 0; i < count; i++)
        vec_push(&arena, &input.instance_ids, ids[i]);
    code = aws_call(client, &arena, &ec2_terminate_instances, &input, NULL, &output, &outcome, &err);
    for (uint32_t i = 0; i < count; i++) {
        endings[i] = (Ending){.code = code, .err = err};
        if (code == OK)
            endings[i].code = read_change(&output, ids[i], &endings[i].err);
        if (denials >= DENIALS_MAX || !(code == OK ? endings[i].code == ERR_IO : is_worth_single_calls(&outcome)))
            continue;
        end_one(client, ids[i], &endings[i]);
        denials = endings[i].code == ERR_DENIED ? denials + 1 : 0;
    }
    arena_free(&arena);
}

void instances_end(AwsClient *client, const SliceVec *ids, Ending *ret_endings) {
    for (uint32_t from = 0; from < ids->count; from += TOGETHER_MAX) {
        uint32_t count = ids->count - from;

        if (count > TOGETHER_MAX)
            count = TOGETHER_MAX;
        if (count == 1)
            end_one(client, ids->items[from], &ret_endings[from]);
        else
            end_together(client, ids->items + from, count, ret_endings + from);
    }
}
