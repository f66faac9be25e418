package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askind/askind/aggregator/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
)

// options describe the parts of an installation.
type options struct {
	port              int // 0 for any
	data              string
	members, replicas int
	external          []string // the URLs of an etcd that runs already
}

// front is the name of the aggregator.
const front = "front"

func fleetName(n int) string { return fmt.Sprintf("fleet-%d", n) }
func etcdName(n int) string  { return fmt.Sprintf("etcd-%d", n) }

// installation has all parts, running or not.
type installation struct {
	data  string
	names []string // of all parts, as they are started

	mu        sync.Mutex
	parts     map[string]*part
	processes map[string]*process // of the parts that run
}

// process is a part that runs.
type process struct {
	command *exec.Cmd
	input   io.Closer     // its standard input, whose end ends it
	ended   chan struct{} // closed when it has
}

// newInstallation gives each part an address.
func newInstallation(o options) (*installation, error) {
	if o.members < 1 || o.replicas < 1 {
		return nil, errors.New("there must be one member of etcd and one replica at least")
	}
	if err := os.MkdirAll(o.data, 0o700); err != nil {
		return nil, err
	}
	all := &installation{data: o.data, parts: map[string]*part{}, processes: map[string]*process{}}
	ports, err := newPorts(o.port, 2+o.replicas+2*o.members)
	if err != nil {
		return nil, err
	}
	agg := &part{Kind: "front", Address: ports.next()}
	inventory := &part{Kind: "inventory", Address: ports.next()}
	agg.Inventory = []string{inventory.Address}
	fleet := map[string]*part{}
	for i := range o.replicas {
		p := &part{Kind: "fleet", Address: ports.next(), Release: "2"}
		fleet[fleetName(i+1)], agg.Fleet = p, append(agg.Fleet, p.Address)
	}
	urls := o.external
	if urls == nil {
		urls = all.addMembers(o.members, ports)
	}
	for i := range o.replicas {
		all.add(fleetName(i+1), fleet[fleetName(i+1)], urls)
	}
	all.add("inventory", inventory, urls)
	all.add(front, agg, nil)
	return all, nil
}

// reachable returns an error unless one of the URLs of an etcd answers.
func reachable(ctx context.Context, urls []string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var failed error
	for _, u := range urls {
		if parsed, err := url.Parse(u); err != nil || parsed.Scheme != "http" || parsed.Host == "" {
			return fmt.Errorf("-etcd: write URLs such as http://127.0.0.1:2379, with commas between them, instead of %q", u)
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(u, "/")+"/health", nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			resp.Body.Close()
			return nil
		}
		failed = errors.Join(failed, err)
	}
	return fmt.Errorf("-etcd: no member answers; start etcd, or leave out the flag: %w", failed)
}

// addMembers adds the members of etcd and returns their URLs.
func (all *installation) addMembers(n int, ports *ports) (urls []string) {
	var members []*part
	var initial []string
	for i := range n {
		p := &part{Kind: "etcd", Address: ports.next(), Peer: ports.next()}
		p.Dir = filepath.Join(all.data, etcdName(i+1))
		members, urls = append(members, p), append(urls, "http://"+p.Address)
		initial = append(initial, etcdName(i+1)+"=http://"+p.Peer)
	}
	for i, p := range members {
		p.Initial = strings.Join(initial, ",")
		all.add(etcdName(i+1), p, nil)
	}
	return urls
}

func (all *installation) add(name string, p *part, urls []string) {
	p.Name, p.Etcd = name, urls
	all.names = append(all.names, name)
	all.parts[name] = p
}

// address returns where a part listens.
func (all *installation) address(name string) string { return all.parts[name].Address }

// status returns whether a part is running.
func (all *installation) status(name string) string {
	all.mu.Lock()
	defer all.mu.Unlock()
	if p := all.processes[name]; p != nil {
		return fmt.Sprint("process ", p.command.Process.Pid)
	}
	return "down"
}

// startAll starts all parts and waits until each answers. The aggregator, which is the last one,
// comes when the others answer, so that it knows their resources from the beginning.
func (all *installation) startAll(ctx context.Context) error {
	servers := all.names[:len(all.names)-1]
	for _, name := range servers {
		if err := all.launch(name); err != nil {
			return err
		}
	}
	for _, name := range servers {
		if err := all.wait(ctx, name); err != nil {
			return err
		}
	}
	return all.start(ctx, front)
}

// start starts a part and waits until it answers.
func (all *installation) start(ctx context.Context, name string) error {
	if err := all.launch(name); err != nil {
		return err
	}
	return all.wait(ctx, name)
}

