package rawmeta

import (
	"github.com/askind/askind/internal/fieldset"
	"github.com/askind/askind/internal/plain"
)

// CanonicalJSON returns the end of the object at the start of a text if it is metadata that
// decoding and encoding would not change: known members in their order, without white space, none
// of them empty or null, every value in canonical form. It returns 0 otherwise.
func CanonicalJSON(b []byte) (end int) {
	c := canon{b: b}
	c.objectMeta()
	if c.i < 0 || plain.Enabled {
		return 0
	}
	return c.i
}

// canon scans a text. Its position is -1 after anything that is not canonical.
type canon struct {
	b []byte
	i int
}

func (c *canon) fail() { c.i = -1 }

// at reports whether the text continues with some words, and moves past them.
func (c *canon) at(words string) bool {
	if c.i < 0 || len(c.b)-c.i < len(words) || string(c.b[c.i:c.i+len(words)]) != words {
		return false
	}
	c.i += len(words)
	return true
}

// want is at for required text.
func (c *canon) want(words string) {
	if !c.at(words) {
		c.fail()
	}
}

// members scans an object whose members are written with a leading comma, as generated code does,
// the first with the brace instead. at reports whether a member of that name is next.
type members struct {
	c     *canon
	first bool
}

func (m *members) at(name string) bool {
	c := m.c
	if c.i < 0 {
		return false
	}
	opening := byte(',')
	if m.first {
		opening = '{'
	}
	if len(c.b)-c.i <= len(name) || c.b[c.i] != opening || string(c.b[c.i+1:c.i+1+len(name)]) != name {
		return false
	}
	c.i += 1 + len(name)
	m.first = false
	return true
}

func (m *members) end() {
	if m.first {
		m.c.want("{}")
		return
	}
	m.c.want("}")
}

func (c *canon) objectMeta() {
	m := members{c, true}
	for _, name := range [...]string{
		`"name":`, `"generateName":`, `"namespace":`, `"selfLink":`, `"uid":`,
		`"resourceVersion":`,
	} {
		if m.at(name) {
			c.text(false)
		}
	}
	if m.at(`"generation":`) {
		c.integer(false)
	}
	for _, name := range [...]string{`"creationTimestamp":`, `"deletionTimestamp":`} {
		if m.at(name) {
			c.time()
		}
	}
	if m.at(`"deletionGracePeriodSeconds":`) {
		c.integer(true)
	}
	for _, name := range [...]string{`"labels":`, `"annotations":`} {
		if m.at(name) {
			c.textMap()
		}
	}
	if m.at(`"ownerReferences":`) {
		c.list(elemOwner)
	}
	if m.at(`"finalizers":`) {
		c.list(elemText)
	}
	if m.at(`"managedFields":`) {
		c.list(elemManaged)
	}
	m.end()
}

func (c *canon) owner() {
	m := members{c, true}
	for _, name := range [...]string{`"apiVersion":`, `"kind":`, `"name":`, `"uid":`} {
		if !m.at(name) {
			c.fail()
			return
		}
		c.text(true)
	}
	for _, name := range [...]string{`"controller":`, `"blockOwnerDeletion":`} {
		if m.at(name) && !c.at("true") {
			c.want("false")
		}
	}
	m.end()
}

func (c *canon) managed() {
	m := members{c, true}
	for _, name := range [...]string{`"manager":`, `"operation":`, `"apiVersion":`} {
		if m.at(name) {
			c.text(false)
		}
	}
	if m.at(`"time":`) {
		c.time()
	}
	if m.at(`"fieldsType":`) {
		c.text(false)
	}
	if m.at(`"fieldsV1":`) {
		c.fields()
	}
	if m.at(`"subresource":`) {
		c.text(false)
	}
	m.end()
}

// elemKind is the type of list elements. A function value would cause the text to be allocated.
type elemKind uint8

const (
	elemText elemKind = iota
	elemOwner
	elemManaged
)

// list scans a list that is not empty.
func (c *canon) list(elem elemKind) {
	c.want("[")
	for {
		switch elem {
		case elemText:
			c.text(true)
		case elemOwner:
			c.owner()
		case elemManaged:
			c.managed()
		}
		if c.i < 0 {
			return
		}
		if !c.at(",") {
			c.want("]")
			return
		}
	}
}

// textMap scans a map that is not empty and whose keys are sorted. Keys with escapes are declined,
// because they would have to be compared unescaped.
func (c *canon) textMap() {
	c.want("{")
	var key []byte
	for first := true; ; first = false {
		from := c.i
		if plain := c.text(true); c.i < 0 || !plain {
			c.fail()
			return
		}
		next := c.b[from+1 : c.i-1]
		if !first && string(key) >= string(next) {
			c.fail()
			return
		}
		key = next
		if c.want(":"); c.i < 0 {
			return
		}
		if c.text(true); c.i < 0 {
			return
		}
		if !c.at(",") {
			c.want("}")
			return
		}
	}
}

// text scans a string and reports whether it has no escapes.
func (c *canon) text(empty bool) (plain bool) {
	if c.i < 0 || c.i >= len(c.b) || c.b[c.i] != '"' {
		c.fail()
		return false
	}
	from := c.i + 1
	end, plain := stringEnd(c.b, from)
	if end < 0 || end == from && !empty {
		c.fail()
		return false
	}
	c.i = end + 1
	return plain
}

// integer scans an integer that certainly fits an int64.
func (c *canon) integer(zero bool) {
	if c.i < 0 {
		return
	}
	if zero && c.at("0") {
		return
	}
	i := c.i
	if i < len(c.b) && c.b[i] == '-' {
		i++
	}
	from := i
	for i < len(c.b) && c.b[i]-'0' <= 9 {
		i++
	}
	const digits = 18 // int64 also has some numbers with 19 digits
	if i == from || i-from > digits || c.b[from] == '0' {
		c.fail()
		return
	}
	c.i = i
}

// daysOf has the days that each month has in every year.
var daysOf = [...]int{1: 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// time scans a time in UTC with whole seconds.
func (c *canon) time() {
	const form = `"2006-01-02T15:04:05Z"`
	if c.i < 0 || len(c.b)-c.i < len(form) {
		c.fail()
		return
	}
	b := c.b[c.i : c.i+len(form)]
	for i := range form {
		if form[i]-'0' <= 9 {
			if b[i]-'0' > 9 {
				c.fail()
				return
			}
		} else if b[i] != form[i] {
			c.fail()
			return
		}
	}
	two := func(i int) int { return int(b[i]-'0')*10 + int(b[i+1]-'0') }
	month, day := two(6), two(9)
	// February 29 is declined, because it depends on the year, and so are years before 1000, which
	// include the zero time.
	if b[1] == '0' || month < 1 || month > 12 || day < 1 || day > daysOf[month] || two(12) > 23 || two(15) > 59 ||
		two(18) > 59 {
		c.fail()
		return
	}
	c.i += len(form)
}

// fields scans a field set.
func (c *canon) fields() {
	if c.i < 0 {
		return
	}
	if n := fieldset.End(c.b[c.i:]); n > 0 {
		c.i += n
		return
	}
	c.fail()
}
