// Each kind of violation in a small hand-made plan, and a similar plan without the violation.
#include "checker/check_plan.h"
#include "harness/test.h"
#include "text/json.h"

#include <stdio.h>

// A case under construction. JSON is written with ' for ".
typedef struct {
    Buffer items, types, claims, nodes, unschedulable;
    const char *options; // "" or members of the options
    double price;
} Case;

static void add(Buffer *list, const char *json) {
    if (list->len)
        buffer_append_char(list, ',');
    for (; *json; json++)
        buffer_append_char(list, *json == '\'' ? '"' : *json);
}

__attribute__((format(printf, 2, 3))) static void addf(Buffer *list, const char *format, ...) {
    char json[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(json, sizeof json, format, arguments);
    va_end(arguments);
    add(list, json);
}

// ---- the cluster

// Members for spec and template.spec, "" or ending with a comma.
static void pool(Case *c, const char *name, const char *spec, const char *template_spec) {
    addf(&c->items,
         "{'apiVersion':'karpenter.sh/v1','kind':'NodePool','metadata':{'name':'%s'},'spec':{%s'template':{'spec':{%s"
         "'nodeClassRef':{'group':'karpenter.kwok.sh','kind':'KWOKNodeClass','name':'default'}}}}}",
         name, spec, template_spec);
}

// A pod in namespace default that wants `cpu_milli`; `labels` are members, `spec` members ending with a comma.
static void pod(Case *c, const char *name, int cpu_milli, const char *labels, const char *spec) {
    addf(&c->items,
         "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':'default','labels':{%s}},'spec':{%s"
         "'containers':[{'name':'main','resources':{'requests':{'cpu':'%dm'}}}]}}",
         name, labels, spec, cpu_milli);
}

// A node without a pool: 4 CPUs, 10 pods.
static void node(Case *c, const char *name, const char *zone, const char *metadata, const char *spec) {
    addf(&c->items,
         "{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s',%s'labels':{'kubernetes.io/hostname':'%s',"
         "'topology.kubernetes.io/zone':'%s','kubernetes.io/arch':'amd64'}},'spec':{%s'providerID':'x://%s'},'status':{"
         "'capacity':{'cpu':'4','memory':'16Gi','pods':'10'},'allocatable':{'cpu':'4','memory':'16Gi','pods':'10'}}}",
         name, metadata, name, zone, spec, name);
}

static void daemon_set(Case *c, int cpu_milli, const char *spec, const char *container) {
    addf(&c->items,
         "{'apiVersion':'apps/v1','kind':'DaemonSet','metadata':{'name':'agent','namespace':'default'},'spec':{"
         "'template':{'metadata':{'labels':{'app':'agent'}},'spec':{%s'containers':[{'name':'main',%s'resources':{"
         "'requests':{'cpu':'%dm'}}}]}}}}",
         spec, container, cpu_milli);
}

#define OFFERING(type, zone, price)                                                                                    \
    "{'Price':" price ",'Requirements':[{'key':'karpenter.sh/capacity-type','operator':'In','values':['" type          \
    "']},{'key':'topology.kubernetes.io/zone','operator':'In','values':['" zone "']}]}"
#define RESERVED(zone, price, capacity)                                                                                \
    "{'Price':" price ",'ReservationCapacity':" capacity ",'Requirements':[{'key':'karpenter.sh/capacity-type',"       \
    "'operator':'In','values':['reserved']},{'key':'topology.kubernetes.io/zone','operator':'In','values':['" zone     \
    "']},{'key':'karpenter.k8s.aws/capacity-reservation-id','operator':'In','values':['cr-1']}]}"

static void type(Case *c, const char *name, int cpu, const char *arch, const char *offerings, const char *more) {
    addf(&c->types,
         "{'name':'%s','architecture':'%s','operatingSystems':['linux'],'resources':{'cpu':'%d','memory':'16Gi',"
         "'pods':'10'},%s'offerings':[%s]}",
         name, arch, cpu, more, offerings);
}

// small (2 CPUs, $0.10) and large (8 CPUs, $0.40), on demand in zones a and b.
static void two_types(Case *c) {
    type(c, "small", 2, "amd64", OFFERING("on-demand", "a", "0.10") "," OFFERING("on-demand", "b", "0.10"), "");
    type(c, "large", 8, "amd64", OFFERING("on-demand", "a", "0.40") "," OFFERING("on-demand", "b", "0.40"), "");
}

// The usual start: both types and a pool without requirements.
static Case usual(void) {
    Case c = {.options = ""};

    two_types(&c);
    pool(&c, "default", "", "'requirements':[],");
    return c;
}

// ---- the plan

typedef struct {
    const char *name, *pool, *types, *requirements, *pods, *type, *zone, *capacity_type;
    int cpu_milli, pod_count;
    double price;
} PlanClaim;

static void add_claim(Case *c, PlanClaim claim) {
    addf(&c->claims,
         "{'name':'%s','nodePool':'%s','instanceTypes':[%s],'choice':{'instanceType':'%s','zone':'%s','capacityType':"
         "'%s','pricePerHour':%.5f},'requirements':[%s],'requests':{'cpu':'%dm','pods':'%d'},'pods':[%s]}",
         claim.name, claim.pool, claim.types, claim.type, claim.zone, claim.capacity_type, claim.price,
         claim.requirements, claim.cpu_milli, claim.pod_count, claim.pods);
    c->price += claim.price;
}

// A claim on `small` in zone a with one pod of 1 CPU unless said otherwise.
#define CLAIM(c, ...)                                                                                                  \
    do {                                                                                                               \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Woverride-init\"")                           \
            add_claim((c), (PlanClaim){.name = "default-1",                                                            \
                                       .pool = "default",                                                              \
                                       .types = "'small'",                                                             \
                                       .requirements = ZONE("a"),                                                      \
                                       .pods = "'default/p'",                                                          \
                                       .type = "small",                                                                \
                                       .zone = "a",                                                                    \
                                       .capacity_type = "on-demand",                                                   \
                                       .cpu_milli = 1000,                                                              \
                                       .pod_count = 1,                                                                 \
                                       .price = 0.10,                                                                  \
                                       __VA_ARGS__});                                                                  \
        _Pragma("GCC diagnostic pop")                                                                                  \
    } while (0)
#define REQUIREMENT(key, value) "{'key':'" key "','operator':'In','values':['" value "']}"
#define ZONE(zone)              REQUIREMENT("topology.kubernetes.io/zone", zone)

