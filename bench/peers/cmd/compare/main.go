// Compare measures the operations of askind and of other libraries, on the same data and in one
// process, and prints one table.
//
//	go run ./cmd/compare -quick
//	go run ./cmd/compare -filter 'decode/json' -svg charts -json > run.json
//	go generate ./internal/kubeproto && go run -tags vtprotobuf ./cmd/compare # with vtprotobuf
//
// Every row does the same work in each library: the results are compared before the measurement,
// and a library whose result differs is excluded, in which case the exit status is 1. Ratios come
// from interleaved rounds and are relative to askind. The rounds of a row are spread over the whole
// run, in passes over all rows, so that another run agrees within the printed spread. Progress is
// written to standard error.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/rows"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(progress)
	quick := flags.Bool("quick", false, "take less than two minutes: short rounds, and fewer lists")
	filter := flags.String("filter", "", "measure only rows whose name matches the regular `expression`")
	asJSON := flags.Bool("json", false, "print JSON with the times of all rounds")
	asMarkdown := flags.Bool("markdown", false, "print a Markdown table")
	charts := flags.String("svg", "", "write a bar chart for each group of operations into the `folder`")
	list := flags.Bool("list", false, "print the names of the rows and stop")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("what does %q mean? The rows are chosen with -filter", flags.Arg(0))
	}
	if *asJSON && *asMarkdown {
		return errors.New("either -json or -markdown")
	}
	wanted, err := regexp.Compile(*filter)
	if err != nil {
		return err
	}
	all, err := rows.All()
	if err != nil {
		return err
	}
	var chosen []*compare.Row
	for _, r := range all {
		if wanted.MatchString(r.Name) && !(*quick && r.Heavy) {
			chosen = append(chosen, r)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("no row matches %q; -list prints their names", *filter)
	}
	if *list {
		for _, r := range chosen {
			fmt.Fprintln(out, r.Name)
		}
		return nil
	}
	if missing := rows.Missing(); missing != "" {
		fmt.Fprintln(progress, missing)
	}
	effort, limit := compare.Full, time.Duration(math.MaxInt64)
	if *quick {
		effort, limit = compare.Quick, quickly
	}
	report := compare.NewReport(*quick)
	start := time.Now()
	if report.Results, err = measure(chosen, effort, limit, progress); err != nil {
		return err
	}
	report.Took = time.Since(start).Round(time.Second).String()
	switch {
	case *asJSON:
		err = report.JSON(out)
	case *asMarkdown:
		err = report.Markdown(out)
	default:
		err = report.Text(out)
	}
	if err != nil {
		return err
	}
	if *charts != "" {
		if err := writeCharts(report, *charts); err != nil {
			return err
		}
	}
	if refused := report.Refused(); len(refused) > 0 {
		return fmt.Errorf("not compared:\n%s", strings.Join(refused, "\n"))
	}
	return nil
}

// quickly is the time limit of a quick run. It does fewer passes if the machine is slow or busy.
const quickly = 112 * time.Second

// fewest is the minimum number of passes, regardless of time: a single pass does not show the
// variation of a row over time.
const fewest = 2

// measure does as many passes over all rows as fit into the limit. It reports progress once a
// second.
func measure(rows []*compare.Row, e compare.Effort, limit time.Duration, progress io.Writer) ([]*compare.Result,
	error,
) {
	measurements := make([]*compare.Measurement, len(rows))
	for i, r := range rows {
		measurements[i] = compare.NewMeasurement(r, e)
	}
	start, told := time.Now(), time.Time{}
	for pass := range e.Passes {
		began := time.Now()
		for i, m := range measurements {
			if time.Since(told) >= time.Second {
				told = time.Now()
				fmt.Fprintf(progress, "%5s  pass %d/%d  row %d/%d  %s\n", time.Since(start).Round(time.Second), pass+1,
					e.Passes, i+1, len(rows), rows[i].Name)
			}
			if err := m.Pass(); err != nil {
				return nil, err
			}
		}
		if pass+1 >= fewest && time.Since(start)+time.Since(began) > limit {
			break
		}
	}
	results := make([]*compare.Result, len(rows))
	for i, m := range measurements {
		results[i] = m.Result()
	}
	return results, nil
}

func writeCharts(r *compare.Report, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, group := range r.Groups() {
		f, err := os.Create(filepath.Join(folder, compare.FileName(group)))
		if err != nil {
			return err
		}
		if err := errors.Join(r.SVG(f, group), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
