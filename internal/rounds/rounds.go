// Package rounds determines how often a randomized test tries its property.
package rounds

import "testing"

// Of returns n, or n/20 under -short. Fuzz targets and runs without -short try more.
func Of(n int) int {
	if testing.Short() {
		return max(1, n/20)
	}
	return n
}
