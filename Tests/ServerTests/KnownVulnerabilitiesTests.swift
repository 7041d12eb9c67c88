import CWebSockets
import Foundation
import Testing

/// Tests of the list of known vulnerabilities of libwebsockets in Tests/Fixtures/cves.
///
/// Each entry names the code that avoids a vulnerability and the test that shows it.
@Suite struct KnownVulnerabilitiesTests {
  private struct List: Decodable {
    struct Entry: Decodable {
      enum State: String, Decodable {
        case there
        case notUsed = "not used"
        case notThere = "not there"
      }

      enum CodingKeys: String, CodingKey {
        case id, what, state, test
        case avoidedBy = "avoided by"
      }

      var id: String
      var what: String
      var state: State
      var avoidedBy: String
      var test: String
    }

    var entries: [Entry]
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  private func sources(_ folder: String) throws -> String {
    let place = Self.root.appending(path: folder)
    let files = try #require(FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil))
    var text = ""
    for case let file as URL in files where ["swift", "h"].contains(file.pathExtension) {
      text += try String(contentsOf: file, encoding: .utf8)
    }
    return text
  }

  @Test func `every known vulnerability names a mitigation and a test`() throws {
    let file = Self.root.appending(path: "Tests/Fixtures/cves/libwebsockets.json")
    let list = try JSONDecoder().decode(List.self, from: Data(contentsOf: file))
    #expect(list.entries.count >= 15)
    #expect(Set(list.entries.map(\.id)).count == list.entries.count)
    let tests = try sources("Tests/ServerTests")
    for entry in list.entries {
      #expect(!entry.what.isEmpty && !entry.avoidedBy.isEmpty, "\(entry.id)")
      #expect(tests.contains("@Test func `\(entry.test)`("), "\(entry.id): the test \(entry.test) is missing")
    }
  }

  /// The list applies to this version, and must be reviewed for another one.
  @Test func `the list applies to the linked libwebsockets version`() {
    #expect(String(cString: lws_get_library_version()).hasPrefix("4.1.6"))
  }

  @Test func `the sources call no unsafe libwebsockets functions`() throws {
    let code = try sources("Sources/Server") + sources("Sources/CWebSockets")
    for name in [
      "lws_hdr_custom", "lws_client_connect", "lws_async_dns", "lws_upng", "lws_dlo", "lejp_", "lecp_",
      "lws_serve_http_file",
      "lws_http_serve", "LWS_SERVER_OPTION_H2_PRIOR_KNOWLEDGE", "lws_extension_callback_pm_deflate",
      "STRICT_HOST_CHECK",
      "lws_http_mount", "lws_mqtt", "lws_spa_",
    ] { #expect(!code.contains(name), "\(name) is used") }
  }
}
