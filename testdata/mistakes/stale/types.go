// Package v1 got a field after the generator ran.
//
// +groupName=garage.example.com
package v1

// CarSpec is what was ordered.
type CarSpec struct {
	Color string `json:"color"`
	Seats int32  `json:"seats"`
}