static void on_node(Case *c, const char *name, const char *pods) {
    addf(&c->nodes, "{'name':'%s','pods':[%s]}", name, pods);
}

static void unplaced(Case *c, const char *name) {
    addf(&c->unschedulable, "{'pod':'default/%s','message':'-','nodePools':[]}", name);
}

// ---- the verdict

static Value parse(Arena *arena, Slice text) {
    ParseOptions options = {0};
    WarningVec warnings = {0};
    DocumentVec documents = {0};
    Err err = {0};

    if (json_parse(arena, SLICE("case"), text, &options, &documents, &warnings, &err) != OK)
        fail_msg("%s in %.*s", err.text, SLICE_ARG(text));
    return documents.items[0].root;
}

static Slice wrap(Arena *arena, const char *before, const Buffer *list, const char *after) {
    Buffer out = {0};
    Slice text;

    for (; *before; before++)
        buffer_append_char(&out, *before == '\'' ? '"' : *before);
    buffer_append(&out, buffer_slice(list));
    for (; *after; after++)
        buffer_append_char(&out, *after == '\'' ? '"' : *after);
    text = arena_slice(arena, buffer_slice(&out));
    buffer_free(&out);
    return text;
}

static Value plan_value(Arena *arena, const Case *c) {
    Buffer text = {0};
    Value plan;

    buffer_printf(&text, "{\"nodeClaims\":[%.*s],\"existingNodes\":[%.*s],\"unschedulable\":[%.*s],",
                  (int)c->claims.len, c->claims.len ? c->claims.bytes : "", (int)c->nodes.len,
                  c->nodes.len ? c->nodes.bytes : "", (int)c->unschedulable.len,
                  c->unschedulable.len ? c->unschedulable.bytes : "");
    buffer_printf(&text, "\"price\":{\"perHour\":%.5f}}", c->price);
    plan = parse(arena, arena_slice(arena, buffer_slice(&text)));
    buffer_free(&text);
    return plan;
}

// Judges a case and frees it. `kind` NULL: it must be accepted; else that kind of violation must be among those found.
static void judge(Case c, const char *kind) {
    Arena arena = {0};
    Buffer options_text = {0};
    DocumentVec documents = {0};
    ViolationVec violations = {0};
    Value catalog = parse(&arena, wrap(&arena, "[", &c.types, "]")), plan = plan_value(&arena, &c), options;
    CheckOptions decoded;
    bool found = false;
    Err err = {0};

    add(&options_text, c.options);
    options = parse(&arena, wrap(&arena, "{", &options_text, "}"));
    decoded = check_options_read(&options);
    vec_push(&arena, &documents,
             (Document){SLICE("case"), parse(&arena, wrap(&arena, "{'kind':'List','items':[", &c.items, "]}"))});
    if (check_plan(&arena, &documents, &catalog, &plan, &decoded, &violations, &err) != OK)
        fail_msg("unreadable: %s", err.text);
    for (vec_each(Violation, violation, &violations)) {
        found |= kind && slice_eq_text(violation->kind, kind);
        if (!kind)
            print_error("found %.*s: %.*s: %.*s\n", SLICE_ARG(violation->kind), SLICE_ARG(violation->pod),
                        SLICE_ARG(violation->text));
    }
    if (kind && !found)
        print_error("%s was not found among %u violations\n", kind, violations.count);
    assert_true(kind ? found : violations.count == 0);
    buffer_free(&options_text);
    buffer_free(&c.items);
    buffer_free(&c.types);
    buffer_free(&c.claims);
    buffer_free(&c.nodes);
    buffer_free(&c.unschedulable);
    arena_free(&arena);
}

#define ACCEPTED NULL

// ---- pods of the plan

TEST(each_pod_is_named_once) {
    static const char *const kinds[] = {ACCEPTED, "missing-pod", "duplicate-pod", "unknown-pod", "duplicate-pod"};

    for (int i = 0; i < 5; i++) {
        Case c = usual();

        pod(&c, "p", 1000, "", "");
        pod(&c, "q", 500, "", "");
        CLAIM(&c,
              .pods = i == 1   ? "'default/p'"
                      : i == 2 ? "'default/p','default/q','default/q'"
                      : i == 3 ? "'default/p','default/q','default/r'"
                               : "'default/p','default/q'",
              .cpu_milli = i == 1   ? 1000
                           : i == 2 ? 2000
                                    : 1500,
              .pod_count = i == 1   ? 1
                           : i == 2 ? 3
                                    : 2);
        if (i == 4)
            unplaced(&c, "q");
        judge(c, kinds[i]);
    }
}

TEST(only_waiting_pods_are_planned) {
    static const char *const specs[] = {"", "'nodeName':'node',", "'schedulingGates':[{'name':'x'}],"};

    for (int i = 0; i < 3; i++) {
        Case c = usual();

        node(&c, "node", "a", "", "");
        pod(&c, "p", 1000, "", specs[i]);
        CLAIM(&c);
        judge(c, i ? "not-pending" : ACCEPTED);
    }
}

TEST(pods_that_validation_refuses_stay_out) {
    static const char *const specs[] = {
        "'nodeSelector':{'kubernetes.io/arch':'amd64'},",
        "'nodeSelector':{'kubernetes.io/hostname':'x'},",
        "'nodeSelector':{'karpenter.sh/odd':'x'},",
        "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'nobody'}}],",
        "'resourceClaims':[{'name':'gpu'}],",
        "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{"
        "'matchExpressions':[{'key':'karpenter.sh/nodepool','operator':'DoesNotExist'}]}]}}},",
        "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{"
        "'matchFields':[{'key':'metadata.name','operator':'In','values':['x']}]}]}}},",
    };

    for (int i = 0; i < 7; i++) {
        Case placed = usual(), left_out = usual();

        pod(&placed, "p", 1000, "", specs[i]);
        CLAIM(&placed);
        judge(placed, i ? "ignored-pod" : ACCEPTED);
        pod(&left_out, "p", 1000, "", specs[i]);
        unplaced(&left_out, "p");
        judge(left_out, i ? ACCEPTED : "missed");
    }
}

