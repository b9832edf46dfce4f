// The bridge of old kinds before the embedded server: definitions that come and go. Reference legacy.md 5, R010.
#include "base/buffer.h"
#include "legacy/bridge/bridge.h"
#include "sim/support/server.h"

#include "text/value_edit.h"

typedef struct {
    Buffer names; // of objects in the order of their events
    bool listed, ended;
    KubeReason reason;
} Seen;

static bool note(void *context, const KubeEvent *event) {
    Seen *seen = context;

    if (event->type == KUBE_ENDED) {
        seen->ended = true;
        seen->reason = event->error->reason;
    } else if (event->type == KUBE_BOOKMARK) {
        seen->listed |= event->initial_end;
    } else {
        buffer_printf(&seen->names, "%s%.*s", seen->names.len ? " " : "", SLICE_ARG(kube_name(event->object)));
    }
    return true;
}

static KubeWatch *watch(Fixture *fixture, Bridge *bridge, KubeKind kind, Seen *seen) {
    KubeWatchRequest request = {.kind = kind, .initial_events = true, .bookmarks = true};
    KubeWatch *handle;

    *seen = (Seen){0};
    assert_int_equal(kube_watch(bridge_kube(bridge), &request, (KubeSink){note, seen}, &handle, NULL), OK);
    fixture_settle(fixture);
    assert_true(seen->listed);
    return handle;
}

static void end(Bridge *bridge, KubeWatch *handle, Seen *seen) {
    kube_unwatch(bridge_kube(bridge), handle);
    buffer_free(&seen->names);
}

#define assert_seen(seen, expected) assert_true(slice_eq_text(buffer_slice(&(seen).names), (expected)))

#define assert_text(slice, expected) assert_string_equal(arena_text(&fixture->arena, (slice)), (expected))

// A Provisioner, its template, and a Node of it.
static Bridge *new_bridge(Fixture *fixture) {
    Value provisioner = fixture_object(fixture, "{metadata: {name: a}, spec: {providerRef: {name: t}}}");
    Value template = fixture_object(fixture, "{metadata: {name: t}, spec: {instanceProfile: p, subnetSelector: {a: b}, "
                                             "securityGroupSelector: {a: b}}}");
    Value node = fixture_object(fixture, "{metadata: {name: node-1, labels: {karpenter.sh/provisioner-name: a}}}");

    fixture_create(fixture, KUBE_PROVISIONER, &provisioner);
    fixture_create(fixture, KUBE_AWS_NODE_TEMPLATE, &template);
    fixture_create(fixture, KUBE_NODE, &node);
    return bridge_new(fixture->kube, &(PresentSettings){0});
}

// What a list of the kind shows, by names, and of the first object a label or annotation.
static uint32_t list(Fixture *fixture, Bridge *bridge, KubeKind kind, Value *ret_first) {
    KubeList found;

    assert_int_equal(kube_list(bridge_kube(bridge), &fixture->arena, &(KubeListRequest){.kind = kind}, &found, NULL),
                     OK);
    *ret_first = found.items.count ? found.items.items[0] : value_null();
    return found.items.count;
}

TEST(definitions_that_come_are_seen_by_watches_that_list_again) {
    static const KubeKind kinds[] = {KUBE_NODE_POOL, KUBE_EC2_NODE_CLASS};
    static const char *const shown[] = {"provisioner/a", "awsnodetemplate/t"};

    for (size_t i = 0; i < 2; i++) {
        Fixture *fixture = fixture_new(1, 0);
        Bridge *bridge = new_bridge(fixture);
        KubeWatch *handle;
        Seen seen;

        bridge_know(bridge, 0);
        handle = watch(fixture, bridge, kinds[i], &seen);
        assert_seen(seen, "");
        bridge_know(bridge, 0); // no change
        assert_false(seen.ended);
        bridge_know(bridge, BRIDGE_KNOWS_ALL);
        assert_true(seen.ended);
        assert_int_equal(seen.reason, KUBE_REASON_EXPIRED);
        end(bridge, handle, &seen);
        handle = watch(fixture, bridge, kinds[i], &seen);
        assert_seen(seen, shown[i]);
        end(bridge, handle, &seen);
        bridge_free(bridge);
        fixture_free(fixture);
    }
}

