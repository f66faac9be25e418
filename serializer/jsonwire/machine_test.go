package jsonwire_test

import (
	"strconv"
	"strings"

	"github.com/askind/askind/serializer/jsonwire"
)

// A kind with nested structs, pointers, maps and slices, and the code that a generator writes for it. Tests and
// benchmarks compare it with encoding/json, for which the same tags stand.

type machine struct {
	Kind       string        `json:"kind,omitempty"`
	APIVersion string        `json:"apiVersion,omitempty"`
	Metadata   machineMeta   `json:"metadata"`
	Spec       machineSpec   `json:"spec"`
	Status     machineStatus `json:"status,omitzero"`
}

type machineMeta struct {
	Name            string            `json:"name,omitempty"`
	Namespace       string            `json:"namespace,omitempty"`
	UID             string            `json:"uid,omitempty"`
	ResourceVersion string            `json:"resourceVersion,omitempty"`
	Generation      int64             `json:"generation,omitempty"`
	Labels          map[string]string `json:"labels,omitempty"`
	Annotations     map[string]string `json:"annotations,omitempty"`
	Finalizers      []string          `json:"finalizers,omitempty"`
}

type machineSpec struct {
	Disks    []machineDisk  `json:"disks,omitempty"`
	Replicas *int32         `json:"replicas,omitempty"`
	Paused   bool           `json:"paused,omitempty"`
	Weight   float64        `json:"weight,omitempty"`
	Limits   map[string]int `json:"limits,omitempty"`
	Secret   []byte         `json:"secret,omitempty"`
	Extra    any            `json:"extra,omitempty"`
}

type machineDisk struct {
	Name    string       `json:"name"`
	Image   string       `json:"image,omitempty"`
	Command []string     `json:"command,omitempty"`
	Env     []machineEnv `json:"env,omitempty"`
	SizeGiB int32        `json:"sizeGiB,omitempty"`
}

type machineEnv struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

type machineStatus struct {
	Phase      string             `json:"phase,omitempty"`
	Conditions []machineCondition `json:"conditions,omitempty"`
}

type machineCondition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

func (s *machineStatus) isZero() bool { return s.Phase == "" && s.Conditions == nil }

const _ = jsonwire.ABI1

var machineNames = []string{"kind", "apiVersion", "metadata", "spec", "status"}

func decodeJSONmachine(r *jsonwire.Reader, out *machine) {
	var seen uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "kind":
			r.Seen(&seen, 0, key)
			out.Kind = r.String(out.Kind)
		case "apiVersion":
			r.Seen(&seen, 1, key)
			out.APIVersion = r.String(out.APIVersion)
		case "metadata":
			r.Seen(&seen, 2, key)
			decodeJSONmachineMeta(r, &out.Metadata)
		case "spec":
			r.Seen(&seen, 3, key)
			decodeJSONmachineSpec(r, &out.Spec)
		case "status":
			r.Seen(&seen, 4, key)
			decodeJSONmachineStatus(r, &out.Status)
		default:
			r.Unknown(key, machineNames)
		}
	}
}

var machineMetaNames = []string{"name", "namespace", "uid", "resourceVersion", "generation", "labels", "annotations", "finalizers"}

func decodeJSONmachineMeta(r *jsonwire.Reader, out *machineMeta) {
	var seen uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "name":
			r.Seen(&seen, 0, key)
			out.Name = r.String(out.Name)
		case "namespace":
			r.Seen(&seen, 1, key)
			out.Namespace = r.String(out.Namespace)
		case "uid":
			r.Seen(&seen, 2, key)
			out.UID = r.String(out.UID)
		case "resourceVersion":
			r.Seen(&seen, 3, key)
			out.ResourceVersion = r.String(out.ResourceVersion)
		case "generation":
			r.Seen(&seen, 4, key)
			out.Generation = r.Int64(out.Generation)
		case "labels":
			r.Seen(&seen, 5, key)
			out.Labels = r.StringMap()
		case "annotations":
			r.Seen(&seen, 6, key)
			out.Annotations = r.StringMap()
		case "finalizers":
			r.Seen(&seen, 7, key)
			out.Finalizers = r.Strings()
		default:
			r.Unknown(key, machineMetaNames)
		}
	}
}

var machineSpecNames = []string{"disks", "replicas", "paused", "weight", "limits", "secret", "extra"}

