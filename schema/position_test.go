package schema_test

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/askind/askind/schema"
)

func TestPositionOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		text   string
		offset int
		want   string
	}{
		{"blank text", "", 0, "1:1"},
		{"blank text, past the end", "", 5, "1:1"},
		{"negative", "abc", -1, "-"},
		{"start", "abc", 0, "1:1"},
		{"inside", "abc", 2, "1:3"},
		{"end", "abc", 3, "1:4"},
		{"past the end", "a\nbc", 100, "2:3"},
		{"LF itself", "ab\ncd", 2, "1:3"},
		{"after LF", "ab\ncd", 3, "2:1"},
		{"end after LF", "ab\n", 3, "2:1"},
		{"blank lines", "\n\n\nx", 3, "4:1"},
		{"CR of CRLF", "ab\r\ncd", 2, "1:3"},
		{"LF of CRLF", "ab\r\ncd", 3, "1:3"},
		{"after CRLF", "ab\r\ncd", 4, "2:1"},
		{"in the line after CRLF", "ab\r\ncd", 5, "2:2"},
		{"second CRLF", "\r\n\r\nx", 4, "3:1"},
		{"lone CR is a character", "a\rb", 2, "1:3"},
		{"BOM itself", "\ufeffab", 0, "1:1"},
		{"inside of the BOM", "\ufeffab", 2, "1:1"},
		{"after the BOM", "\ufeffab", 3, "1:1"},
		{"second after the BOM", "\ufeffab", 4, "1:2"},
		{"line after the BOM", "\ufeffa\nb", 5, "2:1"},
		{"BOM elsewhere is a character", "a\n\ufeffb", 5, "2:2"},
		{"after two bytes", "äb", 2, "1:2"},
		{"inside of two bytes", "äb", 1, "1:1"},
		{"after four bytes", "\U0001F600b", 4, "1:2"},
		{"inside of four bytes", "a\U0001F600b", 4, "1:2"},
		{"combining marks are characters", "e\u0301x", 3, "1:3"},
		{"bytes that are not UTF-8", "\xff\xfeb", 2, "1:3"},
		{"stray continuation bytes", "a\x80\x80b", 2, "1:3"},
		{"truncated character at the end", "a\xe2\x82", 3, "1:4"},
		{"inside of a truncated character", "a\xe2\x82", 2, "1:3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := schema.PositionOf([]byte(tt.text), tt.offset)
			if got.String() != tt.want {
				t.Errorf("PositionOf(%q, %d) = %s, want %s", tt.text, tt.offset, got, tt.want)
			}
			if got.IsValid() != (tt.offset >= 0) {
				t.Errorf("IsValid() = %v", got.IsValid())
			}
			if want := max(0, min(tt.offset, len(tt.text))); got.Offset != want {
				t.Errorf("Offset = %d, want %d", got.Offset, want)
			}
		})
	}
}

func TestZeroPosition(t *testing.T) {
	t.Parallel()
	if p := (schema.Position{}); p.IsValid() || p.String() != "-" {
		t.Errorf("zero position is %s", p)
	}
}

// positionOfSlow walks over the text character by character.
func positionOfSlow(text []byte, offset int) schema.Position {
	offset = min(offset, len(text))
	p := schema.Position{Offset: offset, Line: 1, Column: 1}
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRune(text[i:])
		switch {
		case i == 0 && bytes.HasPrefix(text, []byte("\ufeff")):
			if offset < size {
				return p
			}
			i += size
			continue
		case bytes.HasPrefix(text[i:], []byte("\r\n")):
			size = 2
		}
		if offset < i+size {
			return p
		}
		i += size
		p.Column++
		if text[i-1] == '\n' {
			p.Line++
			p.Column = 1
		}
	}
	return p
}

func FuzzPositionOf(f *testing.F) {
	for _, s := range []string{
		"", "abc", "a\nb", "a\r\nb\r\n", "\ufeffa\r\n\ufeff", "ä\U0001F600\n\xff\xe2\x82",
		"\r\r\n\n", "\xef\xbb",
	} {
		for offset := range len(s) + 2 {
			f.Add([]byte(s), offset)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, offset int) {
		if offset < 0 {
			return
		}
		if got, want := schema.PositionOf(text, offset), positionOfSlow(text, offset); got != want {
			t.Errorf("PositionOf(%q, %d) = %+v, want %+v", text, offset, got, want)
		}
	})
}

func BenchmarkPositionOf(b *testing.B) {
	text := bytes.Repeat([]byte("  image: registry.example.com/web:1.2.3\n"), 25_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		schema.PositionOf(text, len(text)-5)
	}
}
