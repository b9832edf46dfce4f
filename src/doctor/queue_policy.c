// A statement is for an action if its principal, its action and its resource are; each may be one text or a list.
#include "doctor/queue_policy.h"

#include "base/glob.h"
#include "doctor/stored_json.h"
#include "text/json.h"

typedef bool (*Fits)(Slice pattern, Slice wanted);

static bool any_fits(const Value *value, Fits fits, Slice wanted) {
    if (!value)
        return false;
    if (value->kind == VALUE_STRING)
        return fits(value->text, wanted);
    for (uint32_t i = 0; value->kind == VALUE_LIST && i < value->list.count; i++) {
        if (value->list.items[i].kind == VALUE_STRING && fits(value->list.items[i].text, wanted))
            return true;
    }
    return false;
}

static bool fits_glob(Slice pattern, Slice wanted) {
    return pattern.len && glob_matches(pattern, wanted);
}

// "SQS:SendMessage" is one, too.
static bool fits_action(Slice pattern, Slice wanted) {
    char lower[64];

    if (pattern.len > sizeof lower)
        return false;
    for (size_t i = 0; i < pattern.len; i++)
        lower[i] =
            (char)(pattern.ptr[i] >= 'A' && pattern.ptr[i] <= 'Z' ? pattern.ptr[i] + ('a' - 'A') : pattern.ptr[i]);
    return fits_glob((Slice){lower, pattern.len}, wanted);
}

static bool is_for_service(const Value *principal, Slice service) {
    if (!principal || principal->kind != VALUE_MAP)
        return any_fits(principal, slice_eq, SLICE("*"));
    return any_fits(value_get_text(principal, "Service"), slice_eq, service) ||
           any_fits(value_get_text(principal, "AWS"), slice_eq, SLICE("*"));
}

// What says what it is not for may be for this.
static bool is_for(const Value *statement, const char *key, const char *not_key, Fits fits, Slice wanted,
                   bool if_unknown) {
    const Value *value = value_get(statement, slice_of(key));

    if (!value && value_get(statement, slice_of(not_key)))
        return if_unknown;
    return any_fits(value, fits, wanted);
}

static bool covers(const Value *statement, Slice queue_arn, Slice service, bool if_unknown) {
    const Value *principal = value_get_text(statement, "Principal");
    bool is_service =
        principal ? is_for_service(principal, service) : if_unknown && value_get_text(statement, "NotPrincipal");

    return is_service && is_for(statement, "Action", "NotAction", fits_action, SLICE("sqs:sendmessage"), if_unknown) &&
           is_for(statement, "Resource", "NotResource", fits_glob, queue_arn, if_unknown);
}

static bool has_effect(const Value *statement, const char *effect) {
    return any_fits(value_get_text(statement, "Effect"), slice_eq, slice_of(effect));
}

// The list of its statements; SQS takes one that is in no list. A policy that cannot be read is an empty one.
static Value statements_of(Arena *arena, Slice policy, Value *ret_policy) {
    const Value *found;
    Value list = value_list();

    (void)stored_json_read(arena, policy, ret_policy);
    found = value_get_text(ret_policy, "Statement");
    if (found && found->kind == VALUE_LIST)
        return *found;
    if (found)
        value_append(arena, &list, *found);
    return list;
}

QueuePolicyVerdict queue_policy_verdict(Arena *arena, Slice policy, Slice queue_arn, Slice service) {
    Value whole, statements = statements_of(arena, policy, &whole);
    QueuePolicyVerdict verdict = QUEUE_POLICY_SILENT;

    for (vec_each(const Value, statement, &statements.list)) {
        if (has_effect(statement, "Deny") && !value_get_text(statement, "Condition") &&
            covers(statement, queue_arn, service, false))
            return QUEUE_POLICY_DENIES;
        if (has_effect(statement, "Allow") && covers(statement, queue_arn, service, true))
            verdict = QUEUE_POLICY_ALLOWS;
    }
    return verdict;
}

// --- a statement more

static Value sender_statement(Arena *arena, Slice queue_arn, Slice service) {
    Value statement = value_map(), principal = value_map();

    value_put(arena, &principal, SLICE("Service"), value_string(service));
    value_put(arena, &statement, SLICE("Effect"), value_string(SLICE("Allow")));
    value_put(arena, &statement, SLICE("Principal"), principal);
    value_put(arena, &statement, SLICE("Action"), value_string(SLICE("sqs:SendMessage")));
    value_put(arena, &statement, SLICE("Resource"), value_string(queue_arn));
    return statement;
}

// A quote is in texts alone, where JSON has another way to write it.
static void append_without_quotes(Buffer *to, Slice json) {
    for (size_t i = 0; i < json.len; i++) {
        if (json.ptr[i] == '\'')
            buffer_append(to, SLICE("\\u0027"));
        else
            buffer_append_char(to, json.ptr[i]);
    }
}

Slice queue_policy_with_sender(Arena *arena, Slice policy, Slice queue_arn, Slice service) {
    Value whole, statements = statements_of(arena, policy, &whole);
    Buffer json = {0}, quotable = {0};
    Slice text;

    value_append(arena, &statements, sender_statement(arena, queue_arn, service));
    if (!value_get_text(&whole, "Version"))
        value_put(arena, &whole, SLICE("Version"), value_string(SLICE("2012-10-17")));
    value_put(arena, &whole, SLICE("Statement"), statements);
    json_print(&json, &whole, false);
    append_without_quotes(&quotable, buffer_slice(&json));
    text = arena_slice(arena, buffer_slice(&quotable));
    buffer_free(&json);
    buffer_free(&quotable);
    return text;
}
