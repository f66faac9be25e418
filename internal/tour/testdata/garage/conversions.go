package garage

import (
	"example.com/garage/v1"
	"github.com/askind/askind/conversion"
)

func convertMachineToV1Fields(in *Machine, out *v1.Machine, s *conversion.Scope) error
