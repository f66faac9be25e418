// Command pictures draws the pictures of the documentation as SVG:
//
//	go run ./docs/pictures
//
// What they show of the example fleet comes from its scheme. A test checks that the files are up to
// date. The script screenshots makes the screenshots of browsers beside them.
package main

import (
	"encoding/xml"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	all, err := pictures()
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range all {
		if err := os.WriteFile(filepath.Join("docs/pictures", name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// pictures returns the pictures by the names of their files.
func pictures() (map[string][]byte, error) {
	conversions, err := conversionGraph()
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"conversions.svg": conversions.end(), "flow.svg": flow().end(),
		"list.svg": list().end(), "watch.svg": watch().end(),
	}, nil
}

// style is that of all pictures, for light pages and dark ones. A picture has its own background,
// since some pages are dark for a reader whose system is light.
const style = `
    text { font: 14px ui-sans-serif, system-ui, sans-serif; fill: #1f2328; }
    .ground { fill: #ffffff; }
    .small { font-size: 12px; fill: #59636e; }
    .head { font-weight: 600; }
    .middle { text-anchor: middle; }
    .box { fill: #f6f8fa; stroke: #8b949e; stroke-width: 1.2; }
    .core { fill: #ddf4ff; stroke: #0969da; }
    .line { stroke: #59636e; stroke-width: 1.5; fill: none; }
    .arrow { marker-end: url(#tip); }
    .both { marker-start: url(#tip); marker-end: url(#tip); }
    .dashed { stroke-dasharray: 5 4; }
    .tip { fill: #59636e; }
    .dot { fill: #0969da; }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117; }
      text { fill: #e6edf3; } .small { fill: #9198a1; }
      .box { fill: #161b22; stroke: #6e7681; } .core { fill: #0c2d4d; stroke: #4493f8; }
      .line { stroke: #9198a1; } .tip { fill: #9198a1; } .dot { fill: #4493f8; }
    }
`

// picture is an SVG under construction.
type picture struct{ b strings.Builder }

// begin makes a picture with a text for those who do not see it.
func begin(width, height int, label string) *picture {
	p := &picture{}
	fmt.Fprintf(&p.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n"+
		"  <style>%s  </style>\n"+`  <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" `+
		`markerHeight="8" orient="auto-start-reverse"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>`+"\n",
		width, height, escape(label), style)
	fmt.Fprintf(&p.b, `  <rect class="ground" width="%d" height="%d"/>`+"\n", width, height)
	return p
}

func (p *picture) end() []byte {
	p.b.WriteString("</svg>\n")
	return []byte(p.b.String())
}

func escape(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		return "" // a Builder takes everything
	}
	return b.String()
}

// text writes one line of text.
func (p *picture) text(x, y int, class, text string) {
	fmt.Fprintf(&p.b, `  <text class="%s" x="%d" y="%d">%s</text>`+"\n", class, x, y, escape(text))
}

// box draws a box with a heading and lines of text.
func (p *picture) box(x, y, width, height int, class, head string, lines ...string) {
	fmt.Fprintf(&p.b, `  <rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="8"/>`+"\n",
		strings.TrimSpace("box "+class), x, y, width, height)
	p.text(x+14, y+24, "head", head)
	for i, line := range lines {
		p.text(x+14, y+46+20*i, "small", line)
	}
}

// line draws a path.
func (p *picture) line(class, path string) {
	fmt.Fprintf(&p.b, `  <path class="%s" d="%s"/>`+"\n", strings.TrimSpace("line "+class), path)
}

func (p *picture) dot(x, y int) {
	fmt.Fprintf(&p.b, `  <circle class="dot" cx="%d" cy="%d" r="5"/>`+"\n", x, y)
}
