// Many cases in one process: a file that lists case folders, one a line. Each folder holds manifests.json, catalog.json
// and, optionally, options.json; it receives plan-0.json, plan-1.json, … and loses those of an earlier batch. With
// --commands it receives commands.json.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// runBatch solves every case. A case that fails is reported and leaves no plans; the others go on.
func runBatch(listPath string, runs int, commands bool) error {
	list, err := os.Open(listPath)
	if err != nil {
		return err
	}
	defer list.Close()
	failed := 0
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		folder := strings.TrimSpace(lines.Text())
		if folder == "" {
			continue
		}
		if err := runCase(folder, runs, commands); err != nil {
			note("%s: %v", folder, err)
			failed++
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d cases failed", failed)
	}
	return nil
}

// runCase solves one case `runs` times. A panic inside Karpenter is this case's failure, not the batch's: it is written
// to panic.txt there.
func runCase(folder string, runs int, commands bool) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("Karpenter panicked: %v\n%s", cause, debug.Stack())
			line := fmt.Sprintf("Karpenter panicked: %v\n", cause)
			if failed := os.WriteFile(filepath.Join(folder, "panic.txt"), []byte(line), 0o644); failed != nil {
				err = errors.Join(err, failed)
			}
		}
	}()
	old, err := filepath.Glob(filepath.Join(folder, "plan-*.json"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	chosen, err := readPolicies(filepath.Join(folder, "options.json"))
	if err != nil {
		return err
	}
	files, catalog := []string{filepath.Join(folder, "manifests.json")}, filepath.Join(folder, "catalog.json")
	if commands {
		report, err := consolidateFiles(files, catalog, chosen, 0)
		if err != nil {
			return err
		}
		return writeJSON(filepath.Join(folder, "commands.json"), report)
	}
	plans, _, err := solveFiles(files, catalog, chosen, runs)
	if err != nil {
		return err
	}
	for number, rendered := range plans {
		if err := writeJSON(filepath.Join(folder, fmt.Sprintf("plan-%d.json", number)), rendered); err != nil {
			return err
		}
	}
	return nil
}

// readPolicies reads a case's options; a file that is not there means the defaults.
func readPolicies(path string) (policies, error) {
	var chosen policies
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return chosen, chosen.check()
	}
	if err != nil {
		return chosen, err
	}
	if err := json.Unmarshal(text, &chosen); err != nil {
		return chosen, fmt.Errorf("%s: %w", path, err)
	}
	return chosen, chosen.check()
}
