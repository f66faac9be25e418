package serializer

// names finds media types and aliases by name, in any case. It is filled while a factory is made
// and only read then. Most of the names that browsers ask for find their slot empty.
type names [64]*name

// name is one of the names that clients can ask for.
type name struct {
	text         string // in lower case
	media, alias int    // its indexes among the media types and the aliases of the factory; -1 if it is none
	next         *name  // another one in the slot
}

// add returns the record of a name, given in lower case, and makes it if there is none.
func (t *names) add(text string) *name {
	n := t.find(text)
	if n == nil {
		slot := t.slot(text)
		n = &name{text: text, media: -1, alias: -1, next: *slot}
		*slot = n
	}
	return n
}

// find returns the record of a name, nil if there is none.
func (t *names) find(s string) *name {
	if s == "" {
		return nil
	}
	for n := *t.slot(s); n != nil; n = n.next {
		if equalFold(n.text, s) {
			return n
		}
	}
	return nil
}

// slot returns where a name that is not empty belongs, by its length and two of its bytes, of which
// the bit that tells the case is left out.
func (t *names) slot(s string) **name {
	return &t[(uint(len(s))*5+uint(s[len(s)-1]&0x1f)+uint(s[len(s)/2]&0x1f)*3)%uint(len(t))]
}
