// Deployments: rolling updates and Recreate with ReplicaSets.
//
// Steps and arithmetic are those of the real controller (rolling.go, recreate.go), one step per call: its writes make
// the Deployment due again.
#include "sim/workloads/deployment.h"

#include "sim/workloads/writing.h"

static void read_deployment(SimWorkload *deployment) {
    const Value *spec = workload_spec(deployment), *rolling = value_at(spec, "strategy", "rollingUpdate", NULL);
    DeploymentPart *part = &deployment->deployment;

    part->replicas = read_int(spec, "replicas", 1);
    part->recreate = slice_eq_text(kube_text(spec, "strategy", "type", NULL), "Recreate");
    part->paused = read_bool(spec, "paused");
    part->history_limit = read_int(spec, "revisionHistoryLimit", 10);
    part->min_ready_s = read_int(spec, "minReadySeconds", 0);
    part->max_surge = part->recreate ? 0 : read_share(rolling, "maxSurge", part->replicas, true, 0);
    part->max_unavailable = part->recreate ? 0 : read_share(rolling, "maxUnavailable", part->replicas, false, 0);
    if (!part->recreate && part->max_surge == 0 && part->max_unavailable == 0)
        part->max_unavailable = 1;
    if (part->max_unavailable > part->replicas)
        part->max_unavailable = part->replicas;
    if (part->template_generation != deployment->generation)
        part->set = SLOT_NONE;
    part->template_generation = deployment->generation;
}

// Rolling update.

static bool resize_newest(SimWorkload *deployment, const Sets *sets) {
    int64_t wanted = deployment->deployment.replicas, present = sets->newest->replica_set.replicas;

    if (present == wanted)
        return false;
    return deployment_scale_set(deployment, sets->newest,
                                present > wanted ? wanted : deployment_new_size(deployment, sets));
}

// Deletes unhealthy pods of old templates first.
static int64_t shrink_unhealthy(SimWorkload *deployment, const Sets *sets, int64_t most) {
    int64_t done = 0;

    for (uint32_t i = 0; i < sets->count && done < most; i++) {
        SimWorkload *set = sets->items[i];
        int64_t replicas = set->replica_set.replicas, spare = replicas - deployment_set_available(set);

        if (set == sets->newest || spare <= 0)
            continue;
        if (spare > most - done)
            spare = most - done;
        if (deployment_scale_set(deployment, set, replicas - spare))
            done += spare;
    }
    return done;
}

static void shrink_old(SimWorkload *deployment, const Sets *sets, int64_t least_available) {
    int64_t most = deployment_sets_available(sets) - least_available, done = 0;

    for (uint32_t i = 0; i < sets->count && done < most; i++) {
        SimWorkload *set = sets->items[i];
        int64_t replicas = set->replica_set.replicas, less = replicas < most - done ? replicas : most - done;

        if (set == sets->newest || replicas == 0)
            continue;
        if (deployment_scale_set(deployment, set, replicas - less))
            done += less;
    }
}

static void shrink(SimWorkload *deployment, const Sets *sets) {
    int64_t least = deployment->deployment.replicas - deployment->deployment.max_unavailable;
    int64_t all = deployment_sets_replicas(sets), most;
    int64_t unavailable = sets->newest->replica_set.replicas - deployment_set_available(sets->newest);

    if (all == sets->newest->replica_set.replicas)
        return;
    most = all - least - unavailable;
    if (most <= 0)
        return;
    shrink_unhealthy(deployment, sets, most);
    shrink_old(deployment, sets, least);
}

static void roll(SimWorkload *deployment, Sets *sets) {
    if (!deployment_make_set(deployment, sets))
        return;
    *sets = deployment_sets(deployment, &deployment->workloads->scratch);
    if (!resize_newest(deployment, sets))
        shrink(deployment, sets);
}

// Recreate: all old pods have to end first.

static bool shrink_all_old(SimWorkload *deployment, const Sets *sets) {
    bool any = false;

    for (uint32_t i = 0; i < sets->count; i++) {
        if (sets->items[i] != sets->newest && sets->items[i]->replica_set.replicas > 0)
            any |= deployment_scale_set(deployment, sets->items[i], 0);
    }
    return any;
}

static bool old_pods_run(const Sets *sets) {
    for (uint32_t i = 0; i < sets->count; i++) {
        const PodCounts *pods = &sets->items[i]->pods;

        if (sets->items[i] != sets->newest && pods->active + pods->terminating > 0)
            return true;
    }
    return false;
}

