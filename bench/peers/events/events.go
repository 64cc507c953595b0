// Package events is how a member that a benchmark compares with speaks to it: it writes one JSON line per change to its standard
// output, and reads commands of the testkit from its standard input.
package events

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"

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

// Write writes an event of this member. The process exits if the benchmark has closed the pipe.
func Write(member, kind string) {
	lines.Lock()
	defer lines.Unlock()
	line := map[string]any{"kind": kind, "member": member, "partition": 0, "atNs": nowNs()}
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		os.Exit(0)
	}
}

// Resigns returns a channel that receives each command to resign. The process exits when its input ends, so that it never outlives
// the process that started it.
func Resigns() <-chan struct{} {
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
	return resigns
}
