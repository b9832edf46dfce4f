// Format of a log line: order of keys, and form of each value.
#include "cli/run/json_log.h"

#include "legacy/present/carry.h"
#include "text/duration.h"
#include "text/json.h"

enum { COMMIT_SHOWN = 7 };

// Forms of values. A key that is not listed has a string.
typedef enum {
    FORM_TEXT,
    FORM_NUMBER,
    FORM_REFERENCE, // {"name": …}, with "namespace" when the text is "ns/name"
    FORM_JSON,      // the text is JSON already
} Form;

static const struct {
    const char *key;
    Form form;
} forms[] = {
    {"NodePool", FORM_REFERENCE},
    {"NodeClaim", FORM_REFERENCE},
    {"Node", FORM_REFERENCE},
    {"Pod", FORM_REFERENCE},
    {"EC2NodeClass", FORM_REFERENCE},
    {"requests", FORM_JSON},
    {"allocatable", FORM_JSON},
    {"count", FORM_NUMBER},
    {"nodeclaims", FORM_NUMBER},
    {"machines", FORM_NUMBER},
    {"nodes", FORM_NUMBER},
    {"pods", FORM_NUMBER},
    {"pending-pods", FORM_NUMBER},
    {"disrupted-node-count", FORM_NUMBER},
    {"replacement-node-count", FORM_NUMBER},
    {"pod-count", FORM_NUMBER},
    {"deleting-pods", FORM_NUMBER},
    {"pod.terminationGracePeriodSeconds", FORM_NUMBER},
    {"delete.gracePeriodSeconds", FORM_NUMBER},
};

// The kind that a controller reconciles; controller-runtime logs it in every line of such a controller.
static const struct {
    const char *controller, *group, *kind;
} subjects[] = {
    {"nodeclaim.consistency", "karpenter.sh", "NodeClaim"},
    {"nodeclaim.disruption", "karpenter.sh", "NodeClaim"},
    {"nodeclaim.expiration", "karpenter.sh", "NodeClaim"},
    {"nodeclaim.hydration", "karpenter.sh", "NodeClaim"},
    {"nodeclaim.lifecycle", "karpenter.sh", "NodeClaim"},
    {"nodeclaim.podevents", "", "Pod"},
    {"nodeclaim.reboot", "karpenter.sh", "NodeClaim"},
    {"nodeclaim.tagging", "karpenter.sh", "NodeClaim"},
    {"nodeclass", "karpenter.k8s.aws", "EC2NodeClass"},
    {"nodeclass.hash", "karpenter.k8s.aws", "EC2NodeClass"},
    {"node.hydration", "", "Node"},
    {"node.planned", "", "Node"},
    {"node.termination", "", "Node"},
    {"nodepool.counter", "karpenter.sh", "NodePool"},
    {"nodepool.hash", "karpenter.sh", "NodePool"},
    {"nodepool.readiness", "karpenter.sh", "NodePool"},
    {"nodepool.registrationhealth", "karpenter.sh", "NodePool"},
    {"nodepool.validation", "karpenter.sh", "NodePool"},
    {"pod.deletioncost", "", "Node"},
    {"providers.instancetype.capacity", "", "Node"},
    {"static.deprovisioning", "karpenter.sh", "NodePool"},
    {"static.provisioning", "karpenter.sh", "NodePool"},
};

// Controllers whose keys have no namespace there, and what they have instead.
static const struct {
    const char *controller, *key;
} scopes[] = {
    {"disruption", "command-id"},
};

static Form form_of(Slice key) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (slice_eq_text(key, forms[i].key))
            return forms[i].form;
    }
    return FORM_TEXT;
}

// --- values

static void put_key(Buffer *buffer, Slice key) {
    buffer_append_char(buffer, ',');
    json_print_string(buffer, key);
    buffer_append_char(buffer, ':');
}

static void put_text(Buffer *buffer, const char *key, Slice text) {
    put_key(buffer, slice_of(key));
    json_print_string(buffer, text);
}

static void put_reference(Buffer *buffer, Slice text) {
    ptrdiff_t slash = slice_find(text, '/');

    buffer_append(buffer, SLICE("{\"name\":"));
    json_print_string(buffer, slice_from(text, (size_t)(slash + 1)));
    if (slash >= 0) {
        buffer_append(buffer, SLICE(",\"namespace\":"));
        json_print_string(buffer, slice_first(text, (size_t)slash));
    }
    buffer_append_char(buffer, '}');
}

// Prints a text that is JSON; one that was truncated, or is not JSON, must not break the line.
static void put_json(Buffer *buffer, Slice text) {
    Arena arena = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    if (text.len && text.ptr[0] == '{' &&
        json_parse(&arena, SLICE("log"), text, NULL, &documents, &warnings, NULL) == OK && documents.count == 1)
        json_print(buffer, &documents.items[0].root, false);
    else
        json_print_string(buffer, text);
    arena_free(&arena);
}

static void put_pair(Buffer *buffer, Slice key, Slice value) {
    Form form = form_of(key);
    int64_t number;

    put_key(buffer, key);
    if (form == FORM_REFERENCE)
        put_reference(buffer, value);
    else if (form == FORM_JSON)
        put_json(buffer, value);
    else if (form == FORM_NUMBER && slice_to_int64(value, &number))
        buffer_printf(buffer, "%lld", (long long)number);
    else
        json_print_string(buffer, value);
}

