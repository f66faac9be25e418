package kubedata

import (
	"encoding/json"
	"fmt"
)

// CustomResource returns the JSON of a custom resource, a certificate authority's record of the
// names that it serves: about 5 KB.
func CustomResource() []byte {
	d := diceOf(0)
	type object = map[string]any
	var routes []any
	for i := range 16 {
		routes = append(routes, object{
			"host": fmt.Sprintf("%s.eu-%d.example.com", d.ID(6), i%3), "weight": 100 - i, "secure": i%4 != 0,
			"timeout": fmt.Sprintf("%ds", 5+i),
			"backend": object{"service": object{"name": "svc-" + d.ID(5), "port": 8080 + i}, "zone": "eu-central-1" +
				string("abc"[i%3])},
			"retries": object{"attempts": 3, "on": []any{"connect-failure", "reset", "503"}},
		})
	}
	text, err := json.Marshal(object{
		"apiVersion": "mesh.example.com/v1alpha2", "kind": "RouteTable",
		"metadata": object{
			"name": "routes-" + d.ID(5), "namespace": "production", "uid": string(uid(d)),
			"resourceVersion": "481516234", "generation": 12, "creationTimestamp": "2026-02-25T06:13:20Z",
			"labels":      object{"app.kubernetes.io/name": "mesh", "app.kubernetes.io/managed-by": "Helm"},
			"annotations": object{"checksum/config": hex(d, 64)},
			"managedFields": []any{object{
				"manager": "mesh-controller", "operation": "Update",
				"apiVersion": "mesh.example.com/v1alpha2", "fieldsType": "FieldsV1",
				"fieldsV1": object{"f:spec": object{
					"f:routes":   object{},
					"f:defaults": object{".": object{}, "f:timeout": object{}},
				}},
			}},
		},
		"spec": object{"routes": routes, "defaults": object{
			"timeout": "15s", "weight": 100, "ratio": 0.25,
			"tls": nil,
		}},
		"status": object{
			"observedGeneration": 12, "ready": true,
			"conditions": []any{object{
				"type": "Ready", "status": "True", "reason": "Programmed",
				"message": "all 16 routes are \"live\"", "lastTransitionTime": "2026-02-25T06:14:20Z",
			}},
		},
	})
	if err != nil {
		panic("BUG: a tree of plain values has JSON: " + err.Error())
	}
	return text
}

// CustomResources returns the JSON of a list of the first n pods of a cluster as custom resources.
func CustomResources(n int) ([]byte, error) {
	text, err := json.Marshal(Pods(n))
	if err != nil {
		return nil, err
	}
	var list map[string]any
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	const group, kind = "mesh.example.com/v1alpha2", "Workload"
	list["apiVersion"], list["kind"] = group, kind+"List"
	for _, item := range list["items"].([]any) {
		item := item.(map[string]any)
		item["apiVersion"], item["kind"] = group, kind
	}
	return json.Marshal(list)
}
