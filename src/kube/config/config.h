// KubeConfig: address and credentials of an API server, from a kubeconfig or from a pod's service account.
//
// Whatever can be read once is read once, into plain values: certificates and keys are in memory, relative paths are
// resolved against the file that contains them. What changes over time is kept by name: the REST client reads
// token_file again (the kubelet renews it) and runs exec again when its credential expires. Only server, source and ns
// may be printed: the other members are secrets or may contain some. Behaviour: Kubernetes' "Organizing Cluster Access
// Using kubeconfig Files", the kubeconfig v1 reference, and the lookup order of controller-runtime.
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

typedef struct {
    Slice name, value;
} KubeConfigVariable;

// Credential plugin: a program that prints a credential (client.authentication.k8s.io). {0}: none.
typedef struct {
    Slice api_version; // "client.authentication.k8s.io/v1"
    Slice command;     // empty: no plugin. Relative with a '/': relative to the folder of the file that names it
    SliceVec arguments;
    Vec(KubeConfigVariable) environment; // added to tenon's environment
    Slice install_hint;                  // printed when the command cannot be found
    Slice cluster_json; // with provideClusterInfo: the cluster as JSON for KUBERNETES_EXEC_INFO; empty: not requested
} KubeExec;

typedef struct {
    Slice server;    // "https://10.0.0.1:6443", without trailing '/'; may have a path
    Slice source;    // for messages: "context \"kind\" of /home/a/.kube/config", "the pod's service account"
    Slice ns;        // namespace of the context or the pod; empty: none
    Slice ca_pem;    // CA certificates of the server; empty: the system's
    bool insecure;   // do not verify the server's certificate
    Slice tls_name;  // name in the server's certificate if it is not the host of `server`; empty: that host
    Slice proxy_url; // http, https or socks5; empty: HTTPS_PROXY and the like from the environment
    bool no_gzip;

    Slice certificate_pem, key_pem; // client certificate; empty: none
    Slice token;                    // bearer token; empty: none
    Slice token_file; // file with the bearer token, used instead of `token` and read again every minute; empty: none
    Slice user, password; // basic authentication; empty: none
    KubeExec exec;
    Slice as_user, as_uid; // impersonation; empty: none
    SliceVec as_groups;
} KubeConfig;

// Finds and reads the configuration. `path` empty: $KUBECONFIG (a list with ':'; the first file that sets a value
// wins), then the pod's service account if KUBERNETES_SERVICE_HOST is set, then ~/.kube/config. `context` empty: the
// current-context. Everything is in `arena`. O(size of the files). ERR_NOT_FOUND: no file, or no context, cluster or
// user of that name; the text says which files were tried and what to set. ERR_INVALID: not a kubeconfig; the text
// names file and field. ERR_IO: a file cannot be read.
ErrCode kube_config_load(Arena *arena, Slice path, Slice context, KubeConfig *ret_config, Err *err);

// Reads the pod's service account below `folder` (empty: /var/run/secrets/kubernetes.io/serviceaccount). ERR_NOT_FOUND:
// not in a pod.
ErrCode kube_config_in_cluster(Arena *arena, Slice folder, KubeConfig *ret_config, Err *err);
