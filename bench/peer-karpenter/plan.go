// The plan as JSON, in the shape of `tenon plan -o json`, from the result of one pass. Lists are in a fixed order.
package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	karpenterv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	karpentersched "sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/utils/resources"
)

type plan struct {
	NodeClaims    []plannedClaim     `json:"nodeClaims"`
	ExistingNodes []plannedNode      `json:"existingNodes"`
	Unschedulable []unschedulablePod `json:"unschedulable"`
	Price         planPrice          `json:"price"`
	Stats         planStats          `json:"stats"`
}

type plannedClaim struct {
	Name          string               `json:"name"`
	NodePool      string               `json:"nodePool"`
	InstanceTypes []string             `json:"instanceTypes"` // cheapest first
	Choice        *choice              `json:"choice"`        // null: no offering could be launched
	Requirements  []plannedRequirement `json:"requirements"`
	Requests      map[string]string    `json:"requests"`
	Pods          []string             `json:"pods"`
}

type choice struct {
	InstanceType string  `json:"instanceType"`
	Zone         string  `json:"zone"`
	CapacityType string  `json:"capacityType"`
	PricePerHour float64 `json:"pricePerHour"`
}

type plannedRequirement struct {
	Key       string   `json:"key"`
	Operator  string   `json:"operator"`
	Values    []string `json:"values"`
	MinValues *int     `json:"minValues,omitempty"`
}

type plannedNode struct {
	Name string   `json:"name"`
	Pods []string `json:"pods"`
}

type unschedulablePod struct {
	Pod       string   `json:"pod"`
	Message   string   `json:"message"`
	NodePools []string `json:"nodePools"` // always empty: Karpenter gives one text for all pools
}

type planPrice struct {
	PerHour      float64  `json:"perHour"`
	FloorPerHour *float64 `json:"floorPerHour"`
	GapPercent   *float64 `json:"gapPercent"`
}

type planStats struct {
	Pods              int     `json:"pods"`
	Classes           *int    `json:"classes"` // null: Karpenter has no pod classes
	InstanceTypes     int     `json:"instanceTypes"`
	SolveMilliseconds float64 `json:"solveMilliseconds"`
}

// newPlan renders an outcome. instanceTypes is the size of the catalogue.
func newPlan(decided *outcome, instanceTypes int) *plan {
	rendered := &plan{
		NodeClaims:    plannedClaims(decided.results.NewNodeClaims),
		ExistingNodes: plannedNodes(decided.results.ExistingNodes),
		Unschedulable: []unschedulablePod{},
		Stats: planStats{
			Pods:              decided.pods,
			InstanceTypes:     instanceTypes,
			SolveMilliseconds: math.Round(decided.solve.Seconds()*1e6) / 1e3,
		},
	}
	for _, errors := range []map[*corev1.Pod]error{decided.refused, decided.results.PodErrors} {
		for pod, err := range errors {
			rendered.Unschedulable = append(rendered.Unschedulable,
				unschedulablePod{Pod: podName(pod), Message: err.Error(), NodePools: []string{}})
		}
	}
	slices.SortFunc(rendered.Unschedulable, func(a, b unschedulablePod) int { return cmp.Compare(a.Pod, b.Pod) })
	for _, claim := range rendered.NodeClaims {
		if claim.Choice != nil {
			rendered.Price.PerHour += claim.Choice.PricePerHour
		}
	}
	rendered.Price.PerHour = math.Round(rendered.Price.PerHour*1e9) / 1e9
	return rendered
}

// plannedClaims orders claims by pool and first pod, and numbers them within the pool.
func plannedClaims(claims []*scheduling.NodeClaim) []plannedClaim {
	rendered := []plannedClaim{}
	for _, claim := range claims {
		rendered = append(rendered, plannedClaim{
			NodePool:      claim.NodePoolName,
			InstanceTypes: typeNames(claim),
			Choice:        cheapestOffering(claim),
			Pods:          podNames(claim.Pods),
			// ToNodeClaim narrows the requirements to the surviving types and capacity types, so it comes last.
			Requirements: plannedRequirements(claim.ToNodeClaim()),
			Requests:     plannedRequests(claim.Spec.Resources.Requests),
		})
	}
	slices.SortFunc(rendered, func(a, b plannedClaim) int {
		return cmp.Or(cmp.Compare(a.NodePool, b.NodePool), slices.Compare(a.Pods, b.Pods))
	})
	count := map[string]int{}
	for index := range rendered {
		pool := rendered[index].NodePool
		count[pool]++
		rendered[index].Name = fmt.Sprintf("%s-%d", pool, count[pool])
	}
	return rendered
}

