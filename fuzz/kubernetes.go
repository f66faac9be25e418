package fuzz

import (
	"encoding/json"
	"reflect"

	gofuzz "github.com/google/gofuzz"

	"github.com/askind/askind/meta/resource"
)

// kubernetesTexts make JSON for the leaf types of k8s.io/apimachinery, which this module does not
// import. They are set by their own UnmarshalJSON.
var kubernetesTexts = map[string]func(gofuzz.Continue) any{
	"k8s.io/apimachinery/pkg/apis/meta/v1.TypeMeta":  nil, // as that of this module
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":      func(c gofuzz.Continue) any { return randomTime(c) },
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime": func(c gofuzz.Continue) any { return randomMicroTime(c) },
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration": func(c gofuzz.Continue) any {
		return randomDuration(c).String()
	},
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1": func(c gofuzz.Continue) any {
		return json.RawMessage(randomJSON(c))
	},
	"k8s.io/apimachinery/pkg/api/resource.Quantity": func(c gofuzz.Continue) any {
		return resource.NewMilliQuantity(c.Int63n(1<<40)+1, resource.DecimalSI)
	},
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": func(c gofuzz.Continue) any {
		if c.RandBool() {
			return c.Int31()
		}
		return c.RandString()
	},
	"k8s.io/apimachinery/pkg/runtime.RawExtension": func(c gofuzz.Continue) any {
		return json.RawMessage(randomJSON(c))
	},
}

// kubernetesFuncs returns functions that fill the leaf types of k8s.io/apimachinery that are
// somewhere in a type.
func kubernetesFuncs(t reflect.Type) (funcs []any) {
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		if text, ok := kubernetesTexts[t.PkgPath()+"."+t.Name()]; ok {
			funcs = append(funcs, fromText(t, text))
			return
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			visit(t.Elem())
		case reflect.Map:
			visit(t.Key())
			visit(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				visit(t.Field(i).Type)
			}
		}
	}
	visit(t)
	return funcs
}

// fromText returns a func(*T, gofuzz.Continue) that reads a T from what text returns, in JSON.
func fromText(t reflect.Type, text func(gofuzz.Continue) any) any {
	in := []reflect.Type{reflect.PointerTo(t), reflect.TypeFor[gofuzz.Continue]()}
	return reflect.MakeFunc(reflect.FuncOf(in, nil, false), func(args []reflect.Value) []reflect.Value {
		out, ok := args[0].Interface().(json.Unmarshaler)
		if !ok || text == nil {
			return nil
		}
		value, err := json.Marshal(text(args[1].Interface().(gofuzz.Continue)))
		if err == nil {
			err = out.UnmarshalJSON(value)
		}
		if err != nil { // the texts are constant in form
			panic(err)
		}
		return nil
	}).Interface()
}
