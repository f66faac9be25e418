package compare

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Write writes a result as Markdown.
func Write(w io.Writer, r Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", r.Title)
	const head = "| operation | CPU, apiserver | CPU, askind | ratio | time, apiserver | time, askind | ratio |"
	writeTable(&b, r, head, func(s sample) []float64 {
		if s.Time == 0 {
			return nil
		}
		return []float64{s.CPU, s.Time}
	}, duration)
	writeTable(&b, r, "| memory | apiserver | askind | ratio |", func(s sample) []float64 {
		if s.Bytes == 0 {
			return nil
		}
		return []float64{s.Bytes}
	}, func(v float64) string { return thousands(int(v)) + " B" })
	_, err := io.WriteString(w, b.String())
	return err
}

// writeTable writes a table of the rows that have something of a measure.
func writeTable(b *strings.Builder, r Result, head string, measures func(sample) []float64,
	format func(float64) string,
) {
	begun := false
	for _, row := range r.Rows {
		for _, side := range []string{"memory", "file"} {
			own := row.Samples[side]
			if len(own) == 0 || measures(own[0]) == nil {
				continue
			}
			if !begun {
				begun = true
				fmt.Fprintf(b, "%s\n|---|%s\n", head, strings.Repeat("--:|", strings.Count(head, "|")-2))
			}
			fmt.Fprintf(b, "| %s", row.Name)
			if len(row.Samples["memory"]) > 0 && len(row.Samples["file"]) > 0 {
				fmt.Fprintf(b, ", %s", side)
			}
			for i := range measures(own[0]) {
				column := func(of []sample) (out []float64) {
					for _, s := range of {
						out = append(out, measures(s)[i])
					}
					return out
				}
				theirs, ours := column(row.Samples["kubernetes"]), column(own)
				fmt.Fprintf(b, " | %s | %s | %s", middle(theirs, format), middle(ours, format), ratios(theirs, ours))
			}
			b.WriteString(" |\n")
		}
	}
	if begun {
		b.WriteString("\n")
	}
}

// middle returns the median of some values.
func middle(values []float64, format func(float64) string) string {
	if len(values) == 0 {
		return "–"
	}
	return format(median(slices.Clone(values)))
}

// ratios returns the median of the ratios within the rounds, and the least and the greatest of
// them.
func ratios(theirs, ours []float64) string {
	if len(theirs) == 0 {
		return "–"
	}
	of := make([]float64, len(ours))
	for i := range of {
		of[i] = theirs[i] / ours[i]
	}
	middle := median(of)
	if len(of) == 1 {
		return short(middle)
	}
	return fmt.Sprintf("%s (%s–%s)", short(middle), short(of[0]), short(of[len(of)-1]))
}

// short returns a number with two digits that count.
func short(v float64) string {
	switch {
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 1:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// duration returns a time of some nanoseconds.
func duration(v float64) string {
	d := time.Duration(v)
	switch {
	case d >= time.Second:
		return short(d.Seconds()) + " s"
	case d >= time.Millisecond:
		return short(v/1e6) + " ms"
	}
	return short(v/1e3) + " µs"
}

// thousands returns a number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
