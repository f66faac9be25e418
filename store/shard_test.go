package store_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/store"
)

// thirds are selectors that divide a resource by a field.
func thirds(t testing.TB, field string) (out []store.ShardSelector) {
	t.Helper()
	for _, bounds := range []string{
		"'0x0000000000000000', '0x5555555555555555'", "'0x5555555555555555', '0xaaaaaaaaaaaaaaaa'",
		"'0xaaaaaaaaaaaaaaaa', '0x10000000000000000'",
	} {
		s, err := store.ParseShardSelector("shardRange(" + field + ", " + bounds + ")")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// thirdOf returns to which of [thirds] a value belongs.
func thirdOf(value string) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(value))
	return int(h.Sum64() / 0x5555555555555555)
}

// machineInThird returns a machine that belongs to one of the [thirds] by a field.
func machineInThird(third int, field, name string) *v1.Machine {
	for i := 0; ; i++ {
		value := fmt.Sprint(name, "-", i)
		if thirdOf(value) != third {
			continue
		}
		m := machine("theirs", name)
		if field == "object.metadata.uid" {
			m.UID = value
		} else {
			m.Namespace = value
		}
		return m
	}
}

// TestShards lists and watches a resource in three parts. Each object belongs to one of them.
func TestShards(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"object.metadata.uid", "object.metadata.namespace"} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			r := machines(t, store.Options{})
			var keys []store.Key
			for i := range 60 {
				e := create(t, r, machine(fmt.Sprint("n", i%8), fmt.Sprintf("m%02d", i), "odd", fmt.Sprint(i%2)))
				keys = append(keys, e.Key())
			}
			owner := map[store.Key]int{}
			var watches []*store.Watch
			for i, shard := range thirds(t, field) {
				w, err := r.Watch(t.Context(), store.WatchOptions{Shards: shard})
				if err != nil {
					t.Fatal(err)
				}
				watches = append(watches, w)
				for _, e := range pagesOf(t, r, store.ListOptions{Shards: shard, Limit: 4}) {
					value := e.UID()
					if strings.HasSuffix(field, "namespace") {
						value = e.Key().Namespace
					}
					if want := thirdOf(value); want != i {
						t.Errorf("%s is in shard %d, want %d", e.Key(), i, want)
					}
					if _, twice := owner[e.Key()]; twice {
						t.Errorf("%s is in two shards", e.Key())
					}
					owner[e.Key()] = i
				}
			}
			if len(owner) != len(keys) {
				t.Fatalf("the shards have %d objects, want %d", len(owner), len(keys))
			}
			for _, key := range keys {
				relabel(t, r, key, "odd", "2")
				remove(t, r, key)
			}
			seen := map[store.Key]int{}
			for i, w := range watches {
				events, err := w.Next(make([]store.Event, 0, 200))
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					if seen[e.Entry.Key()]++; owner[e.Entry.Key()] != i {
						t.Errorf("shard %d sees %s of %s, which belongs to shard %d", i, e.Type, e.Entry.Key(), owner[e.Entry.Key()])
					}
				}
			}
			if counts := slices.Compact(slices.Sorted(maps.Values(seen))); len(seen) != len(keys) ||
				!slices.Equal(counts, []int{2}) {
				t.Errorf("each object has two events, got %v", seen)
			}
		})
	}
}

