package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/server"
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
	eventually(t, s, machines+"/unknown", http.StatusOK, "earth")
	eventually(t, s, machines+"/partly", http.StatusOK,
		`"ownerReferences":[{"apiVersion":"inventory.example.com/v1","kind":"Planet"`)
}
