package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The launchers in configs/fleet start a worker with flags that there are, and the one
// for Kubernetes is YAML.
func TestLaunchers(t *testing.T) {
	dir := filepath.Join("..", "..", "configs", "fleet")
	worker := (&app{}).workerCommand()
	flag := regexp.MustCompile(`--([a-z][a-z-]*)\b`)
	starts := regexp.MustCompile(`\barena,? worker,? --join`)
	for _, name := range []string{"arena-worker.service", "slurm.sh", "kubernetes.yaml"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		at := starts.FindIndex(data)
		if at == nil {
			t.Errorf("%s starts no worker", name)
			continue
		}
		for _, found := range flag.FindAllSubmatch(data[at[0]:], -1) {
			if worker.Flags().Lookup(string(found[1])) == nil {
				t.Errorf("%s: arena worker has no flag --%s", name, found[1])
			}
		}
		if filepath.Ext(name) == ".yaml" {
			var job map[string]any
			if err := yaml.Unmarshal(data, &job); err != nil || job["kind"] != "Job" {
				t.Errorf("%s: %v, %v", name, job["kind"], err)
			}
		}
	}
}
