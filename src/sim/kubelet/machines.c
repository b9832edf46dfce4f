// Instances become Nodes: boot, registration, readiness, device plugins; and kubelets that fall silent.
//
// A kubelet's labels and taints are those of the NodeClaim when the instance is first seen, as user data is fixed at
// launch.
#include "sim/kubelet/machines.h"

#include "base/alloc.h"
#include "sim/kubelet/context.h"
#include "sim/kubelet/node_life.h"
#include "sim/kubelet/node_object.h"
#include "sim/kubelet/records.h"

bool kubelet_machine_is_alive(const KubeletMachine *machine) {
    return machine->instance.state == SIM_INSTANCE_RUNNING && machine->instance.will_join &&
           !machine->instance.is_impaired && !machine->stopped && !machine->rebooting;
}

static KubeletMachine *find_machine(SimKubelets *kubelets, Symbol provider_id) {
    uint32_t index = u64_map_get(&kubelets->machines_by_provider, provider_id);

    return index == INDEX_NONE ? NULL : kubelets->machines.items[index];
}

KubeletMachine *kubelet_machine_of_node(SimKubelets *kubelets, const Node *node) {
    return node->provider_id ? find_machine(kubelets, node->provider_id) : NULL;
}

bool kubelet_node_is_served(SimKubelets *kubelets, const Node *node) {
    const KubeletMachine *machine = kubelet_machine_of_node(kubelets, node);

    return machine ? kubelet_machine_is_alive(machine) : kubelet_node_readiness(kubelets, node) == NODE_READY;
}

static Handle node_of(const KubeletMachine *machine) {
    const HandleVec *nodes = state_nodes_with_provider_id(machine->kubelets->state, machine->instance.provider_id);

    return nodes->count ? nodes->items[0] : HANDLE_NONE;
}

static KubeRef node_ref(const KubeletMachine *machine) {
    return (KubeRef){KUBE_NODE, SLICE(""), kubelets_text(machine->kubelets, machine->instance.node_name)};
}

static int64_t later(KubeletMachine *machine, SimSpan span, int64_t least_ms, int64_t most_ms) {
    SimKubelets *kubelets = machine->kubelets;

    return kubelets_now(kubelets) + kubelets_draw(&kubelets->node_random, span, least_ms, most_ms);
}

// Phases of a boot. A machine that dies meanwhile goes on with them when it is back.

static void ring_devices(void *context) {
    KubeletMachine *machine = context;
    Arena *arena = &machine->kubelets->scratch;
    ArenaMark mark = arena_mark(arena);
    Value patch;

    machine->devices = 0;
    if (!kubelet_machine_is_alive(machine))
        return;
    patch = kubelet_node_devices_patch(machine, arena);
    kubelets_patch(machine->kubelets, KUBELET, node_ref(machine), KUBE_STATUS, &patch);
    machine->plugged = true;
    arena_rewind(arena, mark);
}

static void ring_csi(void *context) {
    KubeletMachine *machine = context;
    SimKubelets *kubelets = machine->kubelets;
    const Node *node = state_node(kubelets->state, node_of(machine));
    ArenaMark mark = arena_mark(&kubelets->scratch);
    KubeError error;
    Value object;

    machine->csi = 0;
    if (!kubelet_machine_is_alive(machine) || !node)
        return;
    machine->has_driver = true;
    object = kubelet_csi_node_object(machine, &kubelets->scratch, node);
    CHECK(kube_create(kubelets->kube, NULL, KUBELET, KUBE_CSI_NODE, &object, NULL, &error) == OK ||
              error.reason == KUBE_REASON_ALREADY_EXISTS,
          "%s", error.err.text);
    arena_rewind(&kubelets->scratch, mark);
}

static void write_ready(KubeletMachine *machine) {
    SimKubelets *kubelets = machine->kubelets;
    ArenaMark mark = arena_mark(&kubelets->scratch);
    Value patch = kubelet_node_ready_patch(machine, &kubelets->scratch, kubelets_now(kubelets), true);

    kubelets_patch(kubelets, KUBELET, node_ref(machine), KUBE_STATUS, &patch);
    arena_rewind(&kubelets->scratch, mark);
}