// launch starts the process of a part.
func (all *installation) launch(name string) error {
	all.mu.Lock()
	defer all.mu.Unlock()
	p := all.parts[name]
	switch {
	case p == nil:
		return fmt.Errorf("there is no %q, but %s", name, strings.Join(all.names, ", "))
	case all.processes[name] != nil:
		return fmt.Errorf("%s runs", name)
	}
	description, err := json.Marshal(p)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(all.data, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the process has it for itself
	c := exec.Command(self, partArgument, string(description))
	c.Stdout, c.Stderr = log, log
	input, err := c.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	started := &process{command: c, input: input, ended: make(chan struct{})}
	all.processes[name] = started
	go func() {
		_ = c.Wait() // its log says why it ended
		all.mu.Lock()
		delete(all.processes, name)
		all.mu.Unlock()
		close(started.ended)
	}()
	return nil
}

// startTime is the time limit until a part answers.
const startTime = time.Minute

// wait waits until a part answers.
func (all *installation) wait(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	p := all.process(name)
	if p == nil {
		return all.hasEnded(name)
	}
	for !all.answers(ctx, name) {
		select {
		case <-p.ended:
			return all.hasEnded(name)
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer: %w", name, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

// hasEnded returns the error for a part that has ended, with the last line of its log.
func (all *installation) hasEnded(name string) error {
	text, err := os.ReadFile(filepath.Join(all.data, name+".log"))
	if err != nil {
		return fmt.Errorf("%s has ended: %w", name, err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return fmt.Errorf("%s has ended: %s", name, lines[len(lines)-1])
}

// answers reports whether a part is ready for clients.
func (all *installation) answers(ctx context.Context, name string) bool {
	path := "/readyz"
	switch all.parts[name].Kind {
	case "etcd":
		path = "/health"
	case "front":
		path = "/apis/aggregation.askind.dev/v1alpha1/apiservices"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+all.address(name)+path, nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK && (name != front || allAsked(resp.Body))
}

// allAsked reports whether the aggregator has asked the servers of all its registrations, given as
// a list in JSON, what they serve. Those that do not answer are down.
func allAsked(registrations io.Reader) bool {
	var list struct {
		Items []struct {
			Status struct{ Conditions []metav1.Condition }
		}
	}
	if err := json.NewDecoder(registrations).Decode(&list); err != nil {
		return false
	}
	for _, item := range list.Items {
		if !slices.ContainsFunc(item.Status.Conditions, func(c metav1.Condition) bool {
			return c.Type == v1alpha1.ConditionAvailable && c.Reason != "NotAskedYet"
		}) {
			return false
		}
	}
	return len(list.Items) > 0
}

// process returns the process of a part, nil if it does not run.
func (all *installation) process(name string) *process {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.processes[name]
}

// kill ends a part at once, without shutdown.
func (all *installation) kill(name string) error {
	p := all.process(name)
	if p == nil {
		return fmt.Errorf("%q does not run", name)
	}
	if err := p.command.Process.Kill(); err != nil {
		return err
	}
	<-p.ended
	return nil
}

// stopTime is the time limit for a part to end.
const stopTime = 30 * time.Second

// stop asks a part to end, and waits.
func (all *installation) stop(name string) error {
	p := all.process(name)
	if p == nil {
		return fmt.Errorf("%q does not run", name)
	}
	if err := p.input.Close(); err != nil {
		return err
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(stopTime):
		return errors.Join(fmt.Errorf("%s did not end in %v and was killed", name, stopTime), all.kill(name))
	}
}

// roll replaces the fleet servers one by one by those of another release.
func (all *installation) roll(ctx context.Context, release string) error {
	if release != "1" && release != "2" {
		return fmt.Errorf("there is no release %q, but 1 and 2", release)
	}
	for _, name := range all.names {
		if all.parts[name].Kind != "fleet" {
			continue
		}
		if all.process(name) != nil {
			if err := all.stop(name); err != nil {
				return err
			}
		}
		all.parts[name].Release = release
		if err := all.start(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// close ends everything, the servers before etcd.
func (all *installation) close() {
	for i := len(all.names) - 1; i >= 0; i-- {
		if all.process(all.names[i]) != nil {
			_ = all.stop(all.names[i]) // it is killed if it does not end
		}
	}
}

// ports assigns the ports of an installation in order.
type ports struct{ base, used int }

// newPorts returns n ports, from a base or, with 0, from where so many are free. Those are below
// the ports that systems give to outgoing connections, one of which could otherwise take the port
// of a part while it is stopped.
func newPorts(base, n int) (*ports, error) {
	if base != 0 {
		return &ports{base: base}, free(base, n)
	}
	for range 100 {
		base := 10_000 + rand.IntN(20_000)
		if free(base, n) == nil {
			return &ports{base: base}, nil
		}
	}
	return nil, fmt.Errorf("no %d ports in a row are free", n)
}

// free returns an error if somebody listens on one of n ports.
func free(base, n int) error {
	for port := base; port < base+n; port++ {
		l, err := net.Listen("tcp", loopback(port))
		if err != nil {
			return fmt.Errorf("choose another -port, %d and the %d behind it are needed: %w", base, n-1, err)
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (p *ports) next() string {
	p.used++
	return loopback(p.base + p.used - 1)
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