TEST(pods_of_deleting_nodes_move) {
    for (int i = 0; i < 4; i++) {
        Case c = usual();

        node(&c, "node", "a", i == 1 ? "" : "'deletionTimestamp':'2026-01-01T00:00:00Z',", "");
        pod(&c, "p", 1000, "'app':'web'", "'nodeName':'node',");
        if (i == 3) // a PodDisruptionBudget that allows no disruption
            add(&c.items, "{'kind':'PodDisruptionBudget','metadata':{'name':'b','namespace':'default'},'spec':{"
                          "'maxUnavailable':0,'selector':{'matchLabels':{'app':'web'}}}}");
        if (i != 2)
            CLAIM(&c);
        judge(c, i == 0 ? ACCEPTED : i == 2 ? "missing-pod" : "not-pending");
    }
}

// ---- claims

TEST(claims_are_of_known_dynamic_ready_pools) {
    static const char *const kinds[] = {ACCEPTED, "unknown-pool", "static-pool"};

    for (int i = 0; i < 3; i++) {
        Case c = {.options = ""};

        two_types(&c);
        pool(&c, "default", i == 2 ? "'replicas':2," : "", "'requirements':[],");
        pod(&c, "p", 1000, "", "");
        CLAIM(&c, .pool = i == 1 ? "other" : "default");
        judge(c, kinds[i]);
    }
    for (int i = 0; i < 2; i++) {
        Case c = {.options = ""};

        two_types(&c);
        addf(&c.items,
             "{'kind':'NodePool','metadata':{'name':'default'},'spec':{'template':{'spec':{'requirements':[]}}},"
             "'status':{'conditions':[{'type':'Ready','status':'%s'}]}}",
             i ? "False" : "True");
        pod(&c, "p", 1000, "", "");
        CLAIM(&c);
        judge(c, i ? "pool-not-ready" : ACCEPTED);
    }
}

TEST(claims_have_pods_and_known_types) {
    for (int i = 0; i < 3; i++) {
        Case c = usual();

        pod(&c, "p", 1000, "", "");
        CLAIM(&c, .types = i == 1 ? "'small','tiny'" : "'small'");
        if (i == 2)
            CLAIM(&c, .name = "default-2", .pods = "", .cpu_milli = 0, .pod_count = 0);
        judge(c, i == 0 ? ACCEPTED : i == 1 ? "unknown-type" : "empty-claim");
    }
}

TEST(types_meet_the_requirements) {
    for (int i = 0; i < 4; i++) {
        Case c = {.options = ""};

        two_types(&c);
        type(&c, "arm", 2, "arm64", OFFERING("on-demand", "a", "0.10"), "");
        // 3: the claim lacks a requirement of the pool
        pool(&c, "default", "", "'requirements':[" REQUIREMENT("kubernetes.io/arch", "amd64") "],");
        pod(&c, "p", 1000, "", "");
        CLAIM(&c, .types = i == 1 || i == 3 ? "'small','arm'" : "'small','large'",
              .requirements = i == 3 ? ZONE("a") : ZONE("a") "," REQUIREMENT("kubernetes.io/arch", "amd64"));
        judge(c, i % 2 ? "requirements" : ACCEPTED);
    }
}

TEST(types_have_an_offering) {
    for (int i = 0; i < 3; i++) {
        Case c = usual();

        // "gone" is in both zones, in zone a sold out; "full" is there as a reservation that is used up
        type(&c, "gone", 2, "amd64",
             "{'Available':false,'Price':0.10,'Requirements':[" ZONE("a") "," REQUIREMENT(
                 "karpenter.sh/capacity-type", "on-demand") "]}," OFFERING("on-demand", "b", "0.10"),
             "");
        type(&c, "full", 2, "amd64", RESERVED("a", "0.01", "0"), "");
        pod(&c, "p", 1000, "", "");
        CLAIM(&c, .types = i == 1 ? "'small','gone'" : i == 2 ? "'full','small'" : "'small'");
        judge(c, i ? "no-offering" : ACCEPTED);
    }
}

TEST(pods_and_daemons_fit_each_type) {
    for (int i = 0; i < 6; i++) {
        Case c = usual();
        int daemon = i == 1 ? 1000 : 800;

        // 2: the daemon does not tolerate; 3: it wants another arch; 4: sidecar and init peak; 5: the peak is too high
        if (i == 2)
            daemon_set(&c, 1500, "'nodeSelector':{'kubernetes.io/arch':'arm64'},", "");
        else if (i < 4)
            daemon_set(&c, daemon, i == 3 ? "'nodeSelector':{'kubernetes.io/arch':'amd64'}," : "", "");
        pod(&c, "p", 1000, "",
            i == 4 ? "'initContainers':[{'name':'i','resources':{'requests':{'cpu':'1800m'}}}],"
            : i == 5
                ? "'initContainers':[{'name':'s','restartPolicy':'Always','resources':{'requests':{'cpu':'200m'}}},"
                  "{'name':'i','resources':{'requests':{'cpu':'1800m'}}}],"
                : "");
        CLAIM(&c,
              .cpu_milli = i == 2   ? 1000
                           : i == 4 ? 1800
                           : i == 5 ? 2000
                                    : 1000 + daemon,
              .pod_count = i == 2 || i > 3 ? 1 : 2);
        judge(c, i == 1 || i == 5 ? "resources" : ACCEPTED);
    }
}

TEST(taints_are_tolerated) {
    static const char *const effects[] = {"NoSchedule", "NoSchedule", "PreferNoSchedule", "NoExecute"};

    for (int i = 0; i < 4; i++) {
        Case c = {.options = ""};
        char template[256];

        two_types(&c);
        snprintf(template, sizeof template, "'requirements':[],'taints':[{'key':'team','value':'web','effect':'%s'}],",
                 effects[i]);
        pool(&c, "default", "", template);
        pod(&c, "p", 1000, "", i == 0 ? "'tolerations':[{'key':'team','value':'web'}]," : "");
        CLAIM(&c);
        judge(c, i % 2 ? "taints" : ACCEPTED);
    }
}

TEST(node_affinity_holds_whatever_is_launched) {
    for (int i = 0; i < 6; i++) {
        Case c = usual();

        // 0, 1: a selector on a decided and on an open zone; 2, 3: NotIn; 4, 5: OR terms
        pod(&c, "p", 1000, "",
            i < 2 ? "'nodeSelector':{'topology.kubernetes.io/zone':'a'},"
            : i < 4
                ? "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{"
                  "'matchExpressions':[{'key':'topology.kubernetes.io/zone','operator':'NotIn','values':['b']}]}]}}},"
                : "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{"
                  "'matchExpressions':[{'key':'team','operator':'Exists'}]},{"
                  "'matchExpressions':[{'key':'topology.kubernetes.io/zone','operator':'In','values':['a']}]}]}}},");
        CLAIM(&c, .requirements = i % 2 ? "" : ZONE("a"));
        judge(c, i % 2 ? "node-affinity" : ACCEPTED);
    }
}

