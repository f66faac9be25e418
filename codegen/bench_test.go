package codegen_test

import (
	"os"
	"testing"
	"time"

	"github.com/askind/askind/codegen"
)

// The jobs that have a budget, on two processors with warm caches: nothing changed 0.25 s, two
// versions of a group 0.6 s, core/v1 with all features 1.5 s; a cold build cache adds 1.5 s at
// most. The command prints the phases of a run with -v.
var jobs = []struct {
	name string
	cfg  codegen.Config
}{
	{"group", codegen.Config{Dir: "..", Patterns: []string{
		"./examples/fleet/api/fleet/v1",
		"./examples/fleet/api/fleet/v1beta1",
	}}},
	{"module", codegen.Config{Dir: "..", Patterns: []string{"./..."}}},
	{"core", codegen.Config{Dir: "../k8s", Patterns: []string{"./corev1"}}},
}

// BenchmarkRun measures whole runs, the same with an empty build cache, and runs that find out that
// there is nothing to do:
//
//	go test ./codegen -run '^$' -bench Run/ -count 6
func BenchmarkRun(b *testing.B) {
	for _, job := range jobs {
		b.Run(job.name+"/all", func(b *testing.B) {
			for b.Loop() {
				runJob(b, job.cfg)
			}
		})
		b.Run(job.name+"/cold", func(b *testing.B) {
			cfg := job.cfg
			for b.Loop() {
				// The build cache of the go command that lists the packages; the tool itself is
				// there.
				cfg.Env = append(os.Environ(), "GOCACHE="+b.TempDir())
				runJob(b, cfg)
			}
		})
		b.Run(job.name+"/unchanged", func(b *testing.B) {
			cfg := job.cfg
			cfg.Cache = b.TempDir()
			if changes, err := codegen.Check(runJob(b, cfg)); err != nil || len(changes) > 0 {
				b.Fatal(err, changes)
			}
			for b.Loop() {
				if !runJob(b, cfg).Unchanged {
					b.Fatal("the run was not remembered")
				}
			}
		})
	}
}

func runJob(tb testing.TB, cfg codegen.Config) *codegen.Result {
	tb.Helper()
	result, err := codegen.Run(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	if result.HasErrors() {
		tb.Fatal(result.Diagnostics)
	}
	return result
}

// TestUnchangedIsFast checks that a run that finds nothing to do takes a small part of one that
// looks. It compares the best of several, because other tests run meanwhile.
func TestUnchangedIsFast(t *testing.T) {
	t.Parallel()
	dir := readScenario(t, "testdata/packages.txtar").unpack(t)
	age(t, dir)
	cfg := codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env(), Cache: t.TempDir()}
	best := func(cache string) time.Duration {
		cfg := cfg
		cfg.Cache = cache
		least := time.Hour
		for range 5 {
			start := time.Now()
			runJob(t, cfg)
			least = min(least, time.Since(start))
		}
		return least
	}
	if _, err := codegen.Write(runJob(t, cfg)); err != nil {
		t.Fatal(err)
	}
	all, unchanged := best(""), best(cfg.Cache)
	t.Logf("all %v, unchanged %v", all, unchanged)
	if unchanged > all/3 {
		t.Errorf("finding out that nothing has changed takes %v, the whole run %v", unchanged, all)
	}
}