func decodeJSONmachineSpec(r *jsonwire.Reader, out *machineSpec) {
	var seen uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "disks":
			r.Seen(&seen, 0, key)
			if r.Kind() != '[' {
				r.Array()
				out.Disks = nil
				continue
			}
			s := []machineDisk{}
			start := r.Offset()
			for more := r.Array(); more; more = r.NextElem() {
				s = jsonwire.Extend(r, s, start)
				decodeJSONmachineDisk(r, &s[len(s)-1])
			}
			out.Disks = s
		case "replicas":
			r.Seen(&seen, 1, key)
			if r.Null() {
				out.Replicas = nil
				continue
			}
			v := new(int32)
			*v = r.Int32(0)
			out.Replicas = v
		case "paused":
			r.Seen(&seen, 2, key)
			out.Paused = r.Bool(out.Paused)
		case "weight":
			r.Seen(&seen, 3, key)
			out.Weight = r.Float64(out.Weight)
		case "limits":
			r.Seen(&seen, 4, key)
			if r.Kind() != '{' {
				r.Object()
				out.Limits = nil
				continue
			}
			m := make(map[string]int)
			for key := r.Object(); key != nil; key = r.NextKey() {
				k := r.KeyString(key)
				if _, found := m[k]; found {
					r.Duplicate(key)
				}
				m[k] = r.Int(0)
			}
			out.Limits = m
		case "secret":
			r.Seen(&seen, 5, key)
			out.Secret = r.Bytes()
		case "extra":
			r.Seen(&seen, 6, key)
			out.Extra = r.Any()
		default:
			r.Unknown(key, machineSpecNames)
		}
	}
}

var machineDiskNames = []string{"name", "image", "command", "env", "sizeGiB"}

func decodeJSONmachineDisk(r *jsonwire.Reader, out *machineDisk) {
	var seen uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "name":
			r.Seen(&seen, 0, key)
			out.Name = r.String(out.Name)
		case "image":
			r.Seen(&seen, 1, key)
			out.Image = r.String(out.Image)
		case "command":
			r.Seen(&seen, 2, key)
			out.Command = r.Strings()
		case "env":
			r.Seen(&seen, 3, key)
			if r.Kind() != '[' {
				r.Array()
				out.Env = nil
				continue
			}
			s := []machineEnv{}
			start := r.Offset()
			for more := r.Array(); more; more = r.NextElem() {
				s = jsonwire.Extend(r, s, start)
				decodeJSONmachineEnv(r, &s[len(s)-1])
			}
			out.Env = s
		case "sizeGiB":
			r.Seen(&seen, 4, key)
			out.SizeGiB = r.Int32(out.SizeGiB)
		default:
			r.Unknown(key, machineDiskNames)
		}
	}
}

var machineEnvNames = []string{"name", "value"}

func decodeJSONmachineEnv(r *jsonwire.Reader, out *machineEnv) {
	var seen uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "name":
			r.Seen(&seen, 0, key)
			out.Name = r.String(out.Name)
		case "value":
			r.Seen(&seen, 1, key)
			out.Value = r.String(out.Value)
		default:
			r.Unknown(key, machineEnvNames)
		}
	}
}

var machineStatusNames = []string{"phase", "conditions"}

func decodeJSONmachineStatus(r *jsonwire.Reader, out *machineStatus) {
	var seen uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "phase":
			r.Seen(&seen, 0, key)
			out.Phase = r.String(out.Phase)
		case "conditions":
			r.Seen(&seen, 1, key)
			if r.Kind() != '[' {
				r.Array()
				out.Conditions = nil
				continue
			}
			s := []machineCondition{}
			start := r.Offset()
			for more := r.Array(); more; more = r.NextElem() {
				s = jsonwire.Extend(r, s, start)
				decodeJSONmachineCondition(r, &s[len(s)-1])
			}
			out.Conditions = s
		default:
			r.Unknown(key, machineStatusNames)
		}
	}
}

var machineConditionNames = []string{"type", "status", "reason", "message"}

func decodeJSONmachineCondition(r *jsonwire.Reader, out *machineCondition) {
	var seen uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "type":
			r.Seen(&seen, 0, key)
			out.Type = r.String(out.Type)
		case "status":
			r.Seen(&seen, 1, key)
			out.Status = r.String(out.Status)
		case "reason":
			r.Seen(&seen, 2, key)
			out.Reason = r.String(out.Reason)
		case "message":
			r.Seen(&seen, 3, key)
			out.Message = r.String(out.Message)
		default:
			r.Unknown(key, machineConditionNames)
		}
	}
}

