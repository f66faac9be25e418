// Load measures how long requests take in a server that is busy on all processors, collector
// included: the latency that half of the requests, 99 % and 99.9 % of them stay below.
//
//	go run ./cmd/load
//	go run ./cmd/load -rate 2000 -time 10s -rows 'decode/json/pods-in-turn'
//
// Requests are due at regular times. As many workers as there are processors take the next one that
// is due, so a request also waits for those before it. Its latency counts from the time when it was
// due, and includes the delay with which the operating system wakes a worker. Objects that stay in
// memory give the collector as much to do as those of a server with a cache. A library that cannot
// keep up with the rate has latencies that grow for as long as the run takes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/kubedata"
	"github.com/askind/askind/bench/peers/internal/rows"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(args []string, out, messages io.Writer) error {
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.SetOutput(messages)
	l := load{workers: runtime.GOMAXPROCS(0)}
	flags.IntVar(&l.rate, "rate", 1200, "requests a second")
	flags.DurationVar(&l.time, "time", 4*time.Second, "how long each library is measured")
	live := flags.Int("live", 10000, "objects that stay in memory")
	filter := flags.String("rows", "^(decode|encode)/(json|protobuf)/pods-in-turn$",
		"rows of cmd/compare whose name matches the regular `expression`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || l.rate <= 0 || l.time <= 0 || *live < 0 {
		return errors.New("usage: load [-rate N] [-time duration] [-live N] [-rows expression]")
	}
	wanted, err := regexp.Compile(*filter)
	if err != nil {
		return err
	}
	// What a row prepares is for one goroutine, so each worker has rows of its own.
	all := make([][]*compare.Row, l.workers)
	for i := range all {
		if all[i], err = rows.All(); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(all[0], func(r *compare.Row) bool { return wanted.MatchString(r.Name) }) {
		return fmt.Errorf("no row matches %q", *filter)
	}
	kept := kubedata.Pods(*live)
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "operation\tlibrary\trequests\tp50\tp99\tp99.9\t")
	for i, row := range all[0] {
		if !wanted.MatchString(row.Name) {
			continue
		}
		for j := range row.Subjects {
			works := make([]compare.Work, l.workers)
			for k := range works {
				if works[k], err = all[k][i].Subjects[j].Prepare(); err != nil {
					return err
				}
			}
			latencies, err := l.measure(works)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", row.Name, row.Subjects[j].Name, err)
			}
			fmt.Fprintf(tw, "%s\t%s\t%d\t%v\t%v\t%v\t\n", row.Name, row.Subjects[j].Name, len(latencies),
				below(latencies, 0.5), below(latencies, 0.99), below(latencies, 0.999))
		}
	}
	runtime.KeepAlive(kept)
	return tw.Flush()
}

// load describes how requests arrive.
type load struct {
	workers, rate int
	time          time.Duration
}

// measure returns the latencies of all requests, in ascending order. Each worker has its work.
func (l load) measure(works []compare.Work) ([]time.Duration, error) {
	requests := max(1, int(l.time.Seconds()*float64(l.rate)))
	latencies := make([]time.Duration, requests)
	errs := make([]error, len(works))
	runtime.GC()
	var next atomic.Int64
	var done sync.WaitGroup
	start := time.Now().Add(time.Millisecond)
	for i, w := range works {
		done.Go(func() {
			for errs[i] == nil {
				n := int(next.Add(1)) - 1
				if n >= requests {
					return
				}
				due := start.Add(time.Duration(n) * time.Second / time.Duration(l.rate))
				time.Sleep(time.Until(due))
				errs[i] = w.Run()
				latencies[n] = time.Since(due)
			}
		})
	}
	done.Wait()
	slices.Sort(latencies)
	return latencies, errors.Join(errs...)
}

// below returns the least latency that a part of all requests does not exceed. The latencies are in
// ascending order.
func below(latencies []time.Duration, part float64) time.Duration {
	n := max(0, min(len(latencies)-1, int(float64(len(latencies))*part+0.5)-1))
	return latencies[n].Round(time.Microsecond)
}
