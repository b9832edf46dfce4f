// How to reach an API server and who to be there: what a kubeconfig, or a pod's service account, says.
//
// Everything that can be read once is read once, into plain values: certificates and keys are in memory, relative
// paths are made absolute to the file that named them. What changes with time stays a name: token_file is read again
// by the REST client (the kubelet renews it), exec is run again when its credential ends.
// Nothing here is ever printed but server, source and ns: the rest are secrets or may hold some.
// Behaviour: Kubernetes' "Organizing Cluster Access Using kubeconfig Files", the kubeconfig v1 reference, and the
// order in which controller-runtime looks.
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

typedef struct {
    Slice name, value;
} KubeConfigVariable;

// A program that prints a credential (client.authentication.k8s.io). {0}: none.
typedef struct {
    Slice api_version; // "client.authentication.k8s.io/v1"
    Slice command;     // empty: no plugin. With a '/' and relative: below the folder of the file that named it
    SliceVec arguments;
    Vec(KubeConfigVariable) environment; // added to tenon's own
    Slice install_hint;                  // said when the command cannot be found
    Slice cluster_json; // provideClusterInfo: the cluster as JSON for KUBERNETES_EXEC_INFO; empty: not asked for
} KubeExec;

typedef struct {
    Slice server;    // "https://10.0.0.1:6443", without a '/' at the end; may have a path
    Slice source;    // for messages: "context \"kind\" of /home/a/.kube/config", "the pod's service account"
    Slice ns;        // of the context or the pod; empty: none named
    Slice ca_pem;    // who signs the server's certificate; empty: the system's authorities
    bool insecure;   // the server's certificate is not looked at
    Slice tls_name;  // the name in the server's certificate when it is not the host of `server`; empty: that one
    Slice proxy_url; // http, https, socks5; empty: HTTPS_PROXY and its kin from the environment
    bool no_gzip;

    Slice certificate_pem, key_pem; // of the client; empty: none
    Slice token;                    // bearer; empty: none
    Slice token_file;               // read instead of `token` and again every minute; empty: none
    Slice user, password;           // basic authentication; empty: none
    KubeExec exec;
    Slice as_user, as_uid; // impersonation; empty: none
    SliceVec as_groups;
} KubeConfig;

// Finds and reads the configuration. `path` empty: $KUBECONFIG (a list with ':', the first to say something wins),
// then the pod's service account when KUBERNETES_SERVICE_HOST is set, then ~/.kube/config. `context` empty: the
// current-context. All of it lives in `arena`. O(size of the files).
// ERR_NOT_FOUND: no file, context, cluster or user of that name; the text says where was looked and what to set.
// ERR_INVALID: not a kubeconfig; the text names file and field. ERR_IO: a file that cannot be read.
ErrCode kube_config_load(Arena *arena, Slice path, Slice context, KubeConfig *ret_config, Err *err);

// The pod's service account below `folder` (empty: /var/run/secrets/kubernetes.io/serviceaccount).
// ERR_NOT_FOUND: not in a pod.
ErrCode kube_config_in_cluster(Arena *arena, Slice folder, KubeConfig *ret_config, Err *err);