static void arm_plugins(KubeletMachine *machine) {
    SimKubelets *kubelets = machine->kubelets;
    const SimKubeletConfig *config = &kubelets->config;

    if (!machine->has_driver && !machine->csi)
        kubelets_alarm(kubelets, &machine->csi, later(machine, config->csi, 2000, 6000), ring_csi, machine);
    if (kubelet_machine_has_devices(machine) && !machine->plugged && !machine->devices)
        kubelets_alarm(kubelets, &machine->devices, later(machine, config->device_plugin, 10000, 30000), ring_devices,
                       machine);
}

static void ring_ready(void *context) {
    KubeletMachine *machine = context;

    machine->alarm = 0;
    if (!kubelet_machine_is_alive(machine))
        return;
    machine->ready = true;
    write_ready(machine);
    arm_plugins(machine);
}

// The cloud controller has initialized the Node.
static void ring_init(void *context) {
    KubeletMachine *machine = context;
    SimKubelets *kubelets = machine->kubelets;
    Arena *arena = &kubelets->scratch;
    ArenaMark mark = arena_mark(arena);
    Value node, patch = value_map(), taints = value_list();

    machine->init = 0;
    if (kube_get(kubelets->kube, arena, node_ref(machine), &node, NULL) == OK) {
        for (vec_each(const Value, taint, read_list(value_get_text(&node, "spec"), "taints"))) {
            if (!slice_eq_text(kube_text(taint, "key", NULL), "node.cloudprovider.kubernetes.io/uninitialized"))
                value_append(arena, &taints, *taint);
        }
        value_put(arena, put_map(arena, &patch, "spec"), SLICE("taints"), taints);
        kubelets_patch(kubelets, SLICE("aws-cloud-controller-manager"), node_ref(machine), KUBE_OBJECT, &patch);
    }
    arena_rewind(arena, mark);
}

static void arm_ready(KubeletMachine *machine) {
    SimKubelets *kubelets = machine->kubelets;

    if (!machine->never_ready)
        kubelets_alarm(kubelets, &machine->alarm, later(machine, kubelets->config.ready, 4000, 8000), ring_ready,
                       machine);
}

static void note_join(KubeletMachine *machine) {
    SimKubelets *kubelets = machine->kubelets;

    machine->joined = true;
    machine->never_ready = kubelets->never_ready > 0;
    if (kubelets->never_ready > 0 && kubelets->never_ready != UINT32_MAX)
        kubelets->never_ready--;
    kubelets->counts.nodes_joined++;
    kubelets_alarm(kubelets, &machine->init, later(machine, kubelets->config.cloud_init, 200, 1000), ring_init,
                   machine);
    arm_ready(machine);
}

static void ring_join(void *context) {
    KubeletMachine *machine = context;
    SimKubelets *kubelets = machine->kubelets;
    const SimKubeletConfig *config = &kubelets->config;
    ArenaMark mark = arena_mark(&kubelets->scratch);
    KubeError error;
    Value node;

    machine->alarm = 0;
    if (!kubelet_machine_is_alive(machine))
        return;
    node = kubelet_node_object(machine, &kubelets->scratch);
    if (kube_create(kubelets->kube, NULL, KUBELET, KUBE_NODE, &node, NULL, &error) != OK) {
        CHECK(error.reason == KUBE_REASON_ALREADY_EXISTS, "a kubelet makes its node: %s", error.err.text);
        kubelets_alarm(kubelets, &machine->alarm, later(machine, config->join, 8000, 16000), ring_join, machine);
    } else {
        note_join(machine);
    }
    arena_rewind(&kubelets->scratch, mark);
}

// Silent kubelets.

static void ring_silence(void *context) {
    KubeletMachine *machine = context;

    machine->silence = 0;
    if (node_of(machine).generation == 0)
        return;
    machine->kubelets->counts.nodes_lost++;
    kubelet_node_mark_unknown(machine->kubelets, node_of(machine));
}

static void ring_removal(void *context) {
    KubeletMachine *machine = context;
    SimKubelets *kubelets = machine->kubelets;
    const Node *node = state_node(kubelets->state, node_of(machine));

    machine->removal = 0;
    if (!node || node->meta.deleting)
        return;
    if (kube_remove(kubelets->kube, node_ref(machine), &(KubeDeletion){.uid = kubelets_text(kubelets, node->meta.uid)},
                    NULL) == OK)
        kubelets->counts.nodes_removed++;
}

