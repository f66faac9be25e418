package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	metav1 "github.com/askind/askind/meta/v1"
	backupv1 "github.com/askind/askind/openapi/conformance/kubebuilder/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/yaml"
)

// controllerGen returns controller-gen's definition of a kind.
func controllerGen(t *testing.T, dir string, kind kschema.GroupKind) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	roots, err := loader.LoadRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		t.Fatal(err)
	}
	parser := &crd.Parser{Collector: &markers.Collector{Registry: registry}, Checker: &loader.TypeChecker{}}
	crd.AddKnownTypes(parser)
	for _, root := range roots {
		parser.NeedPackage(root)
	}
	parser.NeedCRDFor(kind, nil)
	def := parser.CustomResourceDefinitions[kind]
	return &def
}

// flat returns the leaves of a value by their JSON paths. It normalizes line breaks of descriptions
// and the order of required fields.
func flat(t *testing.T, v any) map[string]string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if len(v) == 0 {
				out[path] = "{}"
			}
			for key, value := range v {
				walk(path+"."+key, value)
			}
		case []any:
			if len(v) == 0 {
				out[path] = "[]"
			}
			if strings.HasSuffix(path, ".required") {
				slices.SortFunc(v, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
			}
			for i, value := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), value)
			}
		default:
			out[path] = strings.Join(strings.Fields(fmt.Sprint(v)), " ")
		}
	}
	walk("", tree)
	return out
}

// TestKubebuilderProject generates the CustomResourceDefinition of a kubebuilder project's types
// and compares it with that of controller-gen.
func TestKubebuilderProject(t *testing.T) {
	t.Parallel()
	const name = "schedules.backup.example.org"
	written, internal := definitionsOf(t, "-C", "openapi/conformance", "./kubebuilder/...")
	for _, err := range validation.ValidateCustomResourceDefinition(t.Context(), internal[name]) {
		t.Error(err)
	}
	made := controllerGen(t, "./kubebuilder/v1", kschema.GroupKind{Group: "backup.example.org", Kind: "Schedule"})
	ours, theirs := flat(t, written[name].Spec), flat(t, made.Spec)
	compareDefinitions(t, ours, theirs)
	if len(ours) < 150 {
		t.Errorf("%d values are too few", len(ours))
	}
}

// TestFormsOfMarkers compares the definition of a kind whose markers are written in each form that
// controller-gen reads.
func TestFormsOfMarkers(t *testing.T) {
	t.Parallel()
	const name = "forms.forms.example.org"
	written, internal := definitionsOf(t, "-C", "openapi/conformance", "./testdata/forms")
	for _, err := range validation.ValidateCustomResourceDefinition(t.Context(), internal[name]) {
		t.Error(err)
	}
	made := controllerGen(t, "./testdata/forms", kschema.GroupKind{Group: "forms.example.org", Kind: "Form"})
	delete(made.Annotations, "controller-gen.kubebuilder.io/version")
	compareDefinitions(t, flat(t, written[name].Spec), flat(t, made.Spec))
	compareDefinitions(t, flat(t, written[name].Annotations), flat(t, made.Annotations))
	compareDefinitions(t, flat(t, written[name].Labels), flat(t, made.Labels))
}

// compareDefinitions reports the differences between two definitions that are not listed in
// differs.
func compareDefinitions(t *testing.T, ours, theirs map[string]string) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(ours)) {
		if want, ok := theirs[path]; ok && want == ours[path] || differs(path) {
			continue
		}
		t.Errorf("%s is %q, and %q in that of controller-gen", path, ours[path], theirs[path])
	}
	for _, path := range slices.Sorted(maps.Keys(theirs)) {
		if _, ok := ours[path]; !ok && !differs(path) {
			t.Errorf("%s is missing, and %q in that of controller-gen", path, theirs[path])
		}
	}
}

// differs reports whether the two definitions differ at a path on purpose.
func differs(path string) bool {
	const object = ".versions[0].schema.openAPIV3Schema.properties"
	return slices.Contains([]string{
		// API servers add these descriptions themselves.
		object + ".apiVersion.description",
		object + ".kind.description",
		// A RawExtension without bytes is encoded as null.
		object + ".spec.properties.job.nullable",
		// The defaults of types in other modules may come from code, so their markers are not used.
		object + ".spec.properties.credentials.properties.name.default",
		// A nil list in a list is encoded as null.
		object + ".spec.properties.grid.items.nullable",
		// A well-known type has its own description.
		object + ".spec.properties.ports.items.description",
	}, path)
}

// TestKubebuilderProjectDecides checks that the generated functions validate schedules according to
// the markers, after applying defaults.
func TestKubebuilderProjectDecides(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(backupv1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	const head = "apiVersion: backup.example.org/v1\nkind: Schedule\nmetadata: {name: nightly}\n"
	const rest = "target: {directory: /backups}, volumes: [{name: data}]"
	for _, tt := range []struct{ name, spec, want string }{
		{"required fields only", `{cron: "0 3 * * *", ` + rest + `}`, ""},
		{"a short text", `{cron: "* *", ` + rest + `}`, "spec.cron"},
		{"a pattern", `{cron: "0 3 * * *", prefix: Big, ` + rest + `}`, "spec.prefix"},
		{"a format", `{cron: "0 3 * * *", owner: nobody, ` + rest + `}`, "spec.owner"},
		{"an enumeration", `{cron: "0 3 * * *", concurrency: Sometimes, ` + rest + `}`, "spec.concurrency"},
		{"a bound", `{cron: "0 3 * * *", keep: 101, ` + rest + `}`, "spec.keep"},
		{"a bound that is excluded", `{cron: "0 3 * * *", deadline: 0, ` + rest + `}`, "spec.deadline"},
		{"a multiple", `{cron: "0 3 * * *", deadline: 61, ` + rest + `}`, "spec.deadline"},
		{"a rule in CEL, held by a function", `{cron: "0 3 * * *", keep: 1, deadline: 60, ` + rest + `}`, "spec.keep"},
		{"too few elements", `{cron: "0 3 * * *", target: {directory: /b}, volumes: []}`, "spec.volumes"},
		{
			"a key twice", `{cron: "0 3 * * *", target: {directory: /b}, volumes: [{name: a}, {name: a}]}`,
			"spec.volumes[1]",
		},
		{"an element twice", `{cron: "0 3 * * *", exclude: [/a, /a], ` + rest + `}`, "spec.exclude[1]"},
		{"a pattern of elements", `{cron: "0 3 * * *", exclude: [a], ` + rest + `}`, "spec.exclude[0]"},
		{
			"too many entries", `{cron: "0 3 * * *", labels: {a: "", b: "", c: "", d: "", e: ""}, ` + rest + `}`,
			"spec.labels",
		},
		{
			"two of one", `{cron: "0 3 * * *", target: {directory: /b, bucket: {url: "s3://b"}}, volumes: [{name: a}]}`,
			"spec.target",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := serializer.Decode[backupv1.Schedule](f, []byte(head+"spec: "+tt.spec),
				serializer.DecodeOptions{Default: true, Validate: true})
			if tt.want == "" {
				if err != nil || got.Spec.Keep != 3 || got.Spec.Prefix != "backup" ||
					got.Spec.Concurrency != backupv1.ForbidConcurrent {
					t.Errorf("%+v, %v", got, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), "line 4,") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one about %s in line 4", err, tt.want)
			}
		})
	}
}

// TestLintExplains checks that lint reports the differences from a cluster for the project.
func TestLintExplains(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("kubebuilder/testdata/lint.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, "lint", "-C", "openapi/conformance", "./kubebuilder/v1"); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
