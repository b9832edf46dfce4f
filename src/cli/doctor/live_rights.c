// The table of rights as questions: a SelfSubjectAccessReview for each verb, resource and name.
#include "cli/doctor/live_rights.h"

#include "cli/doctor/live_objects.h"
#include "cli/run/rights.h"

#define REVIEW_API  "authorization.k8s.io/v1"
#define REVIEW_PATH "/apis/" REVIEW_API "/selfsubjectaccessreviews"

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

static Value question_of(Arena *arena, const FactRight *right) {
    ptrdiff_t slash = slice_find(right->resource, '/');
    Value question = value_map(), spec = value_map(), attributes = value_map();

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
    value_put(arena, &spec, SLICE("resourceAttributes"), attributes);
    value_put(arena, &question, SLICE("apiVersion"), value_string(SLICE(REVIEW_API)));
    value_put(arena, &question, SLICE("kind"), value_string(SLICE("SelfSubjectAccessReview")));
    value_put(arena, &question, SLICE("spec"), spec);
    return question;
}

// A review that is not answered is no right that is missing: it ends the asking.
static bool ask(const LiveReading *reading, FactRight right) {
    FactLive *live = &reading->facts->live;
    Value question = question_of(reading->arena, &right), answer;
    const Value *allowed;
    KubeError error = {0};
    ErrCode code = kube_rest_ask(reading->rest, reading->arena, SLICE(REVIEW_PATH), &question, &answer, &error);

    if (code != OK) {
        vec_push(reading->arena, &live->reads,
                 (FactCall){.what = SLICE("selfsubjectaccessreviews.authorization.k8s.io"),
                            .code = code,
                            .text = arena_slice(reading->arena, slice_of(error.err.text))});
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

// Who asks, for the remedies; older API servers do not tell.
static Slice read_user(const LiveReading *reading) {
    Value question = value_map(), answer;
    KubeError error = {0};

    if (reading->options->as_user.len)
        return reading->options->as_user;
    value_put(reading->arena, &question, SLICE("apiVersion"), value_string(SLICE("authentication.k8s.io/v1")));
    value_put(reading->arena, &question, SLICE("kind"), value_string(SLICE("SelfSubjectReview")));
    if (kube_rest_ask(reading->rest, reading->arena, SLICE("/apis/authentication.k8s.io/v1/selfsubjectreviews"),
                      &question, &answer, &error) != OK)
        return SLICE("");
    return kube_text(&answer, "status", "userInfo", "username", NULL);
}

void live_read_rights(const LiveReading *reading) {
    Right row;

    reading->facts->live.user = read_user(reading);
    for (uint32_t i = 0; right_at(i, &row); i++) {
        if (is_wanted(reading, &row) && !ask_row(reading, i, &row))
            return;
    }
    reading->facts->live.has_rights = true;
}
