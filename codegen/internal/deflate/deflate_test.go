package deflate

import (
	"bytes"
	"compress/flate"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func TestCompressIsReadByFlate(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("deflate.go")
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	var everyLength strings.Builder
	for n := range 600 {
		everyLength.WriteString(strings.Repeat(string(rune('a'+n%26)), n))
		everyLength.WriteByte('\n')
	}
	for name, text := range map[string][]byte{
		"empty":        nil,
		"one byte":     []byte("a"),
		"two bytes":    []byte("ab"),
		"one symbol":   bytes.Repeat([]byte("a"), 10_000),
		"source":       source,
		"noise":        noise,
		"every length": []byte(everyLength.String()),
		"far apart":    bytes.Repeat(noise[:30_000], 4),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			packed := Compress(text)
			got, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
			if err != nil || !bytes.Equal(got, text) {
				t.Fatalf("%d bytes came back as %d, %v", len(text), len(got), err)
			}
			if again := Compress(text); !bytes.Equal(again, packed) {
				t.Error("the same text was compressed to other bytes")
			}
			t.Logf("%d bytes as %d", len(text), len(packed))
		})
	}
}

func TestCompressedSourceIsSmall(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("deflate.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(Compress(source)); n > len(source)/2 {
		t.Errorf("%d bytes were compressed to %d, more than half", len(source), n)
	}
}
