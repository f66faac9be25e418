package serializer_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/serializer/yaml"
)

// The kinds of the tests: a Machine in three versions of one group, the same data as an Asset in
// another group, and the kinds of meta.k8s.io that they can be shown as.

type typeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

type objectMeta struct {
	Name      string            `json:"name,omitempty"`
	Namespace string            `json:"namespace,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
}

type listMeta struct {
	Continue string `json:"continue,omitempty"`
}

type machine struct {
	typeMeta
	Metadata objectMeta  `json:"metadata"`
	Spec     machineSpec `json:"spec"`
}

type machineSpec struct {
	Cores int32  `json:"cores"`
	Zone  string `json:"zone,omitempty"`
}

type machineList struct {
	typeMeta
	Metadata listMeta  `json:"metadata"`
	Items    []machine `json:"items"`
}

type machineBeta struct {
	typeMeta
	Metadata objectMeta `json:"metadata"`
	CPUs     int64      `json:"cpus"`
}

type machineBetaList struct {
	typeMeta
	Metadata listMeta      `json:"metadata"`
	Items    []machineBeta `json:"items"`
}

type asset struct {
	typeMeta
	Metadata objectMeta `json:"metadata"`
	Cores    int32      `json:"cores"`
}

type assetList struct {
	typeMeta
	Metadata listMeta `json:"metadata"`
	Items    []asset  `json:"items"`
}

type partial struct {
	typeMeta
	Metadata objectMeta `json:"metadata"`
}

type partialList struct {
	typeMeta
	Metadata listMeta  `json:"metadata"`
	Items    []partial `json:"items"`
}

type table struct {
	typeMeta
	Metadata listMeta   `json:"metadata"`
	Columns  []string   `json:"columns"`
	Rows     [][]string `json:"rows"`
}

type tableBeta table

type scale struct {
	typeMeta
	Metadata objectMeta `json:"metadata"`
	Replicas int32      `json:"replicas"`
}

type status struct {
	typeMeta
	Message string `json:"message,omitempty"`
}

type statusV2 struct {
	typeMeta
	Text string `json:"text,omitempty"`
}

type note struct {
	typeMeta
	Text string `json:"text"`
}

var (
	fleetV1   = schema.GroupVersion{Group: "fleet.example.com", Version: "v1"}
	fleetBeta = schema.GroupVersion{Group: "fleet.example.com", Version: "v1beta1"}
	assetsV1  = schema.GroupVersion{Group: "assets.example.com", Version: "v1"}
	metaV1    = schema.GroupVersion{Group: "meta.k8s.io", Version: "v1"}
	metaV2    = schema.GroupVersion{Group: "meta.k8s.io", Version: "v2"}
	metaBeta  = schema.GroupVersion{Group: "meta.k8s.io", Version: "v1beta1"}
	coreV1    = schema.GroupVersion{Version: "v1"}
)

func addKind[T any](b *runtime.Builder, gv schema.GroupVersion, name string) {
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[T]{GroupVersionKind: gv.WithKind(name)}))
}

func addKinds[T, L any](b *runtime.Builder, gv schema.GroupVersion, name string) {
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[T]{
		GroupVersionKind: gv.WithKind(name),
		List:             name + "List",
	}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[L]{
		GroupVersionKind: gv.WithKind(name + "List"),
		Item:             name,
	}))
}

func addTo(b *runtime.Builder) {
	addKinds[machine, machineList](b, fleetV1, "Machine")
	addKinds[machineBeta, machineBetaList](b, fleetBeta, "Machine")
	addKinds[asset, assetList](b, assetsV1, "Asset")
	addKinds[partial, partialList](b, metaV1, "PartialObjectMetadata")
	addKind[table](b, metaV1, "Table")
	addKind[tableBeta](b, metaBeta, "Table")
	addKind[scale](b, metaV1, "Scale")
	addKind[note](b, coreV1, "Note")
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[status]{
		GroupVersionKind: coreV1.WithKind("Status"),
		Shared:           true,
	}))

	addKind[statusV2](b, metaV2, "Status")
	runtime.AddConversion(b, func(in *status, out *statusV2, _ *conversion.Scope) error {
		out.Text = in.Message
		return nil
	})

	runtime.AddConversion(b, func(in *machine, out *machineBeta, s *conversion.Scope) error {
		out.Metadata, out.CPUs = copyMeta(in.Metadata, s), int64(in.Spec.Cores)
		return nil
	}, conversion.Loss{Path: "spec.zone", Reason: "v1beta1 has no zone"})
	runtime.AddConversion(b, func(in *machineBeta, out *machine, s *conversion.Scope) error {
		cores, err := conversion.Narrow[int32](in.CPUs)
		out.Metadata, out.Spec.Cores = copyMeta(in.Metadata, s), cores
		return schema.AtField(err, "cpus")
	})
	runtime.AddConversion(b, func(in *machine, out *asset, s *conversion.Scope) error {
		out.Metadata, out.Cores = copyMeta(in.Metadata, s), in.Spec.Cores
		return nil
	})
	runtime.AddConversion(b, func(in *asset, out *machine, s *conversion.Scope) error {
		out.Metadata, out.Spec.Cores = copyMeta(in.Metadata, s), in.Cores
		return nil
	})
	runtime.AddConversion(b, func(in *table, out *tableBeta, _ *conversion.Scope) error {
		*out = tableBeta(*in)
		return nil
	})

	runtime.AddAs(b, func(in *machine, out *partial, s *conversion.Scope) error {
		out.Metadata = copyMeta(in.Metadata, s)
		return nil
	})
	runtime.AddAs(b, func(in *machine, out *table, s *conversion.Scope) error {
		if in.Metadata.Name == "bad" {
			return errors.New("bad machine")
		}
		out.Rows = append(out.Rows, []string{in.Metadata.Name, fmt.Sprint(in.Spec.Cores, "/", s.Options(), "/",
			s.Now().Unix())})
		return nil
	}, runtime.CollectItems(func(out *table, _ *conversion.Scope) error {
		out.Columns, out.Rows = []string{"Name", "Cores"}, [][]string{}
		return nil
	}))
	runtime.AddAs(b, func(in *machineBeta, out *table, _ *conversion.Scope) error {
		out.Rows = append(out.Rows, []string{in.Metadata.Name, fmt.Sprint(in.CPUs)})
		return nil
	}, runtime.CollectItems(func(out *table, _ *conversion.Scope) error {
		out.Columns, out.Rows = []string{"Name", "CPUs"}, [][]string{}
		return nil
	}))
	runtime.AddAs(b, func(in *machine, out *scale, s *conversion.Scope) error {
		out.Metadata, out.Replicas = copyMeta(in.Metadata, s), in.Spec.Cores
		return nil
	})

	runtime.AddDefault(b, func(in *machine) error {
		if in.Metadata.Name == "undefaultable" {
			return schema.AtField(errors.New("has no default"), "spec")
		}
		if in.Spec.Cores == 0 {
			in.Spec.Cores = 2
		}
		return nil
	})
	runtime.AddValidation(b, func(_ context.Context, in *machine) (errs runtime.FieldErrors) {
		if in.Metadata.Name == "" {
			errs = append(errs, runtime.Required(schema.NewPath("metadata", "name"), "machines have names"))
		}
		if in.Spec.Cores > 64 {
			errs = append(errs, runtime.Invalid(schema.NewPath("spec", "cores"), in.Spec.Cores, "at most 64"))
		}
		return errs
	})
}

func copyMeta(in objectMeta, s *conversion.Scope) objectMeta {
	if s.Sharing() || in.Labels == nil {
		return in
	}
	labels := make(map[string]string, len(in.Labels))
	for k, v := range in.Labels {
		labels[k] = v
	}
	in.Labels = labels
	return in
}

func newScheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	scheme, err := runtime.NewScheme(addTo)
	if err != nil {
		t.Fatal(err)
	}
	return scheme
}

// harmless is a parameter that the factories of the tests let pass.
const harmless = "version"

func newFactory(t testing.TB, more ...*format.Format) *serializer.Factory {
	t.Helper()
	o := serializer.FactoryOptions{
		HarmlessParameters: []string{"Version"},
		Aliases: []serializer.Alias{{
			Name: "application/vnd.example.rows",
			For:  "application/yaml;as=Table;includeObject=None;pretty=1",
		}},
	}
	f, err := o.NewFactory(newScheme(t), append([]*format.Format{json.Format(), yaml.Format()}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// csvFormat returns a format with those media types that writes tables only, as names separated by
// commas, and reads nothing.
func csvFormat(mediaTypes ...string) *format.Format {
	return &format.Format{
		Name: "csv", MediaTypes: mediaTypes, Text: true,
		Encodes: func(k *runtime.Kind) bool { return k.Name() == "Table" },
		Append: func(dst []byte, _ *runtime.Kind, obj runtime.Object, _ format.Options) ([]byte, error) {
			t, ok := obj.(*table)
			if !ok {
				return dst, errors.New("csv: not a table")
			}
			for i, row := range t.Rows {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = append(dst, row[0]...)
			}
			return dst, nil
		},
	}
}

var noon = time.Unix(1_800_000_000, 0)
