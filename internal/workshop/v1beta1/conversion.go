package v1beta1

import (
	"strconv"

	"github.com/askind/askind/conversion"
)

// convertTextToNumber converts a number that was kept as text; none is not a number.
func convertTextToNumber(in *string, out **int32, _ *conversion.Scope) error {
	*out = nil
	if *in == "" {
		return nil
	}
	n, err := strconv.ParseInt(*in, 10, 32)
	if err != nil {
		return &conversion.RangeError{Value: *in, Type: "int32"}
	}
	v := int32(n)
	*out = &v
	return nil
}

func convertNumberToText(in **int32, out *string, _ *conversion.Scope) error {
	*out = ""
	if *in != nil {
		*out = strconv.Itoa(int(**in))
	}
	return nil
}
