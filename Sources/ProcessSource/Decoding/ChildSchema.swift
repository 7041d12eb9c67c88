import ListEngine
import SourceRuntime
import Wire

/// Reads the `schema` message of a child process.
enum ChildSchema {
  /// The reason why a schema is refused.
  struct Fault: Error {
    var reason: String
  }

  /// Reads a schema.
  ///
  /// Missing members have the defaults of ``Column`` and ``PrefetchPolicy``.
  static func read(_ message: JSONElement, table: String?) throws(Fault) -> Schema {
    var name: String?
    var title = ""
    var key: KeyType?
    var label: String?
    var list: JSONElement?
    var prefetch = PrefetchPolicy()
    var limits = TableLimits()
    var retention = Retention.everything
    var actions: [Action] = []
    var loadsImages = false
    var windowed: JSONElement?
    for (member, value) in message.members {
      if member.spells("name") {
        name = try text(value, "name")
      } else if member.spells("title") {
        title = try text(value, "title")
      } else if member.spells("key") {
        key = value.text.flatMap(KeyType.init)
        guard key != nil else { throw Fault(reason: "schema.key must be “integer” or “text”") }
      } else if member.spells("label"), !value.isNull {
        label = try text(value, "schema.label")
      } else if member.spells("columns") {
        list = value
      } else if member.spells("prefetch") {
        prefetch = try policy(value)
      } else if member.spells("limits") {
        limits = try self.limits(value)
      } else if member.spells("keep") {
        retention = try self.retention(value)
      } else if member.spells("actions") {
        actions = try ChildActions.read(value)
      } else if member.spells("images") {
        guard let given = value.boolean else { throw Fault(reason: "schema.images must be true or false") }
        loadsImages = given
      } else if member.spells("windowed"), !value.isNull {
        windowed = value
      }
    }
    guard let name, !name.isEmpty else { throw Fault(reason: "schema.name is missing") }
    guard let key else { throw Fault(reason: "schema.key is missing: “integer” or “text”") }
    guard let list, list.kind == .list else { throw Fault(reason: "schema.columns is not a list") }
    var columns: [Column] = []
    var names: Set<String> = []
    let limit = Limits().columns
    for item in list.items {
      let column = try self.column(item, columns.count)
      guard names.insert(column.name).inserted else { throw Fault(reason: "two columns are called “\(column.name)”") }
      columns.append(column)
      guard columns.count <= limit else { throw Fault(reason: "a table has at most \(limit) columns") }
    }
    guard !columns.isEmpty else { throw Fault(reason: "schema.columns is empty") }
    var capabilities: WindowedCapabilities?
    if let windowed {
      capabilities = try ChildWindowed.read(windowed, columns)
      if let column = columns.first(where: \.isDeferred) {
        throw Fault(
          reason: "the column “\(column.name)” is deferred; a windowed table has no deferred columns")
      }
    }
    var schema = Schema(
      name: table ?? name, title: title.isEmpty ? table ?? name : title, key: key, columns: columns, label: label,
      prefetch: prefetch, windowed: capabilities, limits: limits, retention: retention, actions: actions,
      loadsImages: loadsImages)
    schema.presentation = try presentation(message)
    do throws(SchemaError) {
      try schema.checkPresentation()
    } catch {
      throw Fault(reason: "schema: \(error)")
    }
    return schema
  }

  private static func presentation(_ message: JSONElement) throws(Fault) -> TablePresentation? {
    do throws(ClientError) {
      return try PresentationDecoding.table(message.tree(of: PresentationDecoding.tableMembers))
    } catch {
      throw Fault(reason: "schema: \(error.reason)")
    }
  }

  private static func presentation(_ column: JSONElement, _ index: Int) throws(Fault) -> ColumnPresentation? {
    do throws(ClientError) {
      return try PresentationDecoding.column(
        column.tree(of: PresentationDecoding.columnMembers), path: "columns[\(index)]")
    } catch {
      throw Fault(reason: "schema: \(error.reason)")
    }
  }

