package validation_test

import (
	"fmt"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/validation"
)

// Disk is part of a larger object.
type Disk struct{ Name, Device string }

// CheckDisk does not know the path of the disk.
func CheckDisk(in *Disk) (errs runtime.FieldErrors) {
	if !validation.IsShortName(in.Name) {
		errs = append(errs, validation.Malformed(schema.NewPath("name"), in.Name, "k8s-short-name"))
	}
	return errs
}

func ExampleUnder() {
	disks := []Disk{{Name: "root"}, {Name: "Data"}}
	var errs runtime.FieldErrors
	for i := range disks {
		errs = validation.Under(errs, schema.NewPath("spec", "disks").Index(i), CheckDisk(&disks[i]))
	}
	fmt.Println(errs)
	// Output:
	// spec.disks[1].name: Invalid value: "Data": must be a lowercase RFC 1123 label: at most 63 letters, digits and hyphens, with a letter or digit at both ends
}
