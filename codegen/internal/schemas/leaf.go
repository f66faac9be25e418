package schemas

import (
	"cmp"
	"go/types"

	"github.com/askind/askind/codegen/internal/emit"
)

// module is the path prefix of the packages of this module.
const module = "github.com/askind/askind/"

// quantityPattern matches the text of a quantity.
const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// IsLeaf reports whether a type has no generated schema, because its JSON is known by its name.
func IsLeaf(n *types.Named) bool { return leaf(n) != nil }

// IsIntOrString reports whether a type holds a number or a string.
func IsIntOrString(n *types.Named) bool {
	s := leaf(n)
	return s != nil && s.Format == "int-or-string"
}

// TakesFormat reports whether a format can be stated for values of a type: times, durations and
// quantities have their own.
func TakesFormat(n *types.Named, format string) bool {
	s := leaf(n)
	switch {
	case s == nil || s.PreserveUnknown || s.Type == "integer" || s.Type == "number":
		return true
	case n.Obj().Name() == "Duration":
		return format == "duration"
	}
	return s.Format == format || s.Format == "int-or-string"
}

// shared reports whether a leaf type has a named definition, because clients know it by name.
func shared(n *types.Named) bool {
	switch n.Obj().Name() {
	case "Time", "MicroTime", "Duration", "FieldsV1":
		return n.Obj().Pkg().Path() != "time"
	case "Quantity", "IntOrString":
		return true
	}
	return false
}

// ours has the packages of this module for those of Kubernetes with the same types.
var ours = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1": emit.MetaV1,
	"k8s.io/apimachinery/pkg/api/resource": module + "meta/resource",
	"k8s.io/apimachinery/pkg/util/intstr":  module + "meta/intstr",
	"k8s.io/apimachinery/pkg/runtime":      emit.Runtime,
}

// qualified returns the name of a type with the path of its package, or of the one in [ours].
func qualified(n *types.Named) string {
	if n.Obj().Pkg() == nil {
		return n.Obj().Name()
	}
	path := n.Obj().Pkg().Path()
	return cmp.Or(ours[path], path) + "." + n.Obj().Name()
}

// isMeta reports whether a type is a type of meta/v1, of this module or of Kubernetes.
func isMeta(n *types.Named, name string) bool { return qualified(n) == emit.MetaV1+"."+name }

// leaf returns the schema of a type whose JSON is known by the name of the type, or nil.
func leaf(n *types.Named) *Schema {
	switch qualified(n) {
	case "time.Time":
		return &Schema{Type: "string", Format: "date-time"}
	case "time.Duration":
		return &Schema{Type: "integer", Format: "int64"}
	case "encoding/json.RawMessage", "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":
		return &Schema{PreserveUnknown: true}
	case "encoding/json.Number":
		return &Schema{Type: "number"}
	case emit.MetaV1 + ".Time", emit.MetaV1 + ".MicroTime":
		return &Schema{Description: "A time as RFC 3339 says.", Type: "string", Format: "date-time"}
	case emit.MetaV1 + ".Duration":
		return &Schema{Description: "A span of time, such as 1h30m or 5.5s.", Type: "string"}
	case emit.MetaV1 + ".FieldsV1":
		return &Schema{
			Description: "A set of fields, as server-side apply keeps it.", Type: "object", PreserveUnknown: true,
		}
	case module + "meta/resource.Quantity":
		return &Schema{
			Description: "A number with a unit, such as 500m, 2Gi or 1e3. Without a unit it may be written as a number.",
			IntOrString: true, Union: []string{"integer", "string"}, Patterns: []string{quantityPattern},
		}
	case module + "meta/intstr.IntOrString":
		return &Schema{
			Description: "A number, or a text such as a percentage or a name.", IntOrString: true,
			Union: []string{"integer", "string"}, Format: "int-or-string",
		}
	case emit.Runtime + ".RawExtension", emit.Runtime + ".Embedded":
		return &Schema{Type: "object", PreserveUnknown: true, Nullable: true}
	}
	return nil
}
