package apiextensions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/apiextensions/v1"
	"github.com/askind/askind/server/internal/replaced"
	"github.com/askind/askind/store/memory"
)

// TestPauses checks that a definition that fails again and again is looked at, and logged, less and
// less often, until it succeeds or is changed.
func TestPauses(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	c := &controller{
		log: slog.New(slog.NewTextHandler(&log, nil)), known: map[string]*metav1.PartialObjectMetadata{},
		dirty: map[string]bool{}, failed: map[string]failure{}, emptied: map[string]bool{},
		terminating: map[string]context.CancelFunc{},
	}
	refused := errors.New("a hook refuses")
	fail := func(want time.Duration) {
		t.Helper()
		before := time.Now()
		c.check(t.Context(), "ks.a.b", refused)
		due, ok := c.nextRetry()
		if wait := due.Sub(before); !ok || wait < want || wait > want+time.Second/2 {
			t.Errorf("the next attempt is after %v, want %v", wait, want)
		}
		c.retry(due.Add(-1))
		early := c.dirty["ks.a.b"]
		if c.retry(due); early || !c.dirty["ks.a.b"] {
			t.Errorf("dirty before the pause has ended: %t, then %t", early, c.dirty["ks.a.b"])
		}
		clear(c.dirty)
	}
	change := func(generation int64) {
		d := new(metav1.PartialObjectMetadata)
		d.Name, d.UID, d.Generation = "ks.a.b", "u", generation
		c.take(client.Change[metav1.PartialObjectMetadata]{
			Type: client.Modified, Key: client.Key{Name: d.Name}, Object: d,
		}, nil)
		if !c.dirty["ks.a.b"] {
			t.Error("a change is not looked at")
		}
		clear(c.dirty)
	}
	change(1)
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		fail(want * time.Second)
		change(1) // the controller itself has written the status
	}
	if n := strings.Count(log.String(), "a hook refuses"); n != 8 {
		t.Errorf("%d warnings:\n%s", n, &log)
	}
	change(2)
	fail(time.Second)
	c.terminating["ks.a.b"] = func() {}
	if _, ok := c.nextRetry(); ok {
		t.Error("it is looked at again while its objects are being deleted")
	}
	delete(c.terminating, "ks.a.b")
	fail(2 * time.Second)
	c.check(t.Context(), "ks.a.b", nil)
	if _, ok := c.nextRetry(); ok {
		t.Error("it is looked at again after it has succeeded")
	}
	fail(time.Second)
}

// TestCompiledOnce checks that definitions are compiled once even if many are created before the
// first of them is served, and that what is kept for that is bounded.
func TestCompiledOnce(t *testing.T) {
	t.Parallel()
	db := memory.New()
	defer db.Close()
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	srv, err := server.New(scheme, db, server.Rules(func([]byte) (dynamic.Rules, runtime.FieldErrors) {
		count++
		return nil, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	c := &compiler{srv: srv}
	compile := func(plural string) {
		t.Helper()
		d := new(v1.CustomResourceDefinition)
		d.Name, d.Spec.Group, d.Spec.Scope = plural+".example.com", "example.com", v1.NamespaceScoped
		d.Spec.Names.Plural, d.Spec.Names.Kind = plural, "K"
		d.Spec.Versions = []v1.CustomResourceDefinitionVersion{{
			Name: "v1", Served: true, Storage: true, Schema: &v1.CustomResourceValidation{OpenAPIV3Schema: []byte(
				`{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}`)},
		}}
		if _, err := c.resource(d); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		for i := range 200 {
			compile(fmt.Sprintf("k%d", i))
		}
	}
	if count != 200 {
		t.Errorf("compiled %d times", count)
	}
	for i := range c.latest {
		c.latest[i].size = mostKept / 10
	}
	compile("other")
	if len(c.latest) != 10 {
		t.Errorf("%d are kept", len(c.latest))
	}
	c.latest[0].size = mostKept + 1
	compile("last")
	if len(c.latest) != 1 {
		t.Errorf("%d are kept beside a large one", len(c.latest)-1)
	}
}

// TestUnchangedRules checks that a write that keeps a spec that is in force does not compile its
// rules, and any other does.
func TestUnchangedRules(t *testing.T) {
	t.Parallel()
	db := memory.New()
	defer db.Close()
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	srv, err := server.New(scheme, db, server.Rules(func([]byte) (dynamic.Rules, runtime.FieldErrors) {
		count++
		return nil, runtime.FieldErrors{runtime.Invalid(nil, nil, "no such rule")}
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	c := &compiler{srv: srv}
	for name, tt := range map[string]struct {
		change func(d, old *v1.CustomResourceDefinition)
		wrong  bool
	}{
		"labels": {change: func(d, _ *v1.CustomResourceDefinition) { d.Labels = map[string]string{"a": "b"} }},
		"status": {change: func(d, _ *v1.CustomResourceDefinition) { d.Status.Conditions[0].Message = "x" }},
		"short names": {change: func(d, _ *v1.CustomResourceDefinition) {
			d.Spec.Names.ShortNames = []string{"x"}
		}, wrong: true},
		"not in force": {change: func(_, old *v1.CustomResourceDefinition) {
			old.Status.Conditions[0].ObservedGeneration--
		}, wrong: true},
		"not established": {change: func(_, old *v1.CustomResourceDefinition) {
			old.Status.Conditions[0].Status = metav1.ConditionFalse
		}, wrong: true},
	} {
		old := new(v1.CustomResourceDefinition)
		old.Name, old.Generation = "ks.example.com", 2
		old.Spec.Group, old.Spec.Names.Plural, old.Spec.Names.Kind = "example.com", "ks", "K"
		old.Spec.Scope = v1.NamespaceScoped
		old.Spec.Versions = []v1.CustomResourceDefinitionVersion{{
			Name: "v1", Served: true, Storage: true, Schema: &v1.CustomResourceValidation{OpenAPIV3Schema: []byte(
				`{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}`)},
		}}
		old.Status.Conditions = []metav1.Condition{{
			Type: v1.Established, Status: metav1.ConditionTrue, ObservedGeneration: 2,
		}}
		d := v1.DeepCopyCustomResourceDefinition(old)
		tt.change(d, old)
		before := count
		errs := c.check(replaced.With(t.Context(), old), d)
		if len(errs) > 0 != tt.wrong || count > before != tt.wrong {
			t.Errorf("%s: compiled %d times, errors %v", name, count-before, errs)
		}
	}
}
