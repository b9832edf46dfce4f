// Parsing of the API server's answers.
#include "kube/rest/answer.h"

#include "text/json.h"

#include <stdarg.h>
#include <stdio.h>

ErrCode rest_read(Arena *arena, Slice text, Value *ret_value, KubeError *error) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    if (json_parse(arena, SLICE("answer"), text, NULL, &documents, &warnings, &err) != OK)
        return rest_fail(error, ERR_IO, "the API server's answer cannot be read: %s", err.text);
    if (documents.count != 1 || documents.items[0].root.kind != VALUE_MAP)
        return rest_fail(error, ERR_IO, "the API server's answer cannot be read: expected one JSON map");
    *ret_value = documents.items[0].root;
    return OK;
}

// Upper bound of the memory for the Values of a text: each value but the root follows one of these marks, and lists and
// maps double as they grow. Marks inside strings count as well, which only raises the bound.
static size_t weigh(Slice text) {
    size_t marks = 0;

    for (size_t i = 0; i < text.len; i++)
        marks += (text.ptr[i] == ',') + (text.ptr[i] == ':') + (text.ptr[i] == '[') + (text.ptr[i] == '{');
    return 2 * text.len + 2 * marks * sizeof(ValueMember);
}

ErrCode rest_read_within(KubeRest *rest, Arena *arena, Slice text, Value *ret_value, size_t *ret_charged,
                         KubeError *error) {
    size_t weight = weigh(text);
    ErrCode code;

    if (!memory_budget_take(&rest->budget, weight))
        return rest_fail_budget(rest, error);
    code = rest_read(arena, text, ret_value, error);
    if (code == OK)
        *ret_charged = weight;
    else
        memory_budget_give(&rest->budget, weight);
    return code;
}

ErrCode rest_fail_budget(const KubeRest *rest, KubeError *error) {
    return rest_fail(error, ERR_TOO_LARGE, "the API server's answers under way are together larger than %zu bytes",
                     rest->budget.max);
}

ErrCode rest_status(const Value *status, int http_code, KubeError *error) {
    const Value *causes = value_at(status, "details", "causes", NULL);
    Slice message = kube_text(status, "message", NULL), cause = {0};
    int64_t code, seconds;
    ErrCode result;

    if (value_to_int64(value_get_text(status, "code"), &code) && code >= 400 && code < 600)
        http_code = (int)code;
    result =
        kube_fail(error, kube_reason_find(kube_text(status, "reason", NULL), http_code), "%.*s", SLICE_ARG(message));
    if (!error)
        return result;
    if (causes && causes->kind == VALUE_LIST && causes->list.count)
        cause = kube_text(&causes->list.items[0], "message", NULL);
    snprintf(error->cause, sizeof error->cause, "%.*s", SLICE_ARG(slice_first(cause, KUBE_CAUSE_MAX - 1)));
    if (value_to_int64(value_at(status, "details", "retryAfterSeconds", NULL), &seconds) && seconds > 0 &&
        seconds < INT64_MAX / NS_PER_S)
        error->retry_after_ns = seconds * NS_PER_S;
    return result;
}

ErrCode rest_fail(KubeError *error, ErrCode code, const char *format, ...) {
    char text[ERR_TEXT_MAX];
    va_list args;

    if (!error)
        return code;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error->reason = KUBE_REASON_NONE;
    error->retry_after_ns = 0;
    error->cause[0] = 0;
    return err_set(&error->err, code, "%s", text);
}
