// All metrics of tenon. The registry, /metrics, docs/metrics.md and the tests are made from this list.
//
// Names, labels, help and buckets are Karpenter's, so that dashboards and alerts made for it work unchanged (reference
// lifecycle.md 7.1, changes.md 1.8, 2, 4.2 and 6). Names beginning with `tenon_` are tenon's own.
//
// X(ID, type, buckets, source, "name", "labels", "help"). Sources:
//   FED     counted when it happens (observer/observer.h, meter.h, the process)
//   READ    computed from a snapshot of the cluster when a page is requested (collect/collect.h)
//   ASKED   asked of the cloud when a page is requested (page.h, PageCloud)
//   AWAITS  declared, but nothing measures it yet: never exposed
#pragma once

#define LABELS_NODE                                                                                                    \
    "nodepool zone region instance_type arch os capacity_type windows_build instance_size instance_family "            \
    "instance_cpu instance_memory node_name phase managed"
#define LABELS_DISRUPTED "reason nodepool capacity_type consolidation_policy termination_mode"
#define LABELS_CONDITION "namespace name type status reason"
#define LABELS_CLASS     " karpenter_k8s_aws_ec2nodeclass karpenter_kwok_sh_kwoknodeclass"
#define LABELS_CLAIM     " karpenter_sh_nodepool" LABELS_CLASS
#define LABELS_HOST      LABELS_CLAIM " karpenter_sh_initialized"

// Condition metrics of one kind, operator_<kind>_…; `more`: additional labels of the kind.
#define CONDITION_METRICS(X, KIND, kind, more)                                                                         \
    X(KIND##_CONDITION_COUNT, GAUGE, NONE, READ, "operator_" kind "_status_condition_count", LABELS_CONDITION more,    \
      "The number of a condition for a given object, type and status: 1 for each that there is")                       \
    X(KIND##_CONDITION_SECONDS, GAUGE, NONE, READ, "operator_" kind "_status_condition_current_status_seconds",        \
      LABELS_CONDITION more, "The current amount of time in seconds that a condition has been in its status")          \
    X(KIND##_TRANSITIONS, COUNTER, NONE, FED, "operator_" kind "_status_condition_transitions_total",                  \
      "type status reason" more, "The count of transitions of a condition to a status")                                \
    X(KIND##_TRANSITION_SECONDS, HISTOGRAM, CONDITION, FED, "operator_" kind "_status_condition_transition_seconds",   \
      "type status" more, "The amount of time a condition was in a status before it left it")                          \
    X(KIND##_TERMINATION_NOW, GAUGE, NONE, READ, "operator_" kind "_termination_current_time_seconds",                 \
      "namespace name" more, "The current amount of time in seconds that an object has been in terminating state")     \
    X(KIND##_TERMINATION_SECONDS, HISTOGRAM, CONDITION, FED, "operator_" kind "_termination_duration_seconds", more,   \
      "The amount of time taken by an object to terminate completely")

#define METRICS_OF_CLAIMS(X)                                                                                           \
    X(NODECLAIMS_CREATED, COUNTER, NONE, FED, "karpenter_nodeclaims_created_total",                                    \
      "reason nodepool min_values_relaxed",                                                                            \
      "Number of nodeclaims created in total, by the reason of creation and the owning nodepool")                      \
    X(NODECLAIMS_TERMINATED, COUNTER, NONE, FED, "karpenter_nodeclaims_terminated_total",                              \
      "nodepool capacity_type zone", "Number of nodeclaims terminated in total, by the owning nodepool")               \
    X(NODECLAIMS_DISRUPTED, COUNTER, NONE, FED, "karpenter_nodeclaims_disrupted_total", LABELS_DISRUPTED,              \
      "Number of nodeclaims disrupted in total, by the reason of the disruption and the owning nodepool")              \
    X(NODECLAIMS_UNHEALTHY_DISRUPTED, COUNTER, NONE, FED, "karpenter_nodeclaims_unhealthy_disrupted_total",            \
      "condition nodepool capacity_type image_id termination_mode",                                                    \
      "Number of unhealthy nodeclaims disrupted in total, by the condition on the node and the owning nodepool")       \
    X(NODECLAIMS_INSTANCE_TERMINATION, HISTOGRAM, TERMINATION_11, FED,                                                 \
      "karpenter_nodeclaims_instance_termination_duration_seconds", "nodepool",                                        \
      "Duration of cloud provider instance termination in seconds")                                                    \
    X(NODECLAIMS_TERMINATION, HISTOGRAM, TERMINATION_12, FED, "karpenter_nodeclaims_termination_duration_seconds",     \
      "nodepool", "Duration of nodeclaim termination in seconds")

