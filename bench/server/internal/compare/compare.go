// Package compare measures package store beside the storage of k8s.io/apiserver, with its cacher
// and an etcd, on the same machines.
//
// Every side is a process of its own. All carry out the same rows, which are written once, over the
// interface side. The samples of a row are interleaved: a round takes one of each side, in an order
// that changes from round to round, and ratios are those within a round.
package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/askind/askind/bench/server/internal/machines"
)

// Config says how much is measured.
type Config struct {
	// Rounds is how many samples are taken of each row and side, and Sample about how long one
	// takes.
	Rounds int
	Sample time.Duration
	// Divisor divides the numbers of objects, for a run that only shows that everything works.
	Divisor int
	// Million measures the growth to a million objects too. The other side stops at 100,000.
	Million bool
	// Filter chooses groups by their titles; nil stands for all.
	Filter *regexp.Regexp
	// Progress gets a line for each row.
	Progress io.Writer
}

// group is some rows that are measured on the same data.
type group struct {
	title string
	data  dataset
	sides []string
	rows  []string
}

// plan returns the groups that are measured.
func plan(c Config) []group {
	all, reads := []string{"kubernetes", "memory", "file"}, []string{"kubernetes", "memory"}
	pages := []string{"list", "list as metadata", "first page of 500", "page of 500 at a past revision"}
	watches := []string{
		"memory of an idle watch", "event to each of 1 watchers", "event to each of 100 watchers",
		"event to each of 1,000 watchers", "event to each of 10,000 watchers",
	}
	gets := []string{"get, any state", "get, latest state"}
	out := []group{
		{
			"Writes, with 1,000 objects of 1.4 KB",
			dataset{1000, machines.Small},
			all,
			[]string{"update under a resourceVersion", "create, 1 writer", "create, 64 writers"},
		},
		{"Reads, with 10,000 objects of 1.4 KB", dataset{10_000, machines.Small}, reads, slices.Concat(gets, pages)},
		{"Reads, with 5,000 objects of 10 KB", dataset{5000, machines.Large}, reads, pages},
		{"Watches, with 1,000 objects of 1.4 KB", dataset{1000, machines.Small}, reads, watches},
	}
	growth := []string{"memory of an object", "get, any state", "first page of 500", "start"}
	for _, n := range []int{1000, 10_000, 100_000} {
		title := fmt.Sprintf("Growth: %s objects of 1.4 KB", thousands(n))
		out = append(out, group{title, dataset{n, machines.Small}, all, growth})
	}
	if c.Million {
		title := "Growth: 1,000,000 objects of 1.4 KB"
		out = append(out, group{title, dataset{1_000_000, machines.Small}, []string{"memory", "file"}, growth})
	}
	for i := range out {
		if c.Divisor > 1 {
			out[i].data.Objects = max(out[i].data.Objects/c.Divisor, 10)
			out[i].title += ", here " + thousands(out[i].data.Objects)
		}
	}
	return out
}

// Result is what was measured of a group.
type Result struct {
	Title string
	Rows  []Row
}

// Row is what was measured of a row: for each side a sample of each round.
type Row struct {
	Name    string
	Samples map[string][]sample
}

// Run measures everything, and calls a function with the result of each group.
func Run(ctx context.Context, c Config, each func(Result) error) error {
	for _, g := range plan(c) {
		if c.Filter != nil && !c.Filter.MatchString(g.title) {
			continue
		}
		r, err := runGroup(ctx, c, g)
		if err == nil {
			err = each(r)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", g.title, err)
		}
	}
	return nil
}

// runGroup starts a process for each side, fills it, and measures the rows.
func runGroup(ctx context.Context, c Config, g group) (result Result, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	result.Title = g.title
	children := map[string]*child{}
	defer func() {
		for _, c := range children {
			err = errors.Join(err, c.stop())
		}
	}()
	for _, name := range g.sides {
		fmt.Fprintf(c.Progress, "%s: fill %s\n", g.title, name)
		side, err := start(ctx, name)
		if err != nil {
			return result, err
		}
		children[name] = side
		data := filepath.Join(dir, name)
		if err := os.Mkdir(data, 0o700); err != nil {
			return result, err
		}
		for _, r := range []request{{Open: data}, {Fill: &g.data}} {
			if _, err := side.call(r); err != nil {
				return result, err
			}
		}
	}
	if err := same(children, g.sides); err != nil {
		return result, err
	}
	for _, name := range g.rows {
		fmt.Fprintf(c.Progress, "%s: %s\n", g.title, name)
		r, err := measure(c, children, g.sides, name)
		if err != nil {
			return result, err
		}
		result.Rows = append(result.Rows, r)
	}
	return result, nil
}

// measure takes the samples of a row.
func measure(c Config, children map[string]*child, sides []string, name string) (Row, error) {
	out := Row{Name: name, Samples: map[string][]sample{}}
	row := rows[slices.IndexFunc(rows, func(r row) bool { return r.name == name })]
	rounds := c.Rounds
	if row.once {
		rounds = 1
	}
	for round := range rounds {
		order := slices.Clone(sides)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, side := range order {
			if row.kept && side == "memory" {
				continue
			}
			got, err := children[side].call(request{Sample: name, For: c.Sample})
			if err != nil {
				return out, err
			}
			out.Samples[side] = append(out.Samples[side], got.Sample)
		}
	}
	return out, nil
}

// same compares an object and lists of all sides.
func same(children map[string]*child, sides []string) error {
	var want []map[string]any
	for i, name := range sides {
		shown, err := children[name].call(request{Show: true})
		if err != nil {
			return err
		}
		var got []map[string]any
		for _, text := range shown.Texts {
			var value map[string]any
			if err := json.Unmarshal(text, &value); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			forget(value)
			got = append(got, value)
		}
		if i == 0 {
			want = got
		}
		for answer := range want {
			if !reflect.DeepEqual(got[answer], want[answer]) {
				return fmt.Errorf("%s answers\n%v\nbut %s answers\n%v", name, got[answer], sides[0], want[answer])
			}
		}
	}
	return nil
}

// forget removes what differs between two stores: revisions and tokens.
func forget(object map[string]any) {
	if metadata, ok := object["metadata"].(map[string]any); ok {
		delete(metadata, "resourceVersion")
		delete(metadata, "continue")
	}
	items, _ := object["items"].([]any)
	for _, item := range items {
		if item, ok := item.(map[string]any); ok {
			forget(item)
		}
	}
}
