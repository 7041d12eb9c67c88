import CListPlugin
import ListEngine

/// Converts a shared library's declaration of deferred cells.
enum LoaderReader {
  /// The reason why a declaration is refused.
  struct Fault: Error {
    var reason: String
    init(_ reason: String) { self.reason = reason }
  }

  /// The deferred columns of a library, with its functions and its prefetch policy.
  struct Loader {
    var columns: Set<Int>
    var prefetch: PrefetchPolicy
    var load: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<list_place>?, UInt32) -> Void
    var cancel: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<list_place>?, UInt32) -> Void)?

    /// Marks the deferred columns in a schema; throws an error if one is missing.
    func mark(_ schema: inout Schema) throws(Fault) {
      for column in columns.sorted() {
        guard schema.columns.indices.contains(column) else {
          throw Fault("column \(column) is to be deferred, and there are \(schema.columns.count)")
        }
        schema.columns[column].isDeferred = true
      }
      schema.prefetch = prefetch
    }
  }

  /// The longest timeout of a load in milliseconds, as for programs.
  private static let greatestPatience: UInt32 = 3_600_000

  /// Reads version 1 of the extension.
  static func read(_ pointer: UnsafePointer<list_loader>?) throws(Fault) -> Loader {
    guard let pointer else { throw Fault("the loader is NULL") }
    let size = Int(pointer.pointer(to: \.size)!.pointee)
    guard size >= MemoryLayout<list_loader>.size else {
      throw Fault("list_loader.size is \(size), \(MemoryLayout<list_loader>.size) is needed")
    }
    let declared = pointer.pointee
    guard let load = declared.load else { throw Fault("list_loader.load is NULL") }
    let limit = Limits().columns
    guard (1...limit).contains(Int(declared.column_count)), let columns = declared.columns else {
      throw Fault("list_loader.columns must be 1 to \(limit) numbers of columns")
    }
    guard declared.in_flight <= PrefetchPolicy.greatestInFlight else {
      throw Fault("list_loader.in_flight must be at most \(PrefetchPolicy.greatestInFlight), not \(declared.in_flight)")
    }
    guard declared.patience_ms <= greatestPatience else {
      throw Fault("list_loader.patience_ms must be at most \(greatestPatience), not \(declared.patience_ms)")
    }
    var prefetch = PrefetchPolicy(prefersToFinish: declared.flags & LIST_LOADER_FINISHES.rawValue != 0)
    if declared.in_flight > 0 { prefetch.inFlight = Int(declared.in_flight) }
    if declared.patience_ms > 0 { prefetch.patience = .milliseconds(declared.patience_ms) }
    return Loader(
      columns: Set((0..<Int(declared.column_count)).map { Int(columns[$0]) }), prefetch: prefetch, load: load,
      cancel: declared.cancel)
  }
}