#define METRICS_OF_NODES(X)                                                                                            \
    X(NODES_CREATED, COUNTER, NONE, FED, "karpenter_nodes_created_total", "nodepool zone",                             \
      "Number of nodes created in total by tenon, by the owning nodepool and zone")                                    \
    X(NODES_TERMINATED, COUNTER, NONE, FED, "karpenter_nodes_terminated_total", "nodepool zone",                       \
      "Number of nodes terminated in total by tenon, by the owning nodepool and zone")                                 \
    X(NODES_DRAINED, COUNTER, NONE, FED, "karpenter_nodes_drained_total", "nodepool",                                  \
      "The total number of nodes drained by tenon")                                                                    \
    X(NODES_TERMINATION, SUMMARY, NONE, FED, "karpenter_nodes_termination_duration_seconds", "nodepool",               \
      "The time taken between a node's deletion request and the removal of its finalizer")                             \
    X(NODES_LIFETIME, HISTOGRAM, LIFETIME, FED, "karpenter_nodes_lifetime_duration_seconds", "nodepool",               \
      "The lifetime duration of the nodes since creation")                                                             \
    X(NODES_ALLOCATABLE, GAUGE, NONE, READ, "karpenter_nodes_allocatable", LABELS_NODE " resource_type",               \
      "Node allocatable are the resources allocatable by nodes")                                                       \
    X(NODES_POD_REQUESTS, GAUGE, NONE, READ, "karpenter_nodes_total_pod_requests", LABELS_NODE " resource_type",       \
      "Node total pod requests are the resources requested by pods bound to nodes, including the DaemonSet pods")      \
    X(NODES_POD_LIMITS, GAUGE, NONE, AWAITS, "karpenter_nodes_total_pod_limits", LABELS_NODE " resource_type",         \
      "Node total pod limits are the resources specified by pod limits, including the DaemonSet pods")                 \
    X(NODES_DAEMON_REQUESTS, GAUGE, NONE, READ, "karpenter_nodes_total_daemon_requests", LABELS_NODE " resource_type", \
      "Node total daemon requests are the resources requested by DaemonSet pods bound to nodes")                       \
    X(NODES_DAEMON_LIMITS, GAUGE, NONE, AWAITS, "karpenter_nodes_total_daemon_limits", LABELS_NODE " resource_type",   \
      "Node total daemon limits are the resources specified by DaemonSet pod limits")                                  \
    X(NODES_OVERHEAD, GAUGE, NONE, READ, "karpenter_nodes_system_overhead", LABELS_NODE " resource_type",              \
      "Node system daemon overhead are the resources reserved for system overhead: capacity less allocatable")         \
    X(NODES_AGE, GAUGE, NONE, READ, "karpenter_nodes_current_lifetime_seconds", LABELS_NODE, "Node age in seconds")    \
    X(CLUSTER_UTILIZATION, GAUGE, NONE, READ, "karpenter_cluster_utilization_percent", "resource_type",                \
      "Utilization of allocatable resources by pod requests")                                                          \
    X(NODES_REBOOTS, COUNTER, NONE, FED, "karpenter_nodes_reboots_total", "result",                                    \
      "Number of node reboots that ended, by their result")                                                            \
    X(NODES_REBOOT_DURATION, HISTOGRAM, REBOOT, FED, "karpenter_nodes_reboot_duration_seconds", "result",              \
      "Time from the request of a reboot to its end")                                                                  \
    X(NODES_REBOOT_RECOVERY, HISTOGRAM, REBOOT, FED, "karpenter_nodes_reboot_recovery_duration_seconds", "",           \
      "Time from the issue of a reboot to the node being ready again")

