// Compare measures the operations of askind beside those of other libraries, on the same data and in one process, and prints one table.
//
//	go run ./cmd/compare -quick
//	go run ./cmd/compare -filter 'decode/json' -svg charts -json > run.json
//
// Every row does the same work in each library: the results are compared before anything is measured, and a library whose result differs is
// refused, which also makes the command end with status 1. Ratios come from interleaved rounds and mean "times as long as ours".
// Progress goes to the standard error.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
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
	effort := compare.Full
	if *quick {
		effort = compare.Quick
	}
	report := compare.NewReport(*quick)
	start := time.Now()
	for i, r := range chosen {
		fmt.Fprintf(progress, "%5s  %d/%d  %s\n", time.Since(start).Round(time.Second), i+1, len(chosen), r.Name)
		result, err := compare.Measure(r, within(effort, *quick, time.Since(start), len(chosen)-i))
		if err != nil {
			return err
		}
		report.Results = append(report.Results, result)
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

// quickly is what a quick run may take, with some reserve for the row that is being measured when it is over.
const quickly = 80 * time.Second

// within lowers the effort of a quick run that is late, as it is on a busy machine: the rows that are left get fewer rounds, and shorter ones if it is very late.
func within(e compare.Effort, quick bool, elapsed time.Duration, left int) compare.Effort {
	if !quick {
		return e
	}
	share := max(0, quickly-elapsed) / time.Duration(left)
	e.Row = min(e.Row, share/2)
	switch {
	case share < 300*time.Millisecond:
		e.MinRounds, e.Garbage, e.Sample = 3, e.Garbage/8, e.Sample/2
	case share < 1200*time.Millisecond:
		e.MinRounds, e.Garbage = 3, e.Garbage/2
	}
	return e
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
