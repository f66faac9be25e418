package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/servertest"
	"github.com/askind/askind/store"
)

// owned makes a pool and machines that it owns, and returns a function that deletes the pool with a
// policy.
func owned(t *testing.T, s *server.Server, finalizers string) (remove func(policy string) string) {
	t.Helper()
	w := request(s, "POST", pools, pool("web", 2))
	var made struct{ Metadata struct{ UID string } }
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	ref := fmt.Sprintf(
		`"ownerReferences":[{"apiVersion":"fleet.example.com/v1alpha1","kind":"MachinePool","name":"web","uid":%q,"controller":true,"blockOwnerDeletion":true}]`, made.Metadata.UID,
	)
	for _, name := range []string{"a", "b"} {
		if w := request(s, "POST", machines,
			machine(fmt.Sprintf(`"name":%q,%s%s`, name, ref, finalizers))); w.Code != http.StatusCreated {
			t.Fatal(w.Body)
		}
	}
	return func(policy string) string {
		return request(s, "DELETE", pools+"/web", `{"propagationPolicy":"`+policy+`"}`).Body.String()
	}
}

// reference returns the reference to an owner that waits for its dependant.
func reference(t *testing.T, s *server.Server, path, version, kind string) string {
	t.Helper()
	var owner struct{ Metadata struct{ Name, UID string } }
	if err := json.Unmarshal(request(s, "GET", path, "").Body.Bytes(), &owner); err != nil || owner.Metadata.UID == "" {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q,"blockOwnerDeletion":true}`, version, kind,
		owner.Metadata.Name, owner.Metadata.UID)
}

// eventually waits until a request is answered with a code and a text.
func eventually(t *testing.T, s *server.Server, path string, code int, text string) {
	t.Helper()
	var last string
	for range 3000 {
		w := request(s, "GET", path, "")
		if last = w.Body.String(); w.Code == code && strings.Contains(last, text) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%s is not answered with %d and %s; the last answer was %s", path, code, text, last)
}

func TestCollectorBackground(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	remove := owned(t, s, "")
	if answer := remove("Background"); !strings.Contains(answer, "Success") {
		t.Error(answer)
	}
	eventually(t, s, machines+"/a", http.StatusNotFound, "")
	eventually(t, s, machines+"/b", http.StatusNotFound, "")
}

// TestCollectorKeepsFinalizers checks that a dependant which states that its own dependants are to
// stay is deleted in this way with its owner.
func TestCollectorKeepsFinalizers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	remove := owned(t, s, `,"finalizers":["orphan"]`)
	var a struct{ Metadata struct{ UID string } }
	if err := json.Unmarshal(request(s, "GET", machines+"/a", "").Body.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	if w := request(s, "POST", machines, machine(fmt.Sprintf(
		`"name":"c","ownerReferences":[{"apiVersion":"fleet.example.com/v1","kind":"Machine","name":"a","uid":%q}]`,
		a.Metadata.UID))); w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	remove("Background")
	eventually(t, s, machines+"/a", http.StatusNotFound, "")
	if w := request(s, "GET", machines+"/c", ""); w.Code != http.StatusOK ||
		strings.Contains(w.Body.String(), "ownerReferences") {
		t.Error(w.Body)
	}
}

func TestCollectorForeground(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	remove := owned(t, s, `,"finalizers":["example.com/stop"]`)
	if answer := remove("Foreground"); !strings.Contains(answer, `"finalizers":["foregroundDeletion"]`) {
		t.Error(answer)
	}
	eventually(t, s, machines+"/a", http.StatusOK, "deletionTimestamp")
	eventually(t, s, machines+"/b", http.StatusOK, "deletionTimestamp")
	if w := request(s, "GET", pools+"/web", ""); w.Code != http.StatusOK {
		t.Error("the owner is gone before what it waits for")
	}
	for _, name := range []string{"a", "b"} {
		request(s, "PATCH", machines+"/"+name, `{"metadata":{"finalizers":null}}`,
			"Content-Type: application/merge-patch+json")
	}
	eventually(t, s, pools+"/web", http.StatusNotFound, "")
}

// TestCollectorForegroundKeeps deletes an owner in a namespace. An object outside of namespaces
// that names it stays, because it cannot have such an owner.
func TestCollectorForegroundKeeps(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	remove := owned(t, s, "")
	ref := reference(t, s, pools+"/web", "fleet.example.com/v1alpha1", "MachinePool")
	outside := strings.Replace(site("outside"), `"outside"`, `"outside","ownerReferences":[`+ref+`]`, 1)
	if w := request(s, "POST", sites, outside); w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	remove("Foreground")
	eventually(t, s, pools+"/web", http.StatusNotFound, "")
	if w := request(s, "GET", sites+"/outside", ""); w.Code != http.StatusOK ||
		!strings.Contains(w.Body.String(), "MachinePool") || strings.Contains(w.Body.String(), "deletionTimestamp") {
		t.Error(w.Body)
	}
}

// TestCollectorForegroundCircle deletes an object in the foreground that is owned by one of its
// dependants, which would wait for it in turn, and by itself.
func TestCollectorForegroundCircle(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	remove := owned(t, s, "")
	refs := reference(t, s, machines+"/a", "fleet.example.com/v1", "Machine") + "," +
		reference(t, s, pools+"/web", "fleet.example.com/v1alpha1", "MachinePool")
	if w := request(s, "PATCH", pools+"/web", `{"metadata":{"ownerReferences":[`+refs+`]}}`,
		"Content-Type: application/merge-patch+json"); w.Code != http.StatusOK {
		t.Fatal(w.Body)
	}
	remove("Foreground")
	eventually(t, s, pools+"/web", http.StatusNotFound, "")
	eventually(t, s, machines+"/a", http.StatusNotFound, "")
}

func TestCollectorOrphan(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	owned(t, s, "")("Orphan")
	eventually(t, s, pools+"/web", http.StatusNotFound, "")
	w := request(s, "GET", machines, "")
	if !strings.Contains(w.Body.String(), `"name":"a"`) || !strings.Contains(w.Body.String(), `"name":"b"`) ||
		strings.Contains(w.Body.String(), "ownerReferences") {
		t.Error(w.Body)
	}
}

// TestCollectorOrphanAtOnce deletes owners as soon as they have a dependant, so that the collector
// often learns of both at the same time.
func TestCollectorOrphanAtOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const n = 200
	for i := range n {
		var made struct{ Metadata struct{ UID string } }
		name := fmt.Sprintf("p-%d", i)
		w := request(s, "POST", pools, pool(name, 2))
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != http.StatusCreated {
			t.Fatal(w.Body)
		}
		if w := request(s, "POST", machines, machine(fmt.Sprintf(
			`"name":"m-%d","ownerReferences":[{"apiVersion":"fleet.example.com/v1alpha1","kind":"MachinePool","name":%q,"uid":%q}]`,
			i, name, made.Metadata.UID))); w.Code != http.StatusCreated {
			t.Fatal(w.Body)
		}
		if w := request(s, "DELETE", pools+"/"+name, `{"propagationPolicy":"Orphan"}`); w.Code != http.StatusOK {
			t.Fatal(w.Body)
		}
	}
	eventually(t, s, pools, http.StatusOK, `"items":[]`)
	text := request(s, "GET", machines, "").Body.String()
	if kept := strings.Count(text, `"name":"m-`); kept != n || strings.Contains(text, "ownerReferences") {
		t.Errorf("%d of %d orphans are there; ownerReferences: %t", kept, n, strings.Contains(text, "ownerReferences"))
	}
}

