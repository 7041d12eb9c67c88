import CListPlugin
import CSystem
import Glibc
import SourceRuntime
import Synchronization

/// A plugin's shared library, loaded for the lifetime of the process.
///
///     let library = try PluginLibrary(path: "/usr/lib/rowcast/libclock.so")
///     let source = PluginSource(library: library, name: "clock") { event in mailbox.put(event) }
///     try source.start()
///
/// A library is never unloaded, because the Swift runtime keeps pointers into every Swift library
/// that it has loaded.
package final class PluginLibrary: Sendable {
  /// The path from which the library was loaded.
  package let path: String
  /// The plugin's short name, such as `clock`.
  package let name: String
  /// A one-line title, or the name when the plugin has no title.
  package let title: String

  // Immutable and valid for the lifetime of the process, as the plugin contract requires.
  package nonisolated(unsafe) let plugin: UnsafePointer<list_plugin>
  /// The note to write when the plugin crashes; see ``CrashNotes``.
  package nonisolated(unsafe) let note: UnsafePointer<CChar>?

  /// Loads a library and checks that this host can run it as a plugin.
  ///
  /// Loading runs the library's own initializers. Only root and the current user may be able to
  /// change the file; see ``TrustedFile``.
  ///
  /// - Parameters:
  ///   - path: The absolute path of the library.
  ///   - sha256: The required SHA-256 of the file, or `nil` for any.
  ///   - isCopied: Whether to load a copy in memory. Needed for a file that changed after it was
  ///     loaded: the dynamic loader identifies files by device and inode and would return the old
  ///     library. The old library stays in memory.
  package convenience init(path: String, sha256: String? = nil, isCopied: Bool = false) throws(PluginError) {
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
    // Load exactly the file that was checked.
    let name = Self.loaderName(of: file)
    // `RTLD_NOW` reports a missing symbol here instead of crashing later. `RTLD_LOCAL` isolates
    // plugins from each other.
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

  /// Wraps a plugin that is linked into this program, for tests and benchmarks.
  ///
  /// The plugin must fulfill the same contract as a loaded one.
  ///
  /// - Parameters:
  ///   - path: The name used in error messages.
  ///   - plugin: The result of its entry function, valid for the lifetime of the process.
  package convenience init(path: String = "built in", plugin: UnsafePointer<list_plugin>) throws(PluginError) {
    try self.init(path: path, plugin: plugin, note: nil)
  }

  private init(
    path: String, plugin: UnsafePointer<list_plugin>, note: UnsafePointer<CChar>?
  ) throws(PluginError) {
    // Check the version, then the size. Nothing else may be read before both are valid.
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
  /// The loader returns the library that it already has when it meets a name again, and descriptor
  /// numbers are used again once they are closed. Each bit of a running number is a `/` or a `/.`
  /// in the path, which both lead to the same file.
  static func loaderName(of file: Int32) -> String {
    let number = nextName.wrappingAdd(1, ordering: .relaxed).oldValue
    let bits = (0..<UInt32.bitWidth).map { number >> $0 & 1 == 0 ? "/" : "/." }
    return "/proc/self/fd\(bits.joined())/\(file)"
  }

  /// Returns the version of another entry function that the library exports, for the error message.
  private static func otherVersion(in handle: UnsafeMutableRawPointer) -> UInt32? {
    (1...32).first { $0 != LIST_PLUGIN_VERSION && dlsym(handle, "list_plugin_entry_v\($0)") != nil }
  }
}
