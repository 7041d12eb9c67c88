/// A source of rows: the type that a plugin implements.
///
/// Most plugins are simpler as a ``PolledSource``, which sends its whole list at every interval. A
/// `DataSource` runs its own loop and can send single changes:
///
///     struct Tail: DataSource {
///       let schema = Schema("tail", key: .integer, columns: [Column("line", .text)])
///       init(_ configuration: Configuration) {}
///
///       mutating func run(_ host: ListHost) throws {
///         var batch = Batch(.upsert, columns: 1)
///         while let (number, line) = nextLine() {
///           batch.removeAll()
///           batch.add(key: number, line)
///           try host.push(batch)          // throws when the source is being stopped
///         }
///       }
///     }
///
///     @c(list_plugin_entry_v1) public func entry() -> PluginEntry { export(Tail.self) }
///
/// The host creates and configures a source on one thread and runs it on another, never
/// concurrently.
public protocol DataSource {
  /// The plugin's short name; by default the type's name in lower case.
  static var name: String { get }
  /// A one-line title for users; by default the name.
  static var title: String { get }
  /// The table's schema, read once on the source's thread before ``run(_:)``.
  var schema: Schema { get }

  /// The actions of the table; none by default. Read once, like ``schema``.
  var actions: [Action] { get }
  /// The loader of deferred cells; nil by default. Read once, like ``schema``.
  var loader: CellLoader? { get }
  /// The loader of images; nil by default. Read once, like ``schema``.
  var images: ImageLoader? { get }

  /// Reads the settings and throws an error if one is invalid.
  ///
  /// The host refuses keys that are not read here. Must not block: open connections in ``run(_:)``.
  init(_ configuration: Configuration) throws

  /// Runs the source's loop.
  ///
  /// When the source is stopped, ``ListHost/wait(_:)`` and ``ListHost/push(_:reload:)`` throw an
  /// error that ends the loop. Return if the list is complete and final. Throw any other error on
  /// failure.
  mutating func run(_ host: ListHost) throws
}

extension DataSource {
  /// The type's name in lower case.
  public static var name: String { String(describing: Self.self).lowercased() }
  /// The plugin's name.
  public static var title: String { name }
  /// No actions.
  public var actions: [Action] { [] }
  /// No loader.
  public var loader: CellLoader? { nil }
  /// No loader.
  public var images: ImageLoader? { nil }
}
