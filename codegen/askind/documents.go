package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/askind/askind/codegen"
)

func jsonSchema(c *command, args []string, stdout, stderr io.Writer) int {
	fs := c.flags()
	base := fs.String("base", "", "the `URL` before the $id of every file, such as https://example.com/schemas")
	return writeDocuments(c, fs, "schemas", args, stdout, stderr, func(cfg codegen.Config) (*codegen.Documents, error) {
		if u, err := url.Parse(*base); err != nil || u.RawQuery != "" || u.Fragment != "" {
			return nil, fmt.Errorf("-base %q is not the beginning of a URL, such as https://example.com/schemas", *base)
		}
		return codegen.JSONSchemas(cfg, *base)
	})
}

func customResources(c *command, args []string, stdout, stderr io.Writer) int {
	return writeDocuments(c, c.flags(), "crds", args, stdout, stderr, codegen.CustomResourceDefinitions)
}

// writeDocuments makes documents and writes them below a directory.
func writeDocuments(c *command, fs *flag.FlagSet, dir string, args []string, stdout, stderr io.Writer,
	produce func(codegen.Config) (*codegen.Documents, error),
) int {
	var cfg codegen.Config
	fs.BoolVar(&cfg.Strict, "strict", false, "treat warnings as errors")
	out := fs.String("o", dir, "write to this `directory`")
	if status, ok := c.parse(fs, args, stdout, stderr); !ok {
		return status
	}
	cfg.Dir, cfg.Patterns = c.dir, fs.Args()
	docs, err := produce(cfg)
	if err != nil {
		return fail(stderr, err)
	}
	report(docs.Diagnostics, false, stdout, stderr)
	if len(docs.Files) == 0 {
		return exitFindings
	}
	root := below(cfg.Dir, *out)
	for _, path := range slices.Sorted(maps.Keys(docs.Files)) {
		name := filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return fail(stderr, err)
		}
		if err := os.WriteFile(name, docs.Files[path], 0o644); err != nil {
			return fail(stderr, err)
		}
		fmt.Fprintln(stdout, filepath.ToSlash(filepath.Join(*out, path)))
	}
	return exitClean
}
