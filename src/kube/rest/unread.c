// Members that tenon never reads of listed and watched objects: most of their bytes.
//
// The planner reads what decides where a pod may run, not what its containers do there. The fields that are read are in
// src/model: a field that is added there must be removed here.
#include "kube/rest/unread.h"

static const char *const of_all[] = {
    "metadata managedFields",
    "metadata annotations kubectl.kubernetes.io/last-applied-configuration",
};

#define OF_CONTAINERS(list)                                                                                            \
    list " * args", list " * command", list " * env", list " * envFrom", list " * image", list " * imagePullPolicy",   \
        list " * lifecycle", list " * livenessProbe", list " * readinessProbe", list " * securityContext",             \
        list " * startupProbe", list " * terminationMessagePath", list " * terminationMessagePolicy",                  \
        list " * volumeDevices", list " * volumeMounts", list " * workingDir"

static const char *const of_pod_specs[] = {
    OF_CONTAINERS("containers"), OF_CONTAINERS("initContainers"),
    "ephemeralContainers",       "hostAliases",
    "imagePullSecrets",          "securityContext",
    "volumes * projected",
};

#define NODE_INFO "status nodeInfo "

static const char *const of_nodes[] = {
    "status images",           NODE_INFO "architecture",     NODE_INFO "containerRuntimeVersion",
    NODE_INFO "kernelVersion", NODE_INFO "kubeProxyVersion", NODE_INFO "kubeletVersion",
    NODE_INFO "machineID",     NODE_INFO "operatingSystem",  NODE_INFO "osImage",
    NODE_INFO "swap",          NODE_INFO "systemUUID"};

static void drop(JsonFilter *json_filter, const char *prefix, const char *const *paths, size_t count) {
    for (size_t i = 0; i < count; i++)
        json_filter_drop(json_filter, prefix, paths[i]);
}

#define DROP(json_filter, prefix, paths) drop((json_filter), (prefix), (paths), sizeof(paths) / sizeof *(paths))

void rest_drop_unread(JsonFilter *json_filter, KubeKind kind, const char *prefix) {
    bool in_list = prefix[0] == 'i';

    DROP(json_filter, prefix, of_all);
    switch (kind) {
    case KUBE_POD:
        DROP(json_filter, in_list ? "items * spec" : "object spec", of_pod_specs);
        break;
    case KUBE_DEPLOYMENT:
    case KUBE_REPLICA_SET:
    case KUBE_STATEFUL_SET:
    case KUBE_DAEMON_SET:
    case KUBE_JOB:
        DROP(json_filter, in_list ? "items * spec template spec" : "object spec template spec", of_pod_specs);
        break;
    case KUBE_NODE:
        DROP(json_filter, prefix, of_nodes);
        break;
    default:
        break;
    }
}
