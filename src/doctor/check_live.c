// Checks of what only a live cluster can tell: whether it answers, and what it allows.
#include "doctor/check_parts.h"

// Appends a word to a list that does not have it.
static void add_word(Arena *arena, SliceVec *words, Slice word) {
    for (vec_each(const Slice, known, words)) {
        if (slice_eq(*known, word))
            return;
    }
    vec_push(arena, words, word);
}

static Slice join(Arena *arena, const SliceVec *words, const char *between) {
    Slice text = SLICE("");

    for (vec_each(const Slice, word, words))
        text = text.len ? arena_printf(arena, "%.*s%s%.*s", SLICE_ARG(text), between, SLICE_ARG(*word)) : *word;
    return text;
}

// The API server.

bool has_server(const Facts *facts) {
    return facts->live.server.what.len;
}

void check_server(const Examination *examination) {
    const FactCall *server = &examination->facts->live.server;

    if (server->code != OK)
        find(examination, CHECK_ERROR, (FactPlace){0}, server->object,
             server->code == ERR_DENIED ? SLICE("kubectl auth whoami") : SLICE("kubectl cluster-info"), "%.*s",
             SLICE_ARG(server->text));
}

// Rights. Reference legacy.md 1, R125.

bool has_rights(const Facts *facts) {
    return facts->live.has_rights;
}

// "pods/eviction", "nodepools.karpenter.sh/status": as kubectl takes it.
static Slice resource_word(Arena *arena, const FactRight *right) {
    ptrdiff_t slash = slice_find(right->resource, '/');
    Slice plural = slash < 0 ? right->resource : slice_first(right->resource, (size_t)slash);

    if (!right->group.len)
        return right->resource;
    return arena_printf(arena, "%.*s.%.*s%.*s", SLICE_ARG(plural), SLICE_ARG(right->group),
                        SLICE_ARG(slash < 0 ? SLICE("") : slice_from(right->resource, (size_t)slash)));
}

// What is refused of one row.
typedef struct {
    SliceVec actions, verbs, resources, names;
} Refusals;

// The commands that give a user what is refused; `ns` empty: in the whole cluster.
static Slice grant_of(Arena *arena, Slice role, Slice ns, const Refusals *refusals, Slice user) {
    const char *kind = ns.len ? "role" : "clusterrole";
    Slice where = ns.len ? arena_printf(arena, "-n %.*s ", SLICE_ARG(ns)) : SLICE(""), names = SLICE("");

    for (vec_each(const Slice, name, &refusals->names))
        names = arena_printf(arena, "%.*s --resource-name=%.*s", SLICE_ARG(names), SLICE_ARG(*name));
    return arena_printf(arena,
                        "kubectl %.*screate %s %.*s --verb=%.*s --resource=%.*s%.*s && kubectl %.*screate "
                        "%sbinding %.*s --%s=%.*s --user='%.*s'",
                        SLICE_ARG(where), kind, SLICE_ARG(role), SLICE_ARG(join(arena, &refusals->verbs, ",")),
                        SLICE_ARG(join(arena, &refusals->resources, ",")), SLICE_ARG(names), SLICE_ARG(where), kind,
                        SLICE_ARG(role), kind, SLICE_ARG(role), SLICE_ARG(user.len ? user : SLICE("USER")));
}

static void add_refusal(Arena *arena, Refusals *refusals, const FactRight *right) {
    Slice resource = resource_word(arena, right);

    vec_push(arena, &refusals->actions,
             arena_printf(arena, "%.*s %.*s%s%.*s", SLICE_ARG(right->verb), SLICE_ARG(resource),
                          right->name.len ? " " : "", SLICE_ARG(right->name)));
    add_word(arena, &refusals->verbs, right->verb);
    add_word(arena, &refusals->resources, resource);
    if (right->name.len)
        add_word(arena, &refusals->names, right->name);
}

// A finding for a row, whose rights lie beside each other from `begin` on; returns its end.
static uint32_t check_row(const Examination *examination, uint32_t begin) {
    const FactLive *live = &examination->facts->live;
    const FactRightVec *rights = &live->rights;
    const FactRight *first = &rights->items[begin];
    Arena *arena = examination->arena;
    Refusals refusals = {0};
    uint32_t end = begin;

    for (; end < rights->count && rights->items[end].row == first->row; end++) {
        if (!rights->items[end].is_allowed)
            add_refusal(arena, &refusals, &rights->items[end]);
    }
    if (refusals.actions.count)
        find(examination, *first->purpose ? CHECK_WARNING : CHECK_ERROR, (FactPlace){0}, live->user,
             grant_of(arena, arena_printf(arena, "tenon-%u", first->row), first->ns, &refusals, live->user),
             "may not %.*s%s%.*s%s%s%s", SLICE_ARG(join(arena, &refusals.actions, ", ")), first->ns.len ? " in " : "",
             SLICE_ARG(first->ns), *first->purpose ? " (" : "", first->purpose, *first->purpose ? ")" : "");
    return end;
}

void check_rights(const Examination *examination) {
    for (uint32_t i = 0; i < examination->facts->live.rights.count;)
        i = check_row(examination, i);
}

// What the doctor itself could not read.

bool has_reads(const Facts *facts) {
    return facts->live.reads.count;
}

// Whether one remedy is for both.
static bool is_alike(const FactRead *one, const FactRead *other) {
    return one->code == other->code && !one->name.len == !other->name.len && slice_eq(one->verb, other->verb) &&
           slice_eq(one->resource, other->resource);
}

// The command that lets whoever runs the doctor read what is refused like the first one.
static Slice grant_read(const Examination *examination, const FactRead *first) {
    const FactLive *live = &examination->facts->live;
    Arena *arena = examination->arena;
    Refusals refusals = {0};

    for (vec_each(const FactRead, read, &live->reads)) {
        if (is_alike(read, first) && read->name.len)
            add_word(arena, &refusals.names, read->name);
    }
    add_word(arena, &refusals.verbs, first->verb);
    add_word(arena, &refusals.resources, first->resource);
    return grant_of(arena, arena_printf(arena, "tenon-doctor-%.*s", SLICE_ARG(first->resource)), SLICE(""), &refusals,
                    live->reader);
}

static bool is_first(const FactReadVec *reads, const FactRead *read) {
    const FactRead *first = reads->items;

    while (!is_alike(first, read))
        first++;
    return first == read;
}

void check_reads(const Examination *examination) {
    const FactReadVec *reads = &examination->facts->live.reads;

    for (vec_each(const FactRead, read, reads)) {
        if (read->code == OK || !is_first(reads, read))
            continue;
        if (read->code == ERR_DENIED)
            find(examination, CHECK_WARNING, (FactPlace){0}, read->resource, grant_read(examination, read),
                 "who runs tenon doctor may not %.*s it, so its checks are not complete: %.*s", SLICE_ARG(read->verb),
                 SLICE_ARG(read->text));
        else
            find(examination, CHECK_WARNING, (FactPlace){0}, read->resource, SLICE("try again"),
                 "its checks are not complete: %.*s", SLICE_ARG(read->text));
    }
}
