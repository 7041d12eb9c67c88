import Glibc

/// The files of the page by URL path, read once at the start.
///
/// Requests never access the file system, so a path cannot escape the folder. Symbolic links,
/// hidden files, unknown extensions and unusual names are skipped.
///
/// Each file has a second URL, `/r/REVISION/PATH`, that browsers may cache permanently. The
/// revision changes whenever any file changes. `index.html` refers to files by these URLs, so a
/// returning browser only requests `index.html`.
public struct PageFiles: Sendable {
  /// The reason why a folder cannot be served.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path is missing or not a directory.
    case noFolder(String)
    /// The folder has no `index.html`.
    case noIndex(String)
    /// The folder exceeds the size limits.
    case tooLarge(String)

    /// A description of the error for operators.
    public var description: String {
      switch self {
      case .noFolder(let path): "missing web folder: \(path)"
      case .noIndex(let path): "the web folder \(path) has no index.html"
      case .tooLarge(let path): "the web folder \(path) holds more than 32 MiB or 1,000 files"
      }
    }
  }

  private static let contentTypes = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    "map": "application/json", "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon", "woff2": "font/woff2",
  ]
  private static let greatestByteCount = 32 << 20
  private static let greatestFileCount = 1_000
  private static let greatestDepth = 8

  private var files: [String: PageFile] = [:]
  private var byteCount = 0
  /// The hash of all files' paths and contents.
  private(set) var revision = ""

  /// The page that is served if none is installed, with a hint how to install it.
  public static var placeholder: PageFiles {
    let html = """
      <!doctype html><html lang="en"><meta charset="utf-8"><title>Rowcast</title>
      <p>Rowcast is running, but its page is not installed. Start it with <code>--web FOLDER</code>.</p></html>
      """
    var files = PageFiles()
    files.files["/index.html"] = PageFile(contentType: contentTypes["html"]!, bytes: Array(html.utf8))
    return files
  }

  private init() {}

  /// Reads all files of a folder.
  public init(folder: String) throws(Failure) {
    guard let real = realpath(folder, nil) else { throw .noFolder(folder) }
    defer { free(real) }
    let root = String(cString: real)
    guard let entries = Self.entries(of: root) else { throw .noFolder(folder) }
    try read(entries, of: root, as: "", depth: 0)
    guard let index = files["/index.html"] else { throw .noIndex(folder) }
    let tags = paths.map { "\($0) \(files[$0]!.tag)" }.joined(separator: "\n")
    revision = String(PageFile.hash(Array(tags.utf8)), radix: 16)
    files["/index.html"] = PageFile(contentType: index.contentType, bytes: namingRevisions(index.bytes))
  }

  /// Returns the file at this path; `/` stands for `/index.html`.
  ///
  /// A URL with another revision returns the current file, not to be cached. A page loaded before a
  /// restart therefore still finds the files that it loads later.
  func file(at path: String) -> PageFile? {
    if let file = files[path == "/" ? "/index.html" : path] { return file }
    let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
    guard parts.count == 3, parts[0] == "r", path == "/r/\(parts[1])/\(parts[2])", Self.isRevision(parts[1]),
      parts[2] != "index.html", var file = files["/\(parts[2])"]
    else { return nil }
    file.isLasting = parts[1] == revision
    return file
  }

  private static func isRevision(_ text: Substring) -> Bool {
    text.utf8.count <= 16 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Returns the HTML with every `src` and `href` of a served file replaced by its URL with the
  /// revision.
  private func namingRevisions(_ html: [UInt8]) -> [UInt8] {
    var parts = String(decoding: html, as: UTF8.self).split(separator: "\"", omittingEmptySubsequences: false)
    for at in parts.indices.dropFirst() where parts[at - 1].hasSuffix(" src=") || parts[at - 1].hasSuffix(" href=") {
      guard files["/\(parts[at])"] != nil else { continue }
      parts[at] = "/r/\(revision)/\(parts[at])"
    }
    return Array(parts.joined(separator: "\"").utf8)
  }

  /// The paths of all files in sorted order.
  var paths: [String] { files.keys.sorted() }

  private mutating func read(_ names: [String], of folder: String, as prefix: String, depth: Int) throws(Failure) {
    for name in names where Self.isPlain(name) {
      let path = "\(folder)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        guard depth < Self.greatestDepth, let entries = Self.entries(of: path) else { continue }
        try read(entries, of: path, as: "\(prefix)/\(name)", depth: depth + 1)
      case S_IFREG:
        let suffix = name.split(separator: ".").last.map(String.init) ?? ""
        guard let contentType = Self.contentTypes[suffix] else { continue }
        guard files.count < Self.greatestFileCount, byteCount + Int(status.st_size) <= Self.greatestByteCount else {
          throw .tooLarge(folder)
        }
        guard let bytes = Self.bytes(of: path, count: Int(status.st_size)) else { continue }
        byteCount += bytes.count
        files["\(prefix)/\(name)"] = PageFile(contentType: contentType, bytes: bytes)
      default: continue
      }
    }
  }

  private static func isPlain(_ name: String) -> Bool {
    name.first != "."
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  private static func entries(of folder: String) -> [String]? {
    guard let directory = opendir(folder) else { return nil }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { names.append(String(cString: $0)) }
      }
    }
    return names.sorted()
  }

  private static func bytes(of path: String, count: Int) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return [UInt8](unsafeUninitializedCapacity: max(count, 1)) { buffer, filled in
      while filled < count {
        let got = Glibc.read(file, buffer.baseAddress! + filled, count - filled)
        guard got > 0 else { break }
        filled += got
      }
    }
  }
}
