// One member of a goNELI group, as a peer for the benchmarks: it prints one JSON line per change, and obeys lines on its standard
// input: `cpu` prints the CPU time it has used, `close` leaves in order. At the input's end it exits, so that it dies with whoever
// started it.
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
	"sync"
	"syscall"
	"time"

	"github.com/obsidiandynamics/goneli"
	"github.com/obsidiandynamics/libstdgo/scribe"
)

var lines sync.Mutex

// The same clock as everyone else's on this host, so that instants of several processes compare.
func nowNs() string {
	var now C.struct_timespec
	C.clock_gettime(C.CLOCK_MONOTONIC, &now)
	return strconv.FormatInt(int64(now.tv_sec)*1e9+int64(now.tv_nsec), 10)
}

func say(line map[string]any) {
	lines.Lock()
	defer lines.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		os.Exit(0) // nobody listens any more
	}
}

func sayNow(kind string) {
	say(map[string]any{"kind": kind, "atNs": nowNs()})
}

func tell(event goneli.Event) {
	switch event.(type) {
	case goneli.LeaderAcquired:
		sayNow("leading")
	case goneli.LeaderRevoked:
		sayNow("revoked")
	case goneli.LeaderFenced:
		sayNow("fenced")
	}
}

func obey(neli goneli.Neli) {
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		switch input.Text() {
		case "cpu":
			say(map[string]any{"kind": "cpu", "ms": cpuMs()})
		case "close":
			sayNow("closing")
			go leave(neli) // which may take long: the input's end must not be missed
		}
	}
}

func leave(neli goneli.Neli) {
	if err := neli.Close(); err != nil {
		log.Fatal(err)
	}
	sayNow("closed")
	os.Exit(0)
}

// Of all threads of this process, so far.
func cpuMs() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

func main() {
	brokers := flag.String("brokers", "", "host:port, and more of them after commas")
	group := flag.String("group", "", "the consumer group")
	topic := flag.String("topic", "", "the topic: its partition 0 is what is led")
	name := flag.String("name", "", "the member's name")
	session := flag.Duration("session", 15*time.Second, "session.timeout.ms: goNELI makes it three heartbeat timeouts")
	beat := flag.Duration("beat", 3*time.Second, "heartbeat.interval.ms: how often the coordinator hears of the member")
	flag.Parse()

	neli, err := goneli.New(goneli.Config{
		KafkaConfig: goneli.KafkaConfigMap{
			"bootstrap.servers":     *brokers,
			"heartbeat.interval.ms": int(beat.Milliseconds()),
			"log_level":             3, // errors: the producer warns of what is meant for the consumer
		},
		LeaderGroupID:    *group,
		LeaderTopic:      *topic,
		Name:             *name,
		HeartbeatTimeout: goneli.Duration(*session / 3),
		Scribe:           scribe.New(scribe.LoggerFactories{scribe.All: scribe.Fac(scribe.Nop)}),
	}, tell)
	if err != nil {
		log.Fatal(err)
	}
	// A leader with nothing to do: it sleeps until goNELI wants to poll.
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
	sayNow("ready")
	obey(neli)
}