TEST(custom_labels_come_from_the_pool) {
    for (int i = 0; i < 4; i++) {
        Case c = {.options = ""};

        two_types(&c);
        pool(&c, "default", "", i == 3 ? "'requirements':[]," : "'requirements':[{'key':'team','operator':'Exists'}],");
        pod(&c, "p", 1000, "", "'nodeSelector':{'team':'red'},");
        CLAIM(&c, .requirements = i == 1   ? ZONE("a") ",{'key':'team','operator':'Exists'}"
                                  : i == 2 ? ZONE("a") ",{'key':'team','operator':'In','values':['red','blue']}"
                                  : i == 3 ? ZONE("a")
                                           : ZONE("a") "," REQUIREMENT("team", "red"));
        judge(c, i ? "node-affinity" : ACCEPTED);
    }
}

TEST(volumes_can_be_attached) {
    for (int i = 0; i < 4; i++) {
        Case c = usual();

        // 0, 1: a bound volume; 2, 3: a class with allowed topologies
        addf(&c.items,
             "{'kind':'PersistentVolumeClaim','metadata':{'name':'d','namespace':'default','annotations':{"
             "'pv.kubernetes.io/bind-completed':'yes'}},'spec':{'storageClassName':'zonal'%s}}",
             i < 2 ? ",'volumeName':'pv'" : "");
        addf(&c.items,
             "{'kind':'PersistentVolume','metadata':{'name':'pv'},'spec':{'csi':{'driver':'x'},'nodeAffinity':{"
             "'required':{'nodeSelectorTerms':[{'matchExpressions':[%s]}]}}}}",
             i == 1 ? ZONE("b") : ZONE("a"));
        addf(&c.items,
             "{'kind':'StorageClass','metadata':{'name':'zonal'},'provisioner':'x','volumeBindingMode':"
             "'WaitForFirstConsumer','allowedTopologies':[{'matchLabelExpressions':[{'key':"
             "'topology.kubernetes.io/zone','values':['%s']}]}]}",
             i == 3 ? "b" : "a");
        pod(&c, "p", 1000, "", "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'d'}}],");
        CLAIM(&c);
        judge(c, i % 2 ? "volumes" : ACCEPTED);
    }
}

static void add_claims_of_driver(Case *c, const char *const names[], int count) {
    for (int i = 0; i < count; i++)
        addf(&c->items,
             "{'kind':'PersistentVolumeClaim','metadata':{'name':'%s','namespace':'default'},'spec':{"
             "'storageClassName':'ebs'}}",
             names[i]);
    add(&c->items, "{'kind':'StorageClass','metadata':{'name':'ebs'},'provisioner':'ebs.csi.aws.com',"
                   "'volumeBindingMode':'WaitForFirstConsumer'}");
}

TEST(volume_limits_of_types_and_nodes_hold) {
    static const char *const names[] = {"d1", "d2"};

    for (int i = 0; i < 4; i++) {
        Case c = {.options = ""};
        bool shared = i == 0 || i == 2; // one volume counts once

        type(&c, "small", 2, "amd64", OFFERING("on-demand", "a", "0.10"), "'volumeLimits':{'ebs.csi.aws.com':1},");
        pool(&c, "default", "", "'requirements':[],");
        node(&c, "node", "a", "", "");
        add(&c.items, "{'kind':'CSINode','metadata':{'name':'node'},'spec':{'drivers':[{'name':'ebs.csi.aws.com',"
                      "'allocatable':{'count':1}}]}}");
        add_claims_of_driver(&c, names, 2);
        pod(&c, "p", 500, "", "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'d1'}}],");
        pod(&c, "q", 500, "",
            shared ? "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'d1'}}],"
                   : "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'d2'}}],");
        if (i < 2)
            CLAIM(&c, .pods = "'default/p','default/q'", .pod_count = 2);
        else
            on_node(&c, "node", "'default/p','default/q'");
        judge(c, shared ? ACCEPTED : "volume-limits");
    }
}

#define PORT(port, ip) "'ports':[{'containerPort':80,'hostPort':" port ",'hostIP':'" ip "'}],"

static void port_pod(Case *c, const char *name, const char *port) {
    addf(&c->items,
         "{'kind':'Pod','metadata':{'name':'%s','namespace':'default'},'spec':{'containers':[{'name':'main',%s"
         "'resources':{'requests':{'cpu':'500m'}}}]}}",
         name, port);
}

TEST(host_ports_are_taken_once) {
    for (int i = 0; i < 5; i++) {
        Case c = usual();

        port_pod(&c, "p", PORT("80", "10.0.0.1"));
        port_pod(&c, "q", i == 0 ? PORT("80", "10.0.0.2") : i == 1 ? PORT("80", "0.0.0.0") : PORT("81", "0.0.0.0"));
        if (i >= 3) // a daemon's port counts on the nodes where it runs
            daemon_set(&c, 100, i == 3 ? "" : "'nodeSelector':{'kubernetes.io/arch':'arm64'},", PORT("81", "0.0.0.0"));
        CLAIM(&c, .pods = "'default/p','default/q'", .pod_count = i == 3 ? 3 : 2, .cpu_milli = i == 3 ? 1100 : 1000);
        judge(c, i == 1 || i == 3 ? "host-ports" : ACCEPTED);
    }
}

TEST(strict_min_values_are_met) {
    for (int i = 0; i < 3; i++) {
        Case c = {.options = i == 2 ? "'minValuesPolicy':'BestEffort'" : ""};

        two_types(&c);
        pool(&c, "default", "",
             "'requirements':[{'key':'node.kubernetes.io/instance-type','operator':'Exists','minValues':2}],");
        pod(&c, "p", 1000, "", "");
        CLAIM(&c, .types = i ? "'small'" : "'small','large'");
        judge(c, i == 1 ? "min-values" : ACCEPTED);
    }
}

// ---- existing nodes

