// List requests: one page, filtered while it arrives.
#include "kube/rest/list.h"

#include "base/alloc.h"
#include "base/check.h"
#include "kube/rest/answer.h"
#include "kube/rest/request.h"
#include "kube/rest/unread.h"
#include "kube/rest/url.h"

#include <inttypes.h>

// The page that is being received: its document is parsed when it is complete.
typedef struct {
    KubeRest *rest;
    JsonFilter json_filter;
    Arena *arena;
    size_t charged; // to the budget, for `root`
    Value root;
    bool whole;
    ErrCode code;
    KubeError *error;
} Page;

static bool take_document(void *context, Slice text) {
    Page *page = context;

    page->code = rest_read_within(page->rest, page->arena, text, &page->root, &page->charged, page->error);
    page->whole = page->code == OK;
    return page->whole;
}

static bool feed_page(void *context, Slice bytes) {
    return json_filter_feed(&((Page *)context)->json_filter, bytes);
}

static void add_queries(Arena *scratch, Buffer *url, const KubeListRequest *request) {
    url_add_query(url, "labelSelector", request->labels);
    url_add_query(url, "fieldSelector", request->fields);
    if (request->limit)
        url_add_query(url, "limit", arena_printf(scratch, "%" PRIu32, request->limit));
    url_add_query(url, "continue", request->from);
    if (request->at && !request->from.len) {
        url_add_query(url, "resourceVersion", arena_printf(scratch, "%" PRIu64, request->at));
        url_add_query(url, "resourceVersionMatch", SLICE("NotOlderThan"));
    }
}

// Sets apiVersion and kind of the items, which lists do not contain.
static void name_types(Arena *arena, KubeKind kind, ValueList *items) {
    const KubeKindInfo *info = kube_kind(kind);

    for (vec_each(Value, item, items)) {
        if (item->kind != VALUE_MAP)
            continue;
        value_put(arena, item, SLICE("apiVersion"), value_string(info->api_version));
        value_put(arena, item, SLICE("kind"), value_string(info->kind));
    }
}

static ErrCode read_page(const Page *page, const KubeListRequest *request, KubeList *ret_list, KubeError *error) {
    const Value *items = value_get_text(&page->root, "items");
    KubeList list = {.revision = kube_revision(&page->root),
                     .next = kube_text(&page->root, "metadata", "continue", NULL)};

    if (items && items->kind == VALUE_LIST)
        list.items = items->list;
    else if (items && items->kind != VALUE_NULL)
        return rest_fail(error, ERR_IO, "the API server's answer cannot be read: items is no list");
    if (!value_to_int64(value_at(&page->root, "metadata", "remainingItemCount", NULL), &list.remaining))
        list.remaining = list.next.len ? -1 : 0;
    name_types(page->arena, request->kind, &list.items);
    *ret_list = list;
    return OK;
}

// Returns an error unless the page arrived completely.
static ErrCode check_page(const Page *page, ErrCode code, KubeError *error) {
    if (page->code != OK)
        return page->code; // of the parser, which filled `error`
    if (page->json_filter.over_budget)
        return rest_fail_budget(page->rest, error);
    if (page->json_filter.failed == ERR_TOO_LARGE)
        return rest_fail(error, ERR_TOO_LARGE, "a list is larger than %zu bytes; ask for it in pages",
                         page->json_filter.bytes_max);
    if (code == OK && (page->json_filter.failed != OK || !page->whole))
        return rest_fail(error, ERR_IO, "the API server's answer cannot be read: a list is cut off or no JSON");
    return code;
}

ErrCode rest_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list, KubeError *error) {
    return rest_list_until(self, NULL, arena, request, ret_list, error);
}

ErrCode rest_list_until(KubeRest *rest, HttpStop *stop, Arena *arena, const KubeListRequest *request,
                        KubeList *ret_list, KubeError *error) {
    Page *page = NEW(Page);
    RestCall call = {.verb = "list",
                     .method = "GET",
                     .kind = request->kind,
                     .sink = {feed_page, page},
                     .timeout_ns = rest->options.call_timeout_ns,
                     .stop = stop,
                     .is_stream = stop != NULL,
                     .impatient = stop != NULL};
    HttpReply reply = {0};
    Arena scratch = {0};
    ErrCode code;

    page->rest = rest;
    page->arena = arena;
    page->error = error;
    page->json_filter.bytes_max = rest->options.answer_bytes_max;
    page->json_filter.budget = &rest->budget;
    page->json_filter.take = take_document;
    page->json_filter.context = page;
    if (!rest->options.whole_objects)
        rest_drop_unread(&page->json_filter, request->kind, "items *");
    rest_url(rest, &call.url, request->kind, request->ns, SLICE(""), NULL);
    add_queries(&scratch, &call.url, request);
    code = check_page(page, rest_do(rest, &call, &reply, error), error);
    if (code == OK)
        code = read_page(page, request, ret_list, error);
    memory_budget_give(&rest->budget, page->charged);
    json_filter_free(&page->json_filter);
    free(page);
    http_reply_free(&reply);
    buffer_free(&call.url);
    arena_free(&scratch);
    return code;
}