#define METRICS_OF_POOLS(X)                                                                                            \
    X(NODEPOOLS_LIMIT, GAUGE, NONE, READ, "karpenter_nodepools_limit", "resource_type nodepool",                       \
      "Limits specified on the nodepool that restrict the quantity of resources provisioned")                          \
    X(NODEPOOLS_USAGE, GAUGE, NONE, READ, "karpenter_nodepools_usage", "resource_type nodepool",                       \
      "The amount of resources that have been provisioned for a nodepool")                                             \
    X(NODEPOOLS_COST, GAUGE, NONE, FED, "karpenter_nodepools_cost_total", "nodepool",                                  \
      "The sum of the offering prices of a nodepool's nodeclaims, per hour, when disruption last looked")              \
    X(NODEPOOLS_COST_ERRORS, COUNTER, NONE, FED, "karpenter_nodepools_cost_tracker_errors_total", "nodepool",          \
      "Number of prices that could not be found for a nodepool's nodeclaims")                                          \
    X(NODEPOOLS_ALLOWED_DISRUPTIONS, GAUGE, NONE, FED, "karpenter_nodepools_allowed_disruptions", "nodepool reason",   \
      "The number of nodes for a given nodepool that can be concurrently disrupting")                                  \
    X(NODEPOOLS_CONSUMING_BUDGETS, GAUGE, NONE, FED, "karpenter_nodepools_nodes_consuming_budgets", "nodepool reason", \
      "The number of nodes of a nodepool that consume its disruption budgets")

#define METRICS_OF_PODS(X)                                                                                             \
    X(PODS_STATE, GAUGE, NONE, READ, "karpenter_pods_state",                                                           \
      "name namespace owner node scheduled nodepool zone arch capacity_type instance_type phase ready managed",        \
      "Pod state is the current state of pods: 1 for each pod")                                                        \
    X(PODS_STARTUP, SUMMARY, NONE, FED, "karpenter_pods_startup_duration_seconds", "",                                 \
      "The time from pod creation until the pod is ready")                                                             \
    X(PODS_BOUND, HISTOGRAM, DURATION, FED, "karpenter_pods_bound_duration_seconds", "",                               \
      "The time from pod creation until the pod is bound")                                                             \
    X(PODS_UNSTARTED, GAUGE, NONE, READ, "karpenter_pods_unstarted_time_seconds", "name namespace",                    \
      "The time from pod creation until now, of pods that are not ready yet")                                          \
    X(PODS_UNBOUND, GAUGE, NONE, READ, "karpenter_pods_unbound_time_seconds", "name namespace",                        \
      "The time from pod creation until now, of pods that are not bound yet")                                          \
    X(PODS_PROVISIONING_BOUND, HISTOGRAM, DURATION, FED, "karpenter_pods_provisioning_bound_duration_seconds", "",     \
      "The time from the first plan that places a pod until the pod is bound")                                         \
    X(PODS_PROVISIONING_STARTUP, HISTOGRAM, DURATION, FED, "karpenter_pods_provisioning_startup_duration_seconds", "", \
      "The time from the first plan that places a pod until the pod is ready")                                         \
    X(PODS_PROVISIONING_UNBOUND, GAUGE, NONE, READ, "karpenter_pods_provisioning_unbound_time_seconds",                \
      "name namespace", "The time from the first plan that places a pod until now, while it is not bound")             \
    X(PODS_PROVISIONING_UNSTARTED, GAUGE, NONE, READ, "karpenter_pods_provisioning_unstarted_time_seconds",            \
      "name namespace", "The time from the first plan that places a pod until now, while it is not ready")             \
    X(PODS_UNDECIDED, GAUGE, NONE, READ, "karpenter_pods_provisioning_scheduling_undecided_time_seconds",              \
      "name namespace", "The time since a pod that waits was first seen, while no plan has looked at it")              \
    X(PODS_DECISION, HISTOGRAM, DURATION, FED, "karpenter_pods_scheduling_decision_duration_seconds", "",              \
      "The time from first seeing a pod until the first plan that looked at it")                                       \
    X(PODS_EVICTIONS, COUNTER, NONE, FED, "karpenter_pods_eviction_requests_total", "code",                            \
      "The total number of eviction requests made by tenon, by the HTTP code of the answer")                           \
    X(PODS_DRAINED, COUNTER, NONE, FED, "karpenter_pods_drained_total", "reason",                                      \
      "The total number of pods evicted or deleted while draining, by the reason of the disruption")                   \
    X(PODS_DISRUPTION_INITIATED, COUNTER, NONE, FED, "karpenter_pods_disruption_initiated_total", LABELS_DISRUPTED,    \
      "Number of reschedulable pods on nodeclaims that were disrupted, by reason and owning nodepool")                 \
    X(PODS_COST_WRITES, COUNTER, NONE, FED, "karpenter_pod_deletion_cost_pod_annotation_writes_total", "result",       \
      "Writes of the pod deletion cost annotation, by their result")                                                   \
    X(PODS_COST_PENDING, GAUGE, NONE, FED, "karpenter_pod_deletion_cost_nodes_with_pending_annotation_writes",         \
      "nodepool", "Nodes whose pods still need the pod deletion cost annotation")

