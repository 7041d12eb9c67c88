import ArgumentParser
import Server

/// Repeatedly compares a secret with one that differs in a byte; `Tests/Long/timing` counts the
/// instructions.
struct CompareSecrets: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "compare-secrets", shouldDisplay: false)

  @Option(help: "The byte that differs; 32 for none.") var at: Int

  func run() throws {
    let secret = (0..<32).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
    var other = secret
    if at < 32 { other[at] ^= 0x55 }
    var equal = 0
    for _ in 0..<1_000 where Cryptography.areEqual(secret, other) { equal += 1 }
    print(equal)
  }
}
