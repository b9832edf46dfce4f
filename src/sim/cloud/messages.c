// Notices as messages. Receipts are their numbers.
#include "sim/cloud/messages.h"

#include "sim/cloud/view_instance.h"
#include "sim/cloud/view_marks.h"

static void deliver(SimView *view, Arena *arena, uint32_t number, CloudMessageVec *messages) {
    const SimNotice *notice = &view->cloud->notices.items[number];
    bool is_taken = notice->type == SIM_NOTICE_INTERRUPTION;
    CloudMessage message = {.kind = is_taken ? CLOUD_MESSAGE_SPOT_INTERRUPTED : CLOUD_MESSAGE_REBALANCE,
                            .receipt = number};

    vec_push(arena, &message.provider_ids, cloud_view_instance(view, notice->number)->provider_id);
    vec_push(arena, messages, message);
    if (is_taken)
        cloud_view_mark_unavailable(view, view->cloud->machines.items[notice->number].pool);
}

ErrCode cloud_view_receive(SimView *view, Arena *arena, CloudMessageVec *ret_messages, CloudError *error) {
    SimCloud *cloud = view->cloud;
    CloudMessageVec messages = {0};

    (void)error;
    while (cloud->deliveries.count < cloud->notices.count)
        vec_push(&cloud->arena, &cloud->deliveries, (SimDelivery){0});
    while (cloud->settled_until < cloud->deliveries.count && cloud->deliveries.items[cloud->settled_until].is_settled)
        cloud->settled_until++;
    for (uint32_t i = cloud->settled_until; i < cloud->deliveries.count && messages.count < MESSAGES_MAX; i++) {
        SimDelivery *delivery = &cloud->deliveries.items[i];

        if (delivery->is_settled || delivery->hidden_until_ns > cloud_now(cloud))
            continue;
        delivery->hidden_until_ns = cloud_now(cloud) + MESSAGE_HIDDEN_S * NS_PER_S;
        deliver(view, arena, i, &messages);
    }
    *ret_messages = messages;
    return OK;
}

ErrCode cloud_view_settle(SimView *view, uint64_t receipt, CloudError *error) {
    if (receipt >= view->cloud->deliveries.count)
        return cloud_fail(error, ERR_NOT_FOUND, "ReceiptHandleIsInvalid");
    view->cloud->deliveries.items[receipt].is_settled = true;
    return OK;
}
