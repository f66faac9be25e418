package input

// Place maps offsets in extracted data to offsets in the input. The zero Place is for data that is
// the whole input.
type Place struct {
	// Base is the offset of the data in the input.
	Base int
	// Cut is the offset in the data where something is left out, or 0, and Gap is its length.
	Cut, Gap int
}

// At returns the offset in the input of a byte of the data.
func (p Place) At(offset int) int {
	if p.Cut > 0 && offset >= p.Cut {
		offset += p.Gap
	}
	return p.Base + offset
}
