"""The scenes of tests/scenes, played on the real kube-scheduler."""