#define METRICS_OF_DISRUPTION(X)                                                                                       \
    X(DISRUPTION_DECISIONS, COUNTER, NONE, FED, "karpenter_voluntary_disruption_decisions_total",                      \
      "decision reason consolidation_type", "Number of disruption decisions performed")                                \
    X(DISRUPTION_DECISIONS_BY_POOL, COUNTER, NONE, FED, "karpenter_voluntary_disruption_decisions_by_nodepool_total",  \
      "nodepool decision reason consolidation_type", "Number of disruption decisions performed, by nodepool")          \
    X(DISRUPTION_EVALUATION, HISTOGRAM, DURATION, FED,                                                                 \
      "karpenter_voluntary_disruption_decision_evaluation_duration_seconds", "reason consolidation_type",              \
      "Duration of the disruption decision evaluation process in seconds")                                             \
    X(DISRUPTION_ELIGIBLE, GAUGE, NONE, FED, "karpenter_voluntary_disruption_eligible_nodes", "reason",                \
      "Number of nodes eligible for disruption, by disruption reason")                                                 \
    X(CONSOLIDATION_TIMEOUTS, COUNTER, NONE, AWAITS, "karpenter_voluntary_disruption_consolidation_timeouts_total",    \
      "consolidation_type", "Number of times the consolidation algorithm has reached a timeout")                       \
    X(DISRUPTION_FAILED_VALIDATIONS, COUNTER, NONE, FED, "karpenter_voluntary_disruption_failed_validations_total",    \
      "consolidation_type", "Number of candidates that were selected for disruption but failed validation")            \
    X(DISRUPTION_QUEUE_FAILURES, COUNTER, NONE, FED, "karpenter_voluntary_disruption_queue_failures_total",            \
      "decision reason consolidation_type", "The number of times that an enqueued disruption decision failed")         \
    X(CONSOLIDATION_SCORE, HISTOGRAM, SCORE, FED, "karpenter_consolidation_score", "decision nodepool policy",         \
      "Score of consolidation moves: share of savings over share of disruption")                                       \
    X(CONSOLIDATION_MOVES, COUNTER, NONE, FED, "karpenter_consolidation_moves_total", "decision nodepool policy",      \
      "Number of consolidation moves that were considered, by decision")

// What the cloud says about instances; upstream's names.
#define METRICS_OF_MESSAGES(X)                                                                                         \
    X(MESSAGES_RECEIVED, COUNTER, NONE, FED, "karpenter_interruption_received_messages_total", "message_type",         \
      "Count of messages received from the interruption queue, by the type of the message")                            \
    X(MESSAGES_DELETED, COUNTER, NONE, FED, "karpenter_interruption_deleted_messages_total", "",                       \
      "Count of messages deleted from the interruption queue")                                                         \
    X(MESSAGES_QUEUED, HISTOGRAM, DURATION, FED, "karpenter_interruption_message_queue_duration_seconds", "",          \
      "Amount of time an interruption message is on the queue before it is processed")                                 \
    X(INSTANCES_UNHEALTHY, COUNTER, NONE, FED, "karpenter_interruption_instance_status_unhealthy_total", "category",   \
      "Count of instances whose status checks fail, or for which an event is scheduled, by what is wrong")

