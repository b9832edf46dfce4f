// The table of rights as questions: an access review for each verb, resource and name. Of another user's rights
// a SubjectAccessReview asks: who may ask may do nothing else by it. To impersonate would be to have all these rights.
#include "cli/doctor/live_rights.h"

#include "cli/doctor/live_objects.h"
#include "cli/run/rights.h"

#define REVIEW_API "authorization.k8s.io/v1"
#define ACCOUNT    "system:serviceaccount:"
#define ACCOUNTS   "system:serviceaccounts"

typedef struct {
    const char *kind, *plural, *path;
} Review;

static const Review of_oneself = {"SelfSubjectAccessReview", "selfsubjectaccessreviews.authorization.k8s.io",
                                  "/apis/" REVIEW_API "/selfsubjectaccessreviews"};
static const Review of_another = {"SubjectAccessReview", "subjectaccessreviews.authorization.k8s.io",
                                  "/apis/" REVIEW_API "/subjectaccessreviews"};

static const Review *review_of(const LiveReading *reading) {
    return reading->options->as_user.len ? &of_another : &of_oneself;
}

// The words of a list with commas between; of an empty one, one empty word.
static SliceVec words_of(Arena *arena, const char *text) {
    Slice rest = slice_of(text);
    SliceVec words = {0};

    for (;;) {
        ptrdiff_t comma = slice_find(rest, ',');
        Slice word = slice_trim(comma < 0 ? rest : slice_first(rest, (size_t)comma));

        vec_push(arena, &words, slice_eq(word, SLICE("\"\"")) ? SLICE("") : word);
        if (comma < 0)
            return words;
        rest = slice_from(rest, (size_t)comma + 1);
    }
}

static Slice place_of(const LiveReading *reading, RightsPlace place) {
    switch (place) {
    case RIGHTS_LEASE:
    case RIGHTS_LEGACY_LEASE:
        return reading->options->ns;
    case RIGHTS_DNS:
        return SLICE("kube-system");
    case RIGHTS_CLUSTER:
    case RIGHTS_LEGACY:
        break;
    }
    return SLICE("");
}

static void add_group(Arena *arena, Value *groups, Slice group) {
    value_append(arena, groups, value_string(group));
}

// The groups that a user has by its name, as the API server gives them to whom is impersonated.
static Value groups_of(Arena *arena, Slice user) {
    Value groups = value_list();

    if (slice_starts_with(user, SLICE(ACCOUNT))) {
        Slice rest = slice_from(user, strlen(ACCOUNT));
        ptrdiff_t colon = slice_find(rest, ':');

        add_group(arena, &groups, SLICE(ACCOUNTS));
        if (colon > 0)
            add_group(arena, &groups,
                      arena_printf(arena, ACCOUNTS ":%.*s", SLICE_ARG(slice_first(rest, (size_t)colon))));
    }
    add_group(arena, &groups, SLICE("system:authenticated"));
    return groups;
}

static Value attributes_of(Arena *arena, const FactRight *right) {
    ptrdiff_t slash = slice_find(right->resource, '/');
    Value attributes = value_map();

    value_put(arena, &attributes, SLICE("verb"), value_string(right->verb));
    value_put(arena, &attributes, SLICE("group"), value_string(right->group));
    value_put(arena, &attributes, SLICE("resource"),
              value_string(slash < 0 ? right->resource : slice_first(right->resource, (size_t)slash)));
    if (slash >= 0)
        value_put(arena, &attributes, SLICE("subresource"),
                  value_string(slice_from(right->resource, (size_t)slash + 1)));
    if (right->ns.len)
        value_put(arena, &attributes, SLICE("namespace"), value_string(right->ns));
    if (right->name.len)
        value_put(arena, &attributes, SLICE("name"), value_string(right->name));
    return attributes;
}