TEST(existing_nodes_have_room_left) {
    for (int i = 0; i < 6; i++) {
        Case c = usual();

        node(&c, "node", "a", "", "");
        pod(&c, "old", i == 1 ? 3500 : 3000, "", "'nodeName':'node',");
        // 2: a daemon pod will be created and needs the room; 3: it does not run on the node; 4: it runs already;
        // 5: it is too large for what the old pod leaves, so it takes nothing
        if (i >= 2)
            daemon_set(&c, i == 5 ? 1500 : 500, i == 3 ? "'nodeSelector':{'kubernetes.io/arch':'arm64'}," : "", "");
        if (i == 4)
            add(&c.items, "{'kind':'Pod','metadata':{'name':'agent-x','namespace':'default','ownerReferences':[{"
                          "'apiVersion':'apps/v1','kind':'DaemonSet','name':'agent'}]},'spec':{'nodeName':'node',"
                          "'containers':[]}}");
        pod(&c, "p", 1000, "", "");
        on_node(&c, "node", "'default/p'");
        judge(c, i == 1 || i == 2 ? "resources" : ACCEPTED);
    }
}

TEST(existing_nodes_are_known_and_stay) {
    for (int i = 0; i < 4; i++) {
        Case c = usual();

        node(&c, "node", "a", i == 1 ? "'deletionTimestamp':'2026-01-01T00:00:00Z'," : "",
             i == 3 ? "'unschedulable':true," : "");
        pod(&c, "p", 1000, "", "");
        on_node(&c, i == 2 ? "nobody" : "node", "'default/p'");
        judge(c, i == 0 ? ACCEPTED : i == 1 ? "deleting-node" : i == 2 ? "unknown-node" : "taints");
    }
}

TEST(fresh_nodes_lose_their_startup_taints) {
    for (int i = 0; i < 2; i++) {
        Case c = usual();

        addf(
            &c.items,
            "{'kind':'Node','metadata':{'name':'node','labels':{'karpenter.sh/registered':'true'%s}},'spec':{"
            "'providerID':'x://1','taints':[{'key':'starting','effect':'NoSchedule'},{'key':"
            "'node.kubernetes.io/not-ready','effect':'NoSchedule'}]},'status':{'allocatable':{'cpu':'0','pods':'10'}}}",
            i ? ",'karpenter.sh/initialized':'true'" : "");
        add(&c.items, "{'kind':'NodeClaim','metadata':{'name':'claim'},'spec':{'startupTaints':[{'key':'starting',"
                      "'effect':'NoSchedule'}]},'status':{'providerID':'x://1','allocatable':{'cpu':'4'}}}");
        pod(&c, "p", 1000, "", "");
        on_node(&c, "node", "'default/p'");
        judge(c, i ? "taints" : ACCEPTED);
    }
}

// ---- rules between pods

#define TERM(key, app) "{'topologyKey':'" key "','labelSelector':{'matchLabels':{'app':'" app "'}}}"
#define APART(key, app)                                                                                                \
    "'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" TERM(key, app) "]}},"
#define TOGETHER(key, app)                                                                                             \
    "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" TERM(key, app) "]}},"
#define HOSTNAME  "kubernetes.io/hostname"
#define ZONE_KEY  "topology.kubernetes.io/zone"
#define BOTH_PODS .pods = "'default/p','default/q'", .cpu_milli = 1000, .pod_count = 2

TEST(anti_affinity_holds_on_one_node) {
    for (int i = 0; i < 4; i++) {
        Case c = usual();

        // 1: two of the same; 2: the other one is without a rule of its own; 3: it is in another namespace
        pod(&c, "p", 500, "'app':'web'", APART(HOSTNAME, "web"));
        if (i == 3)
            add(&c.items, "{'kind':'Pod','metadata':{'name':'q','namespace':'other','labels':{'app':'web'}},'spec':{"
                          "'containers':[{'resources':{'requests':{'cpu':'500m'}}}]}}");
        else
            pod(&c, "q", 500, i == 0 ? "'app':'api'" : "'app':'web'", i == 1 ? APART(HOSTNAME, "web") : "");
        CLAIM(&c, .pods = i == 3 ? "'default/p','other/q'" : "'default/p','default/q'", .cpu_milli = 1000,
              .pod_count = 2);
        judge(c, i == 1 || i == 2 ? "anti-affinity" : ACCEPTED);
    }
}

TEST(anti_affinity_holds_both_ways_with_bound_pods) {
    for (int i = 0; i < 4; i++) {
        Case c = usual();

        // The rule is the bound pod's (0, 1) or the new one's (2, 3).
        node(&c, "node", "a", "", "");
        pod(&c, "old", 100, "'app':'old'", i < 2 ? "'nodeName':'node'," APART(ZONE_KEY, "new") : "'nodeName':'node',");
        pod(&c, "p", 1000, "'app':'new'", i < 2 ? "" : APART(ZONE_KEY, "old"));
        CLAIM(&c, .zone = i % 2 ? "a" : "b", .requirements = i % 2 ? ZONE("a") : ZONE("b"));
        judge(c, i % 2 ? "anti-affinity" : ACCEPTED);
    }
}

TEST(zones_of_apart_pods_are_decided) {
    for (int i = 0; i < 4; i++) {
        Case c = usual();

        // 0: the zones differ; 1: that of q is open, and may be p's; 2: that of p is open, which has the rule; 3: both
        pod(&c, "p", 500, "'app':'web'", APART(ZONE_KEY, "web"));
        pod(&c, "q", 500, "'app':'web'", "");
        CLAIM(&c, .cpu_milli = 500, .requirements = i < 2 ? ZONE("a") : "");
        CLAIM(&c, .name = "default-2", .pods = "'default/q'", .cpu_milli = 500, .zone = "b",
              .requirements = i % 2 ? "" : ZONE("b"));
        judge(c, i ? "undecided-domain" : ACCEPTED);
    }
}

TEST(affinity_needs_a_matching_pod) {
    for (int i = 0; i < 5; i++) {
        Case c = usual();

        // 0: the target is beside it; 1: in another zone; 2: nowhere; 3: it wants its own kind, which starts it;
        // 4: its own kind runs elsewhere
        node(&c, "node", i == 0 ? "a" : "b", "", "");
        if (i != 2 && i != 3)
            pod(&c, "old", 100, i == 4 ? "'app':'web'" : "'app':'db'", "'nodeName':'node',");
        pod(&c, "p", 1000, "'app':'web'", i < 3 ? TOGETHER(ZONE_KEY, "db") : TOGETHER(ZONE_KEY, "web"));
        CLAIM(&c);
        judge(c, i == 0 || i == 3 ? ACCEPTED : "affinity");
    }
}

