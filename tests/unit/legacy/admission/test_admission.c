// The webhooks of 2023: reviews in, replies out. Reference legacy.md 2.2, 2.5, 3, 5.5; R131 to R145 by their rules.
#include "legacy/admission/admission.h"

#include "net/base64.h"
#include "text/json.h"
#include "text/yaml.h"

#include "harness/test.h"

typedef struct {
    Arena arena;
    Err err;
} Desk;

typedef struct {
    bool allowed;
    const char *message; // "": none
    const char *patch;   // JSON; "": none
} Reply;

static Value parse_one(Desk *desk, Slice text) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    if (yaml_parse(&desk->arena, SLICE("test"), text, &(ParseOptions){0}, &documents, &warnings, &desk->err) != OK)
        fail_msg("%s", desk->err.text);
    assert_int_equal(documents.count, 1);
    return documents.items[0].root;
}

static Slice as_json(Desk *desk, const char *yaml) {
    Value value = strcmp(yaml, "null") == 0 ? value_null() : parse_one(desk, slice_of(yaml));
    Buffer out = {0};
    Slice text;

    json_print(&out, &value, false);
    text = arena_slice(&desk->arena, buffer_slice(&out));
    buffer_free(&out);
    return text;
}

static const char *text_at(Desk *desk, const Value *value) {
    return value && value->kind == VALUE_STRING ? arena_text(&desk->arena, value->text) : "";
}

static const char *patch_of(Desk *desk, const Value *response) {
    const Value *patch = value_get_text(response, "patch");
    Slice bytes;

    if (!patch)
        return "";
    assert_string_equal(text_at(desk, value_get_text(response, "patchType")), "JSONPatch");
    assert_int_equal(base64_decode(&desk->arena, patch->text, &bytes, NULL), OK);
    return arena_text(&desk->arena, bytes);
}

static Reply take(Desk *desk, Slice text) {
    Value root = parse_one(desk, text);
    const Value *response = value_get_text(&root, "response");
    Reply reply = {.allowed = value_get_text(response, "allowed")->boolean,
                   .message = text_at(desk, value_at(response, "status", "message", NULL)),
                   .patch = patch_of(desk, response)};

    assert_string_equal(text_at(desk, value_get_text(&root, "apiVersion")), "admission.k8s.io/v1");
    assert_string_equal(text_at(desk, value_get_text(&root, "kind")), "AdmissionReview");
    assert_string_equal(text_at(desk, value_get_text(response, "uid")), "u-1");
    assert_int_equal(reply.allowed, !*reply.message);
    if (!reply.allowed) {
        assert_string_equal(text_at(desk, value_at(response, "status", "reason", NULL)), "BadRequest");
        assert_string_equal(value_at(response, "status", "code", NULL)->text.ptr, "400");
    }
    return reply;
}

static Reply ask(Desk *desk, AdmissionHook hook, Slice review) {
    Buffer out = {0};
    Reply reply;

    if (admission_answer(&desk->arena, hook, review, &out, &desk->err) != OK)
        fail_msg("%s", desk->err.text);
    reply = take(desk, arena_slice(&desk->arena, buffer_slice(&out)));
    buffer_free(&out);
    return reply;
}

// A review of an object in YAML's flow style; `rest` are members of the request besides.
static Slice review_of(Desk *desk, const char *kind, const char *object, const char *rest) {
    return arena_printf(&desk->arena,
                        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":"
                        "\"u-1\",\"kind\":%s,%s,\"object\":%.*s}}",
                        kind, rest, SLICE_ARG(as_json(desk, object)));
}

