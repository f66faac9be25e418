// Askindcore reads and writes a pod of k8s.io/api through functions generated for askind.
package main

import (
	"github.com/askind/askind/bench/peers/internal/hello"
	"github.com/askind/askind/k8s/corev1"
)

func main() { hello.Main(corev1.AddTo) }
