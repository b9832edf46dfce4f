// Lists and their pages.
//
// A further page is the state at the revision of the first one: objects that were not written since are taken as they
// are, of the others the history has the version at that revision. A page costs O(page + events of the kind since),
// with selectors O(objects checked).
#include "sim/api/list.h"

#include "sim/api/match.h"

#include <inttypes.h>
#include <stdlib.h>

#define FORGOTTEN                                                                                                      \
    "The provided continue parameter is too old to display a consistent list result. You can start a new list "        \
    "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "     \
    "results. Continuing with the provided token results in an inconsistent list - objects that were created, "        \
    "modified, or deleted between the time the first chunk was returned and now may show up in the list."

// Parses the continue token, "<revision> <key>".
static bool parse_token(Slice token, KubeRevision *ret_revision, Slice *ret_key) {
    ptrdiff_t space = slice_find(token, ' ');
    int64_t revision;

    if (space <= 0 || !slice_to_int64(slice_first(token, (size_t)space), &revision) || revision <= 0)
        return false;
    *ret_revision = (KubeRevision)revision;
    *ret_key = slice_from(token, (size_t)space + 1);
    return true;
}

// The version at the list's revision of an object that was written since; NULL: it did not exist.
typedef struct {
    Slice key;
    const Packed *was;
} Former;
typedef Vec(Former) FormerVec;

static int by_key(const void *a, const void *b) {
    return slice_cmp(((const Former *)a)->key, ((const Former *)b)->key);
}

static bool is_known(const IndexMap *known, const FormerVec *formers, uint64_t hash, Slice key) {
    uint32_t cursor = 0;

    for (uint32_t at; formers->items && (at = index_map_next(known, hash, &cursor)) != INDEX_NONE;) {
        if (slice_eq(formers->items[at].key, key))
            return true;
    }
    return false;
}

// For every key written after `revision`, in order: the version before its first such event.
static FormerVec former_versions(const Request *request, const History *history, KubeRevision revision) {
    FormerVec formers = {0};
    IndexMap known = {0};

    for (uint64_t number = history_seek(history, revision); number < history->end; number++) {
        const HistoryEvent *event = history_get(history, number);
        Slice key = packed_key(event->object);
        uint64_t hash = slice_hash(key);

        if (is_known(&known, &formers, hash, key))
            continue;
        index_map_add(request->arena, &known, hash, formers.count);
        vec_push(request->arena, &formers, (Former){key, event->previous});
    }
    if (formers.count)
        qsort(formers.items, formers.count, sizeof *formers.items, by_key);
    return formers;
}

// A walk over the state at a revision, in the order of keys.
typedef struct {
    const Order *order;
    OrderPlace place;
    FormerVec formers;
    uint32_t former;
    KubeRevision revision;
} Walk;

static Walk walk_from(const Request *request, KubeRevision revision, Slice key) {
    const KindStore *kind = &request->store->kinds[request->kind];
    Walk walk = {.order = &kind->order, .place = order_seek(&kind->order, key), .revision = revision};

    walk.formers = former_versions(request, &kind->history, revision);
    while (walk.former < walk.formers.count && slice_cmp(walk.formers.items[walk.former].key, key) < 0)
        walk.former++;
    return walk;
}

// The next object at that revision; NULL: the end. Objects that were written since come from the former versions.
static const Packed *walk_next(Walk *walk) {
    for (;;) {
        const Former *former = walk->former < walk->formers.count ? &walk->formers.items[walk->former] : NULL;
        const Entry *entry = order_get(walk->order, walk->place);

        if (entry && entry->packed->revision > walk->revision) {
            walk->place = order_next(walk->order, walk->place);
            continue;
        }
        if (former && (!entry || slice_cmp(former->key, entry_key(entry)) < 0)) {
            walk->former++;
            if (former->was)
                return former->was;
            continue;
        }
        if (entry)
            walk->place = order_next(walk->order, walk->place);
        return entry ? entry->packed : NULL;
    }
}

static ErrCode start(const Request *request, const KubeListRequest *list, KubeRevision *ret_revision, Slice *ret_key) {
    const History *history = &request->store->kinds[request->kind].history;
    KubeRevision now = request->store->revision;

    *ret_revision = now;
    *ret_key = list->ns.len && request->info->namespaced ? arena_printf(request->arena, "%.*s/", SLICE_ARG(list->ns))
                                                         : SLICE("");
    if (list->from.len) {
        if (!parse_token(list->from, ret_revision, ret_key))
            return kube_fail(request->error, KUBE_REASON_BAD_REQUEST, "continue key is not valid");
        if (*ret_revision < history->forgotten)
            return kube_fail(request->error, KUBE_REASON_EXPIRED, "%s", FORGOTTEN);
    }
    if (list->at > now) {
        kube_fail(request->error, KUBE_REASON_TIMEOUT, "Too large resource version: %" PRIu64 ", current: %" PRIu64,
                  list->at, now);
        if (request->error)
            request->error->retry_after_ns = NS_PER_S;
        return ERR_TIMEOUT;
    }
    return OK;
}

static bool is_past(const Match *match, Slice key) {
    return match->ns.len && !slice_eq(store_key_namespace(key), match->ns);
}

// Number of objects of the namespace left in the walk; O(1) unless something was written since it began.
static int64_t count_rest(const Match *match, Walk *walk) {
    const Packed *packed;
    int64_t rest = 0;

    if (match->ns.len == 0 && walk->formers.count == 0)
        return order_rest(walk->order, walk->place);
    while ((packed = walk_next(walk)) && !is_past(match, packed_key(packed)))
        rest++;
    return rest;
}

// Fills the answer with a page and sets the continue token.
static void take_page(const Request *request, Arena *arena, const KubeListRequest *list, const Match *match, Walk *walk,
                      KubeList *answer) {
    bool selects = match->labels.terms.count || match->fields.terms.count;
    const Packed *packed;
    Slice last = SLICE("");

    while ((packed = walk_next(walk)) && !is_past(match, packed_key(packed))) {
        if (!match_packed(request, match, packed))
            continue;
        if (list->limit && answer->items.count == list->limit) {
            answer->remaining = selects ? -1 : 1 + count_rest(match, walk);
            answer->next = arena_printf(arena, "%" PRIu64 " %.*s%c", walk->revision, SLICE_ARG(last), '\0');
            return;
        }
        vec_push(arena, &answer->items, packed_open(arena, &request->store->names, packed, packed->revision, false));
        last = packed_key(packed);
    }
}

ErrCode do_list(Request *request, Arena *arena, const KubeListRequest *list, KubeList *ret_list) {
    KubeList answer = {.next = SLICE("")};
    KubeRevision revision;
    Match match;
    Slice key;
    Walk walk;

    TRY(match_read(request, request->arena, list->ns, list->labels, list->fields, &match));
    TRY(start(request, list, &revision, &key));
    answer.revision = revision;
    walk = walk_from(request, revision, key);
    take_page(request, arena, list, &match, &walk, &answer);
    *ret_list = answer;
    return OK;
}
