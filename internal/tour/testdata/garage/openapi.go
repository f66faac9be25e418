package garage

import "github.com/askind/askind/openapi"

var resources []openapi.Resource
