package v1_test

import (
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

func TestValidateOptions(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	minus, policy, wrong := int64(-1), metav1.DeletePropagationOrphan, metav1.DeletionPropagation("Never")
	const newer, exact = metav1.ResourceVersionMatchNotOlderThan, metav1.ResourceVersionMatchExact
	for _, tt := range []struct {
		name string
		obj  runtime.Object
		want string // the paths of what is found
	}{
		{"list", &metav1.ListOptions{Limit: 5, ResourceVersion: "7", ResourceVersionMatch: exact}, ""},
		{"list, any version", &metav1.ListOptions{ResourceVersion: "0", ResourceVersionMatch: newer}, ""},
		{
			"list, any version exactly", &metav1.ListOptions{ResourceVersion: "0", ResourceVersionMatch: exact},
			"resourceVersionMatch",
		},
		{"list, match of nothing", &metav1.ListOptions{ResourceVersionMatch: newer}, "resourceVersionMatch"},
		{
			"list, match and token", &metav1.ListOptions{
				ResourceVersion: "7", ResourceVersionMatch: newer,
				Continue: "x",
			},
			"resourceVersionMatch",
		},
		{
			"list, unknown match", &metav1.ListOptions{ResourceVersion: "7", ResourceVersionMatch: "Older"},
			"resourceVersionMatch",
		},
		{"list, initial events", &metav1.ListOptions{SendInitialEvents: &no}, "sendInitialEvents"},
		{"negative", &metav1.ListOptions{Limit: -1, TimeoutSeconds: &minus}, ""},
		{"watch", &metav1.ListOptions{Watch: true, ResourceVersion: "7"}, ""},
		{"watch, initial events", &metav1.ListOptions{
			Watch: true, SendInitialEvents: &yes,
			ResourceVersionMatch: newer,
		}, ""},
		{"watch, no initial events", &metav1.ListOptions{
			Watch: true, SendInitialEvents: &no,
			ResourceVersionMatch: newer, ResourceVersion: "7",
		}, ""},
		{
			"watch, initial events without match", &metav1.ListOptions{Watch: true, SendInitialEvents: &yes},
			"resourceVersionMatch",
		},
		{"watch, initial events at a version", &metav1.ListOptions{
			Watch: true, SendInitialEvents: &yes,
			ResourceVersionMatch: exact, ResourceVersion: "7",
		}, "resourceVersionMatch"},
		{"watch, match without initial events", &metav1.ListOptions{
			Watch: true, ResourceVersionMatch: newer,
			ResourceVersion: "7",
		}, "resourceVersionMatch"},
		{"create", &metav1.CreateOptions{DryRun: []string{"All"}, FieldValidation: "Strict", FieldManager: "me"}, ""},
		{"create, unknown values", &metav1.CreateOptions{
			DryRun: []string{"All", "Some"}, FieldValidation: "Hard",
			FieldManager: strings.Repeat("x", 129),
		}, "dryRun[1] fieldManager fieldValidation"},
		{
			"update, unknown values", &metav1.UpdateOptions{DryRun: []string{"Some"}, FieldValidation: "Hard"},
			"dryRun[0] fieldValidation",
		},
		{"patch, unknown values", &metav1.PatchOptions{FieldValidation: "strict"}, "fieldValidation"},
		{"delete", &metav1.DeleteOptions{PropagationPolicy: &policy, DryRun: []string{"All"}}, ""},
		{"delete, unknown values", &metav1.DeleteOptions{
			PropagationPolicy: &wrong, DryRun: []string{"x"},
			GracePeriodSeconds: &minus,
		}, "dryRun[0] gracePeriodSeconds propagationPolicy"},
		{
			"delete, said twice", &metav1.DeleteOptions{PropagationPolicy: &policy, OrphanDependents: &yes},
			"propagationPolicy",
		},
		{"table", &metav1.TableOptions{}, ""},
		{"table with objects", &metav1.TableOptions{IncludeObject: metav1.IncludeObject}, ""},
		{"table, unknown policy", &metav1.TableOptions{IncludeObject: "Everything"}, "includeObject"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			scheme, err := runtime.NewScheme(metav1.AddTo)
			if err != nil {
				t.Fatal(err)
			}
			k, err := scheme.KindOf(tt.obj)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range k.Validate(t.Context(), tt.obj) {
				got = append(got, e.Path.String())
				if e.Detail == "" {
					t.Errorf("%s says nothing", e.Path)
				}
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("found %q, want %q", s, tt.want)
			}
		})
	}
}
