// What a live cluster would have added to the manifests before Karpenter sees them.
//
// The API server fills defaults and identities, kube-scheduler marks pods that fit nowhere, Karpenter's own controllers
// set the conditions of NodePools. Karpenter's scheduler relies on all of it, and a file from a user has none of it.
// Everything here is deterministic: identities count up in the order of reading, so equal pods keep their order.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	karpenterv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// completeObjects applies all defaults in place and adds Namespaces that are used but not given.
// The error names the object that Karpenter cannot work with.
func completeObjects(ctx context.Context, objects []client.Object) ([]client.Object, error) {
	objects = addMissingNamespaces(objects)
	assignIdentities(objects)
	linkOwners(objects)
	providerIDs(objects)
	for _, object := range objects {
		switch typed := object.(type) {
		case *corev1.Pod:
			completePod(typed)
		case *storagev1.StorageClass:
			if typed.VolumeBindingMode == nil {
				immediate := storagev1.VolumeBindingImmediate
				typed.VolumeBindingMode = &immediate
			}
		case *karpenterv1.NodePool:
			if typed.Spec.Template.Spec.NodeClassRef == nil {
				return nil, fmt.Errorf("NodePool %s: spec.template.spec.nodeClassRef is missing", typed.Name)
			}
			completeNodePool(ctx, typed)
		case *karpenterv1.NodeClaim:
			if typed.Spec.NodeClassRef == nil {
				return nil, fmt.Errorf("NodeClaim %s: spec.nodeClassRef is missing", typed.Name)
			}
		}
	}
	return objects, nil
}

// addMissingNamespaces gives every namespace in use an object, and each its name as a label, as the API server does:
// namespace selectors of affinity terms look at these objects.
func addMissingNamespaces(objects []client.Object) []client.Object {
	present := map[string]bool{"": true}
	for _, namespace := range ofType[*corev1.Namespace](objects) {
		present[namespace.Name] = true
		if namespace.Labels == nil {
			namespace.Labels = map[string]string{}
		}
		namespace.Labels[corev1.LabelMetadataName] = namespace.Name
	}
	for _, object := range objects {
		name := object.GetNamespace()
		if present[name] {
			continue
		}
		present[name] = true
		objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{corev1.LabelMetadataName: name},
		}})
	}
	return objects
}

