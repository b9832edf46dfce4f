// Karpenter's own scheduling benchmark (400 made-up instance types, one NodePool, the diverse mix of pods), with the
// pods read from a CSV, so that other schedulers can be given the very same ones.
//
// Columns: seq,kind,label,selector,cpu_m,mem_mib. Kinds: generic; zone-spread and host-spread (max skew 1 over the pods
// labelled `selector`); zone-affinity (to the pods with its own label); host-anti (anti-affinity among all of its kind).
package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	karpenterv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	karpentersched "sigs.k8s.io/karpenter/pkg/scheduling"
)

const (
	diverseTypes   = 400
	diverseWorkers = 5 // threads of the scheduler, as in the benchmark
)

// Labels of the made-up types; well-known, as the benchmark registers them.
const (
	labelSize    = "size"
	labelSpecial = "special"
	labelInteger = "integer"
)

var clusterLabel = map[string]string{"testing/cluster": "unspecified"}

// solveDiverse builds the benchmark afresh and solves it. As there, the API server is empty and Solve alone is timed.
func solveDiverse(ctx context.Context, path string, chosen policies) (*outcome, error) {
	pods, err := readDiversePods(path)
	if err != nil {
		return nil, err
	}
	karpenterv1.WellKnownLabels = coreWellKnownLabels.Clone().Insert(labelSize, labelSpecial, labelInteger)
	pool := diversePool()
	pools := []*karpenterv1.NodePool{pool}
	instanceTypes := map[string][]*cloudprovider.InstanceType{pool.Name: diverseInstanceTypes()}
	chosen.Workers = diverseWorkers
	chosenOptions := solverOptions(chosen)[1:] // the benchmark allows falling back from reservations

	api := newClient(nil)
	cluster := state.NewCluster(clock.RealClock{}, api, newPlanProvider(instanceTypes[pool.Name], nil))
	topology, err := scheduling.NewTopology(ctx, api, cluster, nil, pools, instanceTypes, pods, chosenOptions...)
	if err != nil {
		return nil, err
	}
	scheduler := scheduling.NewScheduler(ctx, api, pools, cluster, nil, topology, instanceTypes, nil, silentRecorder{},
		clock.RealClock{}, nil, nil, chosenOptions...)
	decided := &outcome{pods: len(pods)}
	return decided, decided.run(ctx, scheduler, pods)
}

func diversePool() *karpenterv1.NodePool {
	pool := &karpenterv1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	pool.Spec.Limits = karpenterv1.Limits{
		corev1.ResourceCPU:    resource.MustParse("10000000"),
		corev1.ResourceMemory: resource.MustParse("10000000Gi"),
	}
	pool.Spec.Template.Labels = clusterLabel
	pool.Spec.Template.Spec.NodeClassRef = &karpenterv1.NodeClassReference{Group: "peer.example.com", Kind: "PeerNodeClass", Name: "default"}
	return pool
}

// diverseInstanceTypes are fake-it-0 … fake-it-399: i+1 CPUs, 2(i+1) GiB, 10(i+1) pods.
func diverseInstanceTypes() []*cloudprovider.InstanceType {
	list := make([]*cloudprovider.InstanceType, diverseTypes)
	for index := range list {
		list[index] = diverseInstanceType(index)
	}
	return list
}

