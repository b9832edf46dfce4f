// From rows and facts to the document.
#include "cli/aws/policy.h"

#include "aws/endpoint/partition.h"
#include "cli/aws/policy_rows.h"
#include "text/json.h"

enum { ACCOUNT_DIGITS = 12 };

static const char *const groups[] = {
#define X(name, text) text,
    POLICY_GROUPS(X)
#undef X
};

PolicyGroup policy_group_of(Slice name) {
    uint32_t group = 0;

    while (group < POLICY_GROUP_COUNT && !slice_eq_text(name, groups[group]))
        group++;
    return (PolicyGroup)group;
}

const char *policy_group_text(PolicyGroup group) {
    return group < POLICY_GROUP_COUNT ? groups[group] : "all";
}

// --- what the facts may be

// Whether a text has letters, digits and the others alone: what stands in a policy must be no wildcard and no variable.
static bool is_plain(Slice text, const char *others) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

        if (!c || (!is_word && !strchr(others, c)))
            return false;
    }
    return text.len;
}

static ErrCode check_text(const char *flag, Slice text, const char *others, const char *example, Err *err) {
    if (!text.len)
        return err_set(err, ERR_INVALID, "--%s is needed, as %s", flag, example);
    if (!is_plain(text, others))
        return err_set(err, ERR_INVALID, "--%s: expected letters, digits and any of \"%s\", got \"%.*s\"", flag, others,
                       SLICE_ARG(text));
    return OK;
}

static bool is_account(Slice text) {
    size_t digits = 0;

    while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9')
        digits++;
    return digits == ACCOUNT_DIGITS && text.len == digits;
}

static ErrCode check_facts(const PolicyFacts *facts, Err *err) {
    TRY(check_text("cluster-name", facts->cluster, "._-", "the name that aws eks list-clusters prints", err));
    TRY(check_text("region", facts->region, "-", "eu-west-1", err));
    if (!is_account(facts->account))
        return err_set(err, ERR_INVALID,
                       "--account: expected the 12 digits that aws sts get-caller-identity prints, got \"%.*s\"",
                       SLICE_ARG(facts->account));
    if (facts->partition.len)
        TRY(check_text("partition", facts->partition, "-", "aws", err));
    if (facts->queue.len)
        TRY(check_text("interruption-queue", facts->queue, "_-.", "a name", err));
    for (vec_each(const Slice, role, &facts->node_roles))
        TRY(check_text("node-role", *role, "+=,.@_/-", "a name", err));
    for (vec_each(const Slice, parameter, &facts->ssm_parameters))
        TRY(check_text("ssm-parameter", *parameter, "._/-", "a name", err));
    return OK;
}

// --- texts with facts

typedef struct {
    Arena *arena;
    const PolicyFacts *facts;
    Slice partition;
} Writing;

static Slice fact_named(const Writing *writing, Slice name) {
    const PolicyFacts *facts = writing->facts;
    const struct {
        const char *name;
        Slice text;
    } rows[] = {
        {"cluster", facts->cluster}, {"region", facts->region},         {"account", facts->account},
        {"queue", facts->queue},     {"partition", writing->partition},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (slice_eq_text(name, rows[i].name))
            return rows[i].text;
    }
    return (Slice){0};
}

// The text with its places filled.
static Slice fill(const Writing *writing, const char *text) {
    Slice filled = SLICE("");

    while (*text) {
        size_t plain = strcspn(text, "{");
        size_t name = text[plain] ? strcspn(text + plain, "}") : 0;
        Slice fact = name ? fact_named(writing, (Slice){text + plain + 1, name - 1}) : (Slice){0};

        filled = arena_printf(writing->arena, "%.*s%.*s%.*s", SLICE_ARG(filled), (int)plain, text, SLICE_ARG(fact));
        text += plain + name + (name != 0);
    }
    return filled;
}

// --- statements

static void put_text(const Writing *writing, Value *list, Slice text) {
    value_append(writing->arena, list, value_string(text));
}

static Value actions_of(const Writing *writing, const PolicyRow *row) {
    Value list = value_list();

    for (size_t i = 0; i < POLICY_ACTIONS_MAX && row->calls[i]; i++)
        put_text(writing, &list,
                 arena_printf(writing->arena, "%s:%s", row->calls[i]->service->signing_name, row->calls[i]->name));
    if (row->further)
        put_text(writing, &list, slice_of(row->further));
    return list;
}

static void put_roles(const Writing *writing, Value *list) {
    const SliceVec *roles = &writing->facts->node_roles;

    if (!roles->count)
        put_text(writing, list, fill(writing, "arn:{partition}:iam::{account}:role/KarpenterNodeRole-{cluster}"));
    for (vec_each(const Slice, role, roles))
        put_text(writing, list,
                 arena_printf(writing->arena, "%.*s%.*s",
                              SLICE_ARG(fill(writing, "arn:{partition}:iam::{account}:role/")), SLICE_ARG(*role)));
}

