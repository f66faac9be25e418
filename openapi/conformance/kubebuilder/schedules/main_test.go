package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/scheme"

	v1 "github.com/askind/askind/openapi/conformance/kubebuilder/v1"
)

var original = flag.String("original", "",
	"record the responses of the API server at this URL, which must have the definition of schedules")

const recorded = "../testdata/controller.txt"

// TestController writes schedules like a controller, with controller-runtime, and checks that each
// returned object, including managed fields, equals the one that k8s.io/apiextensions-apiserver
// returned for the same step. Times, uids and versions are replaced.
//
//	go test ./kubebuilder/schedules -original http://127.0.0.1:8075
func TestController(t *testing.T) {
	t.Parallel()
	config := &rest.Config{Host: *original, QPS: -1}
	if *original == "" {
		srv, err := newServer()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = srv.Close() })
		config = &rest.Config{Host: "http://server", Transport: srv.Transport(), QPS: -1}
	}
	got := controller(t, config)
	if *original != "" {
		if err := os.WriteFile(recorded, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	step := ""
	was, is := strings.Split(typed(string(want)), "\n"), strings.Split(got, "\n")
	for i := range max(len(was), len(is)) {
		if i < len(was) && strings.HasPrefix(was[i], "# ") {
			step = was[i]
		}
		if i >= len(was) || i >= len(is) || was[i] != is[i] {
			near := func(lines []string) string {
				return strings.Join(lines[min(i, len(lines)):min(i+12, len(lines))], "\n")
			}
			t.Fatalf("%s: line %d: got\n%s\nwant\n%s", step, i+1, near(is), near(was))
		}
	}
}

// typed converts an object that a cluster stores as JSON to the one that it would store as a Go
// type: a struct is always encoded, so no manager owns it.
func typed(text string) string {
	for _, name := range []string{"spec", "target", "volumes"} {
		text = regexp.MustCompile(`("f:`+name+`": \{)\n *"\.": \{\},`).ReplaceAllString(text, "$1")
	}
	return text
}

// controller performs the writes of a controller on a schedule and returns the objects after each
// step.
func controller(t *testing.T, config *rest.Config) string {
	t.Helper()
	ctx := t.Context()
	s, err := (&scheme.Builder{GroupVersion: schema.GroupVersion{Group: "backup.example.org", Version: "v1"}}).
		Register(&v1.Schedule{}).Build()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(config, client.Options{Scheme: s})
	if err != nil {
		t.Fatal(err)
	}
	c = client.WithFieldOwner(c, "backup-operator")
	var out strings.Builder
	step := func(name string, result any, err error) {
		fmt.Fprintf(&out, "# %s: %v\n", name, result)
		if err != nil {
			fmt.Fprintf(&out, "%s\n", plain(err.Error()))
		}
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(schema.GroupVersionKind{Group: "backup.example.org", Version: "v1", Kind: "Schedule"})
		if err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "nightly"}, u); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		delete(u.Object, "status")
		text, err := json.MarshalIndent(u.Object, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(plain(string(text)) + "\n")
	}
	object := func() *v1.Schedule {
		o := &v1.Schedule{}
		o.Namespace, o.Name = "default", "nightly"
		return o
	}
	set := func(o *v1.Schedule, cron string, volumes ...string) controllerutil.MutateFn {
		return func() error {
			o.Spec.Cron, o.Spec.Target.Directory, o.Spec.Volumes = cron, "/backup", nil
			for _, name := range volumes {
				o.Spec.Volumes = append(o.Spec.Volumes, v1.Volume{Name: name, Paths: []string{"/srv"}})
			}
			return nil
		}
	}
	owner := object()
	owner.Name = "owner"
	if err := set(owner, "0 0 * * *", "data")(); err != nil {
		t.Fatal(err)
	}
	if err := c.Create(ctx, owner); err != nil {
		t.Fatal(err)
	}
	for _, w := range []struct {
		name  string
		write func(context.Context, client.Client, client.Object, controllerutil.MutateFn) (
			controllerutil.OperationResult, error)
	}{{"CreateOrUpdate", controllerutil.CreateOrUpdate}, {"CreateOrPatch", controllerutil.CreateOrPatch}} {
		o := object()
		r, err := w.write(ctx, c, o, set(o, "0 3 * * *", "data", "logs"))
		step(w.name, r, err)
		o = object()
		r, err = w.write(ctx, c, o, set(o, "0 3 * * *", "data", "logs"))
		step(w.name+" without a change", r, err)
		o = object()
		r, err = w.write(ctx, c, o, set(o, "0 4 * * *", "mail", "data"))
		step(w.name+" with changes", r, err)
		o = object()
		r, err = w.write(ctx, c, o, func() error {
			o.Labels, o.Spec.Exclude = map[string]string{"tier": "gold"}, []string{"/tmp"}
			return controllerutil.SetControllerReference(owner, o, s)
		})
		step(w.name+" with labels and an owner", r, err)
		o = object()
		r, err = w.write(ctx, c, o, set(o, "never"))
		step(w.name+" of what is invalid", r, reason(err))
		if err := c.Delete(ctx, object()); err != nil {
			t.Fatal(err)
		}
	}
	apply := func(name, spec string, options ...client.ApplyOption) {
		u := &unstructured.Unstructured{}
		const head = `{"apiVersion":"backup.example.org/v1","kind":"Schedule","metadata":{"name":"nightly","namespace":"default"},"spec":`
		if err := json.Unmarshal([]byte(head+spec+`}`), &u.Object); err != nil {
			t.Fatal(err)
		}
		err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), options...)
		step(name, "applied", reason(err))
	}
	const first = `{"cron":"0 3 * * *","target":{"directory":"/b"},"volumes":[{"name":"data","paths":["/a"]},{"name":"logs"}],"labels":{"a":"1","b":"2"},"exclude":["/tmp","/dev"]}`
	other := client.FieldOwner("other")
	apply("Apply", first)
	apply("Apply again", first)
	apply("Apply with fields left out", `{"cron":"0 3 * * *","target":{"directory":"/b"},"volumes":[{"name":"data"}],"labels":{"a":"1"},"exclude":["/tmp"]}`)
	apply("Apply by another manager", `{"keep":7,"labels":{"c":"3"},"volumes":[{"name":"mail"}]}`, other)
	apply("Apply with conflicts", `{"cron":"0 9 * * *","labels":{"a":"9"}}`, other)
	apply("Apply by force", `{"cron":"0 9 * * *","labels":{"a":"9"}}`, other, client.ForceOwnership)
	apply("Apply of what another manager has", first)
	apply("Apply of what is given up", `{"labels":{"a":"9"}}`, other)
	return out.String()
}

// reason shortens a validation error, whose wording differs.
func reason(err error) error {
	if err == nil {
		return nil
	}
	text, _, found := strings.Cut(err.Error(), " is invalid:")
	if found {
		text += " is invalid"
	}
	return errors.New(text)
}

var changing = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:]{8}Z|"resourceVersion": "\d+"`)

func plain(text string) string { return changing.ReplaceAllString(text, "…") }