#define PROVISIONER "{\"group\":\"karpenter.sh\",\"version\":\"v1alpha5\",\"kind\":\"Provisioner\"}"
#define TEMPLATE    "{\"group\":\"karpenter.k8s.aws\",\"version\":\"v1alpha1\",\"kind\":\"AWSNodeTemplate\"}"
#define CONFIG_MAP  "{\"group\":\"\",\"version\":\"v1\",\"kind\":\"ConfigMap\"}"
#define CREATE      "\"operation\":\"CREATE\""
#define UPDATE      "\"operation\":\"UPDATE\""
#define NAMED(spec) "{metadata: {name: p}, spec: " spec "}"

static Reply ask_for(Desk *desk, AdmissionHook hook, const char *kind, const char *object) {
    return ask(desk, hook, review_of(desk, kind, object, CREATE));
}

#define ADD(key, operator, values)                                                                                     \
    "{\"op\":\"add\",\"path\":\"/spec/requirements/-\",\"value\":{\"key\":\"" key "\",\"operator\":\""                 \
    operator"\",\"values\":[" values "]}}"
#define OS       ADD("kubernetes.io/os", "In", "\"linux\"")
#define ARCH     ADD("kubernetes.io/arch", "In", "\"amd64\"")
#define CAPACITY ADD("karpenter.sh/capacity-type", "In", "\"on-demand\"")
#define TYPES                                                                                                          \
    ADD("karpenter.k8s.aws/instance-category", "In", "\"c\",\"m\",\"r\"")                                              \
    "," ADD("karpenter.k8s.aws/instance-generation", "Gt", "\"2\"")
#define EMPTY(path, value) "{\"op\":\"add\",\"path\":\"" path "\",\"value\":" value "}"

TEST(a_bare_provisioner_gets_all_defaults_and_a_place_for_them) {
    Desk desk = {0};

    assert_string_equal(ask_for(&desk, ADMISSION_DEFAULT, PROVISIONER, NAMED("{providerRef: {name: t}}")).patch,
                        "[" EMPTY("/spec/requirements", "[]") "," OS "," ARCH "," CAPACITY "," TYPES "]");
    assert_string_equal(ask_for(&desk, ADMISSION_DEFAULT, PROVISIONER, NAMED("{requirements: null}")).patch,
                        "[" EMPTY("/spec/requirements", "[]") "," OS "," ARCH "," CAPACITY "," TYPES "]");
    assert_string_equal(ask_for(&desk, ADMISSION_DEFAULT, PROVISIONER, "{metadata: {generateName: p-}}").patch,
                        "[" EMPTY("/spec", "{}") "," EMPTY("/spec/requirements", "[]") "," OS "," ARCH "," CAPACITY
                                                                                       "," TYPES "]");
    arena_free(&desk.arena);
}

// S1: of seed 001's Provisioner exactly two are missing. R132: a type given keeps categories away.
TEST(what_is_required_is_not_defaulted) {
    Desk desk = {0};

    assert_string_equal(
        ask_for(&desk, ADMISSION_DEFAULT, PROVISIONER,
                NAMED("{requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [t4g.medium]}, "
                      "{key: kubernetes.io/arch, operator: In, values: [arm64]}], provider: {subnetSelector: {a: b}}}"))
            .patch,
        "[" OS "," CAPACITY "]");
    assert_string_equal(
        ask_for(&desk, ADMISSION_DEFAULT, PROVISIONER,
                NAMED("{requirements: [{key: beta.kubernetes.io/os, operator: Exists}, {key: "
                      "karpenter.k8s.aws/instance-category, operator: Exists}, {key: kubernetes.io/arch, operator: "
                      "Exists}, {key: karpenter.sh/capacity-type, operator: Exists}]}"))
            .patch,
        "");
    arena_free(&desk.arena);
}

TEST(a_node_template_has_no_defaults) {
    Desk desk = {0};

    assert_string_equal(ask_for(&desk, ADMISSION_DEFAULT, TEMPLATE, NAMED("{amiFamily: AL2}")).patch, "");
    arena_free(&desk.arena);
}

typedef struct {
    const char *name;
    AdmissionHook hook;
    const char *kind, *object, *message;
} Row;

