// An API server and Karpenter's view of the cluster, both in memory, filled from the manifests.
package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
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
		WithInterceptorFuncs(interceptor.Funcs{Get: getFrom(objects), List: listFrom(objects)})
	for _, object := range objects {
		builder = builder.WithObjects(object.DeepCopyObject().(client.Object))
	}
	return builder.Build()
}

// getFrom answers the question for a Node from a map, as Karpenter's own client answers from its cache; the fake API
// server would take the object through JSON. It also drops the namespace from look-ups of cluster-scoped objects:
// Karpenter passes the pod's when it asks for a PersistentVolume. A real API server ignores it, the fake one does not.
func getFrom(objects []client.Object) func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
	nodes := map[string]*corev1.Node{}
	for _, node := range ofType[*corev1.Node](objects) {
		nodes[node.Name] = node
	}
	return func(ctx context.Context, api client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
		if node, wanted := object.(*corev1.Node); wanted && nodes[key.Name] != nil {
			nodes[key.Name].DeepCopyInto(node)
			return nil
		}
		if !isNamespaced(object) {
			key.Namespace = ""
		}
		return api.Get(ctx, key, object, options...)
	}
}

// podIndex has the pods as the cache of Karpenter's own client has them.
type podIndex struct{ byNode, byNamespace map[string][]*corev1.Pod }

// listFrom answers the questions for the pods of one node, and for those of one namespace that a selector matches, from
// an index, as Karpenter's own client does; the fake API server would take every pod through JSON. Nothing here ever
// changes a pod or a Node.
func listFrom(objects []client.Object) func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
	index := podIndex{map[string][]*corev1.Pod{}, map[string][]*corev1.Pod{}}
	for _, pod := range ofType[*corev1.Pod](objects) {
		index.byNode[pod.Spec.NodeName] = append(index.byNode[pod.Spec.NodeName], pod)
		index.byNamespace[pod.Namespace] = append(index.byNamespace[pod.Namespace], pod)
	}
	return func(ctx context.Context, api client.WithWatch, list client.ObjectList, given ...client.ListOption) error {
		var asked client.ListOptions
		asked.ApplyOptions(given)
		pods, isPods := list.(*corev1.PodList)
		if !isPods {
			return api.List(ctx, list, given...)
		}
		found, known := index.find(&asked)
		if !known {
			return api.List(ctx, list, given...)
		}
		pods.Items = make([]corev1.Pod, len(found))
		for number, pod := range found {
			pod.DeepCopyInto(&pods.Items[number])
		}
		return nil
	}
}

// find returns the pods that are asked for; false: the index does not know.
func (i *podIndex) find(asked *client.ListOptions) ([]*corev1.Pod, bool) {
	if asked.FieldSelector == nil && asked.Namespace != "" {
		return matching(i.byNamespace[asked.Namespace], asked.LabelSelector), true
	}
	if asked.FieldSelector == nil || asked.Namespace != "" || len(asked.FieldSelector.Requirements()) != 1 {
		return nil, false
	}
	node, exact := asked.FieldSelector.RequiresExactMatch("spec.nodeName")
	return matching(i.byNode[node], asked.LabelSelector), exact
}

// matching returns the pods that a selector matches; nil matches all.
func matching(pods []*corev1.Pod, selector labels.Selector) []*corev1.Pod {
	if selector == nil {
		return pods
	}
	var found []*corev1.Pod
	for _, pod := range pods {
		if selector.Matches(labels.Set(pod.Labels)) {
			found = append(found, pod)
		}
	}
	return found
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
