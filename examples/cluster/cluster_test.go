package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/internal/tour"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// TestMain is the main function of the parts, too, which are processes of this binary.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == partArgument {
		if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	os.Exit(m.Run())
}

// begin starts an installation that ends with the test.
func begin(t *testing.T, o options, release string) *installation {
	t.Helper()
	o.data = t.TempDir()
	all, err := newInstallation(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(all.close)
	for _, p := range all.parts {
		if p.Kind == "fleet" {
			p.Release = release
		}
	}
	if err := all.startAll(t.Context()); err != nil {
		name, _, _ := strings.Cut(err.Error(), " ")
		text, _ := os.ReadFile(filepath.Join(o.data, name+".log"))
		t.Fatalf("%v\n%s", err, text)
	}
	return all
}

// TestCheck has a small installation checked, and a whole one for longer without -short.
func TestCheck(t *testing.T) {
	t.Parallel()
	o, period := options{members: 1, replicas: 2}, 2*time.Second
	if !testing.Short() {
		o, period = options{members: 3, replicas: 3}, 20*time.Second
	}
	var out bytes.Buffer
	if err := check(t.Context(), begin(t, o, "2"), checkOptions{period: period, seed: 1, out: &out}); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	if !strings.Contains(out.String(), "ok: nothing was lost") {
		t.Errorf("the check says\n%s", &out)
	}
}

// TestArguments checks that mistakes are found before anything is started.
func TestArguments(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"now":                           `no arguments such as "now"`,
		"-check -for 0s":                "too short for a check",
		"-etcd foo":                     `write URLs such as http://127.0.0.1:2379, with commas between them, instead of "foo"`,
		"-etcd http://127.0.0.1:1":      "no member answers; start etcd, or leave out the flag",
		"-etcd http://127.0.0.1:1,ftp:": `instead of "ftp:"`,
		"-members 0":                    "one member of etcd and one replica at least",
		"-port 70000":                   "choose another -port",
	} {
		err := run(t.Context(), strings.Fields(args), strings.NewReader(""), io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", args, err, want)
		}
	}
}

// TestNothingChecked checks that a check without writes fails.
func TestNothingChecked(t *testing.T) {
	t.Parallel()
	c := &checker{out: io.Discard}
	if err := c.report([]*watcher{{}}); err == nil || !strings.Contains(err.Error(), "no write was acknowledged") {
		t.Errorf("got %v", err)
	}
}

// TestViolations checks that a check notices what it is there for.
func TestViolations(t *testing.T) {
	t.Parallel()
	good := []watched{{"5", "a 1"}, {"6", "b 1"}, {"7", "a 1 deleted"}, {"8", "a 2"}}
	for _, tt := range []struct {
		name   string
		events []watched
		want   string
	}{
		{"good", good, ""},
		{"lost", slices.Delete(slices.Clone(good), 1, 2), `acknowledged write "b 1" has no event`},
		{"repeated", append(slices.Clone(good), watched{"9", "b 1"}), "comes twice"},
		{"reordered", []watched{good[2], good[0], good[1], good[3]}, "before an earlier one"},
		{"invented", append(slices.Clone(good), watched{"9", "c 1"}), "nobody has tried"},
	} {
		c := &checker{out: io.Discard}
		writers := []*writer{
			{attempts: []attempt{{"a 1", true}, {"a 1 deleted", true}, {"a 2", false}}},
			{attempts: []attempt{{"b 1", true}}},
		}
		c.compare(t.Context(), writers, []*watcher{{events: tt.events}, {events: tt.events}}, "")
		if got := fmt.Sprint(c.violations); !strings.Contains(got, tt.want) || tt.want == "" && len(c.violations) > 0 {
			t.Errorf("%s: %v", tt.name, c.violations)
		}
	}
	c := &checker{out: io.Discard}
	c.compareEvents(&watcher{events: good}, &watcher{events: good[:2]})
	if len(c.violations) != 1 {
		t.Errorf("watchers that differ: %v", c.violations)
	}
}

