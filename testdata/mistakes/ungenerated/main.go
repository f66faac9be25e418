// Command ungenerated uses a package for which nothing has been generated.
package main

import (
	"github.com/askind/askind/runtime"
	v1 "github.com/askind/askind/testdata/mistakes/versions/v1"
)

func main() { _, _ = runtime.NewScheme(v1.AddTo) }
