package input

// Place says where in an input some data stands that was taken out of it. The zero Place is that of
// data which is the whole input.
type Place struct {
	// Base is where the data begins.
	Base int
	// Cut is where in the data something is left out, 0 for nowhere, and Gap how much.
	Cut, Gap int
}

// At returns where in the input a byte of the data is.
func (p Place) At(offset int) int {
	if p.Cut > 0 && offset >= p.Cut {
		offset += p.Gap
	}
	return p.Base + offset
}
