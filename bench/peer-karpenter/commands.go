// What Karpenter's consolidation would do with a cluster: its candidates, what becomes of each alone, and the command
// for several. Every NodeClaim counts as Consolidatable, every NodePool as WhenEmptyOrUnderutilized without a budget, and
// pods without a node are left out.
package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	karpenterv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
)

type consolidationReport struct {
	Candidates []reportedCandidate `json:"candidates"`
	Multi      *reportedCommand    `json:"multi"`   // null: there is none
	Seconds    float64             `json:"seconds"` // of all what-ifs for a single node
}

type reportedCandidate struct {
	Node         string           `json:"node"`
	Price        float64          `json:"price"`
	Cost         float64          `json:"cost"` // of disrupting it, as the order of candidates has it
	Consolidates bool             `json:"consolidates"`
	Single       *reportedCommand `json:"single"`
	Why          string           `json:"why"`     // there is no command for it alone
	Seconds      float64          `json:"seconds"` // of the what-if for it alone (evaluate); 0: not asked
}

type reportedCommand struct {
	Nodes  []string `json:"nodes"`
	Saving float64  `json:"saving"`
	Types  []string `json:"types"` // of the replacement; empty: the nodes just go
}

// reasonRecorder keeps the text of the last event.
type reasonRecorder struct{ text string }

func (r *reasonRecorder) Publish(published ...events.Event) {
	for _, event := range published {
		r.text = event.Message
	}
}

// acceptAll stands for the validation that Karpenter makes 15 s later.
type acceptAll struct{}

func (acceptAll) Validate(_ context.Context, command disruption.Command, _ time.Duration) (disruption.Command, error) {
	return command, nil
}

// consolidator has what each evaluation needs; methods are made anew, since they remember that nothing was found.
type consolidator struct {
	ctx         context.Context
	api         client.Client
	cluster     *state.Cluster
	provider    *planProvider
	provisioner *provisioning.Provisioner
	queue       *disruption.Queue
	pools       []string
	most        int // candidates that are evaluated; 0: all, and several together
}

// consolidate reports what Karpenter would do with completed objects; `most` is consolidator.most.
func consolidate(ctx context.Context, objects []client.Object, instanceTypes []*cloudprovider.InstanceType, most int) (*consolidationReport, error) {
	c := &consolidator{ctx: ctx, provider: newPlanProvider(instanceTypes, objects), most: most}
	objects = slices.DeleteFunc(objects, waits)
	for _, object := range objects {
		makeConsolidatable(object)
		if pool, ok := object.(*karpenterv1.NodePool); ok {
			c.pools = append(c.pools, pool.Name)
		}
	}
	c.api = newClient(objects)
	var err error
	if c.cluster, err = newCluster(ctx, c.api, c.provider, objects); err != nil {
		return nil, err
	}
	c.provisioner = provisioning.NewProvisioner(c.api, silentRecorder{}, c.provider, c.cluster, clock.RealClock{}, nil, nil)
	c.queue = disruption.NewQueue(c.api, silentRecorder{}, c.cluster, clock.RealClock{}, c.provisioner)
	return c.report()
}

// waits is whether it is a pod without a node. The nodes such pods need would count as replacements.
func waits(object client.Object) bool {
	pod, ok := object.(*corev1.Pod)
	return ok && pod.Spec.NodeName == ""
}

func makeConsolidatable(object client.Object) {
	switch typed := object.(type) {
	case *karpenterv1.NodePool:
		zero := karpenterv1.MustParseNillableDuration("0s")
		typed.Spec.Disruption = karpenterv1.Disruption{
			ConsolidateAfter:    zero,
			ConsolidationPolicy: karpenterv1.ConsolidationPolicyWhenEmptyOrUnderutilized,
			Budgets:             []karpenterv1.Budget{{Nodes: "100%"}},
		}
	case *karpenterv1.NodeClaim:
		typed.StatusConditions().SetTrue(karpenterv1.ConditionTypeConsolidatable)
		if typed.CreationTimestamp.IsZero() {
			typed.CreationTimestamp = metav1.Now()
		}
	}
}