TEST(a_group_starts_in_one_domain) {
    for (int i = 0; i < 3; i++) {
        Case c = usual();

        pod(&c, "p", 500, "'app':'web'", TOGETHER(ZONE_KEY, "web"));
        pod(&c, "q", 500, "'app':'web'", TOGETHER(ZONE_KEY, "web"));
        CLAIM(&c, .cpu_milli = 500);
        CLAIM(&c, .name = "default-2", .pods = "'default/q'", .cpu_milli = 500, .zone = i == 1 ? "b" : "a",
              .requirements = i == 0   ? ZONE("a")
                              : i == 1 ? ZONE("b")
                                       : "");
        judge(c, i == 0 ? ACCEPTED : i == 1 ? "affinity" : "undecided-domain");
    }
}

TEST(one_pod_matches_all_affinity_terms) {
    for (int i = 0; i < 2; i++) {
        Case c = usual();

        node(&c, "node", "a", "", "");
        pod(&c, "one", 100, i ? "'app':'db'" : "'app':'db','tier':'back'", "'nodeName':'node',");
        pod(&c, "two", 100, "'tier':'back'", "'nodeName':'node',");
        pod(&c, "p", 1000, "",
            "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" TERM(
                ZONE_KEY, "db") ",{'topologyKey':'" ZONE_KEY "','labelSelector':{'matchLabels':{'tier':'back'}}}]}},");
        CLAIM(&c);
        judge(c, i ? "affinity" : ACCEPTED);
    }
}

#define SPREAD(key, skew, more)                                                                                        \
    "'topologySpreadConstraints':[{'maxSkew':" skew ",'topologyKey':'" key "'," more                                   \
    "'whenUnsatisfiable':'DoNotSchedule','labelSelector':{'matchLabels':{'app':'web'}}}],"

// Two pods in zone a and one in b; zone b has a node.
static void spread_case(const char *constraint, bool one_each, const char *kind) {
    Case c = usual();

    node(&c, "node", "b", "", "'taints':[{'key':'x','effect':'NoSchedule'}],");
    pod(&c, "p", 500, "'app':'web'", constraint);
    pod(&c, "q", 500, "'app':'web'", constraint);
    if (one_each) {
        CLAIM(&c, .cpu_milli = 500);
        CLAIM(&c, .name = "default-2", .pods = "'default/q'", .cpu_milli = 500, .zone = "b", .requirements = ZONE("b"));
    } else {
        CLAIM(&c, BOTH_PODS);
    }
    judge(c, kind);
}

TEST(spread_keeps_to_its_skew) {
    spread_case(SPREAD(ZONE_KEY, "1", ""), true, ACCEPTED);
    spread_case(SPREAD(ZONE_KEY, "1", ""), false, "spread");
    spread_case(SPREAD(ZONE_KEY, "2", ""), false, ACCEPTED);
    // Nodes that the pod does not tolerate count unless its policy says otherwise.
    spread_case(SPREAD(ZONE_KEY, "1", "'nodeTaintsPolicy':'Honor',"), false, ACCEPTED);
    // Nodes that its node affinity excludes do not count, unless its policy says otherwise.
    spread_case("'nodeSelector':{'topology.kubernetes.io/zone':'a'}," SPREAD(ZONE_KEY, "1", ""), false, ACCEPTED);
    spread_case(
        "'nodeSelector':{'topology.kubernetes.io/zone':'a'}," SPREAD(ZONE_KEY, "1", "'nodeAffinityPolicy':'Ignore',"),
        false, "spread");
    // Fewer domains than minDomains: the minimum is 0.
    spread_case("'nodeSelector':{'topology.kubernetes.io/zone':'a'}," SPREAD(ZONE_KEY, "1", "'minDomains':2,"), false,
                "spread");
    spread_case(SPREAD(HOSTNAME, "1", ""), true, ACCEPTED);
    spread_case(SPREAD(HOSTNAME, "1", ""), false, "spread");
}

// Two pods in zone a, and a claim that may be launched in a or b.
TEST(spread_counts_the_zone_that_an_open_claim_may_bring) {
    for (int i = 0; i < 3; i++) {
        Case c = usual();
        const char *rule = i == 2 ? SPREAD(ZONE_KEY, "2", "") : SPREAD(ZONE_KEY, "1", "");

        pod(&c, "p", 500, "'app':'web'", rule);
        pod(&c, "q", 500, "'app':'web'", rule);
        pod(&c, "other", 1000, "", "");
        CLAIM(&c, BOTH_PODS);
        CLAIM(&c, .name = "default-2", .pods = "'default/other'", .requirements = i == 1 ? ZONE("a") : "");
        judge(c, i ? ACCEPTED : "spread");
    }
}

#define EMPTY_SPREAD(key, more)                                                                                        \
    "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'" key "'," more                                          \
    "'whenUnsatisfiable':'DoNotSchedule','labelSelector':{}}],"

TEST(spread_without_expressions_counts_no_pods) {
    spread_case(EMPTY_SPREAD(ZONE_KEY, ""), false, ACCEPTED);
    spread_case(EMPTY_SPREAD(HOSTNAME, ""), false, ACCEPTED);
    spread_case(EMPTY_SPREAD(HOSTNAME, "'matchLabelKeys':['app'],"), false, "spread");
    spread_case(EMPTY_SPREAD(HOSTNAME, "'matchLabelKeys':['version'],"), false, ACCEPTED); // they have no such label
}

TEST(spread_wants_a_decided_zone) {
    for (int i = 0; i < 3; i++) {
        Case c = usual();

        pod(&c, "p", 1000, "'app':'web'", i == 2 ? SPREAD("rack", "1", "") : SPREAD(ZONE_KEY, "1", ""));
        CLAIM(&c, .requirements = i ? "" : ZONE("a"));
        judge(c, i == 0 ? ACCEPTED : i == 1 ? "undecided-domain" : "spread");
    }
}

TEST(spread_counts_versions_apart) {
    for (int i = 0; i < 2; i++) {
        Case c = usual();
        const char *rule = i ? SPREAD(HOSTNAME, "1", "") : SPREAD(HOSTNAME, "1", "'matchLabelKeys':['version'],");

        node(&c, "node", "b", "", "");
        pod(&c, "p", 500, "'app':'web','version':'1'", rule);
        pod(&c, "q", 500, "'app':'web','version':'2'", rule);
        CLAIM(&c, BOTH_PODS);
        judge(c, i ? "spread" : ACCEPTED);
    }
}

