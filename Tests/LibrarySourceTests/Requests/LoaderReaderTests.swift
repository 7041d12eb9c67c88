import CListPlugin
import ListEngine
import SourceTesting
import Testing

@testable import LibrarySource

/// Declarations of deferred cells by shared libraries.
@Suite struct LoaderReaderTests {
  private func read(
    columns: [UInt32] = [1], _ change: (inout list_loader) -> Void = { _ in }
  ) -> (schema: Schema?, reason: String) {
    columns.withUnsafeBufferPointer { buffer in
      var loader = list_loader()
      loader.size = UInt32(MemoryLayout<list_loader>.size)
      loader.columns = buffer.baseAddress
      loader.column_count = UInt32(buffer.count)
      loader.load = { _, _, _ in }
      change(&loader)
      var schema = Schema(name: "t", key: .integer, columns: [Column("a", .text), Column("b", .number)])
      do throws(LoaderReader.Fault) {
        try LoaderReader.read(&loader).mark(&schema)
        return (schema, "")
      } catch {
        return (nil, error.reason)
      }
    }
  }

  @Test func `marks the loader's columns as deferred, refuses invalid ones`() {
    #expect(read().schema?.columns.map(\.isDeferred) == [false, true])
    #expect(read(columns: [0, 1, 1]).schema?.columns.map(\.isDeferred) == [true, true])
    #expect(read(columns: [2]).reason == "column 2 is to be deferred, and there are 2")
    #expect(read(columns: []).reason == "list_loader.columns must be 1 to 512 numbers of columns")
    #expect(read { $0.columns = nil }.reason == "list_loader.columns must be 1 to 512 numbers of columns")
  }

  @Test func `reads the prefetch policy, or its defaults`() {
    #expect(read().schema?.prefetch == PrefetchPolicy())
    #expect(
      read {
        $0.flags = LIST_LOADER_FINISHES.rawValue
        $0.in_flight = 3
        $0.patience_ms = 1_500
      }.schema?.prefetch == PrefetchPolicy(inFlight: 3, prefersToFinish: true, patience: .milliseconds(1_500)))
  }

  @Test func `refuses excessive limits, a short struct and a NULL function`() {
    #expect(read { $0.in_flight = 1_024 }.schema?.prefetch.inFlight == 1_024)
    #expect(read { $0.in_flight = 1_025 }.reason == "list_loader.in_flight must be at most 1024, not 1025")
    #expect(read { $0.patience_ms = 3_600_000 }.schema?.prefetch.patience == .seconds(3_600))
    #expect(
      read { $0.patience_ms = 3_600_001 }.reason == "list_loader.patience_ms must be at most 3600000, not 3600001")
    #expect(read { $0.size = 47 }.reason == "list_loader.size is 47, 48 is needed")
    #expect(read { $0.size = 64 }.schema != nil)
    #expect(read { $0.load = nil }.reason == "list_loader.load is NULL")
  }
}