// assignIdentities gives a UID to objects without one. An object that is being deleted needs a finalizer to exist.
func assignIdentities(objects []client.Object) {
	for index, object := range objects {
		if object.GetUID() == "" {
			object.SetUID(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", index)))
		}
		if object.GetDeletionTimestamp() != nil && len(object.GetFinalizers()) == 0 {
			object.SetFinalizers([]string{"peer.example.com/deleting"})
		}
		object.SetResourceVersion("")
	}
}

// linkOwners fills owner references that carry no UID from the owner of that kind and name.
func linkOwners(objects []client.Object) {
	byName := map[string]types.UID{}
	for _, object := range objects {
		kind := object.GetObjectKind().GroupVersionKind().Kind
		byName[kind+"/"+object.GetNamespace()+"/"+object.GetName()] = object.GetUID()
	}
	for _, object := range objects {
		owners := object.GetOwnerReferences()
		for index, owner := range owners {
			if owner.UID == "" {
				owners[index].UID = byName[owner.Kind+"/"+object.GetNamespace()+"/"+owner.Name]
			}
		}
		object.SetOwnerReferences(owners)
	}
}

// providerIDs makes Nodes and NodeClaims find each other: Karpenter keys them by the provider's id, and does not plan
// at all while a NodeClaim has none.
func providerIDs(objects []client.Object) {
	byNode := map[string]string{}
	for _, claim := range ofType[*karpenterv1.NodeClaim](objects) {
		if claim.Status.ProviderID == "" {
			claim.Status.ProviderID = "peer:///" + claim.Name
		}
		if claim.Status.NodeName != "" {
			byNode[claim.Status.NodeName] = claim.Status.ProviderID
		}
	}
	for _, node := range ofType[*corev1.Node](objects) {
		if node.Spec.ProviderID != "" {
			continue
		}
		node.Spec.ProviderID = byNode[node.Name]
		if node.Spec.ProviderID == "" {
			node.Spec.ProviderID = "peer:///" + node.Name
		}
	}
}

// completeNodePool sets the conditions Karpenter's validation would set. Conditions that were given are kept.
func completeNodePool(ctx context.Context, pool *karpenterv1.NodePool) {
	if len(pool.Status.Conditions) != 0 {
		return
	}
	pool.StatusConditions().SetTrue(karpenterv1.ConditionTypeNodeClassReady)
	if err := pool.RuntimeValidate(ctx); err != nil {
		note("NodePool %s is not valid and is left out: %v", pool.Name, err)
		pool.StatusConditions().SetFalse(karpenterv1.ConditionTypeValidationSucceeded, "NodePoolValidationFailed", err.Error())
		return
	}
	pool.StatusConditions().SetTrue(karpenterv1.ConditionTypeValidationSucceeded)
}

// completePod applies the API server's defaults that scheduling sees, and the status kube-scheduler or the kubelet
// would have written.
func completePod(pod *corev1.Pod) {
	for index := range pod.Spec.Containers {
		limitsBecomeRequests(&pod.Spec.Containers[index].Resources)
	}
	for index := range pod.Spec.InitContainers {
		limitsBecomeRequests(&pod.Spec.InitContainers[index].Resources)
	}
	mergeMatchLabelKeys(pod)
	if pod.Spec.NodeName != "" {
		if pod.Status.Phase == "" {
			pod.Status.Phase = corev1.PodRunning
		}
		return
	}
	if pod.Status.Phase == "" {
		pod.Status.Phase = corev1.PodPending
	}
	markUnschedulable(pod)
}

// limitsBecomeRequests copies limits to requests that are not set.
func limitsBecomeRequests(resources *corev1.ResourceRequirements) {
	for name, limit := range resources.Limits {
		if _, requested := resources.Requests[name]; requested {
			continue
		}
		if resources.Requests == nil {
			resources.Requests = corev1.ResourceList{}
		}
		resources.Requests[name] = limit.DeepCopy()
	}
}

// markUnschedulable sets the condition that makes Karpenter look at a pending pod, unless there is one already.
func markUnschedulable(pod *corev1.Pod) {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled {
			return
		}
	}
	reason := corev1.PodReasonUnschedulable
	if len(pod.Spec.SchedulingGates) > 0 {
		reason = corev1.PodReasonSchedulingGated
	}
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason,
	})
}

// mergeMatchLabelKeys turns matchLabelKeys and mismatchLabelKeys of affinity terms into selector expressions, as the
// API server does when a pod is created.
func mergeMatchLabelKeys(pod *corev1.Pod) {
	if pod.Spec.Affinity == nil {
		return
	}
	var required []corev1.PodAffinityTerm
	var preferred []corev1.WeightedPodAffinityTerm
	if affinity := pod.Spec.Affinity.PodAffinity; affinity != nil {
		mergeTerms(pod, affinity.RequiredDuringSchedulingIgnoredDuringExecution)
		preferred = append(preferred, affinity.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	if anti := pod.Spec.Affinity.PodAntiAffinity; anti != nil {
		mergeTerms(pod, anti.RequiredDuringSchedulingIgnoredDuringExecution)
		preferred = append(preferred, anti.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	for _, weighted := range preferred {
		required = append(required, weighted.PodAffinityTerm)
	}
	mergeTerms(pod, required)
}

// mergeTerms changes the selectors the terms point to; the selectors are shared with the pod.
func mergeTerms(pod *corev1.Pod, terms []corev1.PodAffinityTerm) {
	for _, term := range terms {
		if term.LabelSelector == nil {
			continue
		}
		add := func(keys []string, operator metav1.LabelSelectorOperator) {
			for _, key := range keys {
				if value, has := pod.Labels[key]; has {
					term.LabelSelector.MatchExpressions = append(term.LabelSelector.MatchExpressions,
						metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: []string{value}})
				}
			}
		}
		add(term.MatchLabelKeys, metav1.LabelSelectorOpIn)
		add(term.MismatchLabelKeys, metav1.LabelSelectorOpNotIn)
	}
}
