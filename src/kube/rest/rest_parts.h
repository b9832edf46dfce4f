// What the files of the REST client share.
#pragma once

#include "kube/rest/credentials.h"
#include "kube/rest/json_filter.h"
#include "kube/rest/rest.h"
#include "net/limiter.h"

#include <stdatomic.h>

struct KubeRest {
    Arena arena; // of config and options
    KubeConfig config;
    KubeRestOptions options;
    HttpClient *http;
    Limiter limiter;
    MemoryBudget budget; // of the answers under way
    Credentials *credentials;
    atomic_bool no_initial_events; // the server is too old for sendInitialEvents: watches list first
};

// One call. `url` is built by rest_url and freed by the caller.
typedef struct {
    const char *verb; // for the observer
    const char *method;
    KubeKind kind;
    Buffer url;
    const char *content_type; // NULL: no body
    const Value *body;
    HttpSink sink; // of a 2xx answer; take NULL: it goes into the reply
    int64_t timeout_ns;
    size_t answer_bytes_max;
    HttpStop *stop;
    bool unlimited;   // does not wait for the limiter
    bool is_stream;   // lasts for minutes
    uint32_t pace_ms; // of a stream (net/http.h)
    bool impatient;   // a 429 or 503 goes to the caller at once
} RestCall;

extern const KubeTable rest_table;

// "https://server/apis/group/version[/namespaces/ns]/plural[/name][/subresource]". Empty and NULL parts are left out.
void rest_url(const KubeRest *rest, Buffer *url, KubeKind kind, Slice ns, Slice name, const char *subresource);

// Does it, once more with fresh credentials after HTTP 401. The reply is freed by the caller. Anything but 2xx is a
// failure, told as the API server tells it.
ErrCode rest_do(KubeRest *rest, const RestCall *call, HttpReply *reply, KubeError *error);

// Parses the answer of a call. ERR_IO: not one JSON map.
ErrCode rest_read(Arena *arena, Slice text, Value *ret_value, KubeError *error);
// The same within the budget of all answers: `ret_charged` is given back (memory_budget_give) when the values are gone,
// or their owner is none of this client's any more. ERR_TOO_LARGE: they do not fit.
ErrCode rest_read_within(KubeRest *rest, Arena *arena, Slice text, Value *ret_value, size_t *ret_charged,
                         KubeError *error);
// Fills `error` from a metav1.Status.
ErrCode rest_status(const Value *status, int http_code, KubeError *error);
// A failure without an answer of the API server.
__attribute__((format(printf, 3, 4))) ErrCode rest_fail(KubeError *error, ErrCode code, const char *format, ...);

// ERR_TOO_LARGE: the budget of all answers is used up.
ErrCode rest_fail_budget(const KubeRest *rest, KubeError *error);

// Tells the json_filter what nobody reads of a kind. `prefix`: where the object stands ("items *", "object").
void rest_drop_unread(JsonFilter *json_filter, KubeKind kind, const char *prefix);

ErrCode rest_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list, KubeError *error);
// The same for a watch, that `stop` ends.
ErrCode rest_list_until(KubeRest *rest, HttpStop *stop, Arena *arena, const KubeListRequest *request,
                        KubeList *ret_list, KubeError *error);
ErrCode rest_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch, KubeError *error);
void rest_unwatch(void *self, KubeWatch *watch);
