// Package hello has programs whose sizes command sizes measures: with each library, they read a pod
// from JSON, strictly, and write it again.
package hello