// ---- pools and money

TEST(limits_are_kept) {
    static const char *const limits[] = {"'limits':{'cpu':'8'},", "'limits':{'cpu':'7'},", "'limits':{'nodes':'1'},",
                                         "'limits':{'nodes':'0'},"};

    for (int i = 0; i < 4; i++) {
        Case c = {.options = ""};

        two_types(&c);
        pool(&c, "default", limits[i], "'requirements':[],");
        pod(&c, "p", 1000, "", "");
        CLAIM(&c, .types = "'small','large'"); // the largest counts
        judge(c, i % 2 ? "limits" : ACCEPTED);
    }
}

TEST(existing_nodes_eat_limits) {
    for (int i = 0; i < 2; i++) {
        Case c = {.options = ""};

        two_types(&c);
        pool(&c, "default", "'limits':{'cpu':'5'},", "'requirements':[],");
        addf(&c.items,
             "{'kind':'Node','metadata':{'name':'n','labels':{'karpenter.sh/nodepool':'%s'}},'status':{'capacity':{"
             "'cpu':'4'},'allocatable':{'cpu':'0'}}}",
             i ? "default" : "other");
        pod(&c, "p", 1000, "", "");
        CLAIM(&c);
        judge(c, i ? "limits" : ACCEPTED);
    }
}

TEST(reservations_are_not_oversold) {
    for (int i = 0; i < 2; i++) {
        Case c = {.options = ""};

        type(&c, "small", 2, "amd64",
             i ? RESERVED("a", "0.001", "1") "," OFFERING("on-demand", "a", "0.10")
               : RESERVED("a", "0.001", "2") "," OFFERING("on-demand", "a", "0.10"),
             "");
        pool(&c, "default", "", "'requirements':[],");
        pod(&c, "p", 1500, "", "");
        pod(&c, "q", 1500, "", "");
        for (int k = 0; k < 2; k++)
            CLAIM(&c, .pods = k ? "'default/q'" : "'default/p'", .cpu_milli = 1500, .capacity_type = "reserved",
                  .requirements = ZONE("a") "," REQUIREMENT("karpenter.sh/capacity-type", "reserved"), .price = 0.001);
        judge(c, i ? "reservation" : ACCEPTED);
    }
}

TEST(the_choice_is_what_a_launch_gives) {
    for (int i = 0; i < 5; i++) {
        Case c = {.options = ""};

        type(&c, "small", 2, "amd64",
             i == 4 ? OFFERING("on-demand", "a", "0.10") "," OFFERING("spot", "a", "0.20")
                    : OFFERING("on-demand", "a", "0.10"),
             "");
        type(&c, "large", 8, "amd64", OFFERING("on-demand", "a", "0.40"), "");
        pool(&c, "default", "", "'requirements':[],");
        pod(&c, "p", 1000, "", "");
        // 1: not the cheapest; 2: another price than the offering's; 3: another zone; 4: spot goes first
        CLAIM(&c, .types = "'small','large'", .type = i == 1 ? "large" : "small",
              .price = i == 1   ? 0.40
                       : i == 2 ? 0.05
                                : 0.10,
              .zone = i == 3 ? "b" : "a");
        judge(c, i ? "choice" : ACCEPTED);
    }
}

TEST(the_price_is_the_sum_of_choices) {
    for (int i = 0; i < 2; i++) {
        Case c = usual();

        pod(&c, "p", 1000, "", "");
        CLAIM(&c);
        c.price += i * 0.01;
        judge(c, i ? "price" : ACCEPTED);
    }
}

TEST(types_stand_cheapest_first) {
    for (int i = 0; i < 2; i++) {
        Case c = usual();

        pod(&c, "p", 1000, "", "");
        CLAIM(&c, .types = i ? "'large','small'" : "'small','large'");
        judge(c, i ? "type-order" : ACCEPTED);
    }
}

TEST(requests_are_pods_and_daemons) {
    for (int i = 0; i < 3; i++) {
        Case c = usual();

        daemon_set(&c, 200, "", "");
        pod(&c, "p", 1000, "", "");
        CLAIM(&c, .cpu_milli = i == 0 ? 1200 : i == 1 ? 1000 : 1400, .pod_count = 2);
        judge(c, i ? "requests" : ACCEPTED);
    }
}

TEST(heavier_pools_come_first) {
    for (int i = 0; i < 5; i++) {
        Case c = {.options = ""};

        two_types(&c);
        pool(&c, "default", i == 1 ? "'weight':50," : "", "'requirements':[],");
        // 2: the pod does not tolerate it; 3: no room within its limits; 4: a preference decides
        pool(&c, "heavy", i == 3 ? "'weight':10,'limits':{'cpu':'1'}," : "'weight':10,",
             i == 2 ? "'requirements':[],'taints':[{'key':'x','effect':'NoSchedule'}]," : "'requirements':[],");
        pod(&c, "p", 1000, "",
            i == 4 ? "'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':1,"
                     "'preference':{'matchExpressions':[{'key':'karpenter.sh/nodepool','operator':'In','values':["
                     "'default']}]}}]}},"
                   : "");
        CLAIM(&c);
        judge(c, i == 0 ? "weight" : ACCEPTED);
    }
}

TEST(a_pod_on_an_open_node_needs_no_heavier_pool) {
    Case c = {.options = ""};

    two_types(&c);
    pool(&c, "default", "", "'requirements':[],");
    pool(&c, "heavy", "'weight':10,", "'requirements':[],'taints':[{'key':'x','effect':'NoSchedule'}],");
    pod(&c, "p", 500, "", "");
    pod(&c, "q", 500, "", "'tolerations':[{'operator':'Exists'}],");
    CLAIM(&c, BOTH_PODS);
    judge(c, ACCEPTED);
}

// ---- missed placements

// A pod without a place in a cluster with one pool and two types.
static void missed_case(const char *pool_spec, const char *template_spec, int cpu_milli, const char *pod_spec,
                        const char *kind) {
    Case c = {.options = ""};

    two_types(&c);
    pool(&c, "default", pool_spec, template_spec);
    pod(&c, "p", cpu_milli, "'app':'web'", pod_spec);
    unplaced(&c, "p");
    judge(c, kind);
}