func diverseInstanceType(index int) *cloudprovider.InstanceType {
	cpus := index + 1
	memory := resource.MustParse(fmt.Sprintf("%dGi", 2*cpus))
	price := 0.1*float64(cpus) + 0.1*memory.AsApproximateFloat64()/1e9
	in := func(key string, values ...string) *karpentersched.Requirement {
		return karpentersched.NewRequirement(key, corev1.NodeSelectorOpIn, values...)
	}
	name := fmt.Sprintf("fake-it-%d", index)
	size, special := in(labelSize, "small"), karpentersched.NewRequirement(labelSpecial, corev1.NodeSelectorOpDoesNotExist)
	if cpus > 4 {
		size, special = in(labelSize, "large"), in(labelSpecial, "optional")
	}
	return &cloudprovider.InstanceType{
		Name: name,
		Requirements: karpentersched.NewRequirements(
			in(corev1.LabelInstanceTypeStable, name),
			in(corev1.LabelArchStable, "amd64"),
			in(corev1.LabelOSStable, "linux", "windows", "darwin"),
			in(corev1.LabelTopologyZone, "test-zone-1", "test-zone-2", "test-zone-3"),
			in(karpenterv1.CapacityTypeLabelKey, karpenterv1.CapacityTypeSpot, karpenterv1.CapacityTypeOnDemand),
			in(labelInteger, strconv.Itoa(cpus)), size, special,
		),
		Offerings: cloudprovider.Offerings{
			diverseOffering(karpenterv1.CapacityTypeSpot, "test-zone-1", price),
			diverseOffering(karpenterv1.CapacityTypeSpot, "test-zone-2", price),
			diverseOffering(karpenterv1.CapacityTypeOnDemand, "test-zone-1", price),
			diverseOffering(karpenterv1.CapacityTypeOnDemand, "test-zone-2", price),
			diverseOffering(karpenterv1.CapacityTypeOnDemand, "test-zone-3", price),
		},
		Capacity: corev1.ResourceList{
			corev1.ResourceCPU:    *resource.NewQuantity(int64(cpus), resource.DecimalSI),
			corev1.ResourceMemory: memory,
			corev1.ResourcePods:   *resource.NewQuantity(int64(10*cpus), resource.DecimalSI),
		},
		Overhead: &cloudprovider.InstanceTypeOverhead{KubeReserved: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("10Mi"),
		}},
	}
}

func diverseOffering(capacityType, zone string, price float64) *cloudprovider.Offering {
	return &cloudprovider.Offering{
		Available: true,
		Price:     price,
		Requirements: karpentersched.NewLabelRequirements(map[string]string{
			karpenterv1.CapacityTypeLabelKey: capacityType, corev1.LabelTopologyZone: zone,
		}),
	}
}

func readDiversePods(path string) ([]*corev1.Pod, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var pods []*corev1.Pod
	for number, row := range rows {
		if number == 0 {
			continue
		}
		pod, err := diversePod(row)
		if err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", path, number, err)
		}
		pods = append(pods, pod)
	}
	return pods, nil
}

// diversePod builds the pod of one row. Later rows are younger, so that pods of equal size keep their order.
func diversePod(row []string) (*corev1.Pod, error) {
	if len(row) != 6 {
		return nil, fmt.Errorf("expected 6 columns, got %d", len(row))
	}
	sequence, err := strconv.Atoi(row[0])
	if err != nil {
		return nil, err
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace:         "default",
		Name:              fmt.Sprintf("pod-%06d", sequence),
		UID:               types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", sequence)),
		CreationTimestamp: metav1.Time{Time: time.Unix(1_700_000_000, int64(sequence))},
		Labels:            map[string]string{"testing/cluster": "unspecified"},
	}}
	requests := corev1.ResourceList{}
	if requests[corev1.ResourceCPU], err = resource.ParseQuantity(row[4] + "m"); err != nil {
		return nil, err
	}
	if requests[corev1.ResourceMemory], err = resource.ParseQuantity(row[5] + "Mi"); err != nil {
		return nil, err
	}
	pod.Spec.Containers = []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: requests}}}
	return pod, constrainDiversePod(pod, row[1], row[2], row[3])
}

func constrainDiversePod(pod *corev1.Pod, kind, label, selector string) error {
	affinityTerm := func(labels map[string]string, key string) []corev1.PodAffinityTerm {
		return []corev1.PodAffinityTerm{{LabelSelector: &metav1.LabelSelector{MatchLabels: labels}, TopologyKey: key}}
	}
	spread := func(key string) []corev1.TopologySpreadConstraint {
		return []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"my-label": selector}},
		}}
	}
	switch kind {
	case "generic":
		pod.Labels["my-label"] = label
	case "zone-spread":
		pod.Labels["my-label"] = label
		pod.Spec.TopologySpreadConstraints = spread(corev1.LabelTopologyZone)
	case "host-spread":
		pod.Labels["my-label"] = label
		pod.Spec.TopologySpreadConstraints = spread(corev1.LabelHostname)
	case "zone-affinity":
		pod.Labels["my-affininity"] = label
		pod.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: affinityTerm(map[string]string{"my-affininity": label}, corev1.LabelTopologyZone),
		}}
	case "host-anti":
		pod.Labels["app"] = "nginx"
		pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: affinityTerm(map[string]string{"app": "nginx"}, corev1.LabelHostname),
		}}
	default:
		return fmt.Errorf("kind %q: expected generic, zone-spread, host-spread, zone-affinity or host-anti", kind)
	}
	return nil
}
