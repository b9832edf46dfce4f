// One scheduling pass of Karpenter, the way its provisioner runs it, with the time of Solve alone.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	nodeutils "sigs.k8s.io/karpenter/pkg/utils/node"
)

// policies are the controller's flags that change scheduling, under their names in options.json.
type policies struct {
	Preference string `json:"preferencePolicy"`
	MinValues  string `json:"minValuesPolicy"`
	Workers    int    `json:"workers"` // threads of the scheduler; 0: 1, as many as Karpenter has with a CPU request of 1
}

// check refuses values that Karpenter would refuse at start-up, and fills in its defaults.
func (p *policies) check() error {
	if p.Preference == "" {
		p.Preference = string(options.PreferencePolicyRespect)
	}
	if p.MinValues == "" {
		p.MinValues = string(options.MinValuesPolicyStrict)
	}
	if p.Workers == 0 {
		p.Workers = 1
	}
	if p.Workers < 0 {
		return fmt.Errorf("%d workers: expected at least 1", p.Workers)
	}
	if p.Preference != string(options.PreferencePolicyRespect) && p.Preference != string(options.PreferencePolicyIgnore) {
		return fmt.Errorf("preference policy %q: expected Respect or Ignore", p.Preference)
	}
	if p.MinValues != string(options.MinValuesPolicyStrict) && p.MinValues != string(options.MinValuesPolicyBestEffort) {
		return fmt.Errorf("min values policy %q: expected Strict or BestEffort", p.MinValues)
	}
	return nil
}

// outcome is what one pass decided.
type outcome struct {
	results scheduling.Results
	refused map[*corev1.Pod]error // pods that validation kept out of the pass
	pods    int                   // pods that needed a decision
	solve   time.Duration
	memory  int64 // bytes of the process just before Solve
}

// silentRecorder drops the events Karpenter would write.
type silentRecorder struct{}

func (silentRecorder) Publish(...events.Event) {}

// karpenterContext carries Karpenter's flags at their defaults, except for the policies. Nothing is logged.
func karpenterContext(chosen policies) context.Context {
	ctx := log.IntoContext(context.Background(), logr.Discard())
	ctx = injection.WithControllerName(ctx, "provisioner")
	return options.ToContext(ctx, &options.Options{
		CPURequests:       1000,
		PreferencePolicy:  options.PreferencePolicy(chosen.Preference),
		MinValuesPolicy:   options.MinValuesPolicy(chosen.MinValues),
		IgnoreDRARequests: true,
		FeatureGates:      options.DefaultFeatureGates(),
	})
}

// solverOptions are those of the provisioner: no fallback from reserved capacity, and the policies.
func solverOptions(chosen policies) []scheduling.Options {
	list := []scheduling.Options{
		scheduling.DisableReservedCapacityFallback,
		scheduling.NumConcurrentReconciles(chosen.Workers),
		scheduling.MinValuesPolicy(options.MinValuesPolicy(chosen.MinValues)),
	}
	if chosen.Preference == string(options.PreferencePolicyIgnore) {
		list = append(list, scheduling.IgnorePreferences)
	}
	return list
}

// solve runs one pass over completed objects. There is no deadline (the provisioner gives itself a minute).
func solve(ctx context.Context, objects []client.Object, instanceTypes []*cloudprovider.InstanceType, chosen policies) (*outcome, error) {
	provider := newPlanProvider(instanceTypes, objects)
	api := newClient(objects)
	cluster, err := newCluster(ctx, api, provider, objects)
	if err != nil {
		return nil, err
	}
	provisioner := provisioning.NewProvisioner(api, silentRecorder{}, provider, cluster, clock.RealClock{}, nil, nil)

	nodes := cluster.DeepCopyNodes()
	pending, err := provisioner.GetPendingPods(ctx)
	if err != nil {
		return nil, err
	}
	refused, err := refusedPods(ctx, api, provisioner, pending)
	if err != nil {
		return nil, err
	}
	displaced, err := nodes.Deleting().CurrentlyReschedulablePods(ctx, api, clock.RealClock{}, silentRecorder{})
	if err != nil {
		return nil, err
	}
	pods := append(pending, displaced...)
	decided := &outcome{refused: refused, pods: len(pods) + len(refused)}
	if len(pods) == 0 {
		return decided, nil
	}
	scheduler, err := provisioner.NewScheduler(ctx, pods, nodes.Active(), uids(displaced), solverOptions(chosen)...)
	if errors.Is(err, provisioning.ErrNodePoolsNotFound) {
		decided.results.PodErrors = map[*corev1.Pod]error{}
		for _, pod := range pods {
			decided.results.PodErrors[pod] = errors.New("no dynamic nodepools found")
		}
		return decided, nil
	}
	if err != nil {
		return nil, err
	}
	return decided, decided.run(ctx, scheduler, pods)
}

// run solves and truncates; the clock runs for Solve only.
func (o *outcome) run(ctx context.Context, scheduler *scheduling.Scheduler, pods []*corev1.Pod) error {
	o.memory = residentBytes()
	start := time.Now()
	results, err := scheduler.Solve(ctx, pods)
	o.solve = time.Since(start)
	if err != nil {
		return err
	}
	o.results = results.TruncateInstanceTypes(ctx, scheduling.MaxInstanceTypes)
	return nil
}

// residentBytes is what the process has in memory now; 0 where the system does not tell.
func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		return 0
	}
	return resident * int64(os.Getpagesize())
}

// refusedPods finds the pods that GetPendingPods left out because they are not valid, with Karpenter's reason.
func refusedPods(ctx context.Context, api client.Client, provisioner *provisioning.Provisioner, pending []*corev1.Pod) (map[*corev1.Pod]error, error) {
	accepted := uids(pending)
	provisionable, err := nodeutils.GetProvisionablePods(ctx, api)
	if err != nil {
		return nil, err
	}
	refused := map[*corev1.Pod]error{}
	for _, pod := range provisionable {
		if !accepted.Has(pod.UID) {
			refused[pod] = fmt.Errorf("ignoring pod, %w", provisioner.Validate(ctx, pod))
		}
	}
	return refused, nil
}

func uids(pods []*corev1.Pod) sets.Set[types.UID] {
	set := sets.New[types.UID]()
	for _, pod := range pods {
		set.Insert(pod.UID)
	}
	return set
}
