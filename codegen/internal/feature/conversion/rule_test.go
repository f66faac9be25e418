package conversion

import (
	"go/types"
	"testing"
)

func TestWidens(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		from, to types.BasicKind
		want     bool
	}{
		{types.Int8, types.Int16, true},
		{types.Int16, types.Int8, false},
		{types.Int32, types.Int, true},
		{types.Int64, types.Int, false}, // int has 32 bits on some machines
		{types.Int, types.Int64, true},
		{types.Int, types.Int32, false}, // and 64 on others
		{types.Uint8, types.Int8, false},
		{types.Uint8, types.Int16, true},
		{types.Uint, types.Int64, false},
		{types.Uint32, types.Int64, true},
		{types.Int8, types.Uint64, false},
		{types.Uint64, types.Uint64, true},
		{types.Float32, types.Float64, true},
		{types.Float64, types.Float32, false},
		{types.Int16, types.Float32, true},
		{types.Uint16, types.Float32, true},
		{types.Int32, types.Float32, false},
		{types.Int32, types.Float64, true},
		{types.Uint32, types.Float64, true},
		{types.Int64, types.Float64, false},
		{types.Int, types.Float64, false},
		{types.Float32, types.Int64, false},
	} {
		if got := widens(types.Typ[test.from], types.Typ[test.to]); got != test.want {
			t.Errorf("widens(%s, %s) = %t", types.Typ[test.from], types.Typ[test.to], got)
		}
	}
}