func TestCollectorOwnerThatNeverWas(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	request(s, "POST", sites, site("there"))
	ref := func(kind, name, uid string) string {
		return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q}`, "inventory.example.com/v1",
			kind, name, uid)
	}
	// An owner in a namespace cannot be found from outside of namespaces.
	machineRef := `{"apiVersion":"fleet.example.com/v1","kind":"Machine","name":"a","uid":"x"}`
	outside := strings.Replace(site("outside"), `"outside"`, `"outside","ownerReferences":[`+machineRef+`]`, 1)
	if w := request(s, "POST", sites, outside); w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	for name, refs := range map[string]string{
		"gone":    ref("Site", "there", "of-another"),
		"unknown": ref("Planet", "earth", "x"), // nothing is known of such owners
		"partly":  ref("Site", "nowhere", "x") + "," + ref("Planet", "earth", "y"),
	} {
		if w := request(s, "POST", machines,
			machine(fmt.Sprintf(`"name":%q,"ownerReferences":[%s]`, name, refs))); w.Code != http.StatusCreated {
			t.Fatal(w.Body)
		}
	}
	eventually(t, s, machines+"/gone", http.StatusNotFound, "")
	eventually(t, s, sites+"/outside", http.StatusOK, "Machine")
	eventually(t, s, machines+"/unknown", http.StatusOK, "earth")
	eventually(t, s, machines+"/partly", http.StatusOK,
		`"ownerReferences":[{"apiVersion":"inventory.example.com/v1","kind":"Planet"`)
}

// TestCollectorWithoutUID checks that an object is collected that the program has written into the
// store itself, without a UID.
func TestCollectorWithoutUID(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	gr := inventoryv1.GroupVersion.WithResource("sites").GroupResource()
	stored, ok := s.StoreOf(gr).Resource(gr)
	if !ok {
		t.Fatal("sites are not stored")
	}
	child := &inventoryv1.Site{}
	child.Name, child.OwnerReferences = "child", []metav1.OwnerReference{{
		APIVersion: inventoryv1.GroupVersion.String(), Kind: "Site", Name: "gone", UID: "x",
	}}
	if _, err := stored.Create(t.Context(), child, store.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, s, sites+"/child", http.StatusNotFound, "")
}

// TestCollectorLearnsOfOwners checks that an object is collected whose owner is gone when the kind
// of the owner is installed after it.
func TestCollectorLearnsOfOwners(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if err := s.Remove(inventoryv1.GroupVersion); err != nil {
		t.Fatal(err)
	}
	const ref = `"ownerReferences":[{"apiVersion":"inventory.example.com/v1","kind":"Site","name":"gone","uid":"x"}]`
	run(t, s, machines, []step{
		{method: "POST", body: machine(`"name":"a",` + ref), code: http.StatusCreated},
		{method: "POST", body: machine(`"name":"b"`), code: http.StatusCreated},
	})
	if err := s.Install(inventoryv1.AddTo); err != nil {
		t.Fatal(err)
	}
	eventually(t, s, machines+"/a", http.StatusNotFound, "")
	eventually(t, s, machines+"/b", http.StatusOK, "")
}

// warned sends the warnings of the collector to a channel that has room.
type warned struct {
	slog.Handler
	told chan<- slog.Record
}

// warnings returns an option for a log whose warnings of the collector come from a channel.
func warnings() (server.Option, <-chan slog.Record) {
	told := make(chan slog.Record, 1)
	return server.Log(slog.New(warned{slog.NewTextHandler(io.Discard, nil), told})), told
}

// Handle implements [slog.Handler].
func (w warned) Handle(_ context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "the collector") {
		select {
		case w.told <- r:
		default:
		}
	}
	return nil
}

// TestCollectorBeginsAgain checks that the collector watches a resource later if the engine fails
// when it begins.
func TestCollectorBeginsAgain(t *testing.T) {
	t.Parallel()
	log, told := warnings()
	s := servertest.New(t, fleet(t), log)
	remove := owned(t, s.Server, "")
	if err := s.Remove(inventoryv1.GroupVersion); err != nil {
		t.Fatal(err)
	}
	s.Engine.Fail(servertest.Revision, errors.New("the engine is away"), -1)
	if err := s.Install(inventoryv1.AddTo); err != nil {
		t.Fatal(err)
	}
	for (<-told).Message != "the collector cannot watch" { // it may also fail to look at what was created before
	}
	s.Engine.Fail(servertest.Revision, nil, 0)
	const ref = `"ownerReferences":[{"apiVersion":"inventory.example.com/v1","kind":"Site","name":"gone","uid":"x"}]`
	owner := strings.Replace(site("child"), `"metadata":{`, `"metadata":{`+ref+`,`, 1)
	run(t, s, sites, []step{{method: "POST", body: owner, code: http.StatusCreated}})
	eventually(t, s.Server, sites+"/child", http.StatusNotFound, "")
	remove("Foreground") // waits for all resources to be watched
	eventually(t, s.Server, pools+"/web", http.StatusNotFound, "")
}

// TestCollectorWhileReplaced checks that the collector goes on, and warns of nothing, if a kind
// gets another definition between two of its steps.
func TestCollectorWhileReplaced(t *testing.T) {
	t.Parallel()
	log, told := warnings()
	var s *server.Server
	var replace func() error
	s, _ = withBoats(t, log, server.Admit(func(_ context.Context, r *server.Request, _, new runtime.Object) error {
		if again := replace; r.Resource.Resource == "boats" && new == nil && again != nil {
			replace = nil
			return again()
		}
		return nil
	}))
	other := changedBoats(t, s, "name: Crew", "name: Sailors")
	replace = func() error { return s.ReplaceKind(other) }
	const ref = `"ownerReferences":[{"apiVersion":"harbor.example.com/v1","kind":"Boat","name":"gone","uid":"x"}],`
	child := strings.Replace(boat("a"), `"metadata":{`, `"metadata":{`+ref, 1)
	run(t, s, boats, []step{{method: "POST", body: child, code: http.StatusCreated}})
	eventually(t, s, boats+"/a", http.StatusNotFound, "")
	select {
	case r := <-told:
		r.Attrs(func(a slog.Attr) bool { t.Error(r.Message, a); return true })
	default:
	}
}

// TestCollectorSurvivesHooks checks that a hook that panics does not end the program when the
// collector writes, that it is logged with its stack, and that the collector tries again.
func TestCollectorSurvivesHooks(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	log, told := warnings()
	s := newServer(t, log, server.Admit(func(_ context.Context, r *server.Request, _, new runtime.Object) error {
		if new != nil || r.Resource.Resource != "machines" {
			return nil
		}
		switch calls.Add(1) {
		case 1:
			panic("a hook panics")
		case 2:
			panic(http.ErrAbortHandler)
		}
		return nil
	}))
	owned(t, s, "")("Background")
	eventually(t, s, machines, http.StatusOK, `"items":[]`)
	if n := calls.Load(); n < 4 {
		t.Errorf("%d deletions", n)
	}
	stack := ""
	for a := range (<-told).Attrs {
		if a.Key == "stack" {
			stack = a.Value.String()
		}
	}
	if !strings.Contains(stack, "TestCollectorSurvivesHooks") {
		t.Errorf("the stack in the log is %q", stack)
	}
}
