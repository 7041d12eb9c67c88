import CChildProcess
import CCrashNote
import CListPlugin
import Glibc
import Synchronization

/// A plugin's shared library, loaded for as long as the process lives.
///
///     let library = try PluginLibrary(path: "/usr/lib/rowcast/libclock.so")
///     let source = PluginSource(library: library, name: "clock") { event in mailbox.put(event) }
///     try source.start()
///
/// It is never unloaded: the Swift runtime keeps pointers into every Swift library that it has seen.
public final class PluginLibrary: Sendable {
  /// Where it was loaded from.
  public let path: String
  /// The plugin's short name, such as `clock`.
  public let name: String
  /// One line for people; the name when the plugin has none.
  public let title: String

  // Immutable from here on, and valid as long as the process lives: the contract says so.
  nonisolated(unsafe) let plugin: UnsafePointer<list_plugin>
  /// What is written down when it crashes; see ``CrashNotes``.
  nonisolated(unsafe) let note: UnsafePointer<CChar>?

  /// Loads a library and checks that it is a plugin that this host can run. Runs the library's own initializers.
  ///
  /// It comes from a place where nobody but root and we can have put it; see ``TrustedFile``.
  ///
  /// - Parameters:
  ///   - sha256: What the file's SHA-256 must be; `nil` for any.
  ///   - isCopied: Loads a copy in memory. For a file that was loaded before and has changed since: the loader knows a file by its place on
  ///     the disk, and would take it for the one that it has. What was loaded before stays in memory.
  public convenience init(path: String, sha256: String? = nil, isCopied: Bool = false) throws(PluginError) {
    var file = try TrustedFile.open(path).file
    defer { close(file) }
    let note = try CrashNotes.admit(path, file)
    if isCopied {
      // A name of up to 249 bytes, which debuggers and /proc show.
      let copy = child_copy_file(file, path.split(separator: "/").last.map { String($0.prefix(60)) } ?? "plugin")
      guard copy >= 0 else { throw .notALibrary(path, reason: String(cString: strerror(errno))) }
      close(file)
      file = copy
    }
    if let sha256 { try FileDigest.check(file, path, is: sha256) }
    // The descriptor that was checked is the one that is loaded.
    let name = Self.loaderName(of: file)
    // RTLD_NOW: a missing symbol is an error here instead of a crash later. RTLD_LOCAL: plugins do not see each other's symbols.
    guard let handle = CrashNotes.inside(note, { dlopen(name, RTLD_NOW | RTLD_LOCAL) }) else {
      let reason = dlerror().map { String(cString: $0).replacing(name, with: path) } ?? "no reason given"
      throw .notALibrary(path, reason: reason)
    }
    guard let symbol = dlsym(handle, LIST_PLUGIN_ENTRY) else {
      if let other = Self.otherVersion(in: handle) {
        throw .wrongVersion(path, found: other, wanted: LIST_PLUGIN_VERSION)
      }
      throw .noEntryPoint(path)
    }
    let entry = unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<list_plugin>?).self)
    if let note { crash_note_library(UnsafeRawPointer(symbol), note) }
    guard let plugin = CrashNotes.inside(note, { entry() }) else { throw .emptyEntry(path) }

    try self.init(path: path, plugin: plugin, note: note)
  }

  /// A plugin that is linked into this program, such as a test's or a benchmark's; it keeps to the same contract.
  ///
  /// - Parameters:
  ///   - path: What errors call it.
  ///   - plugin: What its entry function gave. It is valid as long as the process lives.
  public convenience init(path: String = "built in", plugin: UnsafePointer<list_plugin>) throws(PluginError) {
    try self.init(path: path, plugin: plugin, note: nil)
  }

  private init(
    path: String, plugin: UnsafePointer<list_plugin>, note: UnsafePointer<CChar>?
  ) throws(PluginError) {
    // The version first, then the size: nothing else may be read before both are known to be right.
    let version = plugin.pointer(to: \.version)!.pointee
    guard version == LIST_PLUGIN_VERSION else {
      throw .wrongVersion(path, found: version, wanted: LIST_PLUGIN_VERSION)
    }
    let size = Int(plugin.pointer(to: \.size)!.pointee)
    guard size >= MemoryLayout<list_plugin>.size else {
      throw .wrongSize(path, found: size, wanted: MemoryLayout<list_plugin>.size)
    }
    guard let name = ForeignText.name(plugin.pointee.name) else { throw .badName(path) }
    if plugin.pointee.create == nil { throw .missingFunction(path, name: "create") }
    if plugin.pointee.run == nil { throw .missingFunction(path, name: "run") }
    if plugin.pointee.destroy == nil { throw .missingFunction(path, name: "destroy") }

    self.path = path
    self.name = name
    let title = ForeignText.message(plugin.pointee.title)
    self.title = title.isEmpty ? name : title
    self.plugin = plugin
    self.note = note
  }

  /// The number of the next name for the loader.
  private static let nextName = Atomic<UInt32>(0)

  /// A path to an open file that no other library was loaded by.
  ///
  /// The loader returns the library that it already has when it meets a name again, and descriptor numbers are used again once they are
  /// closed. Each bit of a running number is a `/` or a `/.` in the path, which both lead to the same file.
  static func loaderName(of file: Int32) -> String {
    let number = nextName.wrappingAdd(1, ordering: .relaxed).oldValue
    let bits = (0..<UInt32.bitWidth).map { number >> $0 & 1 == 0 ? "/" : "/." }
    return "/proc/self/fd\(bits.joined())/\(file)"
  }

  /// The version of an entry function that is there instead of ours, so that the error can name it.
  private static func otherVersion(in handle: UnsafeMutableRawPointer) -> UInt32? {
    (1...32).first { $0 != LIST_PLUGIN_VERSION && dlsym(handle, "list_plugin_entry_v\($0)") != nil }
  }
}
