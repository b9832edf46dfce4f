// peer-karpenter solves with Karpenter's own scheduler what `tenon plan` solves, from the same files.
//
// It is the yardstick of the differential tests and of the benchmark: nothing of Karpenter is copied, its published
// module does the work over an API server in memory. See README.md.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"syscall"

	"sigs.k8s.io/karpenter/pkg/operator/options"
)

// timing is what --timings prints for one run.
type timing struct {
	SolveSeconds float64 `json:"solveSeconds"` // Solve alone
	Pods         int     `json:"pods"`
	Scheduled    int     `json:"scheduled"`
	Nodes        int     `json:"nodes"`
	PricePerHour float64 `json:"pricePerHour"`
	RSSBefore    int64   `json:"rssBeforeBytes"` // of the process when Solve begins
	PeakRSSBytes int64   `json:"peakRssBytes"`   // of the process so far
}

type arguments struct {
	manifests fileList
	catalog   string
	diverse   string
	batch     string
	chosen    policies
	runs      int
	timings   bool
	commands  bool
	most      int // candidates of --commands; 0: all
}

// fileList collects a flag that may be given several times.
type fileList []string

func (l *fileList) String() string { return fmt.Sprint([]string(*l)) }
func (l *fileList) Set(path string) error {
	*l = append(*l, path)
	return nil
}

func main() {
	given, err := parseArguments()
	if err == nil {
		err = run(given)
	}
	if err != nil {
		note("%v", err)
		os.Exit(2)
	}
}

func parseArguments() (*arguments, error) {
	given := &arguments{}
	flag.Var(&given.manifests, "f", "`file` of manifests, YAML or JSON; may be given several times")
	flag.StringVar(&given.catalog, "catalog", "", "`file` with the instance types (JSON of Karpenter's KWOK provider)")
	flag.StringVar(&given.diverse, "diverse", "", "CSV `file` with the pods of Karpenter's benchmark; instead of -f")
	flag.StringVar(&given.batch, "batch", "", "`file` that lists case folders; instead of -f")
	flag.StringVar(&given.chosen.Preference, "preference-policy", "Respect", "Respect or Ignore")
	flag.StringVar(&given.chosen.MinValues, "min-values-policy", "Strict", "Strict or BestEffort")
	flag.IntVar(&given.chosen.Workers, "workers", 1, "threads of the scheduler; --diverse always has 5, as Karpenter's benchmark")
	flag.IntVar(&given.runs, "runs", 1, "solve so many times from scratch; with more than 1 a list of plans is printed")
	flag.BoolVar(&given.timings, "timings", false, "print time, size and memory of each run instead of the plan")
	flag.BoolVar(&given.commands, "commands", false, "print what consolidation would do with the nodes instead of a plan")
	flag.IntVar(&given.most, "candidates", 0, "with --commands: evaluate so many nodes, each alone; 0: all, and several together")
	flag.Parse()
	switch {
	case flag.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", flag.Arg(0))
	case given.runs < 1:
		return nil, fmt.Errorf("--runs: expected 1 or more, got %d", given.runs)
	case given.commands && (given.diverse != "" || given.timings):
		return nil, fmt.Errorf("--commands goes with -f and --catalog, or --batch")
	case given.diverse == "" && given.batch == "" && (len(given.manifests) == 0 || given.catalog == ""):
		return nil, fmt.Errorf("expected -f and --catalog, or --diverse, or --batch (see --help)")
	}
	return given, given.chosen.check()
}

func run(given *arguments) error {
	if given.batch != "" {
		return runBatch(given.batch, given.runs, given.commands)
	}
	if given.commands {
		report, err := consolidateFiles(given.manifests, given.catalog, given.chosen, given.most)
		if err != nil {
			return err
		}
		return encodeJSON(os.Stdout, report)
	}
	var plans []*plan
	var timings []timing
	var err error
	if given.diverse != "" {
		plans, timings, err = solveDiverseRuns(given.diverse, given.chosen, given.runs)
	} else {
		plans, timings, err = solveFiles(given.manifests, given.catalog, given.chosen, given.runs)
	}
	if err != nil {
		return err
	}
	if given.timings {
		return printOneOrAll(timings)
	}
	return printOneOrAll(plans)
}

// solveFiles reads the input once and solves it `runs` times; each run starts from nothing.
func solveFiles(manifestPaths []string, catalogPath string, chosen policies, runs int) ([]*plan, []timing, error) {
	ctx := karpenterContext(chosen)
	read, err := readManifests(manifestPaths)
	if err != nil {
		return nil, nil, err
	}
	var plans []*plan
	var timings []timing
	completed := read.objects
	for number := range runs {
		instanceTypes, err := readCatalog(ctx, catalogPath)
		if err != nil {
			return nil, nil, err
		}
		if number == 0 { // once, and after the catalogue: NodePools are validated against its labels
			if completed, err = completeObjects(ctx, read.objects); err != nil {
				return nil, nil, err
			}
		}
		decided, err := solve(ctx, completed, instanceTypes, chosen)
		if err != nil {
			return nil, nil, err
		}
		plans = append(plans, newPlan(decided, len(instanceTypes)))
		timings = append(timings, newTiming(decided, plans[number]))
	}
	return plans, timings, nil
}

// consolidateFiles reads the input and reports what consolidation would do, with every feature gate of it.
func consolidateFiles(manifestPaths []string, catalogPath string, chosen policies, most int) (*consolidationReport, error) {
	ctx := karpenterContext(chosen)
	options.FromContext(ctx).FeatureGates.SpotToSpotConsolidation = true
	read, err := readManifests(manifestPaths)
	if err != nil {
		return nil, err
	}
	instanceTypes, err := readCatalog(ctx, catalogPath)
	if err != nil {
		return nil, err
	}
	completed, err := completeObjects(ctx, read.objects)
	if err != nil {
		return nil, err
	}
	return consolidate(ctx, completed, instanceTypes, most)
}

func solveDiverseRuns(path string, chosen policies, runs int) ([]*plan, []timing, error) {
	var plans []*plan
	var timings []timing
	for number := range runs {
		decided, err := solveDiverse(karpenterContext(chosen), path, chosen)
		if err != nil {
			return nil, nil, err
		}
		plans = append(plans, newPlan(decided, diverseTypes))
		timings = append(timings, newTiming(decided, plans[number]))
	}
	return plans, timings, nil
}

func newTiming(decided *outcome, rendered *plan) timing {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		usage.Maxrss = 0
	}
	return timing{
		SolveSeconds: decided.solve.Seconds(),
		Pods:         decided.pods,
		Scheduled:    decided.pods - len(rendered.Unschedulable),
		Nodes:        len(rendered.NodeClaims),
		PricePerHour: rendered.Price.PerHour,
		RSSBefore:    decided.memory,
		PeakRSSBytes: usage.Maxrss * 1024,
	}
}

// printOneOrAll prints a single result as an object and several as a list.
func printOneOrAll[T any](results []T) error {
	if len(results) == 1 {
		return encodeJSON(os.Stdout, results[0])
	}
	return encodeJSON(os.Stdout, results)
}

func writeJSON(path string, value any) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := encodeJSON(file, value); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

func encodeJSON(file *os.File, value any) error {
	encoder := json.NewEncoder(file)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// note tells the user something on standard error.
func note(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "peer-karpenter: "+format+"\n", values...)
}