#define CORE         ADMISSION_VALIDATE_CORE, PROVISIONER
#define AWS          ADMISSION_VALIDATE_AWS, PROVISIONER
#define AWS_TEMPLATE ADMISSION_VALIDATE_AWS, TEMPLATE
#define CONFIG       ADMISSION_VALIDATE_CONFIG, CONFIG_MAP
#define NEW_OBJECT   "cannot decode incoming new object: "

static Row rows[] = {
    {"R056: a reference is enough", CORE, NAMED("{providerRef: {name: t}}"), ""},
    {"R131: neither provider nor providerRef", CORE, NAMED("{}"),
     "validation failed: expected exactly one, got neither: spec.provider, spec.providerRef"},
    {"R131: an inline provider is enough", CORE, NAMED("{provider: {subnetSelector: {a: b}}}"), ""},
    {"R138: a TTL and consolidation", CORE,
     NAMED("{providerRef: {name: t}, ttlSecondsAfterEmpty: 30, consolidation: {enabled: true}}"),
     "validation failed: expected exactly one, got both: spec.consolidation.enabled, spec.ttlSecondsAfterEmpty"},
    {"two errors are sorted, and share a message with their paths", CORE,
     NAMED("{providerRef: {name: t}, ttlSecondsAfterEmpty: -1, ttlSecondsUntilExpired: -1, weight: 101}"),
     "validation failed: expected 1 <= 101 <= 100: spec.weight\ninvalid value: cannot be negative: "
     "spec.ttlSecondsAfterEmpty, spec.ttlSecondsUntilExpired"},
    {"a wrong type", CORE, NAMED("{weight: much}"),
     "validation failed: " NEW_OBJECT "spec.weight: expected number, got string"},
    {"a wrong type is the defaulting webhook's, too", ADMISSION_DEFAULT, PROVISIONER, NAMED("{weight: much}"),
     "mutation failed: " NEW_OBJECT "spec.weight: expected number, got string"},
    {"a name that is made later", CORE, "{metadata: {generateName: p-}, spec: {providerRef: {name: t}}}", ""},
    {"R143: the inline provider is AWS's business", CORE, NAMED("{provider: {amiFamily: AL3}}"), ""},
    {"R143 R144: what it lacks", AWS, NAMED("{provider: {}}"),
     "validation failed: missing field(s): provider.securityGroupSelector, provider.subnetSelector"},
    {"R131: it is read strictly", AWS, NAMED("{provider: {subnets: {}}}"),
     "validation failed: " NEW_OBJECT "spec.provider: unknown field \"subnets\""},
    {"R131: it may say of which version it is", AWS,
     NAMED("{provider: {apiVersion: extensions.karpenter.sh/v1alpha1, kind: AWS, subnetSelector: {a: b}, "
           "securityGroupSelector: {a: b}}}"),
     ""},
    {"R145: tags", AWS,
     NAMED("{provider: {subnetSelector: {a: b}, securityGroupSelector: {a: b}, tags: {Blueprint: x}}}"), ""},
    {"without an inline provider AWS has no complaints", AWS, NAMED("{weight: 101}"), ""},
    {"R015 R016: selectors are enough", AWS_TEMPLATE, NAMED("{subnetSelector: {a: b}, securityGroupSelector: {a: b}}"),
     ""},
    {"R018: an unknown family", AWS_TEMPLATE,
     NAMED("{subnetSelector: {a: b}, securityGroupSelector: {a: b}, amiFamily: AL3}"),
     "validation failed: invalid value: AL3 not in AL2, Bottlerocket, Ubuntu, Custom, Windows2019, Windows2022: "
     "spec.provider.amiFamily"},
    {"another kind", ADMISSION_VALIDATE_CORE, TEMPLATE, NAMED("{}"),
     "unhandled kind: karpenter.k8s.aws/v1alpha1, Kind=AWSNodeTemplate"},
    {"another kind, to be defaulted", ADMISSION_DEFAULT, CONFIG_MAP, "{metadata: {name: c}}",
     "unhandled kind: /v1, Kind=ConfigMap"},
    {"nothing to judge", CORE, "null", "validation failed: the new object may not be nil"},
    {"nothing to default", ADMISSION_DEFAULT, PROVISIONER, "null", "mutation failed: the new object may not be nil"},
    {"R153: levels", CONFIG, "{metadata: {name: config-logging}, data: {loglevel.controller: DEBUG}}", ""},
    {"R153: no level", CONFIG, "{metadata: {name: config-logging}, data: {loglevel.controller: loud}}",
     "validation failed: invalid value: unrecognized level: \"loud\": data[loglevel.controller]"},
    {"R153: the logger's settings", CONFIG,
     "{metadata: {name: config-logging}, data: {zap-logger-config: '{\"level\": \"debug\"}'}}", ""},
    {"R153: settings that are none", CONFIG,
     "{metadata: {name: config-logging}, data: {zap-logger-config: 'level: debug'}}",
     "validation failed: invalid value: expected a JSON object: data[zap-logger-config]"},
    {"R154: other ConfigMaps are let through", CONFIG,
     "{metadata: {name: karpenter-global-settings}, data: {loglevel.controller: loud}}", ""},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

TEST_EACH(Row, row, a_webhook_answers_as_it_did, list_rows) {
    Desk desk = {0};

    assert_string_equal(ask_for(&desk, row->hook, row->kind, row->object).message, row->message);
    arena_free(&desk.arena);
}

// An update is judged as a creation is; what an older rule let in can still be counted, and can go.
TEST(updates_are_judged_but_not_of_a_status_or_of_what_goes) {
    static const char bad[] = NAMED("{weight: 101, providerRef: {name: t}}");
    static const char going[] = "{metadata: {name: p, deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {weight: 101}}";
    Desk desk = {0};

    assert_false(ask(&desk, ADMISSION_VALIDATE_CORE, review_of(&desk, PROVISIONER, bad, UPDATE)).allowed);
    assert_true(
        ask(&desk, ADMISSION_VALIDATE_CORE, review_of(&desk, PROVISIONER, bad, UPDATE ",\"subResource\":\"status\""))
            .allowed);
    assert_true(ask(&desk, ADMISSION_VALIDATE_CORE, review_of(&desk, PROVISIONER, going, UPDATE)).allowed);
    assert_string_equal(ask(&desk, ADMISSION_DEFAULT, review_of(&desk, PROVISIONER, going, UPDATE)).patch, "");
    assert_true(
        ask(&desk, ADMISSION_VALIDATE_CORE, review_of(&desk, PROVISIONER, "null", "\"operation\":\"DELETE\"")).allowed);
    arena_free(&desk.arena);
}

static void assert_no_review(Desk *desk, Slice text, ErrCode code, const char *why) {
    Buffer out = {0};

    assert_int_equal(admission_answer(&desk->arena, ADMISSION_DEFAULT, text, &out, &desk->err), code);
    assert_non_null(strstr(desk->err.text, why));
    assert_int_equal(out.len, 0);
}

TEST(what_is_no_review_is_refused) {
    Desk desk = {0};

    assert_no_review(&desk, SLICE(""), ERR_INVALID, "expected one AdmissionReview, got 0 documents");
    assert_no_review(&desk, SLICE("{"), ERR_INVALID, "request:1");
    assert_no_review(&desk, SLICE("{} {}"), ERR_INVALID, "got 2 documents");
    assert_no_review(&desk, SLICE("[]"), ERR_INVALID, "expected an AdmissionReview of admission.k8s.io/v1");
    assert_no_review(&desk, SLICE("{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1beta1\"}"),
                     ERR_INVALID, "expected an AdmissionReview of admission.k8s.io/v1");
    assert_no_review(&desk, SLICE("{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\"}"), ERR_INVALID,
                     "request: required");
    arena_free(&desk.arena);
}

TEST(maxima_of_a_review) {
    Desk desk = {0};
    Buffer text = {0};

    buffer_append(&text, SLICE("[0"));
    for (int i = 0; i < ADMISSION_VALUES_MAX; i++)
        buffer_append(&text, SLICE(",0"));
    buffer_append(&text, SLICE("]"));
    assert_no_review(&desk, buffer_slice(&text), ERR_TOO_LARGE, "values");
    while (text.len <= ADMISSION_BYTES_MAX)
        buffer_append(&text, SLICE("                                                                "));
    assert_no_review(&desk, buffer_slice(&text), ERR_TOO_LARGE, "bytes");
    buffer_free(&text);
    arena_free(&desk.arena);
}

static const char *repeated(Desk *desk, const char *before, const char *item, int times, const char *after) {
    Buffer text = {0};
    const char *result;

    buffer_append(&text, slice_of(before));
    for (int i = 0; i < times; i++)
        buffer_printf(&text, "%s%s", i ? ", " : "", item);
    buffer_append(&text, slice_of(after));
    result = arena_text(&desk->arena, buffer_slice(&text));
    buffer_free(&text);
    return result;
}

TEST(maxima_of_an_object) {
    Desk desk = {0};
    const char *many = repeated(&desk, "{metadata: {name: p}, spec: {providerRef: {name: t}, taints: [",
                                "{key: a, effect: NoSchedule}", ADMISSION_LIST_MAX + 1, "]}}");
    Reply reply = ask_for(&desk, ADMISSION_VALIDATE_CORE, PROVISIONER, many);

    assert_string_equal(reply.message, "validation failed: expected at most 1000 taints and 1000 requirements");
    assert_string_equal(ask_for(&desk, ADMISSION_DEFAULT, PROVISIONER, many).patch, "");
    arena_free(&desk.arena);
}

// A long reply ends before the character that does not fit.
TEST(a_long_message_is_cut) {
    Desk desk = {0};
    Buffer object = {0};
    Reply reply;

    buffer_append(&object, SLICE("{metadata: {name: p}, spec: {providerRef: {name: t}, requirements: [{key: a, "
                                 "operator: NotIn, values: [b"));
    for (int i = 0; i < 900; i++)
        buffer_printf(&object, ", \"\\u00e9\\u00e9\\u00e9\\u00e9%d\"", i);
    buffer_append(&object, SLICE("]}]}}"));
    reply = ask_for(&desk, ADMISSION_VALIDATE_CORE, PROVISIONER, arena_text(&desk.arena, buffer_slice(&object)));
    assert_in_range(strlen(reply.message), ADMISSION_MESSAGE_MAX - 3, ADMISSION_MESSAGE_MAX);
    buffer_free(&object);
    arena_free(&desk.arena);
}

TEST(each_webhook_has_its_path_and_name) {
    assert_string_equal(admission_path(ADMISSION_DEFAULT), "/default/karpenter.k8s.aws");
    assert_string_equal(admission_name(ADMISSION_DEFAULT), "defaulting.webhook.karpenter.k8s.aws");
    assert_string_equal(admission_path(ADMISSION_VALIDATE_AWS), "/validate/karpenter.k8s.aws");
    assert_string_equal(admission_name(ADMISSION_VALIDATE_AWS), "validation.webhook.karpenter.k8s.aws");
    assert_string_equal(admission_path(ADMISSION_VALIDATE_CORE), "/validate/karpenter.sh");
    assert_string_equal(admission_name(ADMISSION_VALIDATE_CORE), "validation.webhook.karpenter.sh");
    assert_string_equal(admission_path(ADMISSION_VALIDATE_CONFIG), "/validate/config.karpenter.sh");
    assert_string_equal(admission_name(ADMISSION_VALIDATE_CONFIG), "validation.webhook.config.karpenter.sh");
}
