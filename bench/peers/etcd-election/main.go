// A member of an election of etcd itself (client v3, package concurrency), with which the benchmarks compare. It writes one
// JSON line per change to its standard output and reads commands of the testkit from its standard input: `resign` gives up leadership, and
// the member stands again after a pause. It exits when its input ends, so that it never outlives the process that started it.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"leadership.test/events"
)

func main() {
	endpoints := flag.String("endpoints", "", "comma-separated list of host:port")
	prefix := flag.String("prefix", "", "the prefix of the election")
	name := flag.String("name", "", "the value of this member")
	ttl := flag.Int("ttl", 2, "the TTL of the session's lease, in seconds")
	rest := flag.Duration("rest", 2*time.Second, "how long a member that has resigned does not stand")
	flag.Parse()

	client, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(*endpoints, ","), DialTimeout: 10 * time.Second})
	if err != nil {
		log.Fatal(err)
	}
	session, err := concurrency.NewSession(client, concurrency.WithTTL(*ttl))
	if err != nil {
		log.Fatal(err)
	}
	election := concurrency.NewElection(session, *prefix)
	resigns := events.Resigns()
	go func() {
		<-session.Done()
		events.Write(*name, "fenced")
		os.Exit(0)
	}()
	events.Write(*name, "ready")
	for {
		if err := election.Campaign(context.Background(), *name); err != nil {
			log.Fatal(err)
		}
		events.Write(*name, "acquired")
		<-resigns
		events.Write(*name, "resigning")
		if err := election.Resign(context.Background()); err != nil {
			log.Fatal(err)
		}
		events.Write(*name, "released")
		time.Sleep(*rest)
	}
}
