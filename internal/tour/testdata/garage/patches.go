package garage

import "github.com/askind/askind/patch/structure"

var (
	config, live, next []byte
	convert            func(doc []byte, apiVersion string) ([]byte, error)
	structures         map[string]*structure.Type
)
