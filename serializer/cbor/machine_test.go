package cbor_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/jsonwire"
)

var _ serializer.Format = cbor.Format()

// machine is a kind with a field of every sort, with the functions that would be generated for it.
type machine struct {
	APIVersion, Kind string

	Name     string
	Replicas int32
	Paused   bool
	Ratio    float64
	Labels   map[string]string
	Args     []string
	Parts    []part
	Extra    any
	Raw      runtime.RawExtension
	Key      []byte
}

type part struct {
	Name string
	Size int64
}

var machineFields = []string{"apiVersion", "kind", "name", "replicas", "paused", "ratio", "labels", "args", "parts", "extra", "raw", "key"}

func decodeMachine(r *jsonwire.Reader, out *machine) {
	var seen uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		if i := slices.Index(machineFields, string(key)); i >= 0 {
			r.Seen(&seen, uint(i), key)
		}
		switch string(key) {
		case "apiVersion":
			out.APIVersion = r.String(out.APIVersion)
		case "kind":
			out.Kind = r.String(out.Kind)
		case "name":
			out.Name = r.String(out.Name)
		case "replicas":
			out.Replicas = r.Int32(out.Replicas)
		case "paused":
			out.Paused = r.Bool(out.Paused)
		case "ratio":
			out.Ratio = r.Float64(out.Ratio)
		case "labels":
			out.Labels = r.StringMap()
		case "args":
			out.Args = r.Strings()
		case "parts":
			out.Parts = nil
			for more := r.Array(); more; more = r.NextElem() {
				var p part
				decodePart(r, &p)
				out.Parts = append(out.Parts, p)
			}
		case "extra":
			out.Extra = r.Any()
		case "raw":
			runtime.DecodeJSONRawExtension(r, &out.Raw)
		case "key":
			out.Key = r.Bytes()
		default:
			r.Unknown(key, machineFields)
		}
	}
}

func decodePart(r *jsonwire.Reader, out *part) {
	var seen uint64
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "name":
			r.Seen(&seen, 0, key)
			out.Name = r.String(out.Name)
		case "size":
			r.Seen(&seen, 1, key)
			out.Size = r.Int64(out.Size)
		default:
			r.Unknown(key, []string{"name", "size"})
		}
	}
}

func appendMachine(dst []byte, in *machine) (_ []byte, err error) {
	if in.Name != "" {
		dst = jsonwire.AppendString(append(dst, `,"name":`...), in.Name)
	}
	if in.Replicas != 0 {
		dst = jsonwire.AppendInt(append(dst, `,"replicas":`...), int64(in.Replicas))
	}
	if in.Paused {
		dst = append(dst, `,"paused":true`...)
	}
	if in.Ratio != 0 {
		if dst, err = jsonwire.AppendFloat64(append(dst, `,"ratio":`...), in.Ratio); err != nil {
			return dst, err
		}
	}
	if len(in.Labels) > 0 {
		dst = jsonwire.AppendStringMap(append(dst, `,"labels":`...), in.Labels)
	}
	if len(in.Args) > 0 {
		dst = jsonwire.AppendStrings(append(dst, `,"args":`...), in.Args)
	}
	if len(in.Parts) > 0 {
		dst = append(dst, `,"parts":[`...)
		for i := range in.Parts {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = jsonwire.AppendString(append(dst, `{"name":`...), in.Parts[i].Name)
			dst = append(jsonwire.AppendInt(append(dst, `,"size":`...), in.Parts[i].Size), '}')
		}
		dst = append(dst, ']')
	}
	if in.Extra != nil {
		if dst, err = jsonwire.AppendAny(append(dst, `,"extra":`...), in.Extra); err != nil {
			return dst, err
		}
	}
	if in.Raw.Raw != nil || in.Raw.Object != nil {
		if dst, err = runtime.AppendJSONRawExtension(append(dst, `,"raw":`...), &in.Raw); err != nil {
			return dst, err
		}
	}
	if in.Key != nil {
		dst = jsonwire.AppendBytes(append(dst, `,"key":`...), in.Key)
	}
	return dst, nil
}

var machineSpec = runtime.KindSpec[machine]{
	GroupVersionKind: schema.GroupVersionKind{Group: "fleet.example.com", Version: "v1", Kind: "Machine"},
	Resource:         "machines",
	TypeMeta:         func(m *machine) (apiVersion, kind *string) { return &m.APIVersion, &m.Kind },
	DecodeJSON:       decodeMachine,
	AppendJSONFields: appendMachine,
}

func machineKind(tb testing.TB) *runtime.Kind {
	tb.Helper()
	s, err := runtime.NewScheme(func(b *runtime.Builder) { runtime.AddKind(b, &machineSpec) })
	if err != nil {
		tb.Fatal(err)
	}
	k, err := s.Kind(machineSpec.GroupVersionKind)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// result is what came of one item.
type result struct {
	machine  machine
	problems []string
	errs     []error
}

// decodeAll reads every item as a machine, whatever it says it is, and returns all problems as text.
func decodeAll(tb testing.TB, data string, strict bool) []result {
	tb.Helper()
	k := machineKind(tb)
	var out []result
	for doc, err := range cbor.Format().Documents([]byte(data)) {
		var r result
		if err != nil {
			r.problems = append(r.problems, fmt.Sprint(err))
			r.errs = append(r.errs, err)
			out = append(out, r)
			continue
		}
		problems := doc.Decode(k, &r.machine, runtime.ReadOptions{Strict: strict})
		for i := range problems {
			r.problems = append(r.problems, problems[i].Error())
			r.errs = append(r.errs, &problems[i])
		}
		out = append(out, r)
	}
	return out
}