static void recreate(SimWorkload *deployment, Sets *sets) {
    SimWorkload *set;

    if (shrink_all_old(deployment, sets) || old_pods_run(sets))
        return;
    set = deployment_make_set(deployment, sets);
    if (set)
        deployment_scale_set(deployment, set, deployment->deployment.replicas);
}

// The end of a rollout.

static bool is_complete(const SimWorkload *deployment, const Sets *sets) {
    int64_t wanted = deployment->deployment.replicas, active = 0;

    for (uint32_t i = 0; i < sets->count; i++)
        active += sets->items[i]->pods.active;
    return sets->newest && sets->newest->pods.active == wanted && active == wanted &&
           deployment_sets_available(sets) == wanted;
}

static bool may_go(const Sets *sets, const SimWorkload *set) {
    return set != sets->newest && !set->deleting && set->replica_set.replicas == 0 && set->pods.active == 0 &&
           set->pods.terminating == 0;
}

static void remove_history(const SimWorkload *deployment, const Sets *sets) {
    int64_t old = 0, surplus;

    for (uint32_t i = 0; i < sets->count; i++)
        old += sets->items[i] != sets->newest && !sets->items[i]->deleting;
    surplus = old - deployment->deployment.history_limit;
    while (surplus-- > 0) {
        SimWorkload *first = NULL;

        for (uint32_t i = 0; i < sets->count; i++) {
            SimWorkload *set = sets->items[i];

            if (may_go(sets, set) && (!first || set->replica_set.revision < first->replica_set.revision))
                first = set;
        }
        if (!first)
            return;
        first->deleting = true; // the watch will deliver it
        workload_delete(first);
    }
}

static void sync_deployment(SimWorkload *deployment) {
    Sets sets = deployment_sets(deployment, &deployment->workloads->scratch);

    if (!deployment->deleting) {
        if (deployment->deployment.paused || deployment_is_scaling(deployment, &sets))
            deployment_scale(deployment, &sets);
        else if (deployment->deployment.recreate)
            recreate(deployment, &sets);
        else
            roll(deployment, &sets);
        sets = deployment_sets(deployment, &deployment->workloads->scratch);
        if (is_complete(deployment, &sets))
            remove_history(deployment, &sets);
    }
    workload_write_status(deployment);
}

// Status.

static void add_conditions(SimWorkload *deployment, Arena *arena, Value *status, const Sets *sets) {
    const DeploymentPart *part = &deployment->deployment;
    Value *conditions = put_list(arena, status, "conditions");
    bool enough = deployment_sets_available(sets) >= part->replicas - part->max_unavailable;
    Slice name = sets->newest ? workload_name(sets->newest) : SLICE("");
    const char *message;

    workload_keep_condition(deployment, arena, conditions, "Available", enough ? "True" : "False",
                            enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                            enough ? "Deployment has minimum availability."
                                   : "Deployment does not have minimum availability.");
    if (!sets->newest)
        return;
    message = arena_printf(arena,
                           is_complete(deployment, sets) ? "ReplicaSet \"%.*s\" has successfully progressed."
                                                         : "ReplicaSet \"%.*s\" is progressing.",
                           SLICE_ARG(name))
                  .ptr;
    workload_keep_condition(deployment, arena, conditions, "Progressing", "True",
                            is_complete(deployment, sets) ? "NewReplicaSetAvailable" : "ReplicaSetUpdated", message);
}

static void status_of_deployment(SimWorkload *deployment, Arena *arena, Value *status) {
    Sets sets = deployment_sets(deployment, arena);
    int64_t active = 0, ready = 0, available = deployment_sets_available(&sets),
            wanted = deployment_sets_replicas(&sets);

    for (uint32_t i = 0; i < sets.count; i++) {
        active += sets.items[i]->pods.active;
        ready += sets.items[i]->pods.ready;
    }
    put_int(arena, status, "observedGeneration", deployment->generation);
    workload_put_count(arena, status, "replicas", active);
    workload_put_count(arena, status, "updatedReplicas", sets.newest ? sets.newest->pods.active : 0);
    workload_put_count(arena, status, "readyReplicas", ready);
    workload_put_count(arena, status, "availableReplicas", available);
    workload_put_count(arena, status, "unavailableReplicas", wanted > available ? wanted - available : 0);
    workload_put_count(arena, status, "collisionCount", deployment->deployment.collisions);
    add_conditions(deployment, arena, status, &sets);
}

const SimWorkloadKind deployment_kind = {
    KUBE_DEPLOYMENT, read_deployment, sync_deployment, status_of_deployment, NULL, NULL};
