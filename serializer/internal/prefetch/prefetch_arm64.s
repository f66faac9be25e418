//go:build !askind_plain

#include "textflag.h"

// func lines(from, to uintptr)
TEXT ·lines(SB), NOSPLIT, $0-16
	MOVD from+0(FP), R0
	MOVD to+8(FP), R1
	AND  $~63, R0

loop:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0
	CMP  R1, R0
	BLO  loop
	RET
