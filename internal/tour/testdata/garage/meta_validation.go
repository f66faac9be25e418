package garage

import "github.com/askind/askind/schema"

var kind schema.GroupKind