func (c *consolidator) report() (*consolidationReport, error) {
	all, err := c.candidates(func(context.Context, *disruption.Candidate) bool { return true })
	if err != nil {
		return nil, err
	}
	chosen, err := c.candidates(c.single(silentRecorder{}).ShouldDisrupt)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b *disruption.Candidate) int { return cmp.Compare(a.Name(), b.Name()) })
	slices.SortFunc(chosen, func(a, b *disruption.Candidate) int { return cmp.Compare(a.Name(), b.Name()) })
	report := &consolidationReport{Candidates: []reportedCandidate{}}
	asked := c.sample(chosen)
	for _, candidate := range all {
		reported := reportedCandidate{Node: candidate.Name(), Price: candidate.Price, Cost: candidate.RescheduleDisruptionCost}
		reported.Consolidates = slices.ContainsFunc(chosen, func(other *disruption.Candidate) bool { return other.Name() == candidate.Name() })
		if other, ok := asked[candidate.Name()]; ok {
			if err := c.evaluate(other, &reported); err != nil {
				return nil, err
			}
			report.Seconds += reported.Seconds
		}
		report.Candidates = append(report.Candidates, reported)
	}
	if c.most > 0 {
		return report, nil
	}
	report.Multi, err = c.compute(disruption.NewMultiNodeConsolidation(
		disruption.MakeConsolidation(clock.RealClock{}, c.cluster, c.api, c.provisioner, c.provider, silentRecorder{}, c.queue),
		disruption.WithValidator(acceptAll{})), chosen...)
	return report, err
}

// sample is the candidates to be evaluated, by name: all, or as many as are wanted, at equal distances.
func (c *consolidator) sample(chosen []*disruption.Candidate) map[string]*disruption.Candidate {
	wanted := len(chosen)
	if c.most > 0 && c.most < wanted {
		wanted = c.most
	}
	asked := map[string]*disruption.Candidate{}
	for number := range wanted {
		candidate := chosen[number*len(chosen)/wanted]
		asked[candidate.Name()] = candidate
	}
	return asked
}

// evaluate asks what becomes of one candidate alone. Its time is the shorter one of the clock's and the processor's: the
// one is too long on a busy machine, the other where threads collect garbage beside it.
func (c *consolidator) evaluate(candidate *disruption.Candidate, reported *reportedCandidate) error {
	reasons := &reasonRecorder{}
	start, used := time.Now(), processorTime()
	single, err := c.compute(c.single(reasons), candidate)
	if err != nil {
		return fmt.Errorf("node %s: %w", candidate.Name(), err)
	}
	reported.Seconds = min(time.Since(start), processorTime()-used).Seconds()
	reported.Single, reported.Why = single, reasons.text
	return nil
}

// processorTime is what all threads of the process have used.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func (c *consolidator) single(recorder events.Recorder) *disruption.SingleNodeConsolidation {
	return disruption.NewSingleNodeConsolidation(
		disruption.MakeConsolidation(clock.RealClock{}, c.cluster, c.api, c.provisioner, c.provider, recorder, c.queue),
		disruption.WithValidator(acceptAll{}))
}

func (c *consolidator) candidates(filter disruption.CandidateFilter) ([]*disruption.Candidate, error) {
	return disruption.GetCandidates(c.ctx, c.cluster, c.api, silentRecorder{}, clock.RealClock{}, c.provider, filter,
		disruption.GracefulDisruptionClass, c.queue)
}

// compute asks a method about candidates, whose pools have budgets for all of them.
func (c *consolidator) compute(method disruption.Method, candidates ...*disruption.Candidate) (*reportedCommand, error) {
	budgets := map[string]int{}
	for _, pool := range c.pools {
		budgets[pool] = len(candidates)
	}
	commands, err := method.ComputeCommands(c.ctx, budgets, candidates...)
	if err != nil || len(commands) == 0 {
		return nil, err
	}
	return reportCommand(commands[0]), nil
}

func reportCommand(command disruption.Command) *reportedCommand {
	reported := &reportedCommand{Saving: command.EstimatedSavings(), Types: []string{}}
	for _, candidate := range command.Candidates {
		reported.Nodes = append(reported.Nodes, candidate.Name())
	}
	slices.Sort(reported.Nodes)
	for _, replacement := range command.Replacements {
		for _, instanceType := range replacement.InstanceTypeOptions {
			reported.Types = append(reported.Types, instanceType.Name)
		}
	}
	slices.Sort(reported.Types)
	return reported
}