// Names in pages of two, "|" between pages.
static Slice paged(Fixture *fixture, Bridge *bridge, KubeKind kind) {
    KubeListRequest request = {.kind = kind, .limit = 2};
    Slice text = {0};
    KubeList page;

    for (uint32_t pages = 0; pages < 9; pages++) {
        assert_int_equal(kube_list(bridge_kube(bridge), &fixture->arena, &request, &page, NULL), OK);
        assert_true(page.items.count <= 2);
        for (vec_each(const Value, item, &page.items))
            text = arena_printf(&fixture->arena, "%.*s %.*s", SLICE_ARG(text), SLICE_ARG(kube_name(item)));
        if (!page.next.len)
            return text;
        assert_true(page.remaining != 0);
        text = arena_printf(&fixture->arena, "%.*s |", SLICE_ARG(text));
        request.from = page.next;
    }
    fail_msg("pages without an end");
    return text;
}

static void create_named(Fixture *fixture, KubeKind kind, const char *spec, const char *const *names) {
    for (; *names; names++) {
        Value object = fixture_object(fixture, "{metadata: {name: %s}, spec: {%s}}", *names, spec);

        fixture_create(fixture, kind, &object);
    }
}

// Thousands of Machines are more than one answer may be, too.
TEST(pages_of_old_kinds_come_behind_those_of_today) {
    static const char *const machines[] = {"m1", "m2", "m3", NULL}, *const claims[] = {"c1", "c2", "c3", NULL},
                             *const templates[] = {"t2", "t3", NULL};
    Fixture *fixture = fixture_new(1, 0);
    Bridge *bridge = new_bridge(fixture);
    Value first;

    create_named(fixture, KUBE_MACHINE, "machineTemplateRef: {name: t}", machines);
    create_named(fixture, KUBE_NODE_CLAIM, "nodeClassRef: {group: g, kind: k, name: c}, requirements: []", claims);
    create_named(fixture, KUBE_AWS_NODE_TEMPLATE, "subnetSelector: {a: b}, securityGroupSelector: {a: b}", templates);
    assert_text(paged(fixture, bridge, KUBE_NODE_CLAIM), " c1 c2 | c3 | machine/m1 machine/m2 | machine/m3");
    assert_text(paged(fixture, bridge, KUBE_EC2_NODE_CLASS),
                " | awsnodetemplate/t awsnodetemplate/t2 | awsnodetemplate/t3 |");
    assert_text(paged(fixture, bridge, KUBE_NODE), " node-1");
    assert_int_equal(list(fixture, bridge, KUBE_NODE_CLAIM, &first), 6);
    bridge_know(bridge, 0);
    assert_text(paged(fixture, bridge, KUBE_NODE_CLAIM), " c1 c2 | c3");
    bridge_free(bridge);
    fixture_free(fixture);
}

// A static NodePool asks for its claims, and thousands of Machines are none of them.
TEST(a_list_with_selectors_has_objects_of_today) {
    static const char *const machines[] = {"m1", "m2", NULL};
    Fixture *fixture = fixture_new(1, 0);
    Bridge *bridge = new_bridge(fixture);
    Value claim = fixture_object(fixture, "{metadata: {name: c1, labels: {karpenter.sh/nodepool: p}}, spec: "
                                          "{nodeClassRef: {group: g, kind: k, name: c}, requirements: []}}");
    KubeListRequest request = {.kind = KUBE_NODE_CLAIM, .labels = SLICE("karpenter.sh/nodepool=p")};
    KubeList page;

    create_named(fixture, KUBE_MACHINE, "machineTemplateRef: {name: t}", machines);
    fixture_create(fixture, KUBE_NODE_CLAIM, &claim);
    for (request.limit = 0; request.limit < 2; request.limit++) {
        assert_int_equal(kube_list(bridge_kube(bridge), &fixture->arena, &request, &page, NULL), OK);
        assert_int_equal(page.items.count, 1);
        assert_int_equal(page.next.len, 0);
    }
    bridge_free(bridge);
    fixture_free(fixture);
}

