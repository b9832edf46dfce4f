// An API server and Karpenter's view of the cluster, both in memory, filled from the manifests.
package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	karpenterv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
)

// newClient returns a fake API server that holds copies of the objects, with the field indexes Karpenter registers.
func newClient(objects []client.Object) client.Client {
	builder := fake.NewClientBuilder().WithScheme(scheme.Scheme).
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(object client.Object) []string {
			return []string{object.(*corev1.Pod).Spec.NodeName}
		}).
		WithIndex(&corev1.Node{}, "spec.providerID", func(object client.Object) []string {
			return []string{object.(*corev1.Node).Spec.ProviderID}
		}).
		WithIndex(&karpenterv1.NodeClaim{}, "status.providerID", func(object client.Object) []string {
			return []string{object.(*karpenterv1.NodeClaim).Status.ProviderID}
		}).
		WithInterceptorFuncs(interceptor.Funcs{Get: getWithoutNamespace, List: listByNode(objects)})
	for _, object := range objects {
		builder = builder.WithObjects(object.DeepCopyObject().(client.Object))
	}
	return builder.Build()
}

// getWithoutNamespace drops the namespace from look-ups of cluster-scoped objects: Karpenter passes the pod's when it
// asks for a PersistentVolume. A real API server ignores it, the fake one does not.
func getWithoutNamespace(ctx context.Context, api client.WithWatch, key client.ObjectKey, object client.Object,
	options ...client.GetOption) error {
	if !isNamespaced(object) {
		key.Namespace = ""
	}
	return api.Get(ctx, key, object, options...)
}

// listByNode answers the question for the pods of one node from an index, as Karpenter's own client does; the fake API
// server would copy every pod for each node. Nothing here ever changes a pod.
func listByNode(objects []client.Object) func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
	byNode := map[string][]*corev1.Pod{}
	for _, pod := range ofType[*corev1.Pod](objects) {
		byNode[pod.Spec.NodeName] = append(byNode[pod.Spec.NodeName], pod)
	}
	return func(ctx context.Context, api client.WithWatch, list client.ObjectList, given ...client.ListOption) error {
		var asked client.ListOptions
		asked.ApplyOptions(given)
		pods, isPods := list.(*corev1.PodList)
		if !isPods || asked.FieldSelector == nil || asked.LabelSelector != nil || asked.Namespace != "" {
			return api.List(ctx, list, given...)
		}
		node, exact := asked.FieldSelector.RequiresExactMatch("spec.nodeName")
		if !exact || len(asked.FieldSelector.Requirements()) != 1 {
			return api.List(ctx, list, given...)
		}
		pods.Items = make([]corev1.Pod, len(byNode[node]))
		for index, pod := range byNode[node] {
			pod.DeepCopyInto(&pods.Items[index])
		}
		return nil
	}
}

// newCluster tells Karpenter's cluster state about everything, in the order in which informers settle.
func newCluster(ctx context.Context, api client.Client, provider *planProvider, objects []client.Object) (*state.Cluster, error) {
	cluster := state.NewCluster(clock.RealClock{}, api, provider)
	for _, claim := range ofType[*karpenterv1.NodeClaim](objects) {
		cluster.UpdateNodeClaim(claim.DeepCopy())
	}
	for _, node := range ofType[*corev1.Node](objects) {
		if err := cluster.UpdateNode(ctx, node.DeepCopy()); err != nil {
			return nil, fmt.Errorf("Node %s: %w", node.Name, err)
		}
	}
	for _, pod := range ofType[*corev1.Pod](objects) {
		if err := cluster.UpdatePod(ctx, pod.DeepCopy()); errors.IsNotFound(err) {
			note("pod %s/%s is bound to a node that is not there: %v", pod.Namespace, pod.Name, err)
		} else if err != nil {
			return nil, fmt.Errorf("Pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
	}
	for _, daemon := range ofType[*appsv1.DaemonSet](objects) {
		if err := cluster.UpdateDaemonSet(ctx, daemon); err != nil {
			return nil, fmt.Errorf("DaemonSet %s/%s: %w", daemon.Namespace, daemon.Name, err)
		}
	}
	if !cluster.Synced(ctx) {
		return nil, fmt.Errorf("the cluster state does not hold every Node and NodeClaim; " +
			"a Node of a NodePool needs the label node.kubernetes.io/instance-type")
	}
	return cluster, nil
}