// The cloud controller checks the instances of Nodes that are not ready.
static void consider_removal(KubeletMachine *machine) {
    SimKubelets *kubelets = machine->kubelets;
    const Node *node = state_node(kubelets->state, node_of(machine));

    if (kubelets->config.keeps_dead_nodes || machine->removal || machine->instance.state != SIM_INSTANCE_TERMINATED ||
        !node || kubelet_node_readiness(kubelets, node) == NODE_READY)
        return;
    kubelets_alarm(kubelets, &machine->removal, kubelets_now(kubelets) + CLOUD_CHECK_S * NS_PER_S, ring_removal,
                   machine);
}

static void fall_silent(KubeletMachine *machine) {
    SimKubelets *kubelets = machine->kubelets;
    int64_t grace_ns = kubelets->config.grace_ns ? kubelets->config.grace_ns : 40 * NS_PER_S;

    kubelets_cancel(kubelets, &machine->alarm);
    if (!machine->joined || machine->silent_ns)
        return;
    machine->silent_ns = kubelets_now(kubelets);
    kubelets_alarm(kubelets, &machine->silence, machine->silent_ns + grace_ns, ring_silence, machine);
}

static void wake_up(KubeletMachine *machine) {
    SimKubelets *kubelets = machine->kubelets;
    const SimKubeletConfig *config = &kubelets->config;
    Handle node = node_of(machine);

    if (machine->silent_ns) {
        machine->silent_ns = 0;
        kubelets_cancel(kubelets, &machine->silence);
        if (node.generation)
            kubelet_node_pods_due(kubelets, node);
        if (machine->ready && node.generation &&
            kubelet_node_readiness(kubelets, state_node(kubelets->state, node)) != NODE_READY)
            write_ready(machine);
    }
    if (!machine->joined && !machine->alarm)
        kubelets_alarm(kubelets, &machine->alarm, later(machine, config->join, 8000, 16000), ring_join, machine);
    else if (machine->joined && !machine->ready && !machine->alarm)
        arm_ready(machine);
    else if (machine->ready)
        arm_plugins(machine);
}

static void update(KubeletMachine *machine) {
    if (kubelet_machine_is_alive(machine))
        wake_up(machine);
    else
        fall_silent(machine);
    consider_removal(machine);
}

// Reboots.

static void report(KubeletMachine *machine, SimNodeCondition condition) {
    machine->reported = condition;
    machine->reported_ns = kubelets_now(machine->kubelets);
    if (machine->ready && kubelet_machine_is_alive(machine))
        write_ready(machine);
}

// The condition says the opposite from now on.
static void recover(KubeletMachine *machine) {
    bool was_true = slice_eq_text(machine->reported.status, "True");

    if (machine->reported.type.len)
        report(machine, (SimNodeCondition){machine->reported.type, was_true ? SLICE("False") : SLICE("True"),
                                           SLICE("Recovered")});
}

// The kubelet is back, with another boot id, and what ailed the machine is over.
static void ring_boot(void *context) {
    KubeletMachine *machine = context;
    SimKubelets *kubelets = machine->kubelets;
    ArenaMark mark = arena_mark(&kubelets->scratch);
    Value patch;

    machine->boot = 0;
    machine->rebooting = false;
    machine->ready = machine->plugged = false;
    recover(machine);
    if (kubelet_machine_is_alive(machine) && machine->joined) {
        patch = kubelet_node_booted_patch(machine, &kubelets->scratch, kubelets_now(kubelets));
        kubelets_patch(kubelets, KUBELET, node_ref(machine), KUBE_STATUS, &patch);
    }
    arena_rewind(&kubelets->scratch, mark);
    update(machine);
}

static void reboot(KubeletMachine *machine) {
    SimKubelets *kubelets = machine->kubelets;

    machine->rebooting = true;
    kubelets_cancel(kubelets, &machine->boot);
    kubelets_alarm(kubelets, &machine->boot, later(machine, kubelets->config.reboot, 30000, 60000), ring_boot, machine);
}

// Changes by the cloud and by faults.

static Labels copy_labels(Arena *arena, const Labels *labels) {
    Labels copy = *labels;

    copy.items = arena_copy(arena, labels->items, labels->count * sizeof *labels->items);
    copy.capacity = copy.count;
    return copy;
}

static void add_taints(KubeletMachine *machine, const TaintVec *taints) {
    for (vec_each(const Taint, taint, taints))
        vec_push(&machine->arena, &machine->taints, *taint);
}

