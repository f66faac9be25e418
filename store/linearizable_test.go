package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/store"
)

// call is what a client asks for: an object is read, or written as it was when the client saw it
// last.
type call struct {
	name, verb, version, label string
}

// outcome is what came of it.
type outcome struct {
	version, label string
	reason         metav1.StatusReason
}

// objectModel is an object under one name: its version, blank if it is not there, and its label.
var objectModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		names := map[string][]porcupine.Operation{}
		for _, op := range history {
			name := op.Input.(call).name
			names[name] = append(names[name], op)
		}
		var out [][]porcupine.Operation
		for _, ops := range names {
			out = append(out, ops)
		}
		return out
	},
	Init: func() any { return outcome{} },
	Step: func(state, input, output any) (bool, any) {
		now, in, out := state.(outcome), input.(call), output.(outcome)
		there := now.version != ""
		switch in.verb {
		case "get":
			if !there {
				return out.reason == metav1.StatusReasonNotFound, now
			}
			return out == now, now
		case "create":
			if there {
				return out.reason == metav1.StatusReasonAlreadyExists, now
			}
		default:
			if !there {
				return out.reason == metav1.StatusReasonNotFound, now
			}
			if in.version != "" && in.version != now.version {
				return out.reason == metav1.StatusReasonConflict, now
			}
		}
		if out.reason != "" || !later(out.version, now.version) {
			return false, now
		}
		if in.verb == "delete" {
			return out.label == now.label, outcome{}
		}
		return out.label == in.label, outcome{version: out.version, label: in.label}
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

// later reports whether one version is later than another; every one is later than none.
func later(a, b string) bool {
	x, errX := strconv.ParseUint(a, 10, 64)
	y, errY := strconv.ParseUint("0"+b, 10, 64)
	return errX == nil && errY == nil && x > y
}

// do carries out a call.
func (c *call) do(ctx context.Context, r *store.Resource) (outcome, error) {
	key := store.Key{Namespace: "a", Name: c.name}
	var e *store.Entry
	var err error
	switch c.verb {
	case "get":
		e, err = r.Get(ctx, key, store.GetOptions{})
	case "create":
		e, err = r.Create(ctx, machine("a", c.name, "x", c.label), store.WriteOptions{})
	case "update":
		e, err = r.Update(ctx, key, store.WriteOptions{ResourceVersion: c.version},
			func(_ context.Context, current runtime.Object) (runtime.Object, error) {
				current.(*v1.Machine).Labels = map[string]string{"x": c.label}
				return current, nil
			})
	case "delete":
		e, err = r.Delete(ctx, key, store.WriteOptions{ResourceVersion: c.version}, nil)
	}
	if err != nil {
		if reason := metav1.ReasonOf(err); reason != "" {
			return outcome{reason: reason}, nil
		}
		return outcome{}, err
	}
	m, err := e.Metadata()
	if err != nil {
		return outcome{}, err
	}
	return outcome{version: m.ResourceVersion, label: m.Labels["x"]}, nil
}

// What clients of two stores on one engine do to a few objects could have happened in some order,
// one after the other.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds(3)) {
		engine := memoryEngine(t)
		replicas := []*store.Resource{
			addMachines(t, open(t, engine, store.Options{}), store.ResourceOptions{}),
			addMachines(t, open(t, engine, store.Options{}), store.ResourceOptions{}),
		}
		var mu sync.Mutex
		var history []porcupine.Operation
		var wg sync.WaitGroup
		start := time.Now()
		for client := range 6 {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(seed, uint64(client)))
				seen := map[string]string{}
				for i := range 60 {
					c := call{
						name: fmt.Sprint("m", random.IntN(3)), verb: []string{
							"get", "create", "update", "update",
							"delete",
						}[random.IntN(5)],
						label: fmt.Sprint(client, "-", i),
					}
					if random.IntN(2) == 0 && (c.verb == "update" || c.verb == "delete") {
						c.version = seen[c.name]
					}
					begin := time.Since(start)
					out, err := c.do(t.Context(), replicas[random.IntN(2)])
					end := time.Since(start)
					if err != nil {
						t.Error(err)
						return
					}
					seen[c.name] = out.version
					mu.Lock()
					history = append(history, porcupine.Operation{
						ClientId: client, Input: c, Call: int64(begin), Output: out, Return: int64(end),
					})
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if result := porcupine.CheckOperationsTimeout(objectModel, history, time.Minute); result != porcupine.Ok {
			t.Errorf("seed %d: the history of %d calls is not linearizable: %s", seed, len(history), result)
		}
	}
}
