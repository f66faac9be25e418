package schemas

import (
	"strings"

	"github.com/askind/askind/codegen/internal/model"
)

// describe returns a comment as a description: it joins the lines of a paragraph, keeps lists and
// indented lines, and omits notes to developers and the brackets around names.
func describe(comment string) (text string, deprecated bool) {
	var out []string
	var paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			out = append(out, strings.Join(paragraph, "\n"))
			paragraph = nil
		}
	}
	joined := false
	for line := range strings.Lines(comment) {
		line = strings.TrimRight(line, " \t\r\n")
		bare := strings.TrimSpace(line)
		switch {
		case bare == "---":
			end()
			return strings.Join(out, "\n\n"), deprecated
		case bare == "":
			end()
			joined = false
		case strings.HasPrefix(bare, "TODO"), strings.HasPrefix(bare, "FIXME"), strings.HasPrefix(bare, "nolint:"):
			joined = false
		case line != bare, strings.HasPrefix(bare, "- "), strings.HasPrefix(bare, "* "):
			paragraph = append(paragraph, strings.TrimPrefix(line, "\t"))
			joined = false
		default:
			if strings.HasPrefix(bare, "Deprecated:") {
				deprecated = true
			}
			bare = model.WithoutLinks(bare)
			if joined {
				paragraph[len(paragraph)-1] += " " + bare
			} else {
				paragraph = append(paragraph, bare)
			}
			joined = true
		}
	}
	end()
	return strings.Join(out, "\n\n"), deprecated
}
