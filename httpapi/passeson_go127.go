//go:build go1.27

package httpapi

const passesOn = false
