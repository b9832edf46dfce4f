"""A real Kubernetes control plane on this machine, for tests: etcd, API server, scheduler, controller manager, kwok."""
