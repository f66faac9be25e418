// Package kubeadapter is storage.Interface of k8s.io/apiserver over package store, so that the
// tests of that interface can be run against it. It is for these tests: every object goes through
// JSON twice.
package kubeadapter
