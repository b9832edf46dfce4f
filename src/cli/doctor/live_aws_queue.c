// EventBridge names the rules of a target, and tells what rules let through only in the list of all of them.
#include "cli/doctor/live_aws_queue.h"

#include "aws/endpoint/partition.h"
#include "aws/service/eventbridge.h"
#include "aws/service/sqs.h"
#include "cloud/aws/events/queue_message.h"

enum { RULES_PAGE = 100 };

// Of https://sqs.us-east-1.amazonaws.com/111122223333/news: arn:aws:sqs:us-east-1:111122223333:news.
static Slice arn_of(const AwsReading *aws, Slice url) {
    Slice region = aws_client_region(aws->client);
    ptrdiff_t slash = slice_find_last(url, '/');
    Slice rest = slice_first(url, slash < 0 ? 0 : (size_t)slash);

    return arena_printf(aws->reading->arena, "arn:%s:sqs:%.*s:%.*s:%.*s", aws_partition_of(region)->name,
                        SLICE_ARG(region), SLICE_ARG(slice_after_last(rest, '/')),
                        SLICE_ARG(slice_after_last(url, '/')));
}

static void name_events(const AwsReading *aws) {
    const QueueEvent *event;

    for (uint32_t i = 0; (event = queue_event(i)); i++)
        vec_push(aws->reading->arena, &aws->reading->facts->live.events,
                 (FactEvent){.source = slice_of(event->source),
                             .detail_type = slice_of(event->detail_type),
                             .ends_spot = event->kind == CLOUD_MESSAGE_SPOT_INTERRUPTED});
}

// --- rules

typedef struct {
    Arena *arena;
    SliceVec names; // of the rules of the queue
    FactRuleVec *rules;
} RuleReading;

static bool take_names(void *context, const void *output) {
    RuleReading *reading = context;

    for (vec_each(const Slice, name, &((const EventsListRuleNamesByTargetOutput *)output)->rule_names))
        vec_push(reading->arena, &reading->names, arena_slice(reading->arena, *name));
    return true;
}

static bool is_named(const RuleReading *reading, Slice name) {
    for (vec_each(const Slice, known, &reading->names)) {
        if (slice_eq(*known, name))
            return true;
    }
    return false;
}

static bool take_rules(void *context, const void *output) {
    const RuleReading *reading = context;
    Arena *arena = reading->arena;

    for (vec_each(const EventsRule, rule, &((const EventsListRulesOutput *)output)->rules)) {
        if (is_named(reading, rule->name))
            vec_push(arena, reading->rules,
                     (FactRule){.name = arena_slice(arena, rule->name),
                                .pattern = arena_slice(arena, rule->event_pattern),
                                .is_enabled = slice_starts_with(rule->state, SLICE("ENABLED"))});
    }
    return true;
}

static void read_rules(const AwsReading *aws, Slice queue) {
    FactLive *live = &aws->reading->facts->live;
    RuleReading reading = {.arena = aws->reading->arena, .rules = &live->rules};
    EventsListRuleNamesByTargetInput names = {.target_arn = queue, .limit = aws_integer(RULES_PAGE)};
    EventsListRulesInput rules = {.limit = aws_integer(RULES_PAGE)};

    live->rules_call = live_aws_list_beside(aws, "events:ListRuleNamesByTarget", &events_list_rule_names_by_target,
                                            &names, &(AwsPageVisitor){take_names, &reading});
    if (live->rules_call.code == OK && reading.names.count)
        live->rules_call = live_aws_list_beside(aws, "events:ListRules", &events_list_rules, &rules,
                                                &(AwsPageVisitor){take_rules, &reading});
}

// --- the queue

static void read_attributes(const AwsReading *aws) {
    FactLive *live = &aws->reading->facts->live;
    Slice names[] = {SLICE("Policy"), SLICE("KmsMasterKeyId")};
    SqsGetQueueAttributesInput input = {.queue_url = live->queue_url, .attribute_names = {names, 2, 2}};
    SqsGetQueueAttributesOutput output;

    live->queue_policy_call =
        live_aws_ask_beside(aws, "sqs:GetQueueAttributes", &sqs_get_queue_attributes, &input, &output);
    if (live->queue_policy_call.code != OK)
        return;
    live->queue_policy = aws_string_map_get(&output.attributes, names[0]);
    live->queue_key = aws_string_map_get(&output.attributes, names[1]);
}

void live_read_queue(const AwsReading *aws) {
    const LiveReading *reading = aws->reading;
    FactLive *live = &reading->facts->live;
    Slice name = reading->options->queue.len ? reading->options->queue : reading->facts->queue.value;
    SqsGetQueueUrlInput input = {.queue_name = name};
    SqsGetQueueUrlOutput output;

    if (!name.len)
        return;
    live->queue =
        (FactCall){.what = name, .code = live_aws_ask(aws, "sqs:GetQueueUrl", &sqs_get_queue_url, &input, &output)};
    if (live->queue.code != OK)
        return;
    live->queue_url = output.queue_url;
    live->queue_arn = arn_of(aws, output.queue_url);
    read_attributes(aws);
    name_events(aws);
    read_rules(aws, live->queue_arn);
}
