// A member of an election of client-go (package leaderelection, on a Lease), with which the benchmarks compare. It writes one
// JSON line per change to its standard output and reads commands of the testkit from its standard input: `resign` gives up leadership, and
// the member stands again after a pause. It exits when its input ends, so that it never outlives the process that started it.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"leadership.test/events"
)

func main() {
	server := flag.String("server", "", "the URL of the API server")
	ca := flag.String("ca", "", "the file of the issuer of its certificate")
	token := flag.String("token", "", "the bearer token")
	namespace := flag.String("namespace", "default", "the namespace of the Lease")
	lease := flag.String("lease", "", "the name of the Lease")
	name := flag.String("name", "", "the identity of this member")
	duration := flag.Duration("duration", 15*time.Second, "the duration of the lease, in whole seconds")
	abstains := flag.Duration("rest", 30*time.Second, "how long a member that has resigned does not stand")
	flag.Parse()

	client, err := kubernetes.NewForConfig(&rest.Config{
		Host:            *server,
		BearerToken:     *token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: *ca},
		QPS:             -1, // by default at most 5 requests a second, which is less than short leases need
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Discovery().ServerVersion(); err != nil {
		log.Fatal(err)
	}
	resigns := events.Resigns()
	events.Write(*name, "ready")
	for {
		ctx, cancel := context.WithCancel(context.Background())
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Name: *lease, Namespace: *namespace},
				Client:     client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: *name},
			},
			// The defaults are 15, 10 and 2 seconds.
			LeaseDuration:   *duration,
			RenewDeadline:   *duration * 10 / 15,
			RetryPeriod:     *duration * 2 / 15,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { events.Write(*name, "acquired") },
				OnStoppedLeading: func() {},
			},
		})
		if err != nil {
			log.Fatal(err)
		}
		resigned := make(chan struct{})
		go func() {
			select {
			case <-resigns:
				events.Write(*name, "resigning")
				close(resigned)
				cancel()
			case <-ctx.Done():
			}
		}()
		elector.Run(ctx)
		cancel()
		select {
		case <-resigned:
			events.Write(*name, "released")
			time.Sleep(*abstains)
		default:
			events.Write(*name, "fenced")
			os.Exit(0)
		}
	}
}