#define METRICS_OF_PLANNING(X)                                                                                         \
    X(STATE_NODES, GAUGE, NONE, READ, "karpenter_cluster_state_node_count", "",                                        \
      "Current count of nodes in cluster state")                                                                       \
    X(STATE_SYNCED, GAUGE, NONE, FED, "karpenter_cluster_state_synced", "",                                            \
      "Returns 1 if cluster state is synced and 0 otherwise: every kind was listed once")                              \
    X(STATE_UNSYNCED_TIME, GAUGE, NONE, FED, "karpenter_cluster_state_unsynced_time_seconds", "",                      \
      "The time for which cluster state is not synced")                                                                \
    X(SCHEDULING_DURATION, HISTOGRAM, DURATION, FED, "karpenter_scheduler_scheduling_duration_seconds", "controller",  \
      "Duration of scheduling simulations in seconds")                                                                 \
    X(SCHEDULER_QUEUE_DEPTH, GAUGE, NONE, FED, "karpenter_scheduler_queue_depth", "controller scheduling_id",          \
      "The number of pods waiting to be scheduled")                                                                    \
    X(SCHEDULER_UNFINISHED, GAUGE, NONE, AWAITS, "karpenter_scheduler_unfinished_work_seconds",                        \
      "controller scheduling_id", "How many seconds of work has been done that is in progress")                        \
    X(SCHEDULER_IGNORED, GAUGE, NONE, FED, "karpenter_scheduler_ignored_pods_count", "",                               \
      "Number of pods ignored during scheduling: they failed validation")                                              \
    X(SCHEDULER_UNSCHEDULABLE, GAUGE, NONE, FED, "karpenter_scheduler_unschedulable_pods_count", "controller",         \
      "The number of unschedulable pods")                                                                              \
    X(SCHEDULER_ASIDE, GAUGE, NONE, FED, "tenon_scheduler_pods_set_aside", "controller",                               \
      "The number of pods that the last plan left out because planning them takes too long")                           \
    X(SCHEDULER_CUT_SHORT, COUNTER, NONE, FED, "tenon_scheduler_plans_cut_short_total", "controller",                  \
      "Plans that their deadline (--solve-deadline) ended")                                                            \
    X(SCHEDULER_PENDING_BY_ZONE, GAUGE, NONE, AWAITS, "karpenter_scheduler_pending_pods_by_effective_zone_count",      \
      "controller zone", "Number of pending pods, by the zone that they are bound to")

