import Foundation
import ListEngine
import Testing
import Wire

/// Reads the golden messages that the page's tests read too.
///
/// A file is either one message, a list of messages, or an object whose lists and objects hold them: whatever has a member
/// `"type"` that names a client message must decode, and whatever names a server message must have the members that
/// docs/protocol.md promises.
@Suite struct FixtureTests {
  private static let clientTypes: Set = ["open", "query", "viewport", "ack", "resync", "pace", "visibility"]
  private static let promised: [String: Set<String>] = [
    "window": ["epoch", "seq", "request", "interval", "start", "total", "rows", "items", "lead", "digest"],
    "patch": [
      "epoch", "seq", "request", "interval", "base", "start", "total", "rows", "before", "after", "lead", "digest",
    ],
    "tables": ["tables"], "status": ["table", "source"], "error": ["code", "reason"],
  ]

  static let files: [URL] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/wire").standardized
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
  }()

  @Test(arguments: files) func aGoldenFileIsUnderstood(_ file: URL) throws {
    let value = try JSONSerialization.jsonObject(with: Data(contentsOf: file), options: .fragmentsAllowed)
    try check(value, mayBeWrong: false, file.lastPathComponent)
  }

  private func check(_ value: Any, mayBeWrong: Bool, _ place: String) throws {
    if let list = value as? [Any] {
      for (index, element) in list.enumerated() {
        try check(element, mayBeWrong: mayBeWrong, "\(place)[\(index)]")
      }
    }
    guard let object = value as? [String: Any] else { return }
    if let type = object["type"] as? String, Self.columnTypes.isDisjoint(with: [type]) {
      try checkMessage(object, type, mayBeWrong, place)
      return
    }
    // A file may hold bad messages on purpose; then it says so next to them.
    let isWrong = mayBeWrong || object["error"] != nil || object["invalid"] != nil || object["problem"] != nil
    for (name, element) in object {
      try check(element, mayBeWrong: isWrong || name == "invalid", "\(place).\(name)")
    }
  }

  private static let columnTypes = Set(ColumnType.allCases.map(\.rawValue))

  private func checkMessage(_ object: [String: Any], _ type: String, _ mayBeWrong: Bool, _ place: String) throws {
    guard !mayBeWrong else { return }
    let isFromClient = Self.clientTypes.contains(type) || (type == "hello" && object["server"] == nil)
    if isFromClient {
      let bytes = try JSONSerialization.data(withJSONObject: object)
      #expect(throws: Never.self, "\(place)") { try ClientMessage(decoding: Array(bytes)) }
    } else if let promised = Self.promised[type] {
      #expect(promised.subtracting(object.keys).isEmpty, "\(place) lacks \(promised.subtracting(object.keys))")
    }
  }
}