// typeNames lists the types a claim may still become, by the price of their cheapest usable offering, then by name.
func typeNames(claim *scheduling.NodeClaim) []string {
	types := slices.Clone(claim.InstanceTypeOptions)
	price := map[string]float64{}
	for _, instanceType := range types {
		price[instanceType.Name] = math.Inf(1)
		for _, offering := range instanceType.Offerings.Launchable().Compatible(claim.Requirements) {
			price[instanceType.Name] = min(price[instanceType.Name], offering.Price)
		}
	}
	slices.SortFunc(types, func(a, b *cloudprovider.InstanceType) int {
		return cmp.Or(cmp.Compare(price[a.Name], price[b.Name]), cmp.Compare(a.Name, b.Name))
	})
	names := make([]string, len(types))
	for index, instanceType := range types {
		names[index] = instanceType.Name
	}
	return names
}

// cheapestOffering is the offering that would be launched: reserved before spot before on-demand, then by price, then
// by name. An offering whose override leaves too little room for the claim is no candidate. Nil: there is none.
func cheapestOffering(claim *scheduling.NodeClaim) *choice {
	var best *choice
	for _, instanceType := range claim.InstanceTypeOptions {
		for _, group := range instanceType.AllocatableOfferingsList() {
			if !resources.Fits(claim.Spec.Resources.Requests, group.Allocatable) {
				continue
			}
			for _, offering := range group.Offerings.Launchable().Compatible(claim.Requirements) {
				candidate := &choice{
					InstanceType: instanceType.Name,
					Zone:         zoneWithin(claim.Requirements, offering),
					CapacityType: offering.CapacityType(),
					PricePerHour: offering.Price,
				}
				if best == nil || compareChoices(candidate, best) < 0 {
					best = candidate
				}
			}
		}
	}
	return best
}

// zoneWithin is the offering's zone; of several, the first by name that the claim allows.
func zoneWithin(requirements karpentersched.Requirements, offering *cloudprovider.Offering) string {
	both := offering.Requirements.Get(corev1.LabelTopologyZone).Intersection(requirements.Get(corev1.LabelTopologyZone))
	zones := both.Values()
	if len(zones) == 0 {
		return offering.Zone()
	}
	return slices.Min(zones)
}

var launchPriority = map[string]int{
	karpenterv1.CapacityTypeReserved: 1, karpenterv1.CapacityTypeSpot: 2, karpenterv1.CapacityTypeOnDemand: 3,
}

func compareChoices(a, b *choice) int {
	return cmp.Or(
		cmp.Compare(launchPriority[a.CapacityType], launchPriority[b.CapacityType]),
		cmp.Compare(a.PricePerHour, b.PricePerHour),
		cmp.Compare(a.InstanceType, b.InstanceType),
		cmp.Compare(a.Zone, b.Zone),
	)
}

func plannedRequirements(claim *karpenterv1.NodeClaim) []plannedRequirement {
	rendered := []plannedRequirement{}
	for _, requirement := range claim.Spec.Requirements {
		values := slices.Sorted(slices.Values(requirement.Values))
		if values == nil {
			values = []string{}
		}
		rendered = append(rendered, plannedRequirement{
			Key: requirement.Key, Operator: string(requirement.Operator), Values: values, MinValues: requirement.MinValues,
		})
	}
	slices.SortFunc(rendered, func(a, b plannedRequirement) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Operator, b.Operator))
	})
	return rendered
}

func plannedRequests(requests corev1.ResourceList) map[string]string {
	rendered := map[string]string{}
	for name, quantity := range requests {
		rendered[string(name)] = quantity.String()
	}
	return rendered
}

// plannedNodes lists the existing nodes that got pods in this pass.
func plannedNodes(nodes []*scheduling.ExistingNode) []plannedNode {
	rendered := []plannedNode{}
	for _, node := range nodes {
		if len(node.Pods) > 0 {
			rendered = append(rendered, plannedNode{Name: node.Name(), Pods: podNames(node.Pods)})
		}
	}
	slices.SortFunc(rendered, func(a, b plannedNode) int { return cmp.Compare(a.Name, b.Name) })
	return rendered
}

func podNames(pods []*corev1.Pod) []string {
	names := make([]string, len(pods))
	for index, pod := range pods {
		names[index] = podName(pod)
	}
	slices.Sort(names)
	return names
}

func podName(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
