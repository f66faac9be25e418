package restmapper_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/schema"
)

// meant formats arguments as resource.version.group/name.
func meant(args []restmapper.Argument) string {
	var out []string
	for _, a := range args {
		text := a.Resource.Resource + "." + a.Resource.Version + "." + a.Resource.Group
		if a.Name != "" {
			text += "/" + a.Name
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func TestParseArguments(t *testing.T) {
	t.Parallel()
	m := mapper(t, "", "apps")
	for _, c := range []struct{ name, args, want, err string }{
		{name: "resource", args: "deployments", want: "deployments.v1.apps"},
		{name: "short name and names", args: "deploy a b", want: "deployments.v1.apps/a deployments.v1.apps/b"},
		{name: "several resources", args: "po,deploy", want: "pods.v1. deployments.v1.apps"},
		{name: "several resources and a name", args: "po,deploy a", want: "pods.v1./a deployments.v1.apps/a"},
		{name: "category", args: "all", want: "pods.v1. deployments.v1.apps"},
		{name: "resource.group", args: "events.events.k8s.io", want: "events.v1.events.k8s.io"},
		{name: "resource.version.group", args: "deployments.v1beta1.apps", want: "deployments.v1beta1.apps"},
		{name: "resource/name", args: "po/a deploy/b", want: "pods.v1./a deployments.v1.apps/b"},
		{name: "resource.group/name", args: "events.events.k8s.io/a", want: "events.v1.events.k8s.io/a"},
		{name: "group/resource", args: "mesh.example.com/gateways", want: "gateways.v1.mesh.example.com"},
		{
			name: "group/resource/name", args: "mesh.example.com/gw/a apps/deploy/b",
			want: "gateways.v1.mesh.example.com/a deployments.v1.apps/b",
		},
		{name: "group cut short", args: "mesh/gw/a", want: "gateways.v1.mesh.example.com/a"},
		{name: "core group", args: "core/events/a", want: "events.v1./a"},
		{
			name: "ambiguous", args: "gateways",
			err: `argument "gateways": meta: "gateways" is ambiguous: gateways.v1.gateway.example.com, gateways.v1.mesh.example.com; name the group`,
		},
		{name: "nothing", err: "name a resource, such as cars, cars/beetle or cars.example.com/cars/beetle"},
		{
			name: "no such group", args: "nothing.example.com/pods",
			err: `argument "nothing.example.com/pods": meta: no resource matches "pods.nothing.example.com"; known: v1, Resource=pods`,
		},
		{
			name: "reference behind a name", args: "pods a/b",
			err: `argument "a/b": names follow a resource and contain no slash; write either names or references`,
		},
		{
			name: "too many parts", args: "a/b/c/d",
			err: `argument "a/b/c/d": write resource/name, group/resource or group/resource/name`,
		},
		{name: "no name", args: "apps/deploy/", err: `argument "apps/deploy/": the name after the last slash is missing`},
		{
			name: "references with a comma", args: "apps/deploy,apps/sts",
			err: `argument "apps/deploy,apps/sts": ` +
				`separate references that contain a slash with spaces, not commas`,
		},
		{
			name: "nothing before the slash", args: "/a",
			err: `argument "/a": a part before or after the slash is missing`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := restmapper.ParseArguments(t.Context(), m, strings.Fields(c.args)...)
			text := strings.ReplaceAll(fmt.Sprint(err), "restmapper: ", "meta: ")
			if c.err != "" && text != c.err {
				t.Errorf("got error %s\nwant      %s", text, c.err)
			}
			if c.err == "" && (err != nil || meant(got) != c.want) {
				t.Errorf("got %s, %v\nwant %s", meant(got), err, c.want)
			}
		})
	}
	_, err := restmapper.ParseArguments(t.Context(), m, "gateways")
	if _, ok := errors.AsType[*restmapper.ArgumentError](err); !ok || !errors.Is(err, restmapper.ErrAmbiguous) {
		t.Errorf("got %v", err)
	}
}

// TestArgumentThatIsBoth has a resource and a group with the same name.
func TestArgumentThatIsBoth(t *testing.T) {
	t.Parallel()
	m, err := restmapper.NewStatic([]restmapper.Resource{
		resource("example.com", "v1", "App", "apps"), resource("apps", "v1", "Job", "jobs"),
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `argument "apps/jobs": it can be the object "jobs" of apps.example.com, or the resource jobs.apps: ` +
		`write apps.example.com/jobs for the object, jobs.apps for the resource`
	if _, err := restmapper.ParseArguments(t.Context(), m, "apps/jobs"); fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	for text, want := range map[string]string{
		"apps.example.com/jobs": "apps.v1.example.com/jobs",
		"jobs.apps":             "jobs.v1.apps",
	} {
		if got, err := restmapper.ParseArguments(t.Context(), m, text); err != nil || meant(got) != want {
			t.Errorf("got %s, %v", meant(got), err)
		}
	}
}

// TestMulti combines the mappers of several groups.
func TestMulti(t *testing.T) {
	t.Parallel()
	byGroup := map[string][]restmapper.Resource{}
	var order []string
	for _, r := range resources() {
		if byGroup[r.Resource.Group] == nil {
			order = append(order, r.Resource.Group)
		}
		byGroup[r.Resource.Group] = append(byGroup[r.Resource.Group], r)
	}
	var mappers []restmapper.Mapper
	for _, group := range order {
		m, err := restmapper.NewStatic(byGroup[group])
		if err != nil {
			t.Fatal(err)
		}
		mappers = append(mappers, m)
	}
	whole := mapper(t, "", "apps")
	multi := restmapper.NewMulti(mappers, "", "apps")
	for _, partial := range []schema.GroupVersionResource{
		{Resource: "pods"},
		{Resource: "po"},
		{Resource: "deploy"},
		{Resource: "events"},
		{Group: "events.k8s.io", Resource: "events"},
		{Group: "mesh", Resource: "gw"},
		{Version: "v1beta1", Resource: "deployments"},
		{Resource: "gateways"},
		{Resource: "nothing"},
	} {
		want, wantErr := whole.ForResource(t.Context(), partial)
		got, err := multi.ForResource(t.Context(), partial)
		if got != want || errors.Is(err, restmapper.ErrAmbiguous) != errors.Is(wantErr, restmapper.ErrAmbiguous) ||
			errors.Is(err, restmapper.ErrNoMatch) != errors.Is(wantErr, restmapper.ErrNoMatch) {
			t.Errorf("%v: got %v, %v\nwant %v, %v", partial, got.Resource, err, want.Resource, wantErr)
		}
	}
	got, err := multi.ForKind(t.Context(), schema.GroupKind{Group: "apps", Kind: "Deployment"}, "v1beta1")
	if err != nil || got.Kind.Version != "v1beta1" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := multi.ForKind(t.Context(), schema.GroupKind{Kind: "Nothing"}); !errors.Is(err, restmapper.ErrNoMatch) {
		t.Errorf("got %v", err)
	}
	args, err := restmapper.ParseArguments(t.Context(), multi, "all")
	if err != nil || meant(args) != "pods.v1. deployments.v1.apps" {
		t.Errorf("got %s, %v", meant(args), err)
	}
}

func TestInVersion(t *testing.T) {
	t.Parallel()
	m := mapper(t, "", "apps")
	args, err := restmapper.ParseArguments(t.Context(), m, "deploy", "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	got, err := restmapper.InVersion(t.Context(), m, "apps/v1beta1", args...)
	if err != nil || meant(got) != "deployments.v1beta1.apps/a deployments.v1beta1.apps/b" {
		t.Errorf("got %s, %v", meant(got), err)
	}
	if _, err := restmapper.InVersion(t.Context(), m, "apps/v9", args...); !errors.Is(err, restmapper.ErrNoMatch) {
		t.Errorf("got %v", err)
	}
	args, err = restmapper.ParseArguments(t.Context(), m, "deploy,pods")
	if err != nil {
		t.Fatal(err)
	}
	const want = "apps/v1 cannot be the version of both deployments.apps and pods"
	if _, err := restmapper.InVersion(t.Context(), m, "apps/v1", args...); fmt.Sprint(err) != want {
		t.Errorf("got %v", err)
	}
}

// TestDynamicLearns gives a mapper resources that it did not request.
func TestDynamicLearns(t *testing.T) {
	t.Parallel()
	asked := 0
	m := restmapper.NewDynamic(func(context.Context) (restmapper.Discovery, error) {
		asked++
		return restmapper.Discovery{}, nil
	})
	if err := m.Learn(restmapper.Discovery{Resources: resources()}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.ForResource(t.Context(), schema.GroupVersionResource{Resource: "pods"}); err != nil || asked != 0 {
		t.Errorf("got %v after %d requests", err, asked)
	}
}

func ExampleParseArguments() {
	m, err := restmapper.NewStatic([]restmapper.Resource{
		resource("cars.example.com", "v1", "Car", "cars", "car", "c"),
		resource("toys.example.com", "v1", "Car", "cars", "car"),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	args, err := restmapper.ParseArguments(context.Background(), m, "toys.example.com/cars/beetle")
	fmt.Println(args[0].Resource, args[0].Name, err)
	_, err = restmapper.ParseArguments(context.Background(), m, "cars", "beetle")
	fmt.Println(err)
	// Output:
	// toys.example.com/v1, Resource=cars beetle <nil>
	// argument "cars": restmapper: "cars" is ambiguous: cars.v1.cars.example.com, cars.v1.toys.example.com; name the group
}

// TestCoreGroupAmongNamesakes names resources of the core group whose names other groups have, too:
// by the group and by a category.
func TestCoreGroupAmongNamesakes(t *testing.T) {
	t.Parallel()
	pods := resource("", "v1", "Pod", "pods")
	pods.Categories = []string{"all"}
	all := []restmapper.Resource{pods, resource("metrics.k8s.io", "v1beta1", "PodMetrics", "pods")}
	for _, order := range [][]string{nil, {"metrics.k8s.io", ""}, {"metrics.k8s.io"}, {""}} {
		static, err := restmapper.NewStatic(all, order...)
		if err != nil {
			t.Fatal(err)
		}
		dynamic := restmapper.NewDynamic(func(context.Context) (restmapper.Discovery, error) {
			return restmapper.Discovery{Resources: all}, nil
		}, order...)
		for name, m := range map[string]restmapper.Mapper{
			"static": static, "dynamic": dynamic, "multi": restmapper.NewMulti([]restmapper.Mapper{static}, order...),
		} {
			for _, arg := range []string{"core/pods", "all"} {
				got, err := restmapper.ParseArguments(t.Context(), m, arg)
				if err != nil || meant(got) != "pods.v1." {
					t.Errorf("%s, order %q, %s: got %s, %v", name, order, arg, meant(got), err)
				}
			}
			got, err := restmapper.ParseArguments(t.Context(), m, "metrics.k8s.io/pods/a")
			if err != nil || meant(got) != "pods.v1beta1.metrics.k8s.io/a" {
				t.Errorf("%s, order %q: got %s, %v", name, order, meant(got), err)
			}
		}
	}
	m, err := restmapper.NewStatic(all[1:])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := restmapper.ParseArguments(t.Context(), m, "core/pods"); !errors.Is(err, restmapper.ErrNoMatch) {
		t.Errorf("got %v", err)
	}
}
