// Package borrow passes bytes to functions that take a string, without a copy. With the build tag
// askind_plain it copies them.
package borrow