// What the cloud is asked for, and what it has. Of AWS, but for the first two.
#define METRICS_OF_CLOUD(X)                                                                                            \
    X(CLOUD_DURATION, HISTOGRAM, DEFAULT, FED, "karpenter_cloudprovider_duration_seconds",                             \
      "controller method provider", "Duration of cloud provider method calls")                                         \
    X(CLOUD_ERRORS, COUNTER, NONE, FED, "karpenter_cloudprovider_errors_total", "controller method provider error",    \
      "Total number of errors returned from cloud provider calls")                                                     \
    X(BATCH_TIME, HISTOGRAM, DURATION, FED, "karpenter_cloudprovider_batcher_batch_time_seconds", "batcher",           \
      "Duration of the batching window per batcher")                                                                   \
    X(BATCH_SIZE, HISTOGRAM, SIZE, FED, "karpenter_cloudprovider_batcher_batch_size", "batcher",                       \
      "Size of the request batch per batcher")                                                                         \
    X(LAUNCH_FAILURES, COUNTER, NONE, FED, "karpenter_cloudprovider_instance_launch_failures_total",                   \
      "zone zone_id capacity_type reason",                                                                             \
      "Number of offerings that a fleet asked for and that failed, by zone, capacity type and reason")                 \
    X(TERMINATION_FAILURES, COUNTER, NONE, FED, "karpenter_cloudprovider_instance_termination_failures_total",         \
      "zone zone_id", "Number of instance terminations that failed, by zone")                                          \
    X(USER_DATA_BYTES, GAUGE, NONE, FED, "karpenter_ec2nodeclasses_userdata_bytes", "nodeclass",                       \
      "Size of the user data of the last launch with an EC2NodeClass, before Base64; EC2 takes 16384 bytes")           \
    X(TYPE_CPU, GAUGE, NONE, ASKED, "karpenter_cloudprovider_instance_type_cpu_cores", "instance_type",                \
      "VCPUs cores for a given instance type")                                                                         \
    X(TYPE_MEMORY, GAUGE, NONE, ASKED, "karpenter_cloudprovider_instance_type_memory_bytes", "instance_type",          \
      "Memory, in bytes, for a given instance type")                                                                   \
    X(OFFERING_AVAILABLE, GAUGE, NONE, ASKED, "karpenter_cloudprovider_instance_type_offering_available",              \
      "instance_type capacity_type zone", "Instance type offering availability: 1 where an EC2NodeClass can use it")   \
    X(OFFERING_PRICE, GAUGE, NONE, ASKED, "karpenter_cloudprovider_instance_type_offering_price_estimate",             \
      "instance_type capacity_type zone", "Instance type offering estimated hourly price")                             \
    X(OFFERING_UNAVAILABLE, GAUGE, NONE, ASKED, "tenon_cloudprovider_offering_unavailable_seconds",                    \
      "instance_type capacity_type zone placement_group",                                                              \
      "For how long an offering that lately had no capacity is left alone; 0: it may be tried again")                  \
    X(OFFERING_LAUNCHES, GAUGE, NONE, ASKED, "tenon_cloudprovider_offering_launches_allowed",                          \
      "instance_type capacity_type zone placement_group",                                                              \
      "How many launches may ask at once for an offering that lately had no capacity; 1: it is probed")

