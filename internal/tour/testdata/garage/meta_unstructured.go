package garage

import (
	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/meta/unstructured"
)

var (
	definition *dynamic.Resource
	obj        *unstructured.Object
)