// Who lists to delete what nobody names must not take half of the objects for all.
TEST(a_list_whose_kind_goes_between_two_pages_fails) {
    static const char *const machines[] = {"m1", "m2", "m3", NULL};
    Fixture *fixture = fixture_new(1, 0);
    Bridge *bridge = new_bridge(fixture);
    KubeListRequest request = {.kind = KUBE_NODE_CLAIM, .limit = 2};
    KubeError error = {0};
    KubeList page;

    create_named(fixture, KUBE_MACHINE, "machineTemplateRef: {name: t}", machines);
    assert_int_equal(kube_list(bridge_kube(bridge), &fixture->arena, &request, &page, NULL), OK);
    request.from = page.next;
    assert_int_equal(kube_list(bridge_kube(bridge), &fixture->arena, &request, &page, NULL), OK);
    assert_int_equal(page.items.count, 2);
    request.from = page.next;
    bridge_know(bridge, BRIDGE_KNOWS_ALL & ~BRIDGE_KNOWS_MACHINES);
    assert_int_equal(kube_list(bridge_kube(bridge), &fixture->arena, &request, &page, &error), ERR_GONE);
    assert_string_equal(error.err.text, "the definition of Machine went while its objects were listed");
    bridge_know(bridge, BRIDGE_KNOWS_ALL);
    assert_int_equal(kube_list(bridge_kube(bridge), &fixture->arena, &request, &page, NULL), OK);
    assert_int_equal(page.items.count, 1);
    bridge_free(bridge);
    fixture_free(fixture);
}

TEST(without_the_definition_of_provisioners_nothing_is_translated) {
    Fixture *fixture = fixture_new(1, 0);
    Bridge *bridge = new_bridge(fixture);
    Value first;

    assert_int_equal(list(fixture, bridge, KUBE_NODE, &first), 1);
    assert_string_equal(
        arena_text(&fixture->arena, kube_text(&first, "metadata", "labels", "karpenter.sh/nodepool", NULL)),
        "provisioner/a");
    bridge_know(bridge, 0);
    assert_int_equal(list(fixture, bridge, KUBE_NODE, &first), 1);
    assert_int_equal(kube_text(&first, "metadata", "labels", "karpenter.sh/nodepool", NULL).len, 0);
    assert_int_equal(list(fixture, bridge, KUBE_NODE_POOL, &first), 0);
    assert_int_equal(list(fixture, bridge, KUBE_EC2_NODE_CLASS, &first), 0);
    bridge_free(bridge);
    fixture_free(fixture);
}

TEST(without_the_definition_of_machines_a_provisioner_is_refused_until_it_comes) {
    Fixture *fixture = fixture_new(1, 0);
    Bridge *bridge = new_bridge(fixture);
    Value pool;

    bridge_know(bridge, BRIDGE_KNOWS_PROVISIONERS | BRIDGE_KNOWS_TEMPLATES);
    assert_int_equal(list(fixture, bridge, KUBE_NODE_POOL, &pool), 1);
    assert_true(slice_contains(kube_text(&pool, "metadata", "annotations", "tenon.sh/refused", NULL),
                               SLICE("the cluster has no definition of Machine")));
    bridge_know(bridge, BRIDGE_KNOWS_ALL);
    assert_int_equal(list(fixture, bridge, KUBE_NODE_POOL, &pool), 1);
    assert_int_equal(kube_text(&pool, "metadata", "annotations", "tenon.sh/refused", NULL).len, 0);
    bridge_free(bridge);
    fixture_free(fixture);
}

TEST(watches_of_other_kinds_go_on_when_definitions_change) {
    Fixture *fixture = fixture_new(1, 0);
    Bridge *bridge = new_bridge(fixture);
    KubeWatch *handle;
    Seen seen;

    handle = watch(fixture, bridge, KUBE_POD, &seen);
    bridge_know(bridge, 0);
    assert_false(seen.ended);
    end(bridge, handle, &seen);
    bridge_free(bridge);
    fixture_free(fixture);
}
