// Package cputime measures how much processor time a function takes, for tests. Unlike elapsed
// time, it hardly depends on other load: on a busy machine, a call of 40 ms may wait for the
// processor ten times, and one of 5 ms not at all. On systems other than Linux, the elapsed time is
// measured.
package cputime
