package load

// blankBodies overwrites the bodies of top-level functions of a Go source with blanks, in place,
// and returns it. Newlines and everything outside of bodies stay, so positions do not change. The
// parser skips blanks much faster than unneeded statements.
//
// It tracks the strings, runes, comments and brackets of a file that compiles. In a file that does
// not, it may blank too much or too little, so it is for files whose errors are not reported.
func blankBodies(src []byte) []byte {
	b := bodies{src: src}
	depth, begins := 0, true // at the begin of a line
	for b.at < len(src) {
		if b.skipText() {
			begins = false
			continue
		}
		if word := b.word(); len(word) > 0 {
			b.at += len(word)
			if depth == 0 && begins && string(word) == "func" {
				b.function()
			}
			begins = false
			continue
		}
		switch src[b.at] {
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			depth--
		}
		begins = src[b.at] == '\n' || begins && src[b.at] == ' '
		b.at++
	}
	return src
}

type bodies struct {
	src []byte
	at  int
}

// function advances from after the keyword func of a declaration to the end of its body, and blanks
// the body. Braces of struct and interface types among the results are not the body, and a function
// without a body ends with its line.
func (b *bodies) function() {
	depth := 0
	last := "func"
	for b.at < len(b.src) {
		if b.skipText() {
			continue
		}
		if word := b.word(); len(word) > 0 {
			b.at += len(word)
			last = string(word)
			continue
		}
		c := b.src[b.at]
		b.at++
		switch c {
		case '(', '[':
			depth++
		case ')', ']', '}':
			depth--
		case '{':
			if depth == 0 && last != "struct" && last != "interface" {
				b.body()
				return
			}
			depth++
		case '\n':
			if depth == 0 && last != "func" {
				b.at--
				return
			}
			continue
		case ' ', '\t', '\r':
			continue
		}
		last = ""
	}
}

// body blanks the text after the opening brace up to the matching one.
func (b *bodies) body() {
	from, depth := b.at, 1
	for b.at < len(b.src) {
		switch b.src[b.at] {
		case '{':
			depth++
		case '}':
			depth--
			if depth == 0 {
				for i := from; i < b.at; i++ {
					if b.src[i] != '\n' {
						b.src[i] = ' '
					}
				}
				b.at++
				return
			}
		default:
			if b.skipText() {
				continue
			}
		}
		b.at++
	}
}

// skipText skips a comment, a string or a rune, if one begins here.
func (b *bodies) skipText() bool {
	src := b.src
	switch src[b.at] {
	case '/':
		if b.at+1 == len(src) {
			return false
		}
		switch src[b.at+1] {
		case '/':
			for b.at < len(src) && src[b.at] != '\n' {
				b.at++
			}
			return true
		case '*':
			for b.at += 2; b.at < len(src); b.at++ {
				if src[b.at] == '*' && b.at+1 < len(src) && src[b.at+1] == '/' {
					b.at += 2
					return true
				}
			}
			return true
		}
		return false
	case '`':
		for b.at++; b.at < len(src) && src[b.at] != '`'; b.at++ {
		}
		b.at++
		return true
	case '"', '\'':
		quote := src[b.at]
		for b.at++; b.at < len(src) && src[b.at] != quote && src[b.at] != '\n'; b.at++ {
			if src[b.at] == '\\' {
				b.at++
			}
		}
		b.at++
		return true
	}
	return false
}

// word returns the identifier, keyword or number that begins here.
func (b *bodies) word() []byte {
	i := b.at
	for i < len(b.src) {
		c := b.src[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c < 0x80 {
			break
		}
		i++
	}
	return b.src[b.at:i]
}
