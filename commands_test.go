package askind_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/internal/tour"
)

// followed are the pages that tests follow literally, so that the files they name need not be in
// this repository.
var followed = []string{"docs/from-apiserver.md", "docs/from-crd.md", "docs/from-kubebuilder.md", "docs/tour.md"}

// TestCommands checks that what the commands on pages name is in this repository: folders, scripts,
// programs and their flags, tests and benchmarks. A block, and a command within a text, begins in
// the root.
func TestCommands(t *testing.T) {
	t.Parallel()
	checked := 0
	err := filepath.WalkDir(".", func(page string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && page != "."):
			return filepath.SkipDir
		case filepath.Ext(page) != ".md" || slices.Contains(followed, filepath.ToSlash(page)):
			return nil
		}
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		for _, lines := range commandsOf(string(text)) {
			dir, module := ".", false
			for _, line := range lines {
				for command := range strings.SplitSeq(line, " && ") {
					checked++
					args := words(command)
					if args[0] == "cd" {
						dir = path.Join(dir, args[1])
						module = strings.HasPrefix(dir, "..") // a module that the page has made
						if _, err := os.Stat(dir); err != nil && !module {
							t.Errorf("%s: %s: %v", page, line, err)
						}
					} else if !module {
						for _, problem := range checkCommand(dir, args) {
							t.Errorf("%s: %s: %s", page, line, problem)
						}
					}
				}
			}
		}
		return nil
	})
	if err != nil || checked < 60 {
		t.Errorf("%d commands were checked, %v", checked, err)
	}
}

var (
	inText   = regexp.MustCompile("`((?:bash|cd|go (?:run|test|tool|generate)) [^`]*)`")
	indented = regexp.MustCompile(`(?m)^    ((?:bash|cd|go (?:run|test|tool|generate)) .*)$`)
)

// commandsOf returns the commands of a page, those of a block together.
func commandsOf(page string) (out [][]string) {
	prose := ""
	parts := strings.Split(page, "```")
	for i, part := range parts {
		if i%2 == 0 {
			prose += part
			continue
		}
		b := tour.Blocks("```" + part + "```")[0]
		if b.Language == "sh" {
			var lines []string
			for line := range strings.Lines(b.Text) {
				line, _, _ = strings.Cut(line, " #")
				if first := words(line); len(first) > 0 && slices.Contains([]string{"bash", "cd", "go"}, first[0]) {
					lines = append(lines, strings.TrimSpace(line))
				}
			}
			out = append(out, lines)
		}
	}
	for _, m := range inText.FindAllStringSubmatch(prose, -1) {
		out = append(out, []string{strings.Join(strings.Fields(m[1]), " ")})
	}
	for _, m := range indented.FindAllStringSubmatch(prose, -1) {
		line, _, _ := strings.Cut(m[1], " #")
		out = append(out, []string{strings.TrimSpace(line)})
	}
	return out
}

// words splits a command at blanks outside of quotes.
func words(command string) (out []string) {
	for _, w := range regexp.MustCompile(`(?:'[^']*'|[^\s'])+`).FindAllString(command, -1) {
		out = append(out, strings.ReplaceAll(w, "'", ""))
	}
	return out
}

// checkCommand returns what is wrong with a command in a folder.
func checkCommand(dir string, args []string) (problems []string) {
	for strings.Contains(args[0], "=") { // a variable
		args = args[1:]
	}
	if args[0] == "bash" {
		if _, err := os.Stat(path.Join(dir, args[1])); err != nil {
			problems = append(problems, err.Error())
		}
		return problems
	}
	verb, args := args[1], args[2:]
	if verb == "tool" {
		if len(args) == 0 || args[0] != "askind" {
			return problems
		}
		args[0] = "./codegen/askind"
		verb, dir = "run", "."
	}
	// A program has flags of its own after its name; a test has them anywhere.
	packages, names, flags := []string(nil), []string(nil), []string(nil)
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case verb == "run" && len(packages) > 0 && !strings.HasPrefix(arg, "-"):
		case arg == "." || strings.HasPrefix(arg, "./"):
			packages = append(packages, arg)
		case arg == "-tags" || arg == "-benchtime" || arg == "-o":
			i++
		case arg == "-run" || arg == "-bench":
			i++
			names = append(names, args[i])
		case strings.HasPrefix(arg, "-fuzz="):
			names = append(names, strings.TrimPrefix(arg, "-fuzz="))
		case strings.HasPrefix(arg, "-"):
			name, _, _ := strings.Cut(arg[1:], "=")
			flags = append(flags, name)
		}
	}
	if len(packages) == 0 {
		packages = []string{"."}
	}
	source := ""
	for _, p := range packages {
		folder, all := strings.CutSuffix(p, "...")
		folder = path.Join(dir, folder)
		files, err := filepath.Glob(path.Join(folder, "*.go"))
		if len(files) == 0 && !all {
			problems = append(problems, fmt.Sprintf("no Go files in %s (%v)", folder, err))
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				problems = append(problems, err.Error())
			}
			source += string(text)
		}
	}
	for _, name := range flags {
		ofGo := slices.Contains([]string{"short", "fuzztime", "count", "v"}, name)
		if !ofGo && !strings.Contains(source, `"`+name+`"`) {
			problems = append(problems, "there is no flag -"+name)
		}
	}
	for _, name := range names {
		name, _, _ = strings.Cut(strings.Trim(name, "^$"), "/")
		if name != "" && name != "." && !regexp.MustCompile(`\nfunc \w*(`+name+`)`).MatchString(source) {
			problems = append(problems, "there is no "+name)
		}
	}
	return problems
}
