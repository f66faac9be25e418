package codegen

import (
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/feature/as"
	"github.com/askind/askind/codegen/internal/feature/conversion"
	"github.com/askind/askind/codegen/internal/feature/deepcopy"
	"github.com/askind/askind/codegen/internal/feature/defaults"
	"github.com/askind/askind/codegen/internal/feature/describe"
	"github.com/askind/askind/codegen/internal/feature/json"
	"github.com/askind/askind/codegen/internal/feature/protobuf"
	"github.com/askind/askind/codegen/internal/feature/register"
	"github.com/askind/askind/codegen/internal/feature/schema"
	"github.com/askind/askind/codegen/internal/feature/validation"
	"github.com/askind/askind/codegen/internal/feature/view"
)

// features returns all parts of the generator in the order in which they plan. The last one
// generates the registration of the others' functions.
func features() []feature.Feature {
	return []feature.Feature{
		deepcopy.New(),
		defaults.New(),
		defaults.NewExport(),
		json.New(),
		protobuf.New(),
		view.New(),
		conversion.New(),
		as.New(),
		describe.New(),
		schema.New(),
		validation.New(),
		register.New(),
	}
}
