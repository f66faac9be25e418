// Askind reads and writes a machine of the example.
package main

import (
	"github.com/askind/askind/bench/peers/internal/hello"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
)

func main() { hello.Main(v1.AddTo) }
