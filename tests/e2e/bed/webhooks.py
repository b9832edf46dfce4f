"""The way of an API server to webhooks of this machine: a Service without a selector, as there is no kube-proxy. The API server
needs --enable-aggregator-routing=true.

    webhook_service(api, "kube-system", 8443)
"""

import socket


def webhook_service(api, namespace, port):
    """Makes the Service that tenon's webhook configurations name, and its EndpointSlice."""
    api.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "karpenter", "namespace": namespace},
                "spec": {"ports": [{"name": "https-webhook", "port": 443, "targetPort": port}]}})
    api.create({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                "metadata": {"name": "karpenter-1", "namespace": namespace,
                             "labels": {"kubernetes.io/service-name": "karpenter"}},
                "endpoints": [{"addresses": [own_address()], "conditions": {"ready": True}}],
                "ports": [{"name": "https-webhook", "port": port, "protocol": "TCP"}]})


def own_address():
    """An address of this machine other than loopback, which no endpoint may have. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return probe.getsockname()[0]