static void put_parameters(const Writing *writing, Value *list) {
    for (vec_each(const Slice, name, &writing->facts->ssm_parameters))
        put_text(writing, list,
                 arena_printf(writing->arena, "%.*s%s%.*s",
                              SLICE_ARG(fill(writing, "arn:{partition}:ssm:{region}:{account}:parameter")),
                              name->ptr[0] == '/' ? "" : "/", SLICE_ARG(*name)));
}

static Value resources_of(const Writing *writing, const PolicyRow *row) {
    Value list = value_list();

    for (size_t i = 0; i < POLICY_RESOURCES_MAX && row->resources[i]; i++) {
        if (strcmp(row->resources[i], "{roles}") == 0)
            put_roles(writing, &list);
        else if (strcmp(row->resources[i], "{parameters}") == 0)
            put_parameters(writing, &list);
        else
            put_text(writing, &list, fill(writing, row->resources[i]));
    }
    return list;
}

// The name that EC2 has as the one who is passed a role.
static Slice ec2_service(const Writing *writing) {
    return slice_eq_text(writing->partition, "aws-cn") ? SLICE("ec2.amazonaws.com.cn") : SLICE("ec2.amazonaws.com");
}

static Value values_of(const Writing *writing, const PolicyCondition *condition) {
    Value list = value_list();

    if (strcmp(condition->values[0], "{ec2}") == 0)
        return value_string(ec2_service(writing));
    for (size_t i = 0; i < POLICY_VALUES_MAX && condition->values[i]; i++)
        put_text(writing, &list, fill(writing, condition->values[i]));
    return list.list.count == 1 ? list.list.items[0] : list;
}

// {test: {key: values}}; equal tests of a row are one member.
static Value conditions_of(const Writing *writing, const PolicyRow *row) {
    Value tests = value_map();

    for (size_t i = 0; i < POLICY_CONDITIONS_MAX && row->conditions[i].test; i++) {
        Value keys = value_map();

        for (size_t j = 0; j < POLICY_CONDITIONS_MAX && row->conditions[j].test; j++) {
            if (strcmp(row->conditions[j].test, row->conditions[i].test) == 0)
                value_put(writing->arena, &keys, fill(writing, row->conditions[j].key),
                          values_of(writing, &row->conditions[j]));
        }
        if (!value_get(&tests, slice_of(row->conditions[i].test)))
            value_put(writing->arena, &tests, slice_of(row->conditions[i].test), keys);
    }
    return tests;
}

static Value statement_of(const Writing *writing, const PolicyRow *row) {
    Value statement = value_map(), conditions = conditions_of(writing, row);
    Arena *arena = writing->arena;

    value_put(arena, &statement, SLICE("Sid"), value_string(slice_of(row->sid)));
    value_put(arena, &statement, SLICE("Effect"), value_string(SLICE("Allow")));
    value_put(arena, &statement, SLICE("Action"), actions_of(writing, row));
    value_put(arena, &statement, SLICE("Resource"), resources_of(writing, row));
    if (conditions.map.count)
        value_put(arena, &statement, SLICE("Condition"), conditions);
    return statement;
}

static bool is_needed(const PolicyFacts *facts, const PolicyRow *row) {
    if (facts->group != POLICY_GROUP_COUNT && facts->group != row->group)
        return false;
    switch (row->need) {
    case NEEDED_ALWAYS:
        return true;
    case NEEDED_OUTSIDE:
        return !facts->isolated_vpc;
    case NEEDED_WITH_QUEUE:
        return facts->queue.len;
    case NEEDED_WITH_ZONAL_SHIFT:
        return facts->zonal_shift;
    case NEEDED_WITH_OLD_NODES:
        return facts->old_nodes;
    }
    return true;
}

static Value statements_of(const Writing *writing) {
    Value list = value_list();

    for (uint32_t i = 0; i < policy_row_count; i++) {
        if (is_needed(writing->facts, &policy_rows[i]))
            value_append(writing->arena, &list, statement_of(writing, &policy_rows[i]));
    }
    return list;
}

ErrCode policy_print(Buffer *out, const PolicyFacts *facts, Err *err) {
    Arena arena = {0};
    Writing writing = {&arena, facts, facts->partition};
    Value policy = value_map(), statements;

    TRY(check_facts(facts, err));
    if (!writing.partition.len)
        writing.partition = slice_of(aws_partition_of(facts->region)->name);
    statements = statements_of(&writing);
    if (statements.list.count) {
        value_put(&arena, &policy, SLICE("Version"), value_string(SLICE("2012-10-17")));
        value_put(&arena, &policy, SLICE("Statement"), statements);
        json_print(out, &policy, true);
        buffer_append(out, SLICE("\n"));
    }
    arena_free(&arena);
    if (statements.list.count)
        return OK;
    return err_set(err, ERR_NOT_FOUND, "--group %s has no statement without %s", policy_group_text(facts->group),
                   facts->group == POLICY_INTERRUPTION ? "--interruption-queue" : "--enable-zonal-shift");
}