// --- the line

static Slice pair_get(const LogIntent *line, uint32_t from, uint32_t to, const char *key) {
    for (uint32_t i = from; i + 1 < to; i += 2) {
        if (slice_eq_text(line->pairs[i], key))
            return line->pairs[i + 1];
    }
    return SLICE("");
}

static bool is_key(const LogIntent *line, uint32_t at, const char *key) {
    return at + 1 < line->pair_count && slice_eq_text(line->pairs[at], key);
}

// Number of leading pairs that are the engine's (engine_log): controller, key, and reconcile id.
static uint32_t head_length(const LogIntent *line) {
    uint32_t length = 2;

    if (!is_key(line, 0, "controller"))
        return 0;
    if (is_key(line, length, "namespace"))
        length += 2;
    if (is_key(line, length, "name"))
        length += 2;
    if (is_key(line, length, "reconcileID"))
        length += 2;
    return length;
}

// Whether the line has another object than that name under the key `kind`.
static bool is_another(const LogIntent *line, uint32_t from, Slice kind, Slice name) {
    for (uint32_t i = from; i + 1 < line->pair_count; i += 2) {
        if (slice_eq(line->pairs[i], kind) && !slice_eq(line->pairs[i + 1], name))
            return true;
    }
    return false;
}

static bool is_said_later(const LogIntent *line, uint32_t from, const char *key) {
    return pair_get(line, from, line->pair_count, key).len > 0;
}

// The kind that the controller reconciles; empty: none, or unknown.
static Slice subject_of(const LogIntent *line, Slice *ret_group) {
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        if (slice_eq_text(line->pairs[1], subjects[i].controller)) {
            *ret_group = slice_of(subjects[i].group);
            return slice_of(subjects[i].kind);
        }
    }
    return SLICE("");
}

// What the namespace of the controller's keys is; NULL: a namespace.
static const char *scope_of(const LogIntent *line) {
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        if (slice_eq_text(line->pairs[1], scopes[i].controller))
            return scopes[i].key;
    }
    return NULL;
}

static void put_subject(Buffer *buffer, Slice kind, Slice ns, Slice name) {
    put_key(buffer, kind);
    buffer_append(buffer, SLICE("{\"name\":"));
    json_print_string(buffer, name);
    if (ns.len)
        put_text(buffer, "namespace", ns);
    buffer_append_char(buffer, '}');
}

// Prints the head as controller-runtime does: controller, group, kind, the object under its kind, namespace, name,
// reconcile id. No key occurs twice: another object that the line names takes precedence over the engine's.
static void put_head(Buffer *buffer, const LogIntent *line, uint32_t length) {
    Slice ns = pair_get(line, 2, length, "namespace"), name = pair_get(line, 2, length, "name"),
          id = pair_get(line, 2, length, "reconcileID"), group, kind = carry_subject(subject_of(line, &group), &name);
    const char *scope = scope_of(line);

    put_text(buffer, "controller", line->pairs[1]);
    if (kind.len) {
        put_text(buffer, "controllerGroup", group);
        put_text(buffer, "controllerKind", kind);
        if (name.len && !is_another(line, length, kind, name))
            put_subject(buffer, kind, ns, name);
    }
    if (!is_said_later(line, length, "namespace"))
        put_text(buffer, "namespace", scope ? SLICE("") : ns);
    if (!is_said_later(line, length, "name"))
        put_text(buffer, "name", name);
    if (id.len)
        put_text(buffer, "reconcileID", id);
    if (scope && ns.len && !is_said_later(line, length, scope))
        put_text(buffer, scope, ns);
}

static void put_pairs(Buffer *buffer, const LogIntent *line, uint32_t head) {
    Slice group, kind = head ? subject_of(line, &group) : SLICE(""), name = pair_get(line, 0, head, "name");

    for (uint32_t i = head; i + 1 < line->pair_count; i += 2) {
        bool is_said = kind.len && name.len && slice_eq(line->pairs[i], kind) && slice_eq(line->pairs[i + 1], name);

        if (!is_said)
            put_pair(buffer, line->pairs[i], line->pairs[i + 1]);
    }
}

void json_log_print(Buffer *buffer, int64_t now_ns, Slice commit, const LogIntent *line) {
    static const char *const levels[] = {"DEBUG", "INFO", "WARN", "ERROR"};
    Arena arena = {0};
    Slice seconds = time_print(&arena, now_ns);
    LogIntent said = *line;
    uint32_t head = head_length(line);

    carry_line(&arena, &said.message, &said.pairs, said.pair_count);
    buffer_printf(buffer, "{\"level\":\"%s\",\"time\":\"%.*s.%03dZ\",\"logger\":\"controller\",\"message\":",
                  levels[said.level], (int)seconds.len - 1, seconds.ptr, (int)(now_ns % NS_PER_S / NS_PER_MS));
    json_print_string(buffer, slice_of(said.message));
    if (commit.len)
        put_text(buffer, "commit", slice_first(commit, COMMIT_SHOWN));
    if (head)
        put_head(buffer, &said, head);
    put_pairs(buffer, &said, head);
    buffer_append_char(buffer, '}');
    arena_free(&arena);
}