// pagesOf lists all pages, and checks that they state the shard.
func pagesOf(t testing.TB, r *store.Resource, o store.ListOptions) (out []*store.Entry) {
	t.Helper()
	for {
		list, err := r.List(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if n, known := list.Remaining(); known {
			t.Errorf("a page of a shard states that %d objects remain", n)
		}
		head, err := list.Head()
		if err != nil {
			t.Fatal(err)
		}
		if info := head.(*v1.MachineList).ShardInfo; info == nil || info.Selector != o.Shards.String() {
			t.Errorf("the list has %v, want %s", info, o.Shards)
		}
		out = slices.AppendSeq(out, list.Entries())
		if o.Continue = list.Continue(); o.Continue == "" {
			return out
		}
		other := o
		if other.Shards = (store.ShardSelector{}); list.Len() > 0 {
			if _, err := r.List(t.Context(), other); metav1.ReasonOf(err) != metav1.StatusReasonBadRequest {
				t.Errorf("the token of a shard in a list of everything: %v", err)
			}
		}
	}
}

// TestShardsOfAnotherStore has a store read what another one has written, to find out which shards
// an event concerns. Each watch is woken by the creation, the change and the deletion of its object
// and by an object that moves into or out of its shard, and by nothing else.
func TestShardsOfAnotherStore(t *testing.T) {
	t.Parallel()
	const field = "object.metadata.uid"
	engine := memoryEngine(t)
	writer := addMachines(t, open(t, engine, store.Options{}), store.ResourceOptions{})
	reader := addMachines(t, open(t, engine, store.Options{}), store.ResourceOptions{})
	var watches []*store.Watch
	for _, shard := range thirds(t, field) {
		// Each with another one of the same shard, which is closed while both wait.
		other := watch(t, reader, store.WatchOptions{Shards: shard})
		other.Ready()
		watches = append(watches, watch(t, reader, store.WatchOptions{Shards: shard}))
		watches[len(watches)-1].Ready()
		other.Close()
	}
	check := func(written *store.Entry, want ...string) {
		t.Helper()
		if _, err := reader.List(t.Context(), store.ListOptions{}); err != nil { // has seen the write
			t.Fatal(err)
		}
		for i, w := range watches {
			woken := false
			select {
			case <-w.Ready():
				woken = true
			default:
			}
			if woken != (want[i] != "") {
				t.Errorf("shard %d was woken by revision %d: %t", i, written.Revision(), woken)
			}
			if got := strings.Join(pull(t, w), ", "); got != want[i] {
				t.Errorf("shard %d has %q, want %q", i, got, want[i])
			}
			w.Ready()
		}
	}
	m := machineInThird(0, field, "m")
	key := store.Key{Namespace: m.Namespace, Name: m.Name}
	check(create(t, writer, m), "ADDED theirs/m", "", "")
	check(relabel(t, writer, key, "x", "1"), "MODIFIED theirs/m", "", "")
	moved, err := writer.Update(t.Context(), key, store.WriteOptions{}, func(_ context.Context,
		current runtime.Object,
	) (runtime.Object, error) {
		current.(*v1.Machine).UID = machineInThird(2, field, "m").UID
		return current, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	check(moved, "DELETED theirs/m", "", "ADDED theirs/m")
	check(remove(t, writer, key), "", "", "DELETED theirs/m")
}

// TestShardsOfARemovedResource adds a resource under the name of another one, of another kind, that
// has been removed while a watch of it waits for the same shard.
func TestShardsOfARemovedResource(t *testing.T) {
	t.Parallel()
	st := open(t, memoryEngine(t), store.Options{})
	o := store.WatchOptions{Shards: thirds(t, "object.metadata.uid")[0]}
	pools, err := st.Add(store.ResourceOptions{
		Factory: factory, Kind: v1.GroupVersion.WithKind("MachinePool"), Resource: "machines",
	})
	if err != nil {
		t.Fatal(err)
	}
	old := watch(t, pools, o)
	if err := st.Remove(pools.GroupResource()); err != nil {
		t.Fatal(err)
	}
	old.Ready()
	r := addMachines(t, st, store.ResourceOptions{})
	w := watch(t, r, o)
	ready := w.Ready()
	create(t, r, machineInThird(0, "object.metadata.uid", "m"))
	select {
	case <-ready:
	case <-soon(t).Done():
		t.Fatal("the watch was not woken")
	}
	if got := pull(t, w); !slices.Equal(got, []string{"ADDED theirs/m"}) {
		t.Errorf("events: %q", got)
	}
}

// TestShardSelector parses the text form of selectors.
func TestShardSelector(t *testing.T) {
	t.Parallel()
	const (
		uid, namespace = "shardRange(object.metadata.uid, ", "shardRange(object.metadata.namespace, "
		zero, half     = "'0x0000000000000000'", "'0x8000000000000000'"
		end            = "'0x10000000000000000'"
	)
	for text, want := range map[string]string{
		"":                             "",
		uid + zero + ", " + half + ")": "",
		uid + half + ", " + end + ") || " + uid + zero + ", " + half + ")":                    "",
		namespace + zero + ", " + end + ")":                                                   "",
		"  shardRange( object.metadata.uid ,'0x0000000000000000',\t\"0x8000000000000000\" ) ": uid + zero + ", " + half + ")",
		uid + zero + ", " + half + ")||" + uid + zero + ", " + half + ")": strings.Repeat(" || "+
			uid+zero+", "+half+")", 2)[4:],
		uid + "'0x00000000000000aa', '0x00000000000000ff')":  "",
		uid + "'0xffffffffffffffff', '0x10000000000000000')": "",
	} {
		s, err := store.ParseShardSelector(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if want == "" {
			want = text
		}
		if s.String() != want || s.Empty() != (text == "") {
			t.Errorf("%q: got %q, empty: %v", text, s, s.Empty())
		}
		if again, err := store.ParseShardSelector(s.String()); err != nil || again.String() != s.String() {
			t.Errorf("%q: read again as %q, %v", s, again, err)
		}
	}
	for text, want := range map[string]string{
		" ": "is not of the form", "a": "is not of the form", uid + zero + ", " + half: "is not of the form",
		uid + zero + ")": "is not of the form", "shardrange(object.metadata.uid, " + zero + ", " + half + ")": "form",
		uid + half + ", " + half + ")":                                           "is empty",
		uid + half + ", " + zero + ")":                                           "is empty",
		uid + zero + ", '0x8')":                                                  "16 lower-case digits",
		uid + zero + ", '0xA000000000000000')":                                   "16 lower-case digits",
		uid + zero + ", '0X8000000000000000')":                                   "16 lower-case digits",
		uid + zero + ", '0x-800000000000000')":                                   "16 lower-case digits",
		uid + zero + ", '0x8_00000000000000')":                                   "16 lower-case digits",
		uid + zero + ", '0x20000000000000000')":                                  "16 lower-case digits",
		uid + end + ", " + end + ")":                                             "16 lower-case digits",
		uid + "0, 8)":                                                            "16 lower-case digits",
		uid + "'0x0000000000000000\", " + half + ")":                             "16 lower-case digits",
		"shardRange(object.metadata.name, " + zero + ", " + half + ")":           "cannot be divided by",
		uid + zero + ", " + half + ") || " + namespace + half + ", " + end + ")": "must be of one field",
		uid + zero + ", " + half + ") && " + uid + half + ", " + end + ")":       "form",
		uid + zero + ", " + half + ") || ":                                       "form",
		strings.Repeat("(", 1000):                                                "form",
	} {
		_, err := store.ParseShardSelector(text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "shardSelector") ||
			metav1.ReasonOf(err) != metav1.StatusReasonBadRequest {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func ExampleParseShardSelector() {
	r, done := openMachines()
	defer done()
	lower, err := store.ParseShardSelector(
		"shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000')")
	if err != nil {
		panic(err)
	}
	for _, namespace := range []string{"blue", "green", "red", "white"} {
		m := exampleMachine("web", "fra-1")
		m.Namespace = namespace
		if _, err := r.Create(context.Background(), m, store.WriteOptions{}); err != nil {
			panic(err)
		}
	}
	list, err := r.List(context.Background(), store.ListOptions{Shards: lower})
	if err != nil {
		panic(err)
	}
	for e := range list.Entries() {
		fmt.Println(e.Key())
	}
	// Output:
	// green/web
}
