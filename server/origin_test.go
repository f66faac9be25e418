package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
)

// TestFieldsOfServedVersion checks that what rules of the stored version and hooks find is reported
// at the fields of the version that the client uses.
func TestFieldsOfServedVersion(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.For[fleetv1.Machine](server.Hooks[fleetv1.Machine]{
		Validate: func(_ context.Context, _ *server.Request, _, m *fleetv1.Machine) (errs runtime.FieldErrors) {
			if m.Spec.PoolName == "full" {
				errs = append(errs, runtime.Invalid(schema.NewPath("spec", "poolName"), "full", ""))
			}
			if m.Spec.Zone == "nowhere" {
				errs = append(errs, runtime.Invalid(schema.NewPath("spec", "zone"), "nowhere", "is closed"))
			}
			if m.Spec.PoolName == "secret" {
				errs = append(errs, runtime.Required(schema.NewPath("spec", "asset", "serialNumber"), "is needed"))
			}
			if m.Spec.Zone == "lonely" && m.Spec.PoolName == "" {
				errs = append(errs, runtime.Required(schema.NewPath("spec", "poolName"), "no zone is lonelier"))
			}
			return errs
		},
	}))
	for _, tt := range []struct {
		name, spec, field, message string
	}{
		{
			"a rule of the stored version",
			`"zone":"z","bootDisk":"none","disks":[{"name":"root","size":"1Gi"}]`,
			"spec.bootDisk",
			`Unsupported value: "none": supported values: "root" (spec.boot.disk.name in fleet.example.com/v1)`,
		},
		{"a hook", `"zone":"z","image":"i","pool":"full"`, "spec.pool", `Invalid value: "full": spec.poolName in fleet.example.com/v1`},
		{"the same path", `"zone":"nowhere","image":"i"`, "spec.zone", `Invalid value: "nowhere": is closed`},
		{
			"a value that is missing", `"zone":"lonely","image":"i"`, "spec.pool",
			"Required value: no zone is lonelier (spec.poolName in fleet.example.com/v1)",
		},
		{"no field", `"zone":"z","image":"i","pool":"secret"`, "spec", "Required value: is needed (spec.asset.serialNumber in fleet.example.com/v1)"},
	} {
		w := request(s, "POST", "/apis/fleet.example.com/v1alpha1/namespaces/default/machines",
			`{"apiVersion":"fleet.example.com/v1alpha1","kind":"Machine","metadata":{"name":"m"},"spec":{`+
				tt.spec+`,"cpu":"4","memory":"8Gi"}}`)
		var status metav1.Status
		if err := json.Unmarshal(w.Body.Bytes(), &status); err != nil || w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", tt.name, w.Code, w.Body)
			continue
		}
		if len(status.Details.Causes) != 1 || status.Details.Causes[0].Field != tt.field ||
			status.Details.Causes[0].Message != tt.message {
			t.Errorf("%s: got %+v", tt.name, status.Details.Causes)
		}
	}
}
