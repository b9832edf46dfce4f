// EventBridge: rules that send events on. Only `tenon doctor` asks. Reference aws.md 7.7.
#include "aws/service/eventbridge.h"

const AwsService eventbridge_service = {
    .id = "eventbridge",
    .endpoint_prefix = "events",
    .signing_name = "events",
    .api_version = "2015-10-07",
    .json_target = "AWSEvents",
    .protocol = AWS_JSON_1_1,
};

AWS_SHAPE(EventsListRuleNamesByTargetInput, EVENTS_LIST_RULE_NAMES_BY_TARGET_INPUT);
AWS_SHAPE(EventsListRuleNamesByTargetOutput, EVENTS_LIST_RULE_NAMES_BY_TARGET_OUTPUT);
AWS_SHAPE(EventsRule, EVENTS_RULE);
AWS_SHAPE(EventsListRulesInput, EVENTS_LIST_RULES_INPUT);
AWS_SHAPE(EventsListRulesOutput, EVENTS_LIST_RULES_OUTPUT);

AWS_OPERATION(events_list_rule_names_by_target, eventbridge_service, "ListRuleNamesByTarget",
              EventsListRuleNamesByTarget, AWS_PAGED(EventsListRuleNamesByTarget, next_token, next_token));
AWS_OPERATION(events_list_rules, eventbridge_service, "ListRules", EventsListRules,
              AWS_PAGED(EventsListRules, next_token, next_token));