  private static func column(_ item: JSONElement, _ index: Int) throws(Fault) -> Column {
    guard item.kind == .object else { throw Fault(reason: "column \(index) is \(item.name), not an object") }
    var name = ""
    var type: ColumnType?
    var title = ""
    var unit = ""
    var style = ColumnStyle.plain
    var alignment: ColumnAlignment?
    var width = 0
    var isDeferred = false
    var collation = Collation.codeUnit
    var format: ColumnFormat?
    var better: BetterDirection?
    var audience: Audience?
    for (member, value) in item.members {
      if member.spells("name") {
        name = try text(value, "columns[\(index)].name")
      } else if member.spells("type") {
        type = value.text.flatMap(ColumnType.init)
        guard type != nil else { throw Fault(reason: "columns[\(index)].type is not a column type") }
      } else if member.spells("title") {
        title = try text(value, "columns[\(index)].title")
      } else if member.spells("unit") {
        unit = try text(value, "columns[\(index)].unit")
      } else if member.spells("style") {
        // An unknown style is not an error, because a plugin may know more styles than this host.
        style = value.text.flatMap(ColumnStyle.init) ?? .plain
      } else if member.spells("align") {
        alignment = value.text.flatMap(ColumnAlignment.init)
      } else if member.spells("width") {
        guard let number = value.integer, number >= 0 else {
          throw Fault(reason: "columns[\(index)].width is not a number of characters")
        }
        width = Int(min(number, 1_000))
      } else if member.spells("deferred") {
        guard let flag = value.boolean else { throw Fault(reason: "columns[\(index)].deferred is \(value.name)") }
        isDeferred = flag
      } else if member.spells("collation") {
        collation = try self.collation(value, index)
      } else if member.spells("format"), !value.isNull {
        format = try self.format(value, index)
      } else if member.spells("better"), !value.isNull {
        better = try self.better(value, index)
      } else if member.spells("audience"), !value.isNull {
        audience = value.text.flatMap(Audience.init)
        guard audience != nil else {
          let found = value.text.map { "“\($0)”" } ?? value.name
          throw Fault(reason: "columns[\(index)].audience is \(found): use operators, or leave it out")
        }
      }
    }
    guard !name.isEmpty else { throw Fault(reason: "columns[\(index)].name is missing") }
    guard let type else { throw Fault(reason: "the column “\(name)” has no type") }
    guard collation == .codeUnit || type == .text else {
      throw Fault(reason: "the column “\(name)” has a collation, but no texts")
    }
    return Column(
      name, type, title: title, style: style, unit: unit, width: width, alignment: alignment,
      collation: collation, format: format, better: better, isDeferred: isDeferred, audience: audience,
      presentation: try presentation(item, index))
  }

  private static func policy(_ value: JSONElement) throws(Fault) -> PrefetchPolicy {
    guard value.kind == .object else { throw Fault(reason: "schema.prefetch is \(value.name), not an object") }
    var policy = PrefetchPolicy()
    for (member, value) in value.members {
      if member.spells("inFlight") {
        guard let number = value.integer, (1...Int64(PrefetchPolicy.greatestInFlight)).contains(number) else {
          throw Fault(reason: "prefetch.inFlight must be 1 to \(PrefetchPolicy.greatestInFlight)")
        }
        policy.inFlight = Int(number)
      } else if member.spells("prefersToFinish") {
        guard let flag = value.boolean else { throw Fault(reason: "prefetch.prefersToFinish is \(value.name)") }
        policy.prefersToFinish = flag
      } else if member.spells("patience") {
        guard let number = value.integer, (1...3_600_000).contains(number) else {
          throw Fault(reason: "prefetch.patience must be 1 to 3600000 milliseconds")
        }
        policy.patience = .milliseconds(number)
      }
    }
    return policy
  }

  private static func text(_ value: JSONElement, _ place: String) throws(Fault) -> String {
    guard let text = value.text, text.utf8.count <= ForeignText.nameLimit else {
      throw Fault(reason: "\(place) must be a text of at most \(ForeignText.nameLimit) bytes")
    }
    return text
  }
}
