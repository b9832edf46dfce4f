// EventBridge: rules that send events on. Only `tenon doctor` asks. Reference aws.md 7.7.
#pragma once

#include "aws/protocol/operation.h"

extern const AwsService eventbridge_service;

#define EVENTS_LIST_RULE_NAMES_BY_TARGET_INPUT(X, T)                                                                   \
    X(T, STRING, target_arn, "TargetArn")                                                                              \
    X(T, INTEGER, limit, "Limit")                                                                                      \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(EventsListRuleNamesByTargetInput, EVENTS_LIST_RULE_NAMES_BY_TARGET_INPUT);

#define EVENTS_LIST_RULE_NAMES_BY_TARGET_OUTPUT(X, T)                                                                  \
    X(T, STRINGS, rule_names, "RuleNames")                                                                             \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(EventsListRuleNamesByTargetOutput, EVENTS_LIST_RULE_NAMES_BY_TARGET_OUTPUT);

// event_pattern: JSON; absent of a rule that follows a schedule alone.
#define EVENTS_RULE(X, T)                                                                                              \
    X(T, STRING, name, "Name")                                                                                         \
    X(T, STRING, event_pattern, "EventPattern")                                                                        \
    X(T, STRING, state, "State")
AWS_STRUCT(EventsRule, EVENTS_RULE);

#define EVENTS_LIST_RULES_INPUT(X, T)                                                                                  \
    X(T, INTEGER, limit, "Limit")                                                                                      \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(EventsListRulesInput, EVENTS_LIST_RULES_INPUT);

#define EVENTS_LIST_RULES_OUTPUT(X, T)                                                                                 \
    X(T, LIST, rules, "Rules", EventsRule)                                                                             \
    X(T, STRING, next_token, "NextToken")
AWS_STRUCT(EventsListRulesOutput, EVENTS_LIST_RULES_OUTPUT);

// Of the default event bus, to which AWS's own events come; pages of at most 100.
extern const AwsOperation events_list_rule_names_by_target;
extern const AwsOperation events_list_rules;
