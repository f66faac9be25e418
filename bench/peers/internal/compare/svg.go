package compare

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

// Groups returns the names of the groups in the order of their first rows.
func (r *Report) Groups() []string {
	var out []string
	for _, row := range r.Results {
		if !slices.Contains(out, row.Group) {
			out = append(out, row.Group)
		}
	}
	return out
}

// FileName turns the name of a group into that of its chart.
func FileName(group string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(group)) + ".svg"
}

// The layout of a chart, in pixels.
const (
	chartWidth = 860
	labelWidth = 170
	barLeft    = labelWidth + 10
	barRight   = chartWidth - 230
	barHeight  = 16
	barStep    = 20
	rowGap     = 34
	chartTop   = 48
)

// SVG writes the bar chart of a group: for each row one bar for each library, as long as its time,
// beside the slowest of that row. The text at the end of the bar has the time and the ratio with
// its spread, which a thin line shows too.
func (r *Report) SVG(w io.Writer, group string) error {
	var b strings.Builder
	y := chartTop
	for _, row := range r.Results {
		if row.Group != group {
			continue
		}
		longest := 0.0
		for _, m := range row.Subjects {
			longest = max(longest, m.Ratio.Median)
		}
		fmt.Fprintf(&b, `<text x="12" y="%d" class="row">%s</text>`+"\n", y+13, html.EscapeString(row.Name))
		y += barStep
		for i, m := range row.Subjects {
			if m.Refused != "" {
				continue
			}
			class, text := "peer", fmt.Sprintf("%s  %s (%s..%s)", duration(m.Nanoseconds), ratio(m.Ratio.Median),
				ratio(m.Ratio.Min), ratio(m.Ratio.Max))
			switch {
			case i == 0:
				class, text = "ours", duration(m.Nanoseconds)
			case m.Ratio.Median < 1:
				class = "ahead"
			}
			place := func(x float64) float64 { return float64(barLeft) + min(1, x/longest)*float64(barRight-barLeft) }
			end := place(m.Ratio.Median)
			fmt.Fprintf(&b, `<text x="%d" y="%d" class="name">%s</text>`, labelWidth, y+12, html.EscapeString(m.Name))
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" class="%s"/>`, barLeft, y, end-barLeft,
				barHeight, class)
			if i > 0 {
				fmt.Fprintf(&b, `<path d="M%.1f %dH%.1f" class="spread"/>`, place(m.Ratio.Min), y+barHeight/2,
					place(m.Ratio.Max))
			}
			fmt.Fprintf(&b, `<text x="%.1f" y="%d">%s</text>`+"\n", end+6, y+12, html.EscapeString(text))
			y += barStep
		}
		y += rowGap - barStep
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">
<style>text{font:12px sans-serif;fill:#24292f}.title{font:bold 15px sans-serif}.row{font:12px monospace}.name{text-anchor:end}.ours{fill:#1a7f37}.peer{fill:#9aa4af}.ahead{fill:#bf3989}.spread{stroke:#24292f;stroke-width:1}</style>
<rect width="100%%" height="100%%" fill="#ffffff"/>
<text x="12" y="24" class="title">%s</text><text x="%d" y="24" class="name">shorter is better; each row has its own scale</text>
%s</svg>
`, chartWidth, y, chartWidth, y, html.EscapeString(group), html.EscapeString(group), chartWidth-12, b.String())
	return err
}
