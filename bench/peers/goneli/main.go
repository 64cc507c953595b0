// A member of a goNELI group, with which the benchmarks compare. It writes one JSON line per change to its standard output and
// reads commands of the testkit from its standard input: `cpu` prints the CPU time that it has used, `close` closes the member in order. It
// exits when its input ends, so that it never outlives the process that started it.
package main

// #include <time.h>
import "C"

import (
	"bufio"
	"encoding/json"
	"flag"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/obsidiandynamics/goneli"
	"github.com/obsidiandynamics/libstdgo/scribe"
)

var lines sync.Mutex

// member is the name of this member.
var member string

// nowNs reads the host's monotonic clock, so that instants of several processes can be compared.
func nowNs() string {
	var now C.struct_timespec
	C.clock_gettime(C.CLOCK_MONOTONIC, &now)
	return strconv.FormatInt(int64(now.tv_sec)*1e9+int64(now.tv_nsec), 10)
}

func write(kind, detail string) {
	lines.Lock()
	defer lines.Unlock()
	line := map[string]any{"kind": kind, "member": member, "partition": 0, "atNs": nowNs(), "detail": detail}
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		os.Exit(0) // the benchmark has closed the pipe
	}
}

func writeNow(kind string) {
	write(kind, "")
}

func report(event goneli.Event) {
	switch event.(type) {
	case goneli.LeaderAcquired:
		writeNow("acquired")
	case goneli.LeaderRevoked:
		writeNow("released")
	case goneli.LeaderFenced:
		writeNow("fenced")
	}
}

func execute(neli goneli.Neli) {
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		switch {
		case strings.Contains(input.Text(), `"cpu"`):
			write("cpu", strconv.FormatFloat(cpuMs(), 'f', 3, 64))
		case strings.Contains(input.Text(), `"close"`):
			writeNow("resigning")
			go leave(neli) // this may take long, and the end of the input must still be noticed
		}
	}
}

func leave(neli goneli.Neli) {
	if err := neli.Close(); err != nil {
		log.Fatal(err)
	}
	writeNow("closed")
	os.Exit(0)
}

// cpuMs returns the CPU time that all threads of this process have used so far.
func cpuMs() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

func main() {
	brokers := flag.String("brokers", "", "comma-separated list of host:port")
	group := flag.String("group", "", "the consumer group")
	topic := flag.String("topic", "", "the topic whose partition 0 the members elect a leader for")
	name := flag.String("name", "", "the member's name")
	session := flag.Duration("session", 15*time.Second, "session.timeout.ms, three times goNELI's heartbeat timeout")
	beat := flag.Duration("beat", 3*time.Second, "heartbeat.interval.ms, the interval of heartbeats to the coordinator")
	flag.Parse()
	member = *name

	neli, err := goneli.New(goneli.Config{
		KafkaConfig: goneli.KafkaConfigMap{
			"bootstrap.servers":     *brokers,
			"heartbeat.interval.ms": int(beat.Milliseconds()),
			"log_level":             3, // errors only: the producer warns about settings of the consumer
		},
		LeaderGroupID:    *group,
		LeaderTopic:      *topic,
		Name:             *name,
		HeartbeatTimeout: goneli.Duration(*session / 3),
		Scribe:           scribe.New(scribe.LoggerFactories{scribe.All: scribe.Fac(scribe.Nop)}),
	}, report)
	if err != nil {
		log.Fatal(err)
	}
	// An idle leader sleeps until goNELI's next poll.
	idle := func() { time.Sleep(neli.Deadline().Remaining()) }
	pulser, err := neli.Background(idle)
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		if err := pulser.Await(); err != nil {
			log.Fatal(err)
		}
	}()
	writeNow("ready")
	execute(neli)
}
