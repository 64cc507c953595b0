// A member of an election of Apache Curator (LeaderLatch on ZooKeeper), with which the benchmarks
// compare. It writes one JSON line per change to its standard output, and exits when its standard
// input ends, so that it never outlives the process that started it.
// Arguments: the servers, the path of the election, the name of the member, the session timeout.
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.retry.ExponentialBackoffRetry;

public final class CuratorMember {
  private static synchronized void write(String member, String kind) {
    // On Linux, nanoTime is the host's monotonic clock, so instants of several processes compare.
    System.out.printf(
        "{\"kind\":\"%s\",\"member\":\"%s\",\"partition\":0,\"atNs\":\"%d\"}%n",
        kind, member, System.nanoTime());
  }

  public static void main(String[] args) throws Exception {
    int sessionMs = Integer.parseInt(args[3]);
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(
            args[0], sessionMs, sessionMs / 2, new ExponentialBackoffRetry(100, 10));
    client.start();
    client.blockUntilConnected();
    LeaderLatch latch = new LeaderLatch(client, args[1], args[2]);
    latch.addListener(
        new LeaderLatchListener() {
          @Override
          public void isLeader() {
            write(args[2], "acquired");
          }

          @Override
          public void notLeader() {
            write(args[2], "released");
          }
        });
    latch.start();
    write(args[2], "ready");
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
