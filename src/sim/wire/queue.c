// The interruption queue: the market's notices as EventBridge writes them. A message that was received and not deleted
// comes again.
#include "aws/service/sqs.h"
#include "sim/wire/wire_parts.h"
#include "text/duration.h"

enum { MESSAGES_MAX = 10, HIDDEN_S = 30 };

// A long poll looks as often.
static const int64_t LOOK_NS = 2 * NS_PER_S;

WireFault wire_get_queue_url(WireCall *call) {
    const SqsGetQueueUrlInput *input = call->input;

    ((SqsGetQueueUrlOutput *)call->output)->queue_url = arena_printf(
        call->arena, "https://sqs.us-east-1.amazonaws.com/" WIRE_ACCOUNT "/%.*s", SLICE_ARG(input->queue_name));
    return wire_fine();
}

static Slice body_of(const SimAws *aws, Arena *arena, const SimNotice *notice) {
    const char *type = notice->type == SIM_NOTICE_INTERRUPTION ? "EC2 Spot Instance Interruption Warning"
                                                               : "EC2 Instance Rebalance Recommendation";

    return arena_printf(arena,
                        "{\"version\":\"0\",\"id\":\"%u\",\"detail-type\":\"%s\",\"source\":\"aws.ec2\",\"account\":"
                        "\"" WIRE_ACCOUNT "\",\"time\":\"%.*s\",\"region\":\"us-east-1\",\"detail\":{\"instance-id\":"
                        "\"%.*s\",\"instance-action\":\"terminate\"}}",
                        notice->number, type, SLICE_ARG(time_print(arena, notice->at_ns)),
                        SLICE_ARG(aws->instances.items[notice->number].id));
}

static void deliver(SimAws *aws, Arena *arena, uint32_t number, int64_t hidden_ns, SqsReceiveMessageOutput *output) {
    SimNotice notice = sim_cloud_notice(aws->cloud, number);
    SqsMessage *message = vec_add(arena, &output->messages);

    aws->messages.items[number].hidden_until_ns = world_now_ns(aws->world) + hidden_ns;
    message->message_id = arena_printf(arena, "%u", number);
    message->receipt_handle = arena_printf(arena, "receipt-%u", number);
    message->body = body_of(aws, arena, &notice);
    vec_push(
        arena, &message->attributes,
        (AwsStringEntry){SLICE("SentTimestamp"), arena_printf(arena, "%lld", (long long)(notice.at_ns / NS_PER_MS))});
}

static void deliver_all(SimAws *aws, Arena *arena, const SqsReceiveMessageInput *input,
                        SqsReceiveMessageOutput *output) {
    int64_t hidden_s = input->visibility_timeout.has ? input->visibility_timeout.value : HIDDEN_S;
    uint32_t most = input->max_number_of_messages.has ? (uint32_t)input->max_number_of_messages.value : 1;

    while (aws->messages.count < sim_cloud_notice_count(aws->cloud))
        vec_push(&aws->arena, &aws->messages, (WireMessage){0});
    for (uint32_t i = 0; i < aws->messages.count && output->messages.count < most && most <= MESSAGES_MAX; i++) {
        const WireMessage *message = &aws->messages.items[i];

        if (!message->is_deleted && message->hidden_until_ns <= world_now_ns(aws->world))
            deliver(aws, arena, i, hidden_s * NS_PER_S, output);
    }
}

WireFault wire_receive(WireCall *call) {
    const SqsReceiveMessageInput *input = call->input;
    SqsReceiveMessageOutput *output = call->output;
    int64_t until_ns = world_now_ns(call->aws->world) + input->wait_time_seconds.value * NS_PER_S;

    deliver_all(call->aws, call->arena, input, output);
    while (!output->messages.count && call->host && world_now_ns(call->aws->world) < until_ns) {
        if (!call->host->rest(call->host->self, LOOK_NS))
            return (WireFault){500, "InternalError", SLICE("nobody waits any more")};
        deliver_all(call->aws, call->arena, input, output);
    }
    return wire_fine();
}

WireFault wire_delete_message(WireCall *call) {
    const SqsDeleteMessageInput *input = call->input;
    const Slice prefix = SLICE("receipt-");
    int64_t number;

    if (!slice_starts_with(input->receipt_handle, prefix) ||
        !slice_to_int64(slice_from(input->receipt_handle, prefix.len), &number) || number < 0 ||
        number >= call->aws->messages.count)
        return wire_refuse("ReceiptHandleIsInvalid", "there is no such receipt");
    call->aws->messages.items[number].is_deleted = true;
    return wire_fine();
}
