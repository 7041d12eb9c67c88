import CDigest
import Glibc

/// The SHA-256 of a file, which an operator may have written down: then nothing else is run.
public enum FileDigest {
  /// Whether this can be one: 64 hexadecimal digits.
  public static func isOne(_ text: String) -> Bool { text.utf8.count == 64 && text.allSatisfy(\.isHexDigit) }

  /// That of an open file; `nil` when it cannot be read.
  static func of(_ file: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 32)
    guard digest_file(file, &bytes) == 0 else { return nil }
    return bytes.map { byte in
      let text = String(byte, radix: 16)
      return byte < 16 ? "0" + text : text
    }.joined()
  }

  /// Checks that an open file is the one that is wanted.
  static func check(_ file: Int32, _ path: String, is wanted: String) throws(PluginError) {
    guard let found = of(file) else { throw .missingFile(path) }
    guard found == wanted.lowercased() else { throw .otherDigest(path, found: found, wanted: wanted.lowercased()) }
  }
}
