import CSystem
import Glibc

/// The SHA-256 of a file, for operators who pin the exact file that may run.
package enum FileDigest {
  /// Returns whether the text has the form of a SHA-256: 64 hexadecimal digits.
  package static func isOne(_ text: String) -> Bool { text.utf8.count == 64 && text.allSatisfy(\.isHexDigit) }

  /// Returns the digest of an open file, or `nil` on a read error.
  package static func of(_ file: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(DIGEST_BYTES))
    guard digest_file(file, &bytes) == 0 else { return nil }
    return bytes.map { byte in
      let text = String(byte, radix: 16)
      return byte < 16 ? "0" + text : text
    }.joined()
  }

  /// Throws an error unless the open file has the expected digest.
  package static func check(_ file: Int32, _ path: String, is wanted: String) throws(PluginError) {
    guard let found = of(file) else { throw .missingFile(path) }
    guard found == wanted.lowercased() else { throw .otherDigest(path, found: found, wanted: wanted.lowercased()) }
  }
}
