// Package patches compares package patch with the implementations that kube-apiserver uses:
// evanphx/json-patch for JSON patches and merge patches, strategicpatch of apimachinery, and
// managedfields of apimachinery over structured-merge-diff for server-side apply. Random documents
// and patches go through both, and the results must be the same but for the differences that
// docs/patches.md names.
//
// By default each comparison takes a few thousand cases. The flag -cases takes another number:
//
//	cd bench/patches && go test . -cases 200000
package patches
