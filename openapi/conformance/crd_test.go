package conformance

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	servervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	ruledv1 "github.com/askind/askind/internal/ruled/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	askindschema "github.com/askind/askind/schema"
)

// definitions returns the CustomResourceDefinitions of some packages of the main module by their
// names.
func definitions(t *testing.T, packages ...string) map[string]*apiextensions.CustomResourceDefinition {
	t.Helper()
	_, internal := definitionsOf(t, packages...)
	return internal
}

// definitionsOf returns them as written and in the server's internal form.
func definitionsOf(t *testing.T, args ...string) (map[string]*apiextensionsv1.CustomResourceDefinition,
	map[string]*apiextensions.CustomResourceDefinition,
) {
	t.Helper()
	dir := t.TempDir()
	run(t, append([]string{"crd", "-o", dir}, args...)...)
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	written := map[string]*apiextensionsv1.CustomResourceDefinition{}
	out := map[string]*apiextensions.CustomResourceDefinition{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var external apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(text, &external); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		written[external.Name] = external.DeepCopy()
		apiextensionsv1.SetDefaults_CustomResourceDefinition(&external)
		apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&external.Spec)
		internal := new(apiextensions.CustomResourceDefinition)
		convert := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition
		if err := convert(&external, internal, nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, v := range external.Spec.Versions {
			if v.Storage { // as a server records it
				internal.Status.StoredVersions = []string{v.Name}
			}
		}
		out[external.Name] = internal
	}
	return written, out
}

func TestDefinitionsAreAccepted(t *testing.T) {
	t.Parallel()
	for _, packages := range [][]string{
		{"./examples/fleet/api/...", "./internal/ruled/..."},
		{"-C", "openapi/conformance", "./testdata/pods"},
	} {
		for name, def := range definitions(t, packages...) {
			for _, err := range validation.ValidateCustomResourceDefinition(t.Context(), def) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestValidationAgreesWithServers validates random objects with generated functions and, like an
// API server, with the CustomResourceDefinition.
func TestValidationAgreesWithServers(t *testing.T) {
	t.Parallel()
	def := definitions(t, "./internal/ruled/...")["ruleds.ruled.example.com"]
	props := def.Spec.Versions[0].Schema
	if props == nil {
		props = def.Spec.Validation
	}
	judge, _, err := servervalidation.NewSchemaValidator(props.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	structural, err := schema.NewStructural(props.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	kind := ruledKind(t)
	rnd := rand.New(rand.NewPCG(3, 4))
	valid, invalid := 0, 0
	for range 5000 {
		obj := mostlyValid(rnd)
		found := kind.Validate(t.Context(), obj)
		text, err := kind.AppendJSON(nil, obj)
		if err != nil {
			t.Fatal(err)
		}
		var u map[string]any
		if err := json.Unmarshal(text, &u); err != nil {
			t.Fatal(err)
		}
		errs := servervalidation.ValidateCustomResource(nil, u, judge)
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, structural, u)...)
		if (len(errs) == 0) != (len(found) == 0) {
			t.Fatalf("%s\ngenerated functions: %v\nserver: %v", text, found, errs)
		}
		if len(errs) == 0 {
			valid++
		} else {
			invalid++
		}
	}
	if valid < 500 || invalid < 500 {
		t.Errorf("%d valid and %d invalid objects are too few", valid, invalid)
	}
}

// TestImmutableAgreesWithServers changes random objects, and compares the errors of generated
// functions about immutable fields with those of the rules of the CustomResourceDefinition.
func TestImmutableAgreesWithServers(t *testing.T) {
	t.Parallel()
	def := definitions(t, "./internal/ruled/...")["ruleds.ruled.example.com"]
	structural, err := schema.NewStructural(def.Spec.Validation.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	judge := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	kind := ruledKind(t)
	asJSON := func(obj runtime.Object) (u map[string]any) {
		text, err := kind.AppendJSON(nil, obj)
		if err == nil {
			err = json.Unmarshal(text, &u)
		}
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	changed, kept := 0, 0
	for range 3000 {
		old, obj := mostlyValid(rnd), mostlyValid(rnd)
		var ours []string
		for _, e := range kind.ValidateChange(t.Context(), obj, old) {
			if e.Detail == "field is immutable" {
				ours = append(ours, e.Path.String())
			}
		}
		errs, _ := judge.Validate(t.Context(), nil, structural, asJSON(obj), asJSON(old),
			celconfig.RuntimeCELCostBudget)
		var theirs []string
		for _, e := range errs {
			theirs = append(theirs, e.Field)
		}
		slices.Sort(ours)
		slices.Sort(theirs)
		if !slices.Equal(ours, theirs) {
			t.Fatalf("%v became %v\ngenerated functions: %v\nserver: %v", asJSON(old), asJSON(obj), ours, errs)
		}
		if len(ours) > 0 {
			changed++
		} else {
			kept++
		}
	}
	if changed < 300 || kept < 300 {
		t.Errorf("%d refused and %d accepted changes are too few", changed, kept)
	}
}

// ruledKind returns the kind Ruled of a new scheme.
func ruledKind(t *testing.T) *runtime.Kind {
	t.Helper()
	scheme, err := runtime.NewScheme(ruledv1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	kind, err := scheme.Kind(askindschema.GroupVersionKind{Group: "ruled.example.com", Version: "v1", Kind: "Ruled"})
	if err != nil {
		t.Fatal(err)
	}
	return kind
}
