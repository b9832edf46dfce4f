// Sets of policies, judged; expressions, matched.
#include "model/repair_policy.h"

#include <regex.h>
#include <string.h>

enum { REASON_MAX = 1024 }; // Kubernetes' own limit

bool repair_reason_matches(const char *expression, Slice reason) {
    char text[REASON_MAX + 1];
    size_t length = reason.len < REASON_MAX ? reason.len : REASON_MAX;
    regex_t compiled;
    bool matches;

    if (regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    if (length)
        memcpy(text, reason.ptr, length);
    text[length] = '\0';
    matches = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return matches;
}

static bool is_expression(const char *text) {
    regex_t compiled;
    bool is = regcomp(&compiled, text, REG_EXTENDED | REG_NOSUB) == 0;

    if (is)
        regfree(&compiled);
    return is;
}

static const char *policy_fault(const RepairPolicy *policy) {
    static const char *const statuses[] = {"True", "False", "Unknown"};
    bool is_status = false;

    for (size_t i = 0; policy->status && i < sizeof statuses / sizeof *statuses; i++)
        is_status |= strcmp(policy->status, statuses[i]) == 0;
    if (!policy->condition || !*policy->condition)
        return "a policy names no condition";
    if (!is_status)
        return "a status is none of True, False and Unknown";
    if (policy->toleration_ns < 0 || policy->bound_ns < 0)
        return "a duration is negative";
    if (policy->priority > REPAIR_PRIORITY_MAX)
        return "a priority is above 100";
    if (policy->reason && !is_expression(policy->reason))
        return "a reason is no regular expression";
    if (!policy->reason && policy->action != REPAIR_REPLACE)
        return "a policy for all other reasons does not replace the node";
    return NULL;
}

static bool is_same_pair(const RepairPolicy *a, const RepairPolicy *b) {
    return strcmp(a->condition, b->condition) == 0 && strcmp(a->status, b->status) == 0;
}

const char *repair_policies_fault(const RepairPolicies *policies) {
    for (uint32_t i = 0; i < policies->count; i++) {
        const RepairPolicy *policy = &policies->items[i];
        const char *fault = policy_fault(policy);

        if (fault)
            return fault;
        for (uint32_t j = 0; j < i && !policy->reason; j++) {
            if (!policies->items[j].reason && is_same_pair(policy, &policies->items[j]))
                return "two policies are for all other reasons of one condition";
        }
    }
    return NULL;
}