func appendJSONmachine(dst []byte, in *machine) ([]byte, error) {
	start := len(dst)
	if in.Kind != "" {
		dst = append(dst, `,"kind":`...)
		dst = jsonwire.AppendString(dst, in.Kind)
	}
	if in.APIVersion != "" {
		dst = append(dst, `,"apiVersion":`...)
		dst = jsonwire.AppendString(dst, in.APIVersion)
	}
	dst = append(dst, `,"metadata":`...)
	dst = appendJSONmachineMeta(dst, &in.Metadata)
	dst = append(dst, `,"spec":`...)
	dst, err := appendJSONmachineSpec(dst, &in.Spec)
	if err != nil {
		return dst, err
	}
	if !in.Status.isZero() {
		dst = append(dst, `,"status":`...)
		dst = appendJSONmachineStatus(dst, &in.Status)
	}
	return jsonwire.CloseObject(dst, start), nil
}

func appendJSONmachineMeta(dst []byte, in *machineMeta) []byte {
	start := len(dst)
	if in.Name != "" {
		dst = append(dst, `,"name":`...)
		dst = jsonwire.AppendString(dst, in.Name)
	}
	if in.Namespace != "" {
		dst = append(dst, `,"namespace":`...)
		dst = jsonwire.AppendString(dst, in.Namespace)
	}
	if in.UID != "" {
		dst = append(dst, `,"uid":`...)
		dst = jsonwire.AppendString(dst, in.UID)
	}
	if in.ResourceVersion != "" {
		dst = append(dst, `,"resourceVersion":`...)
		dst = jsonwire.AppendString(dst, in.ResourceVersion)
	}
	if in.Generation != 0 {
		dst = append(dst, `,"generation":`...)
		dst = jsonwire.AppendInt(dst, in.Generation)
	}
	if len(in.Labels) != 0 {
		dst = append(dst, `,"labels":`...)
		dst = jsonwire.AppendStringMap(dst, in.Labels)
	}
	if len(in.Annotations) != 0 {
		dst = append(dst, `,"annotations":`...)
		dst = jsonwire.AppendStringMap(dst, in.Annotations)
	}
	if len(in.Finalizers) != 0 {
		dst = append(dst, `,"finalizers":`...)
		dst = jsonwire.AppendStrings(dst, in.Finalizers)
	}
	return jsonwire.CloseObject(dst, start)
}

func appendJSONmachineSpec(dst []byte, in *machineSpec) ([]byte, error) {
	var err error
	start := len(dst)
	if len(in.Disks) != 0 {
		dst = append(dst, `,"disks":[`...)
		for i := range in.Disks {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSONmachineDisk(dst, &in.Disks[i])
		}
		dst = append(dst, ']')
	}
	if in.Replicas != nil {
		dst = append(dst, `,"replicas":`...)
		dst = jsonwire.AppendInt(dst, int64(*in.Replicas))
	}
	if in.Paused {
		dst = append(dst, `,"paused":`...)
		dst = jsonwire.AppendBool(dst, in.Paused)
	}
	if in.Weight != 0 {
		dst = append(dst, `,"weight":`...)
		if dst, err = jsonwire.AppendFloat64(dst, in.Weight); err != nil {
			return dst, err
		}
	}
	if len(in.Limits) != 0 {
		dst = append(dst, `,"limits":`...)
		start := len(dst)
		var buf [16]string
		for _, k := range jsonwire.AppendSortedKeys(buf[:0], in.Limits) {
			dst = append(dst, ',')
			dst = jsonwire.AppendString(dst, k)
			dst = append(dst, ':')
			dst = jsonwire.AppendInt(dst, int64(in.Limits[k]))
		}
		dst = jsonwire.CloseObject(dst, start)
	}
	if len(in.Secret) != 0 {
		dst = append(dst, `,"secret":`...)
		dst = jsonwire.AppendBytes(dst, in.Secret)
	}
	if in.Extra != nil {
		dst = append(dst, `,"extra":`...)
		if dst, err = jsonwire.AppendAny(dst, in.Extra); err != nil {
			return dst, err
		}
	}
	return jsonwire.CloseObject(dst, start), nil
}

func appendJSONmachineDisk(dst []byte, in *machineDisk) []byte {
	start := len(dst)
	dst = append(dst, `,"name":`...)
	dst = jsonwire.AppendString(dst, in.Name)
	if in.Image != "" {
		dst = append(dst, `,"image":`...)
		dst = jsonwire.AppendString(dst, in.Image)
	}
	if len(in.Command) != 0 {
		dst = append(dst, `,"command":`...)
		dst = jsonwire.AppendStrings(dst, in.Command)
	}
	if len(in.Env) != 0 {
		dst = append(dst, `,"env":[`...)
		for i := range in.Env {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSONmachineEnv(dst, &in.Env[i])
		}
		dst = append(dst, ']')
	}
	if in.SizeGiB != 0 {
		dst = append(dst, `,"sizeGiB":`...)
		dst = jsonwire.AppendInt(dst, int64(in.SizeGiB))
	}
	return jsonwire.CloseObject(dst, start)
}