static Value question_of(const LiveReading *reading, const FactRight *right) {
    Slice user = reading->options->as_user;
    Arena *arena = reading->arena;
    Value question = value_map(), spec = value_map();

    if (user.len) {
        value_put(arena, &spec, SLICE("user"), value_string(user));
        value_put(arena, &spec, SLICE("groups"), groups_of(arena, user));
    }
    value_put(arena, &spec, SLICE("resourceAttributes"), attributes_of(arena, right));
    value_put(arena, &question, SLICE("apiVersion"), value_string(SLICE(REVIEW_API)));
    value_put(arena, &question, SLICE("kind"), value_string(slice_of(review_of(reading)->kind)));
    value_put(arena, &question, SLICE("spec"), spec);
    return question;
}

// A review that is not answered is no right that is missing: it ends the asking.
static bool ask(const LiveReading *reading, FactRight right) {
    FactLive *live = &reading->facts->live;
    const Review *review = review_of(reading);
    Value question = question_of(reading, &right), answer;
    FactRead read = {.verb = SLICE("create"), .resource = slice_of(review->plural)};
    const Value *allowed;
    KubeError error = {0};

    read.code = kube_rest_ask(reading->rest, reading->arena, slice_of(review->path), &question, &answer, &error);
    if (read.code != OK) {
        live_note_read(reading, read, &error);
        return false;
    }
    allowed = value_at(&answer, "status", "allowed", NULL);
    right.is_allowed = allowed && allowed->kind == VALUE_BOOL && allowed->boolean;
    vec_push(reading->arena, &live->rights, right);
    return true;
}

// All combinations of a resource's verbs and names.
static bool ask_resource(const LiveReading *reading, const FactRight *wanted, const Right *row) {
    SliceVec verbs = words_of(reading->arena, row->verbs), names = words_of(reading->arena, row->names);

    for (vec_each(const Slice, verb, &verbs)) {
        for (vec_each(const Slice, name, &names)) {
            FactRight right = *wanted;

            right.verb = *verb;
            right.name = *name;
            if (!ask(reading, right))
                return false;
        }
    }
    return true;
}

static bool ask_row(const LiveReading *reading, uint32_t number, const Right *row) {
    SliceVec resources = words_of(reading->arena, row->resources);

    for (vec_each(const Slice, resource, &resources)) {
        FactRight right = {.row = number,
                           .group = words_of(reading->arena, row->groups).items[0],
                           .ns = place_of(reading, row->place),
                           .resource = *resource,
                           .purpose = row->purpose};

        if (!ask_resource(reading, &right, row))
            return false;
    }
    return true;
}

// Rows for objects of 2023, and for classes of another cloud, are for clusters that have them.
static bool is_wanted(const LiveReading *reading, const Right *row) {
    if (row->place == RIGHTS_LEGACY || row->place == RIGHTS_LEGACY_LEASE)
        return live_serves(reading, "provisioners.karpenter.sh");
    if (strcmp(row->groups, "karpenter.kwok.sh") == 0)
        return live_serves(reading, "kwoknodeclasses.karpenter.kwok.sh");
    if (strcmp(row->groups, "karpenter.k8s.aws") == 0 || strncmp(row->purpose, "AWS", 3) == 0)
        return live_serves(reading, "ec2nodeclasses.karpenter.k8s.aws");
    return true;
}

// Who reads, for the remedies; older API servers do not tell.
static Slice read_reader(const LiveReading *reading) {
    Value question = value_map(), answer;
    KubeError error = {0};

    value_put(reading->arena, &question, SLICE("apiVersion"), value_string(SLICE("authentication.k8s.io/v1")));
    value_put(reading->arena, &question, SLICE("kind"), value_string(SLICE("SelfSubjectReview")));
    if (kube_rest_ask(reading->rest, reading->arena, SLICE("/apis/authentication.k8s.io/v1/selfsubjectreviews"),
                      &question, &answer, &error) != OK)
        return SLICE("");
    return kube_text(&answer, "status", "userInfo", "username", NULL);
}

void live_read_rights(const LiveReading *reading) {
    FactLive *live = &reading->facts->live;
    Right row;

    live->reader = read_reader(reading);
    live->user = reading->options->as_user.len ? reading->options->as_user : live->reader;
    for (uint32_t i = 0; right_at(i, &row); i++) {
        if (is_wanted(reading, &row) && !ask_row(reading, i, &row))
            return;
    }
    live->has_rights = true;
}
