// Command inspect moves the objects of a server from a file of package store/file to etcd, or back,
// while no server runs on either:
//
//	go run github.com/askind/askind/store/etcd/inspect -etcd http://127.0.0.1:2379 -prefix /garage/ from-file garage.db
//	go run github.com/askind/askind/store/etcd/inspect -etcd http://127.0.0.1:2379 -prefix /garage/ to-file garage.db
//
// It knows no kinds, so it works for any program. Objects that the destination has already are
// counted and left as they are, so it can be run again after an interruption. Objects get new
// resource versions, so clients list again. Without a command it counts what is in etcd.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
	"github.com/askind/askind/store/file"
)

const usage = `usage: inspect [flags] [command file]

The commands are
  from-file  copy the objects of a file to etcd
  to-file    copy the objects in etcd to a file
Without a command, the number of objects in etcd is printed.

The flags are
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "inspect:", err)
		os.Exit(1)
	}
}

// errUsage reports wrong arguments.
var errUsage = errors.New("expected no arguments, or from-file or to-file and a file; see -help")

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("inspect", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprint(out, usage)
		flags.PrintDefaults()
	}
	urls := flags.String("etcd", "http://127.0.0.1:2379", "`URLs` of the members of etcd, separated by commas")
	c := etcd.Config{Compaction: etcd.Compaction{External: true}}
	flags.StringVar(&c.Prefix, "prefix", "/askind/", "`prefix` of the keys of the server")
	flags.StringVar(&c.Username, "user", "", "`name` for etcd; the password is in the variable ETCD_PASSWORD")
	authority := flags.String("ca", "", "`file` with the certificate authority of etcd")
	certificate := flags.String("cert", "", "`file` with the client certificate")
	key := flags.String("key", "", "`file` with the key of the client certificate")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	args = flags.Args()
	if len(args) != 0 && (len(args) != 2 || args[0] != "from-file" && args[0] != "to-file") {
		return errUsage
	}
	c.Endpoints = strings.Split(*urls, ",")
	if c.Username != "" {
		c.Password = os.Getenv("ETCD_PASSWORD")
	}
	var err error
	if c.TLS, err = secure(*authority, *certificate, *key); err != nil {
		return err
	}
	cluster, err := etcd.Dial(c)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		err = count(ctx, cluster, out)
	} else {
		err = move(ctx, cluster, args[0] == "from-file", args[1], out)
	}
	return errors.Join(err, cluster.Close())
}

// secure returns the settings of TLS that the files say, nil for none.
func secure(authority, certificate, key string) (*tls.Config, error) {
	if authority == "" && certificate == "" {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != "" {
		text, err := os.ReadFile(authority)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate in PEM", authority)
		}
	}
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

func count(ctx context.Context, cluster *etcd.Engine, out io.Writer) error {
	n, revision, err := cluster.Count(ctx, "")
	if err == nil {
		fmt.Fprintf(out, "%d objects at revision %d\n", n, revision)
	}
	return err
}

// move copies from a file to etcd, or the other way. A file to read must exist.
func move(ctx context.Context, cluster *etcd.Engine, fromFile bool, path string, out io.Writer) error {
	var options []file.Option
	if fromFile {
		options = append(options, file.ReadOnly())
	}
	db, err := file.Open(path, options...)
	if err != nil {
		return err
	}
	var from, to store.Engine = cluster, db
	if fromFile {
		from, to = db, cluster
	}
	report, err := store.Copy(ctx, to, from)
	fmt.Fprintf(out, "%d objects were copied, %d were there already\n", report.Copied, report.Taken)
	return errors.Join(err, db.Close())
}