TEST(a_pod_that_fits_a_fresh_node_is_missed) {
    static const char plain[] = "'requirements':[],";

    missed_case("", plain, 7900, "", "missed");
    missed_case("", plain, 7901, "", ACCEPTED);
    missed_case("'limits':{'cpu':'8'},", plain, 4000, "", "missed");
    missed_case("'limits':{'cpu':'7'},", plain, 4000, "", ACCEPTED);
    missed_case("'limits':{'nodes':'0'},", plain, 1000, "", ACCEPTED);
    missed_case("'replicas':1,", plain, 1000, "", ACCEPTED);
    missed_case("", "'requirements':[],'taints':[{'key':'x','effect':'NoSchedule'}],", 1000, "", ACCEPTED);
    missed_case("", "'requirements':[],'taints':[{'key':'x','effect':'PreferNoSchedule'}],", 1000, "", "missed");
    missed_case("", "'requirements':[],'startupTaints':[{'key':'x','effect':'NoSchedule'}],", 1000, "", "missed");
    missed_case("", plain, 1000, "'nodeSelector':{'topology.kubernetes.io/zone':'b'},", "missed");
    missed_case("", plain, 1000, "'nodeSelector':{'topology.kubernetes.io/zone':'c'},", ACCEPTED);
    missed_case("", plain, 1000, "'nodeSelector':{'team':'red'},", ACCEPTED);
    missed_case("", "'requirements':[{'key':'team','operator':'Exists'}],", 1000, "'nodeSelector':{'team':'red'},",
                "missed");
    missed_case("", "'requirements':[{'key':'team','operator':'NotIn','values':['red']}],", 1000,
                "'nodeSelector':{'team':'red'},", ACCEPTED);
    missed_case("", plain, 1000, TOGETHER(ZONE_KEY, "web"), "missed");
    missed_case("", plain, 1000, TOGETHER(ZONE_KEY, "db"), ACCEPTED);
    missed_case("", "'requirements':[{'key':'node.kubernetes.io/instance-type','operator':'Exists','minValues':2}],",
                1000, "", "missed");
    missed_case("", "'requirements':[{'key':'node.kubernetes.io/instance-type','operator':'Exists','minValues':2}],",
                4000, "", ACCEPTED);
}

TEST(a_pod_that_fits_beside_others_is_missed) {
    for (int i = 0; i < 4; i++) {
        Case c = {.options = ""};

        two_types(&c);
        pool(&c, "default", "'limits':{'nodes':'1'},", "'requirements':[],");
        pod(&c, "p", 1000, "'app':'web'", "");
        pod(&c, "q", i == 1 ? 950 : 900, "'app':'api'",
            i == 2   ? APART(HOSTNAME, "web")
            : i == 3 ? "'nodeSelector':{'topology.kubernetes.io/zone':'b'},"
                     : "");
        CLAIM(&c);
        unplaced(&c, "q");
        judge(c, i == 0 ? "missed" : ACCEPTED);
    }
}

TEST(a_pod_that_fits_an_existing_node_is_missed) {
    for (int i = 0; i < 5; i++) {
        Case c = {.options = ""};

        two_types(&c);
        node(&c, "node", "a", i == 1 ? "'deletionTimestamp':'2026-01-01T00:00:00Z'," : "",
             i == 2 ? "'unschedulable':true," : "");
        if (i == 3)
            daemon_set(&c, 3500, "", "");
        pod(&c, "p", 1000, "", i == 4 ? "'nodeSelector':{'kubernetes.io/os':'linux'}," : "");
        unplaced(&c, "p");
        judge(c, i ? ACCEPTED : "missed");
    }
}

TEST(spread_may_leave_a_pod_waiting) {
    for (int i = 0; i < 3; i++) {
        Case c = {.options = ""};

        // A pod runs in zone a; zone b has no room (0), or has some (1), or the skew allows another in a (2).
        type(&c, "small", 2, "amd64",
             i == 1 ? OFFERING("on-demand", "a", "0.10") "," OFFERING("on-demand", "b", "0.10")
                    : OFFERING("on-demand", "a", "0.10") ",{'Available':false,'Price':1,'Requirements':[" ZONE(
                          "b") "," REQUIREMENT("karpenter.sh/capacity-type", "on-demand") "]}",
             "");
        pool(&c, "default", "", "'requirements':[],");
        node(&c, "node", "a", "", "'taints':[{'key':'x','effect':'NoSchedule'}],");
        pod(&c, "old", 100, "'app':'web'", "'nodeName':'node',");
        pod(&c, "p", 1000, "'app':'web'", i == 2 ? SPREAD(ZONE_KEY, "2", "") : SPREAD(ZONE_KEY, "1", ""));
        unplaced(&c, "p");
        judge(c, i ? "missed" : ACCEPTED);
    }
}

TEST(waiting_for_a_reservation_is_not_missed) {
    for (int i = 0; i < 2; i++) {
        Case c = {.options = ""};

        type(&c, "small", 2, "amd64", RESERVED("a", "0.001", "1") "," OFFERING("on-demand", "a", "0.10"), "");
        pool(&c, "default", "", "'requirements':[],");
        pod(&c, "p", 1500, "", "");
        pod(&c, "q", 1500, "", i ? "'nodeSelector':{'karpenter.sh/capacity-type':'on-demand'}," : "");
        CLAIM(&c, .cpu_milli = 1500, .capacity_type = "reserved", .price = 0.001,
              .requirements = ZONE("a") "," REQUIREMENT("karpenter.sh/capacity-type", "reserved"));
        unplaced(&c, "q");
        judge(c, i ? "missed" : ACCEPTED);
    }
}

// ---- workloads

TEST(workloads_become_pods) {
    for (int i = 0; i < 2; i++) {
        Case c = usual();

        add(&c.items,
            "{'kind':'Deployment','metadata':{'name':'web','namespace':'shop'},'spec':{'replicas':2,"
            "'template':{'metadata':{'labels':{'app':'web'}},'spec':{'containers':[{'name':'main','resources':"
            "{'requests':{'cpu':'500m'}}}]}}}}");
        add(&c.items, "{'kind':'Job','metadata':{'name':'once'},'spec':{'parallelism':3,'completions':1,'template':{"
                      "'spec':{'containers':[{'name':'main','resources':{'limits':{'cpu':'250m'}}}]}}}}");
        CLAIM(&c, .pods = i ? "'shop/web-0','default/once-0'" : "'shop/web-0','shop/web-1','default/once-0'",
              .cpu_milli = i ? 750 : 1250, .pod_count = i ? 2 : 3);
        judge(c, i ? "missing-pod" : ACCEPTED);
    }
}
