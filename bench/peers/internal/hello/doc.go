// Package hello has programs that do one small thing with each library, for command sizes to weigh:
// they read a pod from JSON, strictly, and write it again.
package hello
