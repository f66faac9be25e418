// Package patches compares package patch with the implementations that kube-apiserver uses:
// evanphx/json-patch for JSON patches and merge patches, strategicpatch of apimachinery, and
// managedfields of apimachinery over structured-merge-diff for server-side apply. Both process
// random documents and patches, and the results must be equal except for the differences that
// docs/patches.md lists.
//
// By default each comparison runs a few thousand cases. The flag -cases sets another number:
//
//	cd bench/patches && go test . -cases 200000
package patches