// TestCommands checks what kubectl prints, as README.md has it, what the commands of a user do, and
// that requests through the aggregator go to the replicas that are left.
func TestCommands(t *testing.T) {
	t.Parallel()
	all := begin(t, options{members: 1, replicas: 2}, "2")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	kubectl := tour.Kubectl{Flags: "--server http://" + all.address(front), Cache: t.TempDir()}
	sessions := 0
	for _, b := range tour.Blocks(string(readme)) {
		if _, err := exec.LookPath("kubectl"); err == nil && strings.HasPrefix(b.Text, "$ ") {
			sessions += kubectl.Session(t, b.Text)
		}
	}
	t.Logf("%d commands of README.md were compared", sessions)
	do := func(line string) string {
		t.Helper()
		var out bytes.Buffer
		if err := command(t.Context(), all, strings.Fields(line), &out); err != nil {
			return err.Error()
		}
		return out.String()
	}
	for _, tt := range []struct{ line, want string }{
		{"kill fleet-1", ""},
		{"kill fleet-1", "does not run"},
		{"list", "down"},
		{"start fleet-2", "fleet-2 runs"},
		{"start nothing", "there is no"},
		{"roll 3", "there is no release"},
		{"help", "roll RELEASE"},
	} {
		if got := do(tt.line); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q", tt.line, got)
		}
	}
	for range 4 {
		resp, err := http.Get("http://" + all.address(front) + "/apis/fleet.example.com/v1/machines")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Error("a request with one replica down:", resp.Status)
		}
	}
}

// TestRollingUpdate replaces three processes over one etcd by those of another release that serves
// one version more, and back. The Group of discovery changes once each time, with the first server
// that has the version and with the last one that has it, and no other Group changes.
func TestRollingUpdate(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("restarts six processes")
	}
	all := begin(t, options{members: 1, replicas: 3}, "1")
	groups := newGroups(t, all)
	for _, release := range []string{"2", "1"} {
		if err := all.roll(t.Context(), release); err != nil {
			t.Fatal(err)
		}
	}
	const before, between = "fleet.example.com v1beta1 v1alpha1", "fleet.example.com v1 v1beta1 v1alpha1"
	want := []string{"discovery.k8s.io v1alpha1", before, between, before}
	deadline := time.Now().Add(time.Minute)
	for !slices.Equal(groups.all(), want) && time.Now().Before(deadline) {
		time.Sleep(50 * time.Millisecond)
	}
	time.Sleep(time.Second) // for changes that should not come
	if got := groups.all(); !slices.Equal(got, want) {
		t.Errorf("the Groups were\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// groupLog is every state of every Group, as a client sees them that moves between replicas.
type groupLog struct {
	mu     sync.Mutex
	states []string
}

func (l *groupLog) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.states)
}

// newGroups follows the Groups until the test ends.
func newGroups(t *testing.T, all *installation) *groupLog {
	t.Helper()
	scheme, err := runtime.NewScheme(v1alpha1.AddTo, metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		t.Fatal(err)
	}
	factory, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	backend, err := client.HTTP("http://replicas", factory, client.RoundTripper(anyOf(all.parts[front].Fleet)))
	if err != nil {
		t.Fatal(err)
	}
	l := &groupLog{}
	ctx, cancel := context.WithCancel(t.Context())
	var following sync.WaitGroup
	synced := make(chan struct{})
	once := sync.OnceFunc(func() { close(synced) })
	following.Go(func() {
		for change, err := range client.Of[v1alpha1.Group](client.New(backend, scheme)).Follow(ctx) {
			if err != nil {
				continue // a replica has ended
			}
			if change.Type == client.Synced {
				once()
				continue
			}
			state := change.Key.Name
			for _, v := range change.Object.Status.Versions {
				state += " " + v.Name
			}
			l.mu.Lock()
			l.states = append(l.states, state)
			l.mu.Unlock()
		}
	})
	t.Cleanup(func() { cancel(); following.Wait() })
	select {
	case <-synced:
	case <-time.After(time.Minute):
		t.Fatal("the Groups do not come")
	}
	return l
}
