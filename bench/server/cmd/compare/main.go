// Compare measures package store beside the storage of k8s.io/apiserver with its cacher and an
// etcd, on the same machines, and prints tables in Markdown.
//
//	go run ./cmd/compare -quick
//	go run ./cmd/compare > storage.md
//
// The sides are processes of their own and answer the same requests; what they answer is compared
// before anything is measured. CPU is the processor time of all processes of a side, etcd included,
// for each operation; time is that on a clock. Both are medians of the rounds; ratios are those
// within a round, with the least and the greatest. Progress goes to the standard error.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"time"

	"github.com/askind/askind/bench/server/internal/compare"
)

func main() {
	child, err := compare.Child()
	if !child {
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run() error {
	quick := flag.Bool("quick", false, "take about two minutes: short samples, fewer objects")
	filter := flag.String("filter", "", "measure only groups whose title matches the regular `expression`")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	c := compare.Config{Rounds: 5, Sample: time.Second, Divisor: 1, Million: true, Progress: os.Stderr}
	if *quick {
		c.Rounds, c.Sample, c.Divisor, c.Million = 3, 200*time.Millisecond, 10, false
	}
	var err error
	if c.Filter, err = regexp.Compile(*filter); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return compare.Run(ctx, c, func(r compare.Result) error { return compare.Write(os.Stdout, r) })
}
