import ListEngine
import Testing

@testable import Cluster

/// The URLs of NATS servers.
@Suite struct ClusterOptionsTests {
  @Test(arguments: [
    "nats://127.0.0.1:4222", "tls://nats.example.org", "nats://a:4222,b:4222,c:4222",
    "nats://user:secret@a:4222,nats://b:4222",
  ])
  func `a URL, or several with commas, are accepted`(_ text: String) { #expect(ClusterOptions.isURL(text)) }

  @Test(arguments: [
    "nats://", "http://a:4222", "nats://a:4222,", "nats://a:4222,,b:4222", "nats://a:4222,tls://b:4222",
    "nats://a:4222, b:4222", "a:4222", "nats://user@",
  ])
  func `other texts are refused`(_ text: String) { #expect(!ClusterOptions.isURL(text)) }

  @Test func `further servers have the scheme and the user of the first`() {
    #expect(
      ClusterOptions(url: "tls://u:p@a:4222,b:4223,tls://v:q@c:4224").servers
        == ["tls://u:p@a:4222", "tls://u:p@b:4223", "tls://v:q@c:4224"])
  }

  @Test func `messages name the servers without users`() {
    #expect(ClusterOptions(url: "nats://u:p@a:4222,b:4223").publicURL == "nats://a:4222,b:4223")
  }

  @Test func `pauses between attempts double up to ten times the first`() {
    var pause = RetryPause(.milliseconds(500))
    let pauses = (0..<6).map { _ in pause.next().nanoseconds / 1_000_000 }
    #expect(pauses == [500, 1_000, 2_000, 4_000, 5_000, 5_000])
    pause.reset()
    #expect(pause.next() == .milliseconds(500))
  }
}