// Metrics of the framework that Karpenter is built on; users know them by these names.
#define METRICS_OF_PROCESS(X)                                                                                          \
    X(BUILD_INFO, GAUGE, NONE, FED, "karpenter_build_info", "version goversion goarch commit",                         \
      "A metric with a constant '1' value, labeled by what tenon was built from")                                      \
    X(RECONCILE, COUNTER, NONE, FED, "controller_runtime_reconcile_total", "controller result",                        \
      "Total number of reconciliations per controller")                                                                \
    X(RECONCILE_ERRORS, COUNTER, NONE, FED, "controller_runtime_reconcile_errors_total", "controller",                 \
      "Total number of reconciliation errors per controller")                                                          \
    X(RECONCILE_TIME, HISTOGRAM, RECONCILE, FED, "controller_runtime_reconcile_time_seconds", "controller",            \
      "Length of time per reconciliation per controller: from the call to the end of what it intended")                \
    X(ACTIVE_WORKERS, GAUGE, NONE, AWAITS, "controller_runtime_active_workers", "controller",                          \
      "Number of batches under way per controller")                                                                    \
    X(MAX_RECONCILES, GAUGE, NONE, AWAITS, "controller_runtime_max_concurrent_reconciles", "controller",               \
      "Maximum number of batches under way per controller")                                                            \
    X(QUEUE_ADDS, COUNTER, NONE, AWAITS, "workqueue_adds_total", "name", "Total number of adds handled by workqueue")  \
    X(QUEUE_DEPTH, GAUGE, NONE, AWAITS, "workqueue_depth", "name", "Current depth of workqueue: keys that wait")       \
    X(QUEUE_WAIT, HISTOGRAM, QUEUE, AWAITS, "workqueue_queue_duration_seconds", "name",                                \
      "How long in seconds an item stays in workqueue before being requested")                                         \
    X(QUEUE_WORK, HISTOGRAM, QUEUE, FED, "workqueue_work_duration_seconds", "name",                                    \
      "How long in seconds processing an item from workqueue takes")                                                   \
    X(QUEUE_RETRIES, COUNTER, NONE, AWAITS, "workqueue_retries_total", "name",                                         \
      "Total number of retries handled by workqueue")                                                                  \
    X(QUEUE_UNFINISHED, GAUGE, NONE, AWAITS, "workqueue_unfinished_work_seconds", "name",                              \
      "How many seconds of work is in progress and has not been observed by work_duration")                            \
    X(QUEUE_LONGEST, GAUGE, NONE, AWAITS, "workqueue_longest_running_processor_seconds", "name",                       \
      "How many seconds the longest running batch has been running")                                                   \
    X(CLIENT_REQUESTS, COUNTER, NONE, FED, "client_go_request_total", "code method",                                   \
      "Number of calls of the Kubernetes API, by the HTTP code of the answer and the method")                          \
    X(CLIENT_DURATION, HISTOGRAM, CLIENT, FED, "client_go_request_duration_seconds",                                   \
      "verb group version kind subresource", "Duration of calls of the Kubernetes API in seconds")                     \
    X(AWS_REQUESTS, COUNTER, NONE, FED, "aws_sdk_go_request_total", "service action code",                             \
      "Number of calls of AWS, by the HTTP code of the answer")                                                        \
    X(AWS_ATTEMPTS, COUNTER, NONE, FED, "aws_sdk_go_request_attempt_total", "service action code",                     \
      "Number of requests that calls of AWS took, by the HTTP code of the answer")                                     \
    X(AWS_DURATION, HISTOGRAM, CLIENT, FED, "aws_sdk_go_request_duration_seconds", "service action code",              \
      "Duration of calls of AWS in seconds, with their retries")                                                       \
    X(AWS_ATTEMPT_DURATION, HISTOGRAM, CLIENT, FED, "aws_sdk_go_request_attempt_duration_seconds",                     \
      "service action code", "Duration of single requests to AWS in seconds")                                          \
    X(AWS_RETRIES, HISTOGRAM, RETRIES, FED, "aws_sdk_go_request_retry_count", "service action code",                   \
      "How often calls of AWS were tried again")                                                                       \
    X(LEADER, GAUGE, NONE, FED, "leader_election_master_status", "name",                                               \
      "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master")      \
    X(LEADER_SLOW, COUNTER, NONE, FED, "leader_election_slowpath_total", "name",                                       \
      "Total number of slow path exercised in renewing leader leases")                                                 \
    X(EVENTS_WRITTEN, COUNTER, NONE, FED, "tenon_events_written_total", "", "Kubernetes Events that were written")     \
    X(EVENTS_DROPPED, COUNTER, NONE, FED, "tenon_events_dropped_total", "",                                            \
      "Kubernetes Events that were dropped: too many waited, or the API server refused them")                          \
    X(CLOCK_AHEAD, GAUGE, NONE, FED, "tenon_clock_ahead_seconds", "",                                                  \
      "How far this machine's clock is ahead of the API server's; negative: behind")                                   \
    X(ENGINE_TURNS, COUNTER, NONE, FED, "tenon_engine_turns_total", "", "Turns of the engine")                         \
    X(ENGINE_RELISTS, COUNTER, NONE, FED, "tenon_engine_relists_total", "",                                            \
      "Times that a kind was listed anew because its watch could not go on")                                           \
    X(ENGINE_MAILBOX, GAUGE, NONE, FED, "tenon_engine_mailbox_depth", "", "News and answers that wait for the engine") \
    X(ENGINE_JOBS, GAUGE, NONE, FED, "tenon_engine_jobs_running", "", "Batches and solves that are under way")         \
    X(ENGINE_KEYS, GAUGE, NONE, FED, "tenon_engine_keys_waiting", "",                                                  \
      "Keys of all controllers that wait to be called")                                                                \
    X(SERIES_DROPPED, COUNTER, NONE, FED, "tenon_metrics_series_dropped_total", "metric",                              \
      "Observations that were not kept because their metric has as many series as it may have")

