// Schema of conditions in Karpenter's kinds.
//
// metav1.Condition: all members are required and a reason is a word; a NodeClaim may leave reason and message out.
// Reference scheduling.md 1.4; karpenter v1.15, pkg/apis/crds.
#include "sim/api/request.h"
#include "sim/api/rules/rules.h"
#include "text/duration.h"

enum { REASON_MAX = 1024 };

#define REASON_PATTERN   "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"
#define OPTIONAL_PATTERN "^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$"

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_reason(Slice reason) {
    for (size_t i = 0; i < reason.len; i++) {
        char c = reason.ptr[i];
        bool inner = i > 0 && ((c >= '0' && c <= '9') || c == '_' || ((c == ',' || c == ':') && i + 1 < reason.len));

        if (!is_letter(c) && !inner)
            return false;
    }
    return reason.len > 0 && reason.len <= REASON_MAX;
}

static ErrCode check_required(const Request *request, const Value *condition, const char *path) {
    static const char *const members[] = {"lastTransitionTime", "status", "type", "message", "reason"};
    size_t count = sizeof members / sizeof *members - (request->kind == KUBE_NODE_CLAIM ? 2 : 0);

    for (size_t i = 0; i < count; i++) {
        const Value *member = value_get(condition, slice_of(members[i]));

        if (!member || member->kind != VALUE_STRING)
            return fail_invalid(request, arena_printf(request->arena, "%s.%s", path, members[i]).ptr, "Required value");
    }
    return OK;
}

static ErrCode check_words(const Request *request, const Value *condition, const char *path) {
    Slice status = kube_text(condition, "status", NULL), reason = kube_text(condition, "reason", NULL);
    int64_t at_ns;

    if (!slice_eq_text(status, "True") && !slice_eq_text(status, "False") && !slice_eq_text(status, "Unknown"))
        return fail_invalid(request, arena_printf(request->arena, "%s.status", path).ptr,
                            "Unsupported value: \"%.*s\": supported values: \"True\", \"False\", \"Unknown\"",
                            SLICE_ARG(status));
    if (!is_reason(reason) && !(request->kind == KUBE_NODE_CLAIM && reason.len == 0))
        return fail_invalid(request, arena_printf(request->arena, "%s.reason", path).ptr,
                            "Invalid value: \"%.*s\": %s.reason in body should match '%s'", SLICE_ARG(reason),
                            path + sizeof "status." - 1, // the API server's path begins at status
                            request->kind == KUBE_NODE_CLAIM ? OPTIONAL_PATTERN : REASON_PATTERN);
    if (time_parse(kube_text(condition, "lastTransitionTime", NULL), &at_ns, NULL) != OK)
        return fail_invalid(request, arena_printf(request->arena, "%s.lastTransitionTime", path).ptr,
                            "Invalid value: must be of type date-time");
    return OK;
}

ErrCode conditions_validate(const Request *request, const Value *object) {
    const Value *conditions = value_at(object, "status", "conditions", NULL);

    for (uint32_t i = 0; conditions && conditions->kind == VALUE_LIST && i < conditions->list.count; i++) {
        const Value *condition = &conditions->list.items[i];
        const char *path = arena_printf(request->arena, "status.conditions[%u]", i).ptr;

        TRY(check_required(request, condition, path));
        TRY(check_words(request, condition, path));
        for (uint32_t before = 0; before < i; before++) {
            if (value_eq(value_get_text(condition, "type"), value_get_text(&conditions->list.items[before], "type")))
                return fail_invalid(request, path, "Duplicate value: {\"type\":\"%.*s\"}",
                                    SLICE_ARG(kube_text(condition, "type", NULL)));
        }
    }
    return OK;
}
