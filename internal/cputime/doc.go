// Package cputime measures for tests how much processor time a function takes. Other than the time
// on the clock, it does not depend on what else the machine does: there, a call of 40 ms may wait
// ten times for the processor, and one of 5 ms not at all. On systems other than Linux it is the
// time on the clock.
package cputime