#define DEPRECATED_CONDITION_METRICS(X)                                                                                \
    X(OLD_CONDITION_COUNT, GAUGE, NONE, READ, "operator_status_condition_count", "group kind " LABELS_CONDITION,       \
      "The number of a condition for a given object, type and status. Deprecated: operator_<kind>_…")                  \
    X(OLD_CONDITION_SECONDS, GAUGE, NONE, READ, "operator_status_condition_current_status_seconds",                    \
      "group kind " LABELS_CONDITION, "The time that a condition has been in its status. Deprecated")                  \
    X(OLD_TRANSITIONS, COUNTER, NONE, FED, "operator_status_condition_transitions_total",                              \
      "group kind type status reason", "The count of transitions of a condition to a status. Deprecated")              \
    X(OLD_TRANSITION_SECONDS, HISTOGRAM, CONDITION, FED, "operator_status_condition_transition_seconds",               \
      "group kind type status", "The time a condition was in a status before it left it. Deprecated")                  \
    X(OLD_TERMINATION_NOW, GAUGE, NONE, READ, "operator_termination_current_time_seconds",                             \
      "group kind namespace name", "The time that an object has been in terminating state. Deprecated")                \
    X(OLD_TERMINATION_SECONDS, HISTOGRAM, CONDITION, FED, "operator_termination_duration_seconds", "group kind",       \
      "The time taken by an object to terminate completely. Deprecated")

#define METRICS(X)                                                                                                     \
    METRICS_OF_CLAIMS(X)                                                                                               \
    METRICS_OF_NODES(X)                                                                                                \
    METRICS_OF_POOLS(X)                                                                                                \
    METRICS_OF_PODS(X)                                                                                                 \
    METRICS_OF_DISRUPTION(X)                                                                                           \
    METRICS_OF_MESSAGES(X)                                                                                             \
    METRICS_OF_PLANNING(X)                                                                                             \
    METRICS_OF_CLOUD(X)                                                                                                \
    CONDITION_METRICS(X, NODECLAIM, "nodeclaim", LABELS_CLAIM)                                                         \
    CONDITION_METRICS(X, NODEPOOL, "nodepool", "")                                                                     \
    CONDITION_METRICS(X, NODE, "node", LABELS_HOST)                                                                    \
    CONDITION_METRICS(X, EC2NODECLASS, "ec2nodeclass", "")                                                             \
    CONDITION_METRICS(X, KWOKNODECLASS, "kwoknodeclass", "")                                                           \
    DEPRECATED_CONDITION_METRICS(X)                                                                                    \
    METRICS_OF_PROCESS(X)

// X(NAME, upper bounds in ascending order without +Inf)
#define BUCKETS(X)                                                                                                     \
    X(NONE, 0)                                                                                                         \
    X(RETRIES, 0, 1, 2, 3, 5, 10)                                                                                      \
    X(DEFAULT, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10)                                                       \
    X(DURATION, .005, .01, .025, .05, .1, .15, .2, .25, .3, .35, .4, .45, .5, .6, .7, .8, .9, 1, 1.25, 1.5, 1.75, 2,   \
      2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60, 120, 150, 300, 450, 600)                     \
    X(SIZE, 1, 2, 4, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 125, 150, 175, 200, 225, 250, 275, 300, 350, 400, 450,    \
      500, 550, 600, 700, 800, 900, 1000)                                                                              \
    X(TERMINATION_11, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)                                                     \
    X(TERMINATION_12, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)                                               \
    X(REBOOT, 10, 20, 40, 80, 160, 320, 640, 1280)                                                                     \
    X(SCORE, .1, .25, .33, .5, 1, 2, 5, 10)                                                                            \
    X(CONDITION, .5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)                                    \
    X(RECONCILE, .005, .01, .025, .05, .1, .15, .2, .25, .3, .35, .4, .45, .5, .6, .7, .8, .9, 1, 1.25, 1.5, 1.75, 2,  \
      2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60)                                              \
    X(QUEUE, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000)                                         \
    X(LIFETIME, 900, 1800, 2700, 3600, 7200, 14400, 21600, 28800, 36000, 43200, 57600, 72000, 86400, 172800, 259200,   \
      432000, 864000, 1296000, 1728000, 2160000, 2592000)                                                              \
    X(CLIENT, .001, .0015, .00225, .003375, .0050625, .00759375, .011390625, .0170859375, .02562890625, .038443359375, \
      .0576650390625, .08649755859375, .129746337890625, .194619506835938, .291929260253906, .437893890380859,         \
      .656840835571289, .985261253356934, 1.4778918800354, 2.2168378200531)