func appendJSONmachineEnv(dst []byte, in *machineEnv) []byte {
	start := len(dst)
	dst = append(dst, `,"name":`...)
	dst = jsonwire.AppendString(dst, in.Name)
	if in.Value != "" {
		dst = append(dst, `,"value":`...)
		dst = jsonwire.AppendString(dst, in.Value)
	}
	return jsonwire.CloseObject(dst, start)
}

func appendJSONmachineStatus(dst []byte, in *machineStatus) []byte {
	start := len(dst)
	if in.Phase != "" {
		dst = append(dst, `,"phase":`...)
		dst = jsonwire.AppendString(dst, in.Phase)
	}
	if len(in.Conditions) != 0 {
		dst = append(dst, `,"conditions":[`...)
		for i := range in.Conditions {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSONmachineCondition(dst, &in.Conditions[i])
		}
		dst = append(dst, ']')
	}
	return jsonwire.CloseObject(dst, start)
}

func appendJSONmachineCondition(dst []byte, in *machineCondition) []byte {
	start := len(dst)
	dst = append(dst, `,"type":`...)
	dst = jsonwire.AppendString(dst, in.Type)
	dst = append(dst, `,"status":`...)
	dst = jsonwire.AppendString(dst, in.Status)
	if in.Reason != "" {
		dst = append(dst, `,"reason":`...)
		dst = jsonwire.AppendString(dst, in.Reason)
	}
	if in.Message != "" {
		dst = append(dst, `,"message":`...)
		dst = jsonwire.AppendString(dst, in.Message)
	}
	return jsonwire.CloseObject(dst, start)
}

// sampleMachine returns a machine of some seven kilobytes of JSON.
func sampleMachine() *machine {
	replicas := int32(3)
	m := &machine{
		Kind: "Machine", APIVersion: "fleet.example.com/v1",
		Metadata: machineMeta{
			Name: "web-7d4b9c6f5d-x2x8p", Namespace: "production", UID: "7f3c2f0a-93a4-4b52-8a51-0d4d41a9f3c1",
			ResourceVersion: "83472910", Generation: 12,
			Labels: map[string]string{
				"app.kubernetes.io/name": "web", "app.kubernetes.io/instance": "web-eu", "app.kubernetes.io/version": "1.27.3",
				"pod-template-hash": "7d4b9c6f5d", "topology.kubernetes.io/zone": "eu-central-1a",
			},
			Annotations: map[string]string{
				"prometheus.io/scrape": "true", "prometheus.io/port": "9090",
				"fleet.example.com/config": `{"threads":4,"mode":"fast","hosts":["a","b"]}`,
				"fleet.example.com/note":   "checked by the night shift, nothing unusual was found in the logs of the last week",
			},
			Finalizers: []string{"fleet.example.com/cleanup"},
		},
		Spec: machineSpec{
			Replicas: &replicas, Weight: 0.75,
			Limits: map[string]int{"cpu": 4, "memory": 8192, "storage": 100000},
			Secret: []byte("correct horse battery staple"),
		},
		Status: machineStatus{Phase: "Running"},
	}
	for i := range 4 {
		n := strconv.Itoa(i)
		d := machineDisk{
			Name: "container-" + n, Image: "registry.example.com/team/web-frontend:v1.27." + n, SizeGiB: int32(10 * i),
			Command: []string{"/usr/bin/serve", "--listen=0.0.0.0:8080", "--log-level=info", "--config=/etc/web/config.yaml"},
		}
		for j := range 8 {
			k := strconv.Itoa(j)
			d.Env = append(d.Env, machineEnv{Name: "WEB_SETTING_" + k, Value: strings.Repeat("value-", j+1) + k})
		}
		m.Spec.Disks = append(m.Spec.Disks, d)
	}
	for _, t := range []string{"Initialized", "Ready", "ContainersReady", "Scheduled"} {
		m.Status.Conditions = append(m.Status.Conditions, machineCondition{
			Type: t, Status: "True", Reason: "AllChecksPassed", Message: "all of the checks that run on " + t + " have passed",
		})
	}
	return m
}
