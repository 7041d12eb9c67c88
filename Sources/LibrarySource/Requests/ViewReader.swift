import Glibc
import ListEngine
import SourceRuntime
import Wire

/// Reads the default view of a shared library's table: the extension `view`.
enum ViewReader {
  /// The view of a table whose columns are not declared yet.
  struct View {
    fileprivate var table: TablePresentation?
    fileprivate var columns: [(name: String, presentation: ColumnPresentation)] = []

    /// Adds the view to a schema.
    func complete(_ schema: inout Schema) throws(SchemaReader.Fault) {
      for column in columns {
        guard let index = schema.index(of: column.name) else {
          throw SchemaReader.Fault("view: columns names “\(column.name)”, which the table does not have")
        }
        schema.columns[index].presentation = column.presentation
      }
      schema.presentation = table
      do throws(SchemaError) { try schema.checkPresentation() } catch { throw SchemaReader.Fault("view: \(error)") }
    }
  }

  /// The maximum size of the document in bytes.
  private static let greatestSize = 1 << 18

  /// Parses the document, which ends in NUL.
  static func read(_ json: UnsafePointer<CChar>?) throws(SchemaReader.Fault) -> View {
    guard let json else { throw SchemaReader.Fault("the document is NULL") }
    let count = strnlen(json, greatestSize + 1)
    guard count <= greatestSize else {
      throw SchemaReader.Fault("the document has more than \(greatestSize) bytes")
    }
    var bytes = [UInt8](UnsafeRawBufferPointer(start: json, count: count))
    bytes.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    let tree: JSONValue
    let parser = JSONParser()
    do {
      tree = try bytes.withUnsafeBytes { buffer in
        let root = try parser.parse(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
        // The elements refer to memory of the parser.
        return withExtendedLifetime(parser) { root.tree }
      }
    } catch let fault as JSONParser.Fault {
      throw SchemaReader.Fault("the document is not JSON: \(fault.reason)")
    } catch {
      throw SchemaReader.Fault("the document is not JSON")
    }
    var view = View()
    do throws(ClientError) {
      view.table = try PresentationDecoding.table(tree)
      guard case .object(let members) = tree else { return view }
      for case ("columns", let value) in members {
        guard case .object(let columns) = value else {
          throw ClientError.unreadableMessage("columns must be an object, not \(value.kind)")
        }
        for (name, column) in columns {
          guard let presentation = try PresentationDecoding.column(column, path: "columns.\(name)") else { continue }
          view.columns.append((name, presentation))
        }
      }
    } catch {
      throw SchemaReader.Fault("\(error.reason)")
    }
    return view
  }
}
