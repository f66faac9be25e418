module github.com/askind/askind/openapi/v2proto

go 1.26.0

require (
	github.com/askind/askind v0.0.0
	github.com/google/gnostic-models v0.7.1
	google.golang.org/protobuf v1.36.12
	k8s.io/kube-openapi v0.0.0-20260721132016-d427ff9ee9ad
)

require (
	go.yaml.in/yaml/v2 v2.4.4 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	go.yaml.in/yaml/v4 v4.0.0 // indirect
)

replace github.com/askind/askind => ../..
