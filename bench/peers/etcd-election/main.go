// A member of an election of etcd itself (client v3, package concurrency), with which the benchmarks compare. It writes one
// JSON line per change to its standard output and reads commands of the testkit from its standard input: `resign` gives up leadership, and
// the member stands again after a pause. It exits when its input ends, so that it never outlives the process that started it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"golang.org/x/sys/unix"
)

var lines sync.Mutex

// nowNs reads the host's monotonic clock, so that instants of several processes can be compared.
func nowNs() string {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		log.Fatal(err)
	}
	return strconv.FormatInt(now.Nano(), 10)
}

func write(member, kind string) {
	lines.Lock()
	defer lines.Unlock()
	line := map[string]any{"kind": kind, "member": member, "partition": 0, "atNs": nowNs()}
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		os.Exit(0) // the benchmark has closed the pipe
	}
}

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
	resigns := make(chan struct{}, 1)
	go func() {
		input := bufio.NewScanner(os.Stdin)
		for input.Scan() {
			if strings.Contains(input.Text(), `"resign"`) {
				resigns <- struct{}{}
			}
		}
		os.Exit(0)
	}()
	go func() {
		<-session.Done()
		write(*name, "fenced")
		os.Exit(0)
	}()
	write(*name, "ready")
	for {
		if err := election.Campaign(context.Background(), *name); err != nil {
			log.Fatal(err)
		}
		write(*name, "acquired")
		<-resigns
		write(*name, "resigning")
		if err := election.Resign(context.Background()); err != nil {
			log.Fatal(err)
		}
		write(*name, "released")
		time.Sleep(*rest)
	}
}
