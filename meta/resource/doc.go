// Package resource defines [Quantity], the number with a unit that resource requests use: 500m,
// 2Gi, 1e3.
//
// A quantity is a decimal number of any size with up to nine places, and a [Format]: the family of
// suffixes in which it is written. Arithmetic is exact and keeps the format; no floating point is
// involved.
//
//	number     digits, or digits with a point: 12  1.5  .5
//	BinarySI   Ki Mi Gi Ti Pi Ei               powers of 1024
//	DecimalSI  n u m (none) k M G T P E        powers of 1000
//	DecimalExponent  e3 E3 e-6                 powers of ten
//
// # Canonical form
//
// A quantity is written with the largest suffix that needs no fraction: 1.5 is written 1500m and
// 1.5Gi is written 1536Mi. Binary quantities below 1024 or with a fraction are written with decimal
// suffixes. Parsing rounds fractions of a nano away from zero, and binary quantities are limited to
// 2^63-1.
//
// The Kubernetes wire format has one exception, which this package implements: some texts that are
// not canonical, such as 1.234 or +5, are preserved as long as the quantity is not modified.
//
// # Limits
//
// A text and its canonical form may have up to 1024 bytes, and the decimal exponent of a text must
// be between -1024 and 1024. Otherwise [Parse] returns [ErrRange].
//
// # Related packages
//
// Package meta/v1 holds the other values with a text form of their own; meta/intstr holds counts
// that may be percentages.
//
// +askind:protobuf
// +k8s:openapi-model-package=io.k8s.apimachinery.pkg.api.resource
package resource
