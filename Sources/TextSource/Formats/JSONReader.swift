import ListEngine
import SourceRuntime

/// Reads JSON: one object per line, or one document.
struct JSONReader: ~Copyable {
  /// The maximum size of a JSON document in bytes.
  static let documentLimit = 64 << 20

  private let parser = JSONParser()
  private var document: [UInt8] = []
  private var isTooLong = false

  /// Reads a line with one object.
  func readObject(_ line: UnsafeRawBufferPointer, _ number: Int, into found: inout [TextReader.Found]) {
    guard line.contains(where: { $0 > 0x20 }) else { return }
    do throws(JSONParser.Fault) {
      let root = try parser.parse(line)
      guard root.kind == .object else {
        return found.append(.fault("line \(number): it is \(root.name), not an object"))
      }
      found.append(.row(JSONFlattening.row(root), place: "line \(number)"))
    } catch {
      found.append(.fault("line \(number): it is not JSON: \(error.reason)"))
    }
  }

  /// Adds a line to the document.
  mutating func append(_ line: UnsafeRawBufferPointer) {
    guard document.count + line.count < Self.documentLimit else {
      isTooLong = true
      return
    }
    document.append(contentsOf: line)
    document.append(0x0A)
  }

  /// Whether the document begins unlike JSON, such as an object that `node` prints.
  ///
  /// A document that ends too early is JSON with a fault.
  var isForeign: Bool {
    let marks = Array(document.lazy.filter { $0 > 0x20 }.prefix(2))
    guard marks.count == 2, !isTooLong else { return false }
    return marks[0] == UInt8(ascii: "{")
      && (Character(UnicodeScalar(marks[1])).isLetter || marks[1] == UInt8(ascii: "'"))
  }

  /// Returns the lines of the document, which is then empty.
  mutating func takeLines() -> [ArraySlice<UInt8>] {
    defer { document = [] }
    return document.split(separator: 0x0A, omittingEmptySubsequences: false)
  }

  /// Reads the complete document.
  mutating func readDocument(into found: inout [TextReader.Found]) {
    guard !isTooLong else {
      return found.append(.fault("the document has more than \(Self.documentLimit) bytes"))
    }
    let count = document.count
    document.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    let bytes = document
    document = []
    bytes.withUnsafeBytes { buffer in
      do throws(JSONParser.Fault) {
        let root = try parser.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        guard let list = Self.list(root) else {
          return found.append(.fault("the document has no list of objects"))
        }
        for (index, item) in list.items.enumerated() {
          if item.kind == .object {
            found.append(.row(JSONFlattening.row(item), place: "item \(index + 1)"))
          } else {
            found.append(.fault("item \(index + 1): it is \(item.name), not an object"))
          }
        }
      } catch {
        found.append(.fault("it is not JSON: \(error.reason)"))
      }
    }
  }

  /// Returns the list of rows in a document; `nil` when it is missing or ambiguous.
  ///
  /// This is the document itself or the only list in an object, such as `{"items":[...]}`. Among
  /// several lists, the only one with objects counts, or else the only empty one.
  private static func list(_ root: JSONElement) -> JSONElement? {
    if root.kind == .list { return root }
    let all = root.members.map(\.value).filter { $0.kind == .list }
    let filled = all.filter { value in value.items.contains { $0.kind == .object } }
    let lists = filled.isEmpty ? all.filter { value in !value.items.contains { _ in true } } : filled
    return lists.count == 1 ? lists[0] : nil
  }
}
