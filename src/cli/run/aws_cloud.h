// `--provider aws`: EC2 as the cloud of a Manager.
//
// The session (region, source of credentials) is opened with the process; the provider with the manager's parts. Before
// the provider serves anybody it asks what it needs of AWS (aws_provider_probe), so that a missing right, a wrong
// region or a cluster that is not there end the process with a sentence, before ports are open and the Lease is
// wanted.
#pragma once

#include "cli/run/aws_meter.h"
#include "cli/run/manager.h"
#include "cloud/aws/provider/provider.h"
#include "kube/rest/rest.h"

// The first members are borrowed and set by the owner.
typedef struct {
    AwsProviderSettings settings;
    JsonLog *log;
    KubeRest *rest;                    // asked for the version of Kubernetes
    Slice ns;                          // of the Lease
    int stop_fd;                       // becomes readable when the process is to stop: ends the calls of the start
    HttpGate gate;                     // of AWS's changes: whether the process may make one now
    const AwsEnvironment *environment; // NULL: the process's
    Slice kube_ca_bundle;              // in Base64
    AwsMeter meter;
    Page *page; // that shows the market while the provider is open; NULL: none
    AwsSession *session;
    AwsProvider *provider; // NULL while it is closed
} AwsCloud;

// Opens the session; the certificates of `config` are for the nodes. Asks no service but, where nothing says which
// region it is, the instance's metadata. ERR_INVALID: a setting of AWS's is wrong. ERR_NOT_FOUND: there is no region,
// and the like. ERR_IO.
ErrCode aws_cloud_open(AwsCloud *cloud, Arena *arena, const KubeConfig *config, uint64_t seed, Err *err);
// Closes the session; the provider is closed. Of an AwsCloud that was not opened: nothing.
void aws_cloud_close(AwsCloud *cloud);

// Its open fails with ERR_IO when AWS or the cluster refuse something; the text says what mends it.
ManagerCloud aws_cloud(AwsCloud *cloud);
// Ends calls of AWS after that time; INT64_MAX: never. Of an AwsCloud that was not opened: nothing.
void aws_cloud_end_within(AwsCloud *cloud, int64_t rest_ns);