static void read_claim(KubeletMachine *machine) {
    const State *state = machine->kubelets->state;
    const NodeClaim *claim =
        state_node_claim(state, state_find(state, KUBE_NODE_CLAIM, NAME_EMPTY, machine->instance.claim_name));

    if (!claim)
        return;
    machine->claim_labels = copy_labels(&machine->arena, &claim->meta.labels);
    add_taints(machine, &claim->spec.taints);
    add_taints(machine, &claim->spec.startup_taints);
}

static KubeletMachine *add_machine(SimKubelets *kubelets, const SimInstance *instance) {
    KubeletMachine *machine = NEW(KubeletMachine);

    machine->kubelets = kubelets;
    machine->index = kubelets->machines.count;
    machine->instance = *instance;
    machine->instance.labels = copy_labels(&machine->arena, &instance->labels);
    machine->instance.capacity = resources_copy(&machine->arena, &instance->capacity);
    machine->instance.allocatable = resources_copy(&machine->arena, &instance->allocatable);
    if (instance->claim_name)
        read_claim(machine);
    else
        add_taints(machine, &instance->taints);
    vec_push(&kubelets->arena, &kubelets->machines, machine);
    u64_map_put(&kubelets->arena, &kubelets->machines_by_provider, instance->provider_id, machine->index);
    return machine;
}

void sim_kubelets_change(SimKubelets *kubelets, const SimInstance *instance) {
    KubeletMachine *machine = find_machine(kubelets, instance->provider_id);

    if (!machine)
        machine = add_machine(kubelets, instance);
    if (machine->instance.reboots != instance->reboots)
        reboot(machine);
    machine->instance.reboots = instance->reboots;
    machine->instance.state = instance->state;
    machine->instance.is_impaired = instance->is_impaired;
    machine->instance.will_join = instance->will_join;
    update(machine);
}

static KubeletMachine *machine_of_name(SimKubelets *kubelets, Slice name) {
    Symbol symbol = symbol_find(kubelets->symbols, name);
    Handle handle = symbol == INDEX_NONE ? HANDLE_NONE : state_find(kubelets->state, KUBE_NODE, NAME_EMPTY, symbol);
    const Node *node = state_node(kubelets->state, handle);

    return node ? kubelet_machine_of_node(kubelets, node) : NULL;
}

static bool set_stopped(SimKubelets *kubelets, Slice name, bool stopped) {
    KubeletMachine *machine = machine_of_name(kubelets, name);

    if (!machine)
        return false;
    machine->stopped = stopped;
    update(machine);
    return true;
}

bool sim_kubelet_stop(SimKubelets *kubelets, Slice node) {
    return set_stopped(kubelets, node, true);
}

bool sim_kubelet_start(SimKubelets *kubelets, Slice node) {
    return set_stopped(kubelets, node, false);
}

bool sim_kubelet_report(SimKubelets *kubelets, Slice node, const SimNodeCondition *condition) {
    KubeletMachine *machine = machine_of_name(kubelets, node);

    if (!machine)
        return false;
    report(machine, (SimNodeCondition){slice_of(arena_text(&machine->arena, condition->type)),
                                       slice_of(arena_text(&machine->arena, condition->status)),
                                       slice_of(arena_text(&machine->arena, condition->reason))});
    return true;
}

void sim_kubelet_recover(SimKubelets *kubelets, Slice node) {
    KubeletMachine *machine = machine_of_name(kubelets, node);

    if (machine)
        recover(machine);
}

void sim_kubelets_never_ready(SimKubelets *kubelets, uint32_t count) {
    kubelets->never_ready = count;
}

void kubelet_machine_observe_node(SimKubelets *kubelets, const StateChange *change) {
    const Node *node = change->after;
    KubeletMachine *machine = node ? kubelet_machine_of_node(kubelets, node) : NULL;

    if (machine)
        consider_removal(machine);
}

void kubelet_machine_free(KubeletMachine *machine) {
    Alarm *alarms[] = {&machine->alarm,   &machine->csi,     &machine->devices, &machine->init,
                       &machine->silence, &machine->removal, &machine->boot};

    for (size_t i = 0; i < sizeof alarms / sizeof *alarms; i++)
        kubelets_cancel(machine->kubelets, alarms[i]);
    arena_free(&machine->arena);
    free(machine);
}
